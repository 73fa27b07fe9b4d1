"""The board's figures as JSON: missing ones are null, times are UTC."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from db.leaderboard.filters import Filter
from engine.inference.schemas import ApiModel
from engine.service.errors import pathless

Source = Literal["reported", "measured", "submitted"]
Status = Literal["running", "finished", "failed", "interrupted", "diverged", "silent"]
Column = Literal[
    "rank",
    "score",
    "params",
    "name",
    "model",
    "family",
    "source",
    "device",
    "dataset",
    "created_at",
    "train_seconds",
    "latency_ms_p50",
    "latency_ms_p95",
    "checkpoint_bytes",
    "examples_per_s",
]

_Words = Annotated[str, Field(max_length=200)]
_Many = Annotated[list[_Words], Field(max_length=50)]
_Whole = Annotated[int, Field(ge=0, le=10**15)]
_Real = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class BoardQuery(BaseModel):
    """Which rows of a board, and in which order; a parameter that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")

    limit: int = Field(50, ge=1, le=500, description="Rows that are returned.")
    offset: int = Field(0, ge=0, le=10_000_000, description="Rows that are left out before them.")
    search: str = Field("", max_length=200, description="Words that all occur in a row's names.")
    family: _Many = Field([], description="Model families; repeatable.")
    source: list[Source] = Field([], max_length=3, description="Where a row comes from; repeatable.")
    status: list[Status] = Field([], max_length=6, description="Repeatable.")
    device: _Many = Field([], description="Repeatable.")
    dataset: _Many = Field([], description="What it was trained on; repeatable.")
    tag: _Many = Field([], description="Tags by moderators of this board, of which a row has one; repeatable.")
    verified: bool | None = Field(None, description="Only rows that were re-scored from their predictions, or others.")
    min_params: _Whole | None = Field(None, description="Parameters at least.")
    max_params: _Whole | None = Field(None, description="Parameters at most.")
    max_latency_ms: _Real | None = Field(None, description="Median time for one example at most.")
    max_bytes: _Whole | None = Field(None, description="Size of the checkpoint at most.")
    order: Column | None = Field(None, description="Without it the board's own order, best first.")
    descending: bool = Field(False, description="The highest value of `order` first.")
    printed: bool = Field(False, description="Rank printed rows among measured and submitted ones.")
    every_run: bool = Field(False, description="All runs, instead of one row for the seeds of each recipe.")

    def as_filter(self) -> Filter:
        """As the board takes it."""
        return Filter(
            self.search,
            tuple(self.family),
            tuple(self.source),
            tuple(self.status),
            self.verified,
            tuple(self.device),
            tuple(self.dataset),
            (self.min_params, self.max_params),
            (None, self.max_latency_ms),
            (None, self.max_bytes),
            tuple(self.tag),
        )


class Task(ApiModel):
    """What is asked, how it is scored, on which split."""

    task_id: str
    version: int
    name: str
    language: str
    question: str
    scoring: str
    metric: str = Field(description="The primary metric; shares are fractions of 1.")
    direction: Literal["max", "min"]
    dataset: str
    split: str
    split_size: int | None
    mini: bool = Field(description="A shipped mini corpus: a smoke test, not a benchmark.")


class TaskListed(Task):
    """A task and how much there is of it."""

    runs: int
    variants: int
    running: int


class Tasks(ApiModel):
    """All tasks."""

    tasks: list[TaskListed]


class Row(ApiModel):
    """A row of a board."""

    run_id: str
    name: str
    model_id: str
    model: str
    family: str
    architecture: str
    params: int | None
    params_reported: int | None = Field(description="As a document prints it, where that differs or is all there is.")
    source: str
    owner: str | None = Field(
        description="The other installation that it came from; null for this one and the package."
    )
    verified: bool
    status: str
    rank: str | None = Field(
        description="A text: 2-4 where the data cannot tell the three apart, ~5 without an interval."
    )
    score: float | None
    low: float | None = Field(description="Lower end of the score's 95% interval.")
    high: float | None
    n: int | None = Field(description="Examples behind the score.")
    seeds: int | None
    failed: int = Field(description="Seeds that gave no score.")
    spread: float | None = Field(description="Standard deviation over seeds.")
    others: int = Field(description="Further runs of the same model, source and data set: other settings, older seeds.")
    pareto: bool = Field(description="On the frontier of parameters against score, among the ranked rows.")
    device: str | None
    dataset: str
    split: str
    teacher: str | None
    train_seconds: float | None
    citation: str | None
    caveat: str | None = Field(description="A contradiction or limit that belongs beside the figure.")
    tags: list[str] = Field(description="By moderators of this board, of all runs behind the row.")
    created_at: datetime
    figures: dict[str, float] = Field(description="All figures by name, costs such as latency_ms_p50 among them.")
    partial: dict[str, int] = Field(
        description="How many seeds have a figure, where not all have it; a quality is then not among the figures."
    )


class BoardPage(ApiModel):
    """Some rows of a board."""

    task: Task
    total: int = Field(description="Rows that pass the filters.")
    limit: int
    offset: int
    rows: list[Row]


class Metric(ApiModel):
    """A figure of a run."""

    name: str
    value: float
    n: int | None
    low: float | None
    high: float | None


class Point(ApiModel):
    """A point of a curve."""

    series: str
    step: int
    epoch: float | None
    value: float


class Artifact(ApiModel):
    """A file that a run left behind; where it lies is not told."""

    kind: str
    bytes: int
    sha256: str


class Sibling(ApiModel):
    """Another run of the same recipe or model."""

    run_id: str
    seed: int | None
    score: float | None


class Run(ApiModel):
    """Everything about one run."""

    run: dict[str, Any] = Field(description="The row of the runs table, without what is this machine's own.")
    model: dict[str, Any]
    task: Task
    recipe: dict[str, Any]
    metrics: list[Metric]
    curves: list[Point] | None = Field(description="Null unless asked for.")
    artifacts: list[Artifact]
    seeds: list[Sibling]
    siblings: list[Sibling]


class Compared(ApiModel):
    """One of the runs that are compared."""

    run_id: str
    name: str
    model: str
    params: int | None
    score: float | None
    low: float | None
    high: float | None
    right: float | None = Field(description="Share of the common examples answered right; null without predictions.")


class Paired(ApiModel):
    """Two runs by a paired test."""

    first: str = Field(description="A run's id.")
    second: str
    difference: float = Field(description="Second minus first, a fraction of 1.")
    low: float
    high: float
    p: float
    corrected: float = Field(description="p after Holm's correction for all pairs.")
    apart: bool = Field(description="The data tell the two apart.")


class Measured(ApiModel):
    """The verdict by one measure."""

    measure: Literal["right", "overlap", "pearson", "spearman"] = Field(
        description="Share of right answers (exact McNemar), F1, or a correlation (both paired bootstrap)."
    )
    best: str
    even: list[str] = Field(description="Runs that the data cannot tell apart from the best.")
    pairs: list[Paired]


class Comparison(ApiModel):
    """Two to six runs of one task on the examples that they share."""

    task_id: str
    examples: int
    runs: list[Compared]
    verdicts: list[Measured]
    other_data: dict[str, dict[str, list[str]]] = Field(description="In what the runs' data differ, and whose is what.")


def plain(value: Any) -> Any:
    """A value of a data frame as JSON has it: missing and infinite ones as None, and no place of this machine."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, str):
        return pathless(value)
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, datetime):  # a data frame's too; the database keeps UTC without saying so
        plainly = value.to_pydatetime(warn=False) if isinstance(value, pd.Timestamp) else value
        return plainly.replace(tzinfo=UTC) if plainly.tzinfo is None else plainly
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
