"""Sending runs to the board of another machine, where ``featherboard db listen`` runs.

A bundle counts as sent once the listener's receipt says that the runs are in its board. Until then nothing is lost,
for they are still here; and sending again changes nothing, since importing is idempotent. A connection that drops or a
listener that starts again therefore only makes the sender begin once more.
"""

import base64
import hashlib
import queue
import socket
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from db import quack
from db.base.errors import RemoteError, one_line
from db.quack import Place
from db.runs import bundles
from db.runs.bundles import Imported
from db.storage.store import Store

ATTEMPTS = 6
"""Times that a bundle is sent before giving up: one that ends its listener would otherwise do so for ever."""

GROUP = 8
"""Runs that ``push`` puts into one bundle."""

WAIT_S = 120.0
CONNECT_S = 5.0
_ANSWER_S = 60.0  # for one statement: Quack's client has no time limit of its own and cannot be interrupted
_CALL = "FROM quack_query(?, ?, token := ?, disable_ssl := true)"


class _LostError(Exception):
    """The connection, or what the listener knew of this upload, is gone; beginning again may help."""


def send(target: str, bundle: bytes, token: str, *, wait_s: float = WAIT_S, connect_s: float = CONNECT_S) -> Imported:
    """Send a bundle (``exchange.bundle``) and wait until its runs are in the other board.

    Args:
        target: ``quack:HOST:PORT``.
        bundle: The bytes of a run bundle.
        token: The listener's.
        wait_s: Seconds without any progress (a full inbox, a busy board, a listener that is gone) before giving up.
        connect_s: Seconds to wait for a listener that has not been reached yet.

    Raises:
        RemoteError: The runs are not known to be in the other board; the message says why and what to do.
    """
    return _send(_Line(quack.place(target), token), bundle, wait_s, connect_s)


def push(
    store: Store,
    target: str,
    token: str,
    run_ids: Sequence[str] | None = None,
    moved: Callable[[int], None] = lambda _: None,
) -> Imported:
    """Send runs of this board to another one.

    Args:
        store: This machine's board.
        target: ``quack:HOST:PORT``.
        token: The listener's.
        run_ids: Which runs, or None for all measured ones that are not running.
        moved: Called with the number of runs that are there now, after each bundle.

    Raises:
        RemoteError: Not all are there; pushing again goes on.
        NotFoundError: One of the ids does not exist.
    """
    ids = list(dict.fromkeys(run_ids)) if run_ids is not None else waiting(store)
    line = _Line(quack.place(target), token)
    done = Imported(0, 0, 0)
    for start in range(0, len(ids), GROUP):
        group = ids[start : start + GROUP]
        content, _ = bundles.bundle(store, group)
        got = _send(line, content, WAIT_S, WAIT_S if start else CONNECT_S)  # one that was there may start again
        note = " ".join(dict.fromkeys(one for one in (done.note, got.note) if one))
        done = Imported(done.added + got.added, done.updated + got.updated, done.unchanged + got.unchanged, note)
        moved(start + len(group))
    return done


def waiting(store: Store) -> list[str]:
    """The runs that ``push`` sends by default, oldest first."""
    sql = "SELECT run_id FROM runs WHERE source = 'measured' AND status <> 'running' ORDER BY created_at, run_id"
    return [str(run_id) for run_id in store.query(sql)["run_id"]]


_KEPT = "The runs are kept here; pushing again changes nothing that has arrived."


def _send(line: "_Line", bundle: bytes, wait_s: float, connect_s: float) -> Imported:
    if len(bundle) > quack.BUNDLE_LIMIT:
        raise RemoteError(
            f"The bundle is larger than {quack.BUNDLE_LIMIT // 2**20} MiB. Nothing was sent; name fewer runs."
        )
    patience = _Patience(line.there, connect_s)
    begun = 0
    while begun < ATTEMPTS:
        try:
            _knock(line.there)
            most = _greet(line)
            begun += 1
            patience.allow(wait_s)
            return _deliver(line, bundle, most, patience)
        except _LostError as lost:
            patience.pause(str(lost))
    raise RemoteError(f"{line.there} was lost {ATTEMPTS} times while it took the bundle. {_KEPT}")


class _Patience:
    """How long to go on without progress."""

    def __init__(self, there: Place, seconds: float) -> None:
        self._there = there
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """Begin to wait, for that long."""
        self._seconds = seconds
        self.moved()

    def moved(self) -> None:
        """Something went forward."""
        self._until = time.monotonic() + self._seconds
        self._step = 0.05

    def pause(self, why: str) -> None:
        """Wait a little, longer each time.

        Raises:
            RemoteError: It has been long enough.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            raise RemoteError(f"{self._there}: {why}, for {self._seconds:g} s. {_KEPT}")
        time.sleep(min(self._step, left))
        self._step = min(2 * self._step, 0.5)


class _Line:
    """A client of one listener. Statements run on a thread of their own, since they cannot be interrupted."""

    def __init__(self, there: Place, token: str) -> None:
        self.there, self._token = there, token
        self._con = _client()

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of one of the statements of ``db.quack``.

        Raises:
            RemoteError: The other side refuses; asking again would not help.
            _LostError: There was no answer.
        """
        answer: queue.SimpleQueue[list[tuple[Any, ...]] | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._run, args=(self._con, sql, answer), daemon=True).start()
        try:
            found = answer.get(timeout=_ANSWER_S)
        except queue.Empty:
            self._con = _client()  # the old one stays with its thread
            raise _LostError("no answer") from None
        if isinstance(found, Exception):
            raise _explained(found, self.there) from found
        return found

    def _run(self, con: duckdb.DuckDBPyConnection, sql: str, answer: "queue.SimpleQueue[Any]") -> None:
        try:
            answer.put(con.execute(_CALL, [str(self.there), sql, self._token]).fetchall())
        except Exception as error:  # whatever it is belongs to who asked
            answer.put(error)


def _client() -> duckdb.DuckDBPyConnection:
    con = quack.connect(threads=1)
    # The default client hands the token to whatever proxy the environment names.
    con.execute("SET httpfs_client_implementation = 'httplib'; SET http_proxy = ''")
    return con


def _explained(error: Exception, there: Place) -> Exception:
    text = one_line(error)
    if "Authentication failed" in text:
        return RemoteError(
            f"{there} does not take this token; it is printed where `featherboard db listen` was "
            f"started, or is in its token file. {_KEPT}"
        )
    if "Authorization failed" in text or "Quack version" in text or isinstance(error, duckdb.CatalogException):
        return RemoteError(f"{there} is no listener of this Featherboard's version; update both sides. {_KEPT}")
    if isinstance(error, duckdb.SerializationException) or "HTTP Error" in text:
        return RemoteError(
            f"{there} answers, but not as `featherboard db listen` does ({text}); look at the port, and "
            f"update both sides. {_KEPT}"
        )
    if isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException | duckdb.TransactionException):
        return _LostError("the connection was lost" if isinstance(error, duckdb.IOException) else "the inbox is full")
    return RemoteError(f"{there}: {text}. {_KEPT}")


def _knock(there: Place) -> None:
    """Open and close a connection: the operating system says at once, and clearly, why there is none."""
    try:
        socket.create_connection((there.host, there.port), timeout=5).close()
    except socket.gaierror:
        raise RemoteError(f"{there}: no machine of that name is known. Nothing was sent.") from None
    except ConnectionRefusedError:
        raise _LostError("nobody listens there; start `featherboard db listen` on that machine") from None
    except OSError as error:
        raise _LostError(f"that machine does not answer ({error.strerror or error})") from None


def _greet(line: _Line) -> int:
    """The most parts that a bundle may have there."""
    protocol, most, _ = line.ask(quack.HELLO)[0]
    if protocol != quack.PROTOCOL:
        raise RemoteError(f"{line.there} is no listener of this Featherboard's version; update both sides. {_KEPT}")
    return int(most)


def _deliver(line: _Line, bundle: bytes, most: int, patience: _Patience) -> Imported:
    upload, parts = uuid.uuid4().hex, -(-len(bundle) // quack.PART_BYTES)
    if parts > most:
        raise RemoteError(f"The bundle is larger than {line.there} takes. Nothing was sent; name fewer runs.")
    offer = quack.OFFER.format(upload=upload, sha256=hashlib.sha256(bundle).hexdigest(), parts=parts)
    while not _accepted(line, offer, upload):
        patience.pause("its inbox is full")
    for part in range(parts):
        piece = bundle[part * quack.PART_BYTES : (part + 1) * quack.PART_BYTES]
        sql = quack.PART.format(upload=upload, part=part, body=base64.b64encode(piece).decode())
        if not _accepted(line, sql, upload):
            raise _LostError("the listener has been started again")
        patience.moved()
    while True:
        state, added, updated, unchanged, message = _receipt(line, upload)
        if state == "taken":
            return Imported(added, updated, unchanged, message)
        if state != "waiting":
            raise RemoteError(f"{line.there} {message} {_KEPT}")
        patience.pause("the bundle arrived, but is not in the board yet")


def _accepted(line: _Line, sql: str, upload: str) -> bool:
    """Whether an insertion is in the inbox, be it by this statement or by one whose answer was lost."""
    return bool(line.ask(sql)[0][0]) or bool(line.ask(quack.RECEIPT.format(upload=upload)))


def _receipt(line: _Line, upload: str) -> tuple[Any, ...]:
    rows = line.ask(quack.RECEIPT.format(upload=upload))
    if not rows:
        raise _LostError("the listener has been started again")
    return rows[0]
