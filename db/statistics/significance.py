"""Tests of runs on the same examples, and how much two of them agree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, stdtr

LEVEL = 0.05
"""A test with a p-value below this tells two runs apart."""

_DRAWS = 2_000_000
"""Examples that the bootstrap draws at a time, some 16 bytes each: its memory does not grow with the examples."""


@dataclass(frozen=True)
class Resampled:
    """The bootstrap's result for a difference of two means.

    Attributes:
        difference: Second minus first.
        low: Lower end of its 95% percentile interval.
        high: Upper end.
        p: Two-sided; never below 2 / (resamples + 1).
    """

    difference: float
    low: float
    high: float
    p: float


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact McNemar test (McNemar 1947): can two classifiers be told apart on the same examples?

    Args:
        only_first: Examples that only the first answers right.
        only_second: Examples that only the second answers right.

    Returns:
        The two-sided p-value; 1 where they never differ.
    """
    differing = only_first + only_second
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), differing, 0.5))) if differing else 1.0


def paired_t(differences: Sequence[float]) -> float:
    """Student's paired t-test of differences (Student 1908): the two-sided p-value; NaN for fewer than two."""
    values = np.asarray(differences, dtype=float)
    if len(values) < 2:
        return float("nan")
    error = values.std(ddof=1) / np.sqrt(len(values))
    if error == 0:
        return 1.0 if values.mean() == 0 else 0.0
    return float(2 * stdtr(len(values) - 1, -abs(values.mean()) / error))


def holm(values: Sequence[float]) -> list[float]:
    """Holm's correction of p-values that are looked at together (Holm 1979), in the order given.

    The chance that any of the hypotheses that hold is rejected stays below the level, however the tests depend on each
    other.
    """
    corrected = [0.0] * len(values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = largest
    return corrected


def bootstrap(
    values: NDArray[np.float64], pairs: Sequence[tuple[int, int]], *, resamples: int = 10_000, seed: int = 0
) -> list[Resampled]:
    """The paired bootstrap (Efron 1979): by how much do the means of columns differ on the same examples?

    Examples are drawn with replacement, with all their values, so that what makes an example hard for everybody does
    not count. The interval is the percentile interval; p is twice the share of resamples on the other side of 0, with
    the observed difference counted as one of them (Davison and Hinkley 1997, 4.2).

    Args:
        values: Shape (examples, columns), one value an example and run.
        pairs: Columns to compare, first and second.
        resamples: Number of resamples.
        seed: The same one gives the same result.

    Raises:
        ValueError: There is no example.
    """
    n = len(values)
    if n == 0:
        raise ValueError("a bootstrap needs examples")
    # Examples on which all columns agree move no difference: how many of them are drawn is all that counts.
    varying = values[(values != values[:, :1]).any(axis=1)]
    varying = varying - varying[:, :1]
    sums = np.zeros((resamples, values.shape[1]))
    rng = np.random.default_rng(seed)
    resampled = rng.binomial(n, len(varying) / n, resamples) if len(varying) else np.zeros(resamples, dtype=np.int64)
    step = max(1, _DRAWS // max(1, len(varying)))
    for start in range(0, resamples if len(varying) else 0, step):
        sizes = resampled[start : start + step]
        shift = np.repeat(np.arange(len(sizes)) * len(varying), sizes)
        rows = rng.integers(0, len(varying), len(shift)) + shift
        counts = np.bincount(rows, minlength=len(sizes) * len(varying)).reshape(len(sizes), len(varying))
        sums[start : start + step] = counts @ varying
    means = values.mean(axis=0)
    return [_resampled(float(means[b] - means[a]), (sums[:, b] - sums[:, a]) / n) for a, b in pairs]


def bootstrap_correlations(
    gold: NDArray[np.float64],
    answers: NDArray[np.float64],
    pairs: Sequence[tuple[int, int]],
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Resampled]:
    """The paired bootstrap of differences of Pearson's r; see ``bootstrap``.

    Args:
        gold: Shape (examples,); of Spearman's correlation the ranks.
        answers: Shape (examples, columns), likewise.
        pairs: Columns to compare, first and second.
        resamples: Number of resamples.
        seed: The same one gives the same result.

    Raises:
        ValueError: There are fewer than two examples.
    """
    n = len(gold)
    if n < 2:
        raise ValueError("a correlation needs two examples")
    sides = np.column_stack([gold, answers]).astype(np.float64)
    sides = sides - sides.mean(axis=0)  # sums of squares of large numbers would lose digits
    # What each resample needs are means of these, weighted by how often each example was drawn.
    products = np.column_stack([sides, sides**2, sides[:, 1:] * sides[:, :1]])
    rng = np.random.default_rng(seed)
    weighted = []
    for size in _chunks(resamples, n):
        rows = rng.integers(0, n, (size, n)) + np.arange(size)[:, None] * n
        weighted.append(np.bincount(rows.ravel(), minlength=size * n).reshape(size, n) @ products / n)
    own = _correlations(products.mean(axis=0, keepdims=True), answers.shape[1])[0]
    resampled = _correlations(np.concatenate(weighted), answers.shape[1])
    return [_resampled(float(own[b] - own[a]), resampled[:, b] - resampled[:, a]) for a, b in pairs]


def _chunks(resamples: int, n: int) -> list[int]:
    """Sizes of groups of resamples whose draws fit into memory together."""
    step = max(1, _DRAWS // n)
    return [min(step, resamples - start) for start in range(0, resamples, step)]


def _correlations(means: NDArray[np.float64], columns: int) -> NDArray[np.float64]:
    """Pearson's r of the first side with each other one, shape (resamples, columns); 0 where a side is constant."""
    first, squares, products = np.split(means, [columns + 1, 2 * (columns + 1)], axis=1)
    variances = np.maximum(squares - first**2, 0)
    scale = np.sqrt(variances[:, :1] * variances[:, 1:])
    covariance = products - first[:, :1] * first[:, 1:]
    correlations: NDArray[np.float64] = np.divide(covariance, scale, out=np.zeros_like(covariance), where=scale > 1e-12)
    return correlations


def _resampled(difference: float, resampled: NDArray[np.float64]) -> Resampled:
    low, high = np.quantile(resampled, (0.025, 0.975))
    # Sums of floats in another order: what is 0 but for the last digits is 0.
    below, above = int((resampled <= 1e-12).sum()), int((resampled >= -1e-12).sum())
    return Resampled(difference, float(low), float(high), min(1.0, 2 * (1 + min(below, above)) / (len(resampled) + 1)))


def kappa(first: NDArray[np.integer], second: NDArray[np.integer]) -> float:
    """Cohen's kappa (Cohen 1960): how much more often two agree than their own habits alone would make them.

    Args:
        first: Shape (examples,), labels as numbers from 0.
        second: Likewise.

    Returns:
        1 for full agreement, 0 for what chance would give; NaN where both always say the same one thing, or without
        examples.
    """
    n = len(first)
    labels = int(max(first.max(initial=0), second.max(initial=0))) + 1
    if n == 0:
        return float("nan")
    shares = [np.bincount(labels_of_run, minlength=labels) / n for labels_of_run in (first, second)]
    chance = float(shares[0] @ shares[1])
    return float("nan") if chance > 1 - 1e-12 else (float((first == second).mean()) - chance) / (1 - chance)
