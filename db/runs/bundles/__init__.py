"""Moving runs between installations: one file holds runs with everything that belongs to them.

A bundle is a zip of Parquet tables and a JSON manifest, signed by the installation that made it. Importing is
idempotent: a run that is already here and not older is left alone. What a bundle may replace is up to
``db.storage.ownership``.
"""

from collections.abc import Collection, Sequence
from importlib import resources
from pathlib import Path

import duckdb
import pandas as pd

from db.base.atomic import atomic_write
from db.base.errors import BundleError, NotFoundError
from db.runs import rescoring
from db.runs.bundles import importing, writing
from db.runs.bundles.importing import Imported, Incoming
from db.runs.bundles.writing import Accepted
from db.runs.status import ON_BOARD
from db.statistics import qa_scoring
from db.storage import changes, installation, ownership
from db.storage.changes import Change
from db.storage.ownership import Source
from db.storage.store import Store

__all__ = [
    "KIND",
    "Imported",
    "Incoming",
    "bundle",
    "export_runs",
    "import_bytes",
    "import_runs",
    "import_shipped",
    "shipped",
]

KIND = "run bundle"
_LATER = ("slices", "timings", "machines")
"""Tables of a later version: left out of a bundle where they are empty, so that an older board reads it."""


def export_runs(store: Store, target: Path, run_ids: Sequence[str] | None = None, *, withhold: bool = False) -> int:
    """Write runs to a file as ``bundle`` packs them, and return their number; it is replaced only once all is written.

    Raises:
        NotFoundError: One of the ids does not exist, or there is nothing to export.
    """
    content, count = bundle(store, run_ids, withhold=withhold)
    if target.is_dir():
        raise BundleError(f"{target} is a folder; name a file to write. Nothing was written.")
    with atomic_write(target) as part:
        part.write_bytes(content)
    return count


def bundle(store: Store, run_ids: Sequence[str] | None = None, *, withhold: bool = False) -> tuple[bytes, int]:
    """Runs as the bytes of a bundle, and their number.

    Args:
        store: The database.
        run_ids: Which runs, or None for all measured and submitted ones on the board (reported rows are everywhere
            already).
        withhold: Keep which answers are right, and not their texts, which belong to the data set; such a run is not
            verified where it arrives.

    Raises:
        NotFoundError: One of the ids does not exist, or there is nothing to export.
    """
    with store.read() as con:
        if run_ids is None:
            ids = con.execute(
                f"SELECT run_id FROM runs r WHERE source <> 'reported' AND {ON_BOARD} ORDER BY run_id"  # noqa: S608 - a constant
            ).df()
        else:
            ids = pd.DataFrame({"run_id": sorted(set(run_ids))}, dtype="str")
        con.register("wanted", ids)
        _refuse_withdrawn(con)
        # Which machine it was and under which process id is nobody else's business.
        runs = con.execute(
            "SELECT r.* REPLACE (NULL::VARCHAR AS host, NULL::BIGINT AS pid) "
            "FROM runs r JOIN wanted USING (run_id) ORDER BY created_at, run_id"
        ).df()
        missing = sorted(set(ids["run_id"]) - set(runs["run_id"]))
        if missing or runs.empty:
            what = f"There is no run {missing[0]!r}" if missing else "There is no measured or submitted run"
            raise NotFoundError(f"{what} to export; `featherboard list runs` shows them. Nothing was written.")
        models = con.execute(
            "SELECT * FROM models WHERE model_id IN (SELECT DISTINCT model_id FROM runs "
            "JOIN wanted USING (run_id)) ORDER BY model_id"
        ).df()
        batch = [Change("models", models), Change("runs", runs)]
        for table in ownership.OF_RUNS:
            frame = con.execute(f"SELECT t.* FROM {table} t JOIN wanted USING (run_id) ORDER BY ALL").df()  # noqa: S608
            if table == "predictions" and withhold:
                frame = _withheld(con, frame)
            if len(frame) or table not in _LATER:
                batch.append(Change(table, frame, "replace" if table == "predictions" else "upsert"))
    return installation.sign(changes.pack(batch, KIND, {"runs": len(runs)}), store.path), len(runs)


def _refuse_withdrawn(con: duckdb.DuckDBPyConnection) -> None:
    """Who took a run back does not expect it on another board."""
    row = con.execute("SELECT w.run_id FROM withdrawals w JOIN wanted USING (run_id) ORDER BY ALL LIMIT 1").fetchone()
    if row:
        raise NotFoundError(f"Run {row[0][:12]} was withdrawn and is not given on. Nothing was written.")


def _withheld(con: duckdb.DuckDBPyConnection, predictions: pd.DataFrame) -> pd.DataFrame:
    """Predictions without the texts of answers; labels are nobody's text and stay."""
    languages = dict(
        con.execute(
            "SELECT r.run_id, t.language FROM runs r JOIN wanted USING (run_id) "
            "JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version WHERE t.metric = 'f1'"
        ).fetchall()
    )
    rows = predictions["run_id"].isin(languages)
    predictions = rescoring.with_scores(predictions, languages)
    known = rows & predictions["gold"].notna()  # of a submitted run the right answers may not be known
    rules = [qa_scoring.RULES[languages[run_id]] for run_id in predictions.loc[rows, "run_id"]]
    withheld = predictions.copy()
    withheld.loc[known, "gold"] = [
        qa_scoring.pack(
            qa_scoring.withheld(qa_scoring.RULES[languages[run_id]], answer) for answer in qa_scoring.unpack(gold)
        )
        for run_id, gold in predictions.loc[known, ["run_id", "gold"]].itertuples(index=False)
    ]
    withheld.loc[rows, "predicted"] = [
        qa_scoring.withheld(rule, predicted)
        for rule, predicted in zip(rules, predictions.loc[rows, "predicted"].fillna(""), strict=True)
    ]
    return withheld


def import_runs(store: Store, source: Path, *, replace: Collection[str] = ()) -> Imported:
    """Take the runs of a bundle's file into the database, all in one transaction; see ``import_bytes``.

    Raises:
        BundleError: The file is not a bundle, or a row breaks the schema; nothing was changed.
    """
    if not source.is_file():
        raise BundleError(f"There is no file {source}; nothing was read.")
    content = source.read_bytes()
    if not content.startswith(b"PK"):
        hint = f"`featherboard submit {source.name}` reads results of other programs"
        raise BundleError(f"{source.name} is no bundle; nothing was read. {hint}.")
    return import_bytes(store, content, source.name, replace=replace)


def import_bytes(store: Store, content: bytes, where: str, *, replace: Collection[str] = ()) -> Imported:
    """Take in a bundle that is already in memory; see ``import_runs``.

    Args:
        store: The database.
        content: Of the whole bundle.
        where: Names it in messages.
        replace: Whole ids of runs of other installations that a moderator lets it replace.
    """
    unpacked = changes.unpack(content, KIND, where)
    signer = installation.signer(content, where)
    return importing.import_one(store, Incoming(unpacked, where, signer, replace=replace))


def import_shipped(store: Store) -> None:
    """Take in the runs that come with Featherboard, which alone replaces them.

    Each bundle has a transaction of its own: statements take longer the more a transaction has written before them.
    """
    source = Source(signer=None, own_id=None, shipped=True)
    for name, content in shipped():
        bundle = Incoming(changes.unpack(content, KIND, name), name, signer=None)
        with store.transaction() as con:
            stored = ownership.stored(con, bundle.run_ids)
            decision = ownership.decide(con, bundle.tables["runs"], source, stored)
            writing.take(con, [Accepted(bundle.tables, source, decision)], new=False)


def shipped() -> list[tuple[str, bytes]]:
    """The bundles of measured runs that come with Featherboard, as (name, content)."""
    folder = resources.files("db.bootstrap") / "results" / "measured"
    if not folder.is_dir():
        return []
    return [
        (file.name, file.read_bytes())
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".zip")
    ]
