"""The Pareto frontier of cost and score."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pareto(cost: ArrayLike, score: ArrayLike, *, maximise: bool = True) -> list[int]:
    """Positions of the rows that no other row beats, by rising cost.

    A row is beaten by one that is no worse in both and better in one, so equal rows are on the frontier together. A row
    without cost or score is not on it.

    Args:
        cost: Shape (rows,), less is better.
        score: Shape (rows,).
        maximise: Whether more of the score is better.
    """
    price, worth = np.asarray(cost, dtype=float), np.asarray(score, dtype=float) * (1.0 if maximise else -1.0)
    known = np.flatnonzero(~(np.isnan(price) | np.isnan(worth)))
    order = known[np.lexsort((-worth[known], price[known]))]  # the best of each cost first
    if not len(order):
        return []
    price, worth = price[order], worth[order]
    better = worth > np.concatenate(([-np.inf], np.maximum.accumulate(worth)[:-1]))
    another = np.concatenate(([True], (price[1:] != price[:-1]) | (worth[1:] != worth[:-1])))
    front: NDArray[np.bool_] = better[another][np.cumsum(another) - 1]  # equal rows are neighbours and go together
    positions: list[int] = order[front].tolist()
    return positions
