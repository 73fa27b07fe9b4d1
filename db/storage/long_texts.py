"""Long texts under a short id of this installation, so that an address can name a text that does not fit into it.

The id follows from the text: the same text has the same id on every board, and an address that names a text which is
not here finds nothing. Each text is a file beside the database, not a row in it: what is deleted from a table of few
large rows stays in DuckDB's file, which grew without end, and writing one text held the database for 0.7 s.
"""

import base64
import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

from db.base.atomic import atomic_write
from db.base.errors import FeatherboardError
from db.base.paths import contexts_folder
from db.storage.store import Store

LONGEST = 100_000
"""Characters of a text; what ``featherboard ask`` reads at most."""

MOST_BYTES = 64 * 1024 * 1024
"""Of all texts together, in UTF-8. Where another one exceeds it, those that were not used for longest go."""

_BLOCK = 4096  # bytes that a file takes on a disk at least, so that tiny texts are bounded in number as well
_ID = re.compile(r"[a-z2-7]{10}")


class ContextError(FeatherboardError):
    """A text could not be kept."""


def id_of(text: str) -> str:
    """The id of a text: the first 50 bits of its SHA-256, as ten lower-case letters and digits (base32).

    Raises:
        ContextError: It is no Unicode.
    """
    return _id(_encoded(text))


def _id(content: bytes) -> str:
    return base64.b32encode(hashlib.sha256(content).digest())[:10].decode().lower()


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ContextError("The text holds half a character (a lone surrogate). Nothing was kept.") from None


def keep(store: Store, text: str) -> str:
    """Keep a text as it is and return its id; a text that is here already counts as used again.

    When this returns, the text survives a crash. The database is not opened, so a busy one is no obstacle.

    Raises:
        ContextError: It is blank, longer than ``LONGEST``, no Unicode, another text has its id, or the disk refuses it.
    """
    if not text.strip():
        raise ContextError("The text is empty. Nothing was kept.")
    if len(text) > LONGEST:
        raise ContextError(f"The text has {len(text):,} characters; {LONGEST:,} is the most. Nothing was kept.")
    content = _encoded(text)
    own = _id(content)
    here = find(store, own)
    if here is not None and here != text:  # 50 bits keep texts apart by chance, not against somebody who searches
        raise ContextError(f"Another text is kept under the id of this one, {own}. Nothing was kept.")
    if here is None:
        folder = contexts_folder(store.path)
        try:
            with atomic_write(folder / own) as part:
                part.write_bytes(content)
            _make_room(folder, own)
        except OSError as error:
            raise ContextError(f"The text could not be written to {folder} ({error.strerror}).") from error
    return own


def find(store: Store, context_id: str) -> str | None:
    """The text of an id, which counts as used; None where nothing is kept under it, or it is no id at all."""
    if not _ID.fullmatch(context_id):
        return None
    path = contexts_folder(store.path) / context_id
    try:
        content = path.read_bytes()
        text = content.decode()
    except (OSError, UnicodeDecodeError):
        return None
    if _id(content) != context_id:  # somebody changed the file
        return None
    with suppress(OSError):  # of a folder that may only be read, the texts are shown all the same
        os.utime(path)
    return text


def _make_room(folder: Path, own: str) -> None:
    """Delete the files that were not used for longest, those of writers that died among them, but not ``own``."""
    files = []
    with os.scandir(folder) as found:
        for entry in found:
            try:
                facts = entry.stat()
            except FileNotFoundError:  # another process made room, or finished its file
                continue
            files.append((facts.st_mtime_ns, entry.name, max(facts.st_size, _BLOCK)))
    together = sum(size for _, _, size in files)
    for _, name, size in sorted(files):
        if together <= MOST_BYTES:
            return
        if name != own:
            (folder / name).unlink(missing_ok=True)
            together -= size
