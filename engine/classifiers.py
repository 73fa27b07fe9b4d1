"""Checkpoints of every kind, read into classifiers."""

from pathlib import Path

from engine import checkpoint, ensemble, ngrams
from engine.classifier import Classifier
from engine.config import EnsembleConfig, NgramConfig, SpanConfig
from engine.errors import ModelError


def load(folder: Path) -> Classifier:
    """Read a checkpoint of any kind.

    Raises:
        CheckpointError: Missing, damaged, a pickle, or weights that do not fit the card.
        ModelError: It is no classifier.
    """
    card = checkpoint.read_card(folder)
    if isinstance(card.recipe.model, SpanConfig):
        raise ModelError(f"{folder}: {card.recipe.label} answers questions over texts: featherboard ask.")
    if isinstance(card.recipe.model, EnsembleConfig):
        return ensemble.load(folder, card, load)
    if isinstance(card.recipe.model, NgramConfig):
        return ngrams.load(folder, card)
    return checkpoint.load_network(folder, card)
