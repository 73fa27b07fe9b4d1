"""Binary tables from strangers: Parquet, Excel workbooks and MLflow's databases, flat columns of texts and numbers."""

from collections.abc import Mapping
from pathlib import Path

from db.importers import guarded_child, safe_json, tables
from db.importers.safe_json import FileError, shown
from db.importers.tables import Table
from db.storage import untrusted

PARQUET = b"PAR1"
WORKBOOK, DATABASE = guarded_child.WORKBOOK, guarded_child.DATABASE
_DECODER = Path(__file__).with_name("guarded_child.py")


def read_one(name: str, content: bytes) -> Table:
    """The table of one file; columns of lists, dates, decimals and bytes are listed and not read.

    Raises:
        SubmissionError: It is damaged, or unpacks to more than is taken.
    """
    return read({name: content})[name]


def read(files: Mapping[str, bytes]) -> dict[str, Table]:
    """The tables of several files, by name, read in a process of their own; see ``guarded_child``.

    Raises:
        SubmissionError: One of them is damaged, or unpacks to more than is taken.
    """
    for name, content in files.items():
        safe_json.check_size(name, content)
    request = {"decoder": str(_DECODER), "lengths": [len(content) for content in files.values()]}
    try:
        lines = untrusted.DECODER.answer(request, b"".join(files.values())).split(b"\n")[:-1]
    except TimeoutError:
        lines = []
    made = {}
    for number, name in enumerate(files):
        if number >= len(lines):
            kind = _kind(files[name])
            message = f"no {kind} that can be read within its limits; write it again, or smaller."
            raise FileError(name, "", message)
        made[name] = _table(name, _kind(files[name]), lines[number])
    return made


def _kind(content: bytes) -> str:
    if content.startswith(WORKBOOK):
        return "Excel workbook"
    return "MLflow database" if content.startswith(DATABASE) else "Parquet file"


def _table(name: str, kind: str, line: bytes) -> Table:
    answer = safe_json.json_value(name, line.decode("utf-8"))
    if "refused" in answer:
        raise FileError(name, "", shown(answer["refused"], 300))
    if "damaged" in answer:
        reason = shown(answer["damaged"].strip(), 120)
        raise FileError(name, "", f"no {kind} that can be read ({reason}); write it again.")
    return tables.from_columns(name, answer["columns"], answer["unread"], answer.get("places"))
