"""A row before it is on the board: as it would stand there, and beside what stands there already."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from db.leaderboard.board import Board, board
from db.registry import tasks
from db.statistics import ranking
from db.storage.store import Store
from db.submissions import flags, gold_answers, moderator, records, rows, tables, verification
from db.submissions.claim import Claim
from db.submissions.gold_answers import Golds, GoldsError
from db.submissions.moderator import Tokens
from db.submissions.records import Submission
from db.submissions.verification import Report, State

_NOTHING = Report("no predictions", "")


@dataclass(frozen=True)
class Preview:
    """A row as the board would show it.

    Attributes:
        row: The columns of ``Board.rows`` that a claim knows: ``name, model, family, architecture, params,
            params_reported, dataset, split, source, verified, status, device, teacher, train_seconds, citation, notes,
            caveat, score, low, high, n``.
        figures: All its figures.
        rank: As the board writes it, ``2-4`` where the data cannot tell rows apart.
        best: The best rank that it may have.
        worst: The worst.
        rows: Ranked rows of the board with it.
        above: ``run_id, model, score`` of the row that would stand before it; None where it is the first.
        below: Of the row behind it; None where it is the last.
    """

    row: dict[str, Any]
    figures: dict[str, float]
    rank: str
    best: int
    worst: int
    rows: int
    above: dict[str, Any] | None
    below: dict[str, Any] | None


@dataclass(frozen=True)
class Difference:
    """A submission beside what is on the board.

    Attributes:
        submission: The row, with its contact.
        preview: As it would be shown.
        report: What its predictions say.
        existing: Rows of the same model on the same board, the best first: ``run_id, name, source, verified, dataset,
            params, score, same_params, score_difference`` (of the submission minus theirs; NaN where there is none).
        flags: What to look at twice, one sentence each.
    """

    submission: Submission
    preview: Preview
    report: Report
    existing: pd.DataFrame
    flags: tuple[str, ...]


def preview(store: Store, claim: Claim, *, report: Report = _NOTHING, every_run: bool = False) -> Preview:
    """The row that a claim would be, and its rank with the ties that the board counts.

    Args:
        store: The database.
        claim: Of ``db.submissions.claim.check``.
        report: Of its predictions.
        every_run: As for ``db.leaderboard.board.board``: among all runs, or among the rows that stand for several.
    """
    return on_board(board(store, claim.task, every_run=every_run), claim, report)


def on_board(there: Board, claim: Claim, report: Report = _NOTHING) -> Preview:
    """As ``preview``, beside a board that is held already.

    Args:
        there: Of the claim's task.
        claim: Of ``db.submissions.claim.check``.
        report: Of its predictions.
    """
    task = tasks.by_id(claim.task)
    told = rows.figures(claim, report)
    own = next(one for one in told if one.name == task.metric)
    run, model = rows.run_row(claim, "", report), rows.model_row(claim)
    kept = (
        "name",
        "dataset",
        "split",
        "source",
        "verified",
        "status",
        "device",
        "teacher",
        "train_seconds",
        "citation",
        "notes",
        "caveat",
    )
    row = (
        {name: run[name] for name in kept}
        | {"model": model["name"], "score": own.value, "low": own.low, "high": own.high, "n": own.n}
        | {name: model[name] for name in ("family", "architecture", "params", "params_reported")}
    )
    sign = 1.0 if task.direction == "max" else -1.0
    shown = there.rows[["score", "low", "high"]].to_numpy(dtype=float, na_value=np.nan)
    mine = [np.nan if end is None else end for end in (own.value, own.low, own.high)]
    value, low, high = np.vstack((shown, mine)).T
    ends = (low, high) if sign > 0 else (-high, -low)
    ranks = ranking.rank_ranges(sign * value, *ends)
    before = int((sign * shown[:, 0] > sign * own.value).sum())  # the board's rows come best first
    ranked = int((ranks[:, 0] > 0).sum())
    best, worst = (int(one) for one in ranks[-1])
    return Preview(
        row,
        {one.name: one.value for one in told},
        ranking.rank_texts(ranks[-1:])[0],
        best,
        worst,
        ranked,
        _beside(there, before - 1),
        _beside(there, before) if before < ranked - 1 else None,
    )


def _beside(there: Board, place: int) -> dict[str, Any] | None:
    if not 0 <= place < len(there.rows):
        return None
    found: dict[str, Any] = there.rows.loc[place, ["run_id", "model", "score"]].to_dict()
    return found


def difference(store: Store, submission_id: str, *, token: str, tokens: Tokens = moderator.configured) -> Difference:
    """Everything that a moderator decides by; nothing is changed.

    Args:
        store: The database.
        submission_id: An id, or its beginning.
        token: The moderator's.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This is no moderator.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        submission = records.one(con, submission_id)
        said = records.predictions(con, submission.status.submission_id)
        told = flags.of_submission(con, submission)
    report, _ = verified(store, submission, said)
    there = board(store, submission.claim.task)
    return Difference(
        submission,
        on_board(there, submission.claim, report),
        report,
        _existing(there, submission),
        (*report.flags, *told),
    )


@dataclass(frozen=True)
class Glance:
    """What can be said of a submission in a list.

    Attributes:
        state: What its predictions say.
        flags: As those of ``Difference``.
    """

    state: State
    flags: tuple[str, ...]


def glances(
    store: Store, submission_ids: Sequence[str], *, token: str, tokens: Tokens = moderator.configured
) -> dict[str, Glance]:
    """What ``difference`` finds without a look at the board, of several submissions.

    Args:
        store: The database.
        submission_ids: Whole ids.
        token: The moderator's.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This is no moderator.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        found = [records.one(con, one) for one in submission_ids]
        told = [flags.of_submission(con, one) for one in found]
    seen = {}
    for one, flagged in zip(found, told, strict=True):
        report = _NOTHING
        if one.predictions:
            with store.read() as con:
                said = records.predictions(con, one.status.submission_id)
            report, _ = verified(store, one, said)
        seen[one.status.submission_id] = Glance(report.state, (*report.flags, *flagged))
    return seen


def verified(store: Store, submission: Submission, said: pd.DataFrame) -> tuple[Report, Golds | None]:
    """What the predictions of a submission say, with what to look at twice, and the right answers where they are."""
    own_run = submission.status.run_id
    return examined(store, submission.claim.task, said, submission.claim.metrics, submission.decimals, own_run)


def examined(
    store: Store,
    task_id: str,
    said: pd.DataFrame,
    claimed: Mapping[str, float],
    decimals: Mapping[str, int],
    own_run: str | None,
) -> tuple[Report, Golds | None]:
    """As ``verified``, of any predictions; see ``db.submissions.verification.examine``.

    The database is closed while files are read and answers are scored, which takes seconds for a large split.
    """
    if said.empty:
        return _NOTHING, None
    task = tasks.by_id(task_id)
    with store.read() as con:
        same = flags.of_answers(con, task, said, own_run)
    try:
        right = gold_answers.find(store, task)
    except GoldsError as error:
        return Report("no golds", str(error), task.split_size, given=len(said)).with_flags(*same), None
    return verification.examine(task, right, said, claimed, decimals).with_flags(*same), right


def verify_claim(
    store: Store, claim: Claim, predictions: pd.DataFrame, decimals: dict[str, int] | None = None
) -> Report:
    """What predictions say of a claim before it is handed in, for a form.

    Args:
        store: The database.
        claim: Of ``db.submissions.claim.check``.
        predictions: As for ``submit``.
        decimals: Of ``db.submissions.claim.decimals``.

    Returns:
        ``unscored`` where the table is wrong; ``told`` says what.
    """
    said = tables.predictions(predictions)
    if not isinstance(said, pd.DataFrame):
        return Report("unscored", f"{said.field} {said.message}")
    return examined(store, claim.task, said, claim.metrics, decimals or {}, None)[0]


_EXISTING = ["run_id", "name", "source", "verified", "dataset", "params", "score"]


def _existing(there: Board, submission: Submission) -> pd.DataFrame:
    claim = submission.claim
    wanted = _folded(claim.model)
    same = there.rows["model"].map(_folded).eq(wanted) | there.rows["name"].map(_folded).eq(wanted)
    found = there.rows.loc[same & (there.rows["run_id"] != submission.status.run_id)]
    listed = found["params"].fillna(found["params_reported"])
    own = claim.metrics[tasks.by_id(claim.task).metric]
    return (
        found[_EXISTING]
        .assign(
            params=listed,
            same_params=(listed == claim.params).fillna(False).astype(bool),
            score_difference=own - found["score"],
        )
        .reset_index(drop=True)
    )


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
