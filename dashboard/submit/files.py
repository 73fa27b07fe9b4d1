"""Files that somebody brings: what was read of each, what was not used, and what they say together."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.submit import browser_draft, form_state
from dashboard.submit.form_state import FORM, PREFIX, FormState
from dashboard.ui.messages import error_text, sentence
from db import importers, submissions
from db.base.errors import FeatherboardError
from db.base.problems import RefusedError
from db.importers import FileError, ImportedFile
from db.importers.safe_json import shown
from db.submissions import Gathered

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

UPLOADERS = ("files", "counted", "answers")
"""Where files can be brought: at the beginning, beside the parameters, beside the predictions."""

NOTHING = Gathered()

_READ = f"{PREFIX}read"
_FROM = f"{PREFIX}from"
_CHANGED = f"{PREFIX}files changed"


@dataclass(frozen=True)
class Brought:
    """One file.

    Attributes:
        name: As it was called.
        file_id: Of this upload.
        columns: With example values, where they can be mapped.
        imported: What it says; None where it cannot be read.
        error: Why it cannot be read.
        uploader: Of ``UPLOADERS``.
        unmapped: Whether it only lacks a mapping of its columns.
    """

    name: str
    file_id: str
    columns: list[tuple[str, list[str]]]
    imported: ImportedFile | None
    error: str
    uploader: str
    unmapped: bool = False


def key(uploader: str) -> str:
    """Of an uploader; another one after all was cleared."""
    return f"{PREFIX}up_{uploader}_{browser_draft.round_()}"


def changed() -> None:
    """Remember that files came or went; for callbacks."""
    st.session_state[_CHANGED] = True


def map_key(file_id: str, column: int) -> str:
    """Of the choice of what a column means."""
    return f"{PREFIX}map_{file_id}_{column}"


def brought() -> list[Brought]:
    """All files, read; each once for each mapping."""
    known: dict[tuple[object, ...], Brought] = st.session_state.get(_READ, {})
    read: dict[tuple[object, ...], Brought] = {}
    for uploader in UPLOADERS:
        uploads = st.session_state.get(key(uploader)) or []
        for file in uploads if isinstance(uploads, list) else [uploads]:
            mapping = _mapping(file)
            facts = (file.file_id, uploader, None if mapping is None else tuple(mapping.items()))
            read[facts] = known.get(facts) or _read(file, mapping, uploader)
    st.session_state[_READ] = read
    st.session_state[f"{PREFIX}files"] = bool(read)
    return list(read.values())


def _columns(file: "UploadedFile") -> list[tuple[str, list[str]]]:
    seen: dict[str, list[tuple[str, list[str]]]] = st.session_state.setdefault(f"{PREFIX}columns", {})
    if file.file_id not in seen:
        try:
            seen[file.file_id] = importers.columns(file.name, file.getvalue())
        except FeatherboardError:
            seen[file.file_id] = []  # reading it says why
    return seen[file.file_id]


def _mapping(file: "UploadedFile") -> dict[str, str] | None:
    """What somebody chose the columns to mean; None as long as nobody chose."""
    chosen = {
        column: st.session_state.get(map_key(file.file_id, index)) for index, (column, _) in enumerate(_columns(file))
    }
    if not chosen or all(field is None for field in chosen.values()):
        return None
    guessed = importers.guess(_columns(file))
    mapped = {column: str(guessed.get(column, "") if field is None else field) for column, field in chosen.items()}
    return None if {column: field for column, field in mapped.items() if field} == guessed else mapped


def _read(file: "UploadedFile", mapping: dict[str, str] | None, uploader: str) -> Brought:
    columns = _columns(file)
    try:
        imported = importers.read(file.name, file.getvalue(), mapping)
    except FeatherboardError as error:
        unmapped = isinstance(error, FileError) and error.code == "unmapped"
        return Brought(file.name, file.file_id, columns, None, _reason(error, file.name), uploader, unmapped)
    return Brought(file.name, file.file_id, columns, imported, "", uploader)


def _reason(error: FeatherboardError, name: str) -> str:
    """Word why a file cannot be read; the page has named the file already."""
    return error_text(error).removeprefix(f"{shown(name, 120)}: ")


def together(all_: list[Brought]) -> tuple[Gathered, str]:
    """What the readable files say together, and why they cannot be taken together."""
    read = [(file.name, file.imported) for file in all_ if file.imported is not None]
    if not read:
        return NOTHING, ""
    try:
        return submissions.gather(read), ""
    except RefusedError as error:
        return NOTHING, sentence(error.message)


def prefill(gathered: Gathered) -> None:
    """Put what files say of one run into the fields; before they are drawn.

    What somebody typed stays. What a file that was taken away had said goes with it.
    """
    fields = form_state.flattened(gathered.drafts[0]) if len(gathered.drafts) == 1 else {}
    before: dict[str, str] = st.session_state.get(_FROM, {})
    form = FormState(FORM)
    if st.session_state.pop(_CHANGED, False):
        _forget_rows()
        for field, value in before.items():
            if field not in fields and form.values.get(field) == value:
                form.put(field, "")
    elif not fields:
        return  # another page was open meanwhile, which takes the files and not what was typed
    for field, value in fields.items():
        if value != before.get(field) and form.values.get(field, "") in ("", before.get(field)):
            form.put(field, value)
            form.touch(field)
    st.session_state[_FROM] = fields


def _forget_rows() -> None:
    """Corrections of rows belong to the file that they were made in."""
    for key in list(st.session_state):
        if isinstance(key, str) and key.startswith((f"{PREFIX}row", f"{PREFIX}out", f"{PREFIX}answer")):
            del st.session_state[key]


def source_of(params: str) -> str | None:
    """Whether the parameters are those that a file was counted to, or were typed."""
    before: dict[str, str] = st.session_state.get(_FROM, {})
    return before.get("params_source") if params and params == before.get("params") else None


def differing() -> dict[str, str]:
    """Fields that a file says something else of than what was typed, with what it says."""
    before: dict[str, str] = st.session_state.get(_FROM, {})
    values = FormState(FORM).values
    return {
        field: value
        for field, value in before.items()
        if field != "params_source" and values.get(field, "").strip() != value.strip()
    }
