"""Sweeps on a real Ray cluster of two nodes, one of which, or one of whose processes, dies in the middle."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from db.storage.store import Store
from engine.workflows import cluster, sweep
from engine.workflows.cluster import Resources
from tests.factories.recipes import content, write_recipe

pytestmark = pytest.mark.slow

ray = pytest.importorskip("ray", reason="needs the extra `cluster`")


@pytest.fixture
def nodes(_initialised: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, list[Any]]]:
    """A cluster that takes no training itself, and two nodes of it, each with one core and a database of its own."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    added = []
    for name in ("first", "second"):
        path = tmp_path / name / "there.duckdb"
        path.parent.mkdir()
        shutil.copyfile(_initialised, path)
        added.append(made.add_node(num_cpus=1, env_vars={"FEATHERBOARD_DB": str(path)}))
    try:
        with cluster.connected(made.address):
            yield made, added
    finally:
        made.shutdown()


@pytest.fixture
def planned(board: Store, folder: str, tmp_path: Path) -> Callable[[], list[sweep.Combination]]:
    """Four trainings of a second or more each, with what the board has of them."""
    recipe = write_recipe(tmp_path / "toy.toml", content("toy", epochs=60))
    return lambda: sweep.plan(board, recipe, [], [0, 1, 2, 3], data=folder, threads=1)


def _runs(store: Store) -> Any:
    return store.query("SELECT run_id, status, pid FROM runs WHERE model_id = 'toy'")


def _meanwhile(act: Callable[[], bool]) -> threading.Thread:
    """Try something until it succeeds, beside what the test does."""

    def keep_trying() -> None:
        while not act():
            time.sleep(0.05)

    thread = threading.Thread(target=keep_trying, daemon=True)
    thread.start()
    return thread


def test_a_stopped_sweep_goes_on_and_outlives_a_killed_process(nodes: Any, planned: Any, board: Store) -> None:
    """Stopped trainings are kept and continued, as is one that is killed: four runs, each there once."""
    stopped = cluster.run(planned(), lambda _: len(_runs(board)) > 0, Resources())
    assert {item.state for item in stopped} <= {"interrupted", "not reached", "finished"}
    assert any(item.state == "interrupted" for item in stopped)
    killed: list[str] = []

    def kill() -> bool:
        running = _runs(board).query("status == 'running'")
        if len(running):
            killed.append(running["run_id"].iloc[0])
            os.kill(int(running["pid"].iloc[0]), signal.SIGKILL)
        return len(killed) > 0

    killer = _meanwhile(kill)
    done = cluster.run(planned(), lambda _: False, Resources())
    killer.join(timeout=60)
    assert [item.state for item in done] == ["finished"] * 4, [item.reason for item in done]
    assert killed
    assert killed[0] in {item.run_id for item in done}, "a killed training goes on as the same run"
    assert sorted(_runs(board)["run_id"]) == sorted(item.run_id for item in done)
    assert not any(item.waits for item in planned()), "the same sweep again finds all of them"


def test_trainings_of_a_lost_machine_are_done_by_the_other(
    nodes: Any, planned: Any, board: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs travel from the databases of two machines to the board, also when one of them disappears."""
    monkeypatch.setattr(cluster, "machine", lambda: "the board's machine, which is none of the nodes")
    made, (first, _) = nodes
    away = Store(tmp_path / "first" / "there.duckdb")

    def lose() -> bool:
        if not len(_runs(away).query("status == 'running'")):
            return False
        made.remove_node(first, allow_graceful=False)
        return True

    loser = _meanwhile(lose)
    done = cluster.run(planned(), lambda _: False, Resources())
    loser.join(timeout=60)
    assert [item.state for item in done] == ["finished"] * 4, [item.reason for item in done]
    assert sorted(_runs(board)["run_id"]) == sorted(item.run_id for item in done)
    assert set(_runs(board)["status"]) == {"finished"}
    assert len(_runs(away)), "the lost machine had begun one"
