"""Size of the database and times of its queries with more and more runs, and 100 curve points for each of them.

    python -m tests.benchmarks.store.growth 10000 100000 1000000

Times are those of warm queries that take turns; what counts is how they grow, since the machine may be busy.
"""

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from db.leaderboard import board
from db.runs import curves, detail
from db.storage.store import Store
from tests.benchmarks import timing
from tests.factories import many_runs

POINTS = 100
"""Curve points of each run."""

ROUNDS = 3


def fill(store: Store, runs: int) -> list[str]:
    """Write so many runs and their curves, and return some of their ids, from all over the file."""
    rows = many_runs.crowd(store, runs)
    with store.transaction() as con:
        con.execute("DELETE FROM curves")
        con.execute(
            "INSERT INTO curves SELECT run_id, 'loss', step, step / 10, 1.0 / step, step * 0.5 "
            "FROM (SELECT run_id FROM runs ORDER BY created_at), range(1, $points + 1) steps(step)",
            {"points": POINTS},
        )
    return [str(run_id) for run_id in rows["run_id"].iloc[:: max(1, runs // 5)]]


def queries(store: Store, run_ids: list[str]) -> dict[str, Callable[[], object]]:
    """What pages and programs ask for."""
    return {
        "best 100 runs": partial(board.top, store, many_runs.TASK),
        "whole board, seeds merged": partial(board.board, store, many_runs.TASK),
        "page of one run": partial(detail.run_detail, store, run_ids[2]),
        "curves of five runs": partial(curves.lines, store, run_ids[:5], ["loss"]),
    }


def main(sizes: list[int]) -> None:
    """Print sizes, times and how they grow."""
    ways: dict[tuple[str, int], Callable[[], object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            store = Store(Path(folder) / f"{size}.duckdb")
            run_ids = fill(store, size)
            used = store.path.stat().st_size
            facts = f"{used / 1e6:,.0f} MB, {used / size / 1e3:.2f} KB a run, {timing.load()}"
            print(f"{size:,} runs, {POINTS * size:,} curve points: {facts}", flush=True)
            ways |= {(name, size): query for name, query in queries(store, run_ids).items()}
        seconds = timing.medians(ways, ROUNDS)
        timing.print_growth("Growth with the number of runs", seconds)
        for name in dict.fromkeys(name for name, _ in seconds):
            ratios = ", ".join(f"{seconds[name, size] / seconds[name, sizes[0]]:.1f}" for size in sizes)
            print(f"  {name}: {ratios} times the time with {sizes[0]:,}")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10_000, 100_000])
