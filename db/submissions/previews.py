"""A row before it is on the board: as it would be shown, and compared with the rows that are there."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from db.base.problems import Code, Flag, Message, Problem
from db.leaderboard import board_ranks
from db.leaderboard.board import MAX_TESTED, TESTED_METRICS, Board, board
from db.registry import tasks
from db.statistics.ranking import PairedRows, rank_ranges
from db.storage import outcomes
from db.storage.store import Store
from db.submissions import gold_answers, records, rows, tables, verification
from db.submissions.claim import Claim
from db.submissions.gold_answers import GoldLabels, GoldLabelsError
from db.submissions.records import Submission
from db.submissions.verification import Report, State

NO_PREDICTIONS = Report("no predictions")

_RUN_COLUMNS = [
    *("name", "dataset", "split", "source", "verified", "status", "device", "teacher"),
    *("train_seconds", "citation", "notes", "caveat"),
]
_MODEL_COLUMNS = ("family", "architecture", "params", "params_reported")
_EXISTING = ["run_id", "name", "source", "verified", "dataset", "params", "score"]


@dataclass(frozen=True)
class Preview:
    """A row as the board would show it.

    Attributes:
        row: The columns of ``Board.rows`` that a claim knows: ``name, model, family, architecture, params,
            params_reported, dataset, split, source, verified, status, device, teacher, train_seconds, citation, notes,
            caveat, score, low, high, n``.
        metrics: All its metrics.
        rank: As the board writes it, ``2-4`` where the data cannot tell rows apart.
        best: The best rank that it may have.
        worst: The worst.
        rows: Ranked rows of the board, including it.
        above: ``run_id, model, score`` of the row before it; None where it is the first.
        below: Of the row after it; None where it is the last.
    """

    row: dict[str, Any]
    metrics: dict[str, float]
    rank: str
    best: int
    worst: int
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


def preview(store: Store, claim: Claim, *, report: Report = NO_PREDICTIONS, every_run: bool = False) -> Preview:
    """Show a claim as a row of its board.

    Args:
        store: The database.
        claim: Of ``db.submissions.claim.check``.
        report: Of its predictions.
        every_run: Whether to rank it among all runs, or among the rows that each stand for several seeds.
    """
    return on_board(store, board(store, claim.task, every_run=every_run), claim, report)


def on_board(store: Store, leaderboard: Board, claim: Claim, report: Report = NO_PREDICTIONS) -> Preview:
    """Show a claim as a row of a board that is loaded already; see ``preview``."""
    task = tasks.by_id(claim.task)
    metrics = rows.metric_values(task, claim.metrics, report)
    own = next(metric for metric in metrics if metric.name == task.metric)
    run, model = rows.run_row(claim, "", report), rows.model_row(claim)
    row = {name: run[name] for name in _RUN_COLUMNS} | {name: model[name] for name in _MODEL_COLUMNS}
    row |= {"model": model["name"], "score": own.value, "low": own.low, "high": own.high, "n": own.n}
    sign = 1.0 if task.direction == "max" else -1.0
    others = leaderboard.rows["score"].to_numpy(dtype=float, na_value=np.nan)
    low, high = (np.nan if end is None else sign * end for end in (own.low, own.high))
    sure = leaderboard.estimates.with_row(sign * own.value, min(low, high), max(low, high))
    tested = _tested(store, leaderboard, sign * own.value, report)
    ranks = rank_ranges(sure, tested, np.append(leaderboard.rows["ranked"].to_numpy(dtype=bool), True))
    before = int((sign * others > sign * own.value).sum())  # the board's rows come best first
    ranked = int(((ranks.ends[:, 0] > 0) | (ranks.about > 0)).sum())
    return Preview(
        row,
        {metric.name: metric.value for metric in metrics},
        ranks.texts()[-1],
        int(ranks.ends[-1][0]),
        int(ranks.ends[-1][1]),
        ranked,
        _neighbour(leaderboard, before - 1),
        _neighbour(leaderboard, before) if before < np.isfinite(others).sum() else None,
    )


def _tested(store: Store, leaderboard: Board, value: float, report: Report) -> Sequence[PairedRows]:
    """Sets of rows on the same examples, the new one among them where it is one of the best runs."""
    sign = 1.0 if leaderboard.task["direction"] == "max" else -1.0
    best = leaderboard.best
    better = int((sign * best["score"] >= value).sum())
    if report.answers is None or better >= MAX_TESTED or leaderboard.task["metric"] not in TESTED_METRICS:
        return leaderboard.tested
    best = best[: MAX_TESTED - 1]
    with store.read() as con:
        sets = outcomes.read(con, best["run_id"].tolist(), report.answers)
    row_of = np.append(best["row"].to_numpy(dtype=np.intp), len(leaderboard.rows))
    return board_ranks.tested(sets, row_of, np.append(leaderboard.estimates.seeds, 1.0))


def _neighbour(leaderboard: Board, position: int) -> dict[str, Any] | None:
    if not 0 <= position < len(leaderboard.rows):
        return None
    row: dict[str, Any] = leaderboard.rows.loc[position, ["run_id", "model", "score"]].to_dict()
    return row


def difference(store: Store, submission_id: str) -> Difference:
    """Collect everything that a moderator decides by; nothing is changed.

    Args:
        store: The database.
        submission_id: An id, or its beginning.

    Raises:
        NotFoundError: There is no such submission.
    """
    with store.read() as con:
        submission = records.load(con, submission_id)
        predictions = records.predictions(con, submission.status.submission_id)
        flags = verification.submission_flags(con, submission)
    report, _ = verified(store, submission, predictions)
    leaderboard = board(store, submission.claim.task)
    return Difference(
        submission,
        on_board(store, leaderboard, submission.claim, report),
        report,
        _existing(leaderboard, submission),
        (*report.flags, *flags),
    )


def summaries(store: Store, submission_ids: Sequence[str]) -> dict[str, QueueSummary]:
    """Report verdicts and flags of several submissions, without comparing them with the board.

    Args:
        store: The database.
        submission_ids: Whole ids.

    Raises:
        NotFoundError: There is no such submission.
    """
    result = {}
    for submission_id in submission_ids:
        with store.read() as con:
            submission = records.load(con, submission_id)
            flags = verification.submission_flags(con, submission)
            predictions = records.predictions(con, submission_id)
        report, _ = verified(store, submission, predictions)
        result[submission_id] = QueueSummary(report.state, (*report.flags, *flags))
    return result


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
        return Report("no golds", error.message, task.split_size, rows=len(predictions)).with_flags(*flags), None
    return verification.examine(task, gold, predictions, claimed, decimals).with_flags(*flags), gold


def verify_claim(
    store: Store, claim: Claim, predictions: pd.DataFrame, decimals: dict[str, int] | None = None
) -> Report:
    """Score predictions before they are submitted, for a form.

    Args:
        store: The database.
        claim: Of ``db.submissions.claim.check``.
        predictions: As for ``submit``.
        decimals: Of ``db.submissions.claim.decimals``.

    Returns:
        ``unscored`` where the table cannot be used; ``source`` says why.
    """
    try:
        checked = tables.predictions(predictions)
    except tables.TableProblemError as error:
        problem = Problem(error.message.code, error.message.params, error.field)
        return Report("unscored", Message(Code.INVALID_TABLE, {"problem": problem}))
    return examined(store, claim.task, checked, claim.metrics, decimals or {}, None)[0]


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
