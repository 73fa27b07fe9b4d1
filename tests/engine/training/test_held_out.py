"""No teacher has learned from a text that chooses the weights of its student."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from db.registry.validation_split import teacher_had_learned
from db.storage.store import Store
from engine.data import corpora, held_out
from engine.data.corpora import Corpus, TextSet
from engine.families.classification import classifiers, ensemble, fit, transfer_set
from engine.families.classification import family as classification
from engine.families.masked_lm.corpus import Document, split_held_out
from engine.families.span_qa import questions
from engine.families.span_qa.family import training_questions
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer.training_run import Inputs
from engine.training.job import Job
from engine.training.prerequisites import Prerequisite, prerequisites, teacher_of
from tests.factories.span_qa import toy_questions

COUNT = 600


class _HandedOutError(Exception):
    """All data were handed out."""


def _corpus(labels: int) -> Corpus:
    texts = [(f"text number {i}",) if labels == 2 else (f"premise {i // 3}", f"text {i}") for i in range(COUNT)]
    train = corpora.make_set([str(i) for i in range(COUNT)], texts, np.arange(COUNT) % labels)
    test = corpora.make_set(["a", "b", "c"], [texts[0], texts[1], texts[2]], np.arange(3) % labels)
    return Corpus("nsmc", train, test)


def _unlabelled(train: TextSet) -> TextSet:
    """Texts of their own, and a copy of each text of the training split that differs in its spaces and stops."""
    texts = [(f"unlabelled {i}",) for i in range(50)] + [(f"{text[0].replace(' ', '  ')}..",) for text in train.texts]
    return corpora.make_set([f"u{i}" for i in range(len(texts))], texts, np.full(len(texts), corpora.UNLABELLED))


@pytest.fixture
def learned_from(monkeypatch: pytest.MonkeyPatch) -> Callable[[Recipe, Corpus], tuple[set[str], set[str]]]:
    """Hand a recipe its data, as a training does: what it reads or learns from, and what chooses its weights."""
    taken: list[fit.TrainingData] = []

    def stop(*_: Any) -> None:
        raise _HandedOutError

    def network(recipe: Recipe, data: fit.TrainingData, *_: Any) -> fit.FitResult:
        taken.append(data)
        return fit.FitResult([], 0.0, [])

    def all_members(recipe: Recipe, names: Any, parts: list[Any], train: TextSet, folder: Path, member: Any, *_: Any):
        inside = np.sort(np.concatenate(parts))
        for position, name in enumerate(names):
            for fold, part in enumerate(parts):
                path = folder / f"{position}-{fold}"
                path.mkdir(parents=True)
                member(name, fold, np.setdiff1d(inside, part), part, path)
        raise _HandedOutError

    for name in ("_fit_network", "_fit_ngrams"):
        monkeypatch.setattr(fit, name, network)
    monkeypatch.setattr(ensemble, "fit", all_members)
    monkeypatch.setattr(classifiers, "load", lambda *_: SimpleNamespace(prepare=stop))
    monkeypatch.setattr(classification, "_start", lambda *_: None)
    monkeypatch.setattr(transfer_set, "collect", lambda *_: [])  # has a test of its own
    monkeypatch.setattr(classification, "_unlabelled", lambda recipe, data, run: _unlabelled(data.train))

    def hand_out(recipe: Recipe, data: Corpus, folder: Path) -> tuple[set[str], set[str]]:
        taken.clear()
        writer = SimpleNamespace(beat=lambda *_: None, point=lambda *_: None)
        run = SimpleNamespace(
            writer=writer, cache=folder, state_file=folder, should_stop=None, data="folder", checkpoint=folder
        )
        with pytest.raises(_HandedOutError):
            classification.ClassificationFamily().train(recipe, data, Inputs(), run)  # type: ignore[arg-type]
        assert taken, recipe.name
        learned = {held_out.normal(data.train.texts[i][0]) for part in taken for i in part.learned}
        read = {held_out.normal(text[0]) for part in taken for text in part.readable_texts}
        unlabelled = {
            held_out.normal(text[0]) for part in taken if part.unlabelled is not None for text in part.unlabelled.texts
        }
        return learned | read | unlabelled, {held_out.normal(data.train.texts[i][0]) for i in taken[0].held}

    return hand_out


def _job(recipe: Recipe, folder: Path, *, mini: bool) -> Job:
    return Job(recipe, None if mini else "folder", Store(folder / "none.duckdb"))


def _students(kinds: tuple[str, ...]) -> list[str]:
    """The recipes of these kinds of model that have a teacher."""
    recipes = [(name, loader.load(name)) for name in (*loader.names(), *loader.document_names())]
    return [
        name
        for name, recipe in recipes
        if recipe.model.kind in kinds and (recipe.distill or recipe.model.kind == "student")
    ]


@pytest.mark.parametrize("mini", [False, True])
def test_no_teacher_of_a_classifier_has_read_what_its_student_holds_out(
    learned_from: Any, tmp_path: Path, *, mini: bool
) -> None:
    """Of every recipe, for three seeds: members on their folds, pretraining and the transfer set included."""
    names = _students(("bilstm", "cnn", "pretrained"))
    assert len(names) > 40
    read_by: dict[str, set[str]] = {}
    for name in names:
        for seed in (0, 1, 2):
            student = loader.load(name, seed=seed, mini=mini)
            teacher = teacher_of(_job(student, tmp_path, mini=mini))
            assert teacher is not None
            if teacher.folder is not None:  # whatever it held out, the board warns
                assert teacher_had_learned(student.to_json(), seed)
                continue
            data = _corpus(student.num_labels)
            _, held = learned_from(student, data, tmp_path / "student")
            key = f"{teacher.recipe.name} {teacher.recipe.digest()} {student.num_labels}"
            if key not in read_by:
                read_by[key], _ = learned_from(teacher.recipe, data, tmp_path / str(len(read_by)))
            assert held
            assert not held & read_by[key], (name, seed)


def test_the_split_by_seed_is_the_fault_that_is_seen(learned_from: Any, tmp_path: Path) -> None:
    """As earlier runs held out, the teacher has learned from nearly all that a student of seed 1 holds out."""
    student = loader.load("distilkobilstm-tiny", ["train.held_out=seed"], seed=1)
    teacher = teacher_of(_job(student, tmp_path, mini=False))
    assert teacher is not None
    assert teacher.overrides == ("train.held_out=seed",)
    data = _corpus(2)
    _, held = learned_from(student, data, tmp_path / "student")
    read, _ = learned_from(teacher.recipe, data, tmp_path / "teacher")
    assert len(held & read) > 0.9 * len(held)


def test_no_teacher_of_questions_has_read_the_texts_that_its_student_holds_out(tmp_path: Path) -> None:
    """All questions of a text are on one side, for teacher and student alike."""
    names = _students(("span",))
    assert names
    train = questions.make_set(toy_questions(200))
    for name in names:
        for seed in (0, 1, 2):
            student = loader.load(name, seed=seed)
            teacher = teacher_of(_job(student, tmp_path, mini=False))
            assert teacher is not None
            held, learned = _held_of(student, train)[1], _held_of(teacher.recipe, train)[0]
            assert held
            assert not held & learned


def _held_of(recipe: Recipe, train: questions.QuestionSet) -> tuple[set[str], set[str]]:
    usable = training_questions(
        train, recipe.model_copy(update={"qa": recipe.qa.model_copy(update={"questions": None})})
    )
    sides = questions.split_validation(usable, recipe.train, recipe.seed)
    learned, held = ({usable.questions[i].context for i in side} for side in sides)
    return learned, held


@pytest.mark.parametrize("mini", [False, True])
def test_no_teacher_of_masked_words_has_read_the_documents_that_its_student_holds_out(
    tmp_path: Path, *, mini: bool
) -> None:
    """The head of the teacher is fitted on the documents that its student learns from."""
    names = _students(("student",))
    assert len(names) >= 5
    documents = [Document(f"article {i}", (f"text {i}",)) for i in range(300)]
    for name in names:
        for seed in (0, 1, 2):
            student = loader.load(name, seed=seed, mini=mini)
            heads: list[Prerequisite] = list(prerequisites(_job(student, tmp_path, mini=mini)))
            _, held = split_held_out(documents, student.train, student.seed)
            assert held
            for head in heads:
                learned, _ = split_held_out(documents, head.recipe.train, head.recipe.seed)
                assert not set(held) & set(learned)


def test_a_teacher_with_a_smaller_fraction_holds_out_as_much_as_its_student(tmp_path: Path) -> None:
    """Else it would have read what its student holds out beyond its own part."""
    student = loader.load("distilkobilstm-tiny", ["train.validation_fraction=0.1"])
    teacher = teacher_of(_job(student, tmp_path, mini=False))
    assert teacher is not None
    assert teacher.recipe.train.validation_fraction == 0.1
