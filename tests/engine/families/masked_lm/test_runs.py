"""Distillations from recipe to board: teacher first, stopped anywhere, fine-tuned from."""

import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from db.bootstrap import integrity
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError, FeatherboardError, ModelError, RecipeError
from engine.checkpoints import checkpoint
from engine.cli.app import app
from engine.families.classification import classifiers
from engine.recipes import loader
from engine.training.job import Job
from engine.workflows import evaluate, sweep
from tests.factories.masked_lm import content, make_recipe, tiny_bert, write_text
from tests.factories.pretraining import run_checkpoint, started, trained, weights
from tests.factories.recipes import curves, status, stopped, write_recipe

Unbroken = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Tiny text for --data."""
    return str(write_text(tmp_path / "text"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny BERT that names hidden words."""
    return str(tiny_bert(tmp_path_factory.mktemp("source") / "bert"))


@pytest.fixture(scope="module")
def unbroken(shared_board: Store, bert: str) -> Unbroken:
    """Trains the recipe of a kind to its end, once; the run's id."""
    text = str(write_text(shared_board.path.parent / "text"))
    return cache(lambda kind: trained(shared_board, make_recipe(kind, source=bert, kind=kind), text))


@pytest.fixture
def headed(tmp_path: Path) -> str:
    """The recipe of a teacher that gets its head here, as a file."""
    source = str(tiny_bert(tmp_path / "bare", head=False))
    return write_recipe(tmp_path / "headed.toml", content("headed", source=source, kind="masked-lm"))


def test_a_distillation_is_a_whole_run(shared_board: Store, unbroken: Unbroken) -> None:
    """Curves of the loss and its parts, a score with its interval, costs, every hidden word, and a sound database."""
    board, run_id = shared_board, unbroken("student")
    details = detail.run_detail(board, run_id)
    assert (details.run["status"], details.run["task_id"], details.run["teacher"]) == (
        "finished",
        "english-text",
        "bert",
    )
    assert integrity.check(board) == []
    assert {"train_loss", "kl_loss", "mlm_loss", "cosine_loss", "validation_loss"} <= set(details.curves["series"])
    figures = details.metrics.set_index("name")
    assert {"masked_loss", "validation_masked_accuracy", "latency_ms_p50", "checkpoint_bytes"} <= set(figures.index)
    score = figures.loc["masked_accuracy"]
    rows = board.query("SELECT gold, predicted FROM predictions WHERE run_id = ?", [run_id])
    assert score["n"] == len(rows)
    assert score["value"] == pytest.approx((rows["gold"] == rows["predicted"]).mean())
    assert score["low"] <= score["value"] <= score["high"]
    assert "of 16 documents of text.jsonl (40 texts)" not in details.run["notes"], "a fifth of 16 is held out"
    assert "tokens of 13 documents of text.jsonl (40 texts). Scored on" in details.run["notes"]
    assert details.model["params"] == sum(tensor.numel() for tensor in weights(board, run_id).values())


def test_the_total_is_the_weighted_mean_of_the_parts(board: Store, folder: str, bert: str) -> None:
    """Weights 6, 1 and 3 are 0.6, 0.1 and 0.3 of the loss, at every point of the curves."""
    run_id = trained(board, make_recipe(source=bert, triple={"kl": 6, "mlm": 1, "cosine": 3}), folder)
    values = {(series, step): value for series, step, value in curves(board, run_id)}
    for step in range(1, 5):
        parts = [values[name, step] for name in ("kl_loss", "mlm_loss", "cosine_loss")]
        assert values["train_loss", step] == pytest.approx(np.dot(parts, (0.6, 0.1, 0.3)), rel=1e-5)


@pytest.mark.parametrize("part", ["kl", "mlm", "cosine"])
def test_a_part_without_weight_is_not_computed(
    board: Store, folder: str, bert: str, shared_board: Store, unbroken: Unbroken, part: str
) -> None:
    """Left out, a part has no curve, and the student becomes another one."""
    run_id = trained(board, make_recipe(source=bert, triple={part: 0}), folder)
    series = {name for name, _, _ in curves(board, run_id)}
    assert f"{part}_loss" not in series
    assert len({"kl_loss", "mlm_loss", "cosine_loss"} & series) == 2
    ours, theirs = weights(board, run_id), weights(shared_board, unbroken("student"))
    assert not torch.equal(ours["vocab_transform.weight"], theirs["vocab_transform.weight"])


def test_soft_labels_at_every_token_are_another_loss(board: Store, folder: str, bert: str) -> None:
    """Compared everywhere or at the hidden words alone: the parts differ, and both train."""
    values = []
    for where in ("all", "masked"):
        run_id = trained(board, make_recipe(where, source=bert, triple={"kl_tokens": where}), folder)
        first = {series: value for series, step, value in curves(board, run_id) if step == 1}
        values.append(first)
    assert values[0]["kl_loss"] != values[1]["kl_loss"]
    assert values[0]["mlm_loss"] == pytest.approx(values[1]["mlm_loss"], rel=1e-5), "the same words were hidden"


def test_distilling_brings_the_student_to_its_teacher(board: Store, folder: str, bert: str) -> None:
    """After some epochs all three parts are smaller than at first."""
    settings = {"epochs": 12, "scheduler": "constant"}
    run_id = trained(board, make_recipe(source=bert, train=settings, model={"dropout": 0.0}), folder)
    for name in ("kl_loss", "cosine_loss"):
        values = [value for series, _, value in curves(board, run_id) if series == name]
        assert np.mean(values[-4:]) < 0.7 * np.mean(values[:2]), name


def test_the_same_seed_gives_the_same_student(board: Store, folder: str, bert: str) -> None:
    """Bit for bit; another seed reads in another order and hides other words."""
    sections = {"model": {"init": "random"}, "train": {"epochs": 1}}
    runs = [trained(board, make_recipe(source=bert, seed=seed, **sections), folder) for seed in (0, 0, 1)]
    ours, theirs, others = (weights(board, run_id) for run_id in runs)
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in ours.items())
    assert not torch.equal(ours["vocab_transform.weight"], others["vocab_transform.weight"])


@pytest.mark.parametrize("stops", [(3,), (6, 7), *(pytest.param((stop,), marks=pytest.mark.slow) for stop in (1, 4))])
@pytest.mark.parametrize("kind", ["student", "masked-lm"])
def test_a_stopped_run_goes_on_to_the_same_network(
    board: Store, folder: str, bert: str, shared_board: Store, unbroken: Unbroken, kind: str, stops: tuple[int, ...]
) -> None:
    """Stopped after any step and resumed: bit for bit the weights, point for point the curves, of one unbroken."""
    whole = unbroken(kind)
    points = curves(shared_board, whole)
    assert max(step for series, step, _ in points if series == "train_loss") > max(stops)
    run_id = stopped(Job(make_recipe(kind, source=bert, kind=kind), folder, board), *stops)
    evaluate.resume(board, run_id, folder, 1)
    assert status(board, run_id) == "finished"
    assert curves(board, run_id) == points
    first, second = weights(shared_board, whole), weights(board, run_id)
    assert all(torch.equal(tensor, second[name]) for name, tensor in first.items())
    query = (
        "SELECT name, value FROM metrics WHERE run_id = ? AND name IN ('masked_accuracy', 'masked_loss') ORDER BY name"
    )
    assert board.query(query, [run_id]).equals(shared_board.query(query, [whole]))


def test_other_text_is_not_gone_on_with(board: Store, folder: str, bert: str, tmp_path: Path) -> None:
    """A run that began on one text is not resumed on another."""
    run_id = stopped(Job(make_recipe(source=bert), folder, board), 2)
    with pytest.raises(DataError, match="are not those that the run"):
        evaluate.resume(board, run_id, str(write_text(tmp_path / "other", 44)), 1)


def test_the_teachers_head_is_fitted_first_and_once(board: Store, folder: str, headed: str) -> None:
    """Two students of one teacher: the first waits for it, the second finds it; the board names it."""
    for name in ("one", "two"):
        run_id = trained(board, make_recipe(name, source=f"masked-lm:{headed}"), folder)
        assert detail.run_detail(board, run_id).run["teacher"] == "Tiny headed"
    assert sorted(started(board)) == ["headed", "one", "two"]
    assert started(board)[0] == "headed"


def test_fitting_a_head_leaves_the_encoder_alone(board: Store, folder: str, headed: str, tmp_path: Path) -> None:
    """The head learns, the encoder's weights are those of its source, and the state of a stop holds the head alone."""
    state = board.path.parent / "runs" / stopped(Job(loader.load(headed), folder, board), 2) / "resume.safetensors"
    assert not any("encoder" in name for name in load_file(state))
    run_id = trained(board, loader.load(headed), folder)
    source, learned = load_file(tmp_path / "bare" / "model.safetensors"), weights(board, run_id)
    body = {name.removeprefix("bert."): tensor for name, tensor in learned.items() if name.startswith("bert.")}
    assert body
    assert all(torch.equal(tensor, source[name]) for name, tensor in body.items())


def test_a_teacher_may_learn_as_a_whole(board: Store, folder: str, headed: str, tmp_path: Path) -> None:
    """Not frozen, the encoder's weights move too, and the board's run says so."""
    run_id = trained(board, loader.load(headed, ["model.frozen=false", "model.dropout=0.0"]), folder)
    source, learned = load_file(tmp_path / "bare" / "model.safetensors"), weights(board, run_id)
    name = "encoder.layer.0.output.dense.weight"
    assert not torch.allclose(learned[f"bert.{name}"], source[name], atol=1e-4)
    assert detail.run_detail(board, run_id).recipe["model"]["frozen"] is False
    assert json.loads((run_checkpoint(board, run_id) / "config.json").read_text())["hidden_dropout_prob"] == 0.0


def test_a_student_hands_its_text_to_its_teacher(board: Store, tmp_path: Path, headed: str) -> None:
    """What the student is scored on, its teacher has not read either: files and share held out are passed on."""
    folder = write_text(tmp_path / "text")
    (folder / "text.jsonl").rename(folder / "other.jsonl")
    text = {"files": ["other.jsonl"], "held": 0.3}
    trained(board, make_recipe(source=f"masked-lm:{headed}", text=text), str(folder))
    (row,) = board.query("SELECT recipe_json, command, dataset_hash FROM runs WHERE recipe = 'headed'").to_dict(
        "records"
    )
    text_settings = json.loads(row["recipe_json"])["text"]
    assert (text_settings["files"], text_settings["held"], text_settings["block"]) == (["other.jsonl"], 0.3, 16)
    assert "text.held=0.3" in row["command"]
    assert board.query("SELECT DISTINCT dataset_hash FROM runs WHERE source = 'measured'").shape == (1, 1)


def test_what_a_student_cannot_learn_from_is_told(board: Store, folder: str, bert: str, tmp_path: Path) -> None:
    """A teacher's recipe of another kind, itself, too long a block, layers that are not there: no run is left."""
    other = write_recipe(tmp_path / "other.toml", content("other", source=bert))
    circle = write_recipe(tmp_path / "circle.toml", content("pupil", source=bert, kind="masked-lm"))
    for changes, message in (
        ({"source": f"masked-lm:{other}"}, "it must be a recipe of model.kind = 'masked-lm'"),
        ({"source": f"masked-lm:{circle}"}, "it would wait for itself: pupil -> pupil"),
        ({"source": "masked-lm:nothing"}, "There is no recipe 'nothing'"),
        ({"source": bert, "text": {"block": 41}}, "text.block = 41: pupil reads at most 40 tokens"),
        ({"source": bert, "model": {"layers": [0, 9]}}, "the teacher has 4 layers"),
        (
            {"source": bert, "distill": {"teacher": "x"}},
            "the section distill does not belong to model.kind = 'student'",
        ),
        ({"source": str(tmp_path / "nowhere")}, "there is no folder of that name"),
    ):
        with pytest.raises(FeatherboardError) as caught:
            trained(board, make_recipe(**changes), folder)
        assert message in str(caught.value)
    with pytest.raises(RecipeError, match="is for english-text"):
        trained(board, make_recipe(source=bert).model_copy(update={"task": "mnli"}), folder)
    assert board.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def test_a_text_of_headings_is_told(board: Store, tmp_path: Path, bert: str) -> None:
    """Where every text is too short there is nothing to learn from, and no run is left."""
    (tmp_path / "short.txt").write_text("\n".join(f"a cat {i}" for i in range(30)))
    with pytest.raises(DataError, match="holds nothing to learn from"):
        trained(board, make_recipe(source=bert), str(tmp_path))
    assert board.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def test_a_student_is_no_classifier(shared_board: Store, unbroken: Unbroken) -> None:
    """Its checkpoint is read by what fine-tunes it, and refused where texts are put into classes."""
    with pytest.raises(ModelError, match="names hidden words, and puts no text into classes"):
        classifiers.load(run_checkpoint(shared_board, unbroken("student")))


def test_a_sweep_knows_students(board: Store, folder: str, bert: str, tmp_path: Path) -> None:
    """Weights of the loss are swept like any other key; what is finished is skipped."""
    recipe = write_recipe(tmp_path / "pupil.toml", content(source=bert, train={"epochs": 1}))
    planned = sweep.plan(board, recipe, ["triple.kl=0.0,5.0"], [0], data=folder)
    done = sweep.run(planned, lambda step: False)
    assert [item.state for item in done] == ["finished", "finished"]
    again = sweep.plan(board, recipe, ["triple.kl=0.0,5.0"], [0], data=folder)
    assert not any(item.waits for item in again)


def test_the_command_distils(tmp_path: Path, folder: str, bert: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`featherboard distill` makes the run; a recipe without a student is sent to `train`."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(tmp_path / "own" / "b.duckdb"))
    recipe = write_recipe(tmp_path / "pupil.toml", content(source=bert, train={"epochs": 1}))
    done = CliRunner().invoke(app, ["distill", recipe, "--data", folder, "--seed", "3", "--threads", "1"])
    assert done.exit_code == 0, done.output
    store = Store(tmp_path / "own" / "b.duckdb")
    rows = store.query("SELECT seed, status, command FROM runs WHERE source = 'measured'")
    assert rows[["seed", "status"]].values.tolist() == [[3, "finished"]]
    refused = CliRunner().invoke(app, ["distill", "kobilstm-tiny"])
    assert isinstance(refused.exception, RecipeError)
    assert "featherboard train kobilstm-tiny" in str(refused.exception)


def test_the_checkpoint_is_sealed(shared_board: Store, unbroken: Unbroken, tmp_path: Path) -> None:
    """A card names recipe and files with their hashes, and the folder is whole for transformers."""
    path = Path(shutil.copytree(run_checkpoint(shared_board, unbroken("student")), tmp_path / "copy"))
    card = checkpoint.read_card(path)
    assert card.recipe.name == "student"
    assert card.sha256 == checkpoint.sha256(path / checkpoint.WEIGHTS)
    assert {"config.json", "tokenizer.json", "tokenizer_config.json"} <= set(card.facts["files"])
    assert checkpoint.read_weights(path, card)
    shutil.move(path / "config.json", path / "gone")
    with pytest.raises(checkpoint.CheckpointError):
        checkpoint.read_weights(path, card)
