"""A row before it is on the board: as it would be shown, and compared with the rows that are there."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd

from db.base.problems import Code, Flag, Message, Problem
from db.importers.values import is_blank
from db.leaderboard.board import Board, Incoming, board
from db.leaderboard.merging import VARIANT
from db.registry import tasks
from db.runs.writer import MetricValue
from db.storage.store import Store
from db.submissions import gold_answers, records, rows, tables, verification
from db.submissions.claim import Claim
from db.submissions.gold_answers import GoldLabels, GoldLabelsError
from db.submissions.records import Submission
from db.submissions.verification import Report, State

NO_PREDICTIONS = Report("no predictions")

_SHOWN = (
    *("run_id", "rank", "name", "model", "family", "architecture", "params", "params_reported", "dataset", "split"),
    *("source", "verified", "status", "device", "teacher", "train_seconds", "citation", "notes", "caveat"),
    *("score", "low", "high", "n", "seeds"),
)
_DECIMALS = 6
"""Of a score that is claimed for its predictions: it is held to as many when it is computed again."""

_EXISTING = ["run_id", "name", "source", "verified", "dataset", "params", "score"]


@dataclass(frozen=True)
class Preview:
    """A row as the board would show it.

    Attributes:
        row: Columns of ``Board.rows``, None where missing: ``run_id, rank, name, model, family, architecture, params,
            params_reported, dataset, split, source, verified, status, device, teacher, train_seconds, citation, notes,
            caveat, score, low, high, n, seeds``. Of several seeds the score is their mean.
        metrics: All metrics of the claim.
        rank: As the board writes it, ``2-4`` where the data cannot tell rows apart.
        rows: Ranked rows of the board, including it.
        above: The same columns of the row before it; None where it is the first.
        below: Of the row after it; None where it is the last.
    """

    row: dict[str, Any]
    metrics: dict[str, float]
    rank: str
    rows: int
    above: dict[str, Any] | None
    below: dict[str, Any] | None


@dataclass(frozen=True)
class Difference:
    """A submission compared with the board.

    Attributes:
        submission: The row, with its contact.
        preview: As it would be shown.
        report: What its predictions give.
        existing: Rows of the same model on the same board, the best first: ``run_id, name, source, verified, dataset,
            params, score, same_params, score_difference`` (of the submission minus theirs; NaN where there is none).
        flags: What a moderator should check.
    """

    submission: Submission
    preview: Preview
    report: Report
    existing: pd.DataFrame
    flags: tuple[Flag, ...]


@dataclass(frozen=True)
class QueueSummary:
    """What a list shows of a submission's predictions.

    Attributes:
        state: The verdict.
        flags: As those of ``Difference``.
    """

    state: State
    flags: tuple[Flag, ...]


def preview(
    store: Store, claims: Sequence[Claim], *, report: Report = NO_PREDICTIONS, every_run: bool = False
) -> list[Preview]:
    """Show claims as rows of their boards, as those are once all of them are accepted.

    Args:
        store: The database.
        claims: Of ``db.submissions.claim.check``.
        report: Of the predictions of the only claim.
        every_run: Whether to rank them among all runs, or among the rows that each stand for several seeds.

    Returns:
        One preview a claim, in their order; claims of one variant that differ in their seed share one row.
    """
    shown: dict[int, Preview] = {}
    for task_id in dict.fromkeys(claim.task for claim in claims):
        positions = [position for position, claim in enumerate(claims) if claim.task == task_id]
        own = [claims[position] for position in positions]
        metrics = [rows.of_claim(claim, report) for claim in own]
        incoming = _incoming(own, metrics, report)
        leaderboard = board(store, task_id, every_run=every_run, incoming=incoming)
        for number, position in enumerate(positions):
            values = {value.name: value.value for value in metrics[number]}
            shown[position] = _row(leaderboard, incoming.runs.iloc[number], values)
    return [shown[position] for position in range(len(claims))]


def _incoming(claims: Sequence[Claim], metrics: Sequence[Sequence[MetricValue]], report: Report) -> Incoming:
    runs = []
    for number, (claim, values) in enumerate(zip(claims, metrics, strict=True)):
        own = next(value for value in values if value.name == tasks.by_id(claim.task).metric)
        run, model = rows.run_row(claim, f"preview-{number:06}", report), rows.model_row(claim)
        run["created_at"] += timedelta(microseconds=number)  # the last of a file is its newest
        score = {"score": own.value, "low": own.low, "high": own.high, "n": own.n}
        runs.append(model | run | {"model": model["name"]} | score)
    figures = pd.DataFrame([{value.name: value.value for value in values} for values in metrics], dtype=float)
    answers = report.answers if report.answers is None else report.answers.assign(run_id=runs[0]["run_id"])
    return Incoming(pd.DataFrame(runs), figures, answers)


def _row(leaderboard: Board, run: pd.Series, metrics: dict[str, float]) -> Preview:
    """The row that a run is behind, or that of its variant where a newer run is shown in its place."""
    (member,) = np.flatnonzero(leaderboard.runs["run_id"] == run["run_id"])
    position = int(np.searchsorted(leaderboard.starts, member, side="right")) - 1
    if position < 0:
        position = int(
            np.flatnonzero((leaderboard.rows[VARIANT].fillna("") == run.reindex(VARIANT).fillna("")).all(axis=1))[0]
        )
    return Preview(
        _shown(leaderboard, position) or {},
        metrics,
        str(leaderboard.rows.loc[position, "rank"]),
        int(((leaderboard.ranks.ends[:, 0] > 0) | (leaderboard.ranks.about > 0)).sum()),
        _shown(leaderboard, position - 1),
        _shown(leaderboard, position + 1),
    )


def _shown(leaderboard: Board, position: int) -> dict[str, Any] | None:
    """The row at a position; None where no row with a score is there."""
    if not 0 <= position < len(leaderboard.rows) or pd.isna(leaderboard.rows.loc[position, "score"]):
        return None
    row = leaderboard.rows.loc[position, list(_SHOWN)].to_dict()
    return {name: None if pd.isna(value) else value for name, value in row.items()}


def difference(store: Store, submission_id: str) -> Difference:
    """Collect everything that a moderator decides by; nothing is changed.

    Raises:
        NotFoundError: There is no such submission.
    """
    submission, report, flags = _reviewed(store, submission_id)
    (row,) = preview(store, [submission.claim], report=report)
    return Difference(submission, row, report, _existing(board(store, submission.claim.task), submission), flags)


def summaries(store: Store, submission_ids: Sequence[str]) -> dict[str, QueueSummary]:
    """Report verdicts and flags of several submissions, without comparing them with the board.

    Raises:
        NotFoundError: There is no such submission.
    """
    reviewed = {submission_id: _reviewed(store, submission_id) for submission_id in submission_ids}
    return {submission_id: QueueSummary(report.state, flags) for submission_id, (_, report, flags) in reviewed.items()}


def _reviewed(store: Store, submission_id: str) -> tuple[Submission, Report, tuple[Flag, ...]]:
    """A submission, what its predictions give, and what a moderator should check."""
    with store.read() as con:
        submission = records.load(con, submission_id)
        predictions = records.predictions(con, submission.status.submission_id)
        flags = verification.submission_flags(con, submission)
    report, _ = verified(store, submission, predictions)
    return submission, report, (*report.flags, *flags)


def verified(store: Store, submission: Submission, predictions: pd.DataFrame) -> tuple[Report, GoldLabels | None]:
    """Score the predictions of a submission; returns the gold labels too, where they are available."""
    own_run = submission.status.run_id
    return examined(store, submission.claim.task, predictions, submission.claim.metrics, submission.decimals, own_run)


def examined(
    store: Store,
    task_id: str,
    predictions: pd.DataFrame,
    claimed: Mapping[str, float],
    decimals: Mapping[str, int],
    own_run: str | None,
) -> tuple[Report, GoldLabels | None]:
    """Score any predictions, and flag those of other runs; see ``db.submissions.verification.examine``.

    The database is closed while files are read and answers are scored, which takes seconds for a large split.
    """
    if predictions.empty:
        return NO_PREDICTIONS, None
    task = tasks.by_id(task_id)
    with store.read() as con:
        flags = verification.answer_flags(con, task, predictions, own_run)
    try:
        gold = gold_answers.load(store, task)
    except GoldLabelsError as error:
        return Report("no golds", error.message, task.split_size, rows=len(predictions), flags=tuple(flags)), None
    report = verification.examine(task, gold, predictions, claimed, decimals)
    return replace(report, flags=(*report.flags, *flags)), gold


def verify_claim(
    store: Store, claim: Claim, predictions: pd.DataFrame, decimals: dict[str, int] | None = None
) -> Report:
    """Score predictions before they are submitted, for a form; see ``submit``.

    Returns:
        ``unscored`` where the table cannot be used; ``source`` says why.
    """
    try:
        checked = tables.predictions(predictions)
    except tables.TableProblemError as error:
        problem = Problem(error.message.code, error.message.params, error.field)
        return Report("unscored", Message(Code.INVALID_TABLE, {"problem": problem}))
    return examined(store, claim.task, checked, claim.metrics, decimals or {}, None)[0]


def with_score(
    store: Store, draft: Mapping[str, object], predictions: pd.DataFrame | None
) -> tuple[Mapping[str, object], Report]:
    """Add the score that predictions give to a draft, as for ``submit``, that claims none.

    Returns:
        The draft, unchanged where it has a score or none can be computed, and the report that says why.
    """
    if predictions is None or not isinstance(draft, Mapping):
        return draft, NO_PREDICTIONS
    metrics, task_id = draft.get("metrics") or {}, draft.get("task")
    if not isinstance(metrics, Mapping) or not isinstance(task_id, str) or task_id not in tasks.task_ids():
        return draft, NO_PREDICTIONS
    metric = tasks.by_id(task_id).metric
    if not is_blank(metrics.get(metric)):
        return draft, NO_PREDICTIONS
    try:
        report, _ = examined(store, task_id, tables.predictions(predictions), {}, {}, None)
    except tables.TableProblemError:
        return draft, NO_PREDICTIONS  # ``submit`` words it
    own = [score.computed for score in report.scores if score.name == metric and report.matched]
    return ({**draft, "metrics": {**metrics, metric: round(own[0], _DECIMALS)}} if own else draft), report


def _existing(leaderboard: Board, submission: Submission) -> pd.DataFrame:
    claim = submission.claim
    name = _folded(claim.model)
    same = leaderboard.rows["model"].map(_folded).eq(name) | leaderboard.rows["name"].map(_folded).eq(name)
    rows_ = leaderboard.rows.loc[same & (leaderboard.rows["run_id"] != submission.status.run_id)]
    params = rows_["params"].fillna(rows_["params_reported"])
    own = claim.metrics[tasks.by_id(claim.task).metric]
    return (
        rows_[_EXISTING]
        .assign(
            params=params,
            same_params=(params == claim.params).fillna(False).astype(bool),
            score_difference=own - rows_["score"],
        )
        .reset_index(drop=True)
    )


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
