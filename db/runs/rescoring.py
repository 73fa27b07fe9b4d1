"""Re-scoring runs from their per-example predictions: what the badge *verified* means.

A run is verified where its ids and gold labels are those of the data (``db.runs.gold_labels``) and its figures follow
from its predictions. Where the task's data are not known, nothing is verified.
"""

from collections.abc import Mapping, Sequence

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from db.base.problems import Code, Flag
from db.registry import tasks
from db.registry.tasks import Task
from db.runs import gold_labels
from db.statistics import classes, correlation, intervals, qa_scoring
from db.statistics.intervals import Interval

TOLERANCE = 5e-5
"""Half of the last digit of a percentage with two decimals."""

PER_EXAMPLE = ("f1", "em", "f1_seed", "em_seed")
"""Scores of each answer that stay with a run whose answers are withheld."""

_OF_METRIC = {"accuracy": ("accuracy",), "f1": ("f1", "em"), "f1_seed": ("f1_seed", "em_seed")}
"""The figures that are computed again, by the metric of a task."""


def agrees(
    task: Task,
    predictions: pd.DataFrame,
    claimed: Mapping[str, float],
    *,
    intervals_of: Mapping[str, tuple[float, float]] | None = None,
) -> bool:
    """Whether predictions are those of a task's whole split and give the figures that are claimed.

    Args:
        task: Its current version.
        predictions: Columns ``example_id, gold, predicted``, and those of ``PER_EXAMPLE`` where scores are stored; an
            unanswered example is a wrong one.
        claimed: Figures by name, fractions of 1; the task's own must be among them.
        intervals_of: Ends of their 95% intervals, where somebody else claims them too; NaN where there is none.
    """
    names = _OF_METRIC.get(task.metric, ("accuracy",) if task.metric in classes.SCORES else ())
    if not (names or task.regression) or task.metric not in claimed:
        return False
    if not gold_labels.are_those(task, predictions):
        return False
    ends = intervals_of or {}
    gold, answers = (predictions[column].fillna("").tolist() for column in ("gold", "predicted"))
    whole = [task.metric] if task.regression else [*classes.SCORES] if task.labels else []
    for name in set(whole) & set(claimed):
        value, interval = score_together(task, name, gold, answers)
        if abs(claimed[name] - value) > TOLERANCE or not _alike(ends.get(name), interval):
            return False
    if task.regression:
        return True
    computed = scores(task, predictions)
    return computed is not None and all(
        abs(claimed[name] - float(computed[name].mean())) <= TOLERANCE
        and (name not in ends or _alike(ends[name], _interval(name, computed[name].to_numpy())))
        for name in names
        if name in claimed
    )


def score_together(task: Task, name: str, gold: Sequence[str], answers: Sequence[str]) -> tuple[float, Interval]:
    """A score of all examples together, with its interval: a correlation, or one of ``db.statistics.classes``."""
    if task.regression:
        return correlation.score_texts(name, gold, answers)
    return classes.score_texts(name, gold, answers, len(task.labels))


def _interval(name: str, values: NDArray[np.float64]) -> Interval:
    """The interval of a mean over examples: Wilson's of a share, else that of normal errors."""
    if name in {"accuracy", "em", "em_seed"}:
        return intervals.wilson(round(values.sum()), len(values))
    half = 1.959964 * float(values.std(ddof=1)) / np.sqrt(len(values))
    return Interval(float(values.mean()) - half, float(values.mean()) + half)


def _alike(claimed: tuple[float, float] | None, computed: Interval) -> bool:
    """Whether an interval is the computed one, or not claimed; bootstraps of the same answers differ by a little."""
    if claimed is None or np.isnan(claimed).any():
        return True
    allowed = TOLERANCE + 0.15 * (computed.high - computed.low)
    return abs(claimed[0] - computed.low) <= allowed and abs(claimed[1] - computed.high) <= allowed


def scores(task: Task, predictions: pd.DataFrame) -> pd.DataFrame | None:
    """Score each prediction, as for ``agrees``, by the metrics of its task.

    Returns:
        One column a metric, with the index of ``predictions``; None where they cannot be computed.
    """
    if task.metric == "accuracy" or task.metric in classes.SCORES:
        right = (predictions["gold"] == predictions["predicted"]).fillna(False)
        return pd.DataFrame({"accuracy": right.astype(float)})
    rules = qa_scoring.DECK if task.metric == "f1_seed" else qa_scoring.RULES.get(task.language)
    if rules is None or task.metric not in _OF_METRIC:
        return None
    names = _OF_METRIC[task.metric]
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


def languages(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The languages of the tasks whose answers are cut from texts, by task."""
    sql = "SELECT task_id, language FROM tasks WHERE metric IN ('f1', 'f1_seed') ORDER BY version"
    return dict(con.execute(sql).fetchall())


def rescore(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> None:
    """Score runs that came from elsewhere again and set their badge by the result, whatever it was before."""
    runs = con.execute(
        "SELECT task_id, task_version, split, run_id, status, verified, n FROM runs LEFT JOIN outcomes USING (run_id) "
        "WHERE run_id IN (SELECT unnest(?)) ORDER BY ALL",
        [list(run_ids)],
    ).fetchall()
    current = {(task.task_id, task.version, task.split): task for task in tasks.TASKS}
    for *of_task, run_id, status, verified, count in runs:
        task = current.get(tuple(of_task))
        # What is not the whole split is not verified, and need not be read.
        if task is None or status != "finished" or count not in {None, task.split_size}:
            agreed = False
        else:
            agreed = _agrees(con, task, run_id)
        if agreed != verified:
            con.execute("UPDATE runs SET verified = NOT verified WHERE run_id = ?", [run_id])


def _agrees(con: duckdb.DuckDBPyConnection, task: Task, run_id: str) -> bool:
    """Whether the figures of a stored run follow from its predictions."""
    stored = con.execute("SELECT name, value, low, high FROM metrics WHERE run_id = ?", [run_id]).df()
    stored = stored.set_index("name").astype(float)
    ends = dict(zip(stored.index, stored[["low", "high"]].itertuples(index=False, name=None), strict=True))
    rows = con.execute("SELECT * EXCLUDE (run_id) FROM predictions WHERE run_id = ?", [run_id]).df()
    return agrees(task, rows, stored["value"].to_dict(), intervals_of=ends)


_SAME = """
    SELECT own.run_id, o.run_id FROM outcomes own
    JOIN outcomes o ON o.examples = own.examples AND o.correct = own.correct
        AND o.f1 IS NOT DISTINCT FROM own.f1
    JOIN arrivals new ON new.run_id = own.run_id LEFT JOIN arrivals other ON other.run_id = o.run_id
    JOIN runs r ON r.run_id = o.run_id JOIN runs mine ON mine.run_id = own.run_id
    LEFT JOIN provenance own_of ON own_of.run_id = own.run_id AND own_of.origin <> 'shipped'
    LEFT JOIN provenance of_other ON of_other.run_id = o.run_id AND of_other.origin <> 'shipped'
    WHERE o.run_id <> own.run_id AND r.task_id = mine.task_id AND coalesce(other.position <= new.position, true)
      AND (own_of.run_id IS NULL, own_of.installation)
          IS DISTINCT FROM (of_other.run_id IS NULL, of_other.installation)
      AND (r.model_id, r.recipe_hash, r.seed) IS DISTINCT FROM (mine.model_id, mine.recipe_hash, mine.seed)
    ORDER BY ALL
"""
_DIFFERING = """
    SELECT DISTINCT q.run_id FROM predictions p JOIN predictions q USING (example_id)
    WHERE p.run_id = ? AND q.run_id IN (SELECT unnest(?)) AND p.predicted <> q.predicted
"""


def flag_copies(con: duckdb.DuckDBPyConnection, arrivals: Sequence[Sequence[str]]) -> None:
    """Say in the caveat of runs from elsewhere that their predictions are those of somebody else's run.

    A run of the same model, recipe and seed may well give the same predictions. How the runs came must be recorded.

    Args:
        con: An open connection, inside a transaction.
        arrivals: Whole ids of the runs of each bundle, in the order in which they came: of two runs in different
            bundles the later one is the copy.
    """
    ids = [(run_id, position) for position, run_ids in enumerate(arrivals) for run_id in run_ids]
    if not ids:
        return
    run_ids, positions = zip(*ids, strict=True)
    con.register("arrivals", pa.table({"run_id": list(run_ids), "position": list(positions)}))
    alike: dict[str, list[str]] = {}
    for run_id, other in con.execute(_SAME).fetchall():
        alike.setdefault(run_id, []).append(other)
    con.unregister("arrivals")
    for run_id, others in alike.items():
        differing = {other for (other,) in con.execute(_DIFFERING, [run_id, others]).fetchall()}
        same = [other for other in others if other not in differing]
        if same:
            code = Code.SAME_AS_RUNS if len(same) > 1 else Code.SAME_AS_RUN
            flag = str(Flag(code, {"run": same[0][:12], "more": len(same) - 1}))
            con.execute("UPDATE runs SET caveat = concat_ws(' ', caveat, ?) WHERE run_id = ?", [flag, run_id])
