"""A moderator at work: everything is read and decided with the token, which ``db.submissions`` asks for every time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import pandas as pd
import streamlit as st

from dashboard.moderation import sign_in
from dashboard.ui import cache
from db import submissions
from db.submissions import Difference, Glance, Submission, moderator
from db.submissions.records import STATES, State
from db.submissions.verification import Report

T = TypeVar("T")

MOST = 500
"""Rows of a list."""


# A moderator types a reason while a submission is open, and every key would score its predictions again. The call is no
# part of the key; who asks has shown the token before anything is taken from here.
@st.cache_resource(max_entries=128, show_spinner=False)
def _kept(path: Path, state: str, facts: tuple[object, ...], _read: Callable[[], object]) -> object:
    return _read()


@dataclass(frozen=True)
class Desk:
    """What a moderator can do.

    Attributes:
        token: What the visitor showed.
    """

    token: str = field(repr=False)

    def _look(self, read: Callable[..., T], *facts: object, **asked: Any) -> T:
        """What is read of the database, kept until it changes; not to be written to."""
        moderator.require(self.token, sign_in.tokens)
        here = cache.store()

        def call() -> object:
            return read(here, *facts, token=self.token, tokens=sign_in.tokens, **asked)

        told = tuple(tuple(one) if isinstance(one, list) else one for one in (*facts, *sorted(asked.items())))
        return cast("T", _kept(here.path, cache.state_of(here), (read.__name__, *told), call))

    def counts(self) -> dict[State, int]:
        """How many there are in each state."""
        return self._look(submissions.counts)

    def queue(self, states: Sequence[State], *, search: str = "", batch: str = "", limit: int = MOST) -> pd.DataFrame:
        """Submissions, the oldest first; see ``db.submissions.queue``."""
        return self._look(submissions.queue, states=tuple(states or STATES), search=search, batch=batch, limit=limit)

    def glances(self, ids: Sequence[str]) -> dict[str, Glance]:
        """States of verification and flags of some submissions."""
        return self._look(submissions.glances, tuple(ids))

    def look(self, submission_id: str) -> Difference:
        """One submission beside the board."""
        return self._look(submissions.difference, submission_id)

    def history(self, submission_id: str) -> pd.DataFrame:
        """What was done with one."""
        return self._look(submissions.history, submission_id)

    def answers(self, submission_id: str, limit: int) -> pd.DataFrame:
        """The first of its predictions."""
        return self._look(submissions.answers, submission_id, limit=limit)

    def points(self, submission_id: str) -> pd.DataFrame:
        """Its curves."""
        return self._look(submissions.points, submission_id)

    def now(self, submission_id: str) -> Submission:
        """One submission as it is this moment."""
        return submissions.read(cache.store(), submission_id, token=self.token, tokens=sign_in.tokens)

    def accept(self, submission_id: str) -> str:
        """Put it on the board; the id of its run."""
        return submissions.accept(cache.store(), submission_id, token=self.token, tokens=sign_in.tokens)

    def reject(self, submission_id: str, reason: str) -> None:
        """Turn it down."""
        submissions.reject(cache.store(), submission_id, reason, token=self.token, tokens=sign_in.tokens)

    def merge(self, submission_id: str, into: str, reason: str) -> None:
        """Let another row stand for it."""
        submissions.merge(cache.store(), submission_id, into, token=self.token, reason=reason, tokens=sign_in.tokens)

    def withdraw(self, submission_id: str, reason: str) -> None:
        """Take it from the queue or from the board."""
        submissions.withdraw(cache.store(), submission_id, token=self.token, reason=reason, tokens=sign_in.tokens)

    def unverified(self) -> list[str]:
        """Submitted runs on the board that have predictions and no badge."""
        moderator.require(self.token, sign_in.tokens)
        return submissions.unverified(cache.store())

    def verify(self, run_id: str) -> Report:
        """Score a run's predictions anew."""
        moderator.require(self.token, sign_in.tokens)
        return submissions.verify_run(cache.store(), run_id)

    def waiting(self, *, search: str = "", batch: str = "") -> list[str]:
        """Ids of what waits, the oldest first, as it is this moment."""
        found = submissions.queue(cache.store(), token=self.token, tokens=sign_in.tokens, search=search, batch=batch)
        return [str(one) for one in found["submission_id"]]


def following(waiting: Sequence[str], decided: str) -> str | None:
    """The row to open after one was decided: the next one that waits, else the first, else none.

    Args:
        waiting: What waited before, in order.
        decided: The one that was decided.
    """
    at = list(waiting).index(decided) if decided in waiting else -1
    others = [*waiting[at + 1 :], *waiting[: max(at, 0)]]
    return others[0] if others else None
