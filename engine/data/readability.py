"""Whether a model can read a text: what it answers otherwise is a guess."""

import unicodedata
from functools import cache

from tokenizers import Tokenizer

_SCRIPTS = {"en": ("LATIN",), "ko": ("HANGUL", "LATIN", "CJK")}
"""The scripts of texts in a language, as Unicode names their letters."""


def unreadable(text: str, language: str, tokenizer: Tokenizer | None = None) -> bool:
    """Whether a model that learned from texts in a language cannot read a text.

    Most of its letters belong to another script, are unknown to the vocabulary, or are Latin letters that it holds one
    by one, as a vocabulary of Korean reviews holds those of most English words. A vocabulary alone does not tell: that
    of an English BERT has the letters of Hangul, Cyrillic and Arabic one by one.

    Args:
        text: The text; of a long one the tokenizer may read the beginning alone.
        language: ISO 639-1 code.
        tokenizer: Its vocabulary; None: the scripts alone decide.
    """
    letters = sum(map(str.isalpha, text))
    if sum(_in_script(letter, language) for letter in text if letter.isalpha()) * 2 < letters:
        return True
    return tokenizer is not None and _unknown_or_spelt(text, tokenizer)


@cache
def _in_script(letter: str, language: str) -> bool:
    return unicodedata.name(letter, "").startswith(_SCRIPTS[language])


def _unknown_or_spelt(text: str, tokenizer: Tokenizer) -> bool:
    """Whether most letters and digits of a text are in unknown pieces, or are single Latin letters within words."""
    names = (getattr(tokenizer.model, "unk_token", None) or "[UNK]", "<unk>")
    unknown = next((number for number in map(tokenizer.token_to_id, names) if number is not None), None)
    encoding = tokenizer.encode(text, add_special_tokens=False)
    count = strange = 0
    for token, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
        positions = [index for index in range(start, end) if text[index].isalnum()]
        count += len(positions)
        if token == unknown or (len(positions) == 1 and _within_latin_word(text, positions[0])):
            strange += len(positions)
    return strange * 2 > count


def _within_latin_word(text: str, index: int) -> bool:
    neighbours = text[max(0, index - 1) : index] + text[index + 1 : index + 2]
    return text[index].isascii() and text[index].isalpha() and any(map(str.isalpha, neighbours))
