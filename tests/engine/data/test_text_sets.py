"""Bad rows of pairs: left out and told with file, row and what is kept; refused where that is asked for."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError
from engine.cli import app as cli
from engine.data import corpora
from engine.training import run as pipeline
from engine.training.job import Job
from tests.engine.pairs import pair_recipe

TASK = "nli-en-mini"
GOOD = [{"id": f"g{i}", "premise": f"It rains {i}.", "hypothesis": f"It is wet {i}.", "label": i % 3} for i in range(6)]
TEST = [{**row, "id": f"t{index}"} for index, row in enumerate(GOOD)]
BAD: dict[str, tuple[Any, str]] = {
    "no label": ({"id": "x", "premise": "a", "hypothesis": "b", "label": -1}, "no label"),
    "a null label": ({"id": "x", "premise": "a", "hypothesis": "b", "label": None}, "no label"),
    "a known id": ({"id": "g0", "premise": "a", "hypothesis": "b", "label": 0}, "the id 'g0' again"),
    "an empty premise": ({"id": "x", "premise": " ", "hypothesis": "b", "label": 0}, "empty premise"),
    "a missing hypothesis": ({"id": "x", "premise": "a", "hypothesis": None, "label": 0}, "empty hypothesis"),
    "another encoding": (
        '{"id": "x", "premise": "비", "hypothesis": "b", "label": 0}'.encode("cp949"),
        "not UTF-8 (byte 0xba)",
    ),
}


def _write(folder: Path, train: list[Any], test: list[Any] = TEST) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("test", test)):
        lines = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]
        (folder / f"{name}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return str(folder)


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_row_is_left_out_and_told(tmp_path: Path, kind: str) -> None:
    """The others stay in their order; one line names the file, the row, what is wrong and how many are kept."""
    row, why = BAD[kind]
    corpus = corpora.load(TASK, _write(tmp_path, [*GOOD[:3], row, *GOOD[3:]]))
    assert corpus.train.ids == [f"g{i}" for i in range(6)]
    kinds = {"the id 'g0' again": "id again", "not UTF-8 (byte 0xba)": "not UTF-8"}.get(why, why)
    assert corpus.remarks == (
        f"train.jsonl: 1 row(s) left out (1 {kinds}); the first is row 4: {why}. 6 of 7 rows kept.",
    )


@pytest.mark.parametrize("kind", BAD)
def test_strict_stops_at_the_first_bad_row(tmp_path: Path, kind: str) -> None:
    """The same row, named, and how many good ones there are."""
    row, why = BAD[kind]
    with pytest.raises(DataError) as caught:
        corpora.load(TASK, _write(tmp_path, [*GOOD, row, row]), strict=True)
    message = str(caught.value)
    assert message.startswith(f"train.jsonl, row 7: {why}. Nothing was trained")
    assert "6 good rows of 8" in message
    assert "\n" not in message


def test_several_kinds_are_counted(tmp_path: Path) -> None:
    """One line for one file; the test split has its own; good data have none."""
    rows = [row for row, _ in BAD.values()]
    folder = _write(tmp_path, [*rows[:2], *GOOD, *rows[2:]], [*TEST, {**TEST[0], "label": -1, "id": "y"}])
    train, test = corpora.load(TASK, folder).remarks
    assert train == (
        "train.jsonl: 6 row(s) left out (2 no label, 1 id again, 1 empty premise, 1 empty hypothesis, 1 not UTF-8); "
        "the first is row 1: no label. 6 of 12 rows kept."
    )
    assert test == "test.jsonl: 1 row(s) left out (1 no label); the first is row 7: no label. 6 of 7 rows kept."
    assert corpora.load(TASK, _write(tmp_path / "good", GOOD)).remarks == ()


def test_a_file_without_a_good_row_is_refused(tmp_path: Path) -> None:
    """Another encoding all through: nothing is left to learn from, and the message says what may be wrong."""
    row, _ = BAD["another encoding"]
    with pytest.raises(DataError, match=r"3 row\(s\) left out .*row 1: not UTF-8.* 0 of 3 rows kept.*another encoding"):
        corpora.load(TASK, _write(tmp_path, [row] * 3))


def test_a_label_that_is_none_of_the_tasks_is_refused(tmp_path: Path) -> None:
    """Such a file is about something else: nothing is guessed."""
    for label in (3, 0.5, "good"):
        with pytest.raises(DataError, match=r"1 label\(s\) are not in 0\.\.2; the first is row 7"):
            corpora.load(TASK, _write(tmp_path, [*GOOD, {**GOOD[0], "id": "x", "label": label}]))


def test_ids_may_not_repeat_over_the_shards_of_a_split(tmp_path: Path) -> None:
    """The row is counted within its own shard, which is named."""
    for name, rows in (("train-0", GOOD[:3]), ("train-1", [GOOD[3], GOOD[0]]), ("validation_matched", TEST)):
        pd.DataFrame(rows).to_parquet(tmp_path / f"{name}.parquet")
    corpus = corpora.load("mnli", str(tmp_path))
    assert corpus.train.ids == ["g0", "g1", "g2", "g3"]
    assert corpus.remarks == (
        "train-1.parquet: 1 row(s) left out (1 id again); the first is row 2: the id 'g0' again. 1 of 2 rows kept.",
    )


def test_the_files_of_the_corpus_authors_are_read(tmp_path: Path) -> None:
    """Their columns, their labels in words, their dash where the annotators did not agree, and the genres."""
    rows = [
        {
            "gold_label": label,
            "sentence1": "It rains.",
            "sentence2": f"It is {label}.",
            "pairID": f"p{index}",
            "genre": "travel",
        }
        for index, label in enumerate(("contradiction", "-", "entailment", "neutral"))
    ]
    for name, prefix in (("train", "a"), ("dev_matched", "b")):
        lines = [json.dumps({**row, "pairID": prefix + row["pairID"]}) for row in rows]
        (tmp_path / f"multinli_1.0_{name}.jsonl").write_text("\n".join(lines), "utf-8")
    corpus = corpora.load("mnli", str(tmp_path))
    assert corpus.train.labels.tolist() == [2, 0, 1]
    assert corpus.train.ids == ["ap0", "ap2", "ap3"]
    assert corpus.train.genres == ["travel"] * 3
    assert corpus.train.take(corpus.train.labels[:1]).genres == ["travel"]
    assert len(corpus.remarks) == 2


def test_a_task_of_single_texts_leaves_nothing_out(tmp_path: Path) -> None:
    """An empty review is one like any other; a repeated id is refused, as it always was."""
    rows = [{"id": "a", "document": "", "label": 0}, {"id": "b", "document": "좋다", "label": 1}]
    folder = _write(tmp_path, rows, [{**row, "id": row["id"] * 2} for row in rows])
    assert corpora.load("reviews-ko-mini", folder).train.texts == [("",), ("좋다",)]
    with pytest.raises(DataError, match=r"1 row\(s\) repeat an id; the first is row 3, 'a'"):
        corpora.load("reviews-ko-mini", _write(tmp_path, [*rows, rows[0]]))


def test_the_run_says_what_was_left_out(board: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the terminal and on the run's page; a strict training stops before a run is listed."""
    folder = _write(tmp_path, [*GOOD, *GOOD[:2], *({**row, "id": f"h{row['id']}"} for row in GOOD)])
    recipe = pair_recipe()
    with pytest.raises(DataError, match=r"train.jsonl, row 7: the id 'g0' again"):
        pipeline.train(Job(recipe, folder, board, strict=True))
    assert board.query("SELECT count(*) AS n FROM runs WHERE source = 'measured'")["n"].iloc[0] == 0
    run_id = pipeline.train(Job(recipe, folder, board))
    message = "train.jsonl: 2 row(s) left out (2 id again); the first is row 7: the id 'g0' again. 12 of 14 rows kept."
    assert message in " ".join(capsys.readouterr().err.split()) + " ".join(capsys.readouterr().out.split())
    assert detail.run_detail(board, run_id).run["notes"].endswith(message)


def test_strict_is_an_option_of_train(tmp_path: Path) -> None:
    """It reaches the data from the command line."""
    folder = _write(tmp_path, [*GOOD, {**GOOD[0], "label": -1, "id": "x"}])
    for name in ("train", "test"):
        (tmp_path / f"{name}.jsonl").rename(
            tmp_path / {"train": "train.jsonl", "test": "validation_matched.jsonl"}[name]
        )
    result = CliRunner().invoke(cli.app, ["train", "bilstm-nli", "--data", folder, "--strict"])
    assert isinstance(result.exception, DataError)
    assert "train.jsonl, row 7: no label" in str(result.exception)
