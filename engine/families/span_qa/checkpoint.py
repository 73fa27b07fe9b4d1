"""Read checkpoints of span models: the whole network, or an adapter and a head over an encoder that lies elsewhere."""

from pathlib import Path

from db.base.errors import one_line
from engine.base.errors import CheckpointError, ModelError
from engine.checkpoints import checkpoint
from engine.checkpoints.card import read_tokenizer
from engine.families.span_qa import model
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel
from engine.networks import quantization, sources
from engine.recipes.schema import SpanConfig

HEADS = ("qa_outputs",)
"""The span head of transformers' models; under an adapter it learns whole."""


def load(folder: Path, precision: str = quantization.FLOAT32) -> Answerer:
    """Read a checkpoint of a span model, to compute in a number format; see ``engine.networks.quantization``.

    Raises:
        PrecisionError: The format is unknown, or cannot be had here.
        CheckpointError: Missing, damaged, a pickle, or weights that do not fit the card or the encoder.
        ModelError: It answers no questions, or the encoder under its adapter cannot be had.
    """
    card = checkpoint.read_card(folder)
    recipe = card.recipe
    if not isinstance(recipe.model, SpanConfig):
        raise ModelError(f"{folder}: {recipe.label} has no question-answering head; it classifies texts.")
    weights, tokenizer = checkpoint.read_single_precision(folder, card), read_tokenizer(folder)
    if recipe.adapter:
        span_model = model.from_source(recipe.model, sources.locate(recipe.model.source), recipe.qa)
    else:
        span_model = _bare(folder, card)
    checkpoint.fill(folder, card, span_model, weights, HEADS)
    try:
        model.require_known(span_model, tokenizer, str(folder))
    except ModelError as error:
        raise CheckpointError(str(error)) from None
    answerer = Answerer(recipe, card.sha256, span_model, tokenizer)
    quantization.apply(span_model, precision)
    return answerer


def _bare(folder: Path, card: checkpoint.Card) -> SpanModel:
    try:
        return model.from_facts(card.facts["transformer"])
    except Exception as error:  # whatever an architecture that is none makes of its configuration
        raise CheckpointError(f"{folder}: the architecture on the card cannot be built ({one_line(error)}).") from error
