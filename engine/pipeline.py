"""From a recipe to a finished run on the board."""

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from db import runs, tasks
from db.paths import cache_folder, runs_folder
from db.runs import MetricValue, ModelFacts, RunFacts, RunWriter
from db.store import Store
from db.verify import agrees
from engine import additional, checkpoint, checks, classifiers, data, device, fit, metrics, models, provenance, teacher
from engine.config import EnsembleConfig, NgramConfig
from engine.data import Corpus, TextSet
from engine.errors import DivergedError, InterruptedRunError
from engine.evaluate import prediction_rows, probabilities_of, throughput, timing
from engine.fit import Fitted, Lessons, Tools
from engine.progress import say
from engine.recipe import Recipe, load


@dataclass(frozen=True)
class Job:
    """What is to be trained, and where its results go.

    Attributes:
        recipe: The complete recipe.
        data: None for the shipped mini corpus, ``hub``, or a folder.
        store: The database.
        overrides: As given on the command line, for the command that reproduces the run.
        asked: What named the recipe on the command line; None: its name.
        threads: As asked for; sums in another number of threads differ in their last digits.
        run_id: An interrupted run to go on with.
        pupils: The recipes that wait for this one as their teacher.
        should_stop: Asked after every step.
    """

    recipe: Recipe
    data: str | None
    store: Store
    overrides: tuple[str, ...] = ()
    asked: str | None = None
    threads: int | None = None
    run_id: str | None = None
    pupils: tuple[str, ...] = ()
    should_stop: Callable[[int], bool] = lambda step: False

    @property
    def task_id(self) -> str:
        """The board that the run belongs to."""
        return self.recipe.task if self.data else self.recipe.mini_task

    @property
    def command(self) -> str:
        """What reproduces the run; the data folder is named by what it must hold."""
        parts = ["featherboard train", shlex.quote(self.asked or self.recipe.name), f"--seed {self.recipe.seed}"]
        if self.data:
            parts.append("--data hub" if self.data == "hub" else f"--data FOLDER_OF_{self.task_id.upper()}")
        if self.threads:
            parts.append(f"--threads {self.threads}")
        return " ".join([*parts, *(f"--set {shlex.quote(override)}" for override in self.overrides)])


@contextmanager
def stop_on_signal() -> Iterator[Callable[[int], bool]]:
    """Yield a ``should_stop`` that turns true on Ctrl-C or SIGTERM; a second signal ends the process at once."""
    asked = False

    def handler(number: int, _: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        say(f"Stopping after this step ({signal.Signals(number).name}); the state is being saved.")

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda step: asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def train(job: Job) -> str:
    """Train, evaluate and record one run, with its teacher first where it needs one.

    Returns:
        The run's id.

    Raises:
        InterruptedRunError: Stopped; the run is kept and can be resumed.
        DivergedError: The loss stopped being a number; the run is kept as diverged.
        FeatherboardError: Anything wrong with recipe, data or store.
    """
    work = _prepare(job)
    try:
        _finish(work, _fit(work))
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


@dataclass(frozen=True)
class _Work:
    """Everything that one run needs, ready to train."""

    job: Job
    corpus: Corpus
    guide: teacher.Teacher | None
    further: TextSet | None
    writer: RunWriter
    folder: Path

    @property
    def recipe(self) -> Recipe:
        return self.job.recipe


def _prepare(job: Job) -> _Work:
    corpus = load_corpus(job)
    checks.check(job)
    guide = _teacher(job, corpus)
    run_id = job.run_id or runs.new_run_id()
    further = _further(job, corpus)
    writer = _writer(job, corpus, run_id, guide, further)
    return _Work(job, corpus, guide, further, writer, runs_folder(job.store.path) / run_id)


def load_corpus(job: Job) -> Corpus:
    """The examples that the job's run is trained and scored on."""
    return additional.load_corpus(job.recipe, job.task_id, job.data)


def _teacher(job: Job, corpus: Corpus) -> teacher.Teacher | None:
    taught_by = checks.teaching(job)
    if taught_by is None:
        return None
    wanted, overrides = taught_by
    pupils = (*job.pupils, job.recipe.name)
    run_id = teacher.find_run(job.store, wanted, corpus.sha256, mini=job.data is None) if job.store.exists() else None
    if run_id is None:
        say(f"{job.recipe.name} needs its teacher {wanted.name} first.")
        begun = teacher.interrupted_run(job.store, wanted, corpus.sha256) if job.store.exists() else None
        first = Job(
            wanted, job.data, job.store, overrides, job.recipe.distill.teacher if job.recipe.distill else None,
            job.threads, begun, pupils, job.should_stop,
        )  # fmt: skip
        run_id = train(first)
    loaded = classifiers.load(teacher.checkpoint_folder(job.store.path, run_id))
    return teacher.Teacher(wanted.label, loaded)


def _further(job: Job, corpus: Corpus) -> TextSet | None:
    """Unlabelled texts, where the recipe or a member of its ensemble wants them; no mini corpus has any."""
    if job.data is None or not _wants_further(job.recipe):
        return None
    return data.load_unlabelled(job.task_id, job.data, corpus)


def _wants_further(wanted: Recipe) -> bool:
    members = wanted.model.members if isinstance(wanted.model, EnsembleConfig) else ()
    asking = any(section and section.unlabelled for section in (wanted.distill, wanted.pretrain))
    return asking or any(_wants_further(load(name)) for name in members)


def _writer(job: Job, corpus: Corpus, run_id: str, guide: teacher.Teacher | None, further: TextSet | None) -> RunWriter:
    wanted, task = job.recipe, tasks.by_id(job.task_id)
    if job.run_id:
        writer = RunWriter(job.store, run_id)
        writer.resume()
        return writer
    sized = isinstance(wanted.model, NgramConfig | EnsembleConfig)
    model_id = f"{wanted.listed_as}-{run_id[:8]}" if sized else wanted.listed_as
    dataset = additional.named(wanted, task.dataset, job.data)
    which = "of its training split" if dataset == task.dataset else "of their training parts"
    more = f", and {len(further):,} unlabelled reviews (data {further.sha256[:12]})" if further is not None else ""
    facts = RunFacts(
        task_id=task.task_id, task_version=task.version, model_id=model_id, name=wanted.label, recipe=wanted.name,
        recipe_json=wanted.to_json(), recipe_hash=wanted.digest(), seed=wanted.seed, dataset=dataset,
        dataset_hash=corpus.sha256, split=task.split, device=device.describe(), code_version=provenance.code_version(),
        libraries=provenance.libraries(), command=job.command, teacher=guide.name if guide else None,
        notes=f"Trained on {dataset}, {len(corpus.train):,} examples {which}{more}.",
    )  # fmt: skip
    # The size of what counts n-grams is known when they are counted, and differs with the data: such a run lists a
    # model of its own, and gives the size at its end.
    params = None if sized else models.count_parameters(fit.start(wanted))
    listed = ModelFacts(
        model_id, wanted.label, wanted.family, wanted.model.kind, checks.listed_config(wanted), params, wanted.language,
        "Apache-2.0",
    )  # fmt: skip
    return RunWriter.start(job.store, listed, facts, run_id)


def _lessons(work: _Work) -> Lessons:
    """What the run learns from; asking a teacher may take long, and fail."""
    wanted, train, further = work.recipe, work.corpus.train, work.further
    kept, held = data.split_validation(train, wanted.train.validation_fraction, wanted.seed)
    if work.guide is None:
        return Lessons(train, kept, held, further=further)
    place, beat = work.job.store.path, work.writer.beat
    soft = teacher.logits(work.guide, train, place, beat)
    asked = further if wanted.distill and wanted.distill.unlabelled else None
    further_soft = teacher.logits(work.guide, asked, place, beat) if asked is not None else None
    return Lessons(train, kept, held, soft, further, further_soft)


def _fit(work: _Work) -> Fitted:
    cache = cache_folder(work.job.store.path)
    tools = Tools(work.writer, work.folder / fit.STATE, cache, work.job.should_stop, work.job.data is None)
    place = teacher.checkpoint_folder(work.job.store.path, work.writer.run_id)
    return fit.fit(work.recipe, _lessons(work), place, tools)


def _finish(work: _Work, fitted: Fitted) -> None:
    place = teacher.checkpoint_folder(work.job.store.path, work.writer.run_id)
    classifier = classifiers.load(place)
    gold = work.corpus.test.labels
    test = classifier.prepare(work.corpus.test.texts)
    probabilities = probabilities_of(test, label=f"{work.recipe.name} on test", tick=work.writer.beat)
    found = metrics.classification(gold, probabilities)
    fresh = data.unseen(work.corpus.train, work.corpus.test)
    if not fresh.all() and fresh.any():
        found.append(metrics.accuracy("accuracy_dedup", gold[fresh], probabilities[fresh].argmax(axis=1)))
    found += [
        *fitted.figures,
        *([MetricValue("unk_rate", test.unk_rate)] if test.unk_rate is not None else []),
        MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(place))),
        *timing(test),
        throughput(test),
    ]
    rows = prediction_rows(work.corpus.test, probabilities)
    seconds = fitted.seconds + fitted.reading
    best = found[0]
    verified = agrees(rows, best.value, tasks.by_id(work.job.task_id).split_size)
    work.writer.finish(
        found, train_seconds=seconds, artifacts=fitted.artifacts, predictions=rows, verified=verified,
        params=classifier.params,
    )  # fmt: skip
    say(f"{work.recipe.label}: accuracy {best.value:.2%} ({best.low:.2%} to {best.high:.2%}), "
        f"{classifier.params:,} parameters, {seconds:.0f} s, run {work.writer.run_id[:12]}")  # fmt: skip
