"""Importing decoded bundles: several in one transaction, each accepted or refused on its own.

A transaction costs many times as much as the rows of a run: the file is opened, and written to its end before anything
is acknowledged. So bundles that wait at the same time share it. Where the rows of one of them break the schema, nothing
was changed and it is tried again by halves, which leaves out that one alone.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import duckdb
import pandas as pd
import pyarrow as pa

from db.base.clock import utc_now
from db.base.errors import BundleError, FeatherboardError, one_line
from db.runs import rescoring
from db.statistics import qa_scoring
from db.storage import changes, installation, ownership, seals
from db.storage.changes import Change
from db.storage.ownership import Decision, Source
from db.storage.store import Store

_REFUSED = (ValueError, KeyError, TypeError, AttributeError, duckdb.Error)
"""What rows that break the schema raise."""

TOGETHER_BYTES = 16 * 2**20
"""Of the tables of the bundles that share a transaction; a larger one has its own."""

FEW_BYTES = 2**20
"""Of the tables of bundles that are written in one thread."""


@dataclass(frozen=True)
class Imported:
    """What an import did.

    Attributes:
        added: Runs that are new here.
        updated: Runs that were replaced by a newer state.
        unchanged: Runs that were left alone because they are already here.
        note: Which runs were refused, and why.
        refused: Runs that may not be replaced by this bundle, and were left as they are.
    """

    added: int
    updated: int
    unchanged: int
    note: str = ""
    refused: int = 0


@dataclass(frozen=True)
class Incoming:
    """A bundle that is decoded and not in the database yet.

    Attributes:
        changes: Tables of the whole bundle.
        where: Names it in messages.
        signer: Of ``db.storage.installation.signer``.
        submitted: Submitted runs are taken as well; otherwise they are left where they are.
        received_by: The name of the push token that it came by; None for a file.
        replace: Whole ids of runs of other installations that a moderator lets it replace.
        note: What the sender should know besides.
    """

    changes: Sequence[Change]
    where: str
    signer: str | None
    submitted: bool = True
    received_by: str | None = None
    replace: Collection[str] = ()
    note: str = ""

    @cached_property
    def bytes(self) -> int:
        """How much memory its tables take."""
        return sum(int(change.rows.memory_usage(index=False).sum()) for change in self.changes)

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Its tables by name.

        Raises:
            BundleError: There are no runs, or what they say of themselves cannot be right.
        """
        tables = {change.table: change.rows for change in self.changes}
        if "runs" not in tables or "models" not in tables:
            raise BundleError(f"{self.where}: holds no runs; nothing was changed.")
        if not self.submitted:
            tables["runs"] = tables["runs"][tables["runs"]["source"] != "submitted"]
        for table in ("runs", "models"):
            ownership.check_json(table, tables[table], self.where)
        ownership.check_runs(tables["runs"], self.where)
        return tables

    @cached_property
    def run_ids(self) -> list[str]:
        """Ids of its runs."""
        return list(self.tables["runs"]["run_id"])


Result = Imported | FeatherboardError


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


def import_all(store: Store, bundles: Sequence[Incoming]) -> list[Result]:
    """Take bundles into the database, as many in one transaction as may be.

    Args:
        store: The database.
        bundles: In the order in which they came. Of two that hold the same run, the later one takes a later
            transaction, so that it is compared with what the first one left.

    Returns:
        For each what was done, durable by now, or why nothing of it was changed.
    """
    results: dict[int, Result] = {}
    waiting = dict(enumerate(bundles))
    while waiting:
        group, run_ids, size = list[int](), set[str](), 0
        for number, bundle in list(waiting.items()):
            try:
                own = set(bundle.run_ids)
            except (FeatherboardError, *_REFUSED) as error:
                results[number] = _worded(error, bundle)
                del waiting[number]
                continue
            size += bundle.bytes
            if not own & run_ids and (not group or size <= TOGETHER_BYTES):
                group.append(number)
            run_ids |= own  # nor may one that came later overtake one that waits
        results |= _import_group(store, {number: waiting.pop(number) for number in group})
    return [results[number] for number in range(len(bundles))]


def import_one(store: Store, bundle: Incoming) -> Imported:
    """Take a bundle into the database in one transaction.

    Raises:
        BundleError: It cannot be used, or a row breaks the schema; nothing was changed.
        StoreBusyError: Others hold the database; nothing was changed.
    """
    (result,) = import_all(store, [bundle])
    if isinstance(result, FeatherboardError):
        raise result
    return result


def _worded(error: Exception, bundle: Incoming) -> FeatherboardError:
    if isinstance(error, FeatherboardError):
        return error
    refusal = BundleError(f"{bundle.where}: {one_line(error)}; nothing was changed.")
    refusal.__cause__ = error
    return refusal


def _import_group(store: Store, group: Mapping[int, Incoming], *, new: bool = True) -> dict[int, Result]:
    """Take bundles that hold no run in common in one transaction; where that is refused, by halves."""
    if not group:
        return {}
    results: dict[int, Result] = {}
    accepted: dict[int, Accepted] = {}
    try:
        with store.transaction(few_rows=sum(bundle.bytes for bundle in group.values()) <= FEW_BYTES) as con:
            own_id = _own_id(store)
            stored = ownership.stored(con, [run_id for bundle in group.values() for run_id in bundle.run_ids])
            models = _models(con)
            for number, bundle in group.items():
                source = Source(bundle.signer, own_id, bundle.received_by, replace=bundle.replace)
                decision = ownership.decide(con, bundle.tables["runs"], source, stored)
                arrival = Accepted(bundle.tables, source, decision)
                known = models | set(bundle.tables["models"]["model_id"])
                if missing := sorted(set(arrival.runs["model_id"]) - known if decision.taken else ()):
                    message = f"holds runs of {missing[0]!r}, but not that model; nothing was changed."
                    results[number] = BundleError(f"{bundle.where}: {message}")
                    continue
                accepted[number] = arrival
                models |= set(arrival.runs["model_id"]) if decision.taken else set()
            take(con, list(accepted.values()), new=new)
    except _REFUSED as error:
        if len(group) > 1:
            numbers = list(group)
            middle = len(numbers) // 2
            halves = ({number: group[number] for number in part} for part in (numbers[:middle], numbers[middle:]))
            return {number: result for half in halves for number, result in _import_group(store, half).items()}
        if new and isinstance(error, duckdb.ConstraintException):  # rows of a run that is not there lie about
            return _import_group(store, group, new=False)
        return {number: _worded(error, bundle) for number, bundle in group.items()}
    except FeatherboardError as error:
        return dict.fromkeys(group, error)
    for number, arrival in accepted.items():
        decision = arrival.decision
        note = f"{group[number].note} {decision.sentence()}".strip()
        counts = len(decision.new), len(decision.newer), decision.unchanged
        results[number] = Imported(*counts, note, len(decision.refused))
    return results


def _own_id(store: Store) -> str | None:
    try:
        return installation.own_id(store.path)
    except (OSError, ValueError):  # then no run can be shown to be this installation's
        return None


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
    languages, models = rescoring.languages(con), _models(con)
    for change in _joined(change for bundle in bundles for change in _changes(bundle, languages, models)):
        is_new = new and change.table not in {"models", "predictions"} and not (newer and change.table == "runs")
        changes.apply(con, replace(change, mode="upsert") if is_new else change, new=is_new)
    foreign = [bundle for bundle in bundles if not bundle.source.shipped]
    # Those of the package were scored before they came into it, and a test scores them again.
    rescoring.rescore(con, [run_id for bundle in foreign for run_id in bundle.decision.taken])
    ownership.record(con, [(bundle.decision, bundle.source) for bundle in bundles])
    rescoring.flag_copies(con, [bundle.decision.taken for bundle in foreign])
    seals.seal(con, run_ids)


def _models(con: duckdb.DuckDBPyConnection) -> set[str]:
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
