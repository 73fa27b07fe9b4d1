"""``featherboard train``, ``evaluate`` and ``demo``, on a toy task."""

import os
from pathlib import Path

import pytest

from db.base.paths import checkpoint_folder, default_database
from db.runs import detail
from engine.base.errors import InterruptedRunError
from engine.recipes import loader
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import demo, evaluate
from tests.engine.cli.conftest import Run, default_store
from tests.factories.command_line import one_line_error
from tests.factories.recipes import content, toy_recipe, write_recipe, write_reviews


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The toy task on disk."""
    return str(write_reviews(tmp_path / "toy reviews"))


@pytest.fixture
def own_recipe(tmp_path: Path) -> str:
    """A tiny recipe as a file."""
    return write_recipe(tmp_path / "toy.toml", content("toy", epochs=2))


def test_train_evaluate_export_and_import(run: Run, folder: str, own_recipe: str, tmp_path: Path) -> None:
    """A run is trained, listed, scored again to its stored accuracy, and moved to another database whole."""
    trained = run("train", own_recipe, "--data", folder, "--seed", "4", "--set", "train.lr=0.02", "--threads", "1")
    assert trained.code == 0, trained.err
    assert "Toy toy: accuracy" in trained.err
    (run_id,) = default_store().query("SELECT run_id FROM runs WHERE source = 'measured'")["run_id"]
    facts = detail.run_detail(default_store(), run_id).run
    assert facts["command"].startswith(f"featherboard train {own_recipe} --seed 4 --data ")
    assert facts["command"].endswith("--set train.lr=0.02")
    assert run_id[:12] in run("list", "runs").out

    scored = run("evaluate", run_id[:12], "--data", folder, "--threads", "1")
    assert scored.code == 0, scored.err
    assert "The stored accuracy is reproduced." in scored.err
    of_folder = run("evaluate", str(checkpoint_folder(default_database(), run_id)), "--data", folder, "--threads", "1")
    assert of_folder.code == 0, of_folder.err
    assert "reproduced" not in of_folder.err

    bundle = str(tmp_path / "bundle.zip")
    assert "1 run(s)" in run("db", "export", bundle, "--run", run_id[:12]).out
    before = default_store().query("SELECT * FROM metrics WHERE run_id = ? ORDER BY name", [run_id])
    os.environ["FEATHERBOARD_DB"] = str(tmp_path / "other.duckdb")
    assert "1 added, 0 updated, 0 already here" in run("db", "import", bundle).out
    assert "0 added, 0 updated, 1 already here" in run("db", "import", bundle).out
    assert default_store().query("SELECT * FROM metrics WHERE run_id = ? ORDER BY name", [run_id]).equals(before)
    assert "no problem found" in run("db", "check").out


def test_evaluate_keeps_timings_only_when_asked(run: Run, folder: str, own_recipe: str) -> None:
    """--keep replaces timings and size, and nothing else; without it the stored figures stay."""
    run("train", own_recipe, "--data", folder, "--threads", "1")
    (run_id,) = default_store().query("SELECT run_id FROM runs WHERE source = 'measured'")["run_id"]

    def stored() -> dict[str, float]:
        rows = detail.run_detail(default_store(), run_id).metrics
        return dict(zip(rows["name"], rows["value"], strict=True))

    before = stored()
    run("evaluate", run_id, "--data", folder, "--threads", "1")
    assert stored() == before
    assert "Kept the timings" in run("evaluate", run_id, "--data", folder, "--threads", "1", "--keep").err
    changed = {name for name, value in stored().items() if before.get(name) != value}
    assert "latency_ms_p50" in changed
    assert changed <= set(evaluate.TIMINGS)
    assert 50e6 < stored()["peak_memory_bytes"] < 2e9
    scores = {name: value for name, value in stored().items() if name not in evaluate.TIMINGS}
    err = run("evaluate", run_id, "--data", folder, "--threads", "1", "--keep", "--only-timings").err
    assert "Kept the timings" in err
    assert "Accuracy" not in err
    assert "reproduced" not in err
    assert {name: value for name, value in stored().items() if name not in evaluate.TIMINGS} == scores


def test_evaluate_notices_a_score_that_is_not_reproduced(run: Run, folder: str, own_recipe: str) -> None:
    """A stored accuracy that the checkpoint does not give is called out."""
    run("train", own_recipe, "--data", folder, "--threads", "1")
    (run_id,) = default_store().query("SELECT run_id FROM runs WHERE source = 'measured'")["run_id"]
    with default_store().transaction() as con:
        con.execute("UPDATE metrics SET value = 0.123 WHERE run_id = ? AND name = 'accuracy'", [run_id])
    assert "The stored accuracy is NOT reproduced." in run("evaluate", run_id, "--data", folder, "--threads", "1").err


def test_evaluate_of_a_run_from_elsewhere_says_how_to_get_it(run: Run) -> None:
    """A run whose checkpoint is not on this machine is told, with where it would be."""
    run("db", "init")
    (run_id,) = default_store().query("SELECT run_id FROM runs WHERE source = 'reported' LIMIT 1")["run_id"]
    assert "is not on this machine" in one_line_error(run("evaluate", run_id))


def test_demo_skips_what_is_there(run: Run, monkeypatch: pytest.MonkeyPatch, own_recipe: str) -> None:
    """The demo trains each of its variants once; a second call trains nothing."""
    monkeypatch.setattr(demo, "VARIANTS", (own_recipe,))
    monkeypatch.setattr(loader, "MINI_TRAIN", {"epochs": 1, "batch_size": 16, "patience": 0})
    first = run("demo", "--threads", "1")
    assert first.code == 0, first.err
    assert "The demo's variants are on the board." in first.out
    count = "SELECT count(*) AS n FROM runs WHERE source = 'measured' AND status = 'finished'"
    assert default_store().query(count)["n"].item() == 1
    again = run("demo", "--threads", "1")
    assert again.code == 0
    assert "accuracy" not in again.err
    assert default_store().query(count)["n"].item() == 1


def test_the_demo_is_made_of_shipped_recipes() -> None:
    """Each of the demo's variants is shipped, and a teacher stands before its students."""
    for position, name in enumerate(demo.VARIANTS):
        wish = loader.load(name, mini=True).distill
        assert wish is None or wish.teacher in demo.VARIANTS[:position]


def test_each_stopped_run_is_named_as_itself(
    run: Run, folder: str, own_recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command to go on names the run that was stopped, and the data with its folder, also beside a newer stop."""
    run("db", "init")
    original = pipeline.train

    def stopping(job: Job) -> str:
        def stop(step: int) -> bool:
            if job.recipe.name == "toy":  # another run is interrupted, and is the newest one, before this one is told
                later.append(job)
            return step == 1

        try:
            return original(Job(job.recipe, job.data, job.store, should_stop=stop))
        finally:
            if later:
                later.clear()
                with pytest.raises(InterruptedRunError):
                    stopping(Job(toy_recipe("other", epochs=2), job.data, job.store))

    later: list[Job] = []
    monkeypatch.setattr(pipeline, "train", stopping)
    result = run("train", own_recipe, "--data", folder, "--threads", "1")
    assert result.code == 1
    (run_id,) = default_store().query("SELECT run_id FROM runs WHERE model_id = 'toy'")["run_id"]
    assert result.err.strip().endswith(f"featherboard train --resume {run_id[:12]} --data '{folder}'")
