"""DuckLake with a PostgreSQL catalogue, and the columns of our schema, beside the single file: see docs/storage.md.

It needs DuckDB's extensions from the package index (`duckdb==1.5.5 duckdb-extensions duckdb-extension-ducklake==1.5.5
duckdb-extension-postgres-scanner==1.5.5`) in an environment of their own, and a PostgreSQL that runs:

    initdb -D catalogue -A trust && pg_ctl -D catalogue -o "-k $PWD" -w start
    export LAKE_CATALOGUE="host=$PWD dbname=postgres user=$USER" TOOLS="ours;DuckLake"
    python -m pytest tests/benchmarks/store/test_beside_others.py -s -m slow
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

CATALOGUE = "LAKE_CATALOGUE"
"""The environment variable with the address of the catalogue, as PostgreSQL's own programs write it."""

INLINED = 1000
"""Rows of a write that go into the catalogue, in place of a Parquet file for each table of each run."""


class DuckLake:
    """Tables without keys or checks, which DuckLake does not have; a transaction is on the disk when it returns."""

    def __init__(self, folder: Path) -> None:
        """Attach the catalogue."""
        from duckdb_extensions import import_extension

        self.folder, self.con = folder, duckdb.connect()
        for name in ("ducklake", "postgres_scanner"):
            import_extension(name, con=self.con)
        schema = f"lake_{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
        self.con.execute("SET ducklake_max_retry_count = 100")
        self.con.execute(
            f"ATTACH 'ducklake:postgres:{os.environ[CATALOGUE]}' AS lake (DATA_PATH '{folder / 'data'}/', "
            f"METADATA_SCHEMA '{schema}', DATA_INLINING_ROW_LIMIT {INLINED})"
        )
        self.con.execute("USE lake")

    def prepare(self) -> None:
        """Make the tables, with the board's tasks."""
        from db.bootstrap import create
        from db.storage.store import Store
        from tests.factories.rows import model_facts

        file = self.folder / "board.duckdb"
        Store(file).write([create.task_rows(), model_facts().as_change()])
        self.con.execute(f"ATTACH '{file}' AS board (READ_ONLY)")
        tables = self.con.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'board'").fetchall()
        for (name,) in tables:
            self.con.execute(f"CREATE TABLE {name} AS FROM board.{name}")

    def _insert(self, table: str, rows: list[dict[str, Any]]) -> None:
        frame = pd.DataFrame(rows)
        self.con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM frame")
        del frame

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.con.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.con.execute("ROLLBACK")
            raise
        self.con.execute("COMMIT")

    def run(self, run_id: str) -> None:
        """Write a whole run as one transaction."""
        from db.base.clock import utc_now
        from tests.benchmarks.store.workers import CURVE, METRICS, SETTINGS
        from tests.factories.rows import run_row

        now = utc_now()
        row = run_row(run_id, recipe_json=json.dumps(SETTINGS), recipe_hash=run_id, created_at=now, updated_at=now)
        with self._transaction():
            self._insert("runs", [row])
            self._insert(
                "metrics", [{"run_id": run_id, "name": name, "value": value} for name, value in METRICS.items()]
            )
            self._insert(
                "curves",
                [
                    {"run_id": run_id, "series": "loss", "step": step, "value": value}
                    for step, value in enumerate(CURVE)
                ],
            )

    def points(self, run_id: str, start: int) -> None:
        """Write a batch of curve points."""
        from tests.benchmarks.store.workers import BATCH

        rows = [{"step": start + step, "value": 1.0 / (1 + step)} for step in range(BATCH)]
        self._insert("curves", [{"run_id": run_id, "series": "loss", **row} for row in rows])

    def settle(self) -> None:
        """Everything is in the catalogue when a call returns."""

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """What the board's queries open."""
        yield self.con

    def best(self) -> int:
        """Read the best runs with their metrics by the board's own query."""
        from db.leaderboard.board import top
        from tests.benchmarks.store.workers import BEST, PROJECT

        return len(top(self, PROJECT, BEST))  # type: ignore[arg-type]
