"""Tables of claims: one row each."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from db.base.problems import ValueProblemError
from db.importers import metric_names, spelling, values
from db.importers.benchmarks import splits
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted
from db.importers.tables import Table

MOST_ROWS = 1_000
_NUMBERS = ("params", "seed")
_FEWEST = 1_000
_MOST_DOUBTS = 5
_UNFINISHED = {"failed", "killed", "crashed", "running", "scheduled", "pending", "preempted", "aborted"}
_ANSWERS = ("metrics.em", "metrics.f1")


def read(table: Table, mapping: Mapping[str, str], task: str | None = None) -> ImportedFile:
    """The claims of a table; ``task`` is that of all rows, where no column names it.

    Raises:
        SubmissionError: There are no rows, too many, or none of a split that a board ranks.
    """
    if not len(table):
        raise FileError(table.name, "", "the table has names of columns and no rows.")
    if len(table) > MOST_ROWS:
        message = (
            f"{len(table):,} rows; a table of claims may have {MOST_ROWS:,}. Are these predictions? Then map a column "
        )
        raise FileError(table.name, "", message + "to example_id and one to predicted.")
    drafts: list[dict[str, Any]] = [{} for _ in range(len(table))]
    notes: list[str] = []
    answers = {column: table.column(column) for column, field in mapping.items() if field in _ANSWERS}
    paired = metric_names.paired_unit(answers)
    for column, field in mapping.items():
        unit = spelling.split_unit(column)[1] or (paired if field in _ANSWERS else "")
        notes += _fill(drafts, table, column, field, unit)
    doubts = [doubt for draft in drafts if (doubt := metric_names.doubt_pair(draft.get("metrics", {})))]
    notes += doubts[:_MOST_DOUBTS] if paired else []
    summaries = {
        row: draft[field]
        for row, draft in enumerate(drafts)
        for field in ("model", "seed")
        if spelling.is_summary(draft.get(field))
    }
    if summaries:
        names = ", ".join(map(quoted, list(summaries.values())[:5]))
        notes.append(f"{names}: rows that sum up others are no models and were left out.")
    other, messages = splits.other_rows(table, [draft.get("task", task) for draft in drafts])
    notes += messages
    notes += _unfinished(table)
    scored = [field.removeprefix("metrics.") for field in mapping.values() if field.startswith("metrics.")]
    notes += metric_names.validation_note(mapping, scored)
    filled = [row for row, draft in enumerate(drafts) if draft and row not in summaries and row not in other]
    if not filled and other:
        raise FileError(table.name, "", f"no row is of a split that a board ranks. {messages[0]}")
    if not filled:
        raise FileError(table.name, "", "no row says anything in the columns that are mapped.")
    empty = sum(not draft for row, draft in enumerate(drafts) if row not in other)
    if empty:
        notes.append(f"{empty} rows say nothing in the mapped columns and were left out.")
    notes += [
        f"No column names the {field}; it must be chosen or typed."
        for field in ("task", "model")
        if field not in mapping.values()
    ]
    unused = [column for column in table.columns if column not in mapping]
    return ImportedFile(
        "table",
        tuple(drafts[row] for row in filled),
        unknown=listed([*unused, *table.unread]),
        notes=tuple(notes),
        origins=tuple({field: table.cell(row, column) for column, field in mapping.items()} for row in filled),
    )


def _unfinished(table: Table) -> list[str]:
    """Name rows that a tracker calls failed or running, as the tables that MLflow and W&B export on their pages do."""
    return [
        f"{table.cell(row, column)}: {quoted(column)} is {quoted(str(cell))}; its figures may not be final."
        for column in table.columns
        if column.strip().casefold() in {"status", "state"}
        for row, cell in enumerate(table.column(column))
        if str(cell).strip().casefold() in _UNFINISHED
    ][:_MOST_DOUBTS]


def _fill(drafts: list[dict[str, Any]], table: Table, column: str, field: str, unit: str) -> list[str]:
    """Put a column's cells into the drafts, converted from the unit of its header, and return notes."""
    cells = table.column(column)
    group, _, name = field.partition(".")
    numeric = group in ("metrics", "training") or field in (*_NUMBERS, "train_seconds")
    if numeric and (table.decimal_commas or spelling.has_decimal_commas(cells)):
        cells = spelling.decimal_commas(cells)
    message: str | None = None
    if group == "metrics":
        cells, message = metric_names.fractions(name, cells, unit)
    elif field == "params" and not unit:
        cells, message = _without_tiny(cells)
    scales = {"params": spelling.COUNTS, "train_seconds": spelling.SECONDS}.get(field, {})
    if unit in scales:
        cells = [cell if values.number(cell) is None else cell * scales[unit] for cell in map(values.plain, cells)]
        cells = [round(cell) if field == "params" and values.number(cell) is not None else cell for cell in cells]
        first = next((cell for cell in cells if values.number(cell) is not None), None)
        message = f"in {unit}; the first value became {first!r}." if first is not None else None
    elsewhere = []
    for row, cell in enumerate(cells):
        if values.is_missing(cell):
            continue
        if name:
            drafts[row].setdefault(group, {})[name] = values.plain(cell)
        elif field == "train_seconds" and not _is_duration(cell):
            drafts[row].setdefault("training", {})[column[:60]] = str(cell).strip()
            elsewhere.append(row)
        else:
            is_text = table.unit == "line" and isinstance(cell, str)
            drafts[row][field] = _as_field(field, spelling.from_inert(cell) if is_text else cell)
    notes = [f"Column {quoted(column)}: {message}"] if message else []
    return notes + _told_elsewhere(table, column, elsewhere)


def _without_tiny(cells: list[Any]) -> tuple[list[Any], str | None]:
    """Leave numbers of parameters open that no model is as small as: millions, perhaps, without their unit."""
    tiny = [0 < (values.number(values.plain(cell)) or 0) < _FEWEST for cell in cells]
    if not any(tiny):
        return cells, None
    made = [f"{cell} {metric_names.QUESTION}" if small else cell for cell, small in zip(cells, tiny, strict=True)]
    first = next(cell for cell, small in zip(made, tiny, strict=True) if small)
    return made, f"{first}: fewer parameters than any model has; write them out, or with their unit, such as 66M."


def _is_duration(cell: Any) -> bool:
    try:
        values.seconds(unicodedata.normalize("NFC", cell) if isinstance(cell, str) else cell)
    except ValueProblemError:
        return False
    return True


def _as_field(field: str, cell: Any) -> Any:
    if field in _NUMBERS or field == "train_seconds":
        plain = values.plain(unicodedata.normalize("NFC", cell) if isinstance(cell, str) else cell)
        whole = values.whole(plain, least=-(2**53)) if field in _NUMBERS else None
        return plain if whole is None else whole
    return unicodedata.normalize("NFC", cell.strip()) if isinstance(cell, str) else str(cell)


def _told_elsewhere(table: Table, column: str, rows: list[int]) -> list[str]:
    if not rows:
        return []
    cells = table.column(column)
    examples = ", ".join(f"{quoted(cells[row])} ({table.unit} {table.places[row]:,})" for row in rows[:5])
    more = f" and {len(rows) - 5:,} more" if len(rows) > 5 else ""
    return [f"The column {quoted(column)} holds {examples}{more}, which is no duration; it was kept under training."]
