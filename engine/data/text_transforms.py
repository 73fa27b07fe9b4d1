"""What of a text a model is given to read, as its recipe says; the same in training, scoring and use."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.recipes.schema import DataConfig

if TYPE_CHECKING:
    from engine.data.text_sets import TextSet


def as_read(texts: Sequence[tuple[str, ...]], settings: DataConfig) -> Sequence[tuple[str, ...]]:
    """Texts as the model reads them: without full stops at their ends, and one of a pair hidden, where that is wanted.

    Args:
        texts: Tuples of one text or two.
        settings: The recipe's data section.
    """
    if settings.strip_stops:
        texts = [tuple(map(_stripped, text)) for text in texts]
    return [text[1:] for text in texts] if settings.hide == "premise" else texts


def without_stops(texts: "TextSet") -> "TextSet":
    """A set whose texts end without full stops, with a hash of its own."""
    from engine.data.text_sets import make_set  # noqa: PLC0415 - pandas, which answering needs not

    return make_set(texts.ids, [tuple(map(_stripped, text)) for text in texts.texts], texts.labels, texts.genres)


def _stripped(text: str) -> str:
    """Without the full stops and spaces at its end; a text of nothing else stays."""
    return text.rstrip(". \t\n") or text
