"""Binary tables from strangers: Parquet, Excel workbooks and MLflow's databases, flat columns of texts and numbers."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from db.importers import guarded_child, safe_json, tables
from db.importers.safe_json import FileError, shown
from db.importers.tables import Table

PARQUET = b"PAR1"
WORKBOOK, DATABASE = guarded_child.WORKBOOK, guarded_child.DATABASE
_CHILD = Path(__file__).with_name("guarded_child.py")
_SECONDS = 180
"""For all files of one call; the child bounds its computing itself."""


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
    head = json.dumps([len(content) for content in files.values()]).encode() + b"\n"
    # One allocator without reserves of its own, so that the bound on memory counts what is used.
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [sys.executable, "-I", str(_CHILD)],
            input=head + b"".join(files.values()),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
        lines = done.stdout.split(b"\n")[:-1]
    except subprocess.TimeoutExpired:
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
