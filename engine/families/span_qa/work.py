"""From a recipe of question answering to a finished run on the board."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from db.base.paths import cache_folder, runs_folder
from db.registry import tasks
from db.runs import writer as runs
from db.runs.rescoring import agrees
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from engine import networks
from engine.base import device
from engine.base.errors import RecipeError
from engine.base.progress import say
from engine.checkpoints import checkpoint as files
from engine.families.classification import fit
from engine.families.span_qa import adapter, checkpoint, evaluation, model, questions, teacher_logits, windows
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.objective import Marked, Spans
from engine.families.span_qa.questions import QACorpus, QuestionSet
from engine.networks import sources
from engine.recipes.schema import SpanConfig
from engine.trainer.evaluation import scoring
from engine.trainer.loop import Trainer
from engine.training import checks, teachers
from engine.training.job import Job, open_run

SUBSET_SEED = 0
"""Draws the questions of ``qa.questions``: the same ones for every seed of the run."""


@dataclass(frozen=True)
class SpanWork:
    """A job of question answering, ready to train."""

    job: Job
    corpus: QACorpus
    writer: RunWriter
    guide: Answerer | None = None

    @property
    def state(self) -> Path:
        """The resume state of the training."""
        return runs_folder(self.job.store.path) / self.writer.run_id / fit.STATE

    def finish(self) -> None:
        """Train, answer the test questions, and record both."""
        place = teachers.checkpoint_folder(self.job.store.path, self.writer.run_id)
        artifacts, figures, seconds = _fit(self, place)
        answerer = checkpoint.load(place)
        answerer.model.to(device.best())
        asked = self.corpus.test.questions
        wanted = self.job.recipe
        with scoring(wanted):
            found = evaluation.evaluate(answerer, asked, f"{wanted.name} on {self.corpus.task_id}", self.writer.beat)
        answerer.model.cpu()  # where the board's timings are made
        task = tasks.by_id(self.job.task_id)
        rows, scores = found.rows(), found.figures(task.language)
        figures += [
            *scores,
            MetricValue("checkpoint_bytes", float(files.folder_bytes(place))),
            *evaluation.timing(answerer, asked),
        ]
        verified = agrees(rows, scores[0].value, task.split_size, metric=scores[0].name, language=task.language)
        self.writer.finish(
            figures,
            train_seconds=seconds,
            artifacts=artifacts,
            predictions=rows,
            slices=found.slices(task.language),
            verified=verified,
            params=answerer.params,
        )
        # Not before: answering a whole split may be stopped too, and what was learned is not learned again.
        self.state.unlink(missing_ok=True)
        said = ", ".join(f"{figure.name} {figure.value:.2%}" for figure in scores[:2])
        say(
            f"{self.job.recipe.label}: {said}, {answerer.params:,} parameters, {seconds:.0f} s, "
            f"run {self.writer.run_id[:12]}"
        )


def prepare(job: Job) -> SpanWork:
    """Read the data, check the recipe against them, and put the run on the board.

    Raises:
        FeatherboardError: Anything wrong with recipe, data or store.
    """
    from engine.training.run import train  # noqa: PLC0415 - which prepares this work

    corpus = questions.load(job.task_id, job.data, strict=job.strict)
    for told in corpus.left_out:
        say(told)
    checks.check(job)
    wanted, task = job.recipe, tasks.by_id(job.task_id)
    params = None
    if job.run_id is None:
        begun = start(job)
        assert isinstance(wanted.model, SpanConfig)  # noqa: S101 - the pipeline brings no other job here
        model.require_known(begun, model.tokenizer(wanted.model, sources.resolve(job)), wanted.model.source)
        params = networks.count_parameters(begun)
        if wanted.adapter:
            adapter.require_targets(begun, wanted.adapter)
    listed = ModelFacts(
        wanted.listed_as,
        wanted.label,
        wanted.family,
        wanted.model.kind,
        checks.listed_config(wanted),
        params,
        wanted.language,
        "Apache-2.0",
    )
    kept = training_questions(corpus.train, job)
    questions.split_validation(kept, wanted.train.validation_fraction, wanted.seed)  # refuses before the run is listed
    guide = _teacher(job, corpus, train)
    writer = open_run(
        job,
        listed,
        job.run_id or runs.new_run_id(),
        dataset=task.dataset,
        dataset_hash=corpus.sha256,
        teacher=guide.recipe.label if guide else None,
        notes=" ".join(
            [
                f"Trained on {len(kept):,} of the {len(corpus.train):,} questions of {task.dataset}'s training split.",
                *corpus.left_out,
            ]
        ),
    )
    return SpanWork(job, corpus, writer, guide)


def _teacher(job: Job, corpus: QACorpus, train: Callable[[Job], str]) -> Answerer | None:
    """The teacher of a recipe that learns from one, trained first where it is not there yet."""
    taught_by = checks.teaching(job)
    if taught_by is None or job.recipe.distill is None:
        return None
    wanted, overrides = taught_by
    asked = job.recipe.distill.teacher
    run_id = teachers.ensure(job, wanted, corpus.sha256, train, asked=asked, overrides=overrides)
    return checkpoint.load(teachers.checkpoint_folder(job.store.path, run_id))


def start(job: Job) -> model.SpanModel:
    """The model that the training starts from, without adapters; a new head depends on torch's seed."""
    config = job.recipe.model
    assert isinstance(config, SpanConfig)  # noqa: S101 - the pipeline brings no other job here
    return model.from_source(config, sources.resolve(job), job.recipe.qa)


def training_questions(train: QuestionSet, job: Job) -> QuestionSet:
    """The questions that the recipe learns from, validation included.

    Raises:
        RecipeError: It asks for more than there are, or leaves none.
    """
    settings = job.recipe.qa
    kept = [i for i, one in enumerate(train.questions) if not (settings.exact_offsets and one.guessed)]
    if not kept:
        raise RecipeError(
            f"qa.exact_offsets: the places of all {len(train)} answers of the training split are guesses; with "
            "--set qa.exact_offsets=false they are learned from."
        )
    if settings.questions is None:
        return train.take(kept)
    if settings.questions > len(kept):
        raise RecipeError(f"qa.questions = {settings.questions}: the training split has {len(kept)} to choose from.")
    drawn = np.random.default_rng(SUBSET_SEED).permutation(len(kept))[: settings.questions]
    return train.take(np.array(kept)[np.sort(drawn)])


def _fit(work: SpanWork, place: Path) -> tuple[list[runs.Artifact], list[MetricValue], float]:
    job, wanted = work.job, work.job.recipe
    config = wanted.model
    assert isinstance(config, SpanConfig)  # noqa: S101
    tokenizer = model.tokenizer(config, sources.resolve(job))
    learned = training_questions(work.corpus.train, job)
    kept, held = questions.split_validation(learned, wanted.train.validation_fraction, wanted.seed)

    def part(index: NDArray[np.int64], label: str) -> Marked:
        some = learned.take(index).questions
        cut = windows.cut(tokenizer, some, wanted.qa, f"{wanted.name}: {label}")
        return Marked(cut, windows.targets(cut, some))

    train, validation = part(kept, "training questions"), part(held, "validation questions")
    soft = None
    if work.guide:
        cache = cache_folder(job.store.path)
        soft = teacher_logits.logits(work.guide, tokenizer, train.windows, cache, work.writer.beat)
    objective = Spans(train, validation, wanted.distill, soft)
    torch.manual_seed(wanted.seed)
    span_model = start(job)
    if wanted.adapter:
        adapter.inject(span_model, wanted.adapter)
    trainer = Trainer(
        wanted, span_model, objective, writer=work.writer, state_file=work.state, should_stop=job.should_stop
    )
    trained = trainer.run()
    trainer.save()
    artifacts = checkpoint.save(place, wanted, span_model, trained.weights, tokenizer)
    figures = [
        MetricValue("validation_accuracy", trained.validation.accuracy, len(objective.validation.windows)),
        MetricValue("best_epoch", float(trained.place.best_epoch)),
    ]
    return artifacts, figures, trained.place.seconds
