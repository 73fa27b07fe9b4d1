"""Ensembles: saved whole, resumed member by member, and teachers whose soft labels are honest."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from db.base.paths import checkpoint_folder
from db.bootstrap import integrity
from db.registry.disk_sizes import ENCODER_BYTES
from db.runs import detail
from db.storage.store import Store
from engine.base import device
from engine.base.errors import CheckpointError, InterruptedRunError, RecipeError
from engine.checkpoints import checkpoint
from engine.data import corpora
from engine.data.corpora import TextSet
from engine.families.classification import classifiers, ensemble, fit, ngrams
from engine.families.classification.family import teacher_logits
from engine.families.classification.fit import TrainingContext, TrainingData
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import EnsembleConfig
from engine.training import plan, run
from engine.training.job import Job
from tests.engine.damage import refusal
from tests.factories.recipes import Silent, content, kind_recipe, status, toy_set, write_recipe, write_reviews

KINDS = {"grams": {"kind": "char-ngrams"}, "net": {"vocab_size": 120, "embedding_dim": 4, "hidden_dim": 4}}


def _together(folder: Path, folds: int = 2) -> Recipe:
    """An ensemble of n-grams and a network, whose recipes lie in files."""
    members = [
        write_recipe(folder / f"{name}.toml", {**content(name, epochs=2), "model": model})
        for name, model in KINDS.items()
    ]
    config = {**content("both"), "model": {"kind": "ensemble", "members": members, "folds": folds}}
    return loader.load(write_recipe(folder / "both.toml", config))


def _split(train: TextSet, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return corpora.split_validation(train, 0.2, seed)


def _fit(
    recipe: Recipe, folder: Path, stop: Callable[[int], bool] = lambda _: False, writer: Silent | None = None
) -> fit.FitResult:
    train = toy_set(60)
    tools = TrainingContext(writer or Silent(), folder / fit.STATE, folder / "cache", stop)
    return fit.fit(recipe, TrainingData(train, *_split(train)), folder / "checkpoint", tools)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of two members with two folds, to be read only."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("ensemble")
    _fit(_together(folder), folder)
    return folder / "checkpoint"


@pytest.fixture
def fitted(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(made, tmp_path / "checkpoint")


def test_out_of_fold_logits_are_those_of_the_saved_members(made: Path) -> None:
    """What the checkpoint keeps for its training set is what its members give, each on the fold it did not see."""
    loaded = classifiers.load(made)
    assert isinstance(loaded, ensemble.EnsembleClassifier)
    train = toy_set(60)
    training, _ = _split(train)
    own = loaded.own_logits(train.sha256)
    assert own is not None
    assert loaded.own_logits(toy_set(61).sha256) is None
    for fold, part in enumerate(ensemble.folds(train, training, 2, 0)):
        texts = [train.texts[i] for i in part]
        expected = sum(member.weight * member.models[fold].logits(texts) for member in loaded.members)
        assert np.allclose(own[part], expected, atol=1e-5)


def test_an_ensemble_is_the_weighted_mean_of_its_models(made: Path) -> None:
    """On texts that none has seen, each member counts with the mean over its folds, and all parameters count."""
    loaded = classifiers.load(made)
    assert isinstance(loaded, ensemble.EnsembleClassifier)
    texts = toy_set(20, 9).texts
    means = [np.mean([model.logits(texts) for model in member.models], axis=0) for member in loaded.members]
    expected = sum(member.weight * mean for member, mean in zip(loaded.members, means, strict=True))
    assert np.allclose(loaded.logits(texts), expected, atol=1e-5)
    assert loaded.params == sum(model.params for member in loaded.members for model in member.models)
    accuracy = (loaded.logits(texts).argmax(axis=-1) == toy_set(20, 9).labels).mean()
    assert accuracy >= 0.9


@pytest.mark.parametrize("change", ["missing", "swapped", "none", "own missing", "own swapped", "own cut"])
def test_other_members_than_the_cards_are_told(fitted: Path, change: str) -> None:
    """A member or soft labels that are missing, or not those the weights were learnt for, are refused in one line."""
    places = sorted((fitted / ensemble.MEMBERS).iterdir())
    assert len(places) == 4
    own = fitted / ensemble.OWN
    if change == "missing":
        shutil.rmtree(places[1])
    elif change == "swapped":
        places[0].rename(places[0].with_name("x"))
        places[1].rename(places[0])
        places[0].with_name("x").rename(places[1])
    elif change == "none":
        shutil.rmtree(fitted / ensemble.MEMBERS)
    elif change == "own missing":
        own.unlink()
    elif change == "own swapped":
        save_file({"logits": load_file(own)["logits"] + 1}, own)
    else:
        own.write_bytes(own.read_bytes()[:-7])
    refusal(fitted)


def test_what_else_lies_beside_the_members_does_not_matter(fitted: Path) -> None:
    """A file that another program left in the folder of the members is passed over."""
    (fitted / ensemble.MEMBERS / ".DS_Store").write_bytes(b"\x00")
    classifiers.load(fitted)


def test_members_must_learn_from_labels_alone(tmp_path: Path) -> None:
    """A student, or another ensemble, as a member is refused in one line."""
    student = {**content("pupil"), "distill": {"teacher": "x"}}
    for member in (write_recipe(tmp_path / "pupil.toml", student), str(tmp_path / "both.toml")):
        _together(tmp_path)
        with pytest.raises(RecipeError, match=r"must learn from the labels, and by itself"):
            _fit(kind_recipe("ensemble", members=[member]), tmp_path / "run")


class _KilledError(BaseException):
    """Stands for a kill: nothing is saved on the way out."""


@pytest.mark.parametrize("how", ["killed", "stopped"])
def test_what_is_trained_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Cut off in the middle, a second call trains only what is missing, to the same weights, labels and hash."""
    recipe = _together(tmp_path)
    (tmp_path / "whole").mkdir()
    (tmp_path / "cut").mkdir()
    _fit(recipe, tmp_path / "whole")
    counted: list[str] = []
    fit_ngrams, network = ngrams.fit, fit.Trainer

    def note(kind: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **more: Any) -> Any:
            counted.append(kind)
            return inner(*args, **more)

        return noted

    monkeypatch.setattr(ngrams, "fit", note("grams", fit_ngrams))
    monkeypatch.setattr(fit, "Trainer", note("net", network))

    def stop(step: int) -> bool:
        if step == 3 and counted.count("net") == 2:
            if how == "killed":
                raise _KilledError
            return True
        return False

    with pytest.raises((_KilledError, InterruptedRunError)):
        _fit(recipe, tmp_path / "cut", stop)
    assert counted == ["grams", "grams", "net", "net"]
    counted.clear()
    seconds = [float(file.read_text().split()[0]) for file in (tmp_path / "cut").rglob(fit.SECONDS)]
    assert len(seconds) == 3
    assert _fit(recipe, tmp_path / "cut").seconds > sum(seconds) > 0
    assert counted == ["net"]
    whole, cut = (classifiers.load(tmp_path / name / "checkpoint") for name in ("whole", "cut"))
    assert cut.sha256 == whole.sha256
    for name in (ensemble.OWN, checkpoint.WEIGHTS):
        assert (tmp_path / "whole/checkpoint" / name).read_bytes() == (tmp_path / "cut/checkpoint" / name).read_bytes()


def test_a_student_learns_from_out_of_fold_logits(
    board: Store, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The train set is taught by logits of models that had not seen it; no pass is made, and both runs are whole."""
    _together(tmp_path)
    config = {**content("pupil", epochs=2), "distill": {"teacher": str(tmp_path / "both.toml")}}
    taught: list[torch.Tensor | None] = []
    inner = fit.fit

    def noted(some: Recipe, lessons: TrainingData, *more: Any) -> fit.FitResult:
        if some.name == "pupil":
            taught.append(lessons.soft)
        return inner(some, lessons, *more)

    monkeypatch.setattr(fit, "fit", noted)
    run_id = run.train(Job(loader.validate(config, "pupil"), folder, board))
    (teaching,) = board.query("SELECT run_id, model_id FROM runs WHERE recipe = 'both'").itertuples(index=False)
    loaded = classifiers.load(checkpoint_folder(board.path, teaching.run_id))
    own = loaded.own_logits(corpora.load("reviews-ko-mini", folder).train.sha256)
    assert own is not None
    (soft,) = taught
    assert soft is not None
    assert torch.equal(soft, own - own.mean(dim=-1, keepdim=True))
    assert not (board.path.parent / "cache" / "teacher").exists()
    assert status(board, run_id) == status(board, teaching.run_id) == "finished"
    assert detail.run_detail(board, teaching.run_id).model["params"] == loaded.params
    assert integrity.check(board) == []


def test_other_texts_are_taught_by_the_whole_ensemble(fitted: Path, tmp_path: Path) -> None:
    """Texts that it was not trained on get the ensemble's own logits, centred, computed once and kept."""
    loaded = classifiers.load(fitted)
    texts, cache = toy_set(30, 7), tmp_path / "cache"
    first = teacher_logits(loaded, texts, cache)
    expected = torch.from_numpy(loaded.logits(texts.texts))
    assert torch.allclose(first, expected - expected.mean(dim=-1, keepdim=True), atol=1e-6)
    (file,) = (tmp_path / "cache" / "teacher").glob("*.safetensors")
    before = file.stat().st_mtime_ns
    assert torch.equal(teacher_logits(loaded, texts, cache), first)
    assert file.stat().st_mtime_ns == before


def test_labels_are_computed_in_the_format_in_which_the_teacher_is_scored(
    fitted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In bfloat16 where the teacher's recipe says so and the processor multiplies in it."""
    monkeypatch.setattr(device, "halves", lambda precision: precision == "bfloat16")
    teacher = classifiers.load(fitted)
    formats: list[bool] = []

    def logits(texts: list[tuple[str]], *_: object) -> np.ndarray:
        formats.append(torch.is_autocast_enabled("cpu"))
        return np.zeros((len(texts), 2), np.float32)

    monkeypatch.setattr(teacher, "logits", logits)
    for seed, precision in enumerate(("float32", "bfloat16")):
        train = teacher.recipe.train.model_copy(update={"scoring": precision})
        teacher.recipe = teacher.recipe.model_copy(update={"train": train})
        teacher_logits(teacher, toy_set(4, seed), tmp_path)
    assert formats == [False, True]


def test_a_cache_of_another_teacher_is_told(fitted: Path, tmp_path: Path) -> None:
    """A cache file under the right name that another teacher made is refused, even with the right shape."""
    teacher, texts, cache = classifiers.load(fitted), toy_set(30, 7), tmp_path / "cache"
    made = teacher_logits(teacher, texts, cache)
    (file,) = (tmp_path / "cache" / "teacher").glob("*.safetensors")
    save_file({"logits": made}, file, metadata={"teacher": "other", "texts": texts.sha256})
    with pytest.raises(CheckpointError, match=r"made by another teacher .* Delete it"):
        teacher_logits(teacher, texts, cache)


def test_curves_of_members_are_told_apart(tmp_path: Path) -> None:
    """Every curve names its member and fold, and the card the weights and the hashes of all models."""
    writer = Silent()
    fitted = _fit(_together(tmp_path), tmp_path, writer=writer)
    assert {name.rpartition(" ")[0] for name in writer.series} == {"net/1", "net/2"}
    card = json.loads((tmp_path / "checkpoint" / checkpoint.CARD).read_text())
    assert len(card["weights"]) == 2
    assert len(set(card["members"])) == 4
    assert [figure.name for figure in fitted.figures] == ["validation_accuracy"]


def test_a_teacher_is_found_as_long_as_its_members_stand(board: Store, tmp_path: Path) -> None:
    """Its own recipe does not change when a member's does, yet its checkpoint is not the one that is meant any more."""
    folder = str(write_reviews(tmp_path / "reviews"))
    recipe = _together(tmp_path)
    job = Job(recipe, folder, board)
    run_id = run.train(job)
    dataset = corpora.load("reviews-ko-mini", folder).sha256
    assert plan.finished(job, dataset) == checkpoint_folder(board.path, run_id)
    write_recipe(tmp_path / "net.toml", {**content("net", epochs=3), "model": KINDS["net"]})
    assert plan.finished(job, dataset) is None


def test_the_pretraining_of_a_member_counts_once(tmp_path: Path) -> None:
    """All folds share one pretraining, and the time of the whole says so."""
    recipe = _together(tmp_path)
    settings = {"epochs": 1, "batch_size": 4, "precision": "float32"}
    write_recipe(tmp_path / "net.toml", {**content("net", epochs=2), "model": KINDS["net"], "pretrain": settings})
    fitted = _fit(recipe, tmp_path)
    each = [float(file.read_text().split()[1]) for file in tmp_path.rglob(fit.SECONDS)]
    assert len([seconds for seconds in each if seconds > 0]) == 2
    assert fitted.pretraining_seconds == max(each)


def test_an_encoder_under_the_adapters_of_members_counts_once() -> None:
    """Whoever loads the ensemble needs it; networks of our own need none."""
    for name, size in (("teacher-nsmc-e5", ENCODER_BYTES["multilingual-e5-small"]), ("teacher-nsmc", 0)):
        model = loader.load(name).model
        assert isinstance(model, EnsembleConfig)
        assert ensemble.encoder_bytes(model) == size
