"""Sweeps: every combination once, checked before the first, skipped when it is there, told at the end."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from db.base.paths import default_database, runs_folder
from db.bootstrap import create
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DivergedError, RecipeError
from engine.recipes.schema import Recipe
from engine.trainer import loop
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import sweep
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.recipes import content, write_recipe

Run = Callable[..., CommandResult]


@pytest.fixture
def run(command_line: CommandLine, folder: str, own: str) -> Run:
    """Run ``featherboard sweep`` on the toy recipe in this process."""

    def call(*arguments: str, recipe: str = own) -> CommandResult:
        return command_line("sweep", recipe, "--data", folder, "--threads", "1", *arguments)

    return call


@pytest.fixture
def own(tmp_path: Path) -> str:
    """A tiny recipe as a file."""
    return write_recipe(tmp_path / "toy.toml", content("toy", epochs=1))


def _measured() -> list[dict[str, Any]]:
    store = Store(default_database())
    rows = store.query("SELECT * FROM runs WHERE source = 'measured' ORDER BY created_at, run_id")
    return rows.to_dict("records")


def _table(out: str) -> list[list[str]]:
    """The rows of the final table."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines() if line.strip()]
    start = next(index for index, line in enumerate(lines) if line[0] == "combination")
    return [line for line in lines[start + 1 :] if len(line) > 2]


def test_every_combination_and_seed_is_trained_once(run: Run) -> None:
    """Two keys and two seeds make eight runs, told with their number, and listed with score and run at the end."""
    grids = ("--grid", "train.lr=0.01,0.02", "--grid", "train.scheduler=step,constant", "--seeds", "0,1")
    code, out, err = run(*grids)
    assert code == 0, err
    assert "1 of 8: train.lr=0.01 train.scheduler=step, seed 0" in err
    assert "8 of 8: train.lr=0.02 train.scheduler=constant, seed 1" in err
    rows = _table(out)
    assert len(rows) == 8
    assert all(re.fullmatch(r"[\d.]+%", row[2]) and row[4] == "finished" for row in rows)
    stored = _measured()
    assert {row["status"] for row in stored} == {"finished"}
    assert sorted(row["run_id"][:12] for row in stored) == sorted(row[3] for row in rows)
    recipes = [detail.run_detail(Store(default_database()), row["run_id"]).recipe for row in stored]
    assert {(recipe["train"]["lr"], recipe["train"]["scheduler"], recipe["seed"]) for recipe in recipes} == {
        (lr, scheduler, seed) for lr in (0.01, 0.02) for scheduler in ("step", "constant") for seed in (0, 1)
    }
    code, out, err = run(*grids)
    assert code == 0
    assert "of 8" not in err
    assert [row[3] for row in _table(out)] == [row[3] for row in rows]
    assert len(_measured()) == 8


def test_the_printed_command_reproduces_one_combination(run: Run, own: str) -> None:
    """A run's command holds its values, those of --set and its seed."""
    assert run("--grid", "train.lr=0.02", "--set", "model.dropout=0.1", "--seeds", "3")[0] == 0
    (row,) = _measured()
    assert row["command"].startswith(f"featherboard train {own} --seed 3 --data FOLDER_OF_")
    assert row["command"].endswith("--threads 1 --set model.dropout=0.1 --set train.lr=0.02")


def test_a_dry_run_writes_nothing(run: Run) -> None:
    """--dry-run lists the combinations and makes neither a run nor a database."""
    code, out, err = run("--grid", "train.lr=0.01,0.02", "--dry-run")
    assert (code, err) == (0, "")
    assert [row[0] for row in _table(out)] == ["train.lr=0.01", "train.lr=0.02"]
    assert "2 of 2 would be trained." in out
    assert not default_database().exists()
    assert run("--grid", "train.lr=0.01")[0] == 0
    _, out, _ = run("--grid", "train.lr=0.01,0.02", "--dry-run")
    assert [row[-1] for row in _table(out)] == ["finished", "new"]
    assert "1 of 2 would be trained." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--grid", "train.lr=0.01,-1"), "train.lr = -1"),
        (("--grid", "train.epoch=1,2"), "unknown key train.epoch"),
        (("--grid", "train.lr"), "--grid train.lr: write it as KEY=VALUE,VALUE"),
        (("--grid", "train.lr=1,,2"), "--grid train.lr=1,,2: write it as"),
        (("--grid", "train.lr=0.1", "--grid", "train.lr=0.2"), "--grid train.lr: stands twice"),
        (("--grid", "seed=1,2"), "give seeds with --seeds"),
        (("--grid", "model.num_labels=2,3"), "model.num_labels = 3: the task reviews-ko-mini has 2 labels"),
        (("--grid", "model.vocab_size=120,60"), "tokenizer.alphabet = 50: each character needs two of the 60"),
        (("--grid", "distill.teacher=nosuch"), "There is no recipe 'nosuch'"),
        (("--grid", "task=nosuch"), "No loader for the task 'nosuch'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_combination_is_refused_before_anything_is_trained(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    """One wrong value in the last combination stops the sweep before the first."""
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    (line,) = [line for line in err.splitlines() if line.strip()]
    assert message in line
    assert not default_database().exists()


@pytest.mark.parametrize("seeds", ["a", "-1", "1,,2", "1.5"])
def test_impossible_seeds_are_a_wrong_use(run: Run, seeds: str) -> None:
    """Seeds are whole numbers."""
    code, _, err = run("--seeds", seeds)
    assert code == 2
    assert "--seeds takes whole numbers" in " ".join(err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        ("1,2", ["1", "2"]),
        ("[1,2],[3]", ["[1,2]", "[3]"]),
        ("'a,b',c", ["'a,b'", "c"]),
        ('"[",2', ['"["', "2"]),
        ("{a=1,b=2},3", ["{a=1,b=2}", "3"]),
        ("one", ["one"]),
    ],
)
def test_commas_inside_brackets_and_quotes_are_no_borders(values: str, parts: list[str]) -> None:
    """A list or a quoted text is one value."""
    assert sweep._axis(f"k={values}") == [f"k={part}" for part in parts]


def test_a_failing_combination_does_not_stop_the_others(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that diverges and one that breaks are told at the end, with exit code 1; the others are finished."""
    original = loop.Trainer._step

    def step(self: loop.Trainer, index: Any) -> float:
        if self.recipe.train.lr == 0.5:
            raise DivergedError("The loss became nan at step 1; a smaller train.lr may help.")
        if self.recipe.train.lr == 0.25:
            raise RuntimeError("no memory\nat all")
        return original(self, index)

    monkeypatch.setattr(loop.Trainer, "_step", step)
    code, out, err = run("--grid", "train.lr=0.5,0.25,0.01")
    assert code == 1
    assert "Traceback" not in err
    assert [row[-1] for row in _table(out)][:3] == ["diverged", "failed", "finished"]
    assert "diverged: train.lr=0.5, seed 0: The loss became nan at step 1" in out
    assert "failed: train.lr=0.25, seed 0: RuntimeError: no memory" in out
    assert [row["status"] for row in _measured()] == ["diverged", "failed", "finished"]
    monkeypatch.setattr(loop.Trainer, "_step", original)
    code, out, _ = run("--grid", "train.lr=0.5,0.25,0.01")
    assert code == 0
    assert [row[-1] for row in _table(out)] == ["finished"] * 3
    # The failed run went on under its own id; what had diverged was trained anew.
    assert sorted(row["status"] for row in _measured()) == ["diverged", "finished", "finished", "finished"]


def test_a_stopped_sweep_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped in its second combination, it keeps the first; the same command resumes the second and does the rest."""
    original = pipeline.train

    def stopping(job: Job) -> str:
        second = job.recipe.train.lr == 0.02
        stop = (lambda step: step == 2) if second else job.should_stop
        return original(Job(**{**vars(job), "should_stop": stop}))

    monkeypatch.setattr(pipeline, "train", stopping)
    grids = ("--grid", "train.lr=0.01,0.02,0.03", "--set", "train.epochs=2")
    code, out, err = run(*grids)
    assert code == 1
    assert "Stopped; what is finished is kept. The same command goes on with the rest." in err
    rows = _table(out)
    assert [row[-1] for row in rows] == ["finished", "interrupted", "not reached"]
    before = {row["run_id"]: row["status"] for row in _measured()}
    assert sorted(before.values()) == ["finished", "interrupted"]
    monkeypatch.setattr(pipeline, "train", original)
    code, out, err = run(*grids)
    assert code == 0, err
    assert "1 of 3" not in err
    assert [row[-1] for row in _table(out)] == ["finished"] * 3
    after = {row["run_id"]: row["status"] for row in _measured()}
    assert before.keys() < after.keys()
    assert set(after.values()) == {"finished"}


def test_a_stopped_teacher_goes_on_too(tmp_path: Path, folder: str, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the teacher of a combination was stopped, the same sweep goes on with that teacher's run."""
    pupil = write_recipe(tmp_path / "pupil.toml", {**content("pupil", epochs=1), "distill": {"teacher": own}})
    store = Store(default_database())
    create.initialise(store)
    planned = sweep.plan(store, pupil, [], [], data=folder)
    stopped = sweep.run(planned, lambda step: step == 2)
    assert [(item.state, item.run_id) for item in stopped] == [("interrupted", None)]
    (before,) = _measured()
    done = sweep.run(sweep.plan(store, pupil, [], [], data=folder), lambda step: False)
    assert [item.state for item in done] == ["finished"]
    assert [row["model_id"] for row in _measured()] == ["toy", "pupil"]
    assert _measured()[0]["run_id"] == before["run_id"]


def test_a_run_that_stopped_elsewhere_is_trained_here(run: Run) -> None:
    """An interrupted run of another machine, whose folder is not here, is left alone."""
    assert run("--grid", "train.lr=0.01")[0] == 0
    (row,) = _measured()
    store = Store(default_database())
    with store.transaction() as con:
        con.execute("UPDATE runs SET status = 'interrupted' WHERE run_id = ?", [row["run_id"]])
    folder = runs_folder(store.path) / row["run_id"]
    folder.rename(folder.with_name("elsewhere"))
    assert run("--grid", "train.lr=0.01")[0] == 0
    assert [row["status"] for row in _measured()] == ["interrupted", "finished"]


def test_what_runs_elsewhere_is_left_to_it(run: Run) -> None:
    """A combination that another process trains at this moment is skipped, and told so."""
    assert run("--grid", "train.lr=0.01")[0] == 0
    with Store(default_database()).transaction() as con:
        con.execute("UPDATE runs SET status = 'running' WHERE source = 'measured'")
    code, out, _ = run("--grid", "train.lr=0.01")
    assert code == 0
    assert _table(out)[0][-1] == "running elsewhere"
    assert len(_measured()) == 1


def test_another_shape_gets_another_name(run: Run) -> None:
    """Sizes that the board lists under the recipe's name keep it; others get a suffix, which the output explains."""
    code, out, err = run("--grid", "model.hidden_dim=8,4", "--grid", "model.dropout=0.1,0.2")
    assert code == 0, err
    assert "Another shape is another model, so these have names of their own: toy-hidden_dim.4" in " ".join(out.split())
    rows = _measured()
    assert sorted(row["model_id"] for row in rows) == ["toy", "toy", "toy-hidden_dim.4", "toy-hidden_dim.4"]
    assert {row["name"] for row in rows} == {"Toy toy", "Toy toy, hidden_dim 4"}
    (small, *_) = [row for row in rows if row["model_id"] != "toy"]
    assert "--set name=toy-hidden_dim.4 --set 'label=Toy toy, hidden_dim 4'" in small["command"]
    assert run("--grid", "model.hidden_dim=8,4", "--grid", "model.dropout=0.1,0.2")[0] == 0
    assert len(_measured()) == 4


def test_a_long_name_is_shortened(tmp_path: Path, folder: str) -> None:
    """However much differs, the name is one that a recipe may have, and is the same next time."""
    config = content("toy-with-a-name-that-is-already-rather-long-for-a-toy")
    own = write_recipe(tmp_path / "long.toml", config)
    store = Store(tmp_path / "none.duckdb")

    def names() -> list[str]:
        grids = ["model.hidden_dim=9,10", "model.embedding_dim=9"]
        return [item.job.recipe.name for item in sweep.plan(store, own, grids, [], data=folder)]

    assert len(set(names())) == 2
    assert names() == names()
    assert all(len(name) <= 64 for name in names())


def test_equal_combinations_are_trained_once(tmp_path: Path, folder: str, own: str) -> None:
    """The same value twice, or in two spellings, is one run."""
    planned = sweep.plan(Store(tmp_path / "none.duckdb"), own, ["train.lr=0.01,0.010,0.02"], [0, 0], data=folder)
    assert [item.job.recipe.train.lr for item in planned] == [0.01, 0.02]
    assert all(isinstance(item.job.recipe, Recipe) for item in planned)


def test_errors_keep_their_kind(tmp_path: Path, folder: str, own: str) -> None:
    """As a library, a wrong grid is a RecipeError, and a stop leaves the rest not reached."""
    store = Store(tmp_path / "none.duckdb")
    with pytest.raises(RecipeError, match=r"Combination: train\.lr=-1\. Nothing was trained"):
        sweep.plan(store, own, ["train.lr=0.1,-1"], [], data=folder)
    done = sweep.run(sweep.plan(store, own, ["train.lr=0.1,0.2"], [], data=folder), lambda step: True)
    assert [item.state for item in done] == ["not reached", "not reached"]
