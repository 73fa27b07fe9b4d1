"""Re-scoring runs from their per-example predictions: what the badge *verified* means.

A run is verified where its ids and gold labels are those of the data (``db.runs.gold_labels``) and its figures follow
from its predictions. Where the task's data are not known, nothing is verified.
"""

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
import pandas as pd

from db.registry import tasks
from db.registry.tasks import Task
from db.runs import gold_labels
from db.statistics import classes, correlation, qa_scoring

TOLERANCE = 5e-5
"""Half of the last digit of a percentage with two decimals."""

PER_EXAMPLE = ("f1", "em", "f1_seed", "em_seed")
"""Scores of each answer that stay with a run whose answers are withheld."""

_OF_METRIC = {"accuracy": ("accuracy",), "f1": ("f1", "em"), "f1_seed": ("f1_seed", "em_seed")}
"""The figures that are computed again, by the metric of a task."""


def agrees(task: Task, predictions: pd.DataFrame, claimed: Mapping[str, float]) -> bool:
    """Whether predictions are those of a task's whole split and give the figures that are claimed.

    Args:
        task: Its current version.
        predictions: Columns ``example_id, gold, predicted``, and those of ``PER_EXAMPLE`` where scores are stored; an
            unanswered example is a wrong one.
        claimed: Figures by name, fractions of 1; the task's own must be among them.
    """
    if task.regression:
        if task.metric not in claimed or not gold_labels.are_those(task, predictions):
            return False
        gold, answers = (predictions[column].fillna("").tolist() for column in ("gold", "predicted"))
        return abs(claimed[task.metric] - correlation.score_texts(task.metric, gold, answers)[0]) <= TOLERANCE
    names = _OF_METRIC.get(task.metric, ("accuracy",) if task.metric in classes.SCORES else ())
    if not names or task.metric not in claimed or not gold_labels.are_those(task, predictions):
        return False
    if task.metric in classes.SCORES:
        gold, answers = (predictions[column].fillna("").tolist() for column in ("gold", "predicted"))
        value, _ = classes.score_texts(task.metric, gold, answers, len(task.labels))
        if abs(claimed[task.metric] - value) > TOLERANCE:
            return False
    computed = scores(task, predictions)
    return computed is not None and all(
        abs(claimed[name] - float(computed[name].mean())) <= TOLERANCE for name in names if name in claimed
    )


def scores(task: Task, predictions: pd.DataFrame) -> pd.DataFrame | None:
    """Score each prediction by the metrics of its task.

    Args:
        task: Whose rules.
        predictions: As for ``agrees``.

    Returns:
        One column a metric, with the index of ``predictions``; None where they cannot be computed.
    """
    if task.labels:
        right = (predictions["gold"] == predictions["predicted"]).fillna(False)
        return pd.DataFrame({"accuracy": right.astype(float)})
    rules = qa_scoring.DECK if task.metric == "f1_seed" else qa_scoring.RULES.get(task.language)
    if rules is None or task.regression:
        return None
    names = list(_OF_METRIC[task.metric])
    answers = predictions["predicted"].fillna("")
    if answers.map(qa_scoring.is_withheld).any():  # scores that are stored beside them are a claim
        return None
    try:
        golds = [qa_scoring.unpack(gold)[: 1 if task.metric == "f1_seed" else None] for gold in predictions["gold"]]
        pairs = [qa_scoring.best(rules, answer, gold) for answer, gold in zip(answers, golds, strict=True)]
    except (ValueError, TypeError):  # its gold labels are not answers
        return None
    columns = {names[0]: [overlap for _, overlap in pairs], names[1]: [exact for exact, _ in pairs]}
    return pd.DataFrame(columns, index=predictions.index, dtype=np.float64)


def with_scores(predictions: pd.DataFrame, languages: Mapping[str, str]) -> pd.DataFrame:
    """Fill F1 and exact match of each answer, by the official rules, where its text is there.

    Args:
        predictions: Columns ``run_id, gold, predicted, f1, em``; scores that are stored already stay.
        languages: Of the runs with text answers, by run id.
    """
    missing = predictions["f1"].isna() | predictions["em"].isna()
    texts = predictions["run_id"].isin(languages) & missing & predictions["gold"].notna()
    texts &= ~predictions["predicted"].fillna("").map(qa_scoring.is_withheld)
    scored = predictions.copy()
    pairs: dict[int, tuple[bool, float]] = {}
    for index, run_id, gold, answer in predictions.loc[texts, ["run_id", "gold", "predicted"]].itertuples(name=None):
        golds = [] if qa_scoring.is_stand_in(gold) else qa_scoring.unpack(gold)
        if golds:
            pairs[index] = qa_scoring.best(qa_scoring.RULES[languages[run_id]], answer or "", golds)
    scored.loc[list(pairs), "em"] = np.array([exact for exact, _ in pairs.values()], dtype=np.float32)
    scored.loc[list(pairs), "f1"] = np.array([overlap for _, overlap in pairs.values()], dtype=np.float32)
    return scored


def rescore(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> None:
    """Score runs that came from elsewhere again and set their badge by the result, whatever it was before.

    Args:
        con: An open connection, inside a transaction.
        run_ids: Whole ids.
    """
    con.execute("UPDATE runs SET verified = false WHERE run_id IN (SELECT unnest(?))", [list(run_ids)])
    runs = con.execute(
        "SELECT task_id, task_version, split, status, run_id FROM runs WHERE run_id IN (SELECT unnest(?)) ORDER BY ALL",
        [list(run_ids)],
    ).fetchall()
    current = {(task.task_id, task.version, task.split): task for task in tasks.TASKS}
    for task_id, version, split, status, run_id in runs:
        task = current.get((task_id, version, split))
        if task is None or status != "finished":
            continue
        claimed = dict(con.execute("SELECT name, value FROM metrics WHERE run_id = ?", [run_id]).fetchall())
        rows = con.execute("SELECT * EXCLUDE (run_id) FROM predictions WHERE run_id = ?", [run_id]).df()
        if agrees(task, rows, claimed):
            con.execute("UPDATE runs SET verified = true WHERE run_id = ?", [run_id])
