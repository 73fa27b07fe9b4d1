"""Checkpoints of span models: the whole network, or an adapter and a head over an encoder that lies elsewhere."""

from collections.abc import Mapping
from pathlib import Path

import torch
from tokenizers import Tokenizer

from db.base.errors import one_line
from db.runs.writer import Artifact
from engine.base.errors import CheckpointError, ModelError
from engine.checkpoints import adapters, checkpoint
from engine.checkpoints.card import read_tokenizer
from engine.families.span_qa import model
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel
from engine.networks import quantization, sources
from engine.recipes.loader import Recipe
from engine.recipes.schema import SpanConfig

BASE = "base"

HEADS = ("qa_outputs",)
"""The span head of transformers' models; under an adapter it learns whole."""


def save(
    folder: Path,
    recipe: Recipe,
    span_model: SpanModel,
    weights: Mapping[str, torch.Tensor],
    tokenizer: Tokenizer,
    facts: Mapping[str, object] | None = None,
) -> list[Artifact]:
    """Write a checkpoint; see ``engine.checkpoints.checkpoint.save``.

    Args:
        folder: Made where it is missing.
        recipe: What made it; with an adapter, the encoder's own weights stay where they came from.
        span_model: The model, for its architecture and, under an adapter, its encoder's fingerprint.
        weights: What was learned, in any precision.
        tokenizer: Of the model.
        facts: What else the card shall say.
    """
    own: dict[str, object] = {"transformer": span_model.facts}
    if recipe.adapter:
        weights = adapters.learned(weights, span_model, recipe.adapter, HEADS)
        own[BASE] = adapters.fingerprint_of(span_model, recipe.adapter, HEADS)
    return checkpoint.save(
        folder, recipe, weights, {checkpoint.TOKENIZER: tokenizer.to_str()}, {**own, **(facts or {})}
    )


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
    weights = {name: tensor.float() for name, tensor in checkpoint.read_weights(folder, card).items()}
    tokenizer = read_tokenizer(folder)
    span_model = _adapted(folder, card) if recipe.adapter else _bare(folder, card)
    try:
        model.require_known(span_model, tokenizer, str(folder))
    except ModelError as error:
        raise CheckpointError(str(error)) from None
    if recipe.adapter:
        checkpoint.require_shapes(folder, weights, adapters.stored(span_model, recipe.adapter, HEADS))
        adapters.add(span_model, weights, recipe.adapter, HEADS)
    else:
        checkpoint.require_shapes(folder, weights, checkpoint.shapes(span_model.state_dict()))
        span_model.load_state_dict(weights)
    answerer = Answerer(recipe, card.sha256, span_model, tokenizer)
    quantization.apply(span_model, precision)
    return answerer


def _bare(folder: Path, card: checkpoint.Card) -> SpanModel:
    try:
        return model.from_facts(card.facts["transformer"])
    except Exception as error:  # whatever an architecture that is none makes of its configuration
        raise CheckpointError(f"{folder}: the architecture on the card cannot be built ({one_line(error)}).") from error


def _adapted(folder: Path, card: checkpoint.Card) -> SpanModel:
    recipe = card.recipe
    assert isinstance(recipe.model, SpanConfig)  # noqa: S101 - told by load
    assert recipe.adapter  # noqa: S101
    span_model = model.from_source(recipe.model, sources.locate(recipe.model.source), recipe.qa)
    if adapters.fingerprint_of(span_model, recipe.adapter, HEADS) != card.facts.get(BASE):
        raise CheckpointError(
            f"{folder}: its adapter was made for another {recipe.model.source} than the one that is here. Nothing was "
            "answered; get the encoder that the card was written for."
        )
    adapters.require_targets(span_model.inner, recipe.adapter, HEADS)
    return span_model
