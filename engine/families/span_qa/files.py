"""Questions in files: SQuAD JSON, and tables with one question a row."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from db.base.chunked_tables import Table, open_table
from engine.base.errors import DataError
from engine.data.question import Gold, Question

FORMS = (".json", ".csv", ".jsonl", ".parquet")
"""What is read, by the file's ending."""

COLUMNS = ("question", "context")
"""What a table must have; ``id``, and ``answers`` or one plain ``answer``, may be there too."""

_CHUNK = 10_000


def in_file(
    file: Path, unnamed: str | None = None, begun: int = 0, articles: range | None = None
) -> Iterator[Question]:
    """The questions of one file, in order.

    Args:
        file: Its ending says what it is.
        unnamed: A question without an id is called like this, with its number; None: ``row`` or ``question``.
        begun: Questions of other files that are counted before its own.
        articles: Articles of a SQuAD file, from 0, that are taken; None: all.

    Raises:
        DataError: It is not there, or cannot be used; the message names the file and the place in it.
    """
    suffix = file.suffix.lower()
    if suffix not in FORMS:
        raise DataError(f"{file}: {file.suffix or 'a file without an ending'} is not read; use {', '.join(FORMS)}.")
    if not file.is_file():
        raise DataError(f"There is no file {file}.")
    if suffix == ".json":
        return _in_squad(file, unnamed or "question", begun, articles)
    return _in_table(file, unnamed or "row", begun)


def in_rows(
    rows: Iterable[dict[str, Any]], columns: Iterable[str], where: str, unnamed: str = "row", begun: int = 0
) -> Iterator[Question]:
    """The questions of a table's rows; see ``in_file``.

    Args:
        rows: Values by column.
        columns: All that the table has.
        where: Names the table in errors.
        unnamed: See ``in_file``.
        begun: See ``in_file``.
    """
    known = list(columns)
    missing = [column for column in COLUMNS if column not in known]
    if missing:
        raise DataError(f"{where}: the column(s) {', '.join(missing)} are missing; found {', '.join(known) or 'none'}.")
    for number, row in enumerate(rows, start=1):
        location = f"{where}: row {number}"
        name = _id(row.get("id"), location) if "id" in known else f"{unnamed}-{begun + number}"
        question, context = (
            _text("" if row.get(column) is None else row[column], column, location) for column in COLUMNS
        )
        golds = (
            _golds(row.get("answers"), location)
            if "answers" in known
            else _plain_gold(row.get("answer"), context, location)
        )
        impossible = row.get("is_impossible") is True and not golds
        yield Question(name, question, context, golds, row.get("start_source") == "guess", impossible)


def _in_table(file: Path, unnamed: str, begun: int) -> Iterator[Question]:
    table = open_table(file)
    for field in table.schema:
        held = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if field.name in COLUMNS and str(held) not in {"string", "large_string", "string_view", "null"}:
            raise DataError(f"{file}: the column {field.name!r} holds {held}, not text.")
    rows = _rows(table) if COLUMNS[0] in table.columns else ()
    return in_rows(rows, table.columns, str(file), unnamed, begun)


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    for chunk in table.chunks(COLUMNS[0], _CHUNK):
        yield from chunk.rows if isinstance(chunk.rows, list) else chunk.rows.to_pylist()


def _in_squad(file: Path, unnamed: str, begun: int, articles: range | None) -> Iterator[Question]:
    content = _json(file)
    if not isinstance(content, dict) or not isinstance(content.get("data"), list):
        raise DataError(f"{file}: this is no SQuAD file: there is no list 'data'.")
    if articles and len(content["data"]) < articles.stop:
        raise DataError(
            f"{file}: holds {len(content['data'])} articles, and {articles.stop} are needed. Is it cut off?"
        )
    for index, article in enumerate(content["data"]):
        if articles and index not in articles:
            continue
        within = f"{file}: article {index + 1}"
        for part, paragraph in enumerate(_list(article, "paragraphs", within), start=1):
            location = f"{within}, paragraph {part}"
            entries = _list(paragraph, "qas", location)
            context = _text(paragraph.get("context"), "context", location)
            for number, entry in enumerate(entries, start=1):
                begun += 1
                exactly = f"{location}, question {number}"
                if not isinstance(entry, dict):
                    raise DataError(f"{exactly}: is no JSON object.")
                own = entry.get("id", entry.get("guid"))  # KLUE's files have a guid
                name = f"{unnamed}-{begun}" if own is None else _id(own, exactly)
                golds = _golds(entry.get("answers"), exactly)
                yield Question(
                    name,
                    _text(entry.get("question"), "question", exactly),
                    context,
                    golds,
                    impossible=entry.get("is_impossible") is True and not golds,
                )


def _json(file: Path) -> Any:
    try:
        return json.loads(file.read_bytes().decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"{file}: not UTF-8 (byte {error.start + 1}). Convert it first.") from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"{file}: not JSON: {error.msg} in line {error.lineno}, column {error.colno}. Is it cut off, or another "
            "format?"
        ) from None
    except RecursionError:
        raise DataError(f"{file}: cannot be used: its lists lie too deep in each other.") from None


def _list(holder: Any, key: str, where: str) -> list[Any]:
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, list):
        raise DataError(f"{where}: there is no list {key!r}.")
    return value


def _text(value: Any, what: str, where: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"{where}: the {what} is no text but {json.dumps(value, default=str)[:40]}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{where}: the {what} holds half a character (a lone surrogate).") from None
    return value


def _id(value: Any, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise DataError(f"{where}: the id is {json.dumps(value, default=str)[:40]}; give each question one, or none.")
    return _text(value, "id", where)


def _golds(answers: Any, where: str) -> tuple[Gold, ...]:
    """Answers as SQuAD has them (a list of objects) or as the hub does (an object of two lists), or either as JSON."""
    if answers is None or answers == "":
        return ()
    entries = _unpacked(answers, where)
    if isinstance(entries, dict) and all(isinstance(entries.get(key), list) for key in ("text", "answer_start")):
        texts, starts = entries["text"], entries["answer_start"]
    elif isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        texts, starts = [entry.get("text") for entry in entries], [entry.get("answer_start") for entry in entries]
    else:
        raise DataError(
            f"{where}: the answers are neither a list of objects nor an object of the lists text and answer_start."
        )
    if len(texts) != len(starts):
        raise DataError(f"{where}: there are {len(texts)} answers and {len(starts)} places for them.")
    for start in starts:
        if not isinstance(start, int) or isinstance(start, bool) or start < 0:
            raise DataError(f"{where}: answer_start is {json.dumps(start, default=str)[:40]}, and no place in a text.")
    return tuple(Gold(_text(text, "answer", where), start) for text, start in zip(texts, starts, strict=True))


def _plain_gold(answer: Any, context: str, where: str) -> tuple[Gold, ...]:
    """One answer as text alone; it counts from the first place where it stands, or from 0 where it stands nowhere."""
    if answer is None or answer == "":
        return ()
    text = _text(answer, "answer", where)
    return (Gold(text, max(0, context.find(text))),)


def _unpacked(answers: Any, where: str) -> Any:
    if not isinstance(answers, str):
        return answers
    try:
        return json.loads(answers)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: the answers are not JSON ({error}).") from None
