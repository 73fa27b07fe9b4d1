"""Batches of equal length.

Reviews differ in length by a factor of fifty. Padding all of them to the longest wastes most of the arithmetic, and
packing random batches costs most of what it saves (`make bench` measures both). So a batch holds texts of exactly one
length wherever there are enough of them; what is left of each length goes into a few mixed batches, which the model
packs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.data.tokenizer import PAD_ID

if TYPE_CHECKING:
    import torch


def batches(lengths: NDArray[np.int64], batch_size: int, seed: int | None = None) -> list[NDArray[np.int64]]:
    """Cut a set into batches of equal length, with mixed batches of neighbouring lengths for the rest.

    Args:
        lengths: Tokens per example, shape (examples,).
        batch_size: Examples per batch.
        seed: Shuffles within each length and the order of the batches; None keeps the set's order within lengths. The
            same seed gives the same batches, which is what makes a run resumable in the middle of an epoch.

    Returns:
        Index arrays that together hold every example exactly once.
    """
    generator = np.random.default_rng(seed)
    order = np.arange(len(lengths)) if seed is None else generator.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
    whole: list[NDArray[np.int64]] = []
    rest: list[NDArray[np.int64]] = []
    for group in np.split(order, starts[1:]):
        cut = len(group) - len(group) % batch_size
        whole += [group[i : i + batch_size] for i in range(0, cut, batch_size)]
        rest.append(group[cut:])
    left = np.concatenate(rest) if rest else np.empty(0, dtype=np.int64)
    whole += [left[i : i + batch_size] for i in range(0, len(left), batch_size)]
    if seed is not None:
        whole = [whole[i] for i in generator.permutation(len(whole))]
    return whole


def padded(
    sequences: Sequence[NDArray[np.int32]], index: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Token ids padded to the batch's longest text, shape (batch, tokens), and the true lengths, shape (batch,)."""
    chosen = [sequences[i] for i in index]
    lengths = np.fromiter((len(sequence) for sequence in chosen), dtype=np.int64, count=len(chosen))
    if lengths.min() == lengths.max():
        return np.stack(chosen).astype(np.int64), lengths
    ids = np.full((len(chosen), lengths.max()), PAD_ID, dtype=np.int64)
    for row, sequence in zip(ids, chosen, strict=True):
        row[: len(sequence)] = sequence
    return ids, lengths


def collate(sequences: Sequence[NDArray[np.int32]], index: NDArray[np.int64]) -> "tuple[torch.Tensor, torch.Tensor]":
    """The same as tensors."""
    import torch  # noqa: PLC0415 - two seconds that an answer without torch need not wait

    ids, lengths = padded(sequences, index)
    return torch.from_numpy(ids), torch.from_numpy(lengths)
