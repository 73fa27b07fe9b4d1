"""The family of each kind of model, imported when a recipe needs it: transformers takes two seconds to import.

Whoever only reads checkpoints needs none of what trainings import.
"""

from functools import cache
from typing import Literal

from engine.families import Family
from engine.recipes.schema import Recipe

FAMILIES: dict[str, Literal["classification", "span_qa", "masked_lm"]] = {
    "bilstm": "classification",
    "cnn": "classification",
    "char-ngrams": "classification",
    "ensemble": "classification",
    "pretrained": "classification",
    "span": "span_qa",
    "masked-lm": "masked_lm",
    "student": "masked_lm",
    "bert": "masked_lm",
}


def family_of(recipe: Recipe) -> Family:
    """Return the family of a recipe's model."""
    return _family(FAMILIES[recipe.model.kind])


@cache
def _family(name: Literal["classification", "span_qa", "masked_lm"]) -> Family:
    match name:
        case "classification":
            from engine.families.classification.family import ClassificationFamily  # noqa: PLC0415

            return ClassificationFamily()
        case "span_qa":
            from engine.families.span_qa.family import SpanFamily  # noqa: PLC0415

            return SpanFamily()
        case "masked_lm":
            from engine.families.masked_lm.family import MaskedLMFamily  # noqa: PLC0415

            return MaskedLMFamily()
