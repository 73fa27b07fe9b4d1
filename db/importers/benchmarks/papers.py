"""Tables of Papers with Code: its JSON, and the tables in Markdown that such lists and READMEs hold."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from db.importers import column_mapping, tables, values
from db.importers.benchmarks import wide
from db.importers.formats import claims
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table
from db.registry import tasks

_RULE = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*")
_CELLS = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")
_MOST_DATASETS = 1_000


def takes(data: Any) -> bool:
    """Whether a JSON value is a list of tasks with tables, or one of them."""
    return any(isinstance(part, dict) and ("sota" in part or "datasets" in part) for part in _entries(data))


def _entries(data: Any) -> list[Any]:
    return data[:_MOST_DATASETS] if isinstance(data, list) else [data]


def read(name: str, data: Any) -> ImportedFile:
    """The claims of the tables of data sets that have a board here; of a single table, whatever its data set is.

    Raises:
        SubmissionError: There is no table of such a data set.
    """
    labelled = [table for entry in _entries(data) for table in _of_task(name, entry, 0)]
    return read_tables(name, labelled)


def _of_task(name: str, entry: Any, depth: int) -> Iterator[tuple[str, Table]]:
    facts = values.mapping(entry)
    if depth > 4:
        return
    for dataset in [facts, *values.items(facts.get("datasets"))]:
        rows = values.items(values.mapping(values.mapping(dataset).get("sota")).get("rows"))
        records = [_record(row) for row in rows if isinstance(row, dict)]
        if records:
            label = dataset.get("dataset") or dataset.get("dataset_name")
            yield values.words(label, 100) or "", tables.from_records(name, records)
    for inner in [*values.items(facts.get("subtasks")), *values.items(facts.get("subdatasets"))]:
        yield from _of_task(name, inner, depth + 1)


def _record(row: dict[str, Any]) -> dict[str, Any]:
    link = values.words(row.get("paper_url"), 500)
    made = {"model": row.get("model_name"), **({"link": link} if link else {})}
    metrics = values.mapping(row.get("metrics")).items()
    return made | {key: value for key, value in metrics if not isinstance(value, dict | list) and key not in made}


def markdown_tables(name: str, words: str) -> list[tuple[str, Table]]:
    """Each table of a Markdown text, with the heading above it.

    Raises:
        SubmissionError: A column has no name, or comes twice.
    """
    result: list[tuple[str, Table]] = []
    heading = ""
    lines = words.splitlines()
    number = 0
    while number < len(lines):
        title = _HEADING.fullmatch(lines[number])
        heading = _plain(title[1])[:100] if title else heading
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if "|" not in lines[number] or "|" not in below or not _RULE.fullmatch(below):
            number += 1
            continue
        columns = [cell or "model" * (not index) for index, cell in enumerate(_row(lines[number]))]
        rows, places = [], []
        number += 2
        while number < len(lines) and "|" in lines[number]:
            rows.append([*_row(lines[number]), *[""] * len(columns)][: len(columns)])
            number += 1
            places.append(number)
        tables.check_names(name, columns, f"line {number - len(rows) - 1:,}")
        if rows:
            cells = tuple(list(column) for column in zip(*rows, strict=True))
            table = Table(name, tuple(columns), cells, "line", places)
            result += wide.split(table) or [(heading, table)]
    return result


def _row(line: str) -> list[str]:
    body = line.strip().removeprefix("|")
    body = body.removesuffix("|") if not body.endswith("\\|") else body
    return [_plain(cell) for cell in _CELLS.split(body)]


def _plain(cell: str) -> str:
    """A cell without links, emphasis, code marks and line breaks."""
    body = _LINK.sub(r"\1", cell.replace("\\|", "|"))
    body = re.sub(r"<br\s*/?>", " ", body)
    return re.sub(r"\*\*|__|`|</?(?:b|i|em|strong|sup|sub)>|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])", "", body).strip()


def _has_figures(mapping: dict[str, str]) -> bool:
    return any(field.startswith("metrics.") for field in mapping.values())


def read_tables(name: str, labelled: list[tuple[str, Table]]) -> ImportedFile:
    """The claims of several tables, each with its own units; tables of data sets without a board are named.

    Args:
        name: The file's name, for messages.
        labelled: The tables, each with the heading or the task that it stands under.

    Raises:
        SubmissionError: None of them has a column with a known figure.
    """
    files: list[ImportedFile] = []
    foreign: list[str] = []
    scored = [(label, table, column_mapping.guess(column_mapping.examples(table))) for label, table in labelled]
    foreign += [label for label, _, mapping in scored if not _has_figures(mapping)]
    scored = [part for part in scored if _has_figures(part[2])]
    for label, table, mapping in scored:
        task = tasks.by_name(label)
        if task is None and "task" not in mapping.values() and len(scored) > 1:
            foreign.append(label or f"{table.unit} {table.places[0]:,}")
            continue
        file = claims.read(table, mapping, task.task_id if task else None)
        if task and "task" not in mapping.values():
            note = f"The task is that of {quoted(label)}."
            drafts = tuple({"task": task.task_id, **draft} for draft in file.drafts)
            notes = tuple(line for line in file.notes if not line.startswith("No column names the task"))
            file = replace(file, drafts=drafts, notes=(*notes, note))
        files.append(file)
    if not files:
        present = ", ".join(shown(label or "a table", 40) for label, _ in labelled[:8])
        raise FileError(name, "", f"no table of a known figure and a data set with a board here; there are {present}.")
    return ImportedFile(
        "benchmark" if len(files) > 1 else "table",
        tuple(draft for file in files for draft in file.drafts),
        unknown=listed(
            [*(f"table {label}" for label in foreign if label), *(key for file in files for key in file.unknown)]
        ),
        notes=tuple(dict.fromkeys(note for file in files for note in file.notes)),
        origins=tuple(origin for file in files for origin in file.origins),
    )
