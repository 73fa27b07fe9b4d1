"""Runs that come to an installation: new, newer, older, and what a bundle cannot change."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from db.base.errors import BundleError
from db.bootstrap import reported
from db.runs import bundles
from db.runs.bundles import Imported, export_runs, import_bytes, import_runs
from db.runs.writer import MetricValue, RunWriter, metrics_change
from db.storage.changes import Change, pack, unpack
from db.storage.store import Store
from tests.db.runs.bundles.conftest import LATER
from tests.factories.rows import T0, change, contents, model_facts, run_facts, travelled, value_of, whole_run


def _repacked(bundle: Path, **tables: Any) -> bytes:
    """The bundle with some of its tables changed by a function, or left out where that is None."""
    batch = []
    for table in unpack(bundle.read_bytes(), "run bundle", "test"):
        make = tables.get(table.table, lambda rows: rows)
        if make is not None:
            batch.append(Change(table.table, make(table.rows), table.mode))
    return pack(batch, "run bundle")


def test_import_into_a_fresh_database_gives_equal_rows(local: Store, remote: Store, bundle: Path) -> None:
    """Every column of every table arrives as it was, large whole numbers beside missing ones included."""
    assert import_runs(remote, bundle) == Imported(added=3, updated=0, unchanged=0)
    assert travelled(remote) == travelled(local)
    assert value_of(remote, "SELECT seed FROM runs WHERE run_id = 'run-00000001'") == 2**62 + 1


def test_import_into_a_file_that_does_not_exist_yet(local: Store, bundle: Path, tmp_path: Path) -> None:
    """The database is made where it is missing."""
    fresh = Store(tmp_path / "fresh.duckdb")
    assert import_runs(fresh, bundle).added == 3
    assert travelled(fresh) == travelled(local)


def test_importing_twice_changes_nothing(remote: Store, bundle: Path) -> None:
    """The second import leaves every table as the first left it, and says so."""
    import_runs(remote, bundle)
    before = contents(remote)
    assert import_runs(remote, bundle) == Imported(added=0, updated=0, unchanged=3)
    assert contents(remote) == before


def test_newer_run_replaces_the_older_with_all_its_rows(
    local: Store, remote: Store, bundle: Path, tmp_path: Path
) -> None:
    """A newer state replaces figures, curve, predictions and artifacts, those too that it no longer has."""
    export_runs(local, bundle)
    import_runs(remote, bundle)
    with local.transaction() as con:
        con.execute("UPDATE runs SET updated_at = ?, notes = 'newer' WHERE run_id = 'run-00000001'", [LATER])
        con.execute("UPDATE metrics SET value = 0.9 WHERE run_id = 'run-00000001' AND name = 'accuracy'")
        con.execute("DELETE FROM metrics WHERE run_id = 'run-00000001' AND name = 'latency_ms_p50'")
        for table in ("predictions", "artifacts"):
            con.execute(f"DELETE FROM {table} WHERE run_id = 'run-00000001'")
        con.execute("DELETE FROM curves WHERE run_id = 'run-00000001' AND step = 2")
    export_runs(local, tmp_path / "newer.zip")
    assert import_runs(remote, tmp_path / "newer.zip") == Imported(added=0, updated=1, unchanged=2)
    assert travelled(remote) == travelled(local)


def test_older_run_does_not_replace_the_newer(local: Store, remote: Store, bundle: Path) -> None:
    """A state that is older than the one that is here changes nothing."""
    import_runs(remote, bundle)
    newer = {"run_id": "run-00000001", "notes": "newer", "updated_at": LATER}
    remote.write([change("runs", newer, mode="update")])
    before = contents(remote)
    assert import_runs(remote, bundle).updated == 0
    assert contents(remote) == before


def test_import_leaves_other_runs_alone(remote: Store, bundle: Path) -> None:
    """Runs that are not in the bundle keep all of their rows."""
    remote.write(whole_run("mine-0000001", model_id="mine"))
    mine = remote.query("SELECT * FROM runs WHERE run_id = 'mine-0000001'").to_csv()
    import_runs(remote, bundle)
    assert remote.query("SELECT * FROM runs WHERE run_id = 'mine-0000001'").to_csv() == mine
    assert value_of(remote, "SELECT count(*) FROM predictions WHERE run_id = 'mine-0000001'") == 2
    assert value_of(remote, "SELECT count(*) FROM runs") == 4


def test_two_installations_keep_each_others_runs(local: Store, remote: Store, tmp_path: Path) -> None:
    """The same recipe run in two places gives two ids, and after an exchange both have all runs."""
    ids = set()
    for store in (local, remote):
        writer = RunWriter.start(store, model_facts(), run_facts())
        writer.finish([MetricValue("accuracy", 0.5)], train_seconds=1.0)
        ids.add(writer.run_id)
    assert len(ids) == 2
    for source, target, name in ((local, remote, "a.zip"), (remote, local, "b.zip")):
        export_runs(source, tmp_path / name)
        import_runs(target, tmp_path / name)
    assert travelled(local)["runs"] == travelled(remote)["runs"]
    assert contents(local, "metrics") == contents(remote, "metrics")
    assert value_of(local, "SELECT count(*) FROM runs") == 5


def test_reported_ids_never_meet_measured_ones(board: Store) -> None:
    """Reported rows have ids of their citation, of another kind (UUID 5) than the random ones (UUID 4)."""
    kinds = {run_id[12] for run_id, _, _ in reported.load()}
    assert kinds == {"5"}
    writer = RunWriter.start(board, model_facts(), run_facts())
    assert writer.run_id[12] == "4"


def _set(column: str, value: Any) -> Any:
    return lambda rows: rows.assign(**{column: value})


BAD_TABLES: dict[str, dict[str, Any]] = {
    "status of no known kind": {"runs": _set("status", "done")},
    "column of no table": {"runs": _set("colour", "red")},
    "column that is SQL": {"metrics": _set("value) SELECT 1; DROP TABLE runs; --", 1)},
    "infinite figure": {"metrics": _set("value", float("inf"))},
    "infinite point": {"curves": _set("value", float("-inf"))},
    "negative size": {"artifacts": _set("bytes", -1)},
    "text for a time": {"runs": _set("updated_at", "yesterday")},
    "no time": {"runs": lambda rows: rows.drop(columns="updated_at")},
    "no status": {"runs": lambda rows: rows.drop(columns="status")},
    "one figure twice": {"metrics": lambda rows: pd.concat([rows, rows])},
    "no runs": {"runs": None},
    "no models": {"models": None},
    "configuration that is not JSON": {"models": _set("config", "{")},
}


@pytest.mark.parametrize("tables", BAD_TABLES.values(), ids=BAD_TABLES)
def test_failing_import_changes_nothing(remote: Store, bundle: Path, tables: dict[str, Any]) -> None:
    """A bundle with one bad table is refused in one line, and every table is as it was."""
    remote.write(whole_run("run-00000001", updated_at=T0 - timedelta(days=1)))
    before = contents(remote)
    with pytest.raises(BundleError, match="nothing was changed") as caught:
        import_bytes(remote, _repacked(bundle, **tables), "bad.zip")
    assert contents(remote) == before
    assert str(caught.value).startswith("bad.zip: ")
    assert "\n" not in str(caught.value)


def test_a_model_that_is_here_is_not_changed(remote: Store, bundle: Path) -> None:
    """Other runs show a listed model's parameters, so an import leaves it as it is."""
    mine = model_facts().as_change()
    remote.write([Change("models", mine.arrow().to_pandas().assign(params=12_345))])
    import_runs(remote, bundle)
    assert (
        value_of(remote, "SELECT params FROM models WHERE model_id = ?", mine.arrow()["model_id"][0].as_py()) == 12_345
    )


def test_runs_without_their_model_are_refused(remote: Store, bundle: Path) -> None:
    """A board cannot show a run whose model it does not know."""
    content = _repacked(bundle, models=lambda rows: rows[rows["model_id"] != "other"])
    with pytest.raises(BundleError, match=r"holds runs of 'other', but not that model; nothing was changed"):
        import_bytes(remote, content, "cut.zip")
    assert value_of(remote, "SELECT count(*) FROM runs") == 0


def test_tasks_in_a_bundle_are_ignored(remote: Store, bundle: Path) -> None:
    """A bundle cannot change what a task is."""
    before = contents(remote, "tasks")
    forged = remote.query("SELECT * FROM tasks").assign(metric="seed")
    batch = [Change("tasks", forged), *unpack(bundle.read_bytes(), "run bundle", "x")]
    assert import_bytes(remote, pack(batch, "run bundle"), "x").added == 3
    assert contents(remote, "tasks") == before


def test_rows_of_runs_that_are_not_in_the_bundle_are_ignored(remote: Store, bundle: Path) -> None:
    """A bundle cannot change the figures of a run that it does not bring."""
    remote.write(whole_run("mine-0000001"))
    before = remote.query("SELECT * FROM metrics WHERE run_id = 'mine-0000001' ORDER BY name").to_csv()
    forged = metrics_change("mine-0000001", [MetricValue("accuracy", 1.0)]).rows
    import_bytes(remote, _repacked(bundle, metrics=lambda rows: pd.concat([rows, forged])), "x")
    assert remote.query("SELECT * FROM metrics WHERE run_id = 'mine-0000001' ORDER BY name").to_csv() == before


@pytest.mark.parametrize("kind", ["missing", "folder", "text", "spool batch"])
def test_file_that_is_no_bundle_changes_nothing(remote: Store, tmp_path: Path, kind: str) -> None:
    """A missing file, a folder, a text and a file of another kind are each told in one line that names them."""
    path = tmp_path / "it.zip"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_bytes(b"text" if kind == "text" else pack(whole_run("run-00000001"), "spool batch"))
    before = contents(remote)
    with pytest.raises(BundleError, match=r"it\.zip.*nothing was read") as caught:
        import_runs(remote, path)
    assert contents(remote) == before
    assert ("featherboard submit it.zip" in str(caught.value)) is (kind == "text")


@pytest.mark.shipped
def test_installation_without_shipped_bundles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where no bundle is shipped, not even the folder is there, and that is no error."""
    monkeypatch.setattr(bundles.resources, "files", lambda _: tmp_path)
    assert bundles.shipped() == []
