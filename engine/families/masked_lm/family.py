"""Masked language models: a head on an encoder, a student by the triple loss, a BERT from random weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from db.registry import tasks
from db.runs.writer import Artifact, MetricValue
from engine.base import device
from engine.base.errors import DataError, ModelError, RecipeError
from engine.checkpoints import checkpoint
from engine.checkpoints.card import TOKENS_READ
from engine.data.batching import batches, collate
from engine.families.masked_lm import corpus, network
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Blocks, Vocabulary, cut
from engine.families.masked_lm.cloze_questions import ClozeQuestions
from engine.families.masked_lm.corpus import Document, Text
from engine.families.masked_lm.masking import Masking
from engine.families.masked_lm.network import MaskedLM
from engine.families.masked_lm.objective import (
    Answers,
    BertPretrainingObjective,
    MaskedLMObjective,
    Pointed,
    answers,
    pointed,
)
from engine.families.masked_lm.parts import Parts, build, settings
from engine.families.masked_lm.recurring_spans import RecurringSpans, SpanTokens
from engine.families.masked_lm.sentence_pairs import pairs
from engine.networks import architectures, sources
from engine.networks.classifier import Prepared
from engine.recipes.loader import Recipe
from engine.recipes.schema import TextConfig
from engine.trainer import metrics
from engine.trainer.evaluation import timing
from engine.trainer.loop import Trainer
from engine.trainer.resume import TrainingState
from engine.trainer.training_run import Evaluation, Inputs, TrainingResult, TrainingRun

_TIMED_CALLS = 50

TEXT_TASKS = tuple(task.task_id for task in tasks.TASKS if task.data and task.data.kind == "text")
"""Boards of masked language models."""


@dataclass(frozen=True)
class Blocked:
    """Blocks of one run: learned from, held out to choose the epoch, scored."""

    train: Blocks
    held: Blocks
    scored: Blocks


class MaskedLMFamily:
    """See ``engine.families.Family``."""

    def check(self, recipe: Recipe, task_id: str) -> None:
        """Refuse what could only fail."""
        kind = recipe.model.kind
        if task_id not in TEXT_TASKS:
            raise RecipeError(f"task {task_id}: model.kind = {kind!r} is for {', '.join(TEXT_TASKS)}.")
        for section in ("distill", "pretrain", "adapter"):
            if getattr(recipe, section) is not None:
                raise RecipeError(f"{recipe.name}: the section {section} does not belong to model.kind = {kind!r}.")
        wish = settings(recipe)
        if not (wish.hidden_words or wish.next_sentence or wish.points):
            raise RecipeError(
                f"{recipe.name}: text.hidden_words = false leaves nothing to learn without text.next_sentence, "
                "text.recurring_spans or text.cloze_questions."
            )
        if wish.cloze_questions and (wish.hidden_words or wish.next_sentence or wish.recurring_spans):
            raise RecipeError(
                f"{recipe.name}: text.cloze_questions goes alone, with text.hidden_words = false: a question repeats "
                "words of its block, which would give hidden ones away."
            )
        if kind != "bert":
            for key in ("next_sentence", "recurring_spans", "cloze_questions", "hidden_words"):
                if getattr(wish, key) != TextConfig.model_fields[key].default:
                    raise RecipeError(f"text.{key}: model.kind = 'bert' learns it; this is {kind!r}.")

    def load_data(self, recipe: Recipe, task_id: str, folder: str | None, *, strict: bool = False) -> Text:
        """Read the running text of a folder; ``strict`` changes nothing, since no row of it is left out."""
        return corpus.load(settings(recipe), folder, recipe.language)

    def is_complete(self, folder: Path, recipe: Recipe, *, mini: bool) -> bool:
        """Whether a whole checkpoint lies there."""
        return (folder / checkpoint.CARD).is_file()

    def train(self, recipe: Recipe, data: Text, inputs: Inputs, run: TrainingRun) -> TrainingResult:
        """Train a masked language model and score it on held-out text."""
        parts = build(recipe, run.task_id, data, inputs, run.cache)
        model, blocks = parts.model, _read(recipe, data, parts)
        notes = " ".join([_notes(data, blocks, parts), *sources.notes(recipe.model)])
        run.start(params=architectures.count_parameters(model), notes=notes, teacher=parts.teacher)
        masking, half = Masking.of(settings(recipe), parts.vocabulary), device.halves(recipe.train.precision)
        common = blocks.train, blocks.held, masking, recipe.seed, parts.guide, half
        objective: MaskedLMObjective = MaskedLMObjective(*common)
        spans: SpanTokens | None = None
        if isinstance(model, TextBert):
            words, known = settings(recipe).hidden_words, parts.vocabulary
            if model.question is not None:
                spans = RecurringSpans.of(blocks.train, known, model.question)
            elif settings(recipe).cloze_questions:
                spans = ClozeQuestions.of(blocks.train, known)
            objective = BertPretrainingObjective(*common, spans=spans, words=words)
            if half and device.best().type == "cpu":
                model.attend_by_products()
        if parts.guide is not None:
            parts.guide.model.to(device.best()).eval()
        torch.manual_seed(recipe.seed)
        trainer = Trainer(
            recipe, model, objective, writer=run.writer, state_file=run.state_file, should_stop=run.should_stop
        )
        trained = trainer.run()
        if isinstance(model, TextBert):
            model.share_types(learned=settings(recipe).cloze_questions)
        scores = answers(model, blocks.scored, masking, half=half, tick=run.writer.beat)
        span_answers = None
        if spans is not None:
            span_answers = pointed(model, blocks.scored, masking, spans, half=half, tick=run.writer.beat)
        read = int(blocks.train.lengths.sum()) * trained.state.best_epoch
        artifacts = _save(recipe, model, run.checkpoint, parts.source, read)
        run.state_file.unlink(missing_ok=True)
        figures = _figures(scores, spans, span_answers)
        best = figures[0]
        chosen_by = "masked_accuracy" if spans is None or settings(recipe).hidden_words else spans.metric
        return TrainingResult(
            artifacts,
            trained.state.seconds,
            [
                *figures,
                MetricValue(f"validation_{chosen_by}", trained.validation.accuracy),
                MetricValue("best_epoch", float(trained.state.best_epoch)),
                *_rate(trained.state),
                MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(run.checkpoint))),
                *_latency(model.cpu().eval(), blocks.scored),
            ],
            _rows(scores, parts.vocabulary),
            f"{best.value:.2%} of {best.n:,} masked tokens ({best.low:.2%} to {best.high:.2%}), "
            f"{architectures.count_parameters(model):,} parameters",
        )

    def evaluate(self, folder: Path, *_: object, **__: object) -> Evaluation:
        """Refuse; see ``load``."""
        raise self._refusal(folder)

    def load(self, folder: Path) -> NoReturn:
        """Refuse: a masked language model is a starting point, and answers nothing itself.

        Raises:
            ModelError: Always, unless the checkpoint is damaged, which is a CheckpointError.
        """
        raise self._refusal(folder)

    def _refusal(self, folder: Path) -> ModelError:
        label = checkpoint.read_card(folder).recipe.label
        return ModelError(
            f"{folder}: {label} names hidden words, and puts no text into classes. A recipe fine-tunes it for that "
            'when it says model.source = "distilled:RECIPE" or "pretrained:RECIPE".'
        )


def _read(recipe: Recipe, text: Text, parts: Parts) -> Blocked:
    wish = settings(recipe)
    learned, held = corpus.split_held_out(text.train, recipe.train, recipe.seed)

    def blocks(documents: Sequence[Document], **enough: int | None) -> Blocks:
        if wish.next_sentence:
            return pairs(documents, parts.vocabulary, wish.block, **enough)
        words = wish.whole_words or wish.points
        return cut(documents, parts.vocabulary, wish.block, packed=wish.packed, words=words, **enough)

    blocked = Blocked(
        blocks(learned, tokens=wish.tokens), blocks(held, blocks=wish.scored), blocks(text.scored, blocks=wish.scored)
    )
    for what, blocks_of_part in (
        ("to learn from", blocked.train),
        ("to choose the epoch by", blocked.held),
        ("to score", blocked.scored),
    ):
        if not blocks_of_part.sequences:
            raise DataError(f"{recipe.name}: the text holds nothing {what}: every text has fewer than 8 tokens.")
    return blocked


def _notes(text: Text, blocked: Blocked, parts: Parts) -> str:
    files = ", ".join(f"{name} ({count:,} texts)" for name, count in text.files.items())
    train, scored = blocked.train, blocked.scored
    counted = f" The embedding starts from the co-occurrences of {parts.counted:,} tokens." if parts.counted else ""
    return (
        f"Read {int(train.lengths.sum()):,} tokens of {train.documents:,} documents of {files}. Scored on "
        f"{len(scored.sequences):,} blocks of {scored.documents:,} documents that are never read."
        f"{counted}"
        f"{_unknown(scored, parts.vocabulary) if isinstance(parts.model, TextBert) else ''}"
    )


def _unknown(blocks: Blocks, vocabulary: Vocabulary) -> str:
    tokens, unk = np.concatenate(blocks.sequences), vocabulary.tokenizer.token_to_id("[UNK]")
    return (
        f" Its vocabulary has {vocabulary.tokenizer.get_vocab_size():,} tokens; {(tokens == unk).mean():.2%} of those "
        "scored are unknown."
    )


def _save(recipe: Recipe, model: MaskedLM, folder: Path, source: str, read: int) -> list[Artifact]:
    network.save(model, folder, source)
    own = {checkpoint.WEIGHTS, checkpoint.CARD}
    side = sorted(file.name for file in folder.iterdir() if file.name not in own)
    return checkpoint.seal(folder, recipe, side, {TOKENS_READ: read})


def _figures(scores: Answers, spans: SpanTokens | None, span_answers: Pointed | None) -> list[MetricValue]:
    """Metrics of the hidden words, of the pairs and of the hidden spans, where there are such."""
    figures = [
        metrics.accuracy("masked_accuracy", scores.gold, scores.named),
        MetricValue("masked_loss", scores.loss, len(scores.gold)),
    ]
    if scores.pairs_right is not None:
        figures.append(metrics.share("next_accuracy", scores.pairs_right))
    if spans is not None and span_answers is not None and len(span_answers.right):
        figures.append(metrics.share(spans.metric, span_answers.right))
    return figures


def _rate(state: TrainingState) -> list[MetricValue]:
    return [MetricValue("tokens_per_s", state.tokens / state.training_seconds)] if state.tokens else []


def _latency(model: MaskedLM, blocks: Blocks) -> list[MetricValue]:
    """Times of the encoder for one block, as a fine-tuned model needs them."""

    def forward(index: NDArray[np.int64]) -> NDArray[np.float32]:
        first: NDArray[np.float32] = model.hidden(*collate(blocks.sequences, index))[:, 0].float().numpy()
        return first

    prepared = Prepared(len(blocks.sequences), forward, batches(blocks.lengths, 64))
    return timing(prepared, calls=_TIMED_CALLS, batched=False)


def _rows(scores: Answers, vocabulary: Vocabulary) -> pd.DataFrame:
    """Every hidden word as ``BLOCK:POSITION``, with the token that stood there and the one that was named."""
    name = vocabulary.tokenizer.id_to_token
    return pd.DataFrame(
        {
            "example_id": [f"{block}:{position}" for block, position in scores.places],
            "gold": [name(int(token)) for token in scores.gold],
            "predicted": [name(int(token)) or f"#{token}" for token in scores.named],
            "score": scores.probability.astype(np.float16).astype(np.float32),
        }
    )
