"""Data: every form that is read, every mistake in one line, and hashes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.base.errors import DataError
from engine.data import corpora
from engine.data.sources import SOURCES
from tests import paths
from tests.factories.command_line import one_line
from tests.factories.recipes import REPO, toy_set, write_reviews

ROWS = [{"id": "a", "document": "좋은 영화", "label": 1}, {"id": "b", "document": "나쁜 영화", "label": 0}]
OTHER = [{"id": "c", "document": "멋진 음악", "label": 1}, {"id": "d", "document": "지루한 책", "label": 0}]
PAIRS = [
    {"premise": "It rains.", "hypothesis": "It is wet.", "label": 0, "idx": 0},
    {"premise": "He ran.", "hypothesis": "He sat.", "label": 2, "idx": 1},
]


def _jsonl(folder: Path, train: list[Any] = ROWS, test: list[Any] = OTHER) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("train", train), ("test", test)):
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return str(folder)


def _parquet(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_parquet(file, index=False)


def _one_line(task_id: str, folder: str | None) -> str:
    return one_line(lambda: corpora.load(task_id, folder), DataError)


def test_json_lines_are_read(tmp_path: Path) -> None:
    """A folder with train.jsonl and test.jsonl gives ids, texts and labels in the order of the files."""
    corpus = corpora.load("reviews-ko-mini", _jsonl(tmp_path))
    assert corpus.train.ids == ["a", "b"]
    assert corpus.train.texts == [("좋은 영화",), ("나쁜 영화",)]
    assert corpus.train.labels.tolist() == [1, 0]
    assert corpus.test.ids == ["c", "d"]


def test_json_lines_end_at_line_feeds_only(tmp_path: Path) -> None:
    """A line separator inside a text, which JSON leaves as it is, does not cut the row in two."""
    row = {"id": "x", "document": "한 줄\u2028두 줄\u0085끝", "label": 1}
    assert corpora.load("reviews-ko-mini", _jsonl(tmp_path, [row, *ROWS])).train.texts[0] == (row["document"],)


@pytest.mark.parametrize("layout", ["{}.parquet", "data/{}-00000-of-00001.parquet"])
def test_hub_layout_parquet_is_read(tmp_path: Path, layout: str) -> None:
    """Parquet files are found in the folder and in the hub's data/ folder, under the hub's shard names."""
    _parquet(tmp_path / layout.format("train"), ROWS)
    _parquet(tmp_path / layout.format("test"), OTHER)
    corpus = corpora.load("nsmc", str(tmp_path))
    assert (corpus.train.ids, corpus.test.ids) == (["a", "b"], ["c", "d"])


def test_shards_are_joined_in_order(tmp_path: Path) -> None:
    """Several shards of a split are one split."""
    _parquet(tmp_path / "data/train-00000-of-00002.parquet", ROWS[:1])
    _parquet(tmp_path / "data/train-00001-of-00002.parquet", ROWS[1:])
    _parquet(tmp_path / "data/test-00000-of-00001.parquet", OTHER)
    assert corpora.load("nsmc", str(tmp_path)).train.ids == ["a", "b"]


def test_a_folder_of_data_sets_is_searched(tmp_path: Path) -> None:
    """--data may name the folder that holds a data set's folder."""
    _parquet(tmp_path / "nsmc/train.parquet", ROWS)
    _parquet(tmp_path / "nsmc/test.parquet", OTHER)
    assert len(corpora.load("nsmc", str(tmp_path)).train) == 2


def test_pairs_in_hub_layout_get_ids_of_their_split(tmp_path: Path) -> None:
    """The hub numbers examples from 0 in every split; here train and test do not share an id."""
    _parquet(tmp_path / "mnli/train-00000-of-00001.parquet", PAIRS)
    _parquet(tmp_path / "mnli/validation_matched-00000-of-00001.parquet", PAIRS)
    corpus = corpora.load("mnli", str(tmp_path))
    assert corpus.train.texts[0] == ("It rains.", "It is wet.")
    assert (corpus.train.ids, corpus.test.ids) == (["train-0", "train-1"], ["test-0", "test-1"])


def test_rows_without_an_id_get_one(tmp_path: Path) -> None:
    """Data without ids are numbered within their split, so that predictions can be told apart."""
    bare = [[{key: row[key] for key in ("document", "label")} for row in rows] for rows in (ROWS, OTHER)]
    corpus = corpora.load("reviews-ko-mini", _jsonl(tmp_path, *bare))
    assert len({*corpus.train.ids, *corpus.test.ids}) == 4


def test_the_official_nsmc_files_are_read_as_they_are(tmp_path: Path) -> None:
    """Lone quotation marks, the word NA and empty documents are content: no row is joined, lost or changed."""
    head = "id\tdocument\tlabel\n"
    train = ['1\t"최고\t1', "2\t\t0", '3\t그는 "좋다"고\t1', "4\tNA\t0", '007\t별로"\t0']
    (tmp_path / "ratings_train.txt").write_text(head + "\n".join(train) + "\n", "utf-8")
    (tmp_path / "ratings_test.txt").write_text(head + "9\t굳 ㅋ\t1\n", "utf-8")
    corpus = corpora.load("nsmc", str(tmp_path))
    assert corpus.train.ids == ["1", "2", "3", "4", "007"]
    assert [text for (text,) in corpus.train.texts] == ['"최고', "", '그는 "좋다"고', "NA", '별로"']
    assert corpus.train.labels.tolist() == [1, 0, 1, 0, 0]


def test_a_missing_text_is_an_empty_one(tmp_path: Path) -> None:
    """A null document is kept as an empty text, not as the word None."""
    corpus = corpora.load("reviews-ko-mini", _jsonl(tmp_path, [{**ROWS[0], "document": None}, ROWS[1]]))
    assert corpus.train.texts[0] == ("",)


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    """A folder that is not there is named, with what it should hold; a file is not a folder."""
    message = _one_line("nsmc", str(tmp_path / "nowhere"))
    assert "nowhere" in message
    assert "ratings_train.txt" in message
    (tmp_path / "file").write_text("x")
    assert "There is no folder" in _one_line("nsmc", str(tmp_path / "file"))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    """A folder without the test split names the patterns that were tried, the split and the task."""
    _parquet(tmp_path / "train.parquet", ROWS)
    message = _one_line("nsmc", str(tmp_path))
    assert "ratings_test.txt" in message
    assert "test split of nsmc" in message


def test_a_missing_column_is_told(tmp_path: Path) -> None:
    """A file without a needed column names it and those that were found."""
    rows = [{"id": "a", "text": "좋은", "label": 1}]
    message = _one_line("reviews-ko-mini", _jsonl(tmp_path, rows))
    assert "train.jsonl" in message
    assert "column(s) document are missing" in message
    assert "id, text, label" in message


@pytest.mark.parametrize("label", [2, -1, 0.5, "good", None])
def test_an_impossible_label_is_told_with_its_row(tmp_path: Path, label: Any) -> None:
    """A label outside the task's range names its row, counted from 1, and the range; nothing is dropped."""
    message = _one_line("reviews-ko-mini", _jsonl(tmp_path, [*ROWS, {"id": "x", "document": "흠", "label": label}]))
    assert "train.jsonl: 1 label(s) are not in 0..1" in message
    assert "row 3" in message


def test_a_truncated_parquet_file_is_told(tmp_path: Path) -> None:
    """A Parquet file that was cut off is named, with the suspicion."""
    _parquet(tmp_path / "train.parquet", ROWS)
    whole = (tmp_path / "train.parquet").read_bytes()
    (tmp_path / "train.parquet").write_bytes(whole[: len(whole) // 2])
    message = _one_line("nsmc", str(tmp_path))
    assert "train.parquet: cannot be read" in message
    assert "cut off" in message


def test_a_broken_json_line_is_told_with_its_row(tmp_path: Path) -> None:
    """A line that is not JSON, or not an object, names its row."""
    message = _one_line("reviews-ko-mini", _jsonl(tmp_path, [*ROWS, '{"id": "x", "docu']))
    assert "train.jsonl, line 3: " in message
    assert "line 2: is not a JSON object" in _one_line("reviews-ko-mini", _jsonl(tmp_path, [ROWS[0], "[1, 2]"]))


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    """A split without rows is refused."""
    assert "test.jsonl: holds no rows" in _one_line("reviews-ko-mini", _jsonl(tmp_path, ROWS, []))


def test_a_repeated_id_is_told_with_its_row(tmp_path: Path) -> None:
    """Two rows with one id are refused: the message names the row that repeats it and the id."""
    message = _one_line("reviews-ko-mini", _jsonl(tmp_path, [*ROWS, {**ROWS[0], "document": "또"}]))
    assert "1 row(s) repeat an id; the first is row 3, 'a'" in message


def test_an_id_in_train_and_test_is_told(tmp_path: Path) -> None:
    """An example that stands in both splits is refused by its id."""
    message = _one_line("reviews-ko-mini", _jsonl(tmp_path, ROWS, [*OTHER, ROWS[1]]))
    assert "1 id(s) are in both train and test, the first is 'b'" in message


def test_data_that_do_not_ship_ask_for_their_folder() -> None:
    """Without --data, a task whose data are not shipped says what to name, and which corpora need nothing."""
    message = _one_line("nsmc", None)
    assert "--data" in message
    assert "reviews-ko-mini" in message


def test_an_unknown_task_is_told() -> None:
    """A task without a loader names those that have one."""
    assert "nsmc" in _one_line("imdb", None)


def test_the_hub_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the hub cannot be reached, one line says why, and that a folder can be named instead."""
    import datasets

    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("Couldn't reach the Hub\nsecond line")

    monkeypatch.setattr(datasets, "load_dataset", refuse)
    message = _one_line("mnli", "hub")
    assert "nyu-mll/glue could not be loaded from the hub (Couldn't reach the Hub)" in message
    assert "--data" in message


def test_the_hub_is_not_asked_for_what_it_does_not_have() -> None:
    """A task without a loadable hub copy says to download its files."""
    assert "name their folder with --data" in _one_line("nsmc", "hub")


def test_the_hubs_splits_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the hub, train is train and the scored split is the task's, with ids that differ between them."""
    import datasets

    requests = []

    def load_dataset(*what: str) -> dict[str, Any]:
        requests.append(what)
        part = datasets.Dataset.from_list(PAIRS)
        return {"train": part, "validation_matched": part.select([0])}

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    corpus = corpora.load("mnli", "hub")
    assert requests == [("nyu-mll/glue", "mnli")]
    assert (corpus.train.ids, corpus.test.ids) == (["train-0", "train-1"], ["test-0"])


@pytest.mark.parametrize("change", [{"document": "좋은 영화!"}, {"label": 0}, {"id": "z"}])
def test_the_hash_sees_every_text_label_and_id(tmp_path: Path, change: dict[str, Any]) -> None:
    """A corpus that differs in one text, label or id, in either split, has another hash; the same one has the same."""
    before = corpora.load("reviews-ko-mini", _jsonl(tmp_path / "0")).sha256
    assert corpora.load("reviews-ko-mini", _jsonl(tmp_path / "1")).sha256 == before
    in_train, in_test = [{**ROWS[0], **change}, ROWS[1]], [{**OTHER[0], **change}, OTHER[1]]
    assert corpora.load("reviews-ko-mini", _jsonl(tmp_path / "2", in_train)).sha256 != before
    assert corpora.load("reviews-ko-mini", _jsonl(tmp_path / "3", ROWS, in_test)).sha256 != before


def test_the_hash_sees_order_and_where_a_text_ends() -> None:
    """Rows in another order, or a pair split elsewhere, are other data."""
    ids, labels = ["a", "b"], np.array([0, 1])
    first = corpora.make_set(ids, [("ab", "c"), ("d", "e")], labels).sha256
    assert corpora.make_set(ids, [("a", "bc"), ("d", "e")], labels).sha256 != first
    assert corpora.make_set(ids[::-1], [("d", "e"), ("ab", "c")], labels[::-1]).sha256 != first


def test_parquet_and_json_lines_with_the_same_rows_hash_alike(tmp_path: Path) -> None:
    """The hash is of the content, not of the file format."""
    _parquet(tmp_path / "p/train.parquet", ROWS)
    _parquet(tmp_path / "p/test.parquet", OTHER)
    lines = corpora.load("reviews-ko-mini", _jsonl(tmp_path / "j"))
    assert corpora.load("nsmc", str(tmp_path / "p")).sha256 == lines.sha256


def test_a_part_of_a_set_keeps_ids_texts_and_labels_together() -> None:
    """Taking some rows takes their ids, texts and labels, in the order asked for."""
    whole = toy_set(6)
    part = whole.take(np.array([4, 1]))
    assert (part.ids, part.texts) == (["t-4", "t-1"], [whole.texts[4], whole.texts[1]])
    assert part.labels.tolist() == [0, 1]
    assert part.sha256 != whole.sha256


def test_texts_known_from_train_are_found() -> None:
    """A test text that occurs in train is not unseen, whatever its id."""
    train = corpora.make_set(["a"], [("같은 글",)], np.array([0]))
    test = corpora.make_set(["b", "c"], [("같은 글",), ("다른 글",)], np.array([0, 1]))
    assert corpora.unseen(train, test).tolist() == [False, True]


@pytest.mark.parametrize(("task_id", "train", "test"), [("reviews-ko-mini", 400, 200), ("nli-en-mini", 600, 300)])
def test_shipped_corpora_load(task_id: str, train: int, test: int) -> None:
    """The mini corpora load without a folder, and a copy of their folder loads to the same hash."""
    corpus = corpora.load(task_id, None)
    assert (len(corpus.train), len(corpus.test)) == (train, test)
    folder = SOURCES[task_id].corpus
    assert corpora.load(task_id, str(paths.REPO / "db" / "registry" / "corpora" / str(folder))).sha256 == corpus.sha256


def test_helper_folders_are_readable(tmp_path: Path) -> None:
    """The toy task on disk is the toy task in memory."""
    corpus = corpora.load("reviews-ko-mini", str(write_reviews(tmp_path / "toy")))
    assert corpus.train.texts == toy_set(48, 0).texts


def test_the_official_nsmc_folder_loads() -> None:
    """The whole NSMC is read: 150,000 and 50,000 reviews with two labels."""
    folder = REPO.parent / "shared" / "data" / "nsmc"
    if not folder.is_dir():
        pytest.skip(f"the NSMC is not in {folder}")
    corpus = corpora.load("nsmc", str(folder))
    assert (len(corpus.train), len(corpus.test)) == (150_000, 50_000)
    assert set(corpus.train.labels.tolist()) == {0, 1}
    assert not corpora.unseen(corpus.train, corpus.test).all()
