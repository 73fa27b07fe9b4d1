"""Small valid rows for the tests of the database."""

import json
from datetime import datetime
from typing import Any

import pandas as pd

from db.bootstrap import create
from db.runs.writer import MetricValue, ModelFacts, RunFacts, metrics_change
from db.storage.changes import KEYS, Change
from db.storage.store import Store

T0 = datetime(2026, 3, 1, 12, 0, 0)  # noqa: DTZ001 - times in the database have no zone


def model_facts(model_id: str = "tiny", **columns: Any) -> ModelFacts:
    """A model as the engine lists it."""
    values = {"name": model_id, "family": "KoBiLSTM", "architecture": "bilstm", "config": {"hidden_dim": 16}}
    return ModelFacts(**{"model_id": model_id, **values, "params": 27_394, **columns})


def run_facts(**columns: Any) -> RunFacts:
    """A run as the engine starts it."""
    values = {
        "task_id": "nsmc",
        "task_version": 1,
        "model_id": "tiny",
        "name": "Tiny",
        "recipe": "tiny",
        "recipe_json": json.dumps({"lr": 0.001}),
        "recipe_hash": "r0",
        "seed": 1,
        "dataset": "nsmc",
        "dataset_hash": "d0",
        "split": "test",
        "device": "CPU, 2 threads",
        "code_version": "0.1.0",
        "libraries": json.dumps({"torch": "2.13"}),
        "command": "featherboard train tiny",
    }
    return RunFacts(**{**values, **columns})


def model_row(model_id: str = "tiny", **columns: Any) -> dict[str, Any]:
    """A row of the models table."""
    row = {"model_id": model_id, "name": model_id, "family": "KoBiLSTM", "architecture": "bilstm", "config": "{}"}
    return {**row, **columns}


def run_row(run_id: str, **columns: Any) -> dict[str, Any]:
    """A row of the runs table: finished and measured unless told otherwise."""
    return {
        "run_id": run_id,
        "task_id": "nsmc",
        "task_version": 1,
        "model_id": "tiny",
        "name": run_id,
        "dataset": "nsmc",
        "split": "test",
        "source": "measured",
        "status": "finished",
        "created_at": T0,
        "updated_at": T0,
        **columns,
    }


def change(table: str, *rows: dict[str, Any], mode: Any = "upsert") -> Change:
    """Rows of one table as a change."""
    return Change(table, pd.DataFrame(list(rows)), mode)


def whole_run(run_id: str, accuracy: float | None = 0.875, **columns: Any) -> list[Change]:
    """A finished run with its model, a figure, a curve of two points, two predictions and an artifact."""
    batch = [
        change("models", model_row(columns.get("model_id", "tiny"))),
        change("runs", run_row(run_id, **columns)),
        change(
            "curves",
            *(
                {
                    "run_id": run_id,
                    "series": "loss",
                    "step": step,
                    "epoch": 0.5 * step,
                    "value": 1.0 / step,
                    "wall_time": 2.0 * step,
                }
                for step in (1, 2)
            ),
        ),
        change(
            "predictions",
            *(
                {"run_id": run_id, "example_id": str(n), "gold": "1", "predicted": str(n), "score": 0.75}
                for n in (0, 1)
            ),
            mode="replace",
        ),
        change(
            "artifacts",
            {"run_id": run_id, "kind": "weights", "path": "model.safetensors", "bytes": 109_000, "sha256": "0" * 64},
        ),
    ]
    if accuracy is not None:
        figure = MetricValue("accuracy", accuracy, 50_000, accuracy - 0.003, accuracy + 0.003)
        batch.append(metrics_change(run_id, [figure, MetricValue("latency_ms_p50", 0.5)]))
    return batch


def add_scored(
    store: Store, run_id: str, score: float | None, *more: MetricValue, metric: str = "accuracy", **run: Any
) -> None:
    """A run with one primary figure; ``model`` are columns of its model, ``half`` half of its interval's width."""
    model, half = run.pop("model", {}), run.pop("half", None)
    ends = {} if half is None or score is None else {"n": 100, "low": score - half, "high": score + half}
    figures = [] if score is None else [MetricValue(metric, score, **ends)]
    store.write(
        [
            change("models", model_row(run.get("model_id", "tiny"), **model)),
            change("runs", run_row(run_id, **run)),
            metrics_change(run_id, [*figures, *more]),
        ]
    )


def write_older(store: Store, batch: list[Change]) -> None:
    """Write rows into a database of an older layout, which has none of the tables that later steps brought."""
    with store.transaction() as con:
        for part in batch:
            con.register("rows", part.rows)
            columns = ", ".join(part.rows.columns)
            con.execute(f"INSERT INTO {part.table} ({columns}) SELECT {columns} FROM rows")
            con.unregister("rows")


_WITH_TASKS: list[bytes] = []


def with_tasks(store: Store) -> Store:
    """Create the store's file with the registered tasks and nothing else; made once and copied, for speed."""
    if not _WITH_TASKS:
        store.write([create.task_rows()])
        _WITH_TASKS.append(store.path.read_bytes())
    store.path.write_bytes(_WITH_TASKS[0])
    return store


def contents(store: Store, *tables: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, sorted, so that two databases can be compared whole."""
    with store.read() as con:
        return {table: con.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() for table in tables or tuple(KEYS)}


def travelled(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """Every row that an export carries, without what stays at home (host, process) or is found anew (badge)."""
    with store.read() as con:
        rows = con.execute(
            "SELECT * REPLACE (NULL AS host, NULL AS pid, NULL AS verified) FROM runs ORDER BY run_id"
        ).fetchall()
    return {**contents(store, "models", "metrics", "curves", "predictions", "artifacts"), "runs": rows}


def value_of(store: Store, sql: str, *parameters: Any) -> Any:
    """The one value that a query gives."""
    return store.query(sql, list(parameters)).iloc[0, 0]
