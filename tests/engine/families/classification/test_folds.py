"""What makes an ensemble honest: folds, learned weights, and predictions by models that did not see the example."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from engine.base.errors import RecipeError
from engine.data import corpora
from engine.data.corpora import TextSet, make_set
from engine.families.classification import ensemble
from engine.networks.classifier import Classifier, Prepared, Texts
from engine.recipes.loader import Recipe
from tests.factories.recipes import kind_recipe, toy_set

NAMES = ("a", "b")


def _split(train: TextSet, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return corpora.split_validation(train, 0.2, seed)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_folds_hold_every_kept_example_once(count: int) -> None:
    """The folds cut the kept part into parts of nearly one size, and nothing that was held out is in one."""
    train = make_set([str(i) for i in range(100)], [(f"text {i}",) for i in range(100)], np.arange(100) % 2)
    training, held = _split(train)
    parts = ensemble.folds(train, training, count, 3)
    assert len(parts) == count
    assert np.array_equal(np.sort(np.concatenate(parts)), training)
    assert not np.isin(np.concatenate(parts), held).any()
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all((np.diff(part) > 0).all() for part in parts)


def test_equal_texts_stay_in_one_fold() -> None:
    """A review that occurs several times is never learnt from where its twin is predicted."""
    train = make_set([str(i) for i in range(90)], [(f"text {i % 30}",) for i in range(90)], np.arange(90) % 2)
    training, _ = _split(train)
    folds = [{train.texts[i] for i in part} for part in ensemble.folds(train, training, 4, 0)]
    assert sum(map(len, folds)) == len(set().union(*folds))


def test_folds_are_those_of_their_seed() -> None:
    """The same seed gives the same folds, another seed other ones."""
    train = make_set([str(i) for i in range(60)], [(f"text {i}",) for i in range(60)], np.arange(60) % 2)
    first, again, other = (ensemble.folds(train, np.arange(60), 3, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(left, two) for left, two in zip(first, again, strict=True))
    assert not all(np.array_equal(left, two) for left, two in zip(first, other, strict=True))


def test_too_few_texts_for_the_folds_are_told() -> None:
    """Fewer distinct texts than folds are refused in one line: a fold would be empty."""
    train = make_set(["0", "1", "2"], [("a",), ("b",), ("b",)], np.array([0, 1, 1]))
    with pytest.raises(RecipeError, match=r"model.folds = 3: .* 2 distinct texts"):
        ensemble.folds(train, np.arange(3), 3, 0)


def _loss(weights: list[float], logits: torch.Tensor, labels: np.ndarray) -> float:
    together = torch.einsum("m,mel->el", torch.tensor(weights, dtype=torch.float64), logits.double())
    return float(functional.cross_entropy(together, torch.from_numpy(labels)))


def test_a_member_that_knows_everything_outweighs_one_that_guesses() -> None:
    """All weight goes to a member that is always right, beside one that is right by chance."""
    generator = torch.Generator().manual_seed(0)
    labels = np.arange(200) % 2
    right = functional.one_hot(torch.from_numpy(labels), 2).float()
    noise = torch.randn(200, 2, generator=generator)
    first, second = ensemble.combine(torch.stack([right, noise]), labels)
    assert second < 0.05 * first
    assert _loss([first, second], torch.stack([right, noise]), labels) < 0.01


def test_weights_beat_every_single_member_and_are_never_negative() -> None:
    """Together the members have a lower cross-entropy than each at its own best scale, even with a harmful one."""
    generator = torch.Generator().manual_seed(1)
    labels = np.arange(300) % 3
    truth = functional.one_hot(torch.from_numpy(labels), 3).float()
    members = torch.stack(
        [
            truth + torch.randn(300, 3, generator=generator),
            -truth,
            2 * truth + 2 * torch.randn(300, 3, generator=generator),
        ]
    )
    weights = ensemble.combine(members, labels)
    assert min(weights) >= 0
    assert weights[1] < 1e-3
    together = _loss(weights, members, labels)
    for member in range(3):
        alone = [
            _loss([scale if i == member else 0.0 for i in range(3)], members, labels) for scale in np.linspace(0, 3, 31)
        ]
        assert together < min(alone)


class _Fake(Classifier):
    """Answers with the number of its fold, and knows what it was trained on."""

    def __init__(self, recipe: Recipe, name: str, fold: int) -> None:
        super().__init__(recipe, f"{name}{fold}")
        self.value = 10.0 * NAMES.index(name) + fold + 1

    @property
    def params(self) -> int:
        return 1

    def prepare(self, texts: Texts) -> Prepared:
        return Prepared(
            len(texts), lambda index: np.full((len(index), 2), self.value, dtype=np.float32), [np.arange(len(texts))]
        )


def test_an_example_is_predicted_by_models_that_did_not_see_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kept example has the logits of the model of its own fold, a held-out one the mean over all folds."""
    train = toy_set(50)
    training, held = _split(train)
    recipe = kind_recipe("ensemble", members=list(NAMES), folds=3)
    parts = ensemble.folds(train, training, 3, 0)
    learnt_from: list[tuple[torch.Tensor, np.ndarray]] = []
    monkeypatch.setattr(ensemble, "combine", lambda *arguments: learnt_from.append(arguments) or [1.0, 0.5])
    seen: dict[tuple[str, int], set[int]] = {}

    def fit_member(name: str, fold: int, learnt: np.ndarray, out: np.ndarray, folder: Path) -> Classifier:
        assert set(out) == set(parts[fold])
        assert set(learnt) | set(out) == set(training)
        seen[name, fold] = set(learnt)
        return _Fake(recipe, name, fold)

    ensemble.fit(recipe, NAMES, parts, train, tmp_path, fit_member, lambda: None)
    own = load_file(tmp_path / ensemble.OWN)["logits"]
    assert own.shape == (50, 2)
    for fold, part in enumerate(parts):
        assert all(position not in seen[name, fold] for position in part for name in NAMES)
        assert (own[part] == (fold + 1) + 0.5 * (10 + fold + 1)).all()
    assert torch.allclose(own[held], torch.tensor(2.0 + 0.5 * 12.0))
    assert all(not seen[key] & set(held) for key in seen)
    ((logits, labels),) = learnt_from  # the weights, too, are learnt without what is held out
    assert logits.shape == (2, len(training), 2)
    assert np.array_equal(labels, train.labels[training])
