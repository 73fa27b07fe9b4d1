"""Side-by-side timings: all ways take turns, every other round backwards, and medians are compared as ratios."""

import os
import statistics
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

ROUNDS = 7

Key = TypeVar("Key", bound=Hashable)

MakeWay = Callable[[int], Callable[[], object]]
"""Builds, for a size, the function that is timed."""


def load() -> str:
    """The load average in words; times of a busy machine are longer."""
    return f"load average {os.getloadavg()[0]:.1f}"


def medians(
    ways: Mapping[Key, Callable[..., object]],
    rounds: int = ROUNDS,
    arguments: Callable[[Key], tuple[Any, ...]] = lambda key: (),
) -> dict[Key, float]:
    """Median seconds of each way, after one round that warms up.

    Args:
        ways: What is timed.
        rounds: In each of which all ways take turns.
        arguments: Makes what a way is called with; not timed.
    """
    times: dict[Key, list[float]] = {key: [] for key in ways}
    for number in range(rounds + 1):
        for key in list(ways)[:: 1 if number % 2 else -1]:
            inputs = arguments(key)
            start = time.perf_counter()
            ways[key](*inputs)
            if number:
                times[key].append(time.perf_counter() - start)
    return {key: statistics.median(seconds) for key, seconds in times.items()}


def print_ratios(title: str, seconds: Mapping[str, float], baseline: str, count: int, unit: str) -> None:
    """Print the rate of each way, and how many times as long as the baseline it takes."""
    print(f"\n{title}, {load()}")
    for way, taken in seconds.items():
        print(f"  {way:<28}{count / taken:11,.1f} {unit}/s   {taken / seconds[baseline]:5.2f}x the time of {baseline}")


def medians_by_size(
    ways: Mapping[str, MakeWay], sizes: Sequence[int], rounds: int = ROUNDS
) -> dict[tuple[str, int], float]:
    """Median seconds of each way at each size."""
    return medians({(way, size): make(size) for way, make in ways.items() for size in sizes}, rounds)


def growth(way: str, seconds: Mapping[tuple[str, int], float]) -> float:
    """Exponent with which the time of a way grows with the size: 0 constant, 1 linear."""
    sizes = [size for name, size in seconds if name == way]
    return float(np.polyfit(np.log(sizes), np.log([seconds[way, size] for size in sizes]), 1)[0])


def print_growth(title: str, seconds: Mapping[tuple[str, int], float]) -> None:
    """Print milliseconds, one line a way and one column a size, and how each grows."""
    sizes = sorted({size for _, size in seconds})
    print(f"\n{title}: median milliseconds, {load()}")
    print(f"  {'runs':<36}" + "".join(f"{size:>10,}" for size in sizes) + "  exponent")
    for way in dict.fromkeys(way for way, _ in seconds):
        cells = "".join(f"{1000 * seconds[way, size]:10.1f}" for size in sizes)
        print(f"  {way:<36}{cells}{growth(way, seconds):10.2f}")
