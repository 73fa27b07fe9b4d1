"""A digest of what each run holds, written with it: what was changed past this program shows.

Each run has a digest for its settings, metrics, curves and predictions; ``broken`` computes them again. The curves of a
run that goes on have none yet: they would be read again from the first point on whenever some are added.
"""

from collections.abc import Collection, Mapping, Sequence

import duckdb
import pandas as pd
import pyarrow as pa

_SETTINGS = (
    "task_id, task_version, model_id, name, recipe, recipe_json, recipe_hash, seed, dataset, dataset_hash, split, "
    "source, verified, status, device, code_version, libraries, train_seconds, teacher, citation, command, "
    "notes, caveat"
)
_PREDICTIONS = "example_id, gold, predicted, score, f1, em, f1_seed, em_seed"

PARTS = {
    "runs": (_SETTINGS, "name"),
    "metrics": ("name, value, n, low, high", "name"),
    "curves": ("series, step, epoch, value, wall_time", "series, step"),
    "predictions": (_PREDICTIONS, "example_id, predicted"),
}
"""Tables that are sealed: the columns, and the order of a run's rows."""

NAMES = {"runs": "settings"}
"""What a part is called, where not by its table."""


def refresh(con: duckdb.DuckDBPyConnection, runs: Mapping[str, Collection[str]]) -> None:
    """Write the digests of runs again, all in one statement, inside the caller's transaction.

    Args:
        con: An open connection.
        runs: Ids by table; each has rows there.
    """
    # The last state of a run may say that it has ended.
    sealed = {table: list(runs.get(table, ())) for table in PARTS}
    sealed["curves"] = _ended(con, {*sealed["curves"], *sealed["runs"]})
    parts = [(table, run_id) for table, run_ids in sealed.items() for run_id in run_ids]
    if not parts:
        return
    con.register("resealed", pa.table({"part": [part for part, _ in parts], "run_id": [run for _, run in parts]}))
    source = "(SELECT run_id FROM resealed WHERE part = '{}') incoming"
    union = " UNION ALL ".join(_computed(table, source.format(table)) for table in PARTS if sealed[table])
    con.execute(f"INSERT OR REPLACE INTO seals {union}")
    con.unregister("resealed")


def _ended(con: duckdb.DuckDBPyConnection, run_ids: Collection[str]) -> list[str]:
    """Those of some runs that do not go on."""
    if not run_ids:
        return []
    sql = "SELECT run_id FROM runs WHERE run_id IN (SELECT unnest(?)) AND status <> 'running'"
    return [run_id for (run_id,) in con.execute(sql, [list(run_ids)]).fetchall()]


def seal(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> None:
    """Write all digests of runs again, of which parts may have been deleted."""
    con.execute("DELETE FROM seals WHERE run_id IN (SELECT unnest(?))", [list(run_ids)])
    refresh(con, dict.fromkeys(PARTS, run_ids))


def digests(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str] | None = None) -> pd.DataFrame:
    """Compute the digests of runs, by default of all: ``run_id, part, digest``."""
    if run_ids is None:
        run_ids = con.execute("SELECT run_id FROM runs").df()["run_id"].tolist()
    con.register("incoming", pd.DataFrame({"run_id": list(run_ids)}, dtype="str"))
    parts = [con.execute(_computed(table)).df() for table in PARTS]
    con.unregister("incoming")
    return pd.concat(parts, ignore_index=True)


def broken(con: duckdb.DuckDBPyConnection, computed: pd.DataFrame) -> pd.DataFrame:
    """List the parts of runs that are not what was written: ``run_id, part``.

    A part that was added past this program was never sealed, and one that was removed has its seal left. Curves of runs
    that go on do not count.
    """
    written = con.execute("SELECT run_id, part, digest AS written FROM seals").df()
    merged = computed.merge(written, on=["run_id", "part"], how="outer")
    going_on = con.execute("SELECT run_id FROM runs WHERE status = 'running'").df()["run_id"]
    differs = merged["digest"].ne(merged["written"])
    differs &= ~(merged["part"].eq("curves") & merged["run_id"].isin(going_on))
    return merged.loc[differs, ["run_id", "part"]].reset_index(drop=True)


def changed(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> set[str]:
    """The runs among some that are not what was written."""
    parts = broken(con, digests(con, run_ids))
    return set(parts["run_id"]) & set(run_ids)


def _computed(table: str, runs: str = "incoming") -> str:
    columns, order = PARTS[table]
    cells = ", chr(31), ".join(f"coalesce({column.strip()}::VARCHAR, chr(29))" for column in columns.split(","))
    return (
        f"SELECT run_id, '{table}' AS part, sha256(string_agg(concat({cells}), chr(30) ORDER BY {order})) AS digest "  # noqa: S608
        f"FROM {table} SEMI JOIN {runs} USING (run_id) GROUP BY run_id"
    )
