"""What the pages keep of the database, and for how long."""

from datetime import timedelta

import pytest

from dashboard.ui import cache
from db.base.clock import utc_now
from db.runs import status
from db.runs.status import DEAD_AFTER_S
from db.runs.writer import ModelFacts, RunWriter
from db.storage.store import Store
from tests.factories.runs import add_run, facts

TASK = "reviews-ko-mini"


@pytest.fixture
def shown(board: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The store that the pages read."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    return board


def test_a_board_is_shared_until_the_database_changes(shown: Store) -> None:
    """Two looks get the very same board, and the next one after a new run another with the run in it."""
    add_run(shown, accuracy=0.6)
    first = cache.leaderboard(TASK, every_run=True)
    assert cache.leaderboard(TASK, every_run=True) is first
    assert cache.leaderboard(TASK, every_run=False) is not first
    add_run(shown, accuracy=0.7)
    assert len(cache.leaderboard(TASK, every_run=True).rows) == 2
    assert len(first.rows) == 1, "a board that somebody holds has changed"


def test_a_figure_is_made_once_for_each_state_of_the_database(shown: Store) -> None:
    """By its facts; after a change of the database it is made again."""
    made: list[str] = []

    def look(fact: str) -> str:
        return cache.once(lambda: made.append(fact) or f"figure of {fact}", "figure", fact)

    assert [look(fact) for fact in ("a", "b", "a")] == ["figure of a", "figure of b", "figure of a"]
    assert made == ["a", "b"]
    add_run(shown, accuracy=0.6)
    look("a")
    assert made == ["a", "b", "a"]


def test_time_alone_ends_a_run_whose_process_is_gone(shown: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a run is running a board is read again every minute, though nobody writes; without one it is not."""
    add_run(shown, accuracy=0.6)
    quiet = cache.leaderboard(TASK, every_run=True)
    later = cache.time.time() + 3_600
    with monkeypatch.context() as hour:
        hour.setattr(cache.time, "time", lambda: later)
        assert cache.leaderboard(TASK, every_run=True) is quiet
    writer = RunWriter.start(shown, ModelFacts("m", "M", "F", "bilstm", {}, 10), facts())
    assert "running" in set(cache.leaderboard(TASK, every_run=True).rows["status"])
    monkeypatch.setattr(cache.time, "time", lambda: later)
    monkeypatch.setattr(status, "utc_now", lambda: utc_now() + timedelta(seconds=DEAD_AFTER_S + 60))
    rows = cache.leaderboard(TASK, every_run=True).rows.set_index("run_id")
    assert rows.loc[writer.run_id, "status"] == "interrupted"
