"""Models that answer a question by a span of its text."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from db.registry import tasks
from db.runs.writer import Artifact, MetricValue
from engine.base import device
from engine.base.errors import RecipeError
from engine.base.progress import Bar
from engine.checkpoints import adapters
from engine.checkpoints import checkpoint as files
from engine.families.span_qa import checkpoint, evaluation, model, questions, windows
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.checkpoint import HEADS
from engine.families.span_qa.model import SpanModel
from engine.families.span_qa.objective import Marked, Spans
from engine.families.span_qa.questions import QACorpus, QuestionSet, make_set, of_task
from engine.families.span_qa.windows import Window
from engine.networks import architectures, sources
from engine.recipes.loader import Recipe
from engine.recipes.schema import QAConfig, SpanConfig
from engine.trainer.evaluation import scoring
from engine.trainer.loop import Trained, Trainer
from engine.trainer.teacher_logits import cached
from engine.trainer.training_run import Evaluation, Inputs, TrainingResult, TrainingRun

SUBSET_SEED = 0
"""Chooses the questions of ``qa.questions``: the same ones for every seed of the run."""


class SpanFamily:
    """See ``engine.families.Family``."""

    def check(self, recipe: Recipe, task_id: str) -> None:
        """Refuse what could only fail."""
        of_task(task_id)
        if recipe.pretrain or recipe.data.add:
            raise RecipeError(f"{recipe.name}: pretrain and data.add are for classifiers.")

    def load_data(self, recipe: Recipe, task_id: str, folder: str | None, *, strict: bool = False) -> QACorpus:
        """Read the task's questions, and those of another task that the recipe adds to its training split."""
        corpus = questions.load(task_id, folder, strict=strict)
        if recipe.qa.add is None or folder is None:
            return corpus
        added = questions.load_split(recipe.qa.add, folder, "train", strict=strict)
        chosen = _choose(added, recipe.qa.add_questions, recipe.qa, "qa.add_questions")
        remark = f"{len(chosen):,} of the {len(added):,} training questions of {recipe.qa.add} were added."
        remarks = (*corpus.train.remarks, *added.remarks, remark)
        return replace(corpus, train=make_set([*corpus.train.questions, *chosen.questions], remarks))

    def is_complete(self, folder: Path, recipe: Recipe, *, mini: bool) -> bool:
        """Whether a whole checkpoint lies there."""
        return (folder / files.CARD).is_file()

    def train(self, recipe: Recipe, data: QACorpus, inputs: Inputs, run: TrainingRun) -> TrainingResult:
        """Train a span model and answer the test questions."""
        config, source = _config(recipe), str(inputs.source)
        tokenizer = model.tokenizer(config, source)
        params = None if run.resumed else _checked_params(recipe, config, source, tokenizer)
        learned = training_questions(data.train, recipe)
        learned_index, held_index = questions.split_validation(learned, recipe.train, recipe.seed)
        teacher = checkpoint.load(inputs.teacher) if inputs.teacher else None
        dataset = tasks.by_id(run.task_id).dataset
        size = f"{len(learned):,} of the {len(data.train):,} questions of {dataset}'s training split"
        run.start(
            params=params,
            notes=" ".join([f"Trained on {size}.", *data.remarks, *sources.notes(config)]),
            dataset=trained_on(recipe, dataset),
            teacher=teacher.recipe.label if teacher else None,
        )

        def part(index: NDArray[np.int64], label: str) -> Marked:
            some = learned.take(index).questions
            cut = windows.cut(tokenizer, some, recipe.qa, f"{recipe.name}: {label}")
            return Marked(cut, windows.targets(cut, some))

        train, validation = part(learned_index, "training questions"), part(held_index, "validation questions")
        soft = teacher_logits(teacher, tokenizer, train.windows, run.cache, run.writer.beat) if teacher else None
        objective = Spans(train, validation, recipe.distill, soft)
        torch.manual_seed(recipe.seed)
        span_model = model.from_source(config, source, recipe.qa)
        if recipe.adapter:
            adapters.inject(span_model.inner, recipe.adapter, HEADS)
        trainer = Trainer(
            recipe, span_model, objective, writer=run.writer, state_file=run.state_file, should_stop=run.should_stop
        )
        trained = trainer.run()
        trainer.save()  # answering a whole split may be stopped too, and what was learned is not learned again
        artifacts = files.save_network(run.checkpoint, recipe, span_model, trained.weights, tokenizer, HEADS)
        return _scored(recipe, data, run, artifacts, trained, len(validation.windows))

    def evaluate(
        self,
        folder: Path,
        task_id: str,
        data: str | None,
        *,
        label: str,
        own_data: bool = True,
        scored: bool = True,
        timed: bool = True,
        exact: bool = False,
    ) -> Evaluation:
        """Answer the test questions and time the model; every run of a task reads the same data."""
        answerer = checkpoint.load(folder)
        test = questions.load_split(task_id, data, "test").questions
        scores: list[MetricValue] = []
        if scored:
            with nullcontext() if exact else scoring(answerer.recipe):
                scores = evaluation.evaluate(answerer, test, label).figures(tasks.by_id(task_id).language)
        timings = evaluation.timing(answerer, test) if timed else []
        return Evaluation(scores, timings, answerer.params, of_task(task_id).licence)

    def load(self, folder: Path) -> Answerer:
        """Read a checkpoint."""
        return checkpoint.load(folder)


def _config(recipe: Recipe) -> SpanConfig:
    if not isinstance(recipe.model, SpanConfig):
        raise TypeError(recipe.model.kind)
    return recipe.model


def _checked_params(recipe: Recipe, config: SpanConfig, source: str, tokenizer: Tokenizer) -> int:
    """Parameters of the model that the training starts from, whose tokenizer and adapters must fit."""
    start = model.from_source(config, source, recipe.qa)
    model.require_known(start, tokenizer, config.source)
    if recipe.adapter:
        adapters.require_targets(start.inner, recipe.adapter, HEADS)
    return architectures.count_parameters(start)


def trained_on(recipe: Recipe, dataset: str) -> str:
    """Name the data for the board: a part that was drawn is a data set of its own, which another row is chosen for."""
    return f"{dataset} ({recipe.qa.questions:,} drawn)" if recipe.qa.questions else dataset


def training_questions(train: QuestionSet, recipe: Recipe) -> QuestionSet:
    """Choose the questions that the recipe learns from, validation included.

    Raises:
        RecipeError: It needs more than there are, or leaves none.
    """
    return _choose(train, recipe.qa.questions, recipe.qa, "qa.questions")


def _choose(train: QuestionSet, count: int | None, settings: QAConfig, key: str) -> QuestionSet:
    usable = [i for i, question in enumerate(train.questions) if not (settings.exact_offsets and question.guessed)]
    if not usable:
        raise RecipeError(
            f"qa.exact_offsets: the places of all {len(train)} answers of the training split are guesses; with "
            "--set qa.exact_offsets=false they are learned from."
        )
    if count is None:
        return train.take(usable)
    if count > len(usable):
        raise RecipeError(f"{key} = {count}: the training split has {len(usable)} to choose from.")
    chosen = np.random.default_rng(SUBSET_SEED).permutation(len(usable))[:count]
    return train.take(np.array(usable)[np.sort(chosen)])


def _scored(
    recipe: Recipe,
    data: QACorpus,
    run: TrainingRun,
    artifacts: Sequence[Artifact],
    trained: Trained,
    validation_windows: int,
) -> TrainingResult:
    answerer = checkpoint.load(run.checkpoint)
    network = cast("SpanModel", answerer.model)
    network.to(device.best())
    test, language = data.test.questions, tasks.by_id(run.task_id).language
    with scoring(recipe):
        answers = evaluation.evaluate(answerer, test, f"{recipe.name} on {data.task_id}", run.writer.beat)
    network.cpu()  # where the board's timings are made
    scores = answers.figures(language)
    summary = ", ".join(f"{score.name} {score.value:.2%}" for score in scores[:2])
    return TrainingResult(
        artifacts,
        trained.state.seconds,
        [
            *scores,
            MetricValue("validation_accuracy", trained.validation.accuracy, validation_windows),
            MetricValue("best_epoch", float(trained.state.best_epoch)),
            MetricValue("checkpoint_bytes", float(files.folder_bytes(run.checkpoint))),
            *evaluation.timing(answerer, test),
        ],
        answers.rows(language),
        f"{summary}, {answerer.params:,} parameters",
        answerer.params,
        answers.slices(language),
    )


def teacher_logits(
    teacher: Answerer,
    tokenizer: Tokenizer,
    student_windows: Sequence[Window],
    cache: Path,
    tick: Callable[[], None] = lambda: None,
) -> list[NDArray[np.float16]]:
    """The teacher's start and end logits on each of its student's windows, shape (tokens, 2).

    Raises:
        RecipeError: The teacher has another vocabulary: its logits would be those of other words.
    """
    if teacher.tokenizer.get_vocab() != tokenizer.get_vocab():
        raise RecipeError(
            f"distill.teacher: {teacher.recipe.name} has another vocabulary than its student; choose a teacher that "
            "shares it."
        )
    sizes = [len(window.ids) for window in student_windows]
    digest = hashlib.sha256(b"".join(window.ids.tobytes() + window.types.tobytes() for window in student_windows))

    def compute() -> torch.Tensor:
        cast("SpanModel", teacher.model).to(device.best())
        with Bar(f"teacher {teacher.recipe.label}", len(sizes)) as bar:

            def moved(count: int) -> None:
                bar.advance(count)
                tick()

            with scoring(teacher.recipe):
                return torch.from_numpy(np.concatenate(teacher.logits(student_windows, moved)).astype(np.float16))

    logits = cached(cache, teacher.sha256, digest.hexdigest(), sum(sizes), compute)
    return np.split(logits.numpy(), np.cumsum(sizes)[:-1])
