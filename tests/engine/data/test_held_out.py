"""The held-out part is a property of each text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data import corpora, held_out
from engine.recipes.schema import TrainConfig

TEXTS = [f"review number {i}" for i in range(2000)]


def test_a_fixed_share_of_all_texts_is_held_out() -> None:
    """Near the fraction, and a larger fraction holds out the texts of a smaller one too."""
    small, large = held_out.mask(TEXTS, 0.05), held_out.mask(TEXTS, 0.2)
    assert small.mean() == pytest.approx(0.05, abs=0.015)
    assert large.mean() == pytest.approx(0.2, abs=0.03)
    assert large[small].all()


def test_what_else_is_in_the_split_changes_nothing() -> None:
    """A part of a split, or a split with other texts added, holds out the same of these texts."""
    whole = held_out.mask(TEXTS, 0.1)
    assert np.array_equal(held_out.mask(TEXTS[::3], 0.1), whole[::3])
    assert np.array_equal(held_out.mask([*(f"a game {i}" for i in range(500)), *TEXTS], 0.1)[500:], whole)


@pytest.mark.parametrize(
    ("text", "copy"),
    [
        ("A fine film.", "a  fine film"),
        ("A fine film", "A FINE FILM!!"),
        ("정말 좋은 영화", "정말  좋은 영화..."),
        ("!!!", "!!! "),
    ],
)
def test_copies_of_a_text_are_on_one_side(text: str, copy: str) -> None:
    """Spaces, stops and case do not make another text."""
    assert held_out.position(text) == held_out.position(copy)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_tiny_split_has_something_on_both_sides(count: int) -> None:
    """However few texts, some is held out and some is learned from."""
    for fraction in (0.001, 0.49):
        mask = held_out.mask(TEXTS[:count], fraction)
        assert mask.any()
        assert not mask.all()


def test_every_seed_holds_out_the_same_texts() -> None:
    """By text for each seed alike; by seed, as earlier runs did, other ones."""
    train = corpora.make_set([str(i) for i in range(400)], [(text,) for text in TEXTS[:400]], np.zeros(400, int))
    by_text = [corpora.held_out(train, TrainConfig(held_out="text"), seed)[1].tolist() for seed in (0, 1)]
    by_seed = [corpora.held_out(train, TrainConfig(held_out="seed"), seed)[1].tolist() for seed in (0, 1)]
    assert by_text[0] == by_text[1]
    assert by_seed[0] != by_seed[1]


def test_pairs_with_one_premise_are_on_one_side() -> None:
    """The first text decides for a pair."""
    pairs = [(f"premise {i // 3}", f"hypothesis {i}") for i in range(300)]
    train = corpora.make_set([str(i) for i in range(300)], pairs, np.arange(300) % 3)
    training, held = corpora.held_out(train, TrainConfig(held_out="text", validation_fraction=0.2), 0)
    assert sorted([*training, *held]) == list(range(300))
    assert not {pairs[i][0] for i in training} & {pairs[i][0] for i in held}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["가", "나", "다", "라", "마", "바", "사"]), min_size=4, max_size=60),
    st.floats(0.05, 0.49),
    st.integers(0, 2**31),
)
def test_validation_is_a_part_of_train(texts: list[str], fraction: float, seed: int) -> None:
    """Both parts hold every example once, equal texts stay together, something is held out, and a seed repeats it."""
    train = corpora.make_set(
        [str(i) for i in range(len(texts))], [(text,) for text in texts], np.zeros(len(texts), int)
    )
    training, held = corpora.split_validation(train, fraction, seed)
    assert sorted([*training, *held]) == list(range(len(texts)))
    assert {texts[i] for i in training} & {texts[i] for i in held} == set()
    assert len(held) >= 1
    again = corpora.split_validation(train, fraction, seed)
    assert np.array_equal(training, again[0])
    assert np.array_equal(held, again[1])


def test_the_hypotheses_of_a_premise_stay_on_one_side() -> None:
    """A model that has seen a premise with two of its labels could guess the third, so premises are not shared."""
    pairs = [(f"premise {i // 3}", f"hypothesis {i}") for i in range(90)]
    train = corpora.make_set([str(i) for i in range(90)], pairs, np.arange(90) % 3)
    training, held = corpora.split_validation(train, 0.2, 0)
    assert len(held) == 18
    assert {pairs[i][0] for i in training} & {pairs[i][0] for i in held} == set()


def test_the_size_of_validation_is_as_asked() -> None:
    """Of 200 different texts a fraction of 0.2 holds out 40, and another seed holds out others."""
    train = corpora.make_set([str(i) for i in range(200)], [(str(i),) for i in range(200)], np.zeros(200, int))
    first, second = (corpora.split_validation(train, 0.2, seed)[1] for seed in (0, 1))
    assert len(first) == len(second) == 40
    assert not np.array_equal(first, second)
