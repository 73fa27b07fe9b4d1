"""From a recipe to a run on the board: what is recorded, and what a failure leaves."""

import importlib.metadata
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from db.base.paths import checkpoint_folder
from db.bootstrap import integrity
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError, DivergedError, InterruptedRunError, RecipeError
from engine.checkpoints import checkpoint
from engine.data import corpora
from engine.families.classification import classifiers
from engine.families.classification.fit import STATE
from engine.networks import architectures
from engine.recipes import loader
from engine.recipes.schema import BiLSTMConfig
from engine.training import run as pipeline
from engine.training.job import Job, stop_on_signal
from engine.workflows import evaluate as jobs
from tests.engine.training.toy_runs import only_run, toy_job, weights_of
from tests.factories.recipes import curves, status, stopped, toy_recipe, write_reviews


def test_a_run_is_recorded_whole(board: Store, folder: str) -> None:
    """A finished run has its origin, metrics with intervals, predictions, curves and artifacts, and a usable model."""
    run_id = pipeline.train(toy_job(board, folder))
    details = detail.run_detail(board, run_id)
    run = details.run
    assert (run["status"], run["source"], run["task_id"], run["seed"]) == ("finished", "measured", "reviews-ko-mini", 0)
    assert run["recipe_hash"] == toy_recipe(epochs=2).digest()
    assert run["dataset_hash"] == corpora.load("reviews-ko-mini", folder).sha256
    assert loader.validate(details.recipe, "run") == toy_recipe(epochs=2)
    assert run["train_seconds"] > 0
    assert json.loads(run["libraries"])["torch"] == importlib.metadata.version("torch")
    metrics = details.metrics.set_index("name")
    assert {
        "accuracy",
        "macro_f1",
        "log_loss",
        "validation_accuracy",
        "best_epoch",
        "unk_rate",
        "checkpoint_bytes",
        "latency_ms_p50",
        "latency_ms_p95",
        "batch64_ms_p50",
        "examples_per_s",
    } <= set(metrics.index)
    assert metrics.loc["accuracy", "low"] <= metrics.loc["accuracy", "value"] <= metrics.loc["accuracy", "high"]
    assert metrics.loc["accuracy", "n"] == 16
    assert int(details.confusion.to_numpy().sum()) == 16
    assert details.confusion.to_numpy().trace() / 16 == metrics.loc["accuracy", "value"]
    assert set(details.curves["series"]) == {
        "train_loss",
        "train_accuracy",
        "validation_accuracy",
        "validation_loss",
        "learning_rate",
    }
    saved = checkpoint_folder(board.path, run_id)
    for row in details.artifacts.itertuples():
        assert checkpoint.sha256(saved / row.path) == row.sha256
    assert metrics.loc["checkpoint_bytes", "value"] == details.artifacts["bytes"].sum()
    assert details.model["params"] == classifiers.load(saved).params
    assert integrity.check(board) == []


def test_a_run_that_misses_test_examples_is_not_verified(board: Store, folder: str) -> None:
    """A run on another test split than the task's is kept, and not marked as verified."""
    assert not detail.run_detail(board, pipeline.train(toy_job(board, folder))).run["verified"]


def test_nothing_but_the_checkpoint_is_left_over(board: Store, folder: str) -> None:
    """A finished run leaves its checkpoint and tokenizer, and no resume state."""
    run_id = pipeline.train(toy_job(board, folder))
    left = sorted(file.name for file in checkpoint_folder(board.path, run_id).parent.iterdir())
    assert left == ["checkpoint", "tokenizer.json"]


def test_the_stored_score_is_that_of_the_saved_checkpoint(board: Store, folder: str) -> None:
    """Scoring the saved checkpoint again, from its own tokenizer, gives the stored accuracy."""
    from engine.networks.classifier import probabilities_of
    from engine.trainer.metrics import classification

    run_id = pipeline.train(toy_job(board, folder))
    loaded = classifiers.load(checkpoint_folder(board.path, run_id))
    test = corpora.load("reviews-ko-mini", folder).test
    again = classification(test.labels, probabilities_of(loaded.prepare(test.texts)))
    stored = detail.run_detail(board, run_id).metrics.set_index("name")["value"]
    for value in again:
        assert stored[value.name] == pytest.approx(value.value, abs=1e-9)


def test_the_same_recipe_and_seed_give_the_same_run(board: Store, folder: str) -> None:
    """Two runs of a recipe, seed and data have bit for bit the same weights and curves; another seed has not."""
    first, second = (pipeline.train(toy_job(board, folder)) for _ in range(2))
    assert weights_of(board, first) == weights_of(board, second)
    assert curves(board, first) == curves(board, second)
    other = pipeline.train(toy_job(board, folder, toy_recipe(epochs=2).model_copy(update={"seed": 1})))
    assert weights_of(board, other) != weights_of(board, first)


@pytest.mark.parametrize("stop", [1, 5, 9])
def test_an_interrupted_run_goes_on_to_the_same_weights(board: Store, folder: str, stop: int) -> None:
    """A stopped run is kept as interrupted without metrics; resumed, it is the run that nothing stopped."""
    whole = pipeline.train(toy_job(board, folder, toy_recipe("whole", epochs=2)))
    run_id = stopped(toy_job(board, folder), stop)
    assert run_id == only_run(board)
    assert status(board, run_id) == "interrupted"
    assert detail.run_detail(board, run_id).metrics.empty
    assert (checkpoint_folder(board.path, run_id).parent / STATE).is_file()
    jobs.resume(board, run_id[:12], folder, 1)
    assert status(board, run_id) == "finished"
    assert weights_of(board, run_id) == weights_of(board, whole)
    assert curves(board, run_id) == curves(board, whole)
    assert len(board.query("SELECT 1 FROM runs WHERE model_id = 'toy'")) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_asks_for_a_stop_and_a_second_one_insists(number: signal.Signals) -> None:
    """The first signal turns should_stop true, the second ends at once, and afterwards signals are as before."""
    before = signal.getsignal(number)
    with stop_on_signal() as should_stop:
        assert not should_stop(1)
        os.kill(os.getpid(), number)
        assert should_stop(2)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_a_run_is_not_resumed_on_other_data(board: Store, folder: str, tmp_path: Path) -> None:
    """A resumption with other data than the run began with is refused, and the run stays as it is."""
    with pytest.raises(InterruptedRunError):
        pipeline.train(toy_job(board, folder, should_stop=lambda step: step == 1))
    run_id = only_run(board)
    other = str(write_reviews(tmp_path / "other", train=50))
    with pytest.raises(DataError, match="are not those that the run"):
        jobs.resume(board, run_id, other, 1)
    with pytest.raises(DataError, match="the mini corpus are not those"):
        jobs.resume(board, run_id, None, 1)
    assert status(board, run_id) == "interrupted"


def test_only_a_stopped_run_can_be_resumed(board: Store, folder: str) -> None:
    """A finished run, a reported row and an unknown id are refused in one line."""
    run_id = pipeline.train(toy_job(board, folder))
    with pytest.raises(Exception, match="is finished; only an interrupted or failed run can go on"):
        jobs.resume(board, run_id, folder, 1)
    reported = str(board.query("SELECT run_id FROM runs WHERE source = 'reported' LIMIT 1")["run_id"].iloc[0])
    with pytest.raises(Exception, match="only an interrupted or failed run can go on"):
        jobs.resume(board, reported, folder, 1)
    with pytest.raises(Exception, match="There is no run"):
        jobs.resume(board, "0123456789ab", folder, 1)


def test_a_diverged_run_is_kept_without_metrics(board: Store, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loss that is not a number leaves the run as diverged: no metrics, no checkpoint, nothing to rank."""
    build = architectures.build

    def broken(config: BiLSTMConfig) -> Any:
        model = build(config)
        torch.nn.init.constant_(model.classifier.bias, float("nan"))
        return model

    monkeypatch.setattr(architectures, "build", broken)
    with pytest.raises(DivergedError, match="step 1"):
        pipeline.train(toy_job(board, folder))
    details = detail.run_detail(board, only_run(board))
    assert details.run["status"] == "diverged"
    assert details.metrics.empty
    assert details.confusion.empty
    assert not checkpoint_folder(board.path, details.run["run_id"]).exists()
    assert integrity.check(board) == []


def test_a_failed_run_keeps_its_reason(board: Store, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong leaves the run as failed with the reason, and it can be resumed once that is mended."""

    def full(*_: Any, **__: Any) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "save", full)
        with pytest.raises(OSError, match="no space"):
            pipeline.train(toy_job(board, folder))
    details = detail.run_detail(board, only_run(board))
    assert details.run["status"] == "failed"
    assert "no space left on device" in details.run["caveat"]
    assert details.metrics.empty
    jobs.resume(board, details.run["run_id"], folder, 1)
    assert status(board, details.run["run_id"]) == "finished"


def test_repeated_test_texts_are_scored_apart(board: Store, folder: str) -> None:
    """Where test texts also occur in train, the accuracy on the others is given beside the whole one."""
    test = Path(folder) / "test.jsonl"
    known = json.loads((Path(folder) / "train.jsonl").read_text("utf-8").split("\n")[0])
    test.write_text(test.read_text("utf-8") + json.dumps({**known, "id": "again"}, ensure_ascii=False) + "\n", "utf-8")
    corpus = corpora.load("reviews-ko-mini", folder)
    fresh = int(corpora.unseen(corpus.train, corpus.test).sum())
    assert 0 < fresh < len(corpus.test)
    metrics = detail.run_detail(board, pipeline.train(toy_job(board, folder))).metrics.set_index("name")
    assert metrics.loc["accuracy_dedup", "n"] == fresh
    assert metrics.loc["accuracy", "n"] == len(corpus.test)


def test_the_command_reproduces_the_run(board: Store) -> None:
    """The stored command names the recipe as it was asked for, the seed, the data's task and every override."""
    recipe = toy_recipe().model_copy(update={"seed": 3})
    assert Job(recipe, None, board).command == "featherboard train toy --seed 3"
    own = Job(recipe, "/data/x", board, ("label=My toy", "train.epochs=2"), "my recipes/toy.toml")
    assert own.command == (
        "featherboard train 'my recipes/toy.toml' --seed 3 --data FOLDER_OF_REVIEWS-KO-MINI "
        "--set 'label=My toy' --set train.epochs=2"
    )
    assert Job(recipe, "hub", board).command.endswith("--data hub")
    assert Job(recipe, None, board, threads=2).command.endswith("--threads 2")


def test_a_mismatch_of_labels_is_refused_before_training(board: Store) -> None:
    """A model with fewer or more classes than its task is refused by the key, and leaves no run behind."""
    recipe = loader.load("bilstm-nli", ["model.num_labels=2"], mini=True)
    with pytest.raises(RecipeError, match=r"model.num_labels = 2: the task nli-en-mini has 3 labels"):
        pipeline.train(Job(recipe, None, board))
    assert board.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def test_another_model_cannot_take_a_listed_name(board: Store) -> None:
    """A changed architecture under a listed name is refused: it would change the parameters that other rows show."""
    before = board.query("SELECT * FROM models ORDER BY model_id")
    recipe = loader.load("kobilstm-tiny", ["model.hidden_dim=8"], mini=True)
    with pytest.raises(RecipeError, match=r"model.hidden_dim = 8: the board lists kobilstm-tiny with 16.*--set name="):
        pipeline.train(Job(recipe, None, board))
    assert board.query("SELECT * FROM models ORDER BY model_id").equals(before)
