"""A claim as rows of the board: its model, run, metrics, curves and predictions."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from db.base.clock import utc_now
from db.importers.benchmarks.lm_eval import PART_OF_SPLIT
from db.importers.formats.trainer import EVALUATED
from db.registry import tasks
from db.registry.tasks import Task
from db.runs import rescoring
from db.runs.writer import MetricValue, metrics_change
from db.statistics import intervals
from db.storage.changes import Change
from db.submissions.claim import Claim
from db.submissions.verification import Report, labelled

UNSTATED = "not stated"
"""The training data of a run, which every run has, where nobody named them."""

_SHARES = frozenset({"accuracy", "em", "em_seed"})
"""Shares of the examples of a task's split: their interval follows from the number of examples."""


def _counted(claim: Claim) -> bool:
    """Whether the parameters were counted from a file; typed ones are stored as reported."""
    return claim.params_source in {"safetensors", "config"}


def _model_id(claim: Claim) -> str:
    """The same for claims that describe the same model; never that of a model from elsewhere."""
    facts = [claim.model, claim.family, claim.architecture, claim.params]
    facts += [_counted(claim), claim.language, claim.licence, claim.link]
    return f"submitted-{hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode()).hexdigest()[:24]}"


def model_row(claim: Claim) -> dict[str, Any]:
    """Make the row of the models table."""
    counted = _counted(claim)
    return {
        "model_id": _model_id(claim),
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
    """Make the row of the runs table. The contact is not part of it."""
    task, now = tasks.by_id(claim.task), utc_now()
    return {
        "run_id": run_id,
        "task_id": task.task_id,
        "task_version": task.version,
        "model_id": _model_id(claim),
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


def scored_examples(task: Task, training: Mapping[str, Any]) -> int | None:
    """Count the examples that claimed values are of: those of the split, or the part of it that the facts name."""
    size, scored = task.split_size, training.get(EVALUATED)
    if isinstance(scored, int) and size is not None:
        return min(max(scored, 1), size)
    return None if PART_OF_SPLIT in training else size


def of_claim(claim: Claim, report: Report) -> list[MetricValue]:
    """Give the metrics of a claim their intervals; see ``metric_values``."""
    return metric_values(claim.metrics, report, scored_examples(tasks.by_id(claim.task), claim.training))


def metric_values(claimed: Mapping[str, float], report: Report, size: int | None) -> list[MetricValue]:
    """Give metrics their intervals: the computed ones where the run is verified, else the claimed ones.

    Args:
        claimed: Values by metric.
        report: On the predictions.
        size: Of how many examples the claimed values are; where that is not known, they have no interval.
    """
    scores = {score.name: score for score in report.scores} if report.verified else {}
    result = []
    for name in dict.fromkeys([*claimed, *scores]):
        value = claimed.get(name, 0.0)
        if name in scores:
            score = scores[name]
            result.append(MetricValue(name, score.computed, report.split, score.interval.low, score.interval.high))
        elif name in _SHARES and size is not None:
            ends = intervals.wilson(round(value * size), size)
            result.append(MetricValue(name, value, size, min(ends.low, value), max(ends.high, value)))
        else:
            result.append(MetricValue(name, value))
    return result


def as_changes(claim: Claim, run_id: str, report: Report) -> list[Change]:
    """Make the changes for model, run and metrics; see ``predictions`` and ``curves`` for the rest."""
    model = pd.DataFrame([model_row(claim)]).astype({"params": "Int64", "params_reported": "Int64"})
    run = pd.DataFrame([run_row(claim, run_id, report)]).astype({"seed": "Int64", "train_seconds": "float64"})
    metrics = of_claim(claim, report)
    return [Change("models", model, "insert"), Change("runs", run), metrics_change(run_id, metrics)]


def predictions(task: Task, run_id: str, frame: pd.DataFrame, gold: Mapping[str, str] | None) -> Change:
    """Make the change for predictions: each example once, with its gold label where that is known.

    Where gold labels are known, examples of another split are left out; where an example comes twice, its first answer
    stays. ``Report`` counts both.
    """
    rows = frame.drop_duplicates("example_id", ignore_index=True)
    if gold is not None:
        rows = rows[rows["example_id"].isin(list(gold))].reset_index(drop=True)
    stored = pd.DataFrame(
        {
            "run_id": run_id,
            "example_id": rows["example_id"],
            "gold": rows["example_id"].map(dict(gold or {})).astype("str"),
            "predicted": labelled(task, rows["predicted"]),
            "score": rows["score"],
        }
    )
    stored = stored.astype({"score": "float32"})
    if task.metric == "f1":  # a paired test needs the score of each answer
        unscored = np.full(len(stored), np.nan, dtype=np.float32)
        stored = rescoring.with_scores(stored.assign(f1=unscored, em=unscored), {run_id: task.language})
    return Change("predictions", stored, "replace")


def curves(run_id: str, points: pd.DataFrame) -> Change:
    """Make the change for curves."""
    return Change("curves", points.assign(run_id=run_id))
