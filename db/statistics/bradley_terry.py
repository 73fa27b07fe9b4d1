"""Ratings of models from votes between two of them: the Bradley-Terry model with bootstrap intervals.

Fitted by the MM algorithm of Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32
(2004) 384-406, equation (3); a tie counts as half a win for both. Shown on the scale of Elo: 400 points are odds of
10 to 1.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]

MEAN, POINTS = 1000.0, 400.0
"""Rating of a model of average strength, and points of rating for odds of 10 to 1."""

PRIOR = 0.5
"""Wins, and as many losses, of each model against one of average strength: a model that never lost stays finite."""

RESAMPLES = 1000
_STEPS, _TOLERANCE = 5000, 1e-9


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of k models. All of shape (k,).

    Attributes:
        value: Ratings; NaN where votes do not connect a model with the others, or there are none.
        low: Of the 95% interval.
        high: Likewise.
        first: Best rank that the votes allow; 0 without a rating.
        last: Worst one.
    """

    value: Floats
    low: Floats
    high: Floats
    first: NDArray[np.intp]
    last: NDArray[np.intp]


def strengths(wins: Floats, prior: float = PRIOR) -> Floats:
    """Estimate the strengths of models; the odds of i against j are those of ``strengths[i] / strengths[j]``.

    Args:
        wins: How often i was preferred to j, ties as half a win for both; shape (..., k, k).
        prior: See ``PRIOR``; without it strengths are finite only where every model is connected with every other by
            wins in both directions.

    Returns:
        Shape (..., k), with a geometric mean of 1.
    """
    games = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(-1) + prior
    result = np.ones(won.shape)
    for _ in range(_STEPS):
        expected = (games / (result[..., :, None] + result[..., None, :])).sum(-1)
        updated = won / (expected + 2 * prior / (result + 1))
        updated /= np.exp(np.log(updated).mean(-1, keepdims=True))
        settled = np.allclose(updated, result, rtol=_TOLERANCE, atol=0)
        result = updated
        if settled:
            break
    return result


def rate(wins: NDArray[np.int64], ties: NDArray[np.int64], seed: int = 0) -> Ratings:
    """Rate models by the votes between them.

    Intervals are percentiles over votes drawn again. Each compared pair is drawn as if it had half a win more on both
    sides: one that always ended the same way would otherwise look certain after two votes.

    Args:
        wins: How often i was preferred to j; shape (k, k).
        ties: How often neither was; shape (k, k), symmetric.
        seed: Of the draws.
    """
    count = len(wins)
    result = Ratings(*(np.full(count, np.nan) for _ in range(3)), *(np.zeros(count, np.intp) for _ in range(2)))
    linked = _largest_group(wins + wins.T + ties)
    if not len(linked):
        return result
    block = np.ix_(linked, linked)
    draws = _scaled(strengths(_resampled(wins[block], ties[block], np.random.default_rng(seed))))
    result.value[linked] = _scaled(strengths(wins[block] + ties[block] / 2))
    result.low[linked], result.high[linked] = np.percentile(draws, [2.5, 97.5], axis=0)
    # At most one in 40 draws says otherwise: i is behind j.
    behind = (draws[:, :, None] >= draws[:, None, :]).mean(0) <= 0.025
    result.first[linked] = 1 + behind.sum(1)
    result.last[linked] = len(linked) - behind.sum(0)
    return result


def _scaled(strength: Floats) -> Floats:
    return MEAN + POINTS * np.log10(strength)


def _largest_group(games: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the models of the connected group with the most votes; empty without votes."""
    if not games.any():
        return np.zeros(0, np.intp)
    _, group = connected_components(games > 0, directed=False)
    votes = np.bincount(group, weights=games.sum(1))
    return np.flatnonzero(group == votes.argmax())


def _resampled(wins: NDArray[np.int64], ties: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Draw the votes again: wins with ties as halves, shape (RESAMPLES, k, k)."""
    count = len(wins)
    compared = (wins + wins.T + ties) > 0
    cells = np.concatenate([(wins + 0.5 * compared).ravel(), np.triu(ties, 1).ravel()])
    total = int(wins.sum() + np.triu(ties, 1).sum())
    votes = rng.multinomial(total, cells / cells.sum(), size=RESAMPLES).reshape(RESAMPLES, 2, count, count)
    return votes[:, 0] + (votes[:, 1] + votes[:, 1].swapaxes(1, 2)) / 2
