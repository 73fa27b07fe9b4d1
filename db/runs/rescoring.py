"""Re-scoring runs from their per-example predictions: what the badge *verified* means."""

from collections.abc import Callable, Sequence

import duckdb
import numpy as np
import pandas as pd

from db.statistics import qa_scoring

TOLERANCE = 5e-5
"""Half of the last digit of a percentage with two decimals."""


def agrees(
    predictions: pd.DataFrame, claim: float, split_size: int | None, *, metric: str = "accuracy", language: str = "en"
) -> bool:
    """Whether predictions are those of a whole split and give the figure that is claimed.

    Args:
        predictions: Columns ``example_id, gold, predicted``; an unanswered example is a wrong one.
        claim: The figure, a fraction of 1.
        split_size: Examples of the task's split; None where there is no single split, and nothing can be verified.
        metric: ``accuracy``, or ``f1`` of answers, whose gold is a list; another figure cannot be verified.
        language: Whose official rules compare answers.
    """
    complete = len(predictions) == predictions["example_id"].nunique() == split_size
    if not complete or metric not in _SCORED:
        return False
    computed = _SCORED[metric](predictions, language)
    return computed is not None and abs(claim - computed) <= TOLERANCE


def _accuracy(predictions: pd.DataFrame, _: str) -> float | None:
    return float((predictions["gold"] == predictions["predicted"]).fillna(False).mean())


def _f1(predictions: pd.DataFrame, language: str) -> float | None:
    rules = qa_scoring.RULES.get(language)
    if rules is None:
        return None
    predicted = predictions["predicted"].fillna("")
    try:
        golds = [qa_scoring.unpack(gold) for gold in predictions["gold"]]
        return float(
            np.mean([qa_scoring.best(rules, answer, gold)[1] for answer, gold in zip(predicted, golds, strict=True)])
        )
    except (ValueError, TypeError):  # its gold labels are not answers
        return None


_SCORED: dict[str, Callable[[pd.DataFrame, str], float | None]] = {"accuracy": _accuracy, "f1": _f1}


def rescore(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> None:
    """Score runs that came from elsewhere again, and let their badge say what was found; whatever it said before."""
    con.execute("UPDATE runs SET verified = false WHERE run_id IN (SELECT unnest(?))", [list(run_ids)])
    claims = con.execute(
        """
        SELECT r.run_id, m.value, t.split_size, t.metric, t.language
        FROM runs r
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics m ON m.run_id = r.run_id AND m.name = t.metric
        WHERE r.run_id IN (SELECT unnest(?))
        """,
        [list(run_ids)],
    ).fetchall()
    for run_id, value, split_size, metric, language in claims:
        rows = con.execute("SELECT example_id, gold, predicted FROM predictions WHERE run_id = ?", [run_id]).df()
        if agrees(rows, value, split_size, metric=metric, language=language):
            con.execute("UPDATE runs SET verified = true WHERE run_id = ?", [run_id])
