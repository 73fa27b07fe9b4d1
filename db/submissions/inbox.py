"""The one way in: whatever is handed in, by a form, a file or a program, passes ``submit``."""

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

import duckdb
import pandas as pd

from db.base.clock import utc_now
from db.base.errors import NotFoundError, SubmissionError
from db.storage.store import Store
from db.submissions import audit, claim_values, limits, records, secrecy, tables
from db.submissions import claim as claims
from db.submissions.claim import Claim, FieldError
from db.submissions.limits import Limits
from db.submissions.records import Problem, Receipt, Status, Via

Tables: TypeAlias = pd.DataFrame | Mapping[int, pd.DataFrame] | None
"""The table of the only draft, or tables by the numbers of their drafts, from 1."""

_TOLD = 100  # problems that are told; a file of 500 wrong rows has one cause


@dataclass(frozen=True)
class _Row:
    """A draft that passed."""

    claim: Claim
    decimals: Mapping[str, int]
    predictions: pd.DataFrame | None
    curves: pd.DataFrame | None

    def told(self) -> str:
        """The claim as it is kept, without what is private."""
        return json.dumps(self.claim.model_dump(exclude={"contact"}), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """The same for the same row, whoever hands it in."""
        told = [
            self.told(),
            json.dumps(dict(self.decimals), sort_keys=True),
            self.answers_hash() or "",
            "" if self.curves is None else self.curves.to_csv(index=False),
        ]
        return hashlib.sha256("\0".join(told).encode()).hexdigest()

    def answers_hash(self) -> str | None:
        """Of its predictions."""
        return None if self.predictions is None else tables.answers_hash(self.predictions)

    def size(self) -> int:
        """Roughly the bytes that it takes."""
        return len(self.told().encode()) + tables.size(self.predictions) + tables.size(self.curves)


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
    """Take drafts in, all of them or none: they wait, and become runs only when a moderator accepts them.

    Args:
        store: The database.
        drafts: Each with the fields of ``db.submissions.claim.Claim``, of whatever type.
        predictions: Columns ``example_id, predicted`` and perhaps ``score``: the probability of the answer.
        curves: Columns ``series, step, value`` and perhaps ``epoch``.
        client: Who hands them in, such as an address of the network; a salted hash of it is kept.
        via: The way in.
        filename: Of the file that they came in.
        skip_known: Leave out rows that anybody handed in before, whatever became of them; a machine sends twice.
        limited_by: What is taken; None: what the environment says.

    Returns:
        With problems where a draft is wrong; nothing was kept then.

    Raises:
        LimitError: It is too much now; nothing was kept.
        SubmissionError: The very same already waits.
        StoreBusyError: The database is in use; nothing was kept.
    """
    if via not in get_args(Via):
        raise ValueError(f"there is no way in called {via!r}")
    rows, problems = _rows(drafts, predictions, curves)
    named, wrong = _file_name(filename)
    if problems or wrong:
        return Receipt(problems=tuple([*problems, *wrong][:_TOLD]))
    limited_by = limited_by or limits.from_environment()
    secret = secrecy.new_secret()
    with store.transaction() as con:
        rows = _unknown(con, rows) if skip_known else rows
        if not rows:
            return Receipt()
        ids = tuple(uuid.uuid4().hex for _ in rows)
        limits.require(con, limited_by, client, via, len(rows), sum(row.size() for row in rows))
        hashed = secrecy.client_hash(con, client)
        _refuse_twice(con, rows, hashed)
        common = {
            "batch_id": uuid.uuid4().hex,
            "secret_hash": secrecy.secret_hash(secret),
            "client_hash": hashed,
            "via": via,
            "filename": named or None,
            "state": "waiting",
            "created_at": utc_now(),
        }
        for position, (submission_id, row) in enumerate(zip(ids, rows, strict=True), start=1):
            _keep(con, {"submission_id": submission_id, "position": position, **common}, row)
    return Receipt(ids, secret)


def status(store: Store, secret: str) -> list[Status]:
    """What became of what was handed in, in its order.

    Args:
        store: The database.
        secret: Of the receipt.

    Raises:
        NotFoundError: There is nothing of this secret.
    """
    with store.read() as con:
        found = records.statuses(con, secrecy.secret_hash(secret))
    if not found:
        raise NotFoundError("This link belongs to no submission. Look whether all of it was copied.")
    return found


def _rows(
    drafts: Sequence[Mapping[str, object]], predictions: Tables, curves: Tables
) -> tuple[list[_Row], list[Problem]]:
    if isinstance(drafts, str | bytes | Mapping) or not isinstance(drafts, Sequence):
        return [], [Problem(0, "drafts", f"must be a list of rows, and {claim_values.kind(drafts)} was given")]
    if not 1 <= len(drafts) <= limits.ROWS:
        return [], [Problem(0, "drafts", f"there are {len(drafts):,} rows; 1 to {limits.ROWS} are taken at a time")]
    rows: list[_Row] = []
    problems = [*_misplaced("predictions", predictions, len(drafts)), *_misplaced("curves", curves, len(drafts))]
    if problems:
        return [], problems
    for number, draft in enumerate(drafts, start=1):
        found = _row(draft, _of(predictions, number), _of(curves, number))
        if isinstance(found, _Row):
            rows.append(found)
        else:
            problems += [Problem(number, one.field, one.message) for one in found]
        if len(problems) >= _TOLD:
            break
    digests = [row.digest() for row in rows]
    if not problems and len(set(digests)) < len(digests):
        again = next(place for place, one in enumerate(digests) if one in digests[:place])
        problems.append(Problem(again + 1, "draft", f"is the same as row {digests.index(digests[again]) + 1}"))
    return rows, problems


def _misplaced(what: str, given: Tables, count: int) -> list[Problem]:
    """A table belongs to one row, and it must be known to which."""
    if given is None or (not isinstance(given, Mapping) and count == 1):
        return []
    if not isinstance(given, Mapping):
        return [Problem(0, what, f"belong to one run, and {count:,} rows were given: hand that row in alone")]
    wrong = [number for number in given if isinstance(number, bool) or number not in range(1, count + 1)]
    return [Problem(0, what, "belong to a row that was not given")] if wrong else []


def _of(given: Tables, number: int) -> pd.DataFrame | None:
    return given.get(number) if isinstance(given, Mapping) else given


def _row(
    draft: Mapping[str, object], predictions: pd.DataFrame | None, curves: pd.DataFrame | None
) -> _Row | tuple[FieldError, ...]:
    claim = claims.check(draft)
    said = None if predictions is None else tables.predictions(predictions)
    points = None if curves is None else tables.curves(curves)
    wrong = [one for one in (said, points) if isinstance(one, FieldError)]
    if not isinstance(claim, Claim):
        return (*claim, *wrong)
    if isinstance(said, FieldError) or isinstance(points, FieldError):
        return tuple(wrong)
    written = claims.decimals(draft)
    return _Row(claim, {name: written[name] for name in claim.metrics if name in written}, said, points)


def _file_name(filename: object) -> tuple[str, list[Problem]]:
    try:
        return claim_values.text(filename, 255), []
    except ValueError as error:
        return "", [Problem(0, "filename", str(error))]


def _unknown(con: duckdb.DuckDBPyConnection, rows: Sequence[_Row]) -> list[_Row]:
    """The rows that nobody handed in before."""
    digests = [row.digest() for row in rows]
    found = con.execute("SELECT digest FROM submissions WHERE digest IN (SELECT unnest(?))", [digests]).fetchall()
    known = {str(digest) for (digest,) in found}
    return [row for row, digest in zip(rows, digests, strict=True) if digest not in known]


def _refuse_twice(con: duckdb.DuckDBPyConnection, rows: Sequence[_Row], client_hash: str) -> None:
    """A form that is sent twice, say: the same person's very same rows that wait already."""
    found = con.execute(
        "SELECT count(*), min(submission_id) FROM submissions WHERE state = 'waiting' AND client_hash = ? "
        "AND digest IN (SELECT unnest(?))",
        [client_hash, [row.digest() for row in rows]],
    ).fetchone()
    if found and found[0]:
        raise SubmissionError(
            f"You already handed in {'the same' if len(rows) == 1 else f'{found[0]} of these rows'}; it waits as "
            f"{found[1][:12]}. Nothing was added."
        )


def _keep(con: duckdb.DuckDBPyConnection, facts: Mapping[str, object], row: _Row) -> None:
    """Write one row, inside a transaction."""
    told = {
        **facts,
        "task_id": row.claim.task,
        "model": row.claim.model,
        "claim": row.told(),
        "decimals": json.dumps(dict(row.decimals)),
        "contact": row.claim.contact or None,
        "digest": row.digest(),
        "answers_hash": row.answers_hash(),
        "bytes": row.size(),
    }
    names = ", ".join(told)
    con.execute(f"INSERT INTO submissions ({names}) VALUES ({', '.join('?' * len(told))})", list(told.values()))  # noqa: S608 - our own names
    submission_id = str(facts["submission_id"])
    for table, frame in (("submission_predictions", row.predictions), ("submission_curves", row.curves)):
        if frame is not None:
            con.register("incoming", frame)
            columns = ", ".join(frame.columns)
            con.execute(
                f"INSERT INTO {table} (submission_id, {columns}) SELECT ?, {columns} FROM incoming",  # noqa: S608 - likewise
                [submission_id],
            )
            con.unregister("incoming")
    count = 0 if row.predictions is None else len(row.predictions)
    audit.append(
        con,
        submission_id,
        "submitted",
        "submitter",
        {"via": facts["via"], "digest": row.digest(), "predictions": count},
    )
