"""Reported results: figures that documents print, kept as data files with their citation.

A file under ``results/reported`` holds the rows of one document. Figures are kept as printed; where a document
contradicts itself, the row stays and carries a caveat.
"""

import json
import tomllib
import uuid
from importlib import resources
from typing import Annotated, Any

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from db.base.clock import utc_now
from db.registry import parameter_counts, tasks
from db.registry.metrics import METRICS
from db.runs.writer import MetricValue, metrics_of_runs
from db.statistics.intervals import wilson
from db.storage.changes import Change

_NAMESPACE = uuid.UUID("5d3c8f0e-6a4b-4f7e-9c59-0f3a3b8f7a11")


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReportedModel(_Data):
    """A model that a document names.

    ``config`` is what its parameters are computed from; ``params_millions`` is the figure as printed.
    """

    id: str
    name: str
    family: str
    architecture: str
    config: dict[str, int] = {}
    params_millions: float | None = None
    language: str | None = None
    licence: str | None = None


class ReportedRun(_Data):
    """One printed row.

    ``percent`` holds figures printed in percent (kept as fractions of 1 in the store), ``plain`` those that go in as
    printed, and ``counts`` shares as (number, of how many). ``n`` is the number of scored examples behind the
    percentages, where the document or its data set tells. ``reproduce`` is the shipped recipe with the row's settings.
    """

    name: str
    model: str
    task: str
    dataset: str
    split: str
    percent: dict[str, float] = {}
    plain: dict[str, float] = {}
    counts: dict[str, tuple[int, int]] = {}
    n: Annotated[int, Field(gt=0)] | None = None
    recipe: dict[str, Any] = {}
    reproduce: str | None = None
    curves: dict[str, list[float]] = {}
    time: str | None = None
    device: str | None = None
    teacher: str | None = None
    notes: str | None = None
    caveat: str | None = None


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files("db.bootstrap") / "results" / "reported" / name).read_text("utf-8"))


def _files() -> list[str]:
    folder = resources.files("db.bootstrap") / "results" / "reported"
    return sorted(file.name for file in folder.iterdir() if file.name.endswith(".toml") and file.name != "models.toml")


def models() -> list[ReportedModel]:
    """Every model that the documents name."""
    return [ReportedModel(**row) for row in _read("models.toml")["models"]]


def load() -> list[tuple[str, str, ReportedRun]]:
    """Every printed row as (run id, citation, row), in the order of the files.

    A row without its own value takes the table's ``defaults``. The run id is derived from the citation, the table and
    the place in it, so that every installation gives the same row the same id.
    """
    rows = []
    for file in _files():
        document = _read(file)
        for table in document["tables"]:
            citation = table.get("citation", document["citation"])
            for position, row in enumerate(table["rows"]):
                merged = {**table.get("defaults", {}), **row}
                merged["recipe"] = {**table.get("defaults", {}).get("recipe", {}), **row.get("recipe", {})}
                run_id = uuid.uuid5(_NAMESPACE, f"{document['citation']}/{table['id']}/{position}").hex
                rows.append((run_id, citation, ReportedRun(**merged)))
    return rows


def as_changes() -> list[Change]:
    """All reported models, runs, metrics and curves as rows of the store."""
    now = utc_now()
    known = {model.id: model for model in models()}
    runs, curves = [], []
    batch = [
        Change(
            "models",
            pd.DataFrame([_model_row(model) for model in known.values()]).astype(
                {"params": "Int64", "params_reported": "Int64"}
            ),
        )
    ]
    metrics: dict[str, list[MetricValue]] = {}
    for run_id, citation, row in load():
        task = tasks.by_id(row.task)
        runs.append(
            {
                "run_id": run_id,
                "task_id": row.task,
                "task_version": task.version,
                "model_id": known[row.model].id,
                "name": row.name,
                "recipe": row.reproduce,
                "command": _command(row),
                "recipe_json": json.dumps(row.recipe, ensure_ascii=False) if row.recipe else None,
                "dataset": row.dataset,
                "split": row.split,
                "source": "reported",
                "verified": False,
                "status": "finished",
                "device": row.device,
                "train_seconds": seconds(row.time) if row.time else None,
                "teacher": row.teacher,
                "citation": citation,
                "notes": row.notes,
                "caveat": row.caveat,
                "created_at": now,
                "finished_at": now,
                "updated_at": now,
            }
        )
        metrics[run_id] = _values(row)
        curves += [
            {"run_id": run_id, "series": series, "step": epoch, "epoch": float(epoch), "value": value}
            for series, values in row.curves.items()
            for epoch, value in enumerate(values, start=1)
        ]
    batch.append(Change("runs", pd.DataFrame(runs)))
    batch.append(Change("metrics", metrics_of_runs(metrics).rows, "replace"))
    batch.append(Change("curves", pd.DataFrame(curves), "replace"))
    return batch


def _command(row: ReportedRun) -> str | None:
    """What trains a model with the row's settings; the data folder is named by what it must hold."""
    return f"featherboard train {row.reproduce} --data FOLDER_OF_{row.task.upper()}" if row.reproduce else None


def _model_row(model: ReportedModel) -> dict[str, Any]:
    return {
        "model_id": model.id,
        "name": model.name,
        "family": model.family,
        "architecture": model.architecture,
        "config": json.dumps(model.config),
        "params": parameter_counts.count(model.architecture, model.config),
        "params_reported": round(model.params_millions * 1e6) if model.params_millions else None,
        "language": model.language,
        "licence": model.licence,
    }


def _values(row: ReportedRun) -> list[MetricValue]:
    unknown = sorted({*row.percent, *row.plain, *row.counts} - METRICS.keys())
    if unknown:
        raise ValueError(f"{row.name}: no metric is called {', '.join(unknown)}")
    values = [MetricValue(name, value) for name, value in row.plain.items()]
    for name, (number, total) in row.counts.items():
        interval = wilson(number, total)
        values.append(MetricValue(name, number / total, total, interval.low, interval.high))
    for name, percent in row.percent.items():
        share = round(percent / 100, 10)
        # F1 averages shares of words, so its interval cannot be had from the mean and the count.
        if row.n is None or "f1" in name:
            values.append(MetricValue(name, share, row.n))
            continue
        interval = wilson(round(share * row.n), row.n)
        values.append(MetricValue(name, share, row.n, interval.low, interval.high))
    return values


def seconds(clock: str) -> float:
    """Seconds of a printed ``hh:mm:ss``."""
    hours, minutes, rest = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)
