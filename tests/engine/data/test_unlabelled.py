"""Texts without labels: which are read, which are left out, and what a student makes of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError
from engine.data import corpora
from engine.data.corpora import UNLABELLED, Corpus
from engine.families.classification import fit
from engine.families.classification.fit import TrainingData
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories.command_line import one_line
from tests.factories.recipes import content, toy_set, write_recipe

LABELLED = {"train": toy_set(48, 0, "train"), "test": toy_set(16, 1, "test")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The toy task in the layout of NSMC on the hub, without further texts."""
    path = tmp_path / "nsmc"
    path.mkdir()
    for name, part in LABELLED.items():
        frame = pd.DataFrame({"id": part.ids, "document": [text for (text,) in part.texts], "label": part.labels})
        frame.to_parquet(path / f"{name}.parquet", index=False)
    return path


def _write(folder: Path, texts: list[Any], name: str = "unlabelled.parquet", **columns: Any) -> None:
    pd.DataFrame({"document": texts, **columns}).to_parquet(folder / name, index=False)


def _load(folder: Path) -> corpora.TextSet:
    return corpora.load_unlabelled("nsmc", str(folder), corpora.load("nsmc", str(folder)))


def _one_line(folder: Path, task_id: str = "nsmc", where: str | None = None) -> str:
    corpus = corpora.load("nsmc", str(folder))
    return one_line(lambda: corpora.load_unlabelled(task_id, where or str(folder), corpus), DataError)


def test_texts_come_without_labels(folder: Path) -> None:
    """Every text has the mark of a missing label and an id of its own, in the order of the file."""
    _write(folder, ["새 글", "또 하나", "셋째"])
    loaded = _load(folder)
    assert loaded.texts == [("새 글",), ("또 하나",), ("셋째",)]
    assert loaded.labels.tolist() == [UNLABELLED] * 3
    assert len(set(loaded.ids)) == 3
    assert not set(loaded.ids) & {*LABELLED["train"].ids, *LABELLED["test"].ids}


def test_labels_that_stand_in_the_file_are_not_used(folder: Path) -> None:
    """A label column, even a nonsensical one, changes nothing; shards are joined, and data/ is searched too."""
    (folder / "data").mkdir()
    _write(folder, ["하나"], "data/unlabelled-00000-of-00002.parquet", label=["good"])
    _write(folder, ["둘"], "data/unlabelled-00001-of-00002.parquet", label=["bad"])
    loaded = _load(folder)
    assert loaded.texts == [("하나",), ("둘",)]
    assert set(loaded.labels.tolist()) == {UNLABELLED}


def test_texts_of_the_labelled_corpus_are_left_out(folder: Path) -> None:
    """A text of train or of test is not taught again; what remains keeps its id, and its hash is its own."""
    known, tested = LABELLED["train"].texts[3][0], LABELLED["test"].texts[5][0]
    _write(folder, ["새 글", known, tested, "또 하나"], id=["a", "b", "c", "d"])
    loaded = _load(folder)
    assert loaded.ids == ["a", "d"]
    whole = loaded.sha256
    _write(folder, ["새 글", "또 하나"], id=["a", "d"])
    assert _load(folder).sha256 == whole


def test_long_and_empty_texts_survive(folder: Path) -> None:
    """A very long text, an empty one and one that is missing are kept: the tokenizer deals with them."""
    _write(folder, ["글 " * 5000, "", None, "끝"])
    loaded = _load(folder)
    assert [text for (text,) in loaded.texts] == ["글 " * 5000, "", "", "끝"]


def test_missing_texts_are_told(folder: Path, tmp_path: Path) -> None:
    """Without the file, in a folder that is not there or on the hub, one line says what is missing and what to do."""
    for where in (None, str(tmp_path / "nowhere"), "hub"):
        message = _one_line(folder, where=where)
        assert "distill.unlabelled" in message
        assert "--set distill.unlabelled=false" in message
    assert "unlabelled*.parquet" in _one_line(folder)
    assert "reviews-ko-mini" in _one_line(folder, "reviews-ko-mini")


def test_a_file_that_cannot_be_used_is_told(folder: Path) -> None:
    """A wrong column, repeated ids, no row, or no Parquet are told in one line that names the file."""
    pd.DataFrame({"text": ["a"]}).to_parquet(folder / "unlabelled.parquet")
    message = _one_line(folder)
    assert "unlabelled.parquet: the column(s) document are missing; found text" in message
    _write(folder, ["a", "b"], id=["x", "x"])
    assert "unlabelled.parquet: 1 row(s) repeat an id" in _one_line(folder)
    _write(folder, [])
    assert "unlabelled.parquet: holds no rows" in _one_line(folder)
    (folder / "unlabelled.parquet").write_text("no parquet")
    assert "unlabelled.parquet: cannot be read" in _one_line(folder)


def test_nothing_but_known_texts_is_told(folder: Path) -> None:
    """A file whose texts all stand in the labelled corpus has nothing to teach, and that is said."""
    _write(folder, [text for (text,) in LABELLED["train"].texts])
    assert "all 48 texts are in the labelled corpus" in _one_line(folder)


def _student(folder: Path, unlabelled: bool, **train: Any) -> Recipe:
    write_recipe(folder / "big.toml", {**content("big", epochs=1), "task": "nsmc"})
    name = "pupil" if unlabelled else "plain"
    distill = {"teacher": str(folder / "big.toml"), "unlabelled": unlabelled}
    return loader.validate({**content(name, epochs=2, **train), "task": "nsmc", "distill": distill}, name)


def test_a_student_learns_on_them(board: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The teacher is asked about them, the student trains on both kinds, and the run says on how many."""
    _write(folder, [text for (text,) in toy_set(30, 11).texts] + ["", "긴 글 " * 500])
    corpus = corpora.load("nsmc", str(folder))
    extra = corpora.load_unlabelled("nsmc", str(folder), corpus)
    seen: list[tuple[int, int]] = []
    inner = fit.Trainer

    def noted(recipe: Recipe, model: Any, objective: Any, **more: Any) -> Any:
        if recipe.distill:
            train, held = objective.train, objective.validation
            seen.append((int((train.labels == UNLABELLED).sum()), int((held.labels == UNLABELLED).sum())))
            assert train.teacher.shape == (len(train), 2)
        return inner(recipe, model, objective, **more)

    monkeypatch.setattr(fit, "Trainer", noted)
    for unlabelled in (True, False):
        run_id = pipeline.train(Job(_student(folder, unlabelled), str(folder), board))
        run = detail.run_detail(board, run_id).run
        assert (f"{len(extra)} unlabelled texts" in run["notes"]) is unlabelled
        assert (extra.sha256[:12] in run["notes"]) is unlabelled
    assert seen == [(len(extra), 0), (0, 0)]


def test_missing_texts_end_a_run_before_it_begins(board: Store, folder: Path) -> None:
    """A recipe that wants them where there are none leaves no run of the student."""
    with pytest.raises(DataError, match=r"distill.unlabelled"):
        pipeline.train(Job(_student(folder, True), str(folder), board))
    assert board.query("SELECT 1 FROM runs WHERE model_id = 'pupil'").empty


def test_a_mini_corpus_goes_without(board: Store, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a shipped mini corpus, which has no such texts, the recipe trains on the labelled ones alone."""
    loaded: list[Corpus] = []
    monkeypatch.setattr(corpora, "load_unlabelled", lambda *_: loaded.append(_[2]))
    lessons: list[TrainingData] = []

    def stop(recipe: Recipe, data: TrainingData, *_: Any) -> Any:
        lessons.append(data)
        raise DataError("far enough")

    monkeypatch.setattr(fit, "fit", stop)
    expected = _student(folder, True).model_copy(update={"distill": None})
    with pytest.raises(DataError, match="far enough"):
        pipeline.train(Job(expected, None, board))
    assert loaded == []
    assert lessons[0].unlabelled is None
    parts = np.concatenate([lessons[0].learned, lessons[0].held])
    assert np.array_equal(np.sort(parts), np.arange(len(lessons[0].train)))
