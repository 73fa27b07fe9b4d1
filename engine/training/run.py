"""From a recipe to a finished run on the board."""

from dataclasses import dataclass
from pathlib import Path

from db.base.paths import cache_folder, runs_folder
from db.registry import tasks
from db.runs import writer as runs
from db.runs.rescoring import agrees
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from engine import networks
from engine.base.errors import DivergedError, InterruptedRunError
from engine.base.progress import say
from engine.checkpoints import checkpoint
from engine.data import corpora, extra_training_data
from engine.data.corpora import Corpus, TextSet
from engine.data.sources import SOURCES
from engine.families.classification import classifiers, fit
from engine.families.classification import extra_splits as further
from engine.families.classification.fit import Fitted, Lessons, Tools
from engine.families.masked_lm import work as masked
from engine.families.span_qa import questions
from engine.networks import sources as encoders
from engine.recipes.loader import Recipe, load
from engine.recipes.schema import EnsembleConfig, HiddenWordsConfig, NgramConfig, PretrainedConfig, SpanConfig
from engine.trainer import metrics
from engine.trainer.evaluation import prediction_rows, probabilities_of, scoring, throughput, timing
from engine.training import checks, teachers
from engine.training.job import Job, Work, open_run


def train(job: Job) -> str:
    """Train, evaluate and record one run, with its teacher first where it needs one.

    Returns:
        The run's id.

    Raises:
        InterruptedRunError: Stopped; the run is kept and can be resumed.
        DivergedError: The loss stopped being a number; the run is kept as diverged.
        FeatherboardError: Anything wrong with recipe, data or store.
    """
    work = _ready(job)
    try:
        work.finish()
    except (InterruptedRunError, KeyboardInterrupt) as stopped:
        work.writer.interrupt()
        if isinstance(stopped, InterruptedRunError):
            stopped.run_id = work.writer.run_id
        raise
    except DivergedError:
        work.writer.finish([], train_seconds=None, diverged=True)
        raise
    except BaseException as error:
        work.writer.fail(f"{type(error).__name__}: {error}"[:500])
        raise
    return work.writer.run_id


def _ready(job: Job) -> Work:
    if isinstance(job.recipe.model, SpanConfig):
        from engine.families.span_qa import work  # noqa: PLC0415 - peft takes a second to import

        return work.prepare(job)
    if isinstance(job.recipe.model, HiddenWordsConfig):
        return masked.prepare(job, train)
    return _prepare(job)


@dataclass(frozen=True)
class _Work:
    """Everything that one run needs, ready to train."""

    job: Job
    corpus: Corpus
    guide: teachers.Teacher | None
    further: TextSet | None
    writer: RunWriter
    folder: Path
    source: str | None = None

    @property
    def recipe(self) -> Recipe:
        return self.job.recipe

    def finish(self) -> None:
        _finish(self, _fit(self))


def _prepare(job: Job) -> _Work:
    corpus = extra_training_data.load_corpus(job.recipe, job.task_id, job.data, strict=job.strict)
    for remark in corpus.remarks:
        say(remark)
    checks.check(job)
    guide = _teacher(job, corpus)
    run_id = job.run_id or runs.new_run_id()
    further = _further(job, corpus)
    source = encoders.resolve(job) if isinstance(job.recipe.model, PretrainedConfig) else None
    writer = _writer(job, corpus, run_id, guide, further, source)
    return _Work(job, corpus, guide, further, writer, runs_folder(job.store.path) / run_id, source)


def dataset_hash(wanted: Recipe, task_id: str, folder: str | None) -> str:
    """The hash of what a run of the recipe is trained and scored on.

    Raises:
        DataError: The data are not there or cannot be read.
    """
    if isinstance(wanted.model, SpanConfig):
        return questions.load(task_id, folder).sha256
    if isinstance(wanted.model, HiddenWordsConfig):
        return masked.text_hash(wanted, folder)
    return extra_training_data.load_corpus(wanted, task_id, folder).sha256


def _teacher(job: Job, corpus: Corpus) -> teachers.Teacher | None:
    taught_by = checks.teaching(job)
    if taught_by is None:
        return None
    wanted, overrides = taught_by
    asked = job.recipe.distill.teacher if job.recipe.distill else wanted.name
    run_id = teachers.ensure(job, wanted, corpus.sha256, train, asked=asked, overrides=overrides)
    loaded = classifiers.load(teachers.checkpoint_folder(job.store.path, run_id))
    return teachers.Teacher(wanted.label, loaded)


def _further(job: Job, corpus: Corpus) -> TextSet | None:
    """Unlabelled texts, where the recipe or a member of its ensemble wants them; no mini corpus has any."""
    if job.data is None or not _wants_further(job.recipe):
        return None
    return corpora.load_unlabelled(job.task_id, job.data, corpus)


def _wants_further(wanted: Recipe) -> bool:
    members = wanted.model.members if isinstance(wanted.model, EnsembleConfig) else ()
    asking = any(section and section.unlabelled for section in (wanted.distill, wanted.pretrain))
    return asking or any(_wants_further(load(name)) for name in members)


def _writer(
    job: Job, corpus: Corpus, run_id: str, guide: teachers.Teacher | None, further: TextSet | None, source: str | None
) -> RunWriter:
    wanted, task = job.recipe, tasks.by_id(job.task_id)
    sized = isinstance(wanted.model, NgramConfig | EnsembleConfig)
    model_id = f"{wanted.listed_as}-{run_id[:8]}" if sized else wanted.listed_as
    dataset = extra_training_data.named(
        wanted, task.dataset, job.data, len(corpus.train), SOURCES[job.task_id].train_size
    )
    which = "of their training parts" if wanted.data.add and job.data is not None else "of its training split"
    more = f", and {len(further):,} unlabelled reviews (data {further.sha256[:12]})" if further is not None else ""
    # The size of what counts n-grams is known when they are counted, and differs with the data: such a run lists a
    # model of its own, and gives the size at its end.
    params = None if sized or job.run_id else networks.count_parameters(fit.start(wanted, source))
    listed = ModelFacts(
        model_id,
        wanted.label,
        wanted.family,
        wanted.model.kind,
        checks.listed_config(wanted),
        params,
        wanted.language,
        "Apache-2.0",
    )
    return open_run(
        job,
        listed,
        run_id,
        dataset=dataset,
        dataset_hash=corpus.sha256,
        teacher=guide.name if guide else None,
        notes=" ".join([f"Trained on {dataset}, {len(corpus.train):,} examples {which}{more}.", *corpus.remarks]),
    )


def _lessons(work: _Work) -> Lessons:
    """What the run learns from; asking a teacher may take long, and fail."""
    wanted, train, further = work.recipe, work.corpus.train, work.further
    kept, held = corpora.split_validation(train, wanted.train.validation_fraction, wanted.seed)
    if work.guide is None:
        return Lessons(train, kept, held, further=further)
    place, beat = work.job.store.path, work.writer.beat
    soft = teachers.logits(work.guide, train, place, beat)
    asked = further if wanted.distill and wanted.distill.unlabelled else None
    further_soft = teachers.logits(work.guide, asked, place, beat) if asked is not None else None
    return Lessons(train, kept, held, soft, further, further_soft)


def _fit(work: _Work) -> Fitted:
    cache = cache_folder(work.job.store.path)
    tools = Tools(work.writer, work.folder / fit.STATE, cache, work.job.should_stop, work.job.data is None, work.source)
    place = teachers.checkpoint_folder(work.job.store.path, work.writer.run_id)
    return fit.fit(work.recipe, _lessons(work), place, tools)


def _finish(work: _Work, fitted: Fitted) -> None:
    place = teachers.checkpoint_folder(work.job.store.path, work.writer.run_id)
    classifier = classifiers.load(place)
    gold = work.corpus.test.labels
    test = classifier.prepare(work.corpus.test.texts)
    with scoring(work.recipe):
        probabilities = probabilities_of(test, label=f"{work.recipe.name} on test", tick=work.writer.beat)
    found = metrics.classification(gold, probabilities)
    beside = further.score(classifier, work.recipe, work.job.task_id, work.job.data, work.writer.beat)
    fresh = corpora.unseen(work.corpus.train, work.corpus.test)
    if not fresh.all() and fresh.any():
        found.append(metrics.accuracy("accuracy_dedup", gold[fresh], probabilities[fresh].argmax(axis=1)))
    found += [
        metrics.majority(work.corpus.train.labels, gold),
        *beside.figures,
        *fitted.figures,
        MetricValue("train_examples", float(len(work.corpus.train))),
        *([MetricValue("unk_rate", test.unk_rate)] if test.unk_rate is not None else []),
        MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(place))),
        *timing(test),
        throughput(test),
    ]
    for remark in beside.remarks:
        say(remark)
    rows = prediction_rows(work.corpus.test, probabilities)
    seconds = fitted.seconds + fitted.reading
    best = found[0]
    verified = agrees(rows, best.value, tasks.by_id(work.job.task_id).split_size)
    work.writer.finish(
        found,
        train_seconds=seconds,
        artifacts=fitted.artifacts,
        predictions=rows,
        verified=verified,
        params=classifier.params,
        slices=further.by_genre(work.corpus.test, probabilities) + beside.slices,
    )
    say(
        f"{work.recipe.label}: accuracy {best.value:.2%} ({best.low:.2%} to {best.high:.2%}), "
        f"{classifier.params:,} parameters, {seconds:.0f} s, run {work.writer.run_id[:12]}"
    )
