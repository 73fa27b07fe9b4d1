"""Runs of MLflow: ``run.to_dictionary()``, the REST answer of ``runs/get``, ``search_runs`` and an ``mlruns`` folder.

Who ran it and where its artifacts lie is nobody's business and is not taken over.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from db.importers import metric_names, safe_json, safe_yaml, spelling, tables, values
from db.importers.result import ImportedFile, listed, public
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table

_NAMES = ("model", "model_name")
_BASES = ("model_name_or_path", "base_model", "pretrained_model_name_or_path", "_name_or_path")
"""Settings that name what a training began with, and not the model that came of it."""
_MOST_FACTS = 50
_MOST_ROWS = 1_000


def takes(data: Any) -> bool:
    """Whether a JSON value is a run, bare or inside ``run``."""
    run = _run(data)
    return isinstance(run.get("info"), dict) and isinstance(run.get("data"), dict)


def takes_columns(columns: tuple[str, ...]) -> bool:
    """Whether a table is of ``search_runs``."""
    return "run_id" in columns and any(column.startswith(("metrics.", "params.")) for column in columns)


def _run(data: Any) -> dict[str, Any]:
    outer = values.mapping(data)
    return values.mapping(outer.get("run")) or outer


def read(name: str, data: Any) -> ImportedFile:
    """The claim of one run.

    Raises:
        SubmissionError: Its figures are not as MLflow writes them, or none is known here.
    """
    run = _run(data)
    info, logged = run["info"], run["data"]
    metrics = _pairs(name, logged, "metrics")
    params, tags = _pairs(name, logged, "params"), _pairs(name, logged, "tags")
    run_name = values.words(info.get("run_name"), 120) or values.words(tags.get("mlflow.runName"), 120)
    seconds = _seconds(values.number(info.get("start_time")), values.number(info.get("end_time")))
    draft, unknown, notes = run_claim(metrics, params, run_name, seconds)
    if not draft.get("metrics"):
        raise FileError(name, "data.metrics", _none(metrics))
    unknown += [f"tag {key}" for key in tags if key != "mlflow.runName"]
    notes += _status(info.get("status"))
    return ImportedFile("mlflow", (draft,), unknown=listed(unknown), notes=tuple(dict.fromkeys([*notes, _CHOOSE])))


_CHOOSE = "A run of MLflow names no task; it must be chosen."


def _none(metrics: Mapping[str, Any]) -> str:
    present = ", ".join(shown(key, 40) for key in list(metrics)[:8]) or "none"
    return f"no figure that is known here, such as accuracy, f1 with exact_match, or eval_loss; there are {present}."


def _pairs(name: str, logged: dict[str, Any], group: str) -> dict[str, Any]:
    """Figures, settings or tags, given as an object or as a list of keys and values."""
    entries = logged.get(group)
    if isinstance(entries, dict):
        return entries
    if entries is None:
        return {}
    if not isinstance(entries, list):
        raise FileError(name, f"data.{group}", "it must be an object, or a list of keys and values.")
    made: dict[str, Any] = {}
    for number, pair in enumerate(entries):
        if not isinstance(pair, dict) or not isinstance(pair.get("key"), str) or "value" not in pair:
            raise FileError(name, f"data.{group}[{number}]", "it must be an object with a key and a value.")
        made[pair["key"]] = pair["value"]
    return made


def run_claim(
    metrics: Mapping[str, Any], params: Mapping[str, Any], run_name: str | None, seconds: float | None
) -> tuple[dict[str, Any], list[str], list[str]]:
    """A claim from what a tracker logged, what was not used, and notes.

    Args:
        metrics: Figures by the tracker's names.
        params: Settings; the model's name may be among them.
        run_name: The model's name where no setting has it.
        seconds: The run's duration.
    """
    known, left = metric_names.collect(metrics.items())
    unknown = [f"metrics.{key}" for key in left]
    draft: dict[str, Any] = {}
    draft["metrics"], notes = metric_names.taken(known)
    notes += metric_names.validation_note(metrics, known)
    model = next((word for key in _NAMES if (word := values.words(params.get(key), 120))), run_name)
    if model:
        draft["model"] = model
    base = next((word for key in _BASES if (word := values.words(params.get(key), 120))), None)
    training: dict[str, Any] = {"base model": base} if base else {}
    for key, value in params.items():
        plain = values.plain(value)
        if key in (*_NAMES, *_BASES) or values.is_missing(value) or not isinstance(plain, str | int | float | bool):
            continue
        if key in ("seed", "random_seed") and values.whole(plain) is not None:
            draft.setdefault("seed", values.whole(plain))
        elif len(training) < _MOST_FACTS and 0 < len(key.strip()) <= 60 and len(str(plain)) <= 200:
            training[key.strip()] = plain
        else:
            unknown.append(f"params.{key}")
    if training:
        draft["training"] = training
    if seconds is not None:
        draft["train_seconds"] = seconds
        notes.append("The training time is that from the start to the end of the MLflow run, evaluation included.")
    return draft, unknown, notes


def _seconds(start: float | None, end: float | None) -> float | None:
    """Seconds between two times in milliseconds; None where the run has not ended."""
    return (end - start) / 1000 if start is not None and end is not None and end > start > 0 else None


def _status(status: Any) -> list[str]:
    if status in ("FINISHED", 3, "3", None):
        return []
    return [f"MLflow calls the run {quoted(str(status))}, not finished; its figures may not be final."]


def read_table(table: Table) -> ImportedFile:
    """The claims of ``search_runs``: one a row.

    Raises:
        SubmissionError: There are no rows, too many, or none with a figure that is known here.
    """
    if not 0 < len(table) <= _MOST_ROWS:
        raise FileError(table.name, "", f"{len(table):,} runs; a file may hold 1 to {_MOST_ROWS:,}.")
    drafts: list[dict[str, Any]] = []
    unknown: list[str] = []
    groups = {
        group: [
            (column.partition(".")[2], cells)
            for column, cells in zip(table.columns, table.cells, strict=True)
            if column.startswith(f"{group}.")
        ]
        for group in ("metrics", "params")
    }
    logged = [name for name, cells in groups["metrics"] if not all(map(values.is_missing, cells))]
    passed_over = metric_names.of_validation_beside_test(logged)
    unknown += [f"metrics.{name}" for name in sorted(passed_over)]
    groups["metrics"], notes = _in_one_unit([column for column in groups["metrics"] if column[0] not in passed_over])
    if passed_over:
        names = ", ".join(map(quoted, sorted(passed_over)[:5]))
        notes.append(f"{names}: of a validation split, beside figures of a test split; not taken.")
    columns = dict(zip(table.columns, table.cells, strict=True))
    for row in range(len(table)):
        rest = {column: cells[row] for column, cells in columns.items()}
        metrics = {key: values.plain(cells[row]) for key, cells in groups["metrics"]}
        metrics = {key: value for key, value in metrics.items() if not values.is_missing(value)}
        params = {key: cells[row] for key, cells in groups["params"]}
        run_name = values.words(rest.get("tags.mlflow.runName"), 120)
        times = _milliseconds(rest.get("start_time")), _milliseconds(rest.get("end_time"))
        draft, left, messages = run_claim(metrics, params, run_name, _seconds(*times))
        unknown += left
        if draft["metrics"]:
            drafts.append(draft)
            notes += [*messages, *_status(rest.get("status"))]
    if not drafts:
        raise FileError(table.name, "", _none(dict(groups["metrics"])))
    if len(drafts) < len(table):
        notes.append(
            f"{len(table) - len(drafts):,} of {len(table):,} runs have no figure that is known here; left out."
        )
    unknown += [
        column for column in table.columns if not column.startswith(("metrics.", "params.")) and column not in _READ
    ]
    sentences = tuple(dict.fromkeys([*notes, _CHOOSE]))
    return ImportedFile("mlflow", tuple(drafts), unknown=listed([*unknown, *table.unread]), notes=sentences)


def _in_one_unit(columns: list[tuple[str, list[Any]]]) -> tuple[list[tuple[str, list[Any]]], list[str]]:
    """Convert the columns of metrics, each as a whole: a run that collapsed has no unit of its own."""
    answers = {name: cells for name, cells in columns if metric_names.metric_of(name) in {"em", "f1"}}
    converted, notes = [], []
    for name, cells in columns:
        unit = spelling.split_unit(name)[1] or (metric_names.paired_unit(answers) if name in answers else "")
        in_unit, message = metric_names.fractions(metric_names.metric_of(name) or "", cells, unit)
        converted.append((spelling.split_unit(name)[0], in_unit))
        notes += [f"Column {quoted(name)}: {message}"] if message else []
    return converted, notes


_READ = ("start_time", "end_time", "status", "tags.mlflow.runName")


def _milliseconds(cell: Any) -> float | None:
    """A time as pandas writes it, or in milliseconds."""
    plain = values.plain(cell)
    if values.number(plain) is not None:
        return float(plain)
    try:
        return datetime.fromisoformat(str(plain)[:40]).timestamp() * 1000
    except (ValueError, OverflowError, OSError):
        return None


def holds_runs(folder: Path) -> bool:
    """Whether a folder is MLflow's."""
    return folder.is_dir() and bool(_runs(folder))


def _runs(folder: Path) -> list[Path]:
    return [file.parent for file in sorted(folder.rglob("meta.yaml")) if (file.parent / "metrics").is_dir()]


def read_folder(folder: Path) -> ImportedFile:
    """The claims of an ``mlruns`` folder, or of one experiment or run in it: one for each run that was not deleted.

    Raises:
        SubmissionError: There is no run, or a file of one is none of MLflow's.
    """
    runs = _runs(folder)
    if not 0 < len(runs) <= _MOST_ROWS:
        raise FileError(str(folder), "", f"{len(runs):,} runs of MLflow; a folder may hold 1 to {_MOST_ROWS:,}.")
    records = [record for run in runs if (record := _record(run))]
    return public(read_table(tables.from_records(folder.name, records)))


_STATUS = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}


def _record(run: Path) -> dict[str, Any]:
    """The row of a run in ``search_runs``; an empty one where it was deleted."""
    name = str(run / "meta.yaml")
    about = values.mapping(safe_yaml.yaml_value(name, _words(run / "meta.yaml")))
    if about.get("lifecycle_stage") == "deleted":
        return {}
    record = {key: about.get(key) for key in ("run_id", "start_time", "end_time")}
    record["status"] = _STATUS.get(values.whole(about.get("status")) or 0)
    record["tags.mlflow.runName"] = about.get("run_name")
    for file in _logged(run / "metrics"):  # a line for each time it was logged: time, value, step
        _, _, value = _words(file).split("\n")[-1].partition(" ")
        record[f"metrics.{file.relative_to(run / 'metrics')}"] = value.partition(" ")[0]
    for file in _logged(run / "params"):
        record[f"params.{file.relative_to(run / 'params')}"] = _words(file)
    return record


def _logged(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _words(file: Path) -> str:
    content = file.read_bytes() if file.stat().st_size <= safe_json.LIMIT_BYTES else b""
    return safe_json.text(str(file), content).strip() if content else ""
