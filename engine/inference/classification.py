"""What a classifier says of a text or a pair, and which words its verdict hangs on."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import regex

from db.registry import tasks
from engine.base.errors import DataError, ModelError
from engine.inference.costs import Cost
from engine.inference.executor import Desk
from engine.inference.model_cache import Held
from engine.networks.classifier import Classifier
from engine.trainer.evaluation import probabilities_of

LONGEST_TEXT = 10_000
"""Characters of each text; models read the first hundred tokens or two."""

MOST_UNITS = 96
"""Parts that a text is cut into at most, each left out once; of a longer text, neighbouring words go together."""

SLICE = 32
"""Texts that are computed in one turn; then others get theirs."""

_LONG_WORD = 8
"""Graphemes from which a word without spaces is taken apart, where its script sets no spaces between words."""

_PIECE = 2
"""Graphemes of such a part."""

_GRAPHEME = regex.compile(r"\X")
_PICTURE = regex.compile(r"\p{Extended_Pictographic}")
_SPACED = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{M}\d\p{P}\p{S}]+")


@dataclass(frozen=True)
class Verdict:
    """What a classifier says.

    Attributes:
        label: The likeliest.
        probabilities: Of all labels, in the order of the task.
        cut: The text is longer than the model reads; it saw the beginning.
        cost: Milliseconds.
    """

    label: str
    probabilities: dict[str, float]
    cut: bool
    cost: Cost


@dataclass(frozen=True)
class Unit:
    """A part of a text, and what happens without it (occlusion: Zeiler and Fergus 2014; Li et al. 2016).

    Attributes:
        part: Which text of a pair, from 0.
        start: Its first character.
        end: The one after its last.
        weight: By how much the verdict's probability falls when it is left out; below 0 where it rises.
        turns: The label that the verdict turns into without it; None where it stays.
    """

    part: int
    start: int
    end: int
    weight: float
    turns: str | None


def classifier_of(held: Held) -> Classifier:
    """The model as one that puts texts into classes.

    Raises:
        ModelError: It does not.
    """
    if not isinstance(held.model, Classifier):
        raise ModelError(f"{held.choice.name} answers questions and puts no texts into classes.")
    return held.model


def classify(desk: Desk, held: Held, texts: tuple[str, ...], *, timeout_s: float | None = None) -> Verdict:
    """The verdict on one text, or on a pair.

    Args:
        desk: Where it is computed.
        held: A classifier.
        texts: One, or premise and hypothesis.
        timeout_s: Seconds that somebody waits.

    Raises:
        DataError: A text is empty, too long, or no Unicode.
        ModelError: The model answers questions.
        BusyError: Too many others wait.
        LateError: The time is up.
    """
    classifier = classifier_of(held)
    check(texts)
    came = time.perf_counter()

    def work() -> Verdict:
        started = time.perf_counter()
        prepared = classifier.prepare([texts])
        ready = time.perf_counter()
        shares = probabilities_of(prepared)[0]
        ended = time.perf_counter()
        labels = labels_of(classifier)
        told = dict(zip(labels, map(float, shares), strict=True))
        cost = Cost(1e3 * (started - came), 1e3 * (ready - started), 1e3 * (ended - ready), 0.0)
        return Verdict(labels[int(shares.argmax())], told, bool(prepared.cut), cost)

    return desk.do(work, timeout_s)


def importance(
    desk: Desk,
    held: Held,
    texts: tuple[str, ...],
    verdict: Verdict,
    *,
    timeout_s: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Unit]:
    """What each part of the texts does for the verdict: it is left out, and the classifier asked again.

    Args:
        desk: Where it is computed.
        held: The classifier.
        texts: Those of the verdict.
        verdict: Of ``classify``.
        timeout_s: Seconds that somebody waits for each turn.
        progress: Called with the share of the parts that is done, in the thread of the caller.
    """
    classifier = classifier_of(held)
    labels = labels_of(classifier)
    places = parts_of(texts)
    found: list[Unit] = []
    for begin in range(0, len(places), SLICE):
        some = places[begin : begin + SLICE]
        without = [
            tuple(text[:start] + text[end:] if place == part else text for place, text in enumerate(texts))
            for part, start, end in some
        ]
        shares = desk.do(lambda without=without: probabilities_of(classifier.prepare(without)), timeout_s)  # type: ignore[misc]
        for (part, start, end), row in zip(some, shares, strict=True):
            label = labels[int(row.argmax())]
            weight = verdict.probabilities[verdict.label] - float(row[labels.index(verdict.label)])
            found.append(Unit(part, start, end, weight, None if label == verdict.label else label))
        progress(len(found) / len(places))
    return found


def parts_of(texts: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """What is left out one by one: which text, the first character, and the one after the last."""
    most = MOST_UNITS // len(texts)
    return [(part, start, end) for part, text in enumerate(texts) for start, end in units(text, most)]


def units(text: str, most: int = MOST_UNITS) -> list[tuple[int, int]]:
    """The parts of a text that are left out one by one, as first character and the one after the last.

    Words between spaces; pictures (emoji) for themselves; a long word of a script that sets few spaces, such as Korean
    in a hurry, in parts of two graphemes. A grapheme is never cut.
    """
    found: list[tuple[int, int]] = []
    for word in regex.finditer(r"\S+", text):
        found += _parts(word.group(), word.start())
    if len(found) <= most:
        return found
    step = -(-len(found) // most)
    groups = [found[begin : begin + step] for begin in range(0, len(found), step)]
    return [(group[0][0], group[-1][1]) for group in groups]


def _parts(word: str, begin: int) -> list[tuple[int, int]]:
    graphemes = [(begin + one.start(), begin + one.end(), one.group()) for one in _GRAPHEME.finditer(word)]
    split = len(graphemes) > _LONG_WORD and not _SPACED.fullmatch(word)
    parts: list[tuple[int, int]] = []
    held = 0  # graphemes of the part that is open
    for start, end, sign in graphemes:
        picture = bool(_PICTURE.search(sign)) and not sign.isdigit()
        if picture or held == 0 or (split and held == _PIECE):
            parts.append((start, end))
            held = 0 if picture else 1
        else:
            parts[-1] = (parts[-1][0], end)
            held += 1
    return parts


def labels_of(classifier: Classifier) -> tuple[str, ...]:
    """What the classes of a classifier are called, in their order."""
    return tasks.by_id(classifier.recipe.task).labels


def check(texts: tuple[str, ...]) -> None:
    """Refuse what cannot be classified.

    Raises:
        DataError: A text is empty, too long, or no Unicode; the message says which.
    """
    names = ("text",) if len(texts) == 1 else ("premise", "hypothesis")
    for name, text in zip(names, texts, strict=True):
        if not text.strip():
            raise DataError(f"The {name} is empty. Nothing was computed.")
        if len(text) > LONGEST_TEXT:
            raise DataError(f"The {name} has {len(text):,} characters; {LONGEST_TEXT:,} are the most. Shorten it.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise DataError(f"The {name} holds half a character (a lone surrogate). Nothing was computed.") from None
