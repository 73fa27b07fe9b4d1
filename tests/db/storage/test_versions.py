"""Two versions of the program on one database at once: the newer one changes its layout while the older one writes."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from db.base.errors import StoreVersionError
from db.runs.writer import MetricValue, RunWriter
from db.storage import migrations
from db.storage.store import Store
from tests.factories.rows import model_facts, run_facts, whole_run, with_tasks

RUNS = 8


def _newer(patch: pytest.MonkeyPatch) -> None:
    steps = (*migrations.steps(), (9999, "9999_later.sql", "ALTER TABLE runs ADD COLUMN later VARCHAR"))
    patch.setattr(migrations, "steps", lambda: steps)


def _process(work: Callable[[], object], result: Path) -> int:
    """Run something in another process, which leaves what it returns as JSON."""
    child = os.fork()
    if not child:
        try:
            result.write_text(json.dumps(work()), "utf-8")
        finally:
            os._exit(0)
    return child


def _train(store: Store, run_id: str) -> None:
    writer = RunWriter.start(store, model_facts(), run_facts(name=run_id), run_id)
    for step in (1, 2):
        writer.point("loss", step, 1.0 / step, epoch=1.0, wall_time=1.0)
        writer.beat(force=True)
    writer.finish([MetricValue("accuracy", 0.5), MetricValue("macro_f1", 0.5)], train_seconds=1.0)


def _wait(file: Path) -> None:
    while not file.exists():
        time.sleep(0.01)


def _older(store: Store, half: Path, done: Path) -> list[list[str]]:
    """Train runs, the later half of them into a newer layout; return what was acknowledged and what was refused."""
    acknowledged, refused = [], []
    for number in range(RUNS):
        if number == RUNS // 2:
            half.touch()
            _wait(done)
        _train(store, f"old-{number}")
        acknowledged.append(f"old-{number}")
    for request in (lambda: store.query("SELECT 1"), lambda: store.write(whole_run("refused"))):
        with pytest.raises(StoreVersionError) as error:
            request()
        refused.append(str(error.value))
    return [acknowledged, refused]


def _change_layout(store: Store, half: Path, done: Path) -> list[str]:
    """Change the layout when the other one is half-way, and write runs; return what was acknowledged."""
    _wait(half)
    acknowledged = []
    with pytest.MonkeyPatch.context() as patch:
        _newer(patch)
        for number in range(RUNS):
            store.write(whole_run(f"new-{number}"))
            acknowledged.append(f"new-{number}")
            done.touch()
    return acknowledged


@pytest.mark.timeout(120)
def test_a_newer_version_beside_an_older_one(store: Store, tmp_path: Path) -> None:
    """All that either acknowledged is there once and whole; the older one's other requests are refused in words."""
    with_tasks(store)
    half, done, results = tmp_path / "half", tmp_path / "done", [tmp_path / "older.json", tmp_path / "newer.json"]
    children = [
        _process(lambda: _older(store, half, done), results[0]),
        _process(lambda: _change_layout(store, half, done), results[1]),
    ]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    (acknowledged, refused), others = (json.loads(file.read_text("utf-8")) for file in results)
    assert len(acknowledged + others) == 2 * RUNS
    assert len(refused) == 2
    assert all("newer Featherboard" in text and "Nothing was changed" in text for text in refused)
    with pytest.MonkeyPatch.context() as patch:
        _newer(patch)
        rows = store.query(
            "SELECT run_id, (SELECT count(*) FROM metrics m WHERE m.run_id = r.run_id) AS metrics, "
            "(SELECT count(*) FROM curves c WHERE c.run_id = r.run_id) AS points FROM runs r ORDER BY run_id"
        )
    assert rows["run_id"].tolist() == sorted(acknowledged + others)
    assert set(rows["metrics"]) == {2}
    assert set(rows["points"]) == {2}
