"""Blind votes in the store: each counted once, within the limit, without texts or names of visitors."""

from dataclasses import replace

import pytest

from db import votes
from db.base.errors import LimitError
from db.storage.store import Store
from db.votes import Vote, VoteError

VOTE = Vote(kind="qa", texts=("How is the box?", "The box is red."), left="Small", right="Tiny", verdict="left")


def _stored(store: Store) -> list[dict[str, object]]:
    return store.query("SELECT * FROM votes ORDER BY created_at").to_dict("records")


def test_a_vote_is_kept_without_its_texts_and_its_client(board: Store) -> None:
    votes.cast(board, VOTE, "192.0.2.7")
    (row,) = _stored(board)
    assert (row["left_model"], row["right_model"], row["verdict"]) == ("Small", "Tiny", "left")
    assert not any("192.0.2.7" in str(value) or "box" in str(value) for value in row.values())


@pytest.mark.parametrize("again", [VOTE, replace(VOTE, verdict="tie"), replace(VOTE, left="Tiny", right="Small")])
def test_the_same_two_answers_are_voted_on_once(board: Store, again: Vote) -> None:
    """Also with another verdict, or with the sides exchanged; the first vote counts."""
    votes.cast(board, VOTE, "a")
    with pytest.raises(VoteError, match="already voted"):
        votes.cast(board, again, "a")
    assert [row["verdict"] for row in _stored(board)] == ["left"]


@pytest.mark.parametrize(
    ("client", "vote"),
    [
        ("b", VOTE),
        ("a", replace(VOTE, right="Base")),
        ("a", replace(VOTE, texts=("How is the cup?", "The box is red."))),
        ("a", replace(VOTE, kind="sentiment")),
    ],
)
def test_another_client_pair_or_text_is_another_vote(board: Store, client: str, vote: Vote) -> None:
    votes.cast(board, VOTE, "a")
    votes.cast(board, vote, client)
    assert len(_stored(board)) == 2


@pytest.mark.parametrize(
    "vote",
    [replace(VOTE, right="Small"), replace(VOTE, left=""), replace(VOTE, verdict="best"), replace(VOTE, kind="x")],
)
def test_a_vote_that_says_nothing_is_refused(board: Store, vote: Vote) -> None:
    with pytest.raises(VoteError):
        votes.cast(board, vote, "a")
    assert _stored(board) == []


def test_a_client_votes_so_often_an_hour(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others are not counted; 0 removes the limit."""
    monkeypatch.setenv("FEATHERBOARD_VOTES_PER_HOUR", "2")
    for text in "xy":
        votes.cast(board, replace(VOTE, texts=(text,)), "a")
    with pytest.raises(LimitError, match="2 times within an hour"):
        votes.cast(board, VOTE, "a")
    votes.cast(board, VOTE, "b")
    votes.cast(board, VOTE, "a", per_hour=0)
    assert len(_stored(board)) == 4


def test_models_are_rated_by_kind_best_first(board: Store) -> None:
    for number, verdict in enumerate(["left", "left", "left", "right", "tie", "neither"]):
        votes.cast(board, replace(VOTE, texts=(str(number),), verdict=verdict), "a")
    votes.cast(board, replace(VOTE, texts=("other side",), left="Tiny", right="Small", verdict="right"), "a")
    votes.cast(board, replace(VOTE, kind="nli", left="Tiny", right="Base", verdict="left"), "a")
    rated = votes.ratings(board, "qa")
    assert rated["model"].tolist() == ["Small", "Tiny"]
    assert rated[["votes", "wins", "ties", "wrong"]].to_numpy().tolist() == [[7, 4, 1, 1], [7, 1, 1, 1]]
    assert rated["low"].lt(rated["rating"]).all()
    assert rated["high"].gt(rated["rating"]).all()
    assert votes.ratings(board, "sentiment").empty
