"""Teachers before students: which are trained first, kept, read from the cache or refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from db.base.paths import checkpoint_folder
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import CheckpointError, RecipeError
from engine.checkpoints import checkpoint
from engine.families.classification import fit
from engine.networks.classifier import Classifier
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from tests.engine.training.toy_runs import only_run, toy_job, weights_of
from tests.factories.recipes import content, status, stopped, toy_recipe, write_recipe, write_reviews


def _student(name: str, teaching: str, **more: Any) -> Recipe:
    return loader.validate({**content(name, epochs=2), "distill": {"teacher": teaching, **more}}, name)


@pytest.fixture
def count_passes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each time that teacher logits are really computed."""
    made: list[str] = []
    compute: Callable[..., torch.Tensor] = Classifier.logits

    def noted(classifier: Classifier, texts: Any, label: str | None = None, *more: Any) -> torch.Tensor:
        if label is not None and label.startswith("teacher "):
            made.append(label)
        return compute(classifier, texts, label, *more)

    monkeypatch.setattr(Classifier, "logits", noted)
    return made


def test_a_missing_teacher_is_trained_first_and_once(
    board: Store, folder: str, tmp_path: Path, count_passes: list[str]
) -> None:
    """Two students of a teacher cost one teacher's training and one pass of it over the training split."""
    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=2))
    students = [
        pipeline.train(toy_job(board, folder, _student(name, teaching, loss_rate=rate)))
        for name, rate in (("one", 0.1), ("two", 0.9))
    ]
    big = only_run(board, "big")
    assert status(board, big) == "finished"
    assert [detail.run_detail(board, run_id).run["teacher"] for run_id in students] == ["Toy big", "Toy big"]
    assert count_passes == ["teacher Toy big"]
    (cached,) = (board.path.parent / "cache" / "teacher").glob("*.safetensors")
    assert cached.name.startswith(weights_of(board, big)[:24])
    made = board.query("SELECT model_id FROM runs WHERE source = 'measured' ORDER BY created_at, finished_at")
    assert set(made["model_id"]) == {"big", "one", "two"}


def test_a_student_is_the_same_whether_its_teacher_was_there(board: Store, folder: str, tmp_path: Path) -> None:
    """Training the teacher on the way does not change the student's random numbers."""
    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=2))
    first = pipeline.train(toy_job(board, folder, _student("one", teaching)))
    second = pipeline.train(toy_job(board, folder, _student("one", teaching)))
    assert weights_of(board, first) == weights_of(board, second)


def test_distillation_changes_the_student(board: Store, folder: str, tmp_path: Path) -> None:
    """A student differs from the same model trained on the labels alone."""
    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=2))
    student = pipeline.train(toy_job(board, folder, _student("one", teaching)))
    alone = pipeline.train(toy_job(board, folder, toy_recipe("alone", epochs=2)))
    assert weights_of(board, student) != weights_of(board, alone)


@pytest.mark.parametrize(("named", "message"), [(True, "holds 3 rows for 48 examples"), (False, "for other texts")])
def test_a_cache_of_other_data_is_told(board: Store, folder: str, tmp_path: Path, named: bool, message: str) -> None:
    """A cache file that does not hold these data is refused with what to do, and the student's run is failed."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=2))
    pipeline.train(toy_job(board, folder, _student("one", teaching)))
    (cached,) = (board.path.parent / "cache" / "teacher").glob("*.safetensors")
    with safe_open(cached, "pt") as file:
        facts = file.metadata()
    save_file({"logits": torch.zeros(3, 2)}, cached, metadata=facts if named else None)
    with pytest.raises(CheckpointError, match=rf"{message}. Delete it"):
        pipeline.train(toy_job(board, folder, _student("two", teaching)))
    assert status(board, only_run(board, "two")) == "failed"


def test_other_data_make_another_cache(board: Store, folder: str, tmp_path: Path, count_passes: list[str]) -> None:
    """Teacher outputs are kept by content: another training split is computed anew, under another name."""
    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=1))
    pipeline.train(toy_job(board, folder, _student("one", teaching)))
    pipeline.train(toy_job(board, str(write_reviews(tmp_path / "other", train=50)), _student("one", teaching)))
    assert len(count_passes) == 2
    assert len(list((board.path.parent / "cache" / "teacher").glob("*.safetensors"))) == 2


def test_a_teacher_of_another_task_is_refused(board: Store, folder: str, tmp_path: Path) -> None:
    """A recipe cannot teach itself, nor a recipe of another task; the key is named and nothing is trained."""
    english = {**content("english"), "task": "mnli", "mini_task": "nli-en-mini"}
    for name, other in (("english", english), ("one", content("one"))):
        teaching = write_recipe(tmp_path / f"{name}.toml", other)
        with pytest.raises(RecipeError, match=r"distill.teacher = .*another recipe for the task reviews-ko-mini"):
            pipeline.train(toy_job(board, folder, _student("one", teaching)))
    with pytest.raises(RecipeError, match="There is no recipe 'nosuch'"):
        pipeline.train(toy_job(board, folder, _student("one", "nosuch")))
    assert board.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def test_recipes_that_teach_each_other_are_refused(board: Store, folder: str, tmp_path: Path) -> None:
    """A circle of teachers is told in one line, and nothing is trained."""
    files = {name: tmp_path / f"{name}.toml" for name in ("one", "two")}
    for name, other in (("one", "two"), ("two", "one")):
        write_recipe(files[name], {**content(name), "distill": {"teacher": str(files[other])}})
    with pytest.raises(RecipeError, match="it would wait for itself: one -> two -> one"):
        pipeline.train(toy_job(board, folder, loader.load(str(files["one"]))))
    assert board.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def test_stopping_while_the_teacher_trains_keeps_the_teacher(board: Store, folder: str, tmp_path: Path) -> None:
    """A stop during the teacher's training leaves the teacher as interrupted and no run of the student."""
    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=2))
    run_id = stopped(toy_job(board, folder, _student("one", teaching)), 2)
    assert run_id == only_run(board, "big")
    assert status(board, run_id) == "interrupted"
    assert board.query("SELECT 1 FROM runs WHERE model_id = 'one'").empty


def test_a_teacher_whose_checkpoint_is_gone_is_trained_again(board: Store, folder: str, tmp_path: Path) -> None:
    """A finished teacher without its files on this machine does not count as there."""
    import shutil

    teaching = write_recipe(tmp_path / "big.toml", content("big", epochs=1))
    pipeline.train(toy_job(board, folder, _student("one", teaching)))
    shutil.rmtree(checkpoint_folder(board.path, only_run(board, "big")))
    pipeline.train(toy_job(board, folder, _student("two", teaching)))
    assert len(board.query("SELECT 1 FROM runs WHERE model_id = 'big'")) == 2


def test_a_tokenizer_that_was_cut_off_by_a_kill_is_not_read(
    board: Store, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tokenizer appears under its name only when it is whole: a kill while it is written costs nothing."""

    class HalfSaved:
        def save(self, path: str) -> None:
            Path(path).write_text('{"version"')
            raise OSError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(fit, "train_tokenizer", lambda *_: HalfSaved())
        with pytest.raises(OSError, match="killed"):
            pipeline.train(toy_job(board, folder, run_id="0" * 32))
    assert not (board.path.parent / "runs" / ("0" * 32) / checkpoint.TOKENIZER).exists()
