"""Our own networks, built with random weights from a recipe."""

from torch import nn

from engine.base.errors import RecipeError
from engine.networks.bilstm import BiLSTMClassifier
from engine.networks.cnn import CNNClassifier
from engine.recipes.schema import BiLSTMConfig, CNNConfig, Recipe


def build(config: BiLSTMConfig | CNNConfig) -> nn.Module:
    """Build one of our own networks with random weights from a recipe's model section."""
    if isinstance(config, CNNConfig):
        return CNNClassifier(
            config.vocab_size,
            config.embedding_dim,
            config.filters,
            widths=config.widths,
            num_labels=config.num_labels,
            dropout=config.dropout,
        )
    return BiLSTMClassifier(
        config.vocab_size, config.embedding_dim, config.hidden_dim, num_labels=config.num_labels, dropout=config.dropout
    )


def own(recipe: Recipe) -> BiLSTMConfig | CNNConfig:
    """The model section of a recipe for one of our own networks.

    Raises:
        RecipeError: It is of another kind.
    """
    if isinstance(recipe.model, BiLSTMConfig | CNNConfig):
        return recipe.model
    raise RecipeError(f"{recipe.name}: model.kind = {recipe.model.kind!r} is not built from a vocabulary.")


def count_parameters(model: nn.Module) -> int:
    """Count trainable and frozen parameters."""
    return sum(parameter.numel() for parameter in model.parameters())
