"""Answers that somebody reported as wrong, kept as labelled examples.

Reports belong to an installation: they hold the texts of its users, and no bundle carries them.
"""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

import duckdb
import pandas as pd

from db.base.clock import utc_now
from db.base.errors import FeatherboardError
from db.registry.tasks import INFERENCE, SENTIMENT
from db.storage.changes import Change
from db.storage.store import Store

Kind = Literal["qa", "sentiment", "nli", "text"]

KINDS: tuple[Kind, ...] = get_args(Kind)
LABELS: dict[Kind, tuple[str, ...]] = {"sentiment": SENTIMENT, "nli": INFERENCE}
"""What a classifier can say; the place of a label is its number in files. Those of other tasks have names alone."""

READS: dict[Kind, tuple[str, ...]] = {
    "qa": ("context", "question"),
    "sentiment": ("text",),
    "nli": ("premise", "hypothesis"),
    "text": ("text",),
}
"""The texts that a model is given, for each kind."""

LONGEST = {
    "context": 100_000,
    "question": 1_000,
    "text": 100_000,
    "premise": 100_000,
    "hypothesis": 100_000,
    "model": 1_000,
    "run_id": 100,
    "answer": 100_000,
    "right_answer": 100_000,
    "comment": 2_000,
}
"""Characters of a field at most."""

MAX_REPORTS = 10_000
"""Reports that an installation keeps."""

_SPOKEN = {
    "run_id": "run id",
    "answer": "model's answer",
    "right_answer": "right answer",
    "right_start": "place of the right answer",
}
_CHECKPOINT = re.compile(r"[0-9a-f]{64}")
_UNDATED = frozenset({"probability"})  # its last digits depend on the number of threads
_COLUMNS = {"answer": "said", "answer_start": "said_start"}
_WHOLE_NUMBERS = {"said_start": "Int64", "right_start": "Int64"}


class FeedbackError(FeatherboardError):
    """A report could not be kept; the message names the field."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One answer that a model gave, and what would have been right.

    Attributes:
        kind: ``qa``, ``sentiment``, ``nli``, or ``text`` for the labels of any other task; it says which of the texts
            below there are (``READS``).
        model: The model as it was chosen.
        answer: What it answered: a label, or a part of the context; empty where it gave no answer.
        run_id: The run of the model, where it has one.
        checkpoint: SHA-256 of the weights, 64 hexadecimal digits.
        context: The text that a question is about.
        question: What was asked.
        text: Of sentiment and of text.
        premise: Of nli.
        hypothesis: Of nli.
        answer_start: The character (code point) of the context at which ``answer`` begins.
        probability: That the model gave its answer, 0 to 1.
        right_answer: A label, or a part of the context; None where the reporter does not know it.
        right_start: About where in the context the right answer begins; ``keep`` finds the exact place.
        unanswerable: The context does not hold the answer; ``right_answer`` is then empty.
        comment: Whatever the reporter wants to add.
    """

    kind: Kind
    model: str
    answer: str
    run_id: str | None = None
    checkpoint: str | None = None
    context: str | None = None
    question: str | None = None
    text: str | None = None
    premise: str | None = None
    hypothesis: str | None = None
    answer_start: int | None = None
    probability: float | None = None
    right_answer: str | None = None
    right_start: int | None = None
    unanswerable: bool = False
    comment: str = ""


def keep(store: Store, case: Case) -> str:
    """Keep a report and return its id, which follows from the case: reported again, it is still one row.

    A busy database takes it in with its next write.

    Raises:
        FeedbackError: A field is wrong, or ``MOST`` reports are kept already; nothing was kept.
    """
    good = checked(case)
    own = _id(good)

    def refuse_more(con: duckdb.DuckDBPyConnection) -> None:
        row = con.execute("SELECT count(*) FROM feedback WHERE feedback_id <> ?", [own]).fetchone()
        if row and row[0] >= MAX_REPORTS:
            raise FeedbackError(
                f"{row[0]:,} reports are kept, and {MAX_REPORTS:,} is the most. Nothing was kept; write the others to "
                "a file and delete them here with `featherboard export feedback FILE --forget`."
            )

    row = {"feedback_id": own, **_columns(good), "created_at": utc_now()}
    store.write([Change("feedback", pd.DataFrame([row]).astype(_WHOLE_NUMBERS))], refuse_more)
    return own


def cases(store: Store, kind: Kind | None = None) -> pd.DataFrame:
    """The reports of one kind, or of all kinds, oldest first.

    Returns:
        Columns ``feedback_id``, the fields of ``Case`` and ``created_at``.

    Raises:
        StoreError: The database could not be read.
    """
    rows = store.query(
        "SELECT * FROM feedback WHERE kind = coalesce(?, kind) ORDER BY created_at, feedback_id", [kind]
    ).astype(_WHOLE_NUMBERS)
    return rows.rename(columns={column: field for field, column in _COLUMNS.items()})


def forget(store: Store, ids: Sequence[str]) -> int:
    """Delete reports and return how many there were."""
    with store.transaction() as con:
        return len(
            con.execute(
                "DELETE FROM feedback WHERE feedback_id IN (SELECT unnest(?)) RETURNING feedback_id", [list(ids)]
            ).fetchall()
        )


def checked(case: Case) -> Case:
    """The case as it is kept: the right answer as the context writes it, with its place.

    Raises:
        FeedbackError: A field is wrong; the message names it.
    """
    if case.kind not in KINDS:
        raise _wrong("kind", f"is {case.kind!r}; it is one of {', '.join(KINDS)}")
    _check_texts(case)
    if not case.model.strip():
        raise _wrong("model", "is empty")
    if case.checkpoint is not None and not _CHECKPOINT.fullmatch(case.checkpoint):
        raise _wrong("checkpoint", "is no SHA-256 in 64 lower-case hexadecimal digits")
    if case.probability is not None and not (math.isfinite(case.probability) and 0 <= case.probability <= 1):
        raise _wrong("probability", f"is {case.probability}; it lies between 0 and 1")
    return _checked_span(case) if case.kind == "qa" else _checked_label(case)


def _wrong(field: str, why: str) -> FeedbackError:
    named = _SPOKEN.get(field, field)
    return FeedbackError(f"The {named} {why}. Nothing was kept.")


def _check_texts(case: Case) -> None:
    for field, limit in LONGEST.items():
        value = getattr(case, field)
        if value is None:
            continue
        if len(value) > limit:
            raise _wrong(field, f"has {len(value):,} characters; {limit:,} is the most")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _wrong(field, "holds half a character (a lone surrogate)") from None
    for field in dict.fromkeys(field for fields in READS.values() for field in fields):
        value = getattr(case, field)
        if field in READS[case.kind] and not (value or "").strip():
            raise _wrong(field, "is empty")
        if field not in READS[case.kind] and value is not None:
            raise _wrong(field, f"has no place in a report of {case.kind}")


def _checked_label(case: Case) -> Case:
    labels = LABELS.get(case.kind)
    for field, value in (("answer", case.answer), ("right_answer", case.right_answer)):
        if value is not None and not labels and not value.strip():
            raise _wrong(field, "is empty")
        if value is not None and labels and value not in labels:
            raise _wrong(field, f"is {value[:40]!r}; it is one of {', '.join(labels)}")
    if case.unanswerable:
        raise _wrong("unanswerable", f"has no meaning in a report of {case.kind}")
    if case.answer_start is not None or case.right_start is not None:
        raise _wrong("place of an answer", f"has no meaning in a report of {case.kind}")
    return case


def _checked_span(case: Case) -> Case:
    context = case.context or ""
    if case.answer_start is not None and not _stands(context, case.answer, case.answer_start):
        raise _wrong("answer", f"does not stand at character {case.answer_start} of the context")
    if case.unanswerable:
        if case.right_answer:
            raise _wrong("right_answer", "is given, and the text is said not to answer; one of them is wrong")
        return replace(case, right_answer="", right_start=None)
    if case.right_answer is None:
        return replace(case, right_start=None)
    if case.right_start is not None and not 0 <= case.right_start < len(context):
        raise _wrong("right_start", f"is {case.right_start}; the context has {len(context):,} characters")
    span = _nearest_span(context, case.right_answer.strip(), case.right_start or 0)
    return replace(case, right_answer=span[0], right_start=span[1])


def _stands(context: str, part: str, start: int) -> bool:
    return start >= 0 and context[start : start + len(part)] == part


def _nearest_span(context: str, answer: str, about: int) -> tuple[str, int]:
    """The answer as the context writes it and where it begins: of several places the one nearest to ``about``."""
    if not answer:
        raise _wrong("right_answer", "is empty; where the text does not answer, say so")
    for form in (answer, unicodedata.normalize("NFC", answer), unicodedata.normalize("NFD", answer)):
        around = (context.rfind(form, 0, about + len(form)), context.find(form, about))
        places = [start for start in around if start >= 0]
        if places:
            return form, min(places, key=lambda start: abs(start - about))
    raise _wrong("right_answer", f"{answer[:80]!r} does not stand in the context; take it from there letter by letter")


def _columns(case: Case) -> dict[str, Any]:
    """The fields under the names of the table's columns, which ids of stored reports depend on."""
    return {_COLUMNS.get(name, name): value for name, value in asdict(case).items()}


def _id(case: Case) -> str:
    facts = {name: value for name, value in _columns(case).items() if name not in _UNDATED}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]
