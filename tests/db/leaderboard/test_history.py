"""What changed: new, best, replaced and withdrawn runs, the newest first."""

import json
from datetime import UTC, timedelta
from xml.etree import ElementTree as ET

import pytest

from db.leaderboard.board import board
from db.leaderboard.history import arrivals, history
from db.sharing.feed import atom
from db.storage.store import Store
from tests.factories.rows import T0, change, model_row, run_row, whole_run, with_tasks

ATOM = "{http://www.w3.org/2005/Atom}"
SCORES = (0.80, 0.90, 0.85, 0.99, 0.91)


def _withdrawal(run_id: str) -> list[object]:
    return [run_id, "wrong <data>", T0 + timedelta(days=20)]


@pytest.fixture
def store(tmp_path) -> Store:
    """Five runs on five days: the fourth was withdrawn, the third was replaced; and a printed and a shipped one."""
    store = with_tasks(Store(tmp_path / "board.duckdb"))
    batch = [change("models", model_row())]
    for day, score in enumerate(SCORES):
        batch += whole_run(f"run-{day:08d}", score, finished_at=T0 + timedelta(days=day))
    batch += whole_run("run-printed", 0.95, source="reported")
    batch += whole_run("run-shipped", 0.70)
    store.write([*batch, change("runs", run_row("run-failed00", status="failed"))])
    with store.transaction() as con:
        con.execute("INSERT INTO withdrawals VALUES (?, ?, ?)", _withdrawal("run-00000003"))
        con.execute(
            "INSERT INTO run_versions VALUES ('run-00000002', 1, 'Tiny', ?, ?, 'a moderator', ''::BLOB)",
            [json.dumps({"accuracy": 0.84}), T0 + timedelta(days=10)],
        )
        con.execute("INSERT INTO provenance VALUES ('run-shipped', 'shipped', NULL, NULL, ?)", [T0 - timedelta(days=9)])
    return store


def test_events_come_newest_first(store: Store) -> None:
    """A withdrawn score is never the best, nor in the way of the next; printed and shipped runs are counted alone."""
    changes = history(store)
    events = list(zip(changes.events["kind"], changes.events["run_id"].str[-1], strict=True))
    assert events == [
        ("withdrawn", "3"),
        ("replaced", "2"),
        ("best", "4"),
        ("new", "3"),
        ("new", "2"),
        ("best", "1"),
        ("best", "0"),
    ]
    assert changes.events["former"].dropna().tolist() == [0.84, 0.90, 0.90, 0.90, 0.80, 0.70]
    assert changes.events["reason"].dropna().tolist() == ["wrong <data>"]
    assert changes.shipped == 2


def test_a_list_is_limited(store: Store) -> None:
    """The newest stay."""
    assert history(store, 2).events["kind"].tolist() == ["withdrawn", "replaced"]


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "New best score on Korean sentiment: tiny, 91.00% (before: 90.00%)"),
        ("ko", "한국어 감성 최고 점수 경신: tiny, 91.00% (이전 90.00%)"),
    ],
)
def test_the_feed_is_atom(store: Store, language: str, title: str) -> None:
    """An entry for each event with an id that stays, a time, a link and a title in words."""
    feeds = [atom(history(store), lambda run, _: f"run/{run}", "changes", language) for _ in range(2)]
    assert feeds[0] == feeds[1]
    tree = ET.fromstring(feeds[0])  # noqa: S314 - made by this test
    entries = tree.findall(f"{ATOM}entry")
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries) == 7
    assert title in [entry.findtext(f"{ATOM}title") for entry in entries]
    times = [str(entry.findtext(f"{ATOM}updated")) for entry in entries]
    assert times == sorted(times, reverse=True)
    assert tree.findtext(f"{ATOM}updated") == times[0] == "2026-03-21T12:00:00Z"
    assert entries[0].find(f"{ATOM}link").get("href") == "run/run-00000003"
    assert entries[0].findtext(f"{ATOM}summary") == "wrong <data>"


def test_an_empty_board_has_a_feed_without_entries(tmp_path) -> None:
    """It is a feed all the same."""
    feed = atom(history(with_tasks(Store(tmp_path / "none.duckdb"))), lambda *_: "", "changes")
    assert not ET.fromstring(feed).findall(f"{ATOM}entry")  # noqa: S314 - made by this test


def test_a_row_came_with_its_newest_run(store: Store) -> None:
    """Printed and shipped rows came with the package; a row over seeds is as new as the last of them."""
    task_id = str(history(store).events["task_id"].iat[0])
    for every in (False, True):
        shown = board(store, task_id, every_run=every)
        newest = arrivals(history(store), shown)
        came = {run_id: time for row, time in newest.items() for run_id in shown.members(row)["run_id"]}
        assert {"run-printed", "run-shipped"}.isdisjoint(came)
        assert max(came.values()) == int((T0 + timedelta(days=4)).replace(tzinfo=UTC).timestamp())
    assert came["run-00000000"] == int(T0.replace(tzinfo=UTC).timestamp())
