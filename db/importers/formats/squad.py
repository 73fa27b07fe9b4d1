"""``eval_predictions.json`` and ``eval_nbest_predictions.json`` of the SQuAD scripts: answers by question."""

import re
from typing import Any

from db.importers import column_mapping, values
from db.importers.result import ImportedFile, listed, predictions_frame
from db.importers.safe_json import FileError, quoted, shown

_MAX_QUESTIONS = 500_000
_LOOKS = (
    (re.compile(r"[0-9a-f]{24}"), "squad", "SQuAD"),
    (re.compile(r"\d{1,9}-\d{1,4}-\d{1,4}"), "korquad", "KorQuAD"),
)


def takes(data: Any) -> bool:
    """Whether a JSON value is the flat file: texts by ids, and no claim."""
    if not isinstance(data, dict) or not data or any(field in data for field in column_mapping.CLAIM):
        return False
    return all(isinstance(value, str) for value in data.values())


def takes_nbest(data: Any) -> bool:
    """Whether a JSON value is the file of several answers a question."""
    if not isinstance(data, dict) or not data:
        return False
    lists = [value for value in data.values() if isinstance(value, list)]
    return len(lists) == len(data) and any(
        isinstance(answer, dict) and "text" in answer for answer in map(_first, lists)
    )


def takes_null_odds(data: Any) -> bool:
    """Whether a JSON value is ``null_odds.json``: for each question how much likelier no answer is than one."""
    if not isinstance(data, dict) or not data or not all(values.number(value) is not None for value in data.values()):
        return False
    return any(all(pattern.fullmatch(key) for key in data) for pattern, _, _ in _LOOKS)


def read_null_odds(_: str, data: dict[str, float]) -> ImportedFile:
    """Nothing that a claim needs: the scripts have used these odds already where they wrote the answers."""
    note = f"Odds of no answer for {len(data):,} questions; the answers that they led to are in predictions.json."
    return ImportedFile("squad_nbest", notes=(note,))


def _first(answers: list[Any]) -> Any:
    return answers[0] if answers else None


def read(name: str, data: dict[str, str]) -> ImportedFile:
    """The answers of the flat file.

    Raises:
        SubmissionError: An id is empty or too long, or there are too many.
    """
    ids = _ids(name, data)
    frame = predictions_frame(ids, list(data.values()), [float("nan")] * len(ids))
    drafts, notes = _task(ids)
    silent = sum(not answer for answer in data.values())
    if silent:
        notes.append(f"{silent:,} of {len(ids):,} questions have an empty answer.")
    return ImportedFile("squad_predictions", drafts, frame, notes=tuple(notes))


def read_nbest(name: str, data: dict[str, list[Any]]) -> ImportedFile:
    """The likeliest answer of each question, with its probability.

    Raises:
        SubmissionError: An entry has no text, or a probability is none.
    """
    ids = _ids(name, data)
    predicted, scores, unknown, silent = [], [], {}, 0
    for key, answers in data.items():
        answer, score = "", float("nan")
        for number, entry in enumerate(answers):
            location = f"{shown(key, 60)}[{number}]"
            if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
                raise FileError(name, location, 'each answer must be an object with a "text".')
            unknown.update(dict.fromkeys(entry.keys() - {"text", "probability"}))
            probability = _probability(name, location, entry)
            # The scripts write the likeliest first; where no probability stands, that order is all there is.
            if number == 0 or probability > score:
                answer, score = entry["text"], probability
        silent += not answers
        predicted.append(answer)
        scores.append(score)
    drafts, notes = _task(ids)
    if silent:
        notes.append(f"{silent:,} of {len(ids):,} questions have no answer; each counts as an empty one.")
    frame = predictions_frame(ids, predicted, scores)
    return ImportedFile("squad_nbest", drafts, frame, unknown=listed(sorted(unknown)), notes=tuple(notes))


def _probability(name: str, location: str, answer: dict[str, Any]) -> float:
    value = answer.get("probability")
    if value is None:
        return float("nan")
    probability = values.number(value)
    if probability is None or not -1e-6 <= probability <= 1 + 1e-6:
        raise FileError(name, f"{location}.probability", f"{quoted(value)} is no number from 0 to 1.")
    return min(max(probability, 0.0), 1.0)


def _ids(name: str, data: dict[str, Any]) -> list[str]:
    if len(data) > _MAX_QUESTIONS:
        raise FileError(name, "", f"{len(data):,} questions; at most {_MAX_QUESTIONS:,} are read.")
    for key in data:
        if not key.strip() or len(key) > 200:
            raise FileError(name, f"key {quoted(key)}", "no id of a question, which has 1 to 200 characters.")
    return list(data)


def _task(ids: list[str]) -> tuple[tuple[dict[str, object], ...], list[str]]:
    """The task that the look of the ids suggests."""
    for pattern, task, label in _LOOKS:
        if all(pattern.fullmatch(example_id) for example_id in ids):
            return ({"task": task},), [f"The ids look like those of {label}; another task can be chosen."]
    return (), ["The ids do not tell the task; it must be chosen."]
