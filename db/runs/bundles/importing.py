"""Importing decoded bundles: several in one transaction, each accepted or refused on its own.

A transaction costs many times as much as the rows of a run: the file is opened, and written to its end before anything
is acknowledged. So bundles that wait at the same time share it. Where the rows of one of them break the schema, nothing
was changed and it is tried again by halves, which leaves out that one alone.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import duckdb
import pandas as pd

from db.base.errors import BundleError, FeatherboardError, one_line
from db.runs.bundles import writing
from db.runs.bundles.writing import Accepted
from db.storage import installation, ownership
from db.storage.changes import Change
from db.storage.ownership import Source
from db.storage.store import Store

_MISSHAPEN = (KeyError, TypeError, AttributeError)
"""What tables without the columns or the types of a bundle raise, and what a fault of ours would."""

_REFUSED = (ValueError, duckdb.Error, *_MISSHAPEN)
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
    reason = f"{one_line(error)}; nothing was changed."
    if isinstance(error, _MISSHAPEN):
        reason = (
            f"its tables lack columns or types of a bundle ({type(error).__name__}: {one_line(error)}); nothing was "
            "changed. If `featherboard db export` wrote it, this is a fault of Featherboard: please report it."
        )
    refusal = BundleError(f"{bundle.where}: {reason}")
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
            models = writing.model_ids(con)
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
            writing.take(con, list(accepted.values()), new=new)
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
