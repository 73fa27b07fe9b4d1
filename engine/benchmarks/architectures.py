"""Named architectures for timing with random weights: time and memory do not depend on what the weights say.

Each is a question-answering model of the transformers library; the numbers are those of the published configurations.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PREFIX = "arch:"


@dataclass(frozen=True)
class Architecture:
    """What ``arch:NAME`` builds.

    Attributes:
        model_id: Of the models table; a model that documents report has the same one here.
        name: As it is listed.
        family: As it is listed.
        model_type: The transformers library's word for it.
        config: What differs from that type's defaults.
        language: Of its vocabulary.
    """

    model_id: str
    name: str
    family: str
    model_type: str
    config: Mapping[str, Any]
    language: str = "en"


ARCHITECTURES: dict[str, Architecture] = {
    # bert-base-uncased
    "bert-base": Architecture("bert-base", "BERT-base", "BERT", "bert", {}),
    # distilbert-base-uncased
    "distilbert": Architecture("distilbert", "DistilBERT", "DistilBERT", "distilbert", {}),
    # nreimers/MiniLM-L6-H384-uncased, the encoder of all-MiniLM-L6-v2
    "minilm-l6": Architecture(
        "minilm-l6",
        "MiniLM-L6",
        "MiniLM",
        "bert",
        {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536},
    ),
    # google/bert_uncased_L-4_H-256_A-4
    "bert-mini": Architecture(
        "bert-mini",
        "BERT-mini",
        "BERT",
        "bert",
        {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024},
    ),
    # google/bert_uncased_L-2_H-128_A-2
    "bert-tiny": Architecture(
        "bert-tiny",
        "BERT-tiny",
        "BERT",
        "bert",
        {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 512},
    ),
    # monologg/koelectra-small-v3-discriminator
    "koelectra-small": Architecture(
        "koelectra-small-v3",
        "KoELECTRA-Small-v3",
        "KoELECTRA",
        "electra",
        {
            "vocab_size": 35_000,
            "embedding_size": 128,
            "hidden_size": 256,
            "num_hidden_layers": 12,
            "num_attention_heads": 4,
            "intermediate_size": 1024,
        },
        "ko",
    ),
}


def positions(model_type: str, config: Mapping[str, Any]) -> int | None:
    """The longest input of a transformer in tokens; None where its configuration sets no limit."""
    limit = config.get("max_position_embeddings", config.get("n_positions"))
    if model_type in _OFFSET and limit is not None:
        return int(limit) - int(config.get("pad_token_id") or 1) - 1
    return None if limit is None else int(limit)


_OFFSET = ("roberta", "xlm-roberta", "camembert")
"""Types that count positions from behind the padding token."""
