"""One training of a sweep over machines, on the board's own machine and on another, without a cluster."""

import importlib.util
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from db.runs import bundles
from db.storage.store import Store
from engine.training import run as pipeline
from engine.workflows import cluster, sweep
from engine.workflows.sweep import Combination
from tests.factories.command_line import CommandLine, one_line_error
from tests.factories.recipes import content, write_recipe


@pytest.fixture
def planned(board: Store, folder: str, tmp_path: Path) -> Combination:
    """One combination of a tiny recipe."""
    recipe = write_recipe(tmp_path / "toy.toml", content("toy", epochs=1))
    return sweep.plan(board, recipe, [], [], data=folder, threads=1)[0]


@pytest.fixture
def away(_initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The database of another machine."""
    path = tmp_path / "there" / "there.duckdb"
    path.parent.mkdir()
    monkeypatch.setenv("FEATHERBOARD_DB", str(path))
    return Store(Path(shutil.copyfile(_initialised, path)))


def _finished(store: Store) -> list[str]:
    sql = "SELECT run_id FROM runs WHERE source = 'measured' AND model_id = 'toy' AND status = 'finished'"
    return list(store.query(sql)["run_id"])


def test_a_training_on_the_boards_machine_writes_to_the_board(planned: Combination) -> None:
    """Its run is in the board's database, nothing travels, and the same training again finds it."""
    board = planned.job.store
    ended, bundle = cluster.trial(planned, cluster.machine())
    assert (ended.state, bundle) == ("finished", b"")
    assert _finished(board) == [ended.run_id]
    assert cluster.trial(planned, cluster.machine())[0].run_id == ended.run_id


def test_a_run_of_another_machine_travels_to_the_board(
    planned: Combination, away: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in the database of its machine alone until its bundle is taken in; when it comes again, it is fetched."""
    board = planned.job.store
    ended, bundle = cluster.trial(planned, "another machine")
    assert (ended.state, ended.job.store.path) == ("finished", board.path)
    assert (_finished(away), _finished(board)) == ([ended.run_id], [])
    monkeypatch.setattr(pipeline, "train", lambda _: pytest.fail("it was trained twice"))
    again, bundle = cluster.trial(planned, "another machine")
    assert again.run_id == ended.run_id
    assert bundles.import_bytes(board, bundle, "bundle").added == 1
    assert sweep.on_board(planned).state == "finished"
    assert sweep.rows([again])[0][2].endswith("%")


def test_other_data_on_another_machine_are_refused(planned: Combination, away: Store) -> None:
    """Where the folder of the same name holds something else nothing is trained."""
    ended, bundle = cluster.trial(replace(planned, dataset_hash="0"), "another machine")
    assert (ended.state, bundle) == ("failed", b"")
    assert "holds other data than on the machine where the sweep was started" in ended.reason
    assert _finished(away) == []


def test_without_ray_the_error_names_the_extra(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is trained, and one line says what to install."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ray" else find(name))
    assert "pip install -e '.[cluster]'" in one_line_error(command_line("sweep", "kobilstm-tiny", "--ray", "local"))
