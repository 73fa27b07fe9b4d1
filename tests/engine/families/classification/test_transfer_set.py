"""What a student learns from its teacher alone, and a teacher that comes with the package."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from db.registry import validation_split
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError, RecipeError
from engine.data import corpora, extra_training_data, held_out
from engine.data.corpora import UNLABELLED
from engine.families.classification import fit, transfer_set
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from engine.training.prerequisites import teacher_of
from tests.factories.recipes import content

COUNT = 60


def _write(file: Path, start: str, count: int, labels: tuple[str, ...] = ("0", "1", "2")) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "premise": f"{start} premise number {i}.",
            "hypothesis": f"{start} hypothesis {i}.",
            "label": labels[i % len(labels)],
        }
        for i in range(count)
    ]
    pd.DataFrame(rows).to_parquet(file, index=False)


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    """A folder with MultiNLI in its layout on the hub, and SANLI and KLUE-NLI beside it."""
    _write(tmp_path / "mnli" / "train.parquet", "own", COUNT)
    _write(tmp_path / "mnli" / "validation_matched.parquet", "tested", 9)
    _write(tmp_path / "nli_en" / "sanli_wiki_train.parquet", "other", COUNT)
    _write(tmp_path / "nli_ko" / "klue_nli_train.parquet", "other", COUNT)
    return str(tmp_path)


def _recipe(name: str = "bilstm-mnli", *overrides: str) -> Recipe:
    return loader.load(name, ["train.validation_fraction=0.2", *overrides])


@pytest.mark.parametrize("name", ["sanli", "klue-nli"])
def test_pairs_join_the_training_split(pairs: str, name: str) -> None:
    """Their labels are read, their stops left out like those of the task's own; dev stays."""
    recipe = _recipe("bilstm-mnli", f'data.add=["{name}"]')
    corpus = extra_training_data.load_corpus(recipe, "mnli", pairs)
    assert (len(corpus.train), corpus.own) == (2 * COUNT, COUNT)
    assert corpus.train.texts[COUNT] == ("other premise number 0", "other hypothesis 0")
    assert corpus.train.labels.tolist() == [i % 3 for i in range(COUNT)] * 2
    assert corpus.test.sha256 == extra_training_data.load_corpus(_recipe(), "mnli", pairs).test.sha256
    recipe = _recipe("bilstm-mnli", f'data.add=["{name}"]', "data.examples=50")
    part = extra_training_data.load_corpus(recipe, "mnli", pairs)
    assert part.own == sum(name.startswith("train-") for name in part.train.ids)


def test_every_mixture_is_chosen_on_the_same_pairs(pairs: str) -> None:
    """Those that are held out of the task's own; of the added ones as many are in neither part."""
    plain, mixed = (
        extra_training_data.load_corpus(recipe, "mnli", pairs)
        for recipe in (_recipe(), _recipe("bilstm-mnli", 'data.add=["sanli"]'))
    )
    settings = _recipe().train
    _, held = corpora.held_out(plain.train, settings, 0, plain.own)
    learned, held_mixed = corpora.held_out(mixed.train, settings, 0, mixed.own)
    assert len(held)
    assert held.tolist() == held_mixed.tolist()
    chosen = {held_out.normal(mixed.train.texts[i][0]) for i in held_mixed}
    assert not chosen & {held_out.normal(mixed.train.texts[i][0]) for i in learned}
    assert COUNT < len(learned) < 2 * COUNT - len(held)


def test_the_transfer_set_holds_nothing_that_is_held_out_or_tested(pairs: str) -> None:
    """Pairs of other sets come without their labels, copies from what is learned from alone."""
    file = Path(pairs) / "nli_en" / "sanli_wiki_train.parquet"
    frames = [pd.read_parquet(path) for path in (file, *sorted((Path(pairs) / "mnli").glob("*.parquet")))]
    pd.concat(frames).to_parquet(file, index=False)
    recipe = _recipe("distilbilstm-mnli", 'distill.add=["sanli"]')
    data = extra_training_data.load_corpus(recipe, "mnli", pairs)
    parts = corpora.held_out(data.train, recipe.train, 0, data.own)
    others, copies = transfer_set.collect(recipe, data, parts, None, pairs)
    assert len(others) == COUNT
    assert all(text[0].startswith("other") for text in others.texts)
    assert len(copies) > len(parts[0]) / 2
    assert set(others.labels.tolist()) | set(copies.labels.tolist()) == {UNLABELLED}
    held = {held_out.normal(data.train.texts[i][0]) for i in parts[1]}
    assert held
    assert not held & {held_out.normal(text[0]) for text in copies.texts}
    assert transfer_set.collect(_recipe(), data, parts, None, pairs) == []
    assert len(transfer_set.collect(recipe, data, parts, None, None)) == 1


@pytest.mark.parametrize(
    ("name", "override", "message"),
    [
        ("bilstm-mnli", 'data.add=["steam"]', "steam is about the sentiment of single texts, and mnli is not"),
        ("bilstm-mnli", 'data.add=["lingnli"]', "holds no lingnli_train.parquet, nor does its folder nli_en"),
    ],
)
def test_a_set_that_cannot_join_is_named(pairs: str, name: str, override: str, message: str) -> None:
    """Of another question, or not there."""
    with pytest.raises(DataError, match=message):
        extra_training_data.load_corpus(_recipe(name, override), "mnli", pairs)


def _student(**distill: Any) -> Recipe:
    return loader.validate({**content("pupil", epochs=1), "distill": distill}, "pupil")


def test_a_shipped_checkpoint_teaches(board: Store, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not trained again, the run names it, and the board says that it may have learned what chose the epoch."""
    taught: list[int] = []
    inner = fit.Trainer

    def noted(recipe: Recipe, model: Any, objective: Any, **more: Any) -> Any:
        taught.append(int((objective.train.labels == UNLABELLED).sum()))
        assert objective.train.teacher.shape == (len(objective.train), 2)
        return inner(recipe, model, objective, **more)

    monkeypatch.setattr(fit, "Trainer", noted)
    recipe = _student(teacher="shipped:distilkobilstm-tiny", altered=1)
    run_id = pipeline.train(Job(recipe, folder, board))
    run = detail.run_detail(board, run_id).run
    assert run["teacher"] == "DistilKoBiLSTM-Tiny"
    assert taught[0] > 0
    assert f"{taught[0]} unlabelled texts" in run["notes"]
    assert validation_split.teacher_had_learned(run["recipe_json"], run["seed"])
    assert board.query("SELECT count(*) AS n FROM runs WHERE source = 'measured'")["n"].item() == 1


@pytest.mark.parametrize(
    ("teacher", "message"),
    [
        ("shipped:nosuch", "'shipped:nosuch': the package has distilbilstm-ynat, distilkobilstm-base"),
        ("shipped:minilm-mnli", "it was made for mnli, and not for reviews-ko-mini"),
    ],
)
def test_a_shipped_teacher_that_does_not_fit_is_refused(tmp_path: Path, teacher: str, message: str) -> None:
    """Before anything is read."""
    with pytest.raises(RecipeError, match=message):
        teacher_of(Job(_student(teacher=teacher), "folder", Store(tmp_path / "none.duckdb")))


def test_a_task_without_training_split_is_for_evaluation(tmp_path: Path) -> None:
    """Its test split is read for that; a training is refused, and a lacking training file elsewhere is named."""
    _write(tmp_path / "nli_en" / "breaking_nli_test.parquet", "one", 6)
    _write(tmp_path / "nli_en" / "snli_test.parquet", "two", 6)
    for task_id, message in (("breaking-nli", "has no training split"), ("snli", "the train split of snli was not")):
        corpus = corpora.load(task_id, str(tmp_path), train_required=False)
        assert (len(corpus.train), len(corpus.test)) == (0, 6)
        with pytest.raises(DataError, match=message):
            corpora.load(task_id, str(tmp_path))
    assert np.array_equal(corpus.test.labels, [0, 1, 2, 0, 1, 2])
