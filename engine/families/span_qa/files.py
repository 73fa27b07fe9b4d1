"""Questions in files: SQuAD JSON, and tables with one question a row."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from engine.base.errors import DataError
from engine.data import tables

FORMS = (".json", ".csv", ".jsonl", ".parquet")
"""What is read, by the file's ending."""

COLUMNS = ("question", "context")
"""What a table must have; ``id``, and ``answers`` or one plain ``answer``, may be there too."""

_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class Gold:
    """An answer that counts as right, and the character at which it stands in the text."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        id: Unique within its set.
        question: What is asked.
        context: The text that holds the answer.
        answers: None where the question has no known answer.
        guessed: The place of the answer is a guess; see ``QAConfig.exact_offsets``.
    """

    id: str
    question: str
    context: str
    answers: tuple[Gold, ...] = ()
    guessed: bool = False


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
    there = list(columns)
    missing = [column for column in COLUMNS if column not in there]
    if missing:
        raise DataError(f"{where}: the column(s) {', '.join(missing)} are missing; found {', '.join(there) or 'none'}.")
    for number, row in enumerate(rows, start=1):
        here = f"{where}: row {number}"
        name = _id(row.get("id"), here) if "id" in there else f"{unnamed}-{begun + number}"
        asked, context = (_text("" if row.get(column) is None else row[column], column, here) for column in COLUMNS)
        golds = (
            _golds(row.get("answers"), here) if "answers" in there else _plain_gold(row.get("answer"), context, here)
        )
        yield Question(name, asked, context, golds, row.get("start_source") == "guess")


def _in_table(file: Path, unnamed: str, begun: int) -> Iterator[Question]:
    table = tables.open_table(file)
    for field in table.schema:
        held = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if field.name in COLUMNS and str(held) not in {"string", "large_string", "string_view", "null"}:
            raise DataError(f"{file}: the column {field.name!r} holds {held}, not text.")
    rows = _rows(table) if COLUMNS[0] in table.columns else ()
    return in_rows(rows, table.columns, str(file), unnamed, begun)


def _rows(table: tables.Table) -> Iterator[dict[str, Any]]:
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
    for place, article in enumerate(content["data"], start=1):
        if articles and place - 1 not in articles:
            continue
        within = f"{file}: article {place}"
        for part, paragraph in enumerate(_list(article, "paragraphs", within), start=1):
            here = f"{within}, paragraph {part}"
            asked = _list(paragraph, "qas", here)
            context = _text(paragraph.get("context"), "context", here)
            for number, one in enumerate(asked, start=1):
                begun += 1
                exactly = f"{here}, question {number}"
                if not isinstance(one, dict):
                    raise DataError(f"{exactly}: is no JSON object.")
                name = _id(one["id"], exactly) if "id" in one else f"{unnamed}-{begun}"
                yield Question(
                    name, _text(one.get("question"), "question", exactly), context, _golds(one.get("answers"), exactly)
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
    found = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(found, list):
        raise DataError(f"{where}: there is no list {key!r}.")
    return found


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
    told = _unpacked(answers, where)
    if isinstance(told, dict) and all(isinstance(told.get(key), list) for key in ("text", "answer_start")):
        texts, starts = told["text"], told["answer_start"]
    elif isinstance(told, list) and all(isinstance(one, dict) for one in told):
        texts, starts = [one.get("text") for one in told], [one.get("answer_start") for one in told]
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
