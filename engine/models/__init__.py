"""Model classes, one small module each, and the table that builds them from a recipe."""

from torch import nn

from engine.models.bilstm import BiLSTMClassifier
from engine.recipe import ModelConfig


def build(config: ModelConfig) -> BiLSTMClassifier:
    """A model with random weights for a recipe's model section."""
    return BiLSTMClassifier(
        config.vocab_size, config.embedding_dim, config.hidden_dim, num_labels=config.num_labels, dropout=config.dropout
    )


def count_parameters(model: nn.Module) -> int:
    """Trainable and frozen parameters together."""
    return sum(parameter.numel() for parameter in model.parameters())
