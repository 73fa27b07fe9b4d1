"""Blind votes: which of two answers a visitor prefers, before the names of the models are shown.

A vote keeps no text and no name of a visitor. What a vote is about is hashed with the salt of the day, by which limits
recognise a client too; see ``db.submissions.limits``.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, get_args

import duckdb
import numpy as np
import pandas as pd

from db.base.clock import utc_now
from db.base.errors import FeatherboardError, LimitError
from db.runs.feedback import KINDS, Kind
from db.statistics import bradley_terry
from db.storage.store import Store
from db.submissions import limits

Verdict = Literal["left", "right", "tie", "neither"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
"""The left answer is better, the right one, both are equally good, both are wrong."""

_SEPARATOR = "\x1f"


class VoteError(FeatherboardError):
    """A vote was not counted; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Vote:
    """A verdict on the answers of two models to the same texts.

    Attributes:
        kind: What the models do.
        texts: What they answered; not stored.
        left: Name of the left model.
        right: Name of the right one.
        verdict: One of ``VERDICTS``.
    """

    kind: Kind
    texts: tuple[str, ...]
    left: str
    right: str
    verdict: Verdict


def cast(store: Store, vote: Vote, client: str, per_hour: int | None = None) -> None:
    """Count a vote.

    Args:
        store: The database.
        vote: The vote.
        client: Who votes, such as a network address; only a salted hash is stored.
        per_hour: Votes of one client in an hour; 0 removes the limit, None takes this installation's.

    Raises:
        VoteError: The client has voted on these two answers already, or a field is wrong; nothing was counted.
        LimitError: The client has voted too often within an hour; nothing was counted.
        StoreError: The database could not be written.
    """
    if vote.kind not in KINDS or vote.verdict not in VERDICTS or not vote.left or vote.left == vote.right:
        raise VoteError("A vote is about two models of one kind, and says left, right, tie or neither.")
    limit = limits.from_environment().votes_per_hour if per_hour is None else per_hour
    ballot = _SEPARATOR.join([client, vote.kind, *sorted([vote.left, vote.right]), *vote.texts])
    with store.transaction() as con:
        if _count(con, "ballot IN (SELECT unnest(?))", limits.client_hashes(con, ballot)):
            raise VoteError("You have already voted on these two answers. The first vote counts.")
        hashes, since = limits.client_hashes(con, client), utc_now() - timedelta(hours=1)
        recent = _count(con, "client_hash IN (SELECT unnest(?)) AND created_at > ?", hashes, since)
        if limit and recent >= limit:
            raise LimitError(
                f"You have voted {recent} times within an hour, and the limit is {limit}. This vote was not counted; "
                "try again later."
            )
        own = (limits.client_hash(con, ballot), limits.client_hash(con, client))
        row = (*own, vote.kind, vote.left, vote.right, vote.verdict, utc_now())
        con.execute("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def _count(con: duckdb.DuckDBPyConnection, condition: str, *parameters: object) -> int:
    row = con.execute(f"SELECT count(*) FROM votes WHERE {condition}", list(parameters)).fetchone()  # noqa: S608
    return int(row[0]) if row else 0


def ratings(store: Store, kind: Kind) -> pd.DataFrame:
    """Rate the models that visitors voted on; see ``db.statistics.bradley_terry``.

    Returns:
        Columns ``model``, ``votes``, ``wins``, ``ties`` (equally good), ``wrong`` (both wrong), ``rating``, ``low``,
        ``high``, ``first``, ``last``; best first, models that votes do not connect with the others last.
    """
    rows = store.query(
        "SELECT left_model, right_model, verdict, count(*) AS n FROM votes WHERE kind = ? GROUP BY ALL", [kind]
    )
    models = sorted({*rows["left_model"], *rows["right_model"]})
    index_of = {model: index for index, model in enumerate(models)}
    counts = {verdict: np.zeros((len(models), len(models)), np.int64) for verdict in VERDICTS}
    for left, right, verdict, n in rows.itertuples(index=False):
        counts[verdict][index_of[left], index_of[right]] += n
    wins = counts["left"] + counts["right"].T
    ties, wrong = (counts[verdict] + counts[verdict].T for verdict in ("tie", "neither"))
    rated = bradley_terry.rate(wins, ties + wrong)
    result = pd.DataFrame(
        {
            "model": models,
            "votes": (wins + wins.T + ties + wrong).sum(1),
            "wins": wins.sum(1),
            "ties": ties.sum(1),
            "wrong": wrong.sum(1),
            "rating": rated.value,
            "low": rated.low,
            "high": rated.high,
            "first": rated.first,
            "last": rated.last,
        }
    )
    return result.sort_values(["rating", "votes"], ascending=False, na_position="last", ignore_index=True)
