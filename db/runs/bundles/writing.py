"""Writing the runs of bundles, once it is decided which of them go in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import duckdb
import pandas as pd
import pyarrow as pa

from db.base.clock import utc_now
from db.runs import rescoring
from db.statistics import qa_scoring
from db.storage import changes, ownership, seals
from db.storage.changes import Change
from db.storage.ownership import Decision, Source


@dataclass(frozen=True)
class Accepted:
    """A bundle of which it is decided which runs go in, which may be none."""

    tables: Mapping[str, pd.DataFrame]
    source: Source
    decision: Decision

    @cached_property
    def runs(self) -> pd.DataFrame:
        """The runs that go in; their badge is set once they are here."""
        runs = self.tables["runs"]
        runs = runs[runs["run_id"].isin(self.decision.taken)].copy()
        runs.loc[runs["status"] == "running", "heartbeat"] = utc_now()  # the sender's clock may differ from ours
        return runs if self.source.shipped else runs.assign(verified=False)

    def rows(self, table: str) -> pd.DataFrame:
        """The rows of a table that belong to the runs that go in."""
        rows = self.tables[table]
        return rows[rows["run_id"].isin(self.decision.taken)]


def take(con: duckdb.DuckDBPyConnection, bundles: Sequence[Accepted], *, new: bool) -> None:
    """Write the runs of bundles that hold none in common, inside the caller's transaction.

    Args:
        con: An open connection.
        bundles: In the order in which they came.
        new: Expect that no row of runs that are new is there, which takes a fraction of the time.

    Raises:
        duckdb.ConstraintException: The schema refuses a row, or one that was expected to be new is there.
    """
    run_ids = [run_id for bundle in bundles for run_id in bundle.decision.taken]
    if not run_ids:
        return
    newer = sorted(run_id for bundle in bundles for run_id in bundle.decision.newer)
    for bundle in bundles:
        ownership.keep_versions(con, bundle.decision.newer, bundle.source)
    for table in ownership.OF_RUNS if newer else ():
        con.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT unnest(?))", [newer])  # noqa: S608
    languages, models = rescoring.languages(con), model_ids(con)
    for change in _joined(change for bundle in bundles for change in _changes(bundle, languages, models)):
        is_new = new and change.table not in {"models", "predictions"} and not (newer and change.table == "runs")
        changes.apply(con, replace(change, mode="upsert") if is_new else change, new=is_new)
    foreign = [bundle for bundle in bundles if not bundle.source.shipped]
    # Those of the package were scored before they came into it, and a test scores them again.
    rescoring.rescore(con, [run_id for bundle in foreign for run_id in bundle.decision.taken])
    ownership.record(con, [(bundle.decision, bundle.source) for bundle in bundles])
    rescoring.flag_copies(con, [bundle.decision.taken for bundle in foreign])
    seals.seal(con, run_ids)


def model_ids(con: duckdb.DuckDBPyConnection) -> set[str]:
    """The models that are in the database."""
    return {row[0] for row in con.execute("SELECT model_id FROM models").fetchall()}


def _changes(bundle: Accepted, languages: Mapping[str, str], known: set[str]) -> Iterator[Change]:
    """What goes in of a bundle; of a model that is here, its parameters stay, which other runs show."""
    if not bundle.decision.taken:
        return
    runs = bundle.runs
    models = bundle.tables["models"]
    yield _arrow("models", models[models["model_id"].isin(set(runs["model_id"]) - known)], "insert")
    yield _arrow("runs", runs, "upsert")
    for table in ownership.OF_RUNS:
        if table in bundle.tables:
            rows = bundle.rows(table)
            if table == "predictions" and not bundle.source.shipped:
                rows = _scored_here(rows, runs, languages)
            yield _arrow(table, rows, "replace")


def _arrow(table: str, rows: pd.DataFrame, mode: changes.Mode) -> Change:
    change = Change(table, rows, mode)
    return replace(change, rows=change.arrow().replace_schema_metadata(None))


def _joined(batch: Iterable[Change]) -> Iterator[Change]:
    """The changes of several bundles in as few statements as may be.

    Where the types of a column differ, they stay apart: one bundle's floating-point numbers would round the whole
    numbers of another.
    """
    groups: list[tuple[Change, dict[str, pa.DataType], list[pa.Table]]] = []
    for change in batch:
        types = dict(zip(change.columns, change.rows.schema.types, strict=True))
        for first, known, tables in groups:
            if first.table == change.table and list(known) == list(types) and _agree(known, types):
                known |= {name: kind for name, kind in types.items() if not pa.types.is_null(kind)}
                tables.append(change.rows)
                break
        else:
            groups.append((change, types, [change.rows]))
    for first, _, tables in groups:
        yield replace(first, rows=pa.concat_tables(tables, promote_options="default"))


def _agree(known: dict[str, pa.DataType], types: dict[str, pa.DataType]) -> bool:
    """Whether columns have the same types, or nothing but missing values in one of both."""
    return all(known[name] == kind or pa.null() in {known[name], kind} for name, kind in types.items())


def _scored_here(rows: pd.DataFrame, runs: pd.DataFrame, languages: Mapping[str, str]) -> pd.DataFrame:
    """Predictions whose answers are scored by their texts; stated scores count where texts are withheld."""
    of_texts = runs[runs["task_id"].isin(languages)]
    if of_texts.empty or not set(rescoring.PER_EXAMPLE) <= set(rows):
        return rows
    hidden = rows["predicted"].fillna("").astype(str).map(qa_scoring.is_withheld)
    hidden |= rows["gold"].fillna("").astype(str).map(qa_scoring.is_stand_in)  # an empty answer has nothing to withhold
    rows = rows.astype(dict.fromkeys(rescoring.PER_EXAMPLE, "float32"))
    rows.loc[rows["run_id"].isin(of_texts["run_id"]) & ~hidden, list(rescoring.PER_EXAMPLE)] = float("nan")
    return rescoring.with_scores(rows, dict(zip(of_texts["run_id"], of_texts["task_id"].map(languages), strict=True)))
