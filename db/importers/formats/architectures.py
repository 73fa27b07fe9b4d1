"""Parameters of transformers by their ``config.json``: BERT, DistilBERT, RoBERTa and ELECTRA with their usual heads.

Counted as the transformers library builds them; the tests hold each count to that of the library itself.
"""

from typing import Any

from db.importers import values
from db.importers.safe_json import FileError, quoted
from db.registry import parameter_counts as arithmetic


class UncountableError(Exception):
    """The parameters cannot be told from the configuration; the message says why."""


_ROBERTA = ("roberta", "xlm-roberta", "camembert")
_PREFIXES = {
    "bert": "Bert",
    "distilbert": "DistilBert",
    "electra": "Electra",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
}
_POOLED = {
    "bert": ("Model", "ForSequenceClassification", "ForPreTraining", "ForMultipleChoice"),
    **dict.fromkeys(_ROBERTA, ("Model", "ForMultipleChoice")),
}
MAX_SIZE = 2**40
"""Of one size; beyond, a configuration is a joke."""


def transformer(name: str, config: dict[str, Any], architecture: str | None) -> int:
    """The parameters of a configuration.

    Args:
        name: The file's name, for messages.
        config: The whole of it.
        architecture: The class that it names, such as ``BertForQuestionAnswering``; None: the encoder alone.

    Raises:
        UncountableError: Its type or class is another, or a size is missing.
        SubmissionError: A size is no whole number above 0.
    """
    kind = config["model_type"]
    if kind not in _PREFIXES:
        raise UncountableError(f"model_type is {quoted(kind)}, and counted are {', '.join(_PREFIXES)}")
    if config.get("is_decoder") or config.get("add_cross_attention"):
        raise UncountableError("it is a decoder")
    head = (architecture or f"{_PREFIXES[kind]}Model").removeprefix(_PREFIXES[kind])
    sizes = _sizes(name, kind, config)
    outer = size(name, config, "embedding_size") if kind == "electra" else sizes["hidden_size"]
    encoder = arithmetic.bert({**sizes, "pooler": int(head in _POOLED.get(kind, ()))})
    if outer != sizes["hidden_size"]:
        # ELECTRA's embeddings may be narrower than its layers, with a linear layer between.
        rows = sizes["vocab_size"] + sizes["max_positions"] + sizes.get("token_types", 0) + 2
        encoder += rows * (outer - sizes["hidden_size"]) + (outer + 1) * sizes["hidden_size"]
    return encoder + _head(name, kind, head, config, (sizes["hidden_size"], outer, sizes["vocab_size"]))


def _sizes(name: str, kind: str, config: dict[str, Any]) -> dict[str, int]:
    """The sizes of an encoder by the words of ``db.registry.parameter_counts.bert``."""
    words = {
        "vocab_size": "vocab_size",
        "hidden_size": "hidden_size",
        "num_layers": "num_hidden_layers",
        "intermediate_size": "intermediate_size",
        "max_positions": "max_position_embeddings",
        "token_types": "type_vocab_size",
    }
    if kind == "distilbert":
        words |= {"hidden_size": "dim", "num_layers": "n_layers", "intermediate_size": "hidden_dim"}
        del words["token_types"]
    return {ours: size(name, config, theirs) for ours, theirs in words.items()}


def _head(name: str, kind: str, head: str, config: dict[str, Any], widths: tuple[int, int, int]) -> int:
    """The parameters on top of the encoder; ``widths`` are those of the layers, the embeddings and the vocabulary."""
    width, outer, vocabulary = widths
    square = width * width + width
    fixed = {
        "Model": 0,
        "ForQuestionAnswering": 2 * (width + 1),
        # ELECTRA sums up a sequence with a dense layer where others have a pooler; DistilBERT has one before the end.
        "ForMultipleChoice": width + 1 + (square if kind in ("distilbert", "electra") else 0),
        **({"ForPreTraining": square + width + 1} if kind == "electra" else {}),
    }
    if head in fixed:
        return fixed[head]
    if head in ("ForTokenClassification", "ForSequenceClassification"):
        dense = square if head == "ForSequenceClassification" and kind != "bert" else 0
        return dense + (width + 1) * _labels(name, config)
    if head == "ForMaskedLM" or (kind, head) == ("bert", "ForPreTraining"):
        loose = vocabulary * outer if config.get("tie_word_embeddings", True) is False else 0
        pairs = 2 * (width + 1) if head == "ForPreTraining" else 0
        return width * outer + outer + 2 * outer + vocabulary + loose + pairs
    raise UncountableError(f"the class {quoted(_PREFIXES[kind] + head)} is not one that is counted")


def _labels(name: str, config: dict[str, Any]) -> int:
    named = config.get("id2label", config.get("num_labels", 2))
    if isinstance(named, dict) and named:
        return len(named)
    return size(name, {"num_labels": named}, "num_labels")


def size(name: str, config: dict[str, Any], key: str, location: str = "") -> int:
    """A size in a configuration.

    Raises:
        UncountableError: It is missing.
        SubmissionError: It is no whole number above 0.
    """
    if key not in config:
        raise UncountableError(f"it names no {key}")
    made = values.whole(config[key], least=1)
    if made is None or isinstance(config[key], float) or made > MAX_SIZE:
        raise FileError(name, location or key, f"{quoted(config[key])} is no whole number from 1 to {MAX_SIZE:,}.")
    return made
