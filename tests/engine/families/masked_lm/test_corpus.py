"""Running text: what is read from a folder, what is refused, and which documents are scored."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.base.errors import DataError
from engine.families.masked_lm import corpus
from engine.recipes.schema import TextConfig, TrainConfig
from tests import paths
from tests.factories.command_line import one_line
from tests.factories.masked_lm import write_text

REAL = paths.SHARED / "data"


def _load(folder: Path | str | None, **changes: Any) -> corpus.Text:
    return corpus.load(TextConfig(**changes), str(folder) if folder is not None else None)


def _texts(loaded: corpus.Text) -> set[str]:
    return {text for document in [*loaded.train, *loaded.scored] for text in document.texts}


def test_files_of_every_form_are_read_together(tmp_path: Path) -> None:
    """Parquet, JSONL and plain lines; a text that stands twice counts once, in the first file, and blanks never."""
    (tmp_path / "squad").mkdir()
    pd.DataFrame({"title": ["A", "A", "B"], "context": ["one", "two", "one"], "question": ["?", "?", "?"]}).to_parquet(
        tmp_path / "squad" / "train.parquet"
    )
    (tmp_path / "more.jsonl").write_text('{"text": "three"}\n{"text": null}\n{"text": "two"}\n')
    (tmp_path / "lines.txt").write_text("four\n\n  \nfive\nfour\n")
    loaded = _load(tmp_path)
    assert _texts(loaded) == {"one", "two", "three", "four", "five"}
    assert loaded.files == {"squad/train.parquet": 2, "more.jsonl": 1, "lines.txt": 2}
    assert {document.name: document.texts for document in [*loaded.train, *loaded.scored]}["A"] == ("one", "two")


def test_other_files_and_columns_are_read_when_the_recipe_says_so(tmp_path: Path) -> None:
    """A folder of another make needs its patterns, its column of texts and its column of documents."""
    pd.DataFrame({"body": ["x", "y", "z"], "page": [1, 1, 2]}).to_parquet(tmp_path / "dump-0.parquet")
    message = one_line(lambda: _load(tmp_path), DataError)
    assert "holds no text: none of squad/train*.parquet" in message
    assert "--set 'text.files=" in message
    message = one_line(lambda: _load(tmp_path, files=["dump*"]), DataError)
    assert "there is no column text or context; found body, page" in message
    loaded = _load(tmp_path, files=["dump*"], columns=["body"], document="page")
    assert sorted(document.texts for document in [*loaded.train, *loaded.scored]) == [("x", "y"), ("z",)]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    """No folder, the hub, a damaged file, another encoding, numbers for texts, one document: one line each."""
    assert "There is no folder" in one_line(lambda: _load(tmp_path / "nowhere"), DataError)
    assert "--data DIR" in one_line(lambda: _load("hub"), DataError)
    (tmp_path / "text.parquet").write_text("no table")
    assert "text.parquet: cannot be read" in one_line(lambda: _load(tmp_path), DataError)
    (tmp_path / "text.parquet").unlink()
    (tmp_path / "a.txt").write_bytes("Übung".encode("latin-1"))
    assert "a.txt: not UTF-8 (at byte 0)" in one_line(lambda: _load(tmp_path), DataError)
    (tmp_path / "a.txt").unlink()
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n{"text": 5}\n')
    assert "the column text holds int, not texts" in one_line(lambda: _load(tmp_path), DataError)
    (tmp_path / "a.jsonl").write_text('{"text": "x"}\n')
    assert "makes 1 document(s)" in one_line(lambda: _load(tmp_path), DataError)


def test_a_pickled_table_is_never_opened(tmp_path: Path) -> None:
    """A pattern that finds a pickle finds no text in it."""
    pd.DataFrame({"text": ["x", "y"]}).to_pickle(tmp_path / "text.pkl")
    assert "holds no text" in one_line(lambda: _load(tmp_path, files=["*"]), DataError)


def test_scored_documents_are_never_read_and_do_not_depend_on_a_seed(tmp_path: Path) -> None:
    """A fifth of the documents is scored, the same ones whatever else the folder's order is."""
    folder = write_text(tmp_path / "a")
    loaded = _load(folder, held=0.2)
    assert len(loaded.scored) == 4
    assert len(loaded.train) == 16
    assert not {document.name for document in loaded.scored} & {document.name for document in loaded.train}
    lines = (folder / "text.jsonl").read_text().splitlines()
    other = tmp_path / "b"
    other.mkdir()
    (other / "text.jsonl").write_text("\n".join(reversed(lines)))
    again = _load(other, held=0.2)
    assert {document.name for document in again.scored} == {document.name for document in loaded.scored}
    assert again.sha256 != loaded.sha256


def test_the_hash_sees_texts_and_which_are_scored(tmp_path: Path) -> None:
    """The same text has the same hash in another folder; one letter or another part held out changes it."""
    first, second = write_text(tmp_path / "a"), write_text(tmp_path / "b")
    assert _load(first).sha256 == _load(second).sha256
    assert _load(first).sha256 != _load(first, held=0.4).sha256
    rows = (second / "text.jsonl").read_text().replace("the", "The", 1)
    (second / "text.jsonl").write_text(rows)
    assert _load(first).sha256 != _load(second).sha256


def test_a_seed_draws_an_order_and_what_is_held_out(tmp_path: Path) -> None:
    """All documents, each once; the same seed the same order, another seed another."""
    documents, settings = _load(write_text(tmp_path)).train, TrainConfig(validation_fraction=0.25)
    training, held = corpus.split_held_out(documents, settings, 1)
    assert sorted(document.name for document in [*training, *held]) == sorted(document.name for document in documents)
    assert len(held) == round(0.25 * len(documents))
    assert corpus.split_held_out(documents, settings, 1) == (training, held)
    assert corpus.split_held_out(documents, settings, 2) != (training, held)


def test_the_shipped_corpus_is_read_without_a_folder() -> None:
    """Without --data the paragraphs of the English question corpus are there: enough for a smoke test."""
    loaded = _load(None)
    assert sum(loaded.files.values()) == 60
    assert loaded.train
    assert loaded.scored


@pytest.mark.skipif(not (REAL / "squad" / "train.parquet").is_file(), reason="no real data beside the checkout")
def test_the_real_text_is_found_in_its_folder() -> None:
    """SQuAD's paragraphs, each once and by article, and the wiki lines; no Korean file is taken."""
    loaded = _load(REAL)
    assert loaded.files == {"squad/train.parquet": 18_891, "text/wikitext2_valid_test.parquet": 3_843}


def test_lines_with_odd_separators_stay_whole(tmp_path: Path) -> None:
    """JSONL lines end at a newline alone."""
    rows = [{"text": "a\u2028b"}, {"text": "c"}]
    (tmp_path / "x.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    assert _texts(_load(tmp_path)) == {"a\u2028b", "c"}
