"""The board over HTTP: tasks, rows with filters and pages, single runs, comparisons; read only."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from db.analysis.comparison import compare
from db.leaderboard.board import board as read_board
from db.runs.writer import MetricValue
from db.storage.store import Store
from db.submissions import annotate
from engine.service import app
from engine.service.settings import Settings
from tests.factories.database_processes import held
from tests.factories.rows import contents
from tests.factories.runs import add_run, add_twin, in_one_write
from tests.factories.service import client, fault

TASK = "reviews-ko-mini"


@pytest.fixture(scope="module")
def _four(shared_board: Store) -> tuple[Path, dict[str, str]]:
    with in_one_write(shared_board) as store:
        return store.path, {
            "small": add_twin(store, MetricValue("latency_ms_p50", 0.4), accuracy=0.80, distilled=False, size=8),
            "middle": add_twin(store, MetricValue("latency_ms_p50", 0.9), accuracy=0.85, distilled=True, size=16),
            "large": add_twin(store, accuracy=0.9, distilled=False, size=64, notes="kept in /home/ann/runs/1"),
            "seed": add_twin(store, accuracy=0.88, distilled=False, size=64, seed=1),
        }


@pytest.fixture
def board(_four: tuple[Path, dict[str, str]], tmp_path: Path) -> Store:
    """A board with four runs of its own on the mini task; a copy, so a test may change it."""
    return Store(Path(shutil.copyfile(_four[0], tmp_path / "four.duckdb")))


@pytest.fixture
def filled(_four: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """The ids of the four, by their sizes."""
    return _four[1]


@pytest.fixture
def asking(board: Store) -> Iterator[TestClient]:
    """A client of the service; no model is asked here."""
    with client(app.create(Settings(warm=()), board)) as http:
        yield http


def test_all_tasks(asking: TestClient, filled: dict[str, str]) -> None:
    """In the order of the tabs, with the number of their runs."""
    reply = asking.get("/v1/tasks").json()["tasks"]
    assert reply[0]["task_id"] == "nsmc"
    mini = next(task for task in reply if task["task_id"] == TASK)
    assert (mini["runs"], mini["mini"], mini["metric"]) == (4, True, "accuracy")


def test_rows_as_the_board_has_them(asking: TestClient, board: Store, filled: dict[str, str]) -> None:
    """Best first, seeds as one row, with rank, interval, costs and figures; every run apart where asked for."""
    page = asking.get(f"/v1/board/{TASK}").json()
    shown = read_board(board, TASK, every_run=False)
    assert [row["run_id"] for row in page["rows"]] == list(shown.rows["run_id"])
    assert [row["rank"] for row in page["rows"]] == list(shown.rows["rank"])
    assert page["total"] == 3
    assert page["rows"][0]["seeds"] == 2
    assert page["rows"][0]["score"] == pytest.approx(0.89)
    middle = next(row for row in page["rows"] if row["run_id"] == filled["middle"])
    assert middle["figures"]["latency_ms_p50"] == 0.9
    assert middle["low"] < middle["score"] == 0.85 < middle["high"]
    assert middle["params"] == 16_000
    assert middle["partial"] == {}
    add_twin(board, MetricValue("latency_ms_p50", 0.7), accuracy=0.89, distilled=False, size=64, seed=2)
    (large,) = [row for row in asking.get(f"/v1/board/{TASK}").json()["rows"] if row["seeds"] == 3]
    assert large["partial"] == {"latency_ms_p50": 1}
    assert (large["figures"]["latency_ms_p50"], large["failed"], large["others"]) == (0.7, 0, 0)
    everything = asking.get(f"/v1/board/{TASK}?every_run=true").json()
    assert [row["score"] for row in everything["rows"]] == [0.9, 0.89, 0.88, 0.85, 0.8]


@pytest.mark.parametrize(
    ("query", "scores"),
    [
        ("max_params=20000", [0.85, 0.8]),
        ("min_params=20000", [0.9, 0.88]),
        ("max_latency_ms=0.5", [0.8]),
        ("search=distil", [0.85]),
        ("family=DistilKoBiLSTM&family=KoBiLSTM", [0.9, 0.88, 0.85, 0.8]),
        ("family=DistilKoBiLSTM", [0.85]),
        ("source=reported", []),
        ("source=measured&source=reported&limit=1", [0.9]),
        ("verified=false", []),
        ("verified=true&offset=3", [0.8]),
        ("offset=4", []),
        ("order=params&limit=2", [0.8, 0.85]),
        ("order=score&descending=true&offset=1&limit=1", [0.88]),
        ("order=latency_ms_p50", [0.8, 0.85, 0.9, 0.88]),
        ("status=failed", []),
        ("device=a test", [0.9, 0.88, 0.85, 0.8]),
        ("dataset=nsmc", []),
    ],
)
def test_filters_orders_and_pages(asking: TestClient, filled: dict[str, str], query: str, scores: list[float]) -> None:
    """Each does what it says; missing values stand last."""
    got = asking.get(f"/v1/board/{TASK}?every_run=true&{query}")
    assert got.status_code == 200, got.text
    assert [row["score"] for row in got.json()["rows"]] == scores


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("offset=-1", "offset"),
        ("source=elsewhere", "source.0"),
        ("order=nothing", "order"),
        ("max_params=many", "max_params"),
        ("max_latency_ms=nan", "max_latency_ms"),
        ("max_latency_ms=inf", "max_latency_ms"),
        ("verified=perhaps", "verified"),
        ("max_parms=5", "max_parms"),
    ],
)
def test_wrong_queries_are_refused(asking: TestClient, query: str, field: str) -> None:
    """Also a parameter that nobody knows: a typo must not give the whole board."""
    got = asking.get(f"/v1/board/nsmc?{query}")
    assert got.status_code == 422
    assert fault(got)["field"] == field


def test_a_new_run_shows_at_the_next_look(asking: TestClient, board: Store) -> None:
    """A board is kept only as long as the database stays the same."""
    assert asking.get(f"/v1/board/{TASK}").json()["total"] == 3
    add_run(board, accuracy=0.75)
    assert asking.get(f"/v1/board/{TASK}").json()["total"] == 4


def test_tags_and_the_note_of_a_run(asking: TestClient, board: Store, filled: dict[str, str]) -> None:
    """A board's rows have the tags and are filtered by them; the run has the note too."""
    annotate(board, filled["middle"], add=["outlier", "course-2026"], note="Timed on a busy machine.")
    (row,) = asking.get(f"/v1/board/{TASK}?tag=outlier&tag=nothing").json()["rows"]
    assert (row["run_id"], row["tags"]) == (filled["middle"], ["course-2026", "outlier"])
    run = asking.get(f"/v1/runs/{filled['middle']}").json()["run"]
    assert (run["tags"], run["moderator_note"]) == (["course-2026", "outlier"], "Timed on a busy machine.")
    run = asking.get(f"/v1/runs/{filled['large']}").json()["run"]
    assert (run["tags"], run["moderator_note"], run["moderator_note_at"]) == ([], None, None)


def test_one_run(asking: TestClient, filled: dict[str, str]) -> None:
    """Figures, recipe, seeds and files; curves only when asked for; nothing of the machine it ran on."""
    got = asking.get(f"/v1/runs/{filled['large']}")
    reply = got.json()
    assert reply["run"]["name"] == "KoBiLSTM-64"
    assert reply["run"]["libraries"] == {"python": "3"}
    assert reply["recipe"] == {"seed": 0, "train": {"epochs": 3}}
    assert reply["metrics"][0]["name"] == "accuracy"
    assert [run["run_id"] for run in reply["seeds"]] == [filled["large"], filled["seed"]]
    assert reply["curves"] is None
    assert not {"host", "pid", "heartbeat"} & set(reply["run"])
    assert reply["run"]["notes"] == "kept in …/1"
    assert "/home" not in got.text
    assert len(asking.get(f"/v1/runs/{filled['large']}?curves=true").json()["curves"]) > 30
    assert asking.get(f"/v1/runs/{filled['large'][:10]}").json()["run"]["run_id"] == filled["large"]


def test_runs_that_are_not_there(asking: TestClient) -> None:
    """404 for a run or a task that does not exist, 422 for what is no id."""
    assert fault(asking.get("/v1/runs/0123456789abcdef"))["code"] == "not_found"
    assert fault(asking.get("/v1/board/nosuch"))["code"] == "not_found"
    for wrong in ("short", "a" * 65, "0123456789%00", "'; DROP TABLE runs", "%ed%a0%80aaaaaaa"):
        assert asking.get(f"/v1/runs/{wrong}").status_code == 422, wrong


def test_runs_beside_each_other(asking: TestClient, board: Store, filled: dict[str, str]) -> None:
    """The same verdict as on the board: shares on the common examples, paired tests, who is apart."""
    ids = [filled["small"], filled["large"], filled["middle"]]
    reply = asking.get("/v1/compare", params={"run": ids}).json()
    assert reply["examples"] == len(compare(board, ids).common) == 200
    assert [run["right"] for run in reply["runs"]] == [0.8, 0.9, 0.85]
    (verdict,) = reply["verdicts"]
    assert verdict["best"] == filled["large"]
    first = next(
        pair for pair in verdict["pairs"] if {pair["first"], pair["second"]} == {filled["small"], filled["large"]}
    )
    assert (first["difference"], first["apart"]) == (pytest.approx(0.1), True)
    assert reply["other_data"] == {}


def test_what_cannot_be_compared(asking: TestClient, board: Store, filled: dict[str, str]) -> None:
    """Too few, too many, unknown, of two tasks, or without answers."""
    run_id = filled["small"]
    assert asking.get("/v1/compare").status_code == 422
    assert asking.get("/v1/compare", params={"run": [run_id]}).status_code == 422
    assert asking.get("/v1/compare", params={"run": [run_id] * 7}).status_code == 422
    assert asking.get("/v1/compare", params={"run": [run_id, "0123456789"]}).status_code == 404
    other = add_run(board, accuracy=0.5, task_id="nsmc")
    got = asking.get("/v1/compare", params={"run": [run_id, other]})
    assert (got.status_code, fault(got)["code"]) == (409, "not_comparable")
    printed = [row["run_id"] for row in asking.get("/v1/board/nsmc?source=reported").json()["rows"]][:2]
    assert asking.get("/v1/compare", params={"run": printed}).status_code == 404
    same = asking.get("/v1/compare", params={"run": [run_id, run_id]})
    assert (same.status_code, same.json()["verdicts"]) == (200, [])


def test_reading_changes_nothing(asking: TestClient, board: Store, filled: dict[str, str]) -> None:
    """After all that can be asked the database is the same, byte for byte."""
    before, size = contents(board), board.path.read_bytes()
    ids = list(filled.values())
    for path in ("/v1/tasks", f"/v1/board/{TASK}", f"/v1/runs/{ids[0]}", "/v1/models", "/readyz"):
        assert asking.get(path).status_code == 200
    asking.get("/v1/compare", params={"run": ids[:2]})
    assert contents(board) == before
    assert board.path.read_bytes() == size


def test_a_database_that_cannot_be_read(tmp_path: Path) -> None:
    """Missing or no database: 503, the place is not told, and the service lives."""
    database = tmp_path / "none" / "board.duckdb"
    with client(app.create(Settings(warm=()), Store(database))) as asking:
        for path in ("/v1/tasks", "/v1/board/nsmc", "/v1/runs/0123456789", "/readyz"):
            got = asking.get(path)
            assert got.status_code == 503, path
            assert fault(got)["code"] in {"board_unavailable", "not_ready"}
            assert str(tmp_path) not in got.text
        assert asking.get("/healthz").status_code == 200
        database.parent.mkdir()
        database.write_text("a diary, no database" * 300, "utf-8")
        assert fault(asking.get("/v1/tasks"))["code"] == "board_unavailable"


def test_a_database_that_another_process_holds(board: Store) -> None:
    """503 after a short wait, and an answer once it is free."""
    with client(app.create(Settings(warm=()), Store(board.path, wait_s=0.2))) as asking:
        with held(board.path):
            got = asking.get("/v1/tasks")
            assert (got.status_code, fault(got)["code"]) == (503, "board_unavailable")
            assert got.headers["retry-after"] == "1"
        assert asking.get("/v1/tasks").status_code == 200
