"""Making a database, and bringing one up to date: schema, tasks, reported results, shipped measured runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import pandas as pd

from db.bootstrap import reported
from db.registry import tasks
from db.registry.tasks import Task
from db.runs import bundles
from db.storage import changes
from db.storage.store import Store


@dataclass(frozen=True)
class Prepared:
    """What ``initialise`` did: schema steps taken, and the number of runs before and after."""

    migrations: list[str]
    runs_before: int
    runs_after: int


def initialise(store: Store) -> Prepared:
    """Create or update a database with every reported result and the shipped measured runs. Adds nothing twice."""
    steps = store.migrate()
    with store.transaction() as con:
        before = _count(con)
        batch = reported.as_changes()
        _forget_missing(con, {change.table: change for change in batch}["runs"])
        changes.apply_all(con, [task_rows(), *_with_first_dates(con, batch)])
    bundles.import_shipped(store)
    after = int(store.query("SELECT count(*) AS runs FROM runs")["runs"].iloc[0])
    return Prepared(steps, before, after)


def task_rows(listed: Sequence[Task] = tasks.TASKS) -> changes.Change:
    """Make rows of the tasks table; by default of all tasks."""
    unstored = {"position", "aliases", "area", "labels", "korean", "data", "gold_digest", "metrics"}
    rows = pd.DataFrame([task.model_dump(exclude=unstored) for task in listed])
    rows["position"] = range(len(rows))
    return changes.Change("tasks", rows.astype({"split_size": "Int64"}))


def _forget_missing(con: duckdb.DuckDBPyConnection, runs: changes.Change) -> None:
    """Delete reported rows that this version of the data files no longer has."""
    ids = runs.rows["run_id"].tolist()
    gone = "SELECT run_id FROM runs WHERE source = 'reported' AND run_id NOT IN (SELECT unnest(?))"
    for table in ("metrics", "curves", "seals", "annotations", "runs"):
        con.execute(f"DELETE FROM {table} WHERE run_id IN ({gone})", [ids])  # noqa: S608


def _count(con: duckdb.DuckDBPyConnection) -> int:
    row = con.execute("SELECT count(*) FROM runs").fetchone()
    return int(row[0]) if row else 0


def _with_first_dates(con: duckdb.DuckDBPyConnection, batch: list[changes.Change]) -> list[changes.Change]:
    """Keep the dates of reported rows that are already there: looking twice must not make them new."""
    first = con.execute("SELECT run_id, created_at AS first FROM runs WHERE source = 'reported'").df()
    dated = []
    for change in batch:
        if change.table != "runs":
            dated.append(change)
            continue
        rows = change.rows.merge(first, on="run_id", how="left")
        for column in ("created_at", "finished_at", "updated_at"):
            rows[column] = rows["first"].fillna(rows[column])
        dated.append(changes.Change("runs", rows.drop(columns="first"), change.mode))
    return dated
