"""Single examples of several runs: rows of the table, and the answers marked in their text."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.ui import formatting
from dashboard.ui.i18n import _, translated
from dashboard.ui.labels import CLASSES
from dashboard.ui.markdown import plain
from db.analysis.paired_answers import PairedAnswers
from db.registry import formats
from db.runs.examples import Example
from db.statistics import qa_scoring

GOLD = -1
"""What marks the gold answer among the runs."""

TICK, CROSS = "✓", "✗"
"""Before an answer: right or wrong."""

_CUT = 160


def rows(
    common: PairedAnswers,
    picked: NDArray[np.intp],
    letters: Sequence[str],
    labels: Sequence[str],
    texts: Mapping[str, Example],
) -> pd.DataFrame:
    """Examples as text, one row each: id, text where it is at hand, gold answer, every run's answer with tick or cross.

    ``labels`` are the names of the task's classes, empty where answers are texts; ``texts`` are by example id.
    """
    ids = [str(example_id) for example_id in common.ids[picked]]
    columns: dict[str, Any] = {_("Example"): ids}
    if texts:
        columns[_("Text")] = [_begin(texts.get(example_id)) for example_id in ids]
    columns[_("Gold label")] = [gold(value, labels) for value in common.gold[picked]]
    for run, letter in enumerate(letters):
        answers, right = common.answers[run].iloc[picked], common.right[picked, run]
        columns[letter] = [
            f"{TICK if ok else CROSS} {answer(value, labels)}" for value, ok in zip(answers, right, strict=True)
        ]
    return pd.DataFrame(columns)


def _begin(example: Example | None) -> str:
    if example is None:
        return formats.DASH
    parts = [example.parts["question"]] if "question" in example.parts else list(example.parts.values())
    return formatting.cut(" / ".join(parts), _CUT)


def gold(value: str, labels: Sequence[str]) -> str:
    """A gold answer as a reader sees it: a class by its name, of several answers all, a withheld one as a dash."""
    try:
        golds = qa_scoring.unpack(value)
    except ValueError:
        return answer(value, labels)
    return " / ".join(dict.fromkeys(answer(answer_text, labels) for answer_text in golds))


def answer(value: Any, labels: Sequence[str]) -> str:
    """An answer as a reader sees it; a dash where there is none or its text is withheld."""
    if pd.isna(value) or value == "" or qa_scoring.is_withheld(str(value)):
        return formats.DASH
    text = str(value)
    if labels and text.isdecimal() and int(text) < len(labels):
        return str(translated(CLASSES).get(labels[int(text)], labels[int(text)]))
    return text


def spans(example: Example, answers: Mapping[int, str]) -> list[tuple[int, int, int]]:
    """Where gold answers and answers of runs stand in a context: start, end, and whose it is.

    An answer that occurs several times is marked where the gold answer of the same text stands, else where it stands
    first; the predictions keep no places.
    """
    context, starts = example.parts["context"], example.starts or {}
    matches = [
        (start, start + len(words), GOLD)
        for words, start in starts.items()
        if words and context.startswith(words, start)
    ]
    for run, words in answers.items():
        if words and not qa_scoring.is_withheld(words):
            start = starts.get(words, -1)
            start = start if context.startswith(words, start) and start >= 0 else context.find(words)
            if start >= 0:
                matches.append((start, start + len(words), run))
    return matches


def marked(example: Example, answers: Mapping[int, str], letters: Sequence[str]) -> str:
    """A context as Markdown in which answers stand out: green is the gold one, grey any other; letters tell whose."""
    context, ranges = example.parts["context"], spans(example, answers)
    cuts = sorted({0, len(context), *(end for span in ranges for end in span[:2])})
    parts = []
    for start, end in pairwise(cuts):
        piece = context[start:end]
        whose = sorted({who for first, last, who in ranges if first <= start and end <= last})
        if not whose or not piece.strip():
            parts.append(_escaped_spaces(piece))
            continue
        labels = "".join(letters[who] for who in whose if who != GOLD)
        colour = "green" if GOLD in whose else "gray"
        parts.append(f":{colour}-background[{_escaped_spaces(piece)}{f' **{labels}**' if labels else ''}]")
    return "".join(parts)


def _escaped_spaces(piece: str) -> str:
    """Escaped, with the blanks at its ends, which ``plain`` takes away."""
    inner = plain(piece)
    before = " " if piece[:1].isspace() else ""
    after = " " if piece[-1:].isspace() and inner else ""
    return f"{before}{inner}{after}"
