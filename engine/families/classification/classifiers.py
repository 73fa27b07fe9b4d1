"""Checkpoints of every kind, read into classifiers."""

from pathlib import Path

from engine.base.errors import ModelError
from engine.checkpoints import checkpoint
from engine.networks.classifier import Classifier
from engine.recipes.schema import EnsembleConfig, MaskedModelConfig, NgramConfig, SpanConfig


def load(folder: Path) -> Classifier:
    """Read a checkpoint of any kind.

    Raises:
        CheckpointError: Missing, damaged, a pickle, or weights that do not fit the card.
        ModelError: It answers questions or names hidden words, and puts nothing into classes.
    """
    card = checkpoint.read_card(folder)
    if isinstance(card.recipe.model, SpanConfig):
        raise ModelError(f"{folder}: {card.recipe.label} marks answers in texts; `featherboard ask` uses it.")
    if isinstance(card.recipe.model, MaskedModelConfig):
        raise ModelError(
            f"{folder}: {card.recipe.label} names hidden words, and puts no text into classes. A recipe fine-tunes it "
            'for that when it says model.source = "distilled:RECIPE" or "pretrained:RECIPE".'
        )
    if isinstance(card.recipe.model, EnsembleConfig):
        from engine.families.classification import ensemble  # noqa: PLC0415 - reads training data, with pandas

        return ensemble.load(folder, card, load)
    if isinstance(card.recipe.model, NgramConfig):
        from engine.families.classification import ngrams  # noqa: PLC0415 - scikit-learn takes a second to import

        return ngrams.load(folder, card)
    return checkpoint.load_network(folder, card)
