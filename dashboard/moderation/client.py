"""A moderator's access to submissions: every call checks the token or the login first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from dashboard.moderation import token as tokens
from dashboard.ui import cache
from db import submissions
from db.storage.store import Store
from db.submissions import Difference, QueueSummary, Submission, annotations
from db.submissions.records import STATES, State
from db.submissions.verification import Report

T = TypeVar("T")

MAX_ROWS = 500
"""Rows of a list."""


@dataclass(frozen=True)
class ModerationClient:
    """What a moderator can read and decide.

    Attributes:
        token: What the visitor typed; None for whoever logged in.
    """

    token: str | None = field(repr=False)

    @property
    def _store(self) -> Store:
        if self.token is None:
            tokens.require_login()
        else:
            tokens.require(self.token)
        return cache.store()

    @property
    def _by(self) -> str | None:
        """Who decides, for the history; a token is nobody's name."""
        return tokens.moderator() if self.token is None else None

    def _read(self, read: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Read from the database, or from the cache while the database has not changed; not to be written to.

        A moderator types a reason while a submission is open, and every key would score its predictions again.
        """
        store = self._store
        facts = (read.__qualname__, *arguments, *sorted(options.items()))
        return cache.once(lambda: read(store, *arguments, **options), "moderation", *facts)

    def counts(self) -> dict[State, int]:
        """Count the submissions in each state."""
        return self._read(submissions.counts)

    def queue(
        self, states: Sequence[State], *, search: str = "", batch: str = "", limit: int = MAX_ROWS
    ) -> pd.DataFrame:
        """List submissions, the oldest first; see ``db.submissions.queue``."""
        return self._read(submissions.queue, states=tuple(states or STATES), search=search, batch=batch, limit=limit)

    def summaries(self, ids: Sequence[str]) -> dict[str, QueueSummary]:
        """Report verdicts and flags of some submissions."""
        return self._read(submissions.summaries, tuple(ids))

    def difference(self, submission_id: str) -> Difference:
        """Compare a submission with the board."""
        return self._read(submissions.difference, submission_id)

    def history(self, submission_id: str) -> pd.DataFrame:
        """List what was done with a submission."""
        return self._read(submissions.history, submission_id)

    def answers(self, submission_id: str, limit: int) -> pd.DataFrame:
        """Read the first predictions of a submission."""
        return self._read(submissions.answers, submission_id, limit=limit)

    def points(self, submission_id: str) -> pd.DataFrame:
        """Read the curves of a submission."""
        return self._read(submissions.points, submission_id)

    def current(self, submission_id: str) -> Submission:
        """Read a submission as it is now."""
        return submissions.read(self._store, submission_id)

    def accept(self, submission_id: str) -> str:
        """Put a submission on the board; returns the id of its run."""
        return submissions.accept(self._store, submission_id, by=self._by)

    def reject(self, submission_id: str, reason: str) -> None:
        """Reject a submission."""
        submissions.reject(self._store, submission_id, reason, by=self._by)

    def merge(self, submission_id: str, into: str, reason: str) -> None:
        """Merge a submission into another row."""
        submissions.merge(self._store, submission_id, into, reason=reason, by=self._by)

    def withdraw(self, submission_id: str, reason: str) -> None:
        """Withdraw a submission from the queue or from the board."""
        submissions.withdraw(self._store, submission_id, reason=reason, by=self._by)

    def annotate(self, run_id: str, *, add: Sequence[str], remove: Sequence[str], note: str | None) -> None:
        """Change the tags and the note of a run."""
        submissions.annotate(self._store, run_id, add=add, remove=remove, note=note, by=self._by)

    def tags(self) -> list[str]:
        """List the tags of all runs."""
        return annotations.tags_in_use(self._store)

    def annotations(self, run_id: str) -> pd.DataFrame:
        """List the changes of a run's tags and note."""
        return annotations.history(self._store, run_id)

    def unverified(self) -> list[str]:
        """List the submitted runs on the board that have predictions and no badge."""
        return submissions.unverified(self._store)

    def verify(self, run_id: str) -> Report:
        """Score a run's predictions again."""
        return submissions.verify_run(self._store, run_id)

    def waiting(self, *, search: str = "", batch: str = "") -> list[str]:
        """List the ids of what waits now, the oldest first."""
        rows = submissions.queue(self._store, search=search, batch=batch)
        return [str(submission_id) for submission_id in rows["submission_id"]]


def following(waiting: Sequence[str], decided: str) -> str | None:
    """Choose the row to open after one was decided: the next that waits, else the first, else none.

    Args:
        waiting: What waited before, in order.
        decided: The one that was decided.
    """
    position = list(waiting).index(decided) if decided in waiting else -1
    others = [*waiting[position + 1 :], *waiting[: max(position, 0)]]
    return others[0] if others else None
