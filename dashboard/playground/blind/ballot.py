"""The open ballot of a visit: two hidden models, the verdict, and which pairs were voted on before."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground.state import Question
from dashboard.ui import cache, visitor
from db import votes
from db.base.errors import FeatherboardError
from db.votes import Verdict, Vote, VoteError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef, TaskType

_OPEN, _VOTED, _PROBLEM = "pg_ballot", "pg_voted", "pg_vote_problem"
_RANDOM = secrets.SystemRandom()

Pair = tuple["TaskType", tuple[str, ...], frozenset[str]]


@dataclass
class Ballot:
    """Two models in random order, and what the visitor thinks of their answers; None before the vote."""

    kind: "TaskType"
    texts: tuple[str, ...]
    left: "ModelRef"
    right: "ModelRef"
    verdict: Verdict | None = None

    @property
    def pair(self) -> Pair:
        """What a visitor votes on once."""
        return self.kind, self.texts, frozenset((self.left.name, self.right.name))


def current(kind: "TaskType", question: Question, offered: "Sequence[ModelRef]") -> Ballot | None:
    """Return the open ballot on a question, drawn by chance where there is none.

    Returns:
        None where this visit has voted on every pair.
    """
    ballot = st.session_state.get(_OPEN)
    if isinstance(ballot, Ballot) and (ballot.kind, ballot.texts) == (kind, question.texts):
        return ballot
    voted: set[Pair] = st.session_state.setdefault(_VOTED, set())
    ballots = [Ballot(kind, question.texts, *pair) for pair in combinations(offered, 2)]
    ballots = [ballot for ballot in ballots if ballot.pair not in voted]
    if not ballots:
        return None
    ballot = _RANDOM.choice(ballots)
    ballot.left, ballot.right = _RANDOM.sample((ballot.left, ballot.right), 2)
    st.session_state[_OPEN] = ballot
    return ballot


def vote(verdict: Verdict) -> None:
    """Count a vote on the open ballot and close it; for callbacks. What stands in the way is kept for ``problem``."""
    ballot = st.session_state.get(_OPEN)
    if not isinstance(ballot, Ballot) or ballot.verdict is not None:
        return  # a second click on a page that was not drawn again yet
    cast = Vote(kind=ballot.kind, texts=ballot.texts, left=ballot.left.name, right=ballot.right.name, verdict=verdict)
    try:
        votes.cast(cache.store(), cast, visitor.client())
    except FeatherboardError as error:
        st.session_state[_PROBLEM] = error
        if not isinstance(error, VoteError):
            return  # the ballot stays open
    ballot.verdict = verdict
    st.session_state[_VOTED].add(ballot.pair)


def problem() -> FeatherboardError | None:
    """Return why the last vote was not counted, once."""
    error: FeatherboardError | None = st.session_state.pop(_PROBLEM, None)
    return error


def close() -> None:
    """Put the ballot away, so that another pair is drawn; for callbacks."""
    st.session_state.pop(_OPEN, None)
