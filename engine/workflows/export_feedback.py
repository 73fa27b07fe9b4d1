"""Reported cases as labelled data in a file: SQuAD 2.0 JSON, or JSON lines as the loaders of classifiers read them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from db.runs import feedback
from db.runs.feedback import LABELS, READS, Kind
from db.storage.store import Store
from engine.base.errors import DataError
from engine.data import tables

SUFFIXES: dict[Kind, str] = {"qa": ".json", "sentiment": ".jsonl", "nli": ".jsonl", "text": ".jsonl"}
"""How a file of each kind ends, since who reads it goes by that."""

_COLUMNS: dict[str, str] = {"text": "document"}


@dataclass(frozen=True)
class Exported:
    """What an export did.

    Attributes:
        kind: Of the cases.
        written: Examples in the file.
        unknown: Reports that are left out because nobody said what is right.
        superseded: Reports that are left out because the same example was reported again later; the last one counts.
        ids: Of the reports that are in the file or superseded.
    """

    kind: Kind
    written: int
    unknown: int
    superseded: int
    ids: tuple[str, ...]


def export(store: Store, target: Path, kind: Kind | None = None, *, force: bool = False) -> Exported:
    """Write the cases whose right answer is known, each example once; the file appears whole or not at all.

    Args:
        store: The database.
        target: A ``.json`` file for questions, ``.jsonl`` for the others.
        kind: Which cases; None: the only kind that was reported.
        force: Overwrite ``target``.

    Raises:
        DataError: The kind is not clear, there is nothing to write, or the file cannot be written.
    """
    cases = feedback.cases(store, kind)
    chosen = kind or _only_kind(cases)
    if target.suffix.lower() != SUFFIXES[chosen]:
        raise DataError(f"{target}: a file of {chosen} must end in {SUFFIXES[chosen]}. Nothing was written.")
    known = cases[cases["right_answer"].notna()]
    newest = known.drop_duplicates(list(READS[chosen]), keep="last")
    if newest.empty:
        raise DataError(
            f"There are {len(cases):,} reported case(s) of {chosen}, none of them with its right answer. Nothing was "
            "written."
        )
    rows: list[dict[str, Any]] = newest.to_dict("records")
    with tables.replacing(target, force=force) as part:
        part.write_text(_FORMS[chosen](rows, chosen), "utf-8", newline="\n")
    return Exported(chosen, len(newest), len(cases) - len(known), len(known) - len(newest), tuple(known["feedback_id"]))


def _only_kind(cases: pd.DataFrame) -> Kind:
    counts = cases["kind"].value_counts()
    kinds = [kind for kind in SUFFIXES if kind in counts.index]
    if len(kinds) == 1:
        return kinds[0]
    if not kinds:
        raise DataError("No answer was reported as wrong yet. Nothing was written.")
    counts_text = ", ".join(f"{counts[kind]:,} of {kind}" for kind in kinds)
    raise DataError(
        f"There are reported cases of several kinds ({counts_text}); name one with --kind. Nothing was written."
    )


def _squad(rows: list[dict[str, Any]], _: Kind) -> str:
    """SQuAD 2.0 (Rajpurkar et al. 2018, arXiv 1806.03822), with one paragraph per context."""
    by_context: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        nothing = bool(row["unanswerable"])
        answers = [] if nothing else [{"text": row["right_answer"], "answer_start": int(row["right_start"])}]
        by_context.setdefault(row["context"], []).append(
            {"id": row["feedback_id"], "question": row["question"], "answers": answers, "is_impossible": nothing}
        )
    paragraphs = [{"context": context, "qas": qas} for context, qas in by_context.items()]
    whole = {"version": "v2.0", "data": [{"title": "Featherboard feedback", "paragraphs": paragraphs}]}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _lines(rows: list[dict[str, Any]], kind: Kind) -> str:
    """One object a line: id, the texts, and the number of the label; its name where it belongs to no fixed set."""
    made = []
    for row in rows:
        texts = {_COLUMNS.get(name, name): row[name] for name in READS[kind]}
        label = LABELS[kind].index(row["right_answer"]) if kind in LABELS else row["right_answer"]
        made.append(json.dumps({"id": row["feedback_id"], **texts, "label": label}, ensure_ascii=False) + "\n")
    return "".join(made)


_FORMS: dict[Kind, Callable[[list[dict[str, Any]], Kind], str]] = {
    "qa": _squad,
    "sentiment": _lines,
    "nli": _lines,
    "text": _lines,
}
