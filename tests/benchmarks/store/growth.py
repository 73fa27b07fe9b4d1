"""Size of the database and times of its queries with more and more runs and curve points.

    python -m tests.benchmarks.store.growth 10000x100 100000x100 1000000x10

A size is a number of runs, ten thousand or a multiple of it, and one of curve points for each. Times are those of warm
queries that take turns; what counts is how they grow, since the machine may be busy.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from db.leaderboard import board, overview
from db.runs import curves, detail
from db.storage.store import Store
from tests.benchmarks import timing
from tests.factories import many_runs

RUNS = 10_000
"""Runs that are made one by one; more are copies of them under other names, which DuckDB makes."""

ROUNDS = 3

_COPIES = {
    "models": "model_id || '-' || k AS model_id, name || ' ' || k AS name",
    "runs": "md5(run_id || k) AS run_id, model_id || '-' || k AS model_id, name || ' ' || k AS name, "
    "recipe || '-' || k AS recipe, recipe_hash || k AS recipe_hash",
    "metrics": "md5(run_id || k) AS run_id",
}


def fill(store: Store, runs: int, points: int) -> list[str]:
    """Write so many runs and so many curve points for each, and return the ids of five, from all over the file."""
    many_runs.crowd(store, min(runs, RUNS))
    with store.transaction() as con:
        con.execute("DELETE FROM curves")
    for table, changed in _COPIES.items():
        with store.transaction() as con:
            con.execute(
                f"INSERT INTO {table} SELECT t.* REPLACE ({changed}) FROM {table} t, range(1, $copies) copies(k)",
                {"copies": max(1, runs // RUNS)},
            )
    with store.transaction() as con:
        con.execute(
            "INSERT INTO curves SELECT run_id, 'loss', step, step / 10, 1.0 / step, step * 0.5 "
            "FROM (SELECT run_id FROM runs ORDER BY created_at), range(1, $points + 1) steps(step)",
            {"points": points},
        )
    return list(store.query("SELECT run_id FROM runs ORDER BY hash(run_id) LIMIT 5")["run_id"])


def queries(store: Store, run_ids: list[str]) -> dict[str, Callable[[], object]]:
    """What pages and programs ask for."""
    return {
        "best 100 runs": partial(board.top, store, many_runs.TASK),
        "whole board, seeds merged": partial(board.board, store, many_runs.TASK),
        "overview": lambda: overview.overview(overview.cells(store), [many_runs.TASK]),
        "page of one run": partial(detail.run_detail, store, run_ids[2]),
        "curve of one run": partial(curves.lines, store, run_ids[:1], ["loss"]),
        "curves of five runs": partial(curves.lines, store, run_ids, ["loss"]),
    }


def main(sizes: list[tuple[int, int]]) -> None:
    """Print sizes, times and how they grow."""
    ways: dict[tuple[str, int], Callable[[], object]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for runs, points in sizes:
            store, begin = Store(Path(folder) / f"{runs}.duckdb"), time.perf_counter()
            run_ids = fill(store, runs, points)
            used, taken = store.path.stat().st_size, time.perf_counter() - begin
            facts = f"{used / 1e6:,.0f} MB, {used / runs / 1e3:.2f} KB a run, filled in {taken:.0f} s, {timing.load()}"
            print(f"{runs:,} runs, {runs * points:,} curve points: {facts}", flush=True)
            ways |= {(name, runs): query for name, query in queries(store, run_ids).items()}
        seconds = timing.medians(ways, ROUNDS)
        timing.print_growth("Growth with the number of runs", seconds)
        for name in dict.fromkeys(name for name, _ in seconds):
            ratios = ", ".join(f"{seconds[name, runs] / seconds[name, sizes[0][0]]:.1f}" for runs, _ in sizes)
            print(f"  {name}: {ratios} times the time with {sizes[0][0]:,}")


if __name__ == "__main__":
    chosen = [tuple(map(int, size.split("x"))) for size in sys.argv[1:]]
    main([(runs, points) for runs, points in chosen] or [(10_000, 100), (100_000, 100)])
