"""Training one classifier on one split: a network by the training loop, n-grams by scikit-learn, or both together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn

from db.base.atomic import atomic_write
from db.runs.writer import Artifact, MetricValue
from engine.base import device
from engine.base.errors import RecipeError
from engine.base.progress import say
from engine.checkpoints import adapters, checkpoint
from engine.data.corpora import UNLABELLED
from engine.data.sources import SOURCES
from engine.data.text_sets import TextSet
from engine.data.text_transforms import as_read
from engine.data.tokenizer import Encoded, encode, train_tokenizer
from engine.families.classification import classifiers, ensemble, intermediate, lstm_pretraining
from engine.families.classification.objective import Classification, Examples
from engine.networks import architectures, transformer_classifier
from engine.networks.bilstm import BiLSTMClassifier
from engine.networks.classifier import Classifier
from engine.networks.sources import locate
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import BiLSTMConfig, EnsembleConfig, NgramConfig, PretrainedConfig
from engine.trainer.evaluation import scored, scoring
from engine.trainer.loop import Trainer, Writer
from engine.trainer.training_run import STATE

SECONDS = "seconds.txt"


@dataclass(frozen=True)
class TrainingData:
    """What is learned from.

    Attributes:
        train: The whole training split.
        learned: Positions in it that are learned from.
        held: Positions that are held out, to choose the epoch.
        soft: A teacher's logits on the training split, shape (examples, labels).
        unlabelled: Texts without labels that are read before anything is learned.
        transfer: Sets of texts without labels that are learned from, and the teacher's logits on each.
        readable: Positions whose texts, without labels, vocabulary and pretraining are learned from; None: all.
    """

    train: TextSet
    learned: NDArray[np.int64]
    held: NDArray[np.int64]
    soft: torch.Tensor | None = None
    unlabelled: TextSet | None = None
    transfer: Sequence[tuple[TextSet, torch.Tensor]] = ()
    readable: NDArray[np.int64] | None = None

    @property
    def readable_texts(self) -> list[tuple[str, ...]]:
        """Texts of the training split that may be read without their labels."""
        texts = self.train.texts
        return texts if self.readable is None else [texts[i] for i in self.readable]


@dataclass(frozen=True)
class TrainingContext:
    """What a training writes to and asks on its way.

    Attributes:
        writer: Takes curve points and heartbeats.
        state: The resume state.
        cache: Folder of what several trainings share.
        should_stop: Asked after every step.
        mini: The data are a mini corpus.
        source: The folder or hub id of the network that a fine-tuning starts from; None: as its recipe names it.
    """

    writer: Writer
    state: Path
    cache: Path
    should_stop: Callable[[int], bool] = lambda step: False
    mini: bool = False
    source: str | None = None


@dataclass(frozen=True)
class FitResult:
    """A trained classifier.

    Attributes:
        artifacts: Its checkpoint's files.
        seconds: Of training.
        figures: Of the training itself.
        pretraining_seconds: Seconds of the pretraining before it, when it was done.
    """

    artifacts: list[Artifact]
    seconds: float
    figures: list[MetricValue]
    pretraining_seconds: float = 0.0


def fit(recipe: Recipe, data: TrainingData, folder: Path, context: TrainingContext) -> FitResult:
    """Train the recipe and write its checkpoint to ``folder``.

    Raises:
        InterruptedRunError: Asked to stop; what is done is kept, and the same call goes on.
        DivergedError: The loss stopped being a number.
        RecipeError: The recipe cannot be trained on these examples.
    """
    if isinstance(recipe.model, EnsembleConfig):
        return _fit_ensemble(recipe, recipe.model, data, folder, context)
    if isinstance(recipe.model, NgramConfig):
        return _fit_ngrams(recipe, data, folder)
    return _fit_network(recipe, data, folder, context)


def start(recipe: Recipe, source: str | None = None) -> nn.Module:
    """The network that the recipe's training starts from; random weights depend on torch's seed.

    Args:
        recipe: The recipe.
        source: Where a pretrained network lies; None: as the recipe names it.

    Raises:
        ModelError: A pretrained network cannot be had.
        RecipeError: It reads shorter texts than the recipe says.
    """
    if isinstance(recipe.model, PretrainedConfig):
        pairs = recipe.task in SOURCES and len(SOURCES[recipe.task].texts) == 2
        return transformer_classifier.start(
            recipe.model, source or locate(recipe.model.source), recipe.tokenizer.max_length, pairs=pairs
        )
    return architectures.build(architectures.own(recipe))


def _fit_network(recipe: Recipe, data: TrainingData, folder: Path, context: TrainingContext) -> FitResult:
    train = data.train
    texts = as_read(train.texts, recipe.data)
    tokenizer = _tokenizer(recipe, as_read(data.readable_texts, recipe.data), folder.parent, context.source)
    torch.manual_seed(recipe.seed)
    model = start(recipe, context.source)
    _adapt(recipe, model)
    pretraining_seconds = _read_first(recipe, model, tokenizer, data, context)
    length = recipe.tokenizer.max_length
    encoded = encode(tokenizer, texts, length)

    def part(index: NDArray[np.int64]) -> Examples:
        sequences = [encoded.sequences[i] for i in index]
        some = data.soft[torch.from_numpy(index)] if data.soft is not None else None
        return Examples(Encoded(sequences, encoded.unk_rate), train.labels[index], some)

    examples = part(data.learned)
    if data.transfer and examples.teacher is not None:
        unlabelled = [text for texts, _ in data.transfer for text in as_read(texts.texts, recipe.data)]
        examples = Examples(
            Encoded(examples.encoded.sequences + encode(tokenizer, unlabelled, length).sequences, encoded.unk_rate),
            np.concatenate([examples.labels, np.full(len(unlabelled), UNLABELLED)]),
            torch.cat([examples.teacher, *(logits for _, logits in data.transfer)]),
        )
    trainer = Trainer(
        recipe,
        model,
        Classification(examples, part(data.held), recipe.distill),
        writer=context.writer,
        state_file=context.state,
        should_stop=context.should_stop,
    )
    trained = trainer.run()
    artifacts = checkpoint.save_network(folder, recipe, model, trained.weights, tokenizer)
    context.state.unlink(missing_ok=True)
    figures = [
        MetricValue(f"validation_{trained.validation.name}", trained.validation.accuracy, len(data.held)),
        MetricValue("best_epoch", float(trained.state.best_epoch)),
    ]
    return FitResult(artifacts, trained.state.seconds, figures, pretraining_seconds)


def _adapt(recipe: Recipe, model: nn.Module) -> None:
    """Put in adapters, or what another task taught, where the recipe says so, and choose the faster attention."""
    config = recipe.model
    if isinstance(config, BiLSTMConfig) and config.after:
        intermediate.start_bilstm(model, config)
    if not isinstance(model, transformer_classifier.PretrainedClassifier):
        return
    if device.best().type == "cpu" and device.halves(recipe.train.precision):
        model.attend_by_products()
    if isinstance(config, PretrainedConfig) and config.after:
        intermediate.start(model.inner, config, recipe.adapter)
    elif recipe.adapter:
        adapters.inject(model.inner, recipe.adapter, adapters.CLASSIFIER)


def _read_first(
    recipe: Recipe, model: nn.Module, tokenizer: Tokenizer, data: TrainingData, context: TrainingContext
) -> float:
    """Pretrain a fresh network where the recipe says so; the seconds that it took, now or before."""
    settings = recipe.pretrain
    if settings is None:
        return 0.0
    if not isinstance(model, BiLSTMClassifier) or not isinstance(recipe.model, BiLSTMConfig):
        raise RecipeError(f"{recipe.name}: pretrain: only model.kind = 'bilstm' can read before it learns.")
    if recipe.model.after:
        return 0.0  # it has read already
    unlabelled = data.unlabelled.texts if settings.unlabelled and data.unlabelled is not None else []
    texts = [*data.readable_texts, *unlabelled]
    done = lstm_pretraining.warm(model, recipe.model, tokenizer, texts, settings, context.cache, context.writer.beat)
    for epoch, loss in enumerate(done.losses, start=1):
        context.writer.point("pretrain_loss", epoch, loss, epoch=float(epoch), wall_time=0.0)
    torch.manual_seed(recipe.seed)  # the same batches and masks, whether the pretraining was done now or before
    return done.seconds


def _tokenizer(recipe: Recipe, texts: Sequence[tuple[str, ...]], folder: Path, source: str | None) -> Tokenizer:
    """Trained on the texts and kept beside the checkpoint, for a resumption."""
    if isinstance(recipe.model, PretrainedConfig):
        return transformer_classifier.tokenizer(source or locate(recipe.model.source), recipe.tokenizer.max_length)
    file = folder / checkpoint.TOKENIZER
    if file.is_file():
        return Tokenizer.from_file(str(file))
    if isinstance(recipe.model, BiLSTMConfig) and recipe.model.after:
        made = intermediate.tokenizer(recipe.model)
    else:
        made = train_tokenizer(texts, architectures.own(recipe).vocab_size, recipe.tokenizer)
    with atomic_write(file) as part:
        made.save(str(part))
    return made


def _fit_ngrams(recipe: Recipe, data: TrainingData, folder: Path) -> FitResult:
    train = data.train
    say(f"{recipe.name}: counting and fitting {len(data.learned):,} texts")
    from engine.families.classification import ngrams  # noqa: PLC0415 - scikit-learn takes a second to import

    artifacts, seconds = ngrams.fit(recipe, [train.texts[i] for i in data.learned], train.labels[data.learned], folder)
    return FitResult(artifacts, seconds, [_validation(classifiers.load(folder), data)])


def _validation(classifier: Classifier, data: TrainingData) -> MetricValue:
    held = data.train.take(data.held)
    with scoring(classifier.recipe):
        score = scored(torch.from_numpy(classifier.logits(held.texts)), held.labels)
    return MetricValue("validation_accuracy", score.accuracy, len(data.held))


class _Prefixed:
    """Curves of a member, told apart from those of the others."""

    def __init__(self, writer: Writer, prefix: str) -> None:
        self.writer, self.prefix = writer, prefix

    def point(self, series: str, step: int, value: float, *, epoch: float, wall_time: float) -> None:
        self.writer.point(f"{self.prefix} {series}", step, value, epoch=epoch, wall_time=wall_time)

    def beat(self, *, force: bool = False) -> None:
        self.writer.beat(force=force)


def member(recipe: Recipe, name: str, fold: int = 0, *, mini: bool) -> Recipe:
    """Load a member of an ensemble, which learns from what the ensemble does not hold out."""
    # Another seed per fold: the models of one member shall differ in more than their examples.
    return loader.load(name, [f"train.held_out={recipe.train.held_out}"], seed=recipe.seed + fold, mini=mini)


def _fit_ensemble(
    recipe: Recipe, model: EnsembleConfig, data: TrainingData, folder: Path, context: TrainingContext
) -> FitResult:
    parts = ensemble.folds(data.train, data.learned, model.folds, recipe.seed)
    spent: dict[Path, float] = {}
    read: dict[str, float] = {}

    def fit_member(name: str, fold: int, learned: NDArray[np.int64], held: NDArray[np.int64], path: Path) -> Classifier:
        own = member(recipe, name, fold, mini=context.mini)
        if isinstance(own.model, EnsembleConfig) or own.distill:
            raise RecipeError(f"{recipe.name}: the member {name} must learn from the labels, and by itself.")
        inner = path / ensemble.CHECKPOINT
        if not checkpoint.made_by(inner, own):
            say(f"{recipe.name}: {own.name}, fold {fold + 1} of {model.folds}")
            writer = _Prefixed(context.writer, f"{own.name}/{fold + 1}")
            part = TrainingData(data.train, learned, held, unlabelled=data.unlabelled, readable=data.readable)
            done = fit(own, part, inner, replace(context, writer=writer, state=path / STATE, source=None))
            (path / SECONDS).write_text(f"{done.seconds} {done.pretraining_seconds}", "utf-8")
        if (path / SECONDS).is_file():  # also of a member that was trained before an interruption
            spent[path], read[name] = map(float, (path / SECONDS).read_text("utf-8").split())
        return classifiers.load(inner)

    artifacts = ensemble.fit(recipe, model.members, parts, data.train, folder, fit_member, context.writer.beat)
    figures = [_validation(classifiers.load(folder), data)]
    # All models of a member share one pretraining.
    return FitResult(artifacts, sum(spent.values()), figures, sum(read.values()))
