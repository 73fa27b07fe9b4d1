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
from engine import networks
from engine.base.errors import RecipeError
from engine.base.progress import say
from engine.checkpoints import checkpoint
from engine.data.corpora import UNLABELLED, TextSet
from engine.data.sources import SOURCES
from engine.data.text_transforms import as_read
from engine.data.tokenizer import Encoded, encode, train_tokenizer
from engine.families.classification import classifiers, ensemble, lstm_pretraining, ngrams
from engine.families.classification.classifier import Classifier
from engine.families.classification.objective import Classification, Examples
from engine.networks import transformer_classifier
from engine.networks.bilstm import BiLSTMClassifier
from engine.networks.sources import locate
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import BiLSTMConfig, EnsembleConfig, NgramConfig, PretrainedConfig
from engine.trainer.evaluation import scored
from engine.trainer.loop import Trainer, Writer

STATE, SECONDS = "resume.safetensors", "seconds.txt"


@dataclass(frozen=True)
class Lessons:
    """What is learned from.

    Attributes:
        train: The whole training split.
        kept: Positions in it that are learned from.
        held: Positions that are held out, to choose the epoch.
        soft: A teacher's logits on the training split, shape (examples, labels).
        further: Texts without labels.
        further_soft: The teacher's logits on them, where the recipe learns from these.
    """

    train: TextSet
    kept: NDArray[np.int64]
    held: NDArray[np.int64]
    soft: torch.Tensor | None = None
    further: TextSet | None = None
    further_soft: torch.Tensor | None = None


@dataclass(frozen=True)
class Tools:
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
class Fitted:
    """A trained classifier.

    Attributes:
        artifacts: Its checkpoint's files.
        seconds: Of training.
        figures: Of the training itself.
        reading: Seconds of the pretraining before it, when it was done.
    """

    artifacts: list[Artifact]
    seconds: float
    figures: list[MetricValue]
    reading: float = 0.0


def fit(wanted: Recipe, lessons: Lessons, folder: Path, tools: Tools) -> Fitted:
    """Train the recipe and write its checkpoint to ``folder``.

    Raises:
        InterruptedRunError: Asked to stop; what is done is kept, and the same call goes on.
        DivergedError: The loss stopped being a number.
        RecipeError: The recipe cannot be trained on these examples.
    """
    if isinstance(wanted.model, EnsembleConfig):
        return _fit_ensemble(wanted, wanted.model, lessons, folder, tools)
    if isinstance(wanted.model, NgramConfig):
        return _fit_ngrams(wanted, lessons, folder)
    return _fit_network(wanted, lessons, folder, tools)


def start(wanted: Recipe, source: str | None = None) -> nn.Module:
    """The network that the recipe's training starts from; random weights depend on torch's seed.

    Args:
        wanted: The recipe.
        source: Where a pretrained network lies; None: as the recipe names it.

    Raises:
        ModelError: A pretrained network cannot be had.
        RecipeError: It reads shorter texts than the recipe says.
    """
    if isinstance(wanted.model, PretrainedConfig):
        pairs = wanted.task in SOURCES and len(SOURCES[wanted.task].texts) == 2
        return transformer_classifier.start(
            wanted.model, source or locate(wanted.model.source), wanted.tokenizer.max_length, pairs=pairs
        )
    return networks.build(networks.own(wanted))


def _fit_network(wanted: Recipe, lessons: Lessons, folder: Path, tools: Tools) -> Fitted:
    train = lessons.train
    texts = as_read(train.texts, wanted.data)
    tokenizer = _tokenizer(wanted, texts, folder.parent, tools.source)
    torch.manual_seed(wanted.seed)
    model = start(wanted, tools.source)
    _adapt(wanted, model)
    reading = _read_first(wanted, model, tokenizer, lessons, tools)
    length = wanted.tokenizer.max_length
    encoded = encode(tokenizer, texts, length)

    def part(index: NDArray[np.int64]) -> Examples:
        sequences = [encoded.sequences[i] for i in index]
        some = lessons.soft[torch.from_numpy(index)] if lessons.soft is not None else None
        return Examples(Encoded(sequences, encoded.unk_rate), train.labels[index], some)

    examples = part(lessons.kept)
    if lessons.further is not None and lessons.further_soft is not None and examples.teacher is not None:
        further = encode(tokenizer, lessons.further.texts, length).sequences
        examples = Examples(
            Encoded(examples.encoded.sequences + further, encoded.unk_rate),
            np.concatenate([examples.labels, np.full(len(further), UNLABELLED)]),
            torch.cat([examples.teacher, lessons.further_soft]),
        )
    trainer = Trainer(
        wanted,
        model,
        Classification(examples, part(lessons.held), wanted.distill),
        writer=tools.writer,
        state_file=tools.state,
        should_stop=tools.should_stop,
    )
    trained = trainer.run()
    artifacts = checkpoint.save_network(folder, wanted, model, trained.weights, tokenizer)
    tools.state.unlink(missing_ok=True)
    figures = [
        MetricValue("validation_accuracy", trained.validation.accuracy, len(lessons.held)),
        MetricValue("best_epoch", float(trained.place.best_epoch)),
    ]
    return Fitted(artifacts, trained.place.seconds, figures, reading)


def _adapt(wanted: Recipe, model: nn.Module) -> None:
    """Put adapters into a pretrained network, or those of another task into its weights, where the recipe says so."""
    after = isinstance(wanted.model, PretrainedConfig) and wanted.model.after is not None
    if not isinstance(model, transformer_classifier.PretrainedClassifier) or not (wanted.adapter or after):
        return
    from engine.checkpoints import adapters  # noqa: PLC0415 - for few recipes
    from engine.families.classification import intermediate  # noqa: PLC0415 - for few recipes

    if after:
        assert isinstance(wanted.model, PretrainedConfig)  # noqa: S101 - told above
        intermediate.start(model.inner, wanted.model, wanted.adapter)
    elif wanted.adapter:
        adapters.inject(model.inner, wanted.adapter, adapters.CLASSIFIER)


def _read_first(wanted: Recipe, model: nn.Module, tokenizer: Tokenizer, lessons: Lessons, tools: Tools) -> float:
    """Pretrain a fresh network where the recipe says so; the seconds that it took, now or before."""
    settings = wanted.pretrain
    if settings is None:
        return 0.0
    if not isinstance(model, BiLSTMClassifier) or not isinstance(wanted.model, BiLSTMConfig):
        raise RecipeError(f"{wanted.name}: pretrain: only model.kind = 'bilstm' can read before it learns.")
    further = lessons.further.texts if settings.unlabelled and lessons.further is not None else []
    texts = [*lessons.train.texts, *further]
    done = lstm_pretraining.warm(model, wanted.model, tokenizer, texts, settings, tools.cache, tools.writer.beat)
    for epoch, loss in enumerate(done.losses, start=1):
        tools.writer.point("pretrain_loss", epoch, loss, epoch=float(epoch), wall_time=0.0)
    torch.manual_seed(wanted.seed)  # the same batches and masks, whether the reading was done now or before
    return done.seconds


def _tokenizer(wanted: Recipe, texts: Sequence[tuple[str, ...]], folder: Path, source: str | None) -> Tokenizer:
    """Trained on the training split and kept beside the checkpoint, for a resumption."""
    if isinstance(wanted.model, PretrainedConfig):
        return transformer_classifier.tokenizer(source or locate(wanted.model.source), wanted.tokenizer.max_length)
    kept = folder / checkpoint.TOKENIZER
    if kept.is_file():
        return Tokenizer.from_file(str(kept))
    made = train_tokenizer(texts, networks.own(wanted).vocab_size, wanted.tokenizer)
    with atomic_write(kept) as part:
        made.save(str(part))
    return made


def _fit_ngrams(wanted: Recipe, lessons: Lessons, folder: Path) -> Fitted:
    train = lessons.train
    say(f"{wanted.name}: counting and fitting {len(lessons.kept):,} texts")
    artifacts, seconds = ngrams.fit(wanted, [train.texts[i] for i in lessons.kept], train.labels[lessons.kept], folder)
    return Fitted(artifacts, seconds, [_validation(classifiers.load(folder), lessons)])


def _validation(classifier: Classifier, lessons: Lessons) -> MetricValue:
    held = lessons.train.take(lessons.held)
    found = scored(classifier.logits(held.texts), held.labels)
    return MetricValue("validation_accuracy", found.accuracy, len(lessons.held))


class _Prefixed:
    """Curves of a member, told apart from those of the others."""

    def __init__(self, writer: Writer, prefix: str) -> None:
        self.writer, self.prefix = writer, prefix

    def point(self, series: str, step: int, value: float, *, epoch: float, wall_time: float) -> None:
        self.writer.point(f"{self.prefix} {series}", step, value, epoch=epoch, wall_time=wall_time)

    def beat(self, *, force: bool = False) -> None:
        self.writer.beat(force=force)


def _fit_ensemble(wanted: Recipe, model: EnsembleConfig, lessons: Lessons, folder: Path, tools: Tools) -> Fitted:
    parts = ensemble.folds(lessons.train, lessons.kept, model.folds, wanted.seed)
    spent: dict[Path, float] = {}
    read: dict[str, float] = {}

    def fit_member(name: str, fold: int, kept: NDArray[np.int64], held: NDArray[np.int64], place: Path) -> Classifier:
        # Another seed per fold: the models of one member shall differ in more than their examples.
        member = loader.load(name, seed=wanted.seed + fold, mini=tools.mini)
        if isinstance(member.model, EnsembleConfig) or member.distill:
            raise RecipeError(f"{wanted.name}: the member {name} must learn from the labels, and by itself.")
        inner = place / ensemble.CHECKPOINT
        if not checkpoint.made_by(inner, member):
            say(f"{wanted.name}: {member.name}, fold {fold + 1} of {model.folds}")
            writer = _Prefixed(tools.writer, f"{member.name}/{fold + 1}")
            part = Lessons(lessons.train, kept, held, further=lessons.further)
            own = replace(tools, writer=writer, state=place / STATE, source=None)
            done = fit(member, part, inner, own)
            (place / SECONDS).write_text(f"{done.seconds} {done.reading}", "utf-8")
        if (place / SECONDS).is_file():  # also of a member that was trained before an interruption
            spent[place], read[name] = map(float, (place / SECONDS).read_text("utf-8").split())
        return classifiers.load(inner)

    artifacts = ensemble.fit(wanted, model.members, parts, lessons.train, folder, fit_member, tools.writer.beat)
    figures = [_validation(classifiers.load(folder), lessons)]
    # All models of a member share one reading.
    return Fitted(artifacts, sum(spent.values()), figures, sum(read.values()))
