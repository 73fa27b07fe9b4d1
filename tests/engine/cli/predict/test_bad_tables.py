"""Tables that cannot be read, and outputs that cannot be written: told in words, and nothing is left behind."""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.base.errors import DataError
from engine.data import tables
from engine.inference import classification as predict
from tests.engine.cli.predict.conftest import Run
from tests.engine.cli.predict.table_files import FORMS, LABELS, assert_nothing_beside, read, write
from tests.factories.recipes import toy_set

BAD: dict[str, tuple[str, bytes, str]] = {
    "no such file": ("gone.csv", b"", "There is no file"),
    "another suffix": ("in.xlsx", b"x", "the name must end in .csv, .tsv, .txt, .json, .jsonl, .parquet"),
    "empty csv": ("in.csv", b"", "is empty"),
    "empty jsonl": ("in.jsonl", b"\n", "is empty"),
    "no text column": ("in.csv", b"a,b\n1,2\n", "no column called document, text, review, sentence"),
    "column twice": ("in.csv", b"text,a,a\n1,2,3\n", "two columns are called 'a'"),
    "short row": ("in.csv", b"text,b\n1,2\n1\n", "line 3: 1 values, but the header names 2"),
    "lone quote": ("in.tsv", b'text\tb\n"a\t1\nb"c\t2\n', "line 3: "),
    "open quote": ("in.csv", b'text,b\n"a,1\n', "line 2: unexpected end of data"),
    "not utf-8": ("in.csv", b"text\ncaf\xe9\n", "line 2: not UTF-8"),
    "not utf-8 jsonl": ("in.jsonl", b'{"text": "\xe9"}\n', "line 1: not UTF-8"),
    "malformed json": ("in.jsonl", b'{"text": "a"}\n{"text": \n', "line 2: "),
    "no object": ("in.jsonl", b'{"text": "a"}\n["a"]\n', "line 2: is not a JSON object"),
    "half a surrogate": ("in.jsonl", b'{"text": "\\ud800"}\n', "line 1: cannot be used"),
    "a number": ("in.jsonl", b'{"text": "a"}\n{"text": 5}\n', "line 2: text is not a text but 5"),
    "no parquet": ("in.parquet", b"PAR1 not", "cannot be read as Parquet"),
}


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_bad_input_leaves_nothing_behind(run: Run, model: str, tmp_path: Path, case: str, force: bool) -> None:
    """Each wrong input is told in one line, and no output appears; one that --force would replace stays as it was."""
    name, given_bytes, message = BAD[case]
    source, target = tmp_path / "in" / name, tmp_path / "out" / "out.csv"
    for path in (source, target):
        path.parent.mkdir()
    if name != "gone.csv":
        source.write_bytes(given_bytes)
    if force:
        target.write_text("precious")
    code, out, err = run("--model", model, "--input", source, "--output", target, *(["--force"] if force else []))
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err
    (line,) = [line for line in err.splitlines() if line.startswith("Error")]
    assert str(source) in line
    assert_nothing_beside(target.parent, *(["out.csv"] if force else []))
    assert not force or target.read_text() == "precious"


@pytest.mark.parametrize("keep", [0.5, 0.9, 0.999])
def test_a_truncated_parquet_file_is_told(run: Run, model: str, tmp_path: Path, keep: float) -> None:
    """However much of the end is missing, one line says so and nothing is written."""
    whole = write(tmp_path / "whole.parquet", [{"text": text[0]} for text in toy_set(300).texts]).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: int(len(whole) * keep)])
    (tmp_path / "out").mkdir()
    code, _, err = run("--model", model, "--input", tmp_path / "cut.parquet", "--output", tmp_path / "out" / "o.csv")
    assert code == 1
    assert "cut.parquet: cannot be read as Parquet" in err
    assert_nothing_beside(tmp_path / "out")


def test_a_parquet_file_that_is_damaged_inside_is_told(run: Run, model: str, tmp_path: Path) -> None:
    """Damage that shows only after some rows were answered leaves nothing behind either."""
    rows = [{"text": text[0] * 20} for text in toy_set(3000).texts]
    pd.DataFrame(rows).to_parquet(tmp_path / "in.parquet", row_group_size=1000, compression="gzip")
    whole = bytearray((tmp_path / "in.parquet").read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 400] = bytes(400)
    (tmp_path / "in.parquet").write_bytes(whole)
    code, _, err = run("--model", model, "--input", tmp_path / "in.parquet", "--output", tmp_path / "out.parquet")
    assert code == 1
    assert "in.parquet: cannot be read as Parquet" in err
    assert_nothing_beside(tmp_path, "in.parquet")


def test_columns_that_cannot_be_texts_or_kept_are_told(run: Run, model: str, tmp_path: Path) -> None:
    """Numbers are not classified, and bytes are kept by Parquet alone."""
    pq.write_table(pa.table({"text": [1, 2], "review": ["좋은", "책"], "raw": [b"a", b"b"]}), tmp_path / "in.parquet")
    code, _, err = run("--model", model, "--input", tmp_path / "in.parquet", "--output", tmp_path / "out.csv")
    assert code == 1
    assert "the column 'text' holds int64, not text; name another by --column" in err
    chosen = ("--model", model, "--input", tmp_path / "in.parquet", "--column", "review", "--output")
    code, _, err = run(*chosen, tmp_path / "out.csv")
    assert code == 1
    assert "The column 'raw' holds bytes" in err
    assert_nothing_beside(tmp_path, "in.parquet")
    assert run(*chosen, tmp_path / "out.parquet")[0] == 0


def test_the_output_is_never_overwritten_unasked(run: Run, model: str, tmp_path: Path) -> None:
    """A file that is there stays unless --force is given; the input is never the output, under whatever name."""
    source = write(tmp_path / "in.csv", [{"text": "책"}])
    before = source.read_bytes()
    target = tmp_path / "out.csv"
    target.write_text("precious")
    code, _, err = run("--model", model, "--input", source, "--output", target)
    assert code == 1
    assert "was left as it is. Overwrite it with --force." in err
    assert target.read_text() == "precious"
    (tmp_path / "link.csv").symlink_to(source)
    for same in (source, tmp_path / "link.csv", tmp_path / "." / "in.csv"):
        code, _, err = run("--model", model, "--input", source, "--output", same, "--force")
        assert code == 1
        assert "input and output are the same file" in err
        assert source.read_bytes() == before
    assert run("--model", model, "--input", source, "--output", target, "--force")[0] == 0
    assert read(target)[0]["prediction"] in LABELS


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.txt", "must end in .csv, .tsv, .jsonl, .parquet"),
        ("nowhere/out.csv", "there is no folder"),
        ("folder.csv", "is a folder; name a file"),
    ],
)
def test_an_impossible_output_is_told(run: Run, model: str, tmp_path: Path, name: str, message: str) -> None:
    """A name without a known form, a missing folder, a folder in its place."""
    source = write(tmp_path / "in.csv", [{"text": "책"}])
    (tmp_path / "folder.csv").mkdir()
    code, _, err = run("--model", model, "--input", source, "--output", tmp_path / name, "--force")
    assert code == 1
    assert message in err
    assert_nothing_beside(tmp_path, "in.csv", "folder.csv")


@pytest.mark.parametrize("form", FORMS)
def test_ctrl_c_leaves_no_half_file(
    run: Run, model: str, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle, there is no output, and one that --force would have replaced is as it was."""
    source = write(tmp_path / f"in{form}", [{"text": text[0]} for text in toy_set(20).texts])
    target = tmp_path / f"out{form}"
    target.write_text("precious")
    monkeypatch.setattr(predict, "CHUNK", 7)
    original, calls = predict.answer_rows, []

    def stopping(*arguments: Any) -> predict.Answers:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(predict, "answer_rows", stopping)
    code, _, err = run("--model", model, "--input", source, "--output", target, "--force")
    assert code != 0
    assert "Traceback" not in err
    assert target.read_text() == "precious"
    assert_nothing_beside(tmp_path, source.name, target.name)


def test_an_output_that_appears_meanwhile_is_kept(model: str, tmp_path: Path) -> None:
    """What another process wrote while the texts were classified is not overwritten."""
    target = tmp_path / "out.csv"

    def work() -> None:
        with tables.replacing(target, force=False) as part:
            part.write_text("ours")
            target.write_text("theirs")

    with pytest.raises(DataError, match="exists and was left"):
        work()
    assert target.read_text() == "theirs"
    assert_nothing_beside(tmp_path, "out.csv")
