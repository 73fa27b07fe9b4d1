"""A claim as rows of the board: its model, its run, its figures, curves and predictions."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from db.base.clock import utc_now
from db.registry import tasks
from db.registry.tasks import Task
from db.runs.writer import MetricValue, metrics_change
from db.statistics import intervals
from db.storage.changes import Change
from db.submissions.claim import Claim
from db.submissions.verification import Report, labelled

UNSTATED = "not stated"
"""What stands for the training data, which every run has, where nobody named them."""

_OVER_THE_SPLIT = frozenset({"accuracy", "em", "em_seed"})
"""Shares of the examples of a task's split: their interval follows from the number of examples."""


def model_id(claim: Claim) -> str:
    """The same for claims that say the same of their model; never that of a model which anybody else lists."""
    said = [
        claim.model,
        claim.family,
        claim.architecture,
        claim.params,
        _counted(claim),
        claim.language,
        claim.licence,
        claim.link,
    ]
    digest = hashlib.sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()
    return f"submitted-{digest[:24]}"


def _counted(claim: Claim) -> bool:
    """Whether the parameters were counted from a file; those that were typed are kept as somebody's word."""
    return claim.params_source in {"safetensors", "config"}


def model_row(claim: Claim) -> dict[str, Any]:
    """The row of the models table."""
    counted = _counted(claim)
    return {
        "model_id": model_id(claim),
        "name": claim.model,
        "family": claim.family or "Other",
        "architecture": claim.architecture or "unknown",
        "config": "{}",
        "params": claim.params if counted else None,
        "params_reported": None if counted else claim.params,
        "language": claim.language or None,
        "licence": claim.licence or None,
        "link": claim.link or None,
    }


def run_row(claim: Claim, run_id: str, report: Report) -> dict[str, Any]:
    """The row of the runs table. The contact is no part of it."""
    task, now = tasks.by_id(claim.task), utc_now()
    return {
        "run_id": run_id,
        "task_id": task.task_id,
        "task_version": task.version,
        "model_id": model_id(claim),
        "name": claim.model,
        "recipe_json": json.dumps(claim.training, ensure_ascii=False) if claim.training else None,
        "seed": claim.seed,
        "dataset": claim.dataset or UNSTATED,
        "split": task.split,
        "source": "submitted",
        "verified": report.verified,
        "status": "finished",
        "device": claim.device or None,
        "train_seconds": claim.train_seconds,
        "teacher": claim.teacher or None,
        "citation": claim.checkpoint or claim.link or None,
        "notes": claim.notes or None,
        "caveat": report.caveat(),
        "created_at": now,
        "finished_at": now,
        "updated_at": now,
    }


def figures(claim: Claim, report: Report) -> list[MetricValue]:
    """The figures with their intervals: those that were found where the run is verified, else those claimed."""
    return figures_of(tasks.by_id(claim.task), claim.metrics, report)


def figures_of(task: Task, claimed: Mapping[str, float], report: Report) -> list[MetricValue]:
    """As ``figures``, of claimed figures by their metrics."""
    found = {one.name: one for one in report.scores} if report.verified else {}
    told = []
    for name in dict.fromkeys([*claimed, *found]):
        value = claimed.get(name, 0.0)
        if name in found:
            score = found[name]
            told.append(MetricValue(name, score.found, report.split, score.interval.low, score.interval.high))
        elif name in _OVER_THE_SPLIT and task.split_size is not None:
            interval = intervals.wilson(round(value * task.split_size), task.split_size)
            told.append(MetricValue(name, value, task.split_size, min(interval.low, value), max(interval.high, value)))
        else:
            told.append(MetricValue(name, value))
    return told


def as_changes(claim: Claim, run_id: str, report: Report) -> list[Change]:
    """Model, run and figures; see ``predictions`` and ``curves`` for the rest."""
    model = pd.DataFrame([model_row(claim)]).astype({"params": "Int64", "params_reported": "Int64"})
    run = pd.DataFrame([run_row(claim, run_id, report)]).astype({"seed": "Int64", "train_seconds": "float64"})
    return [Change("models", model, "insert"), Change("runs", run), metrics_change(run_id, figures(claim, report))]


def predictions(task: Task, run_id: str, said: pd.DataFrame, golds: Mapping[str, str] | None) -> Change:
    """Predictions as the board keeps them: each example once, with the right answer where it is known.

    Where the right answers are known, examples of another split are left out; of an example that came twice the first
    answer stays. ``Report`` counts both.
    """
    rows = said.drop_duplicates("example_id", ignore_index=True)
    if golds is not None:
        rows = rows[rows["example_id"].isin(list(golds))].reset_index(drop=True)
    gold = rows["example_id"].map(dict(golds or {})).astype("str")
    told = pd.DataFrame(
        {
            "run_id": run_id,
            "example_id": rows["example_id"],
            "gold": gold,
            "predicted": labelled(task, rows["predicted"]),
            "score": rows["score"],
        }
    )
    return Change("predictions", told.astype({"score": "float32"}), "replace")


def curves(run_id: str, points: pd.DataFrame) -> Change:
    """Curves as the board keeps them."""
    return Change("curves", points.assign(run_id=run_id))
