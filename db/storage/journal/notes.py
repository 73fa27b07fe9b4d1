"""What of a journal is in the database already, noted beside it."""

import json
import os
import threading
from contextlib import suppress
from pathlib import Path


def write(database: Path, folder: Path, taken: dict[Path, int | None]) -> None:
    """Note beside the database how much of each file is in it, so that nobody opens it in vain.

    The note counts as long as database and log are the files that they were then: if a log is lost, what was taken in
    with it waits again. Losing the note costs a look.
    """
    part = folder / f".taken.{os.getpid()}-{threading.get_ident()}.part"
    with suppress(OSError):
        sizes = {path.name: path.stat().st_size if end is None else end for path, end in taken.items() if path.exists()}
        part.write_text(json.dumps({"of": _state(database), "files": sizes}), "utf-8")
        part.replace(folder / "taken")
        return
    with suppress(OSError):
        part.unlink()


def read(database: Path, folder: Path) -> dict[str, int]:
    """How many bytes of each file are in the database, by the name of the file, as far as that is noted."""
    try:
        note = json.loads((folder / "taken").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return dict(note["files"]) if note["of"] == _state(database) else {}


def _state(database: Path) -> list[int]:
    state: list[int] = []
    for path in (database, database.with_name(database.name + ".wal")):
        with suppress(FileNotFoundError):
            facts = path.stat()
            state += [facts.st_ino, facts.st_mtime_ns, facts.st_size]
    return state
