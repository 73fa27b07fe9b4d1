"""Ways of doing one thing, timed in turns on stores of several sizes."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

ROUNDS = 7

Made = Callable[[int], Callable[[], object]]
"""Of a size: the thing that is timed."""


def medians(ways: Mapping[str, Made], sizes: Sequence[int], rounds: int = ROUNDS) -> dict[tuple[str, int], float]:
    """Seconds of each way at each size: the median of rounds in which all take turns, after one that warms up."""
    made = {(way, size): make(size) for way, make in ways.items() for size in sizes}
    times: dict[tuple[str, int], list[float]] = {key: [] for key in made}
    for number in range(rounds + 1):
        for key in list(made)[:: 1 if number % 2 else -1]:
            started = time.perf_counter()
            made[key]()
            if number:
                times[key].append(time.perf_counter() - started)
    return {key: statistics.median(seconds) for key, seconds in times.items()}


def of(way: str, found: Mapping[tuple[str, int], float]) -> dict[int, float]:
    """The seconds of one way by size."""
    return {size: seconds for (name, size), seconds in found.items() if name == way}


def exponent(by_size: Mapping[int, float]) -> float:
    """How a time grows with the size: the slope of its logarithm; 1 as the size does, 0 not at all."""
    return float(np.polyfit(np.log(list(by_size)), np.log(list(by_size.values())), 1)[0])


def tell(title: str, found: Mapping[tuple[str, int], float], rounds: int = ROUNDS) -> None:
    """Print milliseconds, one line a way and one column a size, and how each grows."""
    print(f"\n{title}: milliseconds, median of {rounds}, load average {os.getloadavg()[0]:.1f}")
    print(f"  {'runs':<36}" + "".join(f"{size:>10,}" for size in sorted({size for _, size in found})) + "  exponent")
    for way in dict.fromkeys(way for way, _ in found):
        by_size = of(way, found)
        cells = "".join(f"{1000 * seconds:10.1f}" for seconds in by_size.values())
        print(f"  {way:<36}{cells}{exponent(by_size):10.2f}")
