"""Copies of examples with changed words."""

import numpy as np
import pytest

from engine.data.altered_copies import altered_copies
from engine.data.corpora import UNLABELLED, TextSet, make_set


def _pairs(count: int = 40) -> TextSet:
    texts = [
        (f"the {i} dogs of this old house run over the green grass", f"some {i} animals are outside in the garden")
        for i in range(count)
    ]
    return make_set([f"p{i}" for i in range(count)], texts, np.zeros(count, dtype=np.int64))


def test_copies_are_new_unlabelled_and_the_same_every_time() -> None:
    """No copy equals an example or another copy; all words come from the examples that may be read."""
    train, index = _pairs(), np.arange(10, 30)
    made = altered_copies(train, index, 3)
    assert 50 < len(made) <= 60
    assert set(made.labels.tolist()) == {UNLABELLED}
    assert not set(made.texts) & set(train.texts)
    assert len(set(made.texts)) == len(made) == len(set(made.ids))
    known = {word for i in index for part in train.texts[i] for word in part.split()}
    assert {word for text in made.texts for part in text for word in part.split()} <= known
    assert made.sha256 == altered_copies(train, index, 3).sha256
    assert made.sha256 != altered_copies(train, index, 2).sha256


@pytest.mark.parametrize(("copy", "changed"), [(0, {1}), (1, {0}), (2, {0, 1})])
def test_the_texts_of_a_pair_change_in_turn(copy: int, changed: set[int]) -> None:
    """First the second text alone, then the first alone, then both."""
    train = _pairs()
    made = altered_copies(train, np.arange(40), 3)
    where = {name: i for i, name in enumerate(train.ids)}
    differs = set()
    for name, text in zip(made.ids, made.texts, strict=True):
        original, _, turn = name.partition("-altered-")
        if int(turn) == copy:
            differs |= {part for part in (0, 1) if text[part] != train.texts[where[original]][part]}
    assert differs == changed


def test_a_text_is_never_emptied() -> None:
    """Also of one word, which cannot be left out; examples of which no copy differs give none."""
    train = make_set(["a"], [("word",)], np.zeros(1, dtype=np.int64))
    assert all(text[0] for text in altered_copies(train, np.arange(1), 50).texts)
    assert len(altered_copies(train, np.arange(1), 50)) == 0
