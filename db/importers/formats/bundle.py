"""A bundle of runs that another Featherboard wrote: each run comes in as a claim."""

import re
from typing import Any

import pandas as pd

from db.importers import archive, guarded, safe_json, values
from db.importers.result import ImportedFile, curves_frame, listed, predictions_frame
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table
from db.registry.metrics import METRICS
from db.storage.changes import KEYS

_MANIFEST = "manifest.json"
_MEMBER = re.compile(rf"[0-9]{{3}}-(?:{'|'.join(KEYS)})\.parquet")
_KIND = "run bundle"
_MOST_RUNS = 1_000
_MODEL = ("family", "architecture", "language", "licence", "link")
_RUN = ("dataset", "teacher", "device", "notes")
_READ = ("runs", "models", "metrics", "curves", "predictions")


def takes(names: list[str]) -> bool:
    """Whether the members of a zip are those of a bundle."""
    return _MANIFEST in names


def read(name: str, content: bytes) -> ImportedFile:
    """The runs of a bundle; predictions and curves where it holds one run alone.

    Raises:
        SubmissionError: It is damaged, or one of its tables is not as a bundle has it.
    """
    members = archive.members(name, content, lambda member: member == _MANIFEST or bool(_MEMBER.fullmatch(member)))
    named = _named(name, members)
    if "runs" not in named or "models" not in named:
        raise FileError(name, _MANIFEST, "the bundle holds no runs or no models; export it again.")
    tables = _tables(name, members, named, ("runs", "models", "metrics"))
    runs = [run for run in _records(tables["runs"]) if run.get("source") != "reported"]
    if not 0 < len(runs) <= _MOST_RUNS:
        message = f"{len(runs):,} measured or submitted runs; a bundle may hold 1 to {_MOST_RUNS:,}."
        raise FileError(name, "runs", message)
    models = {str(model.get("model_id")): model for model in _records(tables["models"])}
    metrics, unknown = _metrics(name, tables.get("metrics"))
    drafts = tuple(_draft(name, run, models, metrics) for run in runs)
    unknown += [f"table {kind}" for kind in named if kind not in _READ]
    if len(runs) > 1:
        notes = [
            f"The bundle holds {len(runs):,} runs; predictions and curves are taken from a bundle of one run alone."
        ]
        return ImportedFile("bundle", drafts, unknown=listed(unknown), notes=tuple(notes))
    run_id = str(runs[0].get("run_id"))
    tables = _tables(name, members, named, ("predictions", "curves"))
    predictions, notes = _predictions(name, tables.get("predictions"), run_id)
    curves, twice = _curves(tables.get("curves"), run_id)
    return ImportedFile("bundle", drafts, predictions, curves, None, listed(unknown), (*notes, *twice))


def _named(name: str, members: dict[str, bytes]) -> dict[str, str]:
    """The members of each table, by the manifest."""
    if _MANIFEST not in members:
        raise FileError(name, "", f"there is no {_MANIFEST} in it.")
    manifest = safe_json.json_value(name, safe_json.text(f"{name}, {_MANIFEST}", members[_MANIFEST]), _MANIFEST)
    if values.mapping(manifest).get("featherboard") != _KIND or manifest.get("format") != 1:
        raise FileError(name, _MANIFEST, f"not a Featherboard {_KIND} of format 1.")
    named: dict[str, str] = {}
    for number, entry in enumerate(values.items(manifest.get("changes"))):
        location = f"{_MANIFEST}: changes[{number}]"
        table, member = values.mapping(entry).get("table"), values.mapping(entry).get("member")
        if not isinstance(table, str) or table not in KEYS or not isinstance(member, str) or member not in members:
            raise FileError(name, location, "it names no table, or no member that is there.")
        if table in named:
            raise FileError(name, location, f"the table {table} stands twice.")
        named[table] = member
    return named


def _tables(name: str, members: dict[str, bytes], named: dict[str, str], tables: tuple[str, ...]) -> dict[str, Table]:
    """Some of the tables, by their own names."""
    files = {f"{shown(name, 80)}, {named[table]}": members[named[table]] for table in tables if table in named}
    read_ = guarded.read(files) if files else {}
    return dict(zip((table for table in tables if table in named), read_.values(), strict=True))


def _records(table: Table | None) -> list[dict[str, Any]]:
    if table is None:
        return []
    return [dict(zip(table.columns, cells, strict=True)) for cells in zip(*table.cells, strict=True)]


def _metrics(name: str, table: Table | None) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Figures by run, and names of those that nobody described."""
    by_run: dict[str, dict[str, Any]] = {}
    unknown = []
    for row in _records(table):
        metric, value = str(row.get("name")), values.number(row.get("value"))
        if value is None:
            raise FileError(name, "metrics", f"the figure {quoted(metric)} has no value.")
        if metric in METRICS:
            by_run.setdefault(str(row.get("run_id")), {})[metric] = value
        else:
            unknown.append(f"metric {metric}")
    return by_run, unknown


def _draft(
    name: str, run: dict[str, Any], models: dict[str, dict[str, Any]], metrics: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    model = models.get(str(run.get("model_id")))
    if model is None:
        raise FileError(name, "models", f"the model {quoted(str(run.get('model_id')))} of a run is missing.")
    draft: dict[str, Any] = {"task": run.get("task_id"), "model": model.get("name")}
    draft.update((field, model.get(field)) for field in _MODEL)
    draft.update((field, run.get(field)) for field in _RUN)
    draft["seed"], draft["train_seconds"] = (
        values.whole(run.get("seed"), -(2**53)),
        values.number(run.get("train_seconds")),
    )
    params = values.whole(model.get("params"), 1)
    if params:
        # Counted over there, but from here that is somebody's word.
        draft.update(params=params, params_source="typed")
    draft["metrics"] = metrics.get(str(run.get("run_id"))) or None
    recipe = values.words(run.get("recipe"), 120)
    draft["training"] = {"recipe": recipe} if recipe else None
    return {field: value for field, value in draft.items() if not values.is_missing(value)}


def _predictions(name: str, table: Table | None, run_id: str) -> tuple[pd.DataFrame | None, list[str]]:
    rows = [row for row in _records(table) if row.get("run_id") == run_id]
    if not rows:
        return None, ["The bundle holds no predictions; the run cannot be verified from it."]
    for number, row in enumerate(rows, 1):
        if not isinstance(row.get("example_id"), str) or not isinstance(row.get("predicted"), str | None):
            raise FileError(name, f"predictions: row {number:,}", "example_id and predicted must be texts.")
    predicted = [row.get("predicted") or "" for row in rows]
    scores = [float("nan") if (score := values.number(row.get("score"))) is None else score for row in rows]
    if all(answer.startswith("withheld-") for answer in predicted):
        return None, ["The texts of the answers were withheld at export; the run cannot be verified from the bundle."]
    return predictions_frame([row["example_id"] for row in rows], predicted, scores), []


def _curves(table: Table | None, run_id: str) -> tuple[pd.DataFrame | None, list[str]]:
    points = []
    for row in _records(table):
        step, value, epoch = (
            values.whole(row.get("step")),
            values.number(row.get("value")),
            values.number(row.get("epoch")),
        )
        if row.get("run_id") == run_id and step is not None and value is not None:
            points.append((str(row.get("series"))[:120], step, float("nan") if epoch is None else epoch, value))
    return curves_frame(points)
