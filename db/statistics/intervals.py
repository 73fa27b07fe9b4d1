"""95% intervals of shares and of their differences."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np


@dataclass(frozen=True)
class Interval:
    """A 95% interval, in the unit of its value."""

    low: float
    high: float


def wilson(correct: int, n: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a share of ``correct`` out of ``n`` (Wilson 1927).

    It stays inside [0, 1] and holds its level for shares near 0 and 1 and for the small mini corpora, where the normal
    approximation does not. SciPy has it too, and takes a second to load before a new database can be made.

    Raises:
        ValueError: ``n`` is not positive or ``correct`` is outside 0..n.
    """
    if n <= 0 or not 0 <= correct <= n:
        raise ValueError(f"a share needs 0 <= correct <= n and n > 0, got {correct} of {n}")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share, spread = correct / n, z * z / n
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / n + spread / (4 * n)) / (1 + spread)
    return Interval(0.0 if correct == 0 else middle - half, 1.0 if correct == n else middle + half)


def paired_difference(only_first: int, only_second: int, n: int) -> Interval:
    """A 95% interval of the difference of two shares on the same examples, second minus first (Agresti and Min 2005).

    Their adjusted Wald interval: half an example is added to each of the four cells.

    Args:
        only_first: Examples that only the first answers right.
        only_second: Examples that only the second answers right.
        n: All examples.

    Raises:
        ValueError: There are fewer examples than differing ones, or none.
    """
    if n <= 0 or only_first + only_second > n:
        raise ValueError(f"{only_first} and {only_second} of {n} examples cannot differ")
    total, gained, lost = n + 2, only_second + 0.5, only_first + 0.5
    middle = (gained - lost) / total
    half = 1.959964 * float(np.sqrt(gained + lost - (gained - lost) ** 2 / total)) / total
    return Interval(max(-1.0, middle - half), min(1.0, middle + half))
