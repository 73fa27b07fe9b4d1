"""`import featherboard as fb`: start, log, finish, and read back."""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import featherboard as fb
from db.base.errors import FeatherboardError
from db.base.paths import default_database
from db.registry import tasks
from db.runs.detail import RunDetail
from db.storage.store import Store
from db.submissions import gold_answers

TASK = "reviews-ko-mini"


@pytest.fixture
def store(default_board: Store) -> Store:
    """The default database, with its tasks."""
    return default_board


def answers(store: Store, wrong: int = 0) -> pd.DataFrame:
    """Predictions for the whole test split, some of them wrong."""
    gold = dict(gold_answers.load(store, tasks.by_id(TASK)).answers)
    labels = [str(1 - int(label)) if number < wrong else label for number, label in enumerate(gold.values())]
    return pd.DataFrame({"example_id": list(gold), "predicted": labels})


def start(**facts: object) -> fb.Run:
    """Start a run on the mini reviews."""
    return fb.init(
        **{"task": TASK, "model": "my-bilstm", "params": 391_170, "config": {"lr": 0.001}, "seed": 0, **facts}
    )


def detail(run: fb.Run) -> RunDetail:
    """Read a run back."""
    return fb.run(run.id)


def test_a_run_with_predictions_is_scored_and_verified(store: Store) -> None:
    """The score is that of the predictions, whatever was claimed; curves and settings are there."""
    with start() as run:
        run.log({"train/loss": 0.7, "epoch": 0.5}, step=10)
        run.log({"train/loss": 0.3, "epoch": 1.0}, step=20)
        report = run.finish(predictions=answers(store, wrong=20))
    stored = detail(run)
    assert report.verified, report.sentence()
    assert report.sentence().endswith(f": Accuracy {1 - 20 / len(answers(store)):.2%}.")
    assert (stored.run["status"], stored.run["verified"], stored.run["source"]) == ("finished", True, "submitted")
    expected = 1 - 20 / len(answers(store))
    assert stored.metrics.set_index("name")["value"]["accuracy"] == pytest.approx(expected)
    assert stored.curves[["step", "epoch", "value"]].to_numpy().tolist() == [[10, 0.5, 0.7], [20, 1.0, 0.3]]
    assert stored.recipe == {"lr": 0.001}
    assert stored.model["params"] == 391_170


def test_a_claim_that_the_predictions_do_not_give_is_not_verified(store: Store) -> None:
    """The row stays a claim without a badge."""
    run = start()
    report = run.finish(predictions=answers(store, wrong=20), metrics={"accuracy": 0.99})
    assert not report.verified
    assert not detail(run).run["verified"]


def test_a_run_without_predictions_is_a_claim(store: Store) -> None:
    """It is on the board, unverified, by the names that tools give a metric."""
    with start() as run:
        run.summary["test/acc"] = 0.87
    stored = detail(run)
    assert stored.metrics.set_index("name")["value"]["accuracy"] == 0.87
    assert not stored.run["verified"]


def test_a_block_that_raises_leaves_an_interrupted_run(store: Store) -> None:
    """The error goes on, and what was logged is kept."""
    run = start()
    run.log({"loss": 1.0})
    with pytest.raises(RuntimeError, match="out of memory"), run:
        raise RuntimeError("out of memory")
    stored = detail(run)
    assert stored.run["status"] == "interrupted"
    assert len(stored.curves) == 1


def test_a_script_that_ends_early_leaves_an_interrupted_run(store: Store) -> None:
    """A process that exits without finish() is seen as interrupted at once."""
    script = f"import featherboard as fb; run = fb.init('{TASK}', 'm'); run.log({{'loss': 1.0}}); print(run.id); 1 / 0"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert "ZeroDivisionError" in done.stderr
    assert fb.run(done.stdout.strip()).run["status"] == "interrupted"


@pytest.mark.parametrize(
    ("metrics", "message"),
    [({"accuracy": 87.3}, "accuracy"), ({"my_score": 1.0}, "my_score"), ({"accuracy": float("nan")}, "accuracy")],
)
def test_a_value_that_cannot_be_used_is_a_warning(
    store: Store, caplog: pytest.LogCaptureFixture, metrics: dict[str, float], message: str
) -> None:
    """Nothing is raised into a training, and the run is finished without the value."""
    run = start()
    run.log({"loss": 0.5, "text": "not a number"})
    run.finish(metrics=metrics)
    assert message in caplog.text
    assert "text" in caplog.text
    stored = detail(run)
    assert stored.run["status"] == "finished"
    assert stored.metrics.empty


@pytest.mark.parametrize(
    "arguments", [(5,), (None,), ({"loss": 0.1}, "first"), ({"loss": 0.1}, 1, "half"), ({1: [2]},)]
)
def test_what_cannot_be_logged_is_a_warning(
    store: Store, caplog: pytest.LogCaptureFixture, arguments: tuple[object, ...]
) -> None:
    """Whatever a training passes, it goes on, and what it logs afterwards is stored."""
    run = start()
    run.log(*arguments)  # type: ignore[arg-type]
    assert "not logged" in caplog.text
    run.log({"loss": 0.5}, step=7)
    run.finish()
    assert detail(run).curves[["step", "value"]].to_numpy().tolist() == [[7, 0.5]]
    run.log({"loss": 0.4}, step=8)
    assert "has ended" in caplog.text


@pytest.mark.parametrize("argument", ["checkpoint", "predictions"])
def test_a_file_that_is_missing_costs_no_result(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture, argument: str
) -> None:
    """A warning names it; the metrics are there and the run is finished."""
    run = start()
    run.finish(metrics={"accuracy": 0.5}, **{argument: tmp_path / "nowhere.csv"})
    assert "nowhere.csv" in caplog.text
    stored = detail(run)
    assert stored.run["status"] == "finished"
    assert stored.metrics["value"].tolist() == [0.5]


def test_a_file_of_predictions_is_read_as_submit_reads_it(store: Store, tmp_path: Path) -> None:
    """CSV with the usual column names."""
    file = tmp_path / "predictions.csv"
    answers(store).rename(columns={"example_id": "id", "predicted": "prediction"}).to_csv(file, index=False)
    assert start().finish(predictions=file).verified


def test_a_checkpoint_is_listed_with_its_size(store: Store, tmp_path: Path) -> None:
    """Files with hashes, and the size on the board."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights.bin").write_bytes(b"x" * 1000)
    run = start()
    run.finish(metrics={"accuracy": 0.5}, checkpoint=tmp_path / "model")
    stored = detail(run)
    assert stored.artifacts[["path", "bytes"]].to_numpy().tolist() == [["weights.bin", 1000]]
    assert stored.metrics.set_index("name")["value"]["checkpoint_bytes"] == 1000


def test_settings_that_change_during_the_run_are_stored(store: Store) -> None:
    """What a library adds to config later is on the run page."""
    run = start()
    run.config["dropout"] = 0.1
    run.finish()
    assert detail(run).recipe == {"lr": 0.001, "dropout": 0.1}


class _Parameter:
    def numel(self) -> int:
        return 7


class _Module:
    def parameters(self) -> list[_Parameter]:
        return [_Parameter(), _Parameter()]


@pytest.mark.parametrize(("params", "count"), [("110M", 110_000_000), (np.int64(7), 7), (_Module(), 14)])
def test_parameters_may_be_numbers_of_any_kind(store: Store, params: object, count: int) -> None:
    """As people write them, those of numpy, and of anything with ``parameters()``; the task in any spelling."""
    run = start(params=params, task="Reviews KO mini")
    run.finish()
    stored = detail(run)
    assert (stored.model["params"], stored.run["task_id"]) == (count, TASK)
    assert run.id in fb.board("REVIEWS-KO-MINI", every_run=True).to_pandas()["run_id"].tolist()


@pytest.mark.parametrize("facts", [{"params": "many"}, {"params": []}, {"seed": "first"}, {"task": "nsmcc"}])
def test_facts_that_cannot_be_used_are_refused_before_training(store: Store, facts: dict[str, object]) -> None:
    """In words."""
    with pytest.raises(FeatherboardError, match=f"was not started: .*{facts.get('task', '')}"):
        start(**facts)


def test_the_database_is_made_where_it_is_missing() -> None:
    """A first script needs no other command."""
    start().finish(metrics={"accuracy": 0.5})
    assert default_database().exists()
    assert "my-bilstm" in fb.board(TASK).to_pandas()["model"].tolist()


def test_boards_and_comparisons_are_tables(store: Store) -> None:
    """Ranks, intervals and costs of a board; the paired test of two runs."""
    runs = [start(model=name) for name in ("good", "bad")]
    for run, wrong in zip(runs, (2, 60), strict=True):
        run.finish(predictions=answers(store, wrong=wrong))
    table = fb.board(TASK).to_pandas()
    own = table[table["model"].isin(["good", "bad"])]
    assert own["model"].tolist() == ["good", "bad"]
    assert (own["low"] < own["score"]).all()
    pair = fb.compare(runs[0].id, runs[1].id).iloc[0]
    assert (pair["first"], pair["second"], pair["p"] < 0.001) == ("good", "bad", True)
    assert pair["difference"] == pytest.approx(-58 / len(answers(store)))


def test_a_folder_is_followed_to_its_end(store: Store, tmp_path: Path) -> None:
    """Curves from trainer_state.json, results of the test split from all_results.json, none of the validation split."""
    history = [{"step": 10, "epoch": 0.5, "loss": 0.7}, {"step": 20, "epoch": 1.0, "eval_accuracy": 0.9}]
    (tmp_path / "checkpoint-20").mkdir()
    (tmp_path / "checkpoint-20" / "trainer_state.json").write_text(json.dumps({"log_history": history}))
    (tmp_path / "all_results.json").write_text(
        json.dumps({"eval_accuracy": 0.9, "test_accuracy": 0.85, "test_runtime": 3})
    )
    run = fb.watch(tmp_path, task=TASK, model="watched")
    stored = detail(run)
    assert stored.metrics.set_index("name")["value"].to_dict() == {"accuracy": 0.85}
    assert set(stored.curves["series"]) == {"loss", "eval_accuracy"}


def test_logging_costs_little_of_a_step(store: Store) -> None:
    """A call takes less than 1 % of a step of 10 ms, by the median over many calls."""
    run = start()
    seconds = []
    for step in range(2000):
        begin = time.perf_counter()
        run.log({"loss": 0.5, "lr": 0.001}, step=step)
        seconds.append(time.perf_counter() - begin)
    run.finish()
    assert np.median(seconds) < 1e-4
    assert len(detail(run).curves) > 0
