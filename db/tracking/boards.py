"""Boards, runs and comparisons as pandas tables."""

from pathlib import Path

import pandas as pd

from db.analysis import comparison, paired_tests
from db.base.paths import default_database
from db.leaderboard.board import Board
from db.leaderboard.board import board as load_board
from db.registry import tasks
from db.runs.detail import RunDetail, run_detail
from db.storage.store import Store


def board(task: str, *, every_run: bool = False, database: Path | None = None) -> Board:
    """Load a board, best rows first; ``to_pandas()`` makes a table with intervals, ranks and costs of it.

    >>> import featherboard as fb
    >>> fb.board("nsmc").to_pandas()[["model", "rank", "score", "low", "high", "params"]].head(3).shape
    (3, 6)

    Args:
        task: In any spelling; `featherboard list tasks` shows them.
        every_run: All runs, where otherwise the seeds of one recipe are one row.
        database: The DuckDB file; by default that of the command line.

    Raises:
        NotFoundError: There is no such task.
    """
    known = tasks.by_name(task)
    return load_board(_store(database), known.task_id if known else task, every_run=every_run)


def run(run_id: str, *, database: Path | None = None) -> RunDetail:
    """Load everything about one run.

    >>> import featherboard as fb
    >>> best = fb.board("nsmc").to_pandas()["run_id"].iloc[0]
    >>> fb.run(best).run["task_id"]
    'nsmc'

    Args:
        run_id: Its id, or the beginning of it.
        database: The DuckDB file; by default that of the command line.

    Raises:
        NotFoundError: No run, or several, begin so.
    """
    return run_detail(_store(database), run_id)


def compare(*run_ids: str, database: Path | None = None) -> pd.DataFrame:
    """Compare two to six runs of one task on the examples that all of them answered.

    Args:
        run_ids: Their ids, or the beginnings of them.
        database: The DuckDB file; by default that of the command line.

    Returns:
        One row for each pair and measure, columns ``measure, first, second, first_score, second_score, difference, low,
        high, p``. Scores are fractions of 1; ``low`` and ``high`` are the 95% interval of second minus first; ``p`` is
        of the exact McNemar test (``right``) or the paired bootstrap (``overlap``, F1 of answers, and correlations),
        corrected by Holm.

    Raises:
        NotFoundError: One of them does not exist, or they have no scored example in common.
        ComparisonError: They are too few, too many, or of different tasks.
    """
    result = comparison.compare(_store(database), run_ids)
    names = [str(result.chosen.runs["name"][position]) for position in result.places]
    verdicts = [paired_tests.verdict(result.common, measure) for measure in paired_tests.measures(result.common)]
    return pd.DataFrame(
        {
            "measure": verdict.measure,
            "first": names[pair.first],
            "second": names[pair.second],
            "first_score": verdict.scores[pair.first],
            "second_score": verdict.scores[pair.second],
            "difference": pair.difference,
            "low": pair.low,
            "high": pair.high,
            "p": pair.corrected,
        }
        for verdict in verdicts
        for pair in verdict.pairs
    )


def _store(database: Path | None) -> Store:
    return Store(database or default_database())
