"""Quack, DuckDB's own client-server protocol, as far as Featherboard speaks it.

A Quack server runs whatever statement a client sends. The listener (``db.listen``) therefore lets pass only the four
statements below, letter by letter, and both sides take them from here. They reach an inbox, never the board itself: the
board's file is not kept open, and a client has nothing to read there.
"""

import importlib
import re
import string
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

from db.base.errors import RemoteError, one_line

PROTOCOL = 1
"""Raised when the statements or the meaning of a receipt change."""

PORT = 9494
"""Quack's own default."""

PART_BYTES = 512 * 1024
"""A bundle travels in parts of this size: one statement each, and the longest that a listener reads."""

BUNDLE_LIMIT = 256 * 1024 * 1024
"""Bytes of one bundle; 50,000 predictions take 3 MB."""

HELLO = "SELECT protocol, most, free FROM about"
OFFER = (
    "INSERT OR IGNORE INTO uploads (upload, sha256, parts) SELECT o.upload, o.sha256, o.parts FROM "
    "(SELECT '{upload}' AS upload, '{sha256}' AS sha256, {parts} AS parts) o, about "
    "WHERE o.parts BETWEEN 1 AND least(about.most, about.free)"
)
PART = (
    "INSERT OR IGNORE INTO parts (upload, part, body) SELECT u.upload, p.part, from_base64('{body}') FROM uploads u, "
    "(SELECT {part} AS part) p WHERE u.upload = '{upload}' AND p.part < u.parts"
)
RECEIPT = "SELECT state, added, updated, unchanged, message FROM receipt WHERE upload = '{upload}'"

_FIELDS = {
    "upload": "[0-9a-f]{32}",
    "sha256": "[0-9a-f]{64}",
    "parts": "[0-9]{1,6}",
    "part": "[0-9]{1,6}",
    "body": "[A-Za-z0-9+/]*={0,2}",
}
_INSTALL = "Run: pip install -e '.[server]'"


def allowed() -> str:
    """A regular expression that matches the four statements with their values, and nothing else."""
    found = []
    for statement in (HELLO, OFFER, PART, RECEIPT):
        pieces = string.Formatter().parse(statement)
        found.append("".join(re.escape(text) + (_FIELDS[field] if field else "") for text, field, _, _ in pieces))
    return "|".join(found)


@dataclass(frozen=True)
class Place:
    """Where a listener is: ``quack:HOST:PORT``."""

    host: str
    port: int = PORT

    def __str__(self) -> str:
        """The name that Quack takes."""
        return f"quack:[{self.host}]:{self.port}" if ":" in self.host else f"quack:{self.host}:{self.port}"


def place(name: str) -> Place:
    """Read ``quack:HOST`` or ``quack:HOST:PORT``.

    Raises:
        RemoteError: It is neither.
    """
    wrong = RemoteError(f"{name!r} does not name a listener; write quack:HOST:PORT, such as quack:192.168.1.5:{PORT}.")
    if not name.startswith("quack:"):
        raise wrong
    try:
        parts = urlsplit("//" + name.removeprefix("quack:"))
        host, port = parts.hostname, PORT if parts.port is None else parts.port
    except ValueError:
        raise wrong from None
    more = parts.path or parts.query or parts.fragment or parts.username is not None
    if not host or more or port < 1 or not re.fullmatch(r"[\w.:%-]+", host):
        raise wrong
    return Place(host, port)


def connect(**config: str | int) -> duckdb.DuckDBPyConnection:
    """A DuckDB in memory that speaks Quack.

    The extensions are loaded from their packages: nothing is fetched, and nothing is copied to the home folder.

    Args:
        config: DuckDB's settings.

    Raises:
        RemoteError: The packages are missing, or made for another DuckDB.
    """
    files = [_extension(name) for name in ("httpfs", "quack")]
    con = duckdb.connect(config={**config})
    try:
        for file in files:
            con.execute("LOAD '{}'".format(str(file).replace("'", "''")))
    except duckdb.Error as error:
        con.close()
        raise RemoteError(
            f"DuckDB {duckdb.__version__} cannot load {file.name} ({one_line(error)}). {_INSTALL}"
        ) from error
    return con


def _extension(name: str) -> Path:
    try:
        package = importlib.import_module(f"duckdb_extension_{name}")
    except ImportError:
        raise RemoteError(
            f"Boards of other machines need DuckDB's extension {name!r}, which is not installed. {_INSTALL}"
        ) from None
    folder = Path(str(resources.files(package))) / "extensions"
    file = folder / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    if not file.is_file():
        made = ", ".join(sorted(one.name.removeprefix("v") for one in folder.glob("v*"))) or "no DuckDB"
        raise RemoteError(
            f"DuckDB is {duckdb.__version__} here, but its extension {name!r} is made for {made}. {_INSTALL}"
        )
    return file
