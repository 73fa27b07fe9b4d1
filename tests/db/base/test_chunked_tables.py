"""Tables as data sets come: JSON of several shapes, columns by several names, Korean text of Windows."""

import json
from pathlib import Path
from typing import Any

import pytest

from db.base.chunked_tables import open_table
from db.base.errors import DataError
from engine.data.tables import pair_columns

PAIR = {
    "guid": "klue-nli-v1_dev_00000",
    "premise": "비가 온다",
    "hypothesis": "날이 맑다",
    "gold_label": "contradiction",
}


def texts(file: Path, column: str) -> list[str | None]:
    """The texts of a column."""
    return [text for chunk in open_table(file).chunks(column, 2) for text in chunk.texts]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([PAIR, {**PAIR, "premise": "b"}], ["비가 온다", "b"]),
        ({"version": "1", "data": [PAIR]}, ["비가 온다"]),
        ({"premise": ["a", "b", "c"], "hypothesis": ["d", "e", "f"]}, ["a", "b", "c"]),
    ],
)
def test_a_table_in_json(tmp_path: Path, value: Any, expected: list[str]) -> None:
    """A list of objects as in KLUE's files, the same as ``data``, or a list for each column."""
    file = tmp_path / "pairs.json"
    file.write_text(json.dumps(value), "utf-8")
    assert texts(file, "premise") == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [("{", "no JSON that can be read"), ('{"a": [1], "b": 2}', "holds no list of objects"), ("[1]", "item 1: is not")],
)
def test_json_that_is_no_table(tmp_path: Path, body: str, message: str) -> None:
    """Refused with the file's name."""
    file = tmp_path / "pairs.json"
    file.write_text(body, "utf-8")
    with pytest.raises(DataError, match=message):
        open_table(file)


def test_korean_text_of_windows_is_read_and_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """CP949 is known by its bytes; a warning names the file."""
    file = tmp_path / "reviews.csv"
    file.write_bytes("text\n좋은 영화\n".encode("cp949"))
    assert texts(file, "text") == ["좋은 영화"]
    assert "reviews.csv was read as CP949" in caplog.text


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_what_separates_the_columns_of_a_csv_is_read_from_its_header(tmp_path: Path, separator: str) -> None:
    """Spreadsheets in many countries write semicolons; those in quotes separate nothing."""
    file = tmp_path / "reviews.csv"
    file.write_text(f'\ufeffid{separator}"text;,"\n1{separator}"good; really, good"\n', "utf-8")
    assert texts(file, "text;,") == ["good; really, good"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_named(tmp_path: Path, encoding: str) -> None:
    """It is no Korean of Windows, and converting it as that would spoil it."""
    file = tmp_path / "reviews.csv"
    file.write_bytes("\ufefftext\n좋은 영화\n".encode(encoding))
    with pytest.raises(DataError, match=r"reviews.csv: the text is in UTF-16; save it as UTF-8"):
        open_table(file)


def test_pairs_by_the_names_of_glue(tmp_path: Path) -> None:
    """The usual names are used where none was chosen; a chosen one must exist."""
    file = tmp_path / "pairs.csv"
    file.write_text("sentence1,sentence2\na,b\n", "utf-8")
    table = open_table(file)
    assert pair_columns(table, ("premise", "hypothesis")) == ("sentence1", "sentence2")
    with pytest.raises(DataError, match="no column 'x'"):
        pair_columns(table, ("x", "sentence2"))
