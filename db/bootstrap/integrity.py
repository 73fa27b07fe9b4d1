"""Is a database whole? Every finding is one sentence that names the table and the rows."""

import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import duckdb
import pandas as pd

from db.base import audit
from db.base.errors import one_line
from db.bootstrap import create
from db.runs import bundles
from db.storage import damage, journal, outcomes, seals
from db.storage.journal import spare_blocks
from db.storage.store import Store

_OF_PACKAGE = {
    "models": ("model_id", "name, params, params_reported"),
    "tasks": ("concat(task_id, ' ', version)", "language, metric, direction, split, split_size, mini"),
    "slices": ("run_id", "facet, part, name, value, n"),
    "timings": ("run_id", "precision, threads, tokens, batch, p50_ms, per_s"),
}
"""Further tables with figures of the package's rows: the key of what belongs together, and what is compared."""

_PARENTS = {
    "runs": ("model_id", "models"),
    **dict.fromkeys(("metrics", "curves", "predictions", "artifacts", "outcomes"), ("run_id", "runs")),
    **dict.fromkeys(("timings", "machines", "withdrawals", "annotations"), ("run_id", "runs")),
    **dict.fromkeys(("submission_predictions", "submission_curves"), ("submission_id", "submissions")),
}
"""By table: the key that names the row of another table to which each of its rows belongs, and that table."""


def check(store: Store) -> list[str]:
    """Look for damage and for what the schema's own constraints cannot forbid; an empty list means that all is well.

    Every block's checksum is compared and every column read. A database that is found damaged is not written to until
    it is repaired or replaced.

    Raises:
        StoreError: The file cannot be read at all.
    """
    findings = []
    if store.exists():
        with store.alone():
            findings = _damage(store.path)
    with store.read() as con:
        if findings := findings + _unreadable(con):
            return findings
        for table, (key, parent) in _PARENTS.items():
            count = con.execute(
                f"SELECT count(*) FROM {table} WHERE {key} NOT IN (SELECT {key} FROM {parent})"  # noqa: S608
            ).fetchone()
            if count and count[0]:
                findings.append(f"{table}: {count[0]} row(s) belong to no row of {parent}")
        for sql, text in _QUESTIONS:
            rows = [str(row[0]) for row in con.execute(sql).fetchall()]
            if rows:
                shown = ", ".join(rows[:5]) + (" ..." if len(rows) > 5 else "")
                findings.append(f"{text}: {len(rows)} ({shown})")
        broken = audit.broken(con)
        if broken is not None:
            findings.append(f"submission_audit: row {broken} is not the one that was written")
        findings += _changed(con)
    if waiting := journal.waiting(store.path):
        findings.append(f"journal: {len(waiting)} file(s) of results wait in {waiting[0].parent} to be taken in")
    if rejected := journal.rejected(store.path):
        findings.append(f"journal: {len(rejected)} batch(es) could not be taken in; see {rejected[0].parent}")
    return findings


def _damage(path: Path) -> list[str]:
    """What is wrong with a database's file."""
    folder = journal.folder(path)
    with suppress(OSError):
        damaged, total = spare_blocks.damaged(path)
        if damaged:
            damage.mark(folder, f"{damaged} of the {total} headers and blocks of {path} are damaged")
    text = damage.missing(path, folder)
    return [text] if text else []


def _unreadable(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Tables of which not every column can be read to its end."""
    findings = []
    tables = con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() ORDER BY ALL"
    ).fetchall()
    for (table,) in tables:
        try:
            con.execute(f'SELECT bit_xor(hash(COLUMNS(*))) FROM "{table}"').fetchall()  # noqa: S608
        except duckdb.Error as error:
            findings.append(f"{table}: cannot be read to its end ({one_line(error)})")
    return findings


def _changed(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Runs that are not what was written, and rows of the package that are not the package's."""
    findings = []
    stored = seals.digests(con)
    broken = seals.broken(con, stored)
    if unlike := sorted(set(outcomes.unlike_predictions(con)) - set(broken["run_id"])):
        findings.append(f"runs whose right answers are not those of their predictions: {', '.join(unlike[:5])}")
    if len(broken):
        findings.append(f"runs that were changed past Featherboard: {_named(broken)}")
    stored = pd.concat([stored, _table_digests(con)], ignore_index=True)
    expected = _packaged(tuple(name for name, _ in bundles.shipped()))
    present = stored[stored["run_id"].isin(expected["run_id"])]
    merged = expected[expected["run_id"].isin(present["run_id"])].merge(present, on=["run_id", "part"], how="outer")
    differing = merged[merged["digest_x"].ne(merged["digest_y"])]
    if len(differing):
        findings.append(
            f"rows that come with the package and are not the package's: {_named(differing)}; `featherboard db init` "
            "restores them"
        )
    return findings


@cache
def _packaged(_names: tuple[str, ...]) -> pd.DataFrame:
    """Digests of the runs that a fresh database holds; they stay the same while the program runs."""
    with tempfile.TemporaryDirectory() as folder:
        package = Store(Path(folder) / "package.duckdb")
        create.initialise(package)
        with package.read() as con:
            return pd.concat([seals.digests(con), _table_digests(con)], ignore_index=True)


def _table_digests(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Digests of the tables of ``_OF_PACKAGE``, as ``seals.digests``."""
    parts = []
    for table, (key, columns) in _OF_PACKAGE.items():
        cells = ", chr(31), ".join(f"coalesce({column}::VARCHAR, chr(29))" for column in columns.split(", "))
        parts.append(
            f"SELECT {key} AS run_id, '{table}' AS part, "  # noqa: S608 - constants of this module
            f"sha256(string_agg(concat({cells}), chr(30) ORDER BY concat({cells}))) AS digest FROM {table} GROUP BY 1"
        )
    return con.execute(" UNION ALL ".join(parts)).df()


def _named(parts: pd.DataFrame) -> str:
    """Count runs, and name the first ones with the parts of each."""
    names = parts.assign(part=parts["part"].map(lambda part: seals.NAMES.get(part, part)))
    runs = names.groupby("run_id")["part"].agg(lambda part: " and ".join(sorted(set(part))))
    shown = ", ".join(f"{run_id}: {part}" for run_id, part in list(runs.items())[:5])
    return f"{len(runs)} ({shown}{' ...' if len(runs) > 5 else ''})"


_QUESTIONS = (
    (
        "SELECT run_id FROM runs r WHERE NOT EXISTS (SELECT 1 FROM tasks t WHERE t.task_id = r.task_id "
        "AND t.version = r.task_version)",
        "runs whose task is unknown",
    ),
    (
        "SELECT entry FROM submission_audit a WHERE NOT EXISTS (SELECT 1 FROM submissions s "
        "WHERE s.submission_id = a.submission_id) "
        "AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_id = a.submission_id)",
        "entries of the audit that belong to no submission and no run",
    ),
    (
        "SELECT run_id FROM predictions GROUP BY run_id HAVING count(*) > count(DISTINCT example_id)",
        "runs that predict an example twice",
    ),
    (
        "SELECT m.run_id FROM metrics m WHERE m.low > m.value OR m.high < m.value",
        "runs with a figure outside its own interval",
    ),
    (
        "SELECT m.run_id FROM metrics m JOIN (SELECT run_id, avg(coalesce(gold = predicted, false)::INT) AS share "
        "FROM predictions WHERE gold IS NOT NULL GROUP BY run_id) p USING (run_id) WHERE m.name = 'accuracy' "
        "AND abs(m.value - p.share) > 5e-5 AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.run_id = m.run_id "
        "AND r.source = 'submitted' AND NOT r.verified)",
        "runs whose accuracy is not that of their predictions",
    ),
    (
        "SELECT run_id FROM runs r WHERE verified AND NOT EXISTS "
        "(SELECT 1 FROM predictions p WHERE p.run_id = r.run_id)",
        "verified runs without predictions",
    ),
)
