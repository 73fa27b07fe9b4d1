"""Uncertainty of a mean over seeds: seeds differ, and so would other examples.

The mean over ``S`` seeds of scores on ``n`` shared examples has the variance ``s² / S + C / n``: ``s²`` is the sample
variance of the scores over the seeds, ``C`` the mean covariance of two seeds over the examples. ``s²`` already holds
what a seed changes on single examples, so ``C`` and not the variance within a seed belongs beside it; where no
predictions are stored, the variance within a seed stands in for it and the interval is wider than it need be.

Critical values depend on the share of the seeds' part in the variance: the normal quantile where it is 0, Student's t
with ``S - 1`` degrees of freedom where it is 1. Satterthwaite's degrees of freedom cover 87% instead of 95% for two
seeds; ``python -m tests.simulations.boards coverage`` compares.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from db.statistics.significance import LEVEL

_TWO_SEEDS = (
    (0.0, 0.125, 0.221, 0.393, 0.632, 0.777, 0.865, 0.950, 0.982, 1.0),
    (1.960, 1.960, 9.56, 10.22, 10.23, 10.29, 11.84, 12.15, 12.58, 12.706),
)
"""Shares and critical values of two seeds at 5%, fitted to cover normal scores at 94.1 to 95.9% at any true share."""


def critical(share: ArrayLike, freedom: ArrayLike, level: float = LEVEL) -> NDArray[np.float64]:
    """Two-sided critical values of a mean whose variance is estimated in part.

    Between its ends the squared critical value grows with the square of the share, which covers 94.1 to 95.7% at 5% for
    three seeds and more.

    Args:
        share: Part of the variance that is estimated from seeds, 0 to 1.
        freedom: Degrees of freedom of that estimate; where the share is 0 they make no difference.
        level: Of the test; 0 makes all values infinite.
    """
    part, free = np.broadcast_arrays(np.asarray(share, dtype=float), np.asarray(freedom, dtype=float))
    normal = float(-ndtri(level / 2))
    if not np.isfinite(normal):
        return np.full(part.shape, np.inf)
    kinds, index = np.unique(np.where(part > 0, free, np.inf), return_inverse=True)
    student = np.array([normal if np.isinf(kind) else stdtrit(kind, 1 - level / 2) for kind in kinds])
    quantile = student[index].reshape(part.shape)
    values: NDArray[np.float64] = np.sqrt(normal**2 + (quantile**2 - normal**2) * part**2)
    if level == LEVEL:
        values = np.where((free == 1) & (part > 0), np.interp(part, *_TWO_SEEDS), values)
    return values


def half_widths(spread: ArrayLike, seeds: ArrayLike, examples: ArrayLike) -> NDArray[np.float64]:
    """Half widths of 95% intervals of means over seeds; NaN where a part is unknown.

    Args:
        spread: Standard deviations over the seeds.
        seeds: Numbers of seeds, 2 and more.
        examples: Variances of the means that come from the choice of the examples.
    """
    count = np.asarray(seeds, dtype=float)
    of_seeds = np.asarray(spread, dtype=float) ** 2 / count
    total = of_seeds + np.asarray(examples, dtype=float)
    share = np.divide(of_seeds, total, out=np.zeros_like(total), where=total > 0)
    half: NDArray[np.float64] = critical(share, count - 1) * np.sqrt(total)
    return half
