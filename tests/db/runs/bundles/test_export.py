"""Runs that leave an installation: which, in which file, and what stays at home."""

import json
import zipfile
from pathlib import Path

import pytest

from db.base.errors import BundleError, NotFoundError, StoreMissingError
from db.runs.bundles import export_runs, import_runs
from db.storage.store import Store
from tests.factories.rows import value_of, whole_run

MOVED = ("models", "runs", "metrics", "curves", "predictions", "artifacts")


def test_export_of_an_import_is_the_same_file(remote: Store, bundle: Path, tmp_path: Path) -> None:
    """Exporting what was imported gives the same bytes, but for the signature of who exports."""
    import_runs(remote, bundle)
    again = tmp_path / "again.zip"
    assert export_runs(remote, again) == 3
    assert _members(again) == _members(bundle)
    assert export_runs(remote, tmp_path / "third.zip") == 3
    assert (tmp_path / "third.zip").read_bytes() == again.read_bytes()


def _members(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}


def test_only_named_runs_are_exported(local: Store, remote: Store, tmp_path: Path) -> None:
    """With ids, those runs go, each once, with their models and rows, and no other."""
    target = tmp_path / "one.zip"
    assert export_runs(local, target, ["run-00000003", "run-00000003"]) == 1
    import_runs(remote, target)
    assert remote.query("SELECT run_id FROM runs")["run_id"].tolist() == ["run-00000003"]
    assert remote.query("SELECT model_id FROM models")["model_id"].tolist() == ["other"]
    assert remote.query("SELECT DISTINCT run_id FROM curves")["run_id"].tolist() == ["run-00000003"]


def test_reported_rows_are_not_exported_unless_named(board: Store, tmp_path: Path) -> None:
    """A board without runs of its own has nothing to export; a reported row that is named goes."""
    target = tmp_path / "runs.zip"
    with board.transaction() as con:
        con.execute("DELETE FROM runs WHERE source <> 'reported'")
    with pytest.raises(NotFoundError, match=r"no measured or submitted run.*Nothing was written"):
        export_runs(board, target)
    assert not target.exists()
    named = value_of(board, "SELECT run_id FROM runs LIMIT 1")
    assert export_runs(board, target, [named]) == 1


def test_unknown_id_writes_nothing(local: Store, tmp_path: Path) -> None:
    """An id that is not there is named, and no file appears, not even for the ids that are there."""
    folder = tmp_path / "out"
    with pytest.raises(NotFoundError, match=r"no run 'nobody'.*Nothing was written"):
        export_runs(local, folder / "runs.zip", ["run-00000001", "nobody"])
    assert not folder.exists()


def test_failing_export_keeps_the_old_file(local: Store, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The target is replaced only once the whole bundle is written; a crash leaves the old one and no rest."""
    export_runs(local, bundle)  # which makes the key
    before = bundle.read_bytes()
    with pytest.raises(NotFoundError):
        export_runs(local, bundle, ["nobody"])
    local.write(whole_run("run-00000004"))

    def crash(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", crash)
        with pytest.raises(OSError, match="disk full"):
            export_runs(local, bundle)
    assert bundle.read_bytes() == before
    assert not list(bundle.parent.glob("*.part")) + list(bundle.parent.glob(".*.part"))
    assert export_runs(local, bundle) == 4
    assert bundle.read_bytes() != before
    assert not list(bundle.parent.glob("*.part")) + list(bundle.parent.glob(".*.part"))


def test_export_makes_its_folder_and_a_readable_file(local: Store, tmp_path: Path) -> None:
    """The folder is made where missing; others may read the file; the manifest says what is in it."""
    target = tmp_path / "a" / "b" / "runs.zip"
    export_runs(local, target)
    assert target.stat().st_mode & 0o777 == 0o644
    with zipfile.ZipFile(target) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert (manifest["featherboard"], manifest["format"], manifest["runs"]) == ("run bundle", 1, 3)
    assert [entry["table"] for entry in manifest["changes"]] == list(MOVED)


def test_export_without_a_database(tmp_path: Path) -> None:
    """There is nothing to export from a file that does not exist, and none is made."""
    with pytest.raises(StoreMissingError):
        export_runs(Store(tmp_path / "none.duckdb"), tmp_path / "runs.zip")
    assert list(tmp_path.iterdir()) == []


def test_an_export_does_not_name_the_machine(remote: Store, bundle: Path) -> None:
    """Host and process id of the run stay at home."""
    import_runs(remote, bundle)
    assert value_of(remote, "SELECT count(*) FROM runs WHERE host IS NOT NULL OR pid IS NOT NULL") == 0


def test_a_folder_is_no_file_to_export_to(local: Store, tmp_path: Path) -> None:
    """An export to a folder is refused in words."""
    with pytest.raises(BundleError, match="is a folder"):
        export_runs(local, tmp_path)
