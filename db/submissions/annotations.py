"""Tags and the note that moderators write beside a run.

They belong to this board: neither a bundle nor a push can carry them. A run that is replaced or withdrawn keeps them.
Each change is an entry of the audit, under the id of the run.
"""

import unicodedata
from collections.abc import Sequence

import pandas as pd

from db.base import audit
from db.base.clock import utc_now
from db.base.problems import Code, RefusedError, ValueProblemError
from db.importers import values
from db.importers.safe_json import quoted
from db.runs.detail import resolve
from db.storage.store import Store

MAX_TAGS, MAX_TAG, MAX_NOTE = 10, 30, 2000
"""Tags of a run, characters of a tag, and characters of a note at most."""


def annotate(
    store: Store,
    run_id: str,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    note: str | None = None,
    by: str | None = None,
) -> list[str]:
    """Change the tags and the note of a run, and write the change to the audit.

    Args:
        store: The database.
        run_id: A run's id, or its beginning.
        add: Tags of letters, digits, ``-`` and ``_``; they are stored in small letters.
        remove: Tags; those that the run does not have are passed over.
        note: Plain text, which replaces the note; blank: none from now on; None: as it is.
        by: The moderator's address, for the audit; None where it is not known.

    Returns:
        The tags of the run, sorted.

    Raises:
        RefusedError: A tag or the note cannot be stored, or the tags are too many; nothing was changed.
        NotFoundError: There is no such run.
    """
    added, removed = {_tag(tag) for tag in add}, {_small(tag) for tag in remove}
    text = None if note is None else _note(note)
    with store.transaction() as con:
        full = resolve(con, run_id)
        row = con.execute("SELECT tags, note, noted_at FROM annotations WHERE run_id = ?", [full]).fetchone()
        before, stored_note, noted_at = row or ([], None, None)
        after = sorted({*before, *added} - removed)
        if len(after) > MAX_TAGS:
            raise RefusedError(Code.TAG_COUNT, limit=MAX_TAGS)
        changes = {"added": sorted({*after} - {*before}), "removed": sorted({*before} - {*after})}
        details: dict[str, object] = {name: tags for name, tags in changes.items() if tags}
        if text is not None and text != (stored_note or ""):
            details["note"] = text
            stored_note, noted_at = (text, utc_now()) if text else (None, None)
        if details:
            con.execute(
                "INSERT INTO annotations VALUES (?, ?, ?, ?) ON CONFLICT (run_id) DO UPDATE "
                "SET tags = excluded.tags, note = excluded.note, noted_at = excluded.noted_at",
                [full, after, stored_note, noted_at],
            )
            audit.append(con, full, "annotated", "moderator", details | ({"by": by} if by else {}))
    return after


def _tag(tag: str) -> str:
    try:
        name = _small(values.required_text(tag, MAX_TAG))
        if len(name) > MAX_TAG:
            raise ValueProblemError(Code.TOO_LONG, length=len(name), limit=MAX_TAG)
        kinds = [unicodedata.category(sign) for sign in name]
        if not all(kind[0] == "L" or kind == "Nd" or sign in "-_" for kind, sign in zip(kinds, name, strict=True)):
            raise ValueProblemError(Code.TAG_CHARACTERS)
        if name[0] in "-_":  # an option of the command line, or a formula of a spreadsheet
            raise ValueProblemError(Code.TAG_CHARACTERS)
    except ValueProblemError as error:
        raise RefusedError(Code.TAG, tag=quoted(tag, MAX_TAG), problem=error.message) from None
    return name


def _small(tag: str) -> str:
    return unicodedata.normalize("NFC", tag.strip().lower())


def _note(note: str) -> str:
    try:
        return values.text(note, MAX_NOTE, lines=True)
    except ValueProblemError as error:
        raise RefusedError(Code.NOTE, problem=error.message) from None


def tags_in_use(store: Store) -> list[str]:
    """List the tags of all runs."""
    return [str(tag) for tag in store.query("SELECT DISTINCT unnest(tags) AS tag FROM annotations ORDER BY ALL")["tag"]]


def history(store: Store, run_id: str) -> pd.DataFrame:
    """List the changes of a run's tags and note, oldest first: ``action, actor, details`` (JSON) and ``done_at``."""
    with store.read() as con:
        return audit.history(con, resolve(con, run_id))
