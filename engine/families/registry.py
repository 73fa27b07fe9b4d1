"""The family of each kind of model; whoever only reads checkpoints needs none of what trainings import."""

from engine.families import Family
from engine.families.classification.family import ClassificationFamily
from engine.families.masked_lm.family import MaskedLMFamily
from engine.families.span_qa.family import SpanFamily
from engine.recipes.schema import Recipe

_CLASSIFICATION, _SPANS, _MASKED = ClassificationFamily(), SpanFamily(), MaskedLMFamily()

FAMILIES: dict[str, Family] = {
    "bilstm": _CLASSIFICATION,
    "cnn": _CLASSIFICATION,
    "char-ngrams": _CLASSIFICATION,
    "ensemble": _CLASSIFICATION,
    "pretrained": _CLASSIFICATION,
    "span": _SPANS,
    "masked-lm": _MASKED,
    "student": _MASKED,
    "bert": _MASKED,
}


def family_of(recipe: Recipe) -> Family:
    """Return the family of a recipe's model."""
    return FAMILIES[recipe.model.kind]
