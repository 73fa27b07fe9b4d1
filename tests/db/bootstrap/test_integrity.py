"""Is a database whole? Each test breaks one thing and expects one finding."""

from typing import Any

import pytest

from db.base.errors import StoreDamagedError, StoreMissingError
from db.bootstrap import create
from db.bootstrap.integrity import check
from db.storage import changes, journal, seals
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.rows import change, contents, model_row, run_row, value_of, whole_run, with_tasks

BREAK: dict[str, tuple[str, str]] = {
    "model is gone": ("DELETE FROM models", "runs: 1 row(s) belong to no row of models"),
    "figure of nobody": (
        "INSERT INTO metrics (run_id, name, value) VALUES ('nobody', 'em', 0.5), ('no', 'em', 0.5)",
        "metrics: 2 row(s) belong to no row of runs",
    ),
    "point of nobody": (
        "INSERT INTO curves (run_id, series, step, value) VALUES ('nobody', 'loss', 1, 0.5)",
        "curves: 1 row(s) belong to no row of runs",
    ),
    "prediction of nobody": (
        "INSERT INTO predictions (run_id, example_id) VALUES ('nobody', '1')",
        "predictions: 1 row(s) belong to no row of runs",
    ),
    "artifact of nobody": (
        "INSERT INTO artifacts VALUES ('nobody', 'weights', 'x', 1, 'x')",
        "artifacts: 1 row(s) belong to no row of runs",
    ),
    "task is gone": ("DELETE FROM tasks WHERE task_id = 'nsmc'", "runs whose task is unknown: 1 (run-00000001)"),
    "task of another version": ("UPDATE runs SET task_version = 9", "runs whose task is unknown: 1 (run-00000001)"),
    "example twice": (
        "UPDATE predictions SET example_id = '7'",
        "runs that predict an example twice: 1 (run-00000001)",
    ),
    "below its interval": (
        "UPDATE metrics SET low = 0.6, high = 0.7 WHERE name = 'accuracy'",
        "runs with a figure outside its own interval: 1 (run-00000001)",
    ),
    "above its interval": (
        "UPDATE metrics SET low = 0.1, high = 0.2 WHERE name = 'accuracy'",
        "runs with a figure outside its own interval: 1 (run-00000001)",
    ),
    "accuracy of other predictions": (
        "UPDATE predictions SET predicted = '0'",
        "runs whose accuracy is not that of their predictions: 1 (run-00000001)",
    ),
    "accuracy without its wrong answers": (
        "UPDATE predictions SET predicted = NULL WHERE example_id = '1'",
        "runs whose accuracy is not that of their predictions: 1 (run-00000001)",
    ),
    "badge without predictions": (
        "DELETE FROM predictions; UPDATE runs SET verified = true",
        "verified runs without predictions: 1 (run-00000001)",
    ),
}


@pytest.fixture
def sound(store: Store) -> Store:
    """A store with one whole run: of its two predictions one is right."""
    with_tasks(store).write(whole_run("run-00000001", accuracy=0.5))
    return store


def test_initialised_board_has_no_finding(board: Store) -> None:
    """The database that ``initialise`` makes is whole."""
    assert check(board) == []


def test_sound_database_has_no_finding_and_is_not_changed(sound: Store) -> None:
    """A whole run gives no finding, and looking changes nothing."""
    before = sound.path.read_bytes()
    assert check(sound) == []
    assert sound.path.read_bytes() == before


SEALED = "runs that were changed past Featherboard: "


@pytest.mark.parametrize(("sql", "finding"), BREAK.values(), ids=BREAK)
def test_each_defect_is_found_once(sound: Store, sql: str, finding: str) -> None:
    """A database with one defect gives exactly the finding that names it, besides what a changed run gives."""
    with sound.transaction() as con:
        con.execute(sql)
    assert [text for text in check(sound) if not text.startswith(SEALED)] == [finding]


CHANGED = {
    "figure": ("UPDATE metrics SET value = 0.51 WHERE name = 'latency_ms_p50'", "run-00000001: metrics"),
    "new figure": ("INSERT INTO metrics (run_id, name, value) VALUES ('run-00000001', 'em', 0.5)", "metrics"),
    "point": ("UPDATE curves SET value = 0.1 WHERE step = 2", "run-00000001: curves"),
    "no points": ("DELETE FROM curves", "run-00000001: curves"),
    "probability": ("UPDATE predictions SET score = 0.5", "run-00000001: predictions"),
    "setting": ("UPDATE runs SET recipe_json = '{}'", "run-00000001: settings"),
    "badge": ("UPDATE runs SET verified = true", "run-00000001: settings"),
    "two parts": ("UPDATE runs SET seed = 3; DELETE FROM curves", "run-00000001: curves and settings"),
    "run of nobody": ("INSERT INTO runs SELECT * REPLACE ('run-2' AS run_id) FROM runs", "run-2: settings"),
    "run is gone": (
        "DELETE FROM runs; DELETE FROM metrics; DELETE FROM curves; DELETE FROM predictions; DELETE FROM artifacts; "
        "DELETE FROM outcomes",
        "run-00000001: curves and metrics and predictions and settings",
    ),
}


@pytest.mark.parametrize(("sql", "part"), CHANGED.values(), ids=CHANGED)
def test_what_was_changed_past_the_program_is_found(sound: Store, sql: str, part: str) -> None:
    """Each part of a run has a digest, which is written with it."""
    with sound.transaction() as con:
        con.execute(sql)
    (finding,) = check(sound)
    assert finding.startswith(f"{SEALED}1 (")
    assert finding.endswith(f"{part})")


def test_curves_are_sealed_when_their_run_ends(sound: Store) -> None:
    """While it goes on, points are added without reading those before; what is changed afterwards is found."""
    run, other = "run-going-on", "run-cut-off"
    for run_id in (run, other):
        sound.append([change("runs", run_row(run_id, status="running"))])
        sound.append([change("curves", {"run_id": run_id, "series": "loss", "step": 1, "value": 0.5})])
    assert check(sound) == []
    sound.append([change("runs", {"run_id": run, "status": "finished"}, mode="update")])
    with sound.transaction() as con:  # as who looks for dead runs writes
        changes.apply_all(con, [change("runs", {"run_id": other, "status": "interrupted"}, mode="update")])
    assert check(sound) == []
    with sound.transaction() as con:
        con.execute("UPDATE curves SET value = 0.1 WHERE run_id IN (?, ?)", [run, other])
    (finding,) = check(sound)
    assert finding == f"{SEALED}2 ({other}: curves, {run}: curves)"


def test_rows_of_the_package_are_compared_with_it_and_restored(board: Store) -> None:
    """A printed figure that was changed, with a seal that fits even, is found; the first start again repairs it."""
    run_id = value_of(board, "SELECT min(run_id) FROM runs WHERE source = 'reported'")
    with board.transaction() as con:
        con.execute("UPDATE metrics SET value = 0.99, low = NULL, high = NULL WHERE run_id = ?", [run_id])
        seals.seal(con, [run_id])
    (finding,) = check(board)
    assert finding == (
        f"rows that come with the package and are not the package's: 1 ({run_id}: metrics); `featherboard db init` "
        "restores them"
    )
    create.initialise(board)
    assert check(board) == []


def test_several_defects_are_all_found(sound: Store) -> None:
    """One finding does not hide another."""
    with sound.transaction() as con:
        con.execute("DELETE FROM models")
        con.execute("UPDATE predictions SET example_id = '7'")
    assert len(check(sound)) == 3


def test_many_rows_are_counted_and_five_shown(sound: Store) -> None:
    """A finding over many runs counts them all and shows five."""
    runs: list[Any] = [row for number in range(2, 9) for row in whole_run(f"run-0000000{number}", accuracy=0.9)]
    sound.write(runs)
    (finding,) = check(sound)
    assert finding.startswith("runs whose accuracy is not that of their predictions: 7 (")
    assert finding.endswith(" ...)")
    assert finding.count("run-") == 5


def test_waiting_and_rejected_batches_are_told(sound: Store) -> None:
    """Batches in the journal are a finding until they are in; rejected ones stay a finding."""
    journal.put(sound.path, [change("models", model_row("waiting"))])
    with processes.held(sound.path, read_only=True):
        assert check(sound) == [f"journal: 1 file(s) of results wait in {journal.folder(sound.path)} to be taken in"]
    bad, _ = journal.put(sound.path, [])
    bad.write_bytes(b"broken")
    sound.write([])
    assert check(sound) == [
        f"journal: 1 batch(es) could not be taken in; see {journal.folder(sound.path) / 'rejected'}"
    ]


def test_missing_and_damaged_files_are_errors(store: Store) -> None:
    """What cannot be read at all is an error, not a finding."""
    with pytest.raises(StoreMissingError):
        check(store)
    store.path.write_bytes(b"text")
    with pytest.raises(StoreDamagedError):
        check(store)
    assert store.path.read_bytes() == b"text"


def test_lost_blocks_are_an_error(board: Store) -> None:
    """A database that opens but whose rows are gone is told as damaged."""
    content = board.path.read_bytes()
    board.path.write_bytes(content[: len(content) * 3 // 10])
    with pytest.raises(StoreDamagedError):
        contents(board)
    with pytest.raises(StoreDamagedError):
        check(board)
