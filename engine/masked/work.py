"""Jobs whose networks name hidden words: a head for a teacher, a student by the triple loss; prepared and finished."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from db import runs, tasks
from db.paths import runs_folder
from db.runs import Artifact, MetricValue, ModelFacts, RunWriter
from db.stats import wilson
from engine import checkpoint, checks, device, encoders, fit, models, recipe, teacher
from engine.batching import batches, collate
from engine.classifier import Prepared
from engine.config import MaskedLMConfig, StudentConfig, TextConfig, TripleConfig
from engine.errors import DataError, RecipeError
from engine.evaluate import timing
from engine.job import Job, open_run
from engine.masked import network, student, text
from engine.masked.blocks import Blocks, Masking, Vocabulary, cut
from engine.masked.network import MaskedLM
from engine.masked.objective import Answers, Guide, HiddenWords, answers
from engine.masked.text import Text
from engine.progress import say
from engine.recipe import Recipe
from engine.train import Trainer

HEADED = "masked-lm:"
"""Before the name of the recipe that fits a head on the teacher of a student."""

SPLIT_KEYS = ("files", "columns", "document", "held")
"""What decides which documents are scored; a teacher must not have read those of its student."""

_TIMED_CALLS = 50

Train = Callable[[Job], str]


@dataclass(frozen=True)
class Reading:
    """Blocks of one run: learned from, held out to choose the epoch, scored."""

    train: Blocks
    held: Blocks
    scored: Blocks


@dataclass(frozen=True)
class Parts:
    """What is trained: the network, its teacher if it has one, and how both read."""

    model: MaskedLM
    guide: Guide | None
    vocabulary: Vocabulary
    source: str
    teacher: str | None = None


@dataclass(frozen=True)
class MaskedWork:
    """A ``Work`` of ``engine.job``."""

    job: Job
    parts: Parts
    reading: Reading
    writer: RunWriter

    def finish(self) -> None:
        """Train, score and record."""
        wanted, model = self.job.recipe, self.parts.model
        state = runs_folder(self.job.store.path) / self.writer.run_id / fit.STATE
        masking, half = Masking.of(_settings(wanted), self.parts.vocabulary), device.halves(wanted.train.precision)
        objective = HiddenWords(self.reading.train, self.reading.held, masking, wanted.seed, self.parts.guide, half)
        if self.parts.guide is not None:
            self.parts.guide.model.to(device.best()).eval()
        torch.manual_seed(wanted.seed)
        trainer = Trainer(wanted, model, objective, writer=self.writer, state_file=state,
                          should_stop=self.job.should_stop)  # fmt: skip
        objective.epoch = lambda: trainer.place.epoch
        trained = trainer.run()
        found = answers(model, self.reading.scored, masking, half=half, tick=self.writer.beat)
        place = teacher.checkpoint_folder(self.job.store.path, self.writer.run_id)
        artifacts = _save(self.job.recipe, model, place, self.parts.source)
        state.unlink(missing_ok=True)
        figures = [
            *_figures(found),
            MetricValue("validation_masked_accuracy", trained.validation.accuracy),
            MetricValue("best_epoch", float(trained.place.best_epoch)),
            MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(place))),
            *_latency(model.cpu().eval(), self.reading.scored),
        ]
        self.writer.finish(figures, train_seconds=trained.place.seconds, artifacts=artifacts,
                           predictions=_rows(found, self.parts.vocabulary))  # fmt: skip
        best = figures[0]
        say(f"{wanted.label}: {best.value:.2%} of {best.n:,} hidden words ({best.low:.2%} to {best.high:.2%}), "
            f"{models.count_parameters(model):,} parameters, {trained.place.seconds:.0f} s, "
            f"run {self.writer.run_id[:12]}")  # fmt: skip


def prepare(job: Job, train: Train) -> MaskedWork:
    """Read the text, find or train the teacher, build the network, and put the run on the board.

    Args:
        job: Its recipe's model is a ``MaskedLMConfig`` or a ``StudentConfig``.
        train: ``engine.pipeline.train``, for a teacher that is not there yet.

    Raises:
        FeatherboardError: Text, teacher or recipe cannot be used.
    """
    checks.check(job)
    told = text.load(_settings(job.recipe), job.data)
    parts = _parts(job, train)
    reading = _read(job.recipe, told, parts)
    wanted, run_id = job.recipe, job.run_id or runs.new_run_id()
    listed = ModelFacts(
        wanted.listed_as, wanted.label, wanted.family, wanted.model.kind, checks.listed_config(wanted),
        models.count_parameters(parts.model), wanted.language, "Apache-2.0",
    )  # fmt: skip
    writer = open_run(
        job, listed, run_id, dataset=tasks.by_id(job.task_id).dataset, dataset_hash=told.sha256,
        notes=_notes(told, reading), teacher=parts.teacher,
    )  # fmt: skip
    return MaskedWork(job, parts, reading, writer)


def text_hash(wanted: Recipe, folder: str | None) -> str:
    """The hash of the text that a run of the recipe reads and is scored on."""
    return text.load(_settings(wanted), folder).sha256


def _settings(wanted: Recipe) -> TextConfig:
    return wanted.text or TextConfig()


def _parts(job: Job, train: Train) -> Parts:
    model = job.recipe.model
    if isinstance(model, StudentConfig):
        return _student(job, model, job.recipe.triple or TripleConfig(), train)
    if not isinstance(model, MaskedLMConfig):
        raise RecipeError(f"{job.recipe.name}: model.kind = {model.kind!r} does not name hidden words.")
    place = encoders.resolve(job)
    torch.manual_seed(job.recipe.seed)
    found = network.without_head(place, model.source, frozen=model.frozen, dropout=model.dropout)
    return Parts(found, None, _vocabulary(job.recipe, found, place), place)


def _student(job: Job, model: StudentConfig, wish: TripleConfig, train: Train) -> Parts:
    if model.source.startswith(HEADED):
        place, label = _headed(job, model.source.removeprefix(HEADED), wish.teacher_seed, train)
    else:
        place, label = encoders.resolve(job), Path(model.source).name
    guide = network.with_head(place, model.source)
    torch.manual_seed(job.recipe.seed)
    pupil = student.build(guide, model.layers, from_teacher=model.init == "teacher", dropout=model.dropout)
    return Parts(pupil, Guide(guide.requires_grad_(False), wish), _vocabulary(job.recipe, guide, place), place, label)


def _headed(job: Job, name: str, seed: int, train: Train) -> tuple[str, str]:
    """The checkpoint of a teacher's recipe, trained first where it is missing, and its label."""
    mini = job.data is None
    wanted = recipe.load(name, seed=seed, mini=mini)
    own, theirs = _settings(job.recipe), _settings(wanted)
    overrides = tuple(
        f"text.{key}={json.dumps(getattr(own, key))}" for key in SPLIT_KEYS if getattr(own, key) != getattr(theirs, key)
    )
    wanted = recipe.load(name, overrides, seed, mini=mini)
    taught = wanted.mini_task if mini else wanted.task
    if not isinstance(wanted.model, MaskedLMConfig) or taught != job.task_id:
        raise RecipeError(
            f"model.source = '{HEADED}{name}': it must be a recipe of model.kind = 'masked-lm' for {job.task_id}."
        )
    run_id = teacher.ensure(job, wanted, text_hash(wanted, job.data), train, asked=name, overrides=overrides)
    return str(teacher.checkpoint_folder(job.store.path, run_id)), wanted.label


def _vocabulary(wanted: Recipe, found: MaskedLM, place: str) -> Vocabulary:
    config, block = found.encoder.config, _settings(wanted).block
    if block > config.max_position_embeddings:
        raise RecipeError(f"text.block = {block}: {wanted.name} reads at most {config.max_position_embeddings} tokens.")
    return network.vocabulary(place, wanted.name, config.vocab_size)


def _read(wanted: Recipe, told: Text, parts: Parts) -> Reading:
    settings = _settings(wanted)
    learned, held = text.drawn(told.train, wanted.train.validation_fraction, wanted.seed)
    reading = Reading(
        cut(learned, parts.vocabulary, settings.block, tokens=settings.tokens),
        cut(held, parts.vocabulary, settings.block, blocks=settings.scored),
        cut(told.scored, parts.vocabulary, settings.block, blocks=settings.scored),
    )
    for what, found in (("to learn from", reading.train), ("to choose the epoch by", reading.held),
                        ("to score", reading.scored)):  # fmt: skip
        if not found.sequences:
            raise DataError(f"{wanted.name}: the text holds nothing {what}: every text has fewer than 8 tokens.")
    return reading


def _notes(told: Text, reading: Reading) -> str:
    files = ", ".join(f"{name} ({count:,} texts)" for name, count in told.files.items())
    train, scored = reading.train, reading.scored
    return (
        f"Read {int(train.lengths.sum()):,} tokens of {train.documents:,} documents of {files}. Scored on "
        f"{len(scored.sequences):,} blocks of {scored.documents:,} documents that are never read."
    )


def _save(wanted: Recipe, model: MaskedLM, place: Path, source: str) -> list[Artifact]:
    network.save(model, place, source)
    own = {checkpoint.WEIGHTS, checkpoint.CARD}
    return checkpoint.seal(place, wanted, sorted(file.name for file in place.iterdir() if file.name not in own))


def _figures(found: Answers) -> list[MetricValue]:
    right, total = int((found.gold == found.named).sum()), len(found.gold)
    interval = wilson(right, total)
    return [
        MetricValue("masked_accuracy", right / total, total, interval.low, interval.high),
        MetricValue("masked_loss", found.loss, total),
    ]


def _latency(model: MaskedLM, blocks: Blocks) -> list[MetricValue]:
    """Times of the encoder for one block, as a fine-tuned model needs them."""

    def forward(index: NDArray[np.int64]) -> torch.Tensor:
        return model.hidden(*collate(blocks.sequences, index))[:, 0]

    prepared = Prepared(len(blocks.sequences), forward, batches(blocks.lengths, 64))
    return timing(prepared, calls=_TIMED_CALLS, batched=False)


def _rows(found: Answers, vocabulary: Vocabulary) -> pd.DataFrame:
    """Every hidden word as ``BLOCK:POSITION``, with the token that stood there and the one that was named."""
    name = vocabulary.tokenizer.id_to_token
    return pd.DataFrame(
        {
            "example_id": [f"{block}:{position}" for block, position in found.places],
            "gold": [name(int(token)) for token in found.gold],
            "predicted": [name(int(token)) or f"#{token}" for token in found.named],
            "score": found.probability.astype(np.float16).astype(np.float32),
        }
    )
