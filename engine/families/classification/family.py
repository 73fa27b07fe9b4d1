"""Models that put texts into classes: networks, n-grams, and ensembles of both."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from db.registry import tasks
from db.runs.writer import MetricValue, Slice
from engine.base.errors import RecipeError
from engine.base.progress import say
from engine.checkpoints import checkpoint
from engine.data import corpora, extra_training_data, tokenizer
from engine.data.corpora import Corpus
from engine.data.sources import SOURCES
from engine.data.text_sets import TextSet
from engine.families.classification import classifiers, ensemble, extra_splits, fit, transfer_set
from engine.families.classification.fit import FitResult, TrainingContext, TrainingData
from engine.networks import architectures, sources
from engine.networks.classifier import Classifier, Prepared, probabilities_of
from engine.networks.neural_classifier import fastest
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import EnsembleConfig, PretrainedConfig
from engine.trainer import metrics
from engine.trainer.evaluation import number_rows, prediction_rows, scoring, throughput, timing
from engine.trainer.teacher_logits import cached
from engine.trainer.training_run import Evaluation, Inputs, TrainingResult, TrainingRun

Scored = tuple[list[MetricValue], pd.DataFrame, str, list[Slice]]
"""Figures of a test split, the one that ranks first; predictions; a summary in words; scores of parts of the split."""

_OWN_VOCABULARY, _COUNTED = ("bilstm", "cnn"), ("char-ngrams", "ensemble")


class ClassificationFamily:
    """See ``engine.families.Family``."""

    def check(self, recipe: Recipe, task_id: str) -> None:
        """Refuse what could only fail."""
        kind = recipe.model.kind
        if task_id not in SOURCES:
            raise RecipeError(f"task {task_id}: model.kind = {kind!r} is for {', '.join(SOURCES)}.")
        if recipe.adapter and kind != "pretrained":
            raise RecipeError(f"adapter: it is for model.kind = 'span' and 'pretrained', and this is {kind!r}.")
        if recipe.data.hide and len(SOURCES[task_id].texts) != 2:
            raise RecipeError(f"data.hide = {recipe.data.hide!r}: the task has no pairs of texts.")
        if recipe.data.hide and kind in _COUNTED:
            raise RecipeError(f"data.hide: model.kind = {kind!r} reads whole examples; it is for networks.")
        labels = SOURCES[task_id].num_labels
        if recipe.num_labels != labels:
            number = SOURCES[task_id].labels == ()
            has = "a number as label: --set model.num_labels=1" if number else f"{labels} labels"
            raise RecipeError(f"model.num_labels = {recipe.num_labels}: the task {task_id} has {has}.")
        if labels == 1 and (kind in _COUNTED or recipe.distill):
            raise RecipeError(f"task {task_id}: its label is a number; a network learns it, without distillation.")
        if recipe.distill and kind in _COUNTED:
            raise RecipeError(f"distill: model.kind = {kind!r} learns from labels alone.")
        if kind in _OWN_VOCABULARY:
            tokenizer.check(architectures.own(recipe).vocab_size, recipe.tokenizer)

    def load_data(self, recipe: Recipe, task_id: str, folder: str | None, *, strict: bool = False) -> Corpus:
        """Read the task's texts with what the recipe adds to them or leaves out."""
        return extra_training_data.load_corpus(recipe, task_id, folder, strict=strict)

    def is_complete(self, folder: Path, recipe: Recipe, *, mini: bool) -> bool:
        """Whether a whole checkpoint lies there; an ensemble's members must still be those of their recipes."""
        if not (folder / checkpoint.CARD).is_file():
            return False
        if not isinstance(recipe.model, EnsembleConfig):
            return True
        recipes = [fit.member(recipe, name, mini=mini).digest() for name in recipe.model.members]
        members = [checkpoint.read_card(path).recipe.digest() for path in ensemble.places(folder)]
        return members == [digest for digest in recipes for _ in range(recipe.model.folds)]

    def train(self, recipe: Recipe, data: Corpus, inputs: Inputs, run: TrainingRun) -> TrainingResult:
        """Train a classifier and score it on the test split."""
        teacher = classifiers.load(inputs.teacher) if inputs.teacher else None
        parts = corpora.held_out(data.train, recipe.train, recipe.seed, data.own)
        unlabelled = _unlabelled(recipe, data, run)
        if unlabelled is not None and recipe.train.held_out == "text":
            unlabelled = corpora.without_held_out(unlabelled, data.train, parts[1])
        transfer = transfer_set.collect(recipe, data, parts, unlabelled, run.data) if recipe.distill else []
        _start(recipe, data, inputs, run, teacher, [unlabelled, *transfer])
        fitted = _fit(recipe, data, parts, inputs, run, teacher, unlabelled, transfer)
        classifier = classifiers.load(run.checkpoint)
        test = classifier.prepare(data.test.texts)
        score = _score_classes if SOURCES[run.task_id].labels else _score_numbers
        figures, predictions, summary, slices = score(recipe, data, run, classifier, test)
        size = checkpoint.folder_bytes(run.checkpoint)
        if isinstance(recipe.model, EnsembleConfig):
            size += ensemble.encoder_bytes(recipe.model)
        return TrainingResult(
            fitted.artifacts,
            fitted.seconds + fitted.pretraining_seconds,
            [
                *figures,
                *fitted.figures,
                MetricValue("train_examples", float(len(data.train))),
                *([MetricValue("unk_rate", test.unk_rate)] if test.unk_rate is not None else []),
                MetricValue("checkpoint_bytes", float(size)),
                *timing(test),
                throughput(test),
            ],
            predictions,
            f"{summary}, {classifier.params:,} parameters",
            classifier.params,
            slices,
        )

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
        """Score a classifier on the test split and on the other splits of its question, and time it."""
        classifier = classifiers.load(folder)
        recipe, source = classifier.recipe, SOURCES[task_id]
        corpus = self.load_data(recipe, task_id, data) if own_data else corpora.load(task_id, data)
        test, gold = classifier.prepare(corpus.test.texts), corpus.test.labels
        scores: list[MetricValue] = []
        extra = extra_splits.ExtraScores()
        if scored and not source.labels:
            numbers = test.logits(label)[:, 0].astype(np.float64)
            scores = metrics.regression(gold, numbers, tasks.by_id(task_id).metric)
        elif scored:
            with nullcontext() if exact else scoring(recipe):
                probabilities = probabilities_of(test, label=label)
            extra = extra_splits.score(classifier, recipe, task_id, data)
            scores = [*_scores(task_id, corpus, gold, probabilities, always=True), *extra.figures]
        timings = [*timing(test), throughput(test)] if timed else []
        return Evaluation(scores, timings, classifier.params, source.licence, test.unk_rate, extra.remarks)

    def load(self, folder: Path) -> Classifier:
        """Read a checkpoint."""
        return classifiers.load(folder)


def _score_classes(recipe: Recipe, data: Corpus, run: TrainingRun, classifier: Classifier, test: Prepared) -> Scored:
    """Score the test split, and the other splits of the question."""
    with scoring(recipe):
        probabilities = probabilities_of(test, label=f"{recipe.name} on test", tick=run.writer.beat)
    extra = extra_splits.score(classifier, recipe, run.task_id, run.data, run.writer.beat)
    for remark in extra.remarks:
        say(remark)
    scores = _scores(run.task_id, data, data.test.labels, probabilities)
    best = scores[0]
    return (
        [*scores, metrics.majority(data.train.labels, data.test.labels), *extra.figures],
        prediction_rows(data.test, probabilities),
        f"accuracy {best.value:.2%} ({best.low:.2%} to {best.high:.2%})",
        extra_splits.by_genre(data.test, probabilities) + extra.slices,
    )


def _score_numbers(recipe: Recipe, data: Corpus, run: TrainingRun, _classifier: Classifier, test: Prepared) -> Scored:
    """Score a regression on the test split."""
    numbers = test.logits(f"{recipe.name} on test", run.writer.beat)[:, 0].astype(np.float64)
    scores = metrics.regression(data.test.labels, numbers, tasks.by_id(run.task_id).metric)
    best = scores[0]
    summary = f"{best.name} {best.value:.3f} ({best.low:.3f} to {best.high:.3f})"
    return scores, number_rows(data.test, numbers), summary, []


def _scores(
    task_id: str, data: Corpus, gold: NDArray[np.int64], probabilities: NDArray[np.float64], *, always: bool = False
) -> list[MetricValue]:
    """Score a test split, and apart from it the texts that do not occur in the training split.

    Args:
        task_id: Its own metric is computed too.
        data: Both splits.
        gold: Classes of the test split, shape (examples,).
        probabilities: Shape (examples, labels).
        always: Score them apart even where they are the whole test split.
    """
    scores = metrics.classification(gold, probabilities, tasks.by_id(task_id).metric)
    unseen = corpora.unseen(data.train, data.test)
    if unseen.any() and (always or not unseen.all()):
        scores.append(metrics.accuracy("accuracy_dedup", gold[unseen], probabilities[unseen].argmax(axis=1)))
    return scores


def _unlabelled(recipe: Recipe, data: Corpus, run: TrainingRun) -> TextSet | None:
    """Unlabelled texts, where the recipe or a member of its ensemble uses them; few mini corpora have any."""
    if not _uses_unlabelled(recipe) or (run.data is None and not SOURCES[run.task_id].unlabelled):
        return None
    return corpora.load_unlabelled(run.task_id, run.data, data)


def _uses_unlabelled(recipe: Recipe) -> bool:
    members = recipe.model.members if isinstance(recipe.model, EnsembleConfig) else ()
    reads = None if getattr(recipe.model, "after", None) else recipe.pretrain  # what goes on has read before
    own = any(section and section.unlabelled for section in (recipe.distill, reads))
    return own or any(_uses_unlabelled(loader.load(name)) for name in members)


def _encoder_notes(recipe: Recipe) -> tuple[str, ...]:
    if isinstance(recipe.model, PretrainedConfig):
        return sources.notes(recipe.model)
    members = recipe.model.members if isinstance(recipe.model, EnsembleConfig) else ()
    return tuple(dict.fromkeys(note for name in members for note in _encoder_notes(loader.load(name))))


def _start(
    recipe: Recipe,
    data: Corpus,
    inputs: Inputs,
    run: TrainingRun,
    teacher: Classifier | None,
    unlabelled: Sequence[TextSet | None],
) -> None:
    size = len(data.train)
    dataset = extra_training_data.named(
        recipe, tasks.by_id(run.task_id).dataset, run.data, data.own or size, SOURCES[run.task_id].train_size
    )
    split = "of their training parts" if recipe.data.add and run.data is not None else "of its training split"
    sets = {texts.sha256: len(texts) for texts in unlabelled if texts}
    extra = "".join(f", and {count:,} unlabelled texts (data {digest[:12]})" for digest, count in sets.items())
    # The size of what counts n-grams is known when they are counted, and differs with the data.
    counted = recipe.model.kind in _COUNTED
    run.start(
        params=None if counted or run.resumed else architectures.count_parameters(fit.start(recipe, inputs.source)),
        notes=" ".join(
            [f"Trained on {dataset}, {size:,} examples {split}{extra}.", *data.remarks, *_encoder_notes(recipe)]
        ),
        dataset=dataset,
        teacher=teacher.recipe.label if teacher else None,
        sized_by_data=counted,
    )


def _fit(
    recipe: Recipe,
    data: Corpus,
    parts: tuple[NDArray[np.int64], NDArray[np.int64]],
    inputs: Inputs,
    run: TrainingRun,
    teacher: Classifier | None,
    unlabelled: TextSet | None,
    transfer: Sequence[TextSet],
) -> FitResult:
    learned, held = parts

    soft, taught = None, []
    if teacher is not None:  # it may take long, and fail
        soft = teacher_logits(teacher, data.train, run.cache, run.writer.beat)
        taught = [(texts, teacher_logits(teacher, texts, run.cache, run.writer.beat)) for texts in transfer]
    return fit.fit(
        recipe,
        TrainingData(
            data.train,
            learned,
            held,
            soft,
            unlabelled,
            taught,
            readable=learned if recipe.train.held_out == "text" else np.arange(len(data.train)),
        ),
        run.checkpoint,
        TrainingContext(run.writer, run.state_file, run.cache, run.should_stop, run.data is None, inputs.source),
    )


def teacher_logits(
    teacher: Classifier, texts: TextSet, cache: Path, tick: Callable[[], None] = lambda: None
) -> torch.Tensor:
    """Logits of a teacher, shape (texts, labels), float32; every row has the mean 0, which changes no probability.

    They come in the number format in which the teacher itself is scored. A teacher that was trained on these texts by
    folds gives each the logits of the parts that had not seen it.
    """
    out_of_fold = teacher.own_logits(texts.sha256)
    if out_of_fold is not None:
        return _centred(out_of_fold)

    def compute() -> torch.Tensor:
        with scoring(teacher.recipe):
            logits = fastest(teacher).logits(texts.texts, f"teacher {teacher.recipe.label}", tick)
        return _centred(torch.from_numpy(logits))

    facts = {"teacher": teacher.sha256, "texts": texts.sha256}
    return cached(cache, teacher.sha256, texts.sha256, len(texts), compute, facts)


def _centred(logits: torch.Tensor) -> torch.Tensor:
    return logits - logits.mean(dim=-1, keepdim=True)
