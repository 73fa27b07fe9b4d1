"""The one way in: whatever is submitted, by a form, a file or a program, passes ``submit``."""

import hashlib
import json
import secrets
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, get_args

import duckdb
import pandas as pd

from db.base import audit
from db.base.clock import utc_now
from db.base.errors import NotFoundError
from db.base.problems import Code, Problem, RefusedError, ValueProblemError
from db.importers import values
from db.storage.store import Store
from db.submissions import claim as claims
from db.submissions import limits, previews, records, tables
from db.submissions.claim import Claim
from db.submissions.limits import Limits
from db.submissions.records import Receipt, Status, Via

Tables: TypeAlias = pd.DataFrame | Mapping[int, pd.DataFrame] | None
"""The table of the only draft, or tables by the numbers of their drafts, from 1."""

_MAX_PROBLEMS = 100  # a file of 500 wrong rows has one cause


@dataclass(frozen=True)
class _Row:
    """A draft that passed its checks."""

    claim: Claim
    decimals: Mapping[str, int]
    predictions: pd.DataFrame | None
    curves: pd.DataFrame | None

    def packed(self) -> str:
        """The claim as JSON, without what is private."""
        return json.dumps(self.claim.model_dump(exclude={"contact"}), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """The same for the same row, whoever submits it."""
        parts = [
            self.packed(),
            json.dumps(dict(self.decimals), sort_keys=True),
            self.answers_hash() or "",
            "" if self.curves is None else self.curves.to_csv(index=False),
        ]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def answers_hash(self) -> str | None:
        return None if self.predictions is None else tables.answers_hash(self.predictions)

    def size(self) -> int:
        """Bytes, roughly."""
        return len(self.packed().encode()) + tables.size(self.predictions) + tables.size(self.curves)


def submit(
    store: Store,
    drafts: Sequence[Mapping[str, object]],
    *,
    predictions: Tables = None,
    curves: Tables = None,
    client: str = "",
    via: Via = "form",
    filename: str = "",
    skip_known: bool = False,
    limited_by: Limits | None = None,
) -> Receipt:
    """Save all drafts or none: they wait, and become runs only when a moderator accepts them.

    Args:
        store: The database.
        drafts: Each with the fields of ``db.submissions.claim.Claim``, of any type.
        predictions: Columns ``example_id, predicted`` and optionally ``score``: the probability of the answer. A draft
            without a value of its task's metric gets the one that they give.
        curves: Columns ``series, step, value`` and optionally ``epoch``.
        client: Who submits, such as a network address; a salted hash of it is stored.
        via: The way in.
        filename: Of the file that they came in.
        skip_known: Leave out rows that anybody submitted before, whatever became of them; a machine sends twice.
        limited_by: Limits; None: those of the environment.

    Returns:
        With problems where a draft is wrong; nothing was saved then.

    Raises:
        LimitError: A limit is exceeded; nothing was saved.
        SubmissionError: The very same already waits.
        StoreBusyError: The database is in use; nothing was saved.
    """
    if via not in get_args(Via):
        raise ValueError(f"there is no way in called {via!r}")
    rows, problems = _checked_rows(store, drafts, predictions, curves)
    try:
        filename = values.text(filename, 255)
    except ValueProblemError as error:
        problems.append(Problem(error.message.code, error.message.params, "filename"))
    if problems:
        return Receipt(problems=tuple(problems[:_MAX_PROBLEMS]))
    limited_by = limited_by or limits.from_environment()
    secret = secrets.token_urlsafe(24)
    with store.transaction() as con:
        rows = _without_known(con, rows) if skip_known else rows
        if not rows:
            return Receipt()
        ids = tuple(uuid.uuid4().hex for _ in rows)
        limits.require(con, limited_by, client, via, len(rows), sum(row.size() for row in rows))
        client_hash = limits.client_hash(con, client)
        _refuse_repeated(con, rows, client_hash)
        common = {
            "batch_id": uuid.uuid4().hex,
            "secret_hash": limits.secret_hash(secret),
            "client_hash": client_hash,
            "via": via,
            "filename": filename or None,
            "state": "waiting",
            "created_at": utc_now(),
        }
        for position, (submission_id, row) in enumerate(zip(ids, rows, strict=True), start=1):
            _save(con, {"submission_id": submission_id, "position": position, **common}, row)
    return Receipt(ids, secret)


def status(store: Store, secret: str) -> list[Status]:
    """Report what became of the rows of one secret, in the order in which they were submitted.

    Raises:
        NotFoundError: The secret belongs to no submission.
    """
    with store.read() as con:
        rows = records.statuses(con, limits.secret_hash(secret))
    if not rows:
        raise NotFoundError("This link belongs to no submission. Check that all of it was copied.")
    return rows


def _checked_rows(
    store: Store, drafts: Sequence[Mapping[str, object]], predictions: Tables, curves: Tables
) -> tuple[list[_Row], list[Problem]]:
    if isinstance(drafts, str | bytes | Mapping) or not isinstance(drafts, Sequence):
        return [], [Problem(Code.NOT_LIST, {"kind": values.kind(drafts)}, "drafts")]
    if not 1 <= len(drafts) <= limits.ROWS:
        return [], [Problem(Code.ROW_COUNT, {"count": len(drafts), "limit": limits.ROWS}, "drafts")]
    problems = [*_misplaced("predictions", predictions, len(drafts)), *_misplaced("curves", curves, len(drafts))]
    if problems:
        return [], problems
    rows: list[_Row] = []
    for number, draft in enumerate(drafts, start=1):
        answers = _table_of(predictions, number)
        scored, _ = previews.with_score(store, draft, answers)
        row = _checked(scored, answers, _table_of(curves, number))
        if isinstance(row, _Row):
            rows.append(row)
        else:
            problems += [replace(problem, draft=number) for problem in row]
        if len(problems) >= _MAX_PROBLEMS:
            break
    digests = [row.digest() for row in rows]
    if not problems and len(set(digests)) < len(digests):
        repeated = next(index for index, digest in enumerate(digests) if digest in digests[:index])
        first = digests.index(digests[repeated]) + 1
        problems.append(Problem(Code.SAME_ROW, {"row": first}, draft=repeated + 1))
    return rows, problems


def _misplaced(name: str, tables_: Tables, count: int) -> list[Problem]:
    """Refuse a table of which it is not clear which row it belongs to."""
    if tables_ is None or (not isinstance(tables_, Mapping) and count == 1):
        return []
    if not isinstance(tables_, Mapping):
        return [Problem(Code.TABLE_OF_MANY, {"count": count}, name)]
    wrong = [number for number in tables_ if isinstance(number, bool) or number not in range(1, count + 1)]
    return [Problem(Code.TABLE_OF_NONE, field=name)] if wrong else []


def _table_of(tables_: Tables, number: int) -> pd.DataFrame | None:
    return tables_.get(number) if isinstance(tables_, Mapping) else tables_


def _checked(
    draft: Mapping[str, object], predictions: pd.DataFrame | None, curves: pd.DataFrame | None
) -> _Row | list[Problem]:
    claim = claims.check(draft)
    problems = [] if isinstance(claim, Claim) else list(claim)
    checked = []
    for check, frame in ((tables.predictions, predictions), (tables.curves, curves)):
        try:
            checked.append(None if frame is None else check(frame))
        except tables.TableProblemError as error:
            problems.append(Problem(error.message.code, error.message.params, error.field))
    if problems or not isinstance(claim, Claim):
        return problems
    written = claims.decimals(draft)
    return _Row(claim, {name: written[name] for name in claim.metrics if name in written}, *checked)


def _without_known(con: duckdb.DuckDBPyConnection, rows: Sequence[_Row]) -> list[_Row]:
    digests = [row.digest() for row in rows]
    stored = con.execute("SELECT digest FROM submissions WHERE digest IN (SELECT unnest(?))", [digests]).fetchall()
    known = {str(digest) for (digest,) in stored}
    return [row for row, digest in zip(rows, digests, strict=True) if digest not in known]


def _refuse_repeated(con: duckdb.DuckDBPyConnection, rows: Sequence[_Row], client_hash: str) -> None:
    """Refuse what the same client sent already and what still waits, such as a form that is sent twice."""
    waiting = con.execute(
        "SELECT count(*), min(submission_id) FROM submissions WHERE state = 'waiting' AND client_hash = ? "
        "AND digest IN (SELECT unnest(?))",
        [client_hash, [row.digest() for row in rows]],
    ).fetchone()
    if waiting and waiting[0]:
        code = Code.ALREADY_WAITING if len(rows) == 1 else Code.SOME_ALREADY_WAITING
        raise RefusedError(code, count=waiting[0], submission=waiting[1][:12])


def _save(con: duckdb.DuckDBPyConnection, common: Mapping[str, object], row: _Row) -> None:
    """Write one row, inside a transaction."""
    columns = {
        **common,
        "task_id": row.claim.task,
        "model": row.claim.model,
        "claim": row.packed(),
        "decimals": json.dumps(dict(row.decimals)),
        "contact": row.claim.contact or None,
        "digest": row.digest(),
        "answers_hash": row.answers_hash(),
        "bytes": row.size(),
    }
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    con.execute(f"INSERT INTO submissions ({names}) VALUES ({marks})", list(columns.values()))  # noqa: S608 - our own names
    submission_id = str(common["submission_id"])
    for table, frame in (("submission_predictions", row.predictions), ("submission_curves", row.curves)):
        if frame is not None:
            con.register("incoming", frame)
            names = ", ".join(frame.columns)
            con.execute(
                f"INSERT INTO {table} (submission_id, {names}) SELECT ?, {names} FROM incoming",  # noqa: S608 - likewise
                [submission_id],
            )
            con.unregister("incoming")
    count = 0 if row.predictions is None else len(row.predictions)
    details = {"via": common["via"], "digest": row.digest(), "predictions": count}
    audit.append(con, submission_id, "submitted", "submitter", details)
