"""How often intervals of means cover, boards of equal models show an order, and ablations find an effect of nothing.

python -m tests.simulations.boards coverage     # the tables of docs/statistics.md
python -m tests.simulations.boards orders
python -m tests.simulations.boards ablation

An example is answered right where its difficulty, the seed's skill and their interaction together stay below a
threshold; all three are normal, and seeds of one recipe share the difficulty.
"""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from db.analysis.findings.ablation import Difference, Part, corrected
from db.leaderboard.board_ranks import tested
from db.statistics.ranking import Estimates, rank_ranges
from db.statistics.seed_means import half_widths
from db.storage.outcomes import Outcomes

Floats = NDArray[np.float64]
Z = 1.959964
SHARED = 0.8
"""Part of an example's fate that all seeds share; the shipped runs on NSMC correlate at 0.71 to 0.89."""
SKILLS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Standard deviations of the seeds' skill; 0.03 is about a point of accuracy."""


def answers(rng: np.random.Generator, runs: int, examples: int, skill: Floats, share: float = 0.7) -> NDArray[np.bool_]:
    """Right answers of runs of equal expected accuracy to one test set, shape (runs, examples).

    Args:
        rng: Source of chance.
        runs: Number of runs.
        examples: Number of examples.
        skill: Standard deviation of the skill of each run's recipe, shape (runs,).
        share: Expected accuracy of every run.
    """
    difficulty = rng.normal(0, np.sqrt(SHARED), examples)
    own = rng.normal(0, np.sqrt(1 - SHARED), (runs, examples)) + rng.normal(0, 1, (runs, 1)) * skill[:, None]
    right: NDArray[np.bool_] = difficulty + own < ndtri(share) * np.sqrt(1 + skill[:, None] ** 2)
    return right


def _satterthwaite(spread: Floats, seeds: int, examples: Floats) -> Floats:
    of_seeds = spread**2 / seeds
    total = of_seeds + examples
    freedom = np.minimum((seeds - 1) * (total / np.maximum(of_seeds, 1e-12)) ** 2, 1e6)
    half: Floats = stdtrit(freedom, 0.975) * np.sqrt(total)
    return half


Rule = Callable[[Floats, int, Floats, Floats], Floats]
RULES: dict[str, Rule] = {
    "both variances, with predictions": lambda spread, seeds, shared, _: half_widths(spread, seeds, shared),
    "both variances, without predictions": lambda spread, seeds, _, within: half_widths(spread, seeds, within),
    "Satterthwaite, with predictions": lambda spread, seeds, shared, _: _satterthwaite(spread, seeds, shared),
    "examples alone (before)": lambda spread, seeds, shared, within: Z * np.sqrt(within),
}
"""Half widths from the spread, the seeds, and the variance that examples make: shared by the seeds, or of each."""


def coverage(seeds: int, skill: float, draws: int, examples: int = 400, seed: int = 0) -> dict[str, float]:
    """Share of intervals of a mean over seeds that hold the expected accuracy, by rule."""
    rng = np.random.default_rng(seed)
    right = np.array([answers(rng, seeds, examples, np.full(seeds, skill)) for _ in range(draws)], dtype=float)
    scores = right.mean(axis=2)
    spread, centred = scores.std(axis=1, ddof=1), right - scores[:, :, None]
    variance = (centred**2).sum(axis=2).mean(axis=1) / (examples - 1)
    together = (centred.sum(axis=1) ** 2).sum(axis=1) / (examples - 1)
    shared = np.maximum(0, (together - seeds * variance) / (seeds * (seeds - 1))) / examples
    error = np.abs(scores.mean(axis=1) - 0.7)
    return {
        name: float((error <= rule(spread, seeds, shared, variance / examples)).mean()) for name, rule in RULES.items()
    }


BOARDS = {
    "10 single runs, predictions": ([1] * 10, [0.0] * 10, True),
    "10 single runs, intervals": ([1] * 10, [0.0] * 10, False),
    "10 recipes of 3 seeds, predictions": ([3] * 10, [0.05] * 10, True),
    "10 recipes of 3 seeds, intervals": ([3] * 10, [0.05] * 10, False),
    "5 recipes of 3 seeds, 5 single runs, predictions": ([3] * 5 + [1] * 5, [0.05] * 5 + [0.0] * 5, True),
    "10 recipes of 2 to 5 seeds of unequal spread, predictions": ([2, 3, 4, 5, 3] * 2, [0.02] * 5 + [0.1] * 5, True),
}
"""Boards of equal models: seeds and skill of each row, and whether predictions are stored."""


def false_orders(board: str, draws: int, examples: int = 1000, seed: int = 0) -> tuple[float, float]:
    """Share of boards of equal models that show an order: by the ranks, and by overlap of the examples' intervals."""
    seeds, skill, predictions = BOARDS[board]
    rng = np.random.default_rng(seed)
    row_of = np.repeat(np.arange(len(seeds)), seeds)
    ranked = overlapped = 0
    for _ in range(draws):
        right = answers(rng, len(row_of), examples, np.array(skill)[row_of]).astype(float)
        scores = right.mean(axis=1)
        count = np.array(seeds, dtype=float)
        mean = np.bincount(row_of, scores) / count
        spread = np.sqrt(np.bincount(row_of, (scores - mean[row_of]) ** 2) / np.maximum(1, count - 1))
        error = np.sqrt(mean * (1 - mean) / examples)
        sure = Estimates(mean, error, error, np.where(count > 1, spread, np.nan), count)
        sets = [Outcomes(np.arange(len(row_of)), examples, right @ right.T)] if predictions else []
        ends = rank_ranges(sure, tested(sets, row_of, count)).ends
        ranked += bool((ends != [1, len(seeds)]).any())
        overlapped += bool((mean - Z * error).max() > (mean + Z * error).min())
    return ranked / draws, overlapped / draws


def false_effects(seeds: int, draws: int, parts: int = 4, seed: int = 0) -> tuple[float, float]:
    """Share of parts without effect that are stated to have one: by the test, and by a mean above its spread."""
    rng = np.random.default_rng(seed)
    by_test = by_spread = 0
    for values in rng.normal(0, 1, (draws, parts, seeds)):
        differences = corrected([Difference(Part("", ""), None, dict(enumerate(row))) for row in values])
        by_test += sum(difference.clear for difference in differences)
        same = np.abs(np.sign(values).sum(axis=1)) == seeds
        by_spread += int((same & (np.abs(values.mean(axis=1)) > values.std(axis=1, ddof=1))).sum())
    return by_test / draws / parts, by_spread / draws / parts


def main(what: str) -> None:
    """Print one table in Markdown."""
    if what == "coverage":
        print(f"| seeds | rule | {' | '.join(f'skill {skill:g}' for skill in SKILLS)} |")
        for seeds in (2, 3, 5):
            rows = [coverage(seeds, skill, 10_000) for skill in SKILLS]
            for name in RULES:
                print(f"| {seeds} | {name} | {' | '.join(f'{100 * row[name]:.1f}' for row in rows)} |")
    elif what == "orders":
        for board in BOARDS:
            ranks, overlap = false_orders(board, 2_000)
            print(f"| {board} | {100 * ranks:.1f} | {100 * overlap:.1f} |")
    else:
        for seeds in (2, 3, 5, 10):
            test, spread = false_effects(seeds, 5_000)
            print(f"| {seeds} | {100 * test:.1f} | {100 * spread:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1])
