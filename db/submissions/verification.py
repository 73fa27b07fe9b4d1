"""Scoring the predictions of a submission again, and comparing the result with its claim.

A run is *verified* when its predictions cover the task's whole split, each example once and none of another split, and
give the claimed metrics, as closely as the claim was written.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.base.problems import Code, Flag, Message
from db.registry import formats, tasks
from db.registry.metrics import known
from db.registry.tasks import Task
from db.runs import rescoring
from db.runs.rescoring import TOLERANCE
from db.statistics import classes, intervals, qa_scoring, significance
from db.statistics.intervals import Interval
from db.statistics.qa_scoring import RULES
from db.submissions.gold_answers import GoldLabels
from db.submissions.records import Submission

State = Literal["verified", "disagrees", "incomplete", "unscored", "no golds", "no predictions"]

MAX_TOLERANCE = 0.005
"""Half a point: the largest difference that is allowed, also for a percentage written without decimals."""

_RESAMPLES = 2000


@dataclass(frozen=True)
class Score:
    """One metric as it is claimed and as the predictions give it, in the metric's stored unit.

    Attributes:
        name: The metric.
        claimed: None where it was not claimed.
        computed: Over all examples of the split; a missing answer counts as wrong.
        tolerance: By how much the two may differ.
        interval: 95%, of what was computed.
    """

    name: str
    claimed: float | None
    computed: float
    tolerance: float
    interval: Interval

    @property
    def agrees(self) -> bool:
        """Whether the claim is the computed value, rounded."""
        # The last digits of floats: 0.87845 rounds to 0.8784 as well as to 0.8785.
        return self.claimed is None or abs(self.claimed - self.computed) <= self.tolerance + 1e-12


@dataclass(frozen=True)
class Report:
    """The result of scoring predictions again.

    Attributes:
        state: The verdict.
        source: Where the gold labels are from, or why nothing was scored; None without predictions.
        split: Examples of the split; None where there is no single one.
        rows: Rows of predictions.
        matched: Examples of the split that have an answer.
        missing: Examples of the split that have none.
        foreign: Example ids that are not of the split.
        duplicated: Example ids that come more than once.
        scores: The task's own metric first; empty where nothing could be scored.
        flags: What a moderator should check.
        answers: Of the matched examples, what paired tests read: columns ``example_id, gold, predicted, f1, em``, the
            last two NaN for labels; None where nothing could be scored.
    """

    state: State
    source: Message | None = None
    split: int | None = None
    rows: int = 0
    matched: int = 0
    missing: int = 0
    foreign: int = 0
    duplicated: int = 0
    scores: tuple[Score, ...] = ()
    flags: tuple[Flag, ...] = ()
    answers: pd.DataFrame | None = field(default=None, compare=False, repr=False)

    @property
    def verified(self) -> bool:
        """Whether the run gets the badge."""
        return self.state == "verified"

    def sentence(self) -> str:
        """Word the verdict for the command line, the audit and the caveat of a run."""
        if self.state == "no predictions":
            return "There are no predictions to verify it with."
        if self.state in {"no golds", "unscored"}:
            return f"{'Not checkable here' if self.state == 'no golds' else 'Not verified'}: {self.source}."
        claimed = [score for score in self.scores if score.claimed is not None]
        scores = "; ".join(_both(score) for score in claimed or self.scores)
        if self.state == "incomplete":
            counts = (
                (self.missing, "have no answer"),
                (self.foreign, "are not of this split"),
                (self.duplicated, "come more than once"),
            )
            lacks = ", ".join(f"{count:,} {what}" for count, what in counts if count)
            whole = f"of the predictions for {self.split:,} examples, {lacks}"
            return f"Not verified: {whole}. Scored with {self.source}: {scores}."
        if self.state == "disagrees":
            return f"The predictions do not give what is claimed: {scores}, scored with {self.source}."
        return f"Verified: all {self.split:,} examples, scored with {self.source}: {scores}."

    def caveat(self) -> str | None:
        """Word what must be shown beside the row; None where nothing must."""
        verdict = [self.sentence()] if self.state in {"disagrees", "incomplete"} else []
        return " ".join([*verdict, *(str(flag) for flag in self.flags)]) or None


def _both(score: Score) -> str:
    metric = known(score.name)
    claimed, computed = formats.value(metric, score.claimed), formats.value(metric, score.computed)
    if score.claimed is None:
        return f"{metric.label} {computed}"
    if claimed == computed and not score.agrees:  # two decimals hide the difference
        claimed, computed = f"{score.claimed or 0.0:.6g}", f"{score.computed:.6g}"
    return f"{metric.label} {claimed} claimed, {computed} found"


def tolerance(decimals: int | None) -> float:
    """Return by how much a claim may differ: half a unit of the last digit that was written."""
    written = 0.0 if decimals is None else 0.5 * 10.0 ** -min(decimals, 15)
    return min(MAX_TOLERANCE, max(TOLERANCE, written))


def labelled(task: Task, answers: pd.Series) -> pd.Series:
    """Turn names of labels and ``LABEL_1`` into the numbers that the store keeps; other answers stay as they are.

    Args:
        task: Whose labels.
        answers: Texts, missing where there is no answer.
    """
    if not task.labels:
        return answers
    names = {name.casefold(): str(number) for number, name in enumerate(task.labels)}
    labels = {answer: _label(answer, names) for answer in answers.dropna().unique()}
    return answers.map(labels).astype("str")


def _label(answer: str, names: Mapping[str, str]) -> str:
    folded = answer.strip().casefold()
    numbered = re.fullmatch(r"(?:label_)?0*(\d{1,4})(?:\.0)?", folded, re.ASCII)
    return names.get(folded) or (numbered[1] if numbered else answer)


def examine(
    task: Task, gold: GoldLabels, predictions: pd.DataFrame, claimed: Mapping[str, float], decimals: Mapping[str, int]
) -> Report:
    """Score predictions with gold labels, and compare the result with what is claimed.

    Args:
        task: Whose split and whose rules.
        gold: Of the whole split.
        predictions: Columns ``example_id, predicted``; where an example comes twice, its first answer is scored.
        claimed: Values by their metrics.
        decimals: That they were written with; where that is not known, two of a percentage.
    """
    ids = predictions["example_id"]
    own = ids.isin(list(gold.answers))
    first = predictions[own].drop_duplicates("example_id").set_index("example_id")["predicted"]
    split = len(gold.answers)
    report = Report(
        "unscored",
        gold.source,
        split,
        rows=len(predictions),
        matched=len(first),
        missing=split - len(first),
        foreign=int(ids[~own].nunique()),
        duplicated=int((ids.value_counts() > 1).sum()),
    )
    answers = labelled(task, first).reindex(list(gold.answers))
    if answers.dropna().map(qa_scoring.is_withheld).any():
        return replace(report, source=Message(Code.ANSWERS_WITHHELD))
    rows = pd.DataFrame({"gold": list(gold.answers.values()), "predicted": answers.fillna("").tolist()})
    scored = rescoring.scores(task, rows)
    if scored is None and not task.regression:
        params = {"metric": known(task.metric).label, "task": task.task_id}
        return replace(report, source=Message(Code.METRIC_NOT_SCORED, params))
    parts = {} if scored is None else {str(name): column.to_numpy() for name, column in scored.items()}
    of_labels = [name for name in classes.SCORES if name == task.metric or (task.labels and name in claimed)]
    texts = rows["gold"].tolist(), rows["predicted"].tolist()
    computed = {name: (float(values.mean()), _interval(name, values)) for name, values in parts.items()}
    for name in [task.metric] if task.regression else of_labels:
        computed[name] = rescoring.score_together(task, name, *texts)
    scores = tuple(
        Score(name, claimed.get(name), value, tolerance(decimals.get(name)), interval)
        for name, (value, interval) in sorted(computed.items(), key=lambda item: item[0] != task.metric)
    )
    perfect = report.matched == split and all(math.isclose(score.computed, 1.0) for score in scores)
    whole = not (report.missing or report.foreign or report.duplicated)
    state: State = "incomplete" if not whole else "verified" if all(each.agrees for each in scores) else "disagrees"
    overlap, exact = (parts.get(name, np.full(split, np.nan)).astype(np.float32) for name in ("f1", "em"))
    columns = {"gold": texts[0], "predicted": answers, "f1": overlap, "em": exact}
    matched = pd.DataFrame(columns, index=answers.index).rename_axis("example_id").reset_index()
    matched = matched[matched["example_id"].isin(first.index)]
    flags = (Flag(Code.EQUALS_GOLD),) if perfect else ()
    return replace(report, state=state, scores=scores, flags=flags, answers=matched)


def _interval(name: str, values: NDArray[np.float64]) -> Interval:
    """Wilson's interval for shares; for other means the percentile bootstrap over the examples."""
    if name in {"accuracy", "em", "em_seed"}:
        return intervals.wilson(round(values.sum()), len(values))
    against_zero = np.column_stack((np.zeros_like(values), values))
    result = significance.bootstrap(against_zero, [(0, 1)], resamples=_RESAMPLES)[0]
    return Interval(result.low, result.high)


def answer_flags(
    con: duckdb.DuckDBPyConnection, task: Task, predictions: pd.DataFrame, own_run: str | None
) -> list[Flag]:
    """Flag predictions that are exactly those of other runs of the task.

    A run whose answers were withheld is compared by the hashes in their place.

    Args:
        con: An open connection.
        task: Whose runs.
        predictions: Columns ``example_id, predicted``.
        own_run: The run that these are the predictions of; None where there is none yet.
    """
    mine = predictions.drop_duplicates("example_id")
    plain = labelled(task, mine["predicted"]).fillna("")
    rules = None if task.labels or task.regression else RULES.get(task.language)
    hidden = plain if rules is None else plain.map(lambda answer: qa_scoring.withheld(rules, answer))
    con.register("mine", pd.DataFrame({"example_id": mine["example_id"], "plain": plain, "hidden": hidden}))
    rows = con.execute(
        """
        SELECT p.run_id FROM predictions p JOIN runs r USING (run_id) LEFT JOIN mine m USING (example_id)
        WHERE r.task_id = ? AND r.run_id IS DISTINCT FROM ?
        GROUP BY p.run_id
        HAVING count(*) = ? AND bool_and(coalesce(coalesce(p.predicted, '') IN (m.plain, m.hidden), false))
        ORDER BY p.run_id
        """,
        [task.task_id, own_run, len(mine)],
    ).fetchall()
    con.unregister("mine")
    if not rows:
        return []
    params = {"run": str(rows[0][0])[:12], "more": len(rows) - 1}
    return [Flag(Code.SAME_AS_RUNS if len(rows) > 1 else Code.SAME_AS_RUN, params)]


def submission_flags(con: duckdb.DuckDBPyConnection, submission: Submission) -> list[Flag]:
    """Flag a submission that repeats another one, or its answers."""
    task_id = tasks.by_id(submission.claim.task).task_id
    for column, value, code in (
        ("digest", submission.digest, Code.SAME_SUBMISSION),
        ("answers_hash", submission.answers_hash, Code.SAME_ANSWERS),
    ):
        other = con.execute(
            f"SELECT submission_id, state FROM submissions WHERE {column} = ? AND task_id = ? AND submission_id <> ? "  # noqa: S608 - our own names
            "ORDER BY created_at, submission_id LIMIT 1",
            [value, task_id, submission.status.submission_id],
        ).fetchone()
        if other:  # the same row has the same predictions, so one flag is enough
            return [Flag(code, {"submission": str(other[0])[:12], "state": other[1]})]
    return []
