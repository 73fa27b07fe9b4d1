"""Token vectors from co-occurrences: what a text says of its tokens before any network learns from it.

Positive pointwise mutual information of neighbouring tokens, factorised (Levy and Goldberg 2014), with the context
smoothing and the weighting of the singular values of Levy, Goldberg and Dagan 2015. Counting reads a text many times as
fast as training steps do.
"""

from collections.abc import Collection, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.utils.extmath import randomized_svd

WINDOW = 5
"""Neighbours on either side; a nearer one counts more."""

SMOOTHING = 0.75
"""Exponent of a context's frequency, which raises the rare ones."""

_TOKENS_AT_ONCE = 2_000_000


def count(
    texts: Iterable[NDArray[np.int32]], size: int, special: Collection[int]
) -> tuple[csr_matrix, NDArray[np.int64]]:
    """How often tokens stand near each other within a text, weighted, and how often each occurs.

    Args:
        texts: Token ids, shape (tokens,) each.
        size: Of the vocabulary.
        special: Tokens that stand for no text, at least one: they hold a place and are neighbours of none.

    Returns:
        A symmetric matrix of shape (vocabulary, vocabulary), and frequencies of shape (vocabulary,).
    """
    total, frequencies = csr_matrix((size, size), dtype=np.float32), np.zeros(size, dtype=np.int64)
    ordinary = np.ones(size, dtype=np.bool_)
    ordinary[sorted(special)] = False
    for run in _runs(texts, min(special)):
        frequencies += np.bincount(run[ordinary[run]], minlength=size)
        for distance in range(1, WINDOW + 1):
            left, right = run[:-distance], run[distance:]
            both = ordinary[left] & ordinary[right]
            nearness = np.full(int(both.sum()), (WINDOW + 1 - distance) / WINDOW, dtype=np.float32)
            total = total + coo_matrix((nearness, (left[both], right[both])), shape=(size, size)).tocsr()
    return (total + total.T).tocsr(), frequencies


def _runs(texts: Iterable[NDArray[np.int32]], special: int) -> Iterator[NDArray[np.int32]]:
    """Many texts behind each other, so far apart that no window reaches over two of them."""
    apart = np.full(WINDOW, special, dtype=np.int32)
    waiting: list[NDArray[np.int32]] = []
    length = 0
    for ids in texts:
        waiting += [ids, apart]
        length += len(ids)
        if length >= _TOKENS_AT_ONCE:
            yield np.concatenate(waiting)
            waiting, length = [], 0
    if waiting:
        yield np.concatenate(waiting)


def vectors(counts: csr_matrix, width: int) -> NDArray[np.float32]:
    """Factor positive pointwise mutual information; the same counts give the same vectors.

    Args:
        counts: Symmetric, shape (vocabulary, vocabulary).
        width: Of a vector.

    Returns:
        Shape (vocabulary, width); zeros for tokens without neighbours, and beyond the vocabulary's own width.
    """
    pairs = counts.tocoo()
    rows = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    contexts = rows**SMOOTHING
    contexts /= max(contexts.sum(), 1e-9)
    information = np.log(pairs.data / (rows[pairs.row] * contexts[pairs.col]))
    positive = information > 0
    matrix = csr_matrix(
        (information[positive].astype(np.float32), (pairs.row[positive], pairs.col[positive])), shape=counts.shape
    )
    made = np.zeros((counts.shape[0], width), dtype=np.float32)
    rank = min(width, counts.shape[0])
    left, values, _ = randomized_svd(matrix, rank, n_iter=4, random_state=0)
    made[:, :rank] = left * np.sqrt(values)
    return made
