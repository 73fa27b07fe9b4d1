"""The blind test of the playground: two hidden models, one vote, then their names and the ratings."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.playground import engine_bridge
from db import votes
from db.base.paths import default_database
from db.storage.store import Store
from engine.inference import models
from tests.dashboard.page_driver import visit
from tests.factories.models import span_folder

NAMES = ("Kestrel", "Plover")
QUESTION, CONTEXT = "How is the box?", "The box is red. The cup is blue."
VOTE = votes.Vote(kind="qa", texts=(QUESTION, CONTEXT), left=NAMES[0], right=NAMES[1], verdict="left")
VISITOR = "192.0.2.7"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two tiny models."""
    root = tmp_path_factory.mktemp("blind")
    return [span_folder(root / name, seed=seed) for seed, name in enumerate(NAMES)]


@pytest.fixture
def opened(folders: list[Path], default_board: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The tab, with two models that answer questions and none of another kind."""
    refs = [models.named(default_board, f"folder:{folder}") for folder in folders]
    monkeypatch.setattr(engine_bridge, "listed", lambda kind: refs if kind == "qa" else [])
    monkeypatch.setattr("dashboard.ui.visitor.client", lambda: VISITOR)
    return _open()


def _open(**address: str) -> AppTest:
    return visit("playground", **{"tab": "blind", "t1": QUESTION, "t2": CONTEXT, **address})


def _shown(app: AppTest) -> str:
    """Everything that the browser has of the page."""
    return "\n".join(str(element.proto) for element in app.main) + str(dict(app.query_params))


def _vote(app: AppTest, verdict: str) -> AppTest:
    return app.button(key=f"pg_vote_{verdict}").click().run()


def test_names_are_shown_only_after_the_vote(opened: AppTest) -> None:
    assert not opened.exception
    assert not any(name in _shown(opened) for name in NAMES)
    _vote(opened, "neither")
    assert not opened.exception
    assert all(name in _shown(opened) for name in NAMES)
    assert [element.value for element in opened.success] == ["Your vote was counted: Both wrong."]


def test_a_vote_is_in_the_store_and_in_the_ratings(opened: AppTest) -> None:
    assert any(element.value == "No votes yet. Yours is the first." for element in opened.caption)
    ballot = opened.session_state["pg_ballot"]
    _vote(opened, "tie")
    (row,) = Store(default_database()).query("SELECT * FROM votes").to_dict("records")
    assert (row["left_model"], row["right_model"], row["verdict"]) == (ballot.left.name, ballot.right.name, "tie")
    assert any("from 1 vote," in element.value for element in opened.caption)


def test_every_pair_is_voted_on_once(opened: AppTest) -> None:
    """A visit that voted on all pairs is offered none; another visit by the same visitor is refused."""
    _vote(opened, "tie")
    opened.button(key="pg_vote_next").click().run()
    assert any("all pairs" in element.value for element in opened.info)
    votes.cast(Store(default_database()), replace(VOTE, texts=("How is the cup?", CONTEXT)), VISITOR)
    opened.text_input(key="pg_qa_t1").set_value("How is the cup?")
    opened.button(key="pg_qa_ask").click().run()
    _vote(opened, "tie")
    assert [element.value for element in opened.warning] == [
        "You have already voted on these two answers. The first vote counts."
    ]
    assert len(Store(default_database()).query("SELECT * FROM votes")) == 2


def test_a_vote_over_the_limit_is_not_counted_and_names_stay_hidden(
    opened: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEATHERBOARD_VOTES_PER_HOUR", "1")
    votes.cast(Store(default_database()), replace(VOTE, texts=("x",)), VISITOR)
    _vote(opened, "tie")
    assert any("try again later" in element.value for element in opened.warning)
    assert not any(f"**{name}**" in _shown(opened) for name in NAMES)
    assert opened.button(key="pg_vote_tie")


def test_sides_are_random(opened: AppTest) -> None:
    """Of 20 visits, each model is on the left at least once (fails once in 500,000 times)."""
    from dashboard.playground.blind import ballot

    refs = engine_bridge.listed("qa")
    left = set()
    for _ in range(20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ballot.st, "session_state", {})
            chosen = ballot.current("qa", opened.session_state["pg_qa_asked"], refs)
            assert chosen is not None
            left.add(chosen.left.name)
    assert left == set(NAMES)


def test_with_one_model_the_tab_says_what_is_missing(opened: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_bridge, "listed", lambda kind: [])
    app = _open()
    assert any("Two models" in element.value for element in app.info)
