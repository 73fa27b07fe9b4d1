"""Taking in runs that other machines send: a Quack server in front of the board.

What is served is an inbox in memory, never the board's file. A client can run the four statements of ``db.quack``, by
which it leaves the parts of a bundle and reads its own receipt. One loop takes each complete bundle into the board,
and only then writes the receipt. So whatever ends this process, no acknowledged run is lost, and the senders of all
others send them again.
"""

import hashlib
import ipaddress
import logging
import socket
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from db import quack
from db.base.errors import BundleError, FeatherboardError, LimitError, RemoteError, StoreBusyError, one_line
from db.quack import Place
from db.runs import bundles
from db.storage.store import Store
from db.submissions import drafts

_LOG = logging.getLogger("featherboard.listen")

POLL_S = (0.02, 0.25)
"""Seconds between two looks into the inbox: after a bundle, and once nothing has come for a while."""

TIDY_S = 10.0
STALE_S = 900.0
"""Seconds after which an upload that never became whole, or a receipt, is forgotten."""

WAITING = 64
"""Uploads that may be under way at once."""

MEMORY = "1GB"
"""What the inbox may take; parts that fill it take half."""

ROOM_PARTS = 2 * quack.BUNDLE_LIMIT // quack.PART_BYTES
"""Parts that the inbox holds at once."""

KEPT_ASIDE = 32
"""Refused bundles that are kept; a sender must not be able to fill the disk."""

_TABLES = """
CREATE TABLE uploads (
    upload VARCHAR PRIMARY KEY, sha256 VARCHAR NOT NULL, parts INTEGER NOT NULL, came DOUBLE DEFAULT epoch(now())
);
CREATE TABLE parts (upload VARCHAR, part INTEGER, body BLOB NOT NULL, PRIMARY KEY (upload, part));
CREATE TABLE receipts (
    upload VARCHAR PRIMARY KEY, state VARCHAR NOT NULL, added INTEGER, updated INTEGER, unchanged INTEGER,
    message VARCHAR, came DOUBLE DEFAULT epoch(now())
);
CREATE VIEW receipt AS
    SELECT upload, state, added, updated, unchanged, message FROM receipts
    UNION ALL SELECT upload, 'waiting', 0, 0, 0, '' FROM uploads;
"""

_LOCKS = (
    "SET enable_external_access = false",  # no file, no address, no other database, no further extension
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET lock_configuration = true",
)


def listen(
    store: Store,
    there: Place,
    token: str,
    *,
    should_stop: Callable[[], bool],
    tell: Callable[[str], None] = _LOG.info,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Take in what arrives until asked to stop; the board is opened for each bundle alone.

    Args:
        store: The board.
        there: The address and the port to bind.
        token: What senders have to show.
        should_stop: Asked between bundles.
        tell: Called with one line for each bundle.
        ready: Called once, when senders can connect.

    Raises:
        RemoteError: The extra is missing, or the address cannot be bound.
    """
    _require_free(there)
    con = open_inbox()
    try:
        _serve(con, there, token)
        ready()
        inbox = Inbox(con, store, tell)
        pause = POLL_S[0]
        while not should_stop():
            pause = POLL_S[0] if inbox.take_next() else min(2 * pause, POLL_S[1])
            time.sleep(pause)
        inbox.linger()
    finally:
        con.close()  # ends the server as well


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _require_free(there: Place) -> None:
    """Bind once by hand: Quack shares a port that is taken, and each would get half of the parts."""
    try:
        family, _, _, _, name = socket.getaddrinfo(there.host, there.port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(name)
    except OSError as error:
        raise RemoteError(
            f"{there} cannot be listened on ({error.strerror}); name another --port or --address."
        ) from None


def open_inbox() -> duckdb.DuckDBPyConnection:
    """An empty inbox in memory, locked: a statement that got past the list could still reach nothing outside."""
    con = quack.connect(memory_limit=MEMORY, threads=2, temp_directory="")
    con.execute(_TABLES)
    con.execute(
        f"CREATE VIEW about AS SELECT {quack.PROTOCOL} AS protocol, "  # noqa: S608 - our own numbers
        f"{quack.BUNDLE_LIMIT // quack.PART_BYTES} AS most, CASE WHEN count(*) < {WAITING} "
        f"THEN {ROOM_PARTS} - coalesce(sum(parts), 0) ELSE 0 END AS free FROM uploads"
    )
    longest = 4 * (quack.PART_BYTES // 3 + 1) + 1024
    pattern = quack.allowed().replace("'", "''")
    con.execute(
        f"CREATE MACRO allowed(client, statement) AS strlen(statement) <= {longest} "
        f"AND regexp_full_match(statement, '{pattern}')"
    )
    # Digests, because their comparison may stop at the first difference without telling anything of the token.
    con.execute("CREATE MACRO knows(client, theirs, ours) AS sha256(theirs) = sha256(ours)")
    con.execute("SET GLOBAL quack_authorization_function = 'allowed'")
    con.execute("SET GLOBAL quack_authentication_function = 'knows'")
    for lock in _LOCKS:
        con.execute(lock)
    return con


def _serve(con: duckdb.DuckDBPyConnection, there: Place, token: str) -> None:
    try:
        con.execute(
            "CALL quack_serve(?, token = ?, allow_other_hostname = true, disable_ssl = true)", [str(there), token]
        )
    except duckdb.Error as error:
        raise RemoteError(f"{there} cannot be listened on ({one_line(error)}).") from None


class Inbox:
    """The bundles that have arrived, and what becomes of them."""

    def __init__(self, con: duckdb.DuckDBPyConnection, store: Store, tell: Callable[[str], None]) -> None:
        """Take from an inbox into a board."""
        self._con, self._store, self._tell = con, store, tell
        self._tidied = self._answered = time.monotonic()
        self._told_busy = False

    def take_next(self) -> bool:
        """Take the oldest whole bundle into the board and leave its receipt; False when none could be taken."""
        row = self._con.execute(
            "SELECT upload, sha256 FROM uploads u "
            "WHERE parts = (SELECT count(*) FROM parts p WHERE p.upload = u.upload) ORDER BY came LIMIT 1"
        ).fetchone()
        if row is None:
            self._tidy()
            return False
        upload, digest = row
        pieces = self._con.execute("SELECT body FROM parts WHERE upload = ? ORDER BY part", [upload]).fetchall()
        content = b"".join(piece for (piece,) in pieces)
        try:
            receipt = self._imported(content, digest)
        except StoreBusyError as error:
            if not self._told_busy:
                self._tell(f"A bundle waits: {error}")
            self._told_busy = True
            return False
        self._told_busy = False
        self._leave(upload, receipt)
        return True

    def _imported(self, content: bytes, digest: str) -> tuple[str, int, int, int, str]:
        """Import a bundle and say what became of it: state, runs added, updated, unchanged, and a sentence."""
        if hashlib.sha256(content).hexdigest() != digest:
            return "failed", 0, 0, 0, "got the bundle damaged."
        try:
            # Runs that somebody claims wait for a moderator here too. They come first: what they lack refuses all.
            waiting = drafts.submit_bundle(self._store, content, "the bundle", "a sender with the token")
            done = bundles.import_bytes(self._store, content, "the bundle", submitted=False)
        except StoreBusyError:
            raise
        except LimitError as error:
            self._tell(f"Refused a bundle: {error}")
            return "failed", 0, 0, 0, f"could not take it now: {error}"
        except BundleError as error:
            kept = self._set_aside(content, digest)
            self._tell(f"Refused a bundle: {error} {kept}")
            return "refused", 0, 0, 0, f"refused it: {error}"
        except (FeatherboardError, OSError, MemoryError, duckdb.Error) as error:
            self._tell(f"A bundle could not be taken in, and its sender was told: {one_line(error)}")
            return "failed", 0, 0, 0, "could not write to its board; what went wrong is told where it runs."
        self._tell(
            f"Took in a bundle: {done.added} added, {done.updated} updated, {done.unchanged} already here"
            f"{f', {waiting} waiting for a moderator' if waiting else ''}"
        )
        told = f"{waiting} submitted run(s) wait there for a moderator." if waiting else ""
        return "taken", done.added, done.updated, done.unchanged, told

    def _leave(self, upload: str, receipt: tuple[str, int, int, int, str]) -> None:
        self._con.begin()
        self._con.execute(
            "INSERT OR REPLACE INTO receipts (upload, state, added, updated, unchanged, message) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [upload, *receipt],
        )
        self._con.execute("DELETE FROM uploads WHERE upload = ?", [upload])
        self._con.execute("DELETE FROM parts WHERE upload = ?", [upload])
        self._con.commit()
        self._answered = time.monotonic()

    def _set_aside(self, content: bytes, digest: str) -> str:
        folder = refused_folder(self._store.path)
        kept = folder / f"{digest[:16]}.zip"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not kept.exists() and len(list(folder.glob("*.zip"))) >= KEPT_ASIDE:
                return f"It was not kept: {folder} is full."
            kept.write_bytes(content)
        except OSError as error:
            return f"It could not be kept ({error.strerror})."
        return f"It is kept as {kept}."

    def _tidy(self) -> None:
        """Forget what is stale, and give memory back."""
        if time.monotonic() - self._tidied < TIDY_S:
            return
        self._tidied = time.monotonic()
        try:
            self._con.execute("DELETE FROM uploads WHERE came < epoch(now()) - ?", [STALE_S])
            self._con.execute("DELETE FROM receipts WHERE came < epoch(now()) - ?", [STALE_S])
            self._con.execute("DELETE FROM parts WHERE upload NOT IN (SELECT upload FROM uploads)")
            self._con.execute("CHECKPOINT")
        except duckdb.TransactionException:  # a sender is writing; the next time will do
            return

    def linger(self) -> None:
        """Leave the last receipt there for as long as its sender takes to look again."""
        time.sleep(max(0.0, 0.7 - (time.monotonic() - self._answered)))


def refused_folder(database: Path) -> Path:
    """Where bundles are kept that could not be taken in, beside the database."""
    return database.with_name(database.name + ".refused")
