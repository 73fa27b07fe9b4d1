"""How an answer cut from a text is scored, by the rules of each data set and by those of the slide deck.

Written from the rules themselves: SQuAD 1.1 (Rajpurkar et al. 2016) compares words, without articles and punctuation;
KorQuAD 1.0 (Lim et al. 2019) compares characters; the deck (004_7d812c1ddacb6f6c.txt) compares sets of words.
"""

import hashlib
import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_ARTICLES = re.compile(r"\b(a|an|the)\b", re.UNICODE)
_WITHHELD = "withheld-"
_PUNCTUATION = set(string.punctuation)
# KorQuAD takes away these as well: they set off titles and quotations in Korean text.
_KOREAN_MARKS = set("'\"《》<>〈〉()‘’")


@dataclass(frozen=True)
class Rules:
    """How answers are compared.

    Attributes:
        normal: What of an answer counts when two are compared as wholes.
        overlap: F1 of a prediction and a gold answer, 0 to 1.
    """

    normal: Callable[[str], str]
    overlap: Callable[[str, str], float]

    def exact(self, predicted: str, gold: str) -> bool:
        """Whether a prediction equals a gold answer."""
        return self.normal(predicted) == self.normal(gold)


@lru_cache(2**16)  # gold answers come again with every run, and several runs often say the same
def squad_normal(text: str) -> str:
    """Lower-cased, without ASCII punctuation and English articles, words one space apart."""
    cleared = "".join(letter for letter in text.lower() if letter not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", cleared).split())


@lru_cache(2**16)
def korquad_normal(text: str) -> str:
    """Lower-cased, without quotation marks, brackets and ASCII punctuation, words one space apart."""
    cleared = "".join(" " if letter in _KOREAN_MARKS else letter for letter in text).lower()
    return " ".join("".join(letter for letter in cleared if letter not in _PUNCTUATION).split())


def f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """Overlap of two bags of tokens: the harmonic mean of precision and recall; 0 where they share none."""
    shared = sum((Counter(predicted) & Counter(gold)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def _squad_f1(predicted: str, gold: str) -> float:
    return f1(squad_normal(predicted).split(), squad_normal(gold).split())


def _korquad_f1(predicted: str, gold: str) -> float:
    return f1([*"".join(korquad_normal(predicted).split())], [*"".join(korquad_normal(gold).split())])


def _deck_f1(predicted: str, gold: str) -> float:
    answered, true = predicted.lower().split(), gold.lower().split()
    common = len(set(answered) & set(true))
    precision = common / len(answered) if answered else 0.0
    recall = common / len(true) if true else 0.0
    # The deck divides by the lengths of the lists, repeated words included.
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


SQUAD = Rules(squad_normal, _squad_f1)
KORQUAD = Rules(korquad_normal, _korquad_f1)
DECK = Rules(lambda answer: answer.strip().lower(), _deck_f1)

RULES: dict[str, Rules] = {"en": SQUAD, "ko": KORQUAD}
"""The official rules by the language of a task."""


def pack(golds: Iterable[str]) -> str:
    """Answers that count as right, as the predictions table keeps them: a JSON list, the first one first."""
    return json.dumps(list(dict.fromkeys(golds)), ensure_ascii=False)


def unpack(packed: str) -> list[str]:
    """The answers of ``pack``.

    Raises:
        ValueError: It is no list of texts.
    """
    try:
        golds = json.loads(packed)
    except RecursionError:  # somebody else's bundle may hold anything
        raise ValueError(f"{packed[:80]!r} lies too deep in itself") from None
    if not isinstance(golds, list) or not all(isinstance(gold, str) for gold in golds):
        raise ValueError(f"{packed[:80]!r} is no list of answers")
    return golds


def withheld(rules: Rules, answer: str) -> str:
    """What stands for an answer whose text may not be given on: equal for answers that are equal by the rules.

    A run that comes with Featherboard keeps which of its answers are right, and none of the data set's text.
    """
    return f"{_WITHHELD}{hashlib.sha256(rules.normal(answer).encode()).hexdigest()[:8]}" if answer else ""


def is_withheld(answer: str) -> bool:
    """Whether something only stands for an answer."""
    return answer.startswith(_WITHHELD) and re.fullmatch("[0-9a-f]{8}", answer.removeprefix(_WITHHELD)) is not None


def is_stand_in(packed: object) -> bool:
    """Whether gold answers as ``pack`` makes them are withheld; cheap, because every example is tested."""
    return isinstance(packed, str) and packed.startswith(f'["{_WITHHELD}')


def exactly(rules: Rules, predicted: str, packed: str) -> bool | None:
    """Whether a prediction equals one of the answers of ``pack``; None where that is no list of answers."""
    try:
        return any(rules.exact(predicted, gold) for gold in unpack(packed))
    except ValueError:
        return None


def best(rules: Rules, predicted: str, golds: Sequence[str]) -> tuple[bool, float]:
    """Exact match and F1 of a prediction against the gold answer that it fits best.

    Raises:
        ValueError: There is no gold answer.
    """
    if not golds:
        raise ValueError("a question without a gold answer cannot be scored")
    return any(rules.exact(predicted, gold) for gold in golds), max(rules.overlap(predicted, gold) for gold in golds)
