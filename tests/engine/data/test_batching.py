"""Batches: every example once, equal lengths together, the same seed the same order."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.batching import batches, collate
from engine.data.tokenizer import PAD_ID

LENGTHS = st.lists(st.integers(1, 12), max_size=120).map(lambda values: np.array(values, dtype=np.int64))
SIZES = st.integers(1, 9)
SEEDS = st.one_of(st.none(), st.integers(0, 2**32 - 1))


@given(LENGTHS, SIZES, SEEDS)
def test_batches_hold_every_example_once(lengths: np.ndarray, size: int, seed: int | None) -> None:
    """Together the batches are the set: nothing twice, nothing left out, nothing empty, nothing too large."""
    made = batches(lengths, size, seed)
    assert sorted(int(i) for index in made for i in index) == list(range(len(lengths)))
    assert all(1 <= len(index) <= size for index in made)


@given(LENGTHS, SIZES, SEEDS)
def test_batches_are_of_one_length_wherever_there_are_enough(lengths: np.ndarray, size: int, seed: int | None) -> None:
    """Each length fills as many whole batches of its own as it can; the rest needs the fewest mixed ones."""
    made = batches(lengths, size, seed)
    pure: dict[int, int] = {}
    for index in made:
        if len(index) == size and len(set(lengths[index])) == 1:
            pure[int(lengths[index[0]])] = pure.get(int(lengths[index[0]]), 0) + 1
    values, counts = np.unique(lengths, return_counts=True)
    for value, count in zip(values, counts, strict=True):
        assert pure.get(int(value), 0) >= count // size
    whole = int((counts // size).sum())
    left = len(lengths) - whole * size
    assert len(made) == whole + -(-left // size)


@given(LENGTHS, SIZES, st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_batches(lengths: np.ndarray, size: int, seed: int) -> None:
    """What makes a run resumable within an epoch: batches depend on lengths, size and seed alone."""
    first, second = batches(lengths, size, seed), batches(lengths.copy(), size, seed)
    assert [index.tolist() for index in first] == [index.tolist() for index in second]


@settings(max_examples=30)
@given(st.integers(0, 2**31), st.integers(0, 2**31))
def test_another_seed_gives_another_order(seed: int, other: int) -> None:
    """Two epochs see a set in different batches, or in a different order."""
    lengths = np.arange(200) % 7 + 1
    same = [i.tolist() for i in batches(lengths, 8, seed)] == [i.tolist() for i in batches(lengths, 8, other)]
    assert same == (seed == other)


def test_without_a_seed_the_order_is_the_sets() -> None:
    """Scoring keeps the order of the set within each length."""
    made = batches(np.array([2, 1, 2, 1, 2]), 2)
    assert [index.tolist() for index in made] == [[1, 3], [0, 2], [4]]


def test_mixed_batches_hold_neighbouring_lengths() -> None:
    """What is left of each length is batched by length, so that little is padded."""
    made = batches(np.array([9, 1, 8, 2, 7, 3]), 2)
    assert [sorted(index.tolist()) for index in made] == [[1, 3], [4, 5], [0, 2]]


def test_collate_pads_at_the_end() -> None:
    """A batch has the chosen texts as rows in order, padding only behind a text, and the true lengths."""
    sequences = [np.array(ids, dtype=np.int32) for ids in ([5, 6, 7], [8], [9, 3])]
    ids, lengths = collate(sequences, np.array([2, 0, 1]))
    assert torch.equal(ids, torch.tensor([[9, 3, PAD_ID], [5, 6, 7], [8, PAD_ID, PAD_ID]]))
    assert lengths.tolist() == [2, 3, 1]
    assert ids.dtype == torch.long


def test_collate_is_as_wide_as_its_longest_text() -> None:
    """The width of a batch does not depend on texts outside of it."""
    sequences = [np.arange(1, length + 1, dtype=np.int32) for length in (2, 50, 3)]
    assert collate(sequences, np.array([0, 2]))[0].shape == (2, 3)
