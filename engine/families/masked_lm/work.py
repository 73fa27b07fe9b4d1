"""Jobs whose networks name hidden words: a teacher's head, a student by the triple loss, a BERT from random weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from db.base.paths import runs_folder
from db.registry import tasks
from db.runs import writer as runs
from db.runs.writer import Artifact, MetricValue, ModelFacts, RunWriter
from db.statistics.intervals import wilson
from engine import networks
from engine.base import device
from engine.base.errors import DataError
from engine.base.progress import say
from engine.checkpoints import checkpoint
from engine.families.classification import fit
from engine.families.classification.classifier import Prepared
from engine.families.masked_lm import corpus, network
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.bert_objective import Reading
from engine.families.masked_lm.blocks import Blocks, Vocabulary, cut, packed
from engine.families.masked_lm.corpus import Document, Text
from engine.families.masked_lm.masking import Masking
from engine.families.masked_lm.network import MaskedLM
from engine.families.masked_lm.objective import Answers, HiddenWords, answers
from engine.families.masked_lm.parts import Parts, Train, build, settings
from engine.families.masked_lm.sentence_pairs import pairs
from engine.recipes.loader import Recipe
from engine.trainer.batching import batches, collate
from engine.trainer.evaluation import timing
from engine.trainer.loop import Place, Trainer
from engine.training import checks, teachers
from engine.training.job import Job, open_run

_TIMED_CALLS = 50


@dataclass(frozen=True)
class Blocked:
    """Blocks of one run: learned from, held out to choose the epoch, scored."""

    train: Blocks
    held: Blocks
    scored: Blocks


@dataclass(frozen=True)
class MaskedWork:
    """A ``Work`` of ``engine.training.job``."""

    job: Job
    parts: Parts
    reading: Blocked
    writer: RunWriter

    def finish(self) -> None:
        """Train, score and record."""
        wanted, model = self.job.recipe, self.parts.model
        state = runs_folder(self.job.store.path) / self.writer.run_id / fit.STATE
        masking, half = Masking.of(settings(wanted), self.parts.vocabulary), device.halves(wanted.train.precision)
        kind = Reading if isinstance(model, TextBert) else HiddenWords
        if isinstance(model, TextBert) and half and device.best().type == "cpu":
            model.attend_by_products()
        objective = kind(self.reading.train, self.reading.held, masking, wanted.seed, self.parts.guide, half)
        if self.parts.guide is not None:
            self.parts.guide.model.to(device.best()).eval()
        torch.manual_seed(wanted.seed)
        trainer = Trainer(
            wanted, model, objective, writer=self.writer, state_file=state, should_stop=self.job.should_stop
        )
        objective.epoch = lambda: trainer.place.epoch
        trained = trainer.run()
        found = answers(model, self.reading.scored, masking, half=half, tick=self.writer.beat)
        place = teachers.checkpoint_folder(self.job.store.path, self.writer.run_id)
        artifacts = _save(self.job.recipe, model, place, self.parts.source)
        state.unlink(missing_ok=True)
        figures = [
            *_figures(found),
            MetricValue("validation_masked_accuracy", trained.validation.accuracy),
            MetricValue("best_epoch", float(trained.place.best_epoch)),
            *_rate(trained.place),
            MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(place))),
            *_latency(model.cpu().eval(), self.reading.scored),
        ]
        self.writer.finish(
            figures,
            train_seconds=trained.place.seconds,
            artifacts=artifacts,
            predictions=_rows(found, self.parts.vocabulary),
        )
        best = figures[0]
        say(
            f"{wanted.label}: {best.value:.2%} of {best.n:,} hidden words ({best.low:.2%} to {best.high:.2%}), "
            f"{networks.count_parameters(model):,} parameters, {trained.place.seconds:.0f} s, "
            f"run {self.writer.run_id[:12]}"
        )


def prepare(job: Job, train: Train) -> MaskedWork:
    """Read the text, find or train the teacher, build the network, and put the run on the board.

    Args:
        job: Its recipe's model is one of ``HiddenWordsConfig``.
        train: ``engine.training.run.train``, for a teacher that is not there yet.

    Raises:
        FeatherboardError: Text, teacher or recipe cannot be used.
    """
    checks.check(job)
    told = corpus.load(settings(job.recipe), job.data, job.recipe.language)
    parts = build(job, told, train)
    reading = _read(job.recipe, told, parts)
    wanted, run_id = job.recipe, job.run_id or runs.new_run_id()
    listed = ModelFacts(
        wanted.listed_as,
        wanted.label,
        wanted.family,
        wanted.model.kind,
        checks.listed_config(wanted),
        networks.count_parameters(parts.model),
        wanted.language,
        "Apache-2.0",
    )
    writer = open_run(
        job,
        listed,
        run_id,
        dataset=tasks.by_id(job.task_id).dataset,
        dataset_hash=told.sha256,
        notes=_notes(told, reading, parts),
        teacher=parts.teacher,
    )
    return MaskedWork(job, parts, reading, writer)


def text_hash(wanted: Recipe, folder: str | None) -> str:
    """The hash of the text that a run of the recipe reads and is scored on."""
    return corpus.load(settings(wanted), folder, wanted.language).sha256


def _read(wanted: Recipe, told: Text, parts: Parts) -> Blocked:
    wish = settings(wanted)
    learned, held = corpus.drawn(told.train, wanted.train.validation_fraction, wanted.seed)

    def blocks(documents: Sequence[Document], **enough: int | None) -> Blocks:
        if wish.next_sentence:
            return pairs(documents, parts.vocabulary, wish.block, **enough)
        run = packed if wish.packed else cut
        return run(documents, parts.vocabulary, wish.block, words=wish.whole_words, **enough)

    reading = Blocked(
        blocks(learned, tokens=wish.tokens), blocks(held, blocks=wish.scored), blocks(told.scored, blocks=wish.scored)
    )
    for what, found in (
        ("to learn from", reading.train),
        ("to choose the epoch by", reading.held),
        ("to score", reading.scored),
    ):
        if not found.sequences:
            raise DataError(f"{wanted.name}: the text holds nothing {what}: every text has fewer than 8 tokens.")
    return reading


def _notes(told: Text, reading: Blocked, parts: Parts) -> str:
    files = ", ".join(f"{name} ({count:,} texts)" for name, count in told.files.items())
    train, scored = reading.train, reading.scored
    return (
        f"Read {int(train.lengths.sum()):,} tokens of {train.documents:,} documents of {files}. Scored on "
        f"{len(scored.sequences):,} blocks of {scored.documents:,} documents that are never read."
        f"{_unknown(scored, parts.vocabulary) if isinstance(parts.model, TextBert) else ''}"
    )


def _unknown(blocks: Blocks, vocabulary: Vocabulary) -> str:
    tokens, unk = np.concatenate(blocks.sequences), vocabulary.tokenizer.token_to_id("[UNK]")
    return (
        f" Its vocabulary has {vocabulary.tokenizer.get_vocab_size():,} tokens; {(tokens == unk).mean():.2%} of those "
        "scored are unknown."
    )


def _save(wanted: Recipe, model: MaskedLM, place: Path, source: str) -> list[Artifact]:
    network.save(model, place, source)
    own = {checkpoint.WEIGHTS, checkpoint.CARD}
    return checkpoint.seal(place, wanted, sorted(file.name for file in place.iterdir() if file.name not in own))


def _figures(found: Answers) -> list[MetricValue]:
    right, total = int((found.gold == found.named).sum()), len(found.gold)
    interval = wilson(right, total)
    figures = [
        MetricValue("masked_accuracy", right / total, total, interval.low, interval.high),
        MetricValue("masked_loss", found.loss, total),
    ]
    if found.told is not None:
        right, total = int(found.told.sum()), len(found.told)
        interval = wilson(right, total)
        figures.append(MetricValue("next_accuracy", right / total, total, interval.low, interval.high))
    return figures


def _rate(place: Place) -> list[MetricValue]:
    return [MetricValue("tokens_per_s", place.tokens / place.reading)] if place.tokens else []


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
