"""Character n-grams: they learn, agree with scikit-learn, come back bit for bit, and damage is told in one line."""

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from scipy.special import softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from db.base.paths import checkpoint_folder
from db.bootstrap import integrity
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import RecipeError
from engine.checkpoints import checkpoint
from engine.families.classification import classifiers, ngrams
from engine.networks.classifier import Classifier
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from tests.engine.damage import refusal, reseal
from tests.factories.recipes import BAD, GOOD, NOUNS, kind_recipe, toy_set, write_reviews

TRAIN, HELD = toy_set(120), toy_set(40, 5, "v")


def _fitted(folder: Path, recipe: Recipe | None = None) -> Classifier:
    ngrams.fit(recipe or kind_recipe("char-ngrams"), TRAIN.texts, TRAIN.labels, folder)
    return classifiers.load(folder)


def _ngrams(folder: Path) -> list[str]:
    return json.loads((folder / ngrams.NGRAMS).read_text("utf-8"))


@pytest.mark.parametrize("jamo", [False, True])
def test_a_separable_task_is_learnt(tmp_path: Path, jamo: bool) -> None:
    """On reviews whose adjective decides, unseen reviews are told apart without a mistake."""
    classifier = _fitted(tmp_path, kind_recipe("char-ngrams", jamo=jamo))
    assert np.array_equal(classifier.logits(HELD.texts).argmax(axis=-1), HELD.labels)


def test_probabilities_are_those_of_scikit_learn(tmp_path: Path) -> None:
    """The softmax of our two logits is the probability that the same regression gives in scikit-learn."""
    counter = TfidfVectorizer(analyzer="char", ngram_range=(1, 4), min_df=2, sublinear_tf=True)
    model = LogisticRegression(C=5.0, solver="liblinear", max_iter=1000, random_state=0)
    model.fit(counter.fit_transform([text for (text,) in TRAIN.texts]), TRAIN.labels)
    expected = model.predict_proba(counter.transform([text for (text,) in HELD.texts]))
    probabilities = softmax(_fitted(tmp_path).logits(HELD.texts), axis=-1)
    assert np.allclose(probabilities, expected, atol=1e-4)


def test_two_fits_give_the_same_bytes(tmp_path: Path) -> None:
    """The same recipe on the same texts gives byte for byte the same weights and n-grams."""
    for name in ("one", "two"):
        _fitted(tmp_path / name)
    for file in (checkpoint.WEIGHTS, ngrams.NGRAMS):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_checkpoint_comes_back_with_the_same_logits(tmp_path: Path) -> None:
    """A classifier that is loaded, saved from what it holds and loaded again gives bit for bit the same logits."""
    first = _fitted(tmp_path / "one")
    assert isinstance(first, ngrams.NgramClassifier)
    tensors = {"idf": first.idf, "weight": first.weights, "bias": first.bias}
    checkpoint.save(
        tmp_path / "two",
        first.recipe,
        {name: torch.from_numpy(value) for name, value in tensors.items()},
        {ngrams.NGRAMS: json.dumps(first.ngrams)},
    )
    second = classifiers.load(tmp_path / "two")
    assert np.array_equal(second.logits(HELD.texts), first.logits(HELD.texts))
    assert (second.sha256, second.params) == (first.sha256, first.params)
    assert first.params == 3 * len(first.ngrams) + 2


def test_a_text_has_the_same_logits_alone_and_among_others(tmp_path: Path) -> None:
    """What is classified together does not matter, and logits come in the order of the texts."""
    classifier = _fitted(tmp_path)
    together = classifier.logits(HELD.texts)
    assert together.shape == (40, 2)
    assert together.dtype == np.float32
    for position in (0, 7, 39):
        assert np.allclose(classifier.logits([HELD.texts[position]])[0], together[position], atol=1e-6, rtol=0)


def test_syllables_stay_whole_and_jamo_are_taken_apart(tmp_path: Path) -> None:
    """Without jamo no n-gram holds a lone letter, with jamo no syllable; how a text is encoded never matters."""
    for jamo in (False, True):
        folder = tmp_path / str(jamo)
        classifier = _fitted(folder, kind_recipe("char-ngrams", jamo=jamo))
        characters = {character for ngram in _ngrams(folder) for character in ngram}
        assert any("ᄀ" <= character <= "ᇿ" for character in characters) is jamo
        assert any("가" <= character <= "힣" for character in characters) is not jamo
        apart = [(unicodedata.normalize("NFD", text),) for (text,) in HELD.texts]
        assert np.array_equal(classifier.logits(apart), classifier.logits(HELD.texts))


def test_jamo_know_a_misspelt_syllable(tmp_path: Path) -> None:
    """A syllable that was never seen still counts by its letters with jamo, and not at all without."""
    texts = [(f"좋은 {noun}",) for noun in NOUNS] * 2 + [(f"나쁜 {noun}",) for noun in NOUNS] * 2
    labels = np.repeat([1, 0], len(NOUNS) * 2)
    expected = {}
    for jamo in (False, True):
        recipe = kind_recipe("char-ngrams", shortest=2, longest=3, jamo=jamo)
        ngrams.fit(recipe, texts, labels, tmp_path / str(jamo))
        expected[jamo] = classifiers.load(tmp_path / str(jamo)).logits([("좋흔",), ("좃은",), ("",)])
    assert np.array_equal(expected[False][0], expected[False][2])
    assert expected[True][0].argmax() == expected[True][1].argmax() == 1


def test_case_and_empty_texts_are_no_trouble(tmp_path: Path) -> None:
    """Upper and lower case are the same; a text without known n-grams gets the bias."""
    classifier = _fitted(tmp_path)
    assert isinstance(classifier, ngrams.NgramClassifier)
    upper, lower, empty, foreign = classifier.logits([("ABC 영화",), ("abc 영화",), ("",), ("Ω≈ç√",)])
    assert np.array_equal(upper, lower)
    assert np.array_equal(empty, classifier.bias)
    assert np.array_equal(foreign, classifier.bias)


def test_three_classes_of_pairs_are_learnt(tmp_path: Path) -> None:
    """Pairs become one text that knows which half is which, and three classes have the logits of scikit-learn."""
    generator = np.random.default_rng(0)
    texts, labels = [], []
    for position in range(180):
        good, bad = str(generator.choice(GOOD)), str(generator.choice(BAD))
        texts.append([(good, bad), (bad, good), (good, good)][position % 3])
        labels.append(position % 3)
    recipe = kind_recipe("char-ngrams", num_labels=3, longest=12)
    ngrams.fit(recipe, texts, np.array(labels), tmp_path)
    logits = classifiers.load(tmp_path).logits(texts)
    assert logits.shape == (180, 3)
    assert float((logits.argmax(axis=-1) == labels).mean()) == 1
    counter = TfidfVectorizer(analyzer="char", ngram_range=(1, 12), min_df=2, sublinear_tf=True, dtype=np.float32)
    counts = counter.fit_transform(["\u241e".join(text) for text in texts])
    model = LogisticRegression(C=5.0, max_iter=1000).fit(counts, labels)
    assert np.allclose(softmax(logits, axis=-1), model.predict_proba(counts), atol=1e-3)


@pytest.mark.parametrize("change", ["fewer", "reshaped", "renamed", "no list", "no text"])
def test_what_does_not_fit_together_is_told(tmp_path: Path, change: str) -> None:
    """N-grams and weights that do not belong together are refused in one line, even where the card knows both."""
    _fitted(tmp_path)
    weights = load_file(tmp_path / checkpoint.WEIGHTS)
    contents = {"fewer": json.dumps(_ngrams(tmp_path)[1:]), "no list": "5", "no text": "["}
    (tmp_path / ngrams.NGRAMS).write_text(contents.get(change, json.dumps(_ngrams(tmp_path))), "utf-8")
    if change == "reshaped":
        weights["weight"] = weights["weight"][:1].clone()
    if change == "renamed":
        weights["scale"] = weights.pop("idf")
    save_file(weights, tmp_path / checkpoint.WEIGHTS)
    reseal(tmp_path, ngrams.NGRAMS)
    messages = {"fewer": "idf has shape", "reshaped": "weight has shape (1, ", "renamed": "idf has shape None"}
    assert messages.get(change, "the n-grams cannot be read") in refusal(tmp_path)


@pytest.mark.parametrize("name", [checkpoint.WEIGHTS, ngrams.NGRAMS])
def test_a_missing_or_damaged_file_is_told(tmp_path: Path, name: str) -> None:
    """A file that is not there, cut off or swapped is refused, with its name."""
    _fitted(tmp_path)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[:-1] + b" ")
    assert name in refusal(tmp_path)
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    refusal(tmp_path)
    (tmp_path / name).unlink()
    assert "cannot be read" in refusal(tmp_path)


def test_texts_that_cannot_be_counted_are_told(tmp_path: Path) -> None:
    """Where no n-gram occurs often enough, or a class has no example, one line says so and nothing is written."""
    with pytest.raises(RecipeError, match=r"toy: .*min_texts = 500"):
        _fitted(tmp_path, kind_recipe("char-ngrams", min_texts=500))
    with pytest.raises(RecipeError, match=r"toy: .*2 of the 3 classes"):
        _fitted(tmp_path, kind_recipe("char-ngrams", num_labels=3))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [48, 60])
def test_a_run_lists_its_own_size(board: Store, tmp_path: Path, count: int) -> None:
    """Through the pipeline it becomes a whole run, and its model has the size that the data led to."""
    folder = str(write_reviews(tmp_path / "reviews", train=count))
    run_id = pipeline.train(Job(kind_recipe("char-ngrams"), folder, board))
    details = detail.run_detail(board, run_id)
    saved = checkpoint_folder(board.path, run_id)
    assert details.run["status"] == "finished"
    assert details.model["params"] == classifiers.load(saved).params
    metrics = details.metrics.set_index("name")["value"]
    assert metrics["accuracy"] == 1
    assert metrics["checkpoint_bytes"] == details.artifacts["bytes"].sum()
    assert {"latency_ms_p50", "examples_per_s", "validation_accuracy"} <= set(metrics.index)
    assert "unk_rate" not in metrics
    assert integrity.check(board) == []
