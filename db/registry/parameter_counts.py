"""Parameter counts from architectures, by arithmetic.

Reported rows come without a checkpoint, so their counts are computed from the configuration that the document gives.
The tests hold the engine's models to the same numbers.
"""

from collections.abc import Callable, Mapping


def bilstm(config: Mapping[str, int]) -> int:
    """Embedding, one bidirectional LSTM (four gates, two bias vectors as cuDNN and PyTorch keep them), linear layer."""
    vocab, embedding, hidden = config["vocab_size"], config["embedding_dim"], config["hidden_dim"]
    labels = config.get("num_labels", 2)
    one_direction = 4 * hidden * (embedding + hidden + 2)
    return vocab * embedding + 2 * one_direction + (2 * hidden + 1) * labels


def bert(config: Mapping[str, int]) -> int:
    """A BERT encoder with whatever of segment embeddings, pooler and output head its configuration names.

    Keys: ``vocab_size, hidden_size, num_layers, intermediate_size, max_positions`` and, each 0 where missing,
    ``embedding_size`` (ELECTRA's, where it is narrower than the layers; a linear layer widens it), ``token_types,
    pooler`` (1 with), ``outputs`` (width of a linear head on the hidden states), ``pre_classifier`` (1
    with DistilBERT's extra dense layer).
    """
    width, inner = config["hidden_size"], config["intermediate_size"]
    square = width * width + width
    narrow = config.get("embedding_size", width)
    embeddings = (config["vocab_size"] + config["max_positions"] + config.get("token_types", 0)) * narrow + 2 * narrow
    embeddings += 0 if narrow == width else narrow * width + width
    layer = 4 * square + (width * inner + inner) + (inner * width + width) + 2 * 2 * width
    dense = (config.get("pooler", 0) + config.get("pre_classifier", 0)) * square
    return embeddings + config["num_layers"] * layer + dense + (width + 1) * config.get("outputs", 0)


ARCHITECTURES: dict[str, Callable[[Mapping[str, int]], int]] = {"bilstm": bilstm, "bert": bert, "electra": bert}


def count(architecture: str, config: Mapping[str, int]) -> int | None:
    """Parameters of an architecture, or None where it is one that we cannot compute (ELMo, say)."""
    known = ARCHITECTURES.get(architecture)
    return known(config) if known and config else None
