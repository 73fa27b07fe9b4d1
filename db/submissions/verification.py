"""What a run's predictions say of its figures: aligned by example id, scored here, held against the claim.

*Verified* is a run whose predictions cover the task's whole split, each example once and none of another one, and give
the figures that are claimed, as closely as the claim was written.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.registry import formats
from db.registry.metrics import known
from db.registry.tasks import Task
from db.runs.rescoring import TOLERANCE
from db.statistics import intervals, qa_scoring, significance
from db.statistics.intervals import Interval
from db.statistics.qa_scoring import DECK, RULES, Rules
from db.submissions.gold_answers import Golds

State = Literal["verified", "disagrees", "incomplete", "unscored", "no golds", "no predictions"]

LOOSEST = 0.005
"""Half a point: a figure that was written without decimals of a percentage is not agreed with any further off."""

_RESAMPLES = 2000


@dataclass(frozen=True)
class Score:
    """One figure as it is claimed and as the predictions give it, in the metric's stored unit.

    Attributes:
        name: The metric.
        claimed: None where it was not claimed.
        found: Over all examples of the split; one without an answer is a wrong one.
        tolerance: By how much the two may differ.
        interval: 95%, of what was found.
    """

    name: str
    claimed: float | None
    found: float
    tolerance: float
    interval: Interval

    @property
    def agrees(self) -> bool:
        """Whether the claim is what was found, rounded."""
        # The last digits of floats: 0.87845 rounds to 0.8784 as well as to 0.8785.
        return self.claimed is None or abs(self.claimed - self.found) <= self.tolerance + 1e-12


@dataclass(frozen=True)
class Report:
    """What was found.

    Attributes:
        state: What came of it.
        told: Where the right answers are from, or why there are none.
        split: Examples of the split; None where there is no single one.
        given: Rows of predictions.
        matched: Examples of the split that have an answer.
        missing: Examples of the split that have none.
        foreign: Example ids that are not of the split.
        duplicated: Example ids that come more than once.
        scores: The task's own figure first; empty where nothing could be scored.
        flags: What a moderator should look at, one sentence each.
    """

    state: State
    told: str
    split: int | None = None
    given: int = 0
    matched: int = 0
    missing: int = 0
    foreign: int = 0
    duplicated: int = 0
    scores: tuple[Score, ...] = ()
    flags: tuple[str, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether the run bears the badge."""
        return self.state == "verified"

    def with_flags(self, *flags: str) -> "Report":
        """The same with further flags."""
        return replace(self, flags=(*self.flags, *flags))

    def sentence(self) -> str:
        """What came of it, in words."""
        if self.state == "no predictions":
            return "There are no predictions to verify it with."
        if self.state in {"no golds", "unscored"}:
            return f"Not verified: {self.told}."
        figures = "; ".join(_both(one) for one in self.scores if one.claimed is not None)
        if self.state == "incomplete":
            return f"Not verified: {self._lacks()}. Scored with {self.told}: {figures}."
        if self.state == "disagrees":
            return f"The predictions do not give what is claimed: {figures}, scored with {self.told}."
        return f"Verified: all {self.split:,} examples, scored with {self.told}: {figures}."

    def _lacks(self) -> str:
        counts = (
            (self.missing, "have no answer"),
            (self.foreign, "are not of this split"),
            (self.duplicated, "come more than once"),
        )
        parts = ", ".join(f"{count:,} {what}" for count, what in counts if count)
        return f"of the predictions for {self.split:,} examples, {parts}"

    def caveat(self) -> str | None:
        """What must be seen beside the figure; None where nothing must."""
        told = [self.sentence()] if self.state in {"disagrees", "incomplete"} else []
        return " ".join([*told, *self.flags]) or None


def _both(score: Score) -> str:
    metric = known(score.name)
    claimed = formats.value(metric, score.claimed)
    found = formats.value(metric, score.found)
    close = claimed == found and not score.agrees
    if close:  # two decimals hide the difference
        claimed, found = (f"{one:.6g}" for one in (score.claimed or 0.0, score.found))
    return f"{metric.label} {claimed} claimed, {found} found"


def tolerance(decimals: int | None) -> float:
    """By how much a claim may differ from what was found: half a unit of the last digit that was written."""
    written = 0.0 if decimals is None else 0.5 * 10.0 ** -min(decimals, 15)
    return min(LOOSEST, max(TOLERANCE, written))


def labelled(task: Task, said: pd.Series) -> pd.Series:
    """Answers as the store keeps them: names of labels and ``LABEL_1`` become numbers; other answers stay as they are.

    Args:
        task: Whose labels.
        said: Texts, missing where there is no answer.
    """
    if not task.labels:
        return said
    names = {name.casefold(): str(number) for number, name in enumerate(task.labels)}
    told = {one: _label(one, names) for one in said.dropna().unique()}
    return said.map(told).astype("str")


def _label(one: str, names: Mapping[str, str]) -> str:
    plain = one.strip().casefold()
    numbered = re.fullmatch(r"(?:label_)?0*(\d{1,4})(?:\.0)?", plain, re.ASCII)
    return names.get(plain) or (numbered[1] if numbered else one)


def examine(
    task: Task, golds: Golds, said: pd.DataFrame, claimed: Mapping[str, float], decimals: Mapping[str, int]
) -> Report:
    """Hold predictions against the right answers, and what they give against what is claimed.

    Args:
        task: Whose split and whose rules.
        golds: Of the whole split.
        said: Columns ``example_id, predicted``; of an example that comes twice the first answer is scored.
        claimed: Figures by their metrics.
        decimals: To how many decimals they were written; where that is not known, two of a percentage.
    """
    ids = said["example_id"]
    own = ids.isin(list(golds.answers))
    counts = ids.value_counts()
    first = said[own].drop_duplicates("example_id").set_index("example_id")["predicted"]
    split = len(golds.answers)
    report = Report(
        "unscored",
        golds.source,
        split,
        given=len(said),
        matched=len(first),
        missing=split - len(first),
        foreign=int(ids[~own].nunique()),
        duplicated=int((counts > 1).sum()),
    )
    given = labelled(task, first).reindex(list(golds.answers))
    if given.dropna().map(qa_scoring.is_withheld).any():
        return replace(report, told="its answers came without their texts")
    parts = _parts(task, given.fillna("").tolist(), list(golds.answers.values()))
    if parts is None:
        return replace(report, told=f"{known(task.metric).label} of {task.task_id} is not scored again here")
    scores = tuple(
        Score(name, claimed.get(name), float(values.mean()), tolerance(decimals.get(name)), _interval(name, values))
        for name, values in parts.items()
    )
    flags = []
    if report.matched == split and all(math.isclose(one.found, 1.0) for one in scores):
        flags.append("Its predictions equal the right answers on every example.")
    whole = not (report.missing or report.foreign or report.duplicated)
    good = all(one.agrees for one in scores)
    state: State = "incomplete" if not whole else "verified" if good else "disagrees"
    return replace(report, state=state, scores=scores, flags=tuple(flags))


def _parts(task: Task, said: list[str], golds: list[str]) -> dict[str, NDArray[np.float64]] | None:
    """How far each example is right, by metric, the task's own first; None where the metric is not scored here."""
    if task.metric == "accuracy":
        return {"accuracy": np.array([one == gold for one, gold in zip(said, golds, strict=True)], dtype=float)}
    if task.metric == "f1" and task.language in RULES:
        overlap, exact = _answers(RULES[task.language], said, [qa_scoring.unpack(gold) for gold in golds])
        return {"f1": overlap, "em": exact}
    if task.metric == "f1_seed":  # the deck compares with one answer
        overlap, exact = _answers(DECK, said, [qa_scoring.unpack(gold)[:1] for gold in golds])
        return {"f1_seed": overlap, "em_seed": exact}
    return None


def _answers(rules: Rules, said: list[str], golds: list[list[str]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rows = [qa_scoring.best(rules, one, gold) for one, gold in zip(said, golds, strict=True)]
    return np.array([row[1] for row in rows], dtype=float), np.array([row[0] for row in rows], dtype=float)


def _interval(name: str, values: NDArray[np.float64]) -> Interval:
    """Wilson's for shares; of other means the percentile bootstrap over the examples."""
    if name in {"accuracy", "em", "em_seed"}:
        return intervals.wilson(round(values.sum()), len(values))
    beside_nothing = np.column_stack((np.zeros_like(values), values))
    found = significance.bootstrap(beside_nothing, [(0, 1)], resamples=_RESAMPLES)[0]
    return Interval(found.low, found.high)
