"""Fine-tunings that start from a student, which is distilled first."""

import shutil
from pathlib import Path

import pytest
import torch

from db.base.paths import checkpoint_folder
from db.registry.tasks import corpus_folder
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError, ModelError, RecipeError
from engine.checkpoints import checkpoint
from engine.families.classification import classifiers, fit
from engine.networks import sources
from engine.recipes import loader
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories.command_line import one_line
from tests.factories.masked_lm import content, tiny_bert, write_text
from tests.factories.recipes import tuned_on_pairs, write_recipe


@pytest.fixture(scope="module")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A recipe that distils a student from a tiny BERT."""
    folder = tmp_path_factory.mktemp("pupil")
    source = str(tiny_bert(folder / "teacher", max_position_embeddings=512))
    return write_recipe(folder / "pupil.toml", content(source=source, train={"epochs": 1}))


@pytest.fixture(scope="module")
def tuned(shared_board: Store, pupil: str) -> str:
    """A fine-tuning of its student, which is distilled first; the run's id."""
    recipe = tuned_on_pairs(shared_board.path.parent, f"distilled:{pupil}")
    return pipeline.train(Job(recipe, None, shared_board))


@pytest.fixture
def taught(shared_board: Store, tuned: str, tmp_path: Path) -> Store:
    """The board with both runs and their checkpoints; a copy, so a test may change it."""
    return Store(Path(shutil.copytree(shared_board.path.parent, tmp_path / "copy")) / shared_board.path.name)


def _folder(board: Store, run_id: str) -> Path:
    return checkpoint_folder(board.path, run_id)


def _source(job: Job) -> str:
    """Where a job starts from, made first where it is missing."""
    return str(pipeline.prepare(job).source)


def test_a_fine_tuning_starts_from_a_student(taught: Store, tmp_path: Path, pupil: str, tuned: str) -> None:
    """The student of the same seed is distilled first, found by the next, and its weights are where tuning begins."""
    recipe, board = tuned_on_pairs(tmp_path, f"distilled:{pupil}"), taught
    rows = board.query("SELECT run_id, recipe, seed, task_id FROM runs WHERE source = 'measured' ORDER BY created_at")
    assert rows["recipe"].tolist() == ["pupil", "tuned"]
    assert rows["task_id"].tolist() == ["english-text-mini", "nli-en-mini"]
    assert set(rows["seed"]) == {0}
    student = rows["run_id"].iloc[0]
    assert _source(Job(recipe, None, board)) == str(_folder(board, student))
    begun = fit.start(recipe, str(_folder(board, student))).inner.distilbert.state_dict()
    theirs = checkpoint.read_weights(_folder(board, student), checkpoint.read_card(_folder(board, student)))
    assert all(torch.equal(tensor, theirs[f"distilbert.{name}"]) for name, tensor in begun.items())
    shutil.rmtree(_folder(board, student))
    assert classifiers.load(_folder(board, tuned)).logits(
        [("the red cat sits", "a dog runs near the house")]
    ).shape == (1, 3)
    assert detail.run_detail(board, tuned).run["status"] == "finished"


def test_a_span_model_starts_from_a_student_too(taught: Store, tmp_path: Path, pupil: str) -> None:
    """Question answering finds its student in the same way."""
    config = {
        **content("spans", source=f"distilled:{pupil}", kind="span"),
        "task": "squad",
        "mini_task": "qa-en-mini",
        "qa": {"max_length": 40, "stride": 8, "question_length": 12, "questions": 20},
        "train": {"epochs": 1, "batch_size": 32, "patience": 0},
    }
    del config["text"]
    run_id = pipeline.train(Job(loader.load(write_recipe(tmp_path / "spans.toml", config), mini=True), None, taught))
    assert detail.run_detail(taught, run_id).run["status"] == "finished"
    recipes = taught.query("SELECT recipe FROM runs WHERE source = 'measured' ORDER BY created_at")["recipe"]
    assert recipes.tolist() == ["pupil", "tuned", "spans"]


def test_each_seed_has_its_own_student(taught: Store, tmp_path: Path, pupil: str) -> None:
    """A fine-tuning with seed 1 starts from the student of seed 1, and a second student of it replaces the first."""
    recipe, board = tuned_on_pairs(tmp_path, f"distilled:{pupil}"), taught
    places = [_source(Job(recipe.model_copy(update={"seed": seed}), None, board)) for seed in (0, 1, 0)]
    assert places[0] == places[2] != places[1]
    newer = pipeline.train(Job(loader.load(pupil, mini=True), None, board))
    assert _source(Job(recipe, None, board)) == str(_folder(board, newer))


def test_another_text_does_not_matter_but_a_mini_one_does(taught: Store, tmp_path: Path, pupil: str) -> None:
    """On real data any text's student is taken, never that of the mini corpus; without one the command is told."""
    text = str(write_text(tmp_path / "text"))
    recipe, board = tuned_on_pairs(tmp_path, f"distilled:{pupil}"), taught
    nowhere = tmp_path / "nli"
    nowhere.mkdir()
    for part, name in (("train", "train"), ("test", "validation_matched")):
        shutil.copy(corpus_folder("nli_en") / f"{part}.jsonl", nowhere / f"{name}.jsonl")
    message = one_line(lambda: _source(Job(recipe, str(nowhere), board)), DataError)
    assert f"featherboard distill {pupil} --seed 0 --data DIR" in message
    run_id = pipeline.train(Job(loader.load(pupil), text, board))
    assert _source(Job(recipe, str(nowhere), board)) == str(_folder(board, run_id))


def test_only_a_student_is_distilled(board: Store, tmp_path: Path) -> None:
    """A recipe of another kind, an unknown one, and a use outside a run are told."""
    for source, message in (
        ("distilled:kobilstm-tiny", "it must be a recipe of model.kind = 'student'"),
        ("distilled:nothing", "There is no recipe 'nothing'"),
    ):
        assert message in one_line(lambda s=source: _source(Job(tuned_on_pairs(tmp_path, s), None, board)), RecipeError)
    assert "only a run of its own" in one_line(lambda: sources.locate("distilled:x"), ModelError)
