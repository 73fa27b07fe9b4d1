"""Runs of question answering: trained, stopped and resumed, and scored again by their predictions."""

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db.analysis.comparison import compare
from db.base.paths import checkpoint_folder
from db.bootstrap import integrity
from db.runs import detail
from db.statistics.qa_scoring import SQUAD, best, unpack
from db.storage.store import Store
from engine.base.errors import DataError, ModelError
from engine.checkpoints.checkpoint import sha256
from engine.families.classification import classifiers
from engine.families.span_qa import checkpoint, evaluation, questions
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate as jobs
from engine.workflows import sweep
from tests.factories.recipes import curves, status, stopped, write_recipe
from tests.factories.span_qa import content, span_recipe, write_squad

STEPS = 3
"""Steps of an epoch: 24 of 30 questions in batches of 8."""
VARIANTS: dict[str, dict[str, Any]] = {"whole": {}, "adapter": {"adapter": {"rank": 2, "alpha": 4, "dropout": 0.1}}}

Trained = Callable[..., str]


@pytest.fixture(scope="module")
def trained(shared_board: Store, source: Path) -> Trained:
    """Trains a variant with a seed to its end, once; the run's id."""
    folder = str(write_squad(source / "data"))
    return cache(
        lambda variant, seed: pipeline.train(
            Job(span_recipe(source, seed=seed, **VARIANTS[variant]), folder, shared_board)
        )
    )


def _folder(board: Store, run_id: str) -> Path:
    return checkpoint_folder(board.path, run_id)


def _figures(board: Store, run_id: str) -> dict[str, float]:
    rows = board.query("SELECT name, value FROM metrics WHERE run_id = ?", [run_id])
    return dict(zip(rows["name"], rows["value"], strict=True))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_recipe_becomes_a_finished_run(shared_board: Store, folder: str, trained: Trained, variant: str) -> None:
    """Its figures are given again by its stored predictions, and these by its checkpoint; toy data earn no badge."""
    board, run_id = shared_board, trained(variant, 0)
    details = detail.run_detail(board, run_id)
    assert (details.run["status"], details.run["verified"]) == ("finished", False)
    assert integrity.check(board) == []
    corpus = questions.load("qa-en-mini", folder)
    assert details.run["dataset_hash"] == corpus.sha256
    assert details.run["notes"] == "Trained on 30 of the 30 questions of qa-en-mini's training split."

    rows = board.query("SELECT * FROM predictions WHERE run_id = ? ORDER BY example_id", [run_id])
    by_id = {question.id: question for question in corpus.test.questions}
    assert set(rows["example_id"]) == set(by_id)
    for row in rows.itertuples():
        asked_question = by_id[row.example_id]
        assert unpack(row.gold) == [gold.text for gold in asked_question.answers]
        assert row.predicted in asked_question.context
        assert 0 <= row.score <= 1
    verdicts = [best(SQUAD, row.predicted, unpack(row.gold)) for row in rows.itertuples()]
    figures = _figures(board, run_id)
    assert figures["f1"] == pytest.approx(np.mean([overlap for _, overlap in verdicts]))
    assert figures["em"] == pytest.approx(np.mean([exact for exact, _ in verdicts]))
    assert {"f1_seed", "em_seed", "validation_accuracy", "best_epoch", "checkpoint_bytes"} <= set(figures)
    assert figures["latency_ms_p50"] > 0

    loaded = checkpoint.load(_folder(board, run_id))
    assert loaded.params == details.model["params"]
    texts = [answer.best[0].text for answer in loaded.answer(corpus.test.questions)]
    stored = rows.set_index("example_id").loc[list(by_id), "predicted"].tolist()
    assert texts == stored
    assert not list(_folder(board, run_id).parent.glob("resume*"))


def test_parts_of_the_split_are_stored(shared_board: Store, trained: Trained) -> None:
    """Each part has the mean F1 of its questions; together the parts of a facet are the whole split."""
    board, run_id = shared_board, trained("whole", 0)
    parts = detail.slices(board, run_id)
    assert list(dict.fromkeys(parts["facet"])) == ["answer length", "question word", "text length"]
    figures = _figures(board, run_id)
    for _, rows in parts.groupby("facet"):
        assert rows["n"].sum() == 80
        assert (rows["value"] * rows["n"]).sum() / 80 == pytest.approx(figures["f1"])
        assert ((rows["low"] <= rows["value"]) & (rows["value"] <= rows["high"])).all()
    assert parts[parts["facet"] == "question word"]["part"].tolist() == ["how"]


def test_it_learns(board: Store, folder: str, source: Path) -> None:
    """The loss on what it learns falls to less than half of where it began."""
    run_id = pipeline.train(Job(span_recipe(source, train={"epochs": 15, "lr": 0.02}), folder, board))
    losses = [value for series, _, value in curves(board, run_id) if series == "train_loss"]
    assert losses[-1] < losses[0] / 2


def test_another_seed_gives_another_run(shared_board: Store, trained: Trained) -> None:
    """Other weights; the same seed gives the same ones, as runs show that were stopped."""
    assert len({sha256(_folder(shared_board, trained("whole", seed)) / "model.safetensors") for seed in (0, 1)}) == 2


SAME = ("f1", "em", "f1_seed", "em_seed", "validation_accuracy", "best_epoch")


def _outcome(board: Store, run_id: str) -> tuple[str, list[Any], dict[str, float]]:
    """The hash of its weights, its curves, its figures."""
    figures = _figures(board, run_id)
    weights = sha256(_folder(board, run_id) / "model.safetensors")
    return weights, curves(board, run_id), {name: figures[name] for name in SAME}


@pytest.mark.parametrize(
    ("variant", "stops"),
    [
        pytest.param("whole", (1,), marks=pytest.mark.slow),
        ("whole", (STEPS,)),
        pytest.param("whole", (STEPS + 1,), marks=pytest.mark.slow),
        pytest.param("whole", (2 * STEPS,), marks=pytest.mark.slow),
        pytest.param("adapter", (2,), marks=pytest.mark.slow),
        ("adapter", (2, STEPS, STEPS + 2)),
    ],
)
def test_a_stopped_run_goes_on_to_the_unbroken_numbers(
    board: Store, source: Path, folder: str, shared_board: Store, trained: Trained, variant: str, stops: tuple[int, ...]
) -> None:
    """Wherever it is stopped, and however often: weights bit for bit, curves point for point, the same answers."""
    run_id = stopped(Job(span_recipe(source, **VARIANTS[variant]), folder, board), *stops)
    assert status(board, run_id) == "interrupted"
    jobs.resume(board, run_id, folder, 1)
    assert status(board, run_id) == "finished"
    assert _outcome(board, run_id) == _outcome(shared_board, trained(variant, 0))


def test_a_run_that_stops_while_it_answers_learns_nothing_again(
    board: Store, folder: str, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed in its evaluation, which may take longer than an epoch, it goes on with the evaluation."""
    original = evaluation.evaluate

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluation, "evaluate", killed)
    recipe = span_recipe(source)
    with pytest.raises(KeyboardInterrupt):
        pipeline.train(Job(recipe, folder, board))
    (run_id,) = board.query("SELECT run_id FROM runs WHERE source = 'measured'")["run_id"]
    weights = sha256(_folder(board, run_id) / "model.safetensors")
    monkeypatch.setattr(evaluation, "evaluate", original)

    def no_step(*_: Any) -> float:
        raise AssertionError("it learned again")

    monkeypatch.setattr("engine.trainer.loop.Trainer._step", no_step)
    jobs.resume(board, run_id, folder, 1)
    assert status(board, run_id) == "finished"
    assert sha256(_folder(board, run_id) / "model.safetensors") == weights
    assert not list(_folder(board, run_id).parent.glob("resume*"))


def test_other_data_do_not_go_on_with_a_run(board: Store, folder: str, source: Path) -> None:
    """A resumption needs the questions that the run began with."""
    run_id = stopped(Job(span_recipe(source), folder, board), 2)
    shutil.rmtree(folder)
    write_squad(Path(folder), train=28)
    with pytest.raises(DataError, match="are not those that the run"):
        jobs.resume(board, run_id, folder, 1)


def test_figures_of_a_part_of_the_split_are_not_verified(board: Store, source: Path, tmp_path: Path) -> None:
    """80 questions are the test split; another number is another split."""
    run_id = pipeline.train(Job(span_recipe(source), str(write_squad(tmp_path / "few", test=40)), board))
    details = detail.run_detail(board, run_id)
    assert (details.run["status"], details.run["verified"]) == ("finished", False)


def test_a_sweep_skips_what_is_finished(board: Store, folder: str, source: Path, tmp_path: Path) -> None:
    """Every combination of a span recipe is a run; asked again, nothing is trained."""
    own = write_recipe(tmp_path / "toy.toml", content(source, train={"epochs": 1}))
    grids, seeds = ["qa.questions=12,16"], [0, 1]
    planned = sweep.plan(board, own, grids, seeds, data=folder)
    assert [item.state for item in planned] == ["new"] * 4
    done = sweep.run(planned, lambda step: False)
    assert [item.state for item in done] == ["finished"] * 4
    assert all(row[2].endswith("%") for row in sweep.rows(done))
    notes = detail.run_detail(board, str(done[0].run_id)).run["notes"]
    assert notes == "Trained on 12 of the 30 questions of qa-en-mini's training split."
    again = sweep.plan(board, own, [*grids, "train.lr=0.005,0.01"], seeds, data=folder)
    assert sorted(item.state for item in again) == ["finished"] * 4 + ["new"] * 4
    assert {item.run_id for item in again if item.run_id} == {item.run_id for item in done}


def test_a_stopped_sweep_goes_on(board: Store, folder: str, source: Path, tmp_path: Path) -> None:
    """The combination that was stopped is resumed, not begun anew."""
    own = write_recipe(tmp_path / "toy.toml", content(source, train={"epochs": 1}))
    stopped = sweep.run(sweep.plan(board, own, ["train.lr=0.01,0.02"], [], data=folder), lambda step: step == 2)
    assert [item.state for item in stopped] == ["interrupted", "not reached"]
    done = sweep.run(sweep.plan(board, own, ["train.lr=0.01,0.02"], [], data=folder), lambda step: False)
    assert [item.state for item in done] == ["finished", "finished"]
    assert done[0].run_id == stopped[0].run_id


def test_its_checkpoint_is_no_classifier(shared_board: Store, trained: Trained) -> None:
    """What classifies texts says what to ask instead, and two runs are compared by their answers."""
    board, runs = shared_board, [trained("whole", seed) for seed in (0, 1)]
    with pytest.raises(ModelError, match="marks answers in texts; `featherboard ask` uses it"):
        classifiers.load(_folder(board, runs[0]))
    compared = compare(board, runs)
    rows = [
        board.query("SELECT gold, predicted FROM predictions WHERE run_id = ? ORDER BY example_id", [run_id])
        for run_id in runs
    ]
    right = [[best(SQUAD, row.predicted, unpack(row.gold))[0] for row in some.itertuples()] for some in rows]
    both = sum(first_right and other for first_right, other in zip(*right, strict=True))
    assert (len(compared.common), compared.count([0, 1])) == (80, both)
    assert [compared.count([0], [1]), compared.count([1], [0])] == [sum(row) - both for row in right]
    same = compare(board, [runs[0], runs[0]])
    assert same.count([0]) == sum(right[0])
    assert detail.run_detail(board, runs[0]).confusion.empty
