"""Long texts under a short id."""

import os
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.base.paths import contexts_folder
from db.storage import long_texts
from db.storage.long_texts import ContextError
from db.storage.store import Store
from tests.factories import database_processes as processes


def _files(store: Store) -> set[str]:
    folder = contexts_folder(store.path)
    return {file.name for file in folder.iterdir()} if folder.exists() else set()


def _aged(store: Store, own: str, seconds: float) -> None:
    """As if the text had been used last so long ago."""
    file = contexts_folder(store.path) / own
    then = file.stat().st_mtime - seconds
    os.utime(file, (then, then))


def test_a_text_is_found_by_its_id_as_it_was(store: Store) -> None:
    """Line ends, emoji, Hangul in letters and characters that end lines elsewhere are kept one by one."""
    text = "첫 줄\r\n둘째\n\ttab \N{LINE SEPARATOR} 👩‍👩‍👧 " + unicodedata.normalize("NFD", "한국어 é") + "\x00 end "
    own = long_texts.keep(store, text)
    assert long_texts.find(store, own) == text
    assert len(own) == 10
    assert own == own.lower()


@settings(max_examples=60, deadline=None, database=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip), min_size=1, max_size=5))
def test_any_texts_are_found_again(texts: list[str]) -> None:
    """Every text has its own id, which finds it unchanged; the same one again is no second file."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "board.duckdb")
        ids = [long_texts.keep(store, text) for text in texts]
        assert [long_texts.find(store, own) for own in ids] == texts
        assert [long_texts.keep(store, text) for text in texts] == ids
        assert _files(store) == set(ids)
        assert len(set(ids)) == len(set(texts))


def test_the_id_follows_from_the_text_alone(store: Store, tmp_path: Path) -> None:
    """An address works on another board that has the text, and finds nothing where it is not."""
    other = Store(tmp_path / "other.duckdb")
    own = long_texts.keep(store, "Seoul is the capital.")
    assert long_texts.find(other, own) is None
    assert long_texts.keep(other, "Seoul is the capital.") == own == long_texts.id_of("Seoul is the capital.")


@pytest.mark.parametrize(
    "given_id",
    ["", "short", "aaaaaaaaaa", "AAAAAAAAAA", "aaaaaaaaa1", "aaaaaaaaaa\n", "a" * 11, "../../etc/", "'; DROP --"],
)
def test_what_is_no_id_of_a_text_finds_nothing(store: Store, given_id: str) -> None:
    """Whatever stands in an address, the answer is a text or nothing."""
    long_texts.keep(store, "something")
    assert long_texts.find(store, given_id) is None


def test_nothing_is_found_where_nothing_was_ever_kept(store: Store) -> None:
    """Before there is a database, and looking makes none and no folder."""
    assert long_texts.find(store, long_texts.id_of("text")) is None
    assert not store.exists()
    assert _files(store) == set()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("x" * 100_001, "100,001 characters; 100,000 is the most"),
        ("half \ud83d of a pair", "half a character"),
    ],
)
def test_what_cannot_be_kept_is_told_and_nothing_is(store: Store, text: str, told: str) -> None:
    """In words for people."""
    with pytest.raises(ContextError, match=f"{told}.*Nothing was kept"):
        long_texts.keep(store, text)
    assert _files(store) == set()


def test_the_longest_text_is_kept(store: Store) -> None:
    """Characters are counted, not bytes."""
    text = "🪶" * long_texts.LONGEST
    assert long_texts.find(store, long_texts.keep(store, text)) == text


def test_the_texts_unused_for_longest_make_room(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three texts fit: with a fourth one goes, and it is neither one that was looked at nor one that was kept again."""
    monkeypatch.setattr(long_texts, "MOST_BYTES", 30_000)
    looked, again, unused = ids = [long_texts.keep(store, letter * 10_000) for letter in "abc"]
    for own in ids:
        _aged(store, own, 3600)
    assert long_texts.find(store, looked) == "a" * 10_000
    assert long_texts.keep(store, "b" * 10_000) == again
    newest = long_texts.keep(store, "d" * 10_000)
    assert _files(store) == {looked, again, newest}
    assert long_texts.find(store, unused) is None


def test_a_text_larger_than_the_room_stays_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text that was just kept is never the one that goes."""
    monkeypatch.setattr(long_texts, "MOST_BYTES", 5_000)
    long_texts.keep(store, "old")
    own = long_texts.keep(store, "n" * 9_000)
    assert _files(store) == {own}


def test_many_tiny_texts_are_bounded_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file takes a block of the disk, however short the text is."""
    monkeypatch.setattr(long_texts, "MOST_BYTES", 5 * 4096)
    for number in range(12):
        long_texts.keep(store, f"{number}")
    assert len(_files(store)) == 5


def test_files_of_a_writer_that_died_go_when_room_is_needed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a text is never found, and does not stay for ever."""
    monkeypatch.setattr(long_texts, "MOST_BYTES", 2 * 4096)
    own = long_texts.keep(store, "first")
    part = contexts_folder(store.path) / f".{own}.abc"
    part.write_text("fir")
    os.utime(part, (1, 1))
    second = long_texts.keep(store, "second")
    assert _files(store) == {own, second}


def test_a_changed_file_is_not_shown_and_is_replaced(store: Store) -> None:
    """An id stands for one text; what somebody put into its place is not it."""
    own = long_texts.keep(store, "the text")
    file = contexts_folder(store.path) / own
    for wrong in (b"another text", b"\xff\xfe", b""):
        file.write_bytes(wrong)
        assert long_texts.find(store, own) is None
    assert long_texts.keep(store, "the text") == own
    assert long_texts.find(store, own) == "the text"


def test_two_texts_with_one_id_are_not_mixed_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds two texts with one id cannot put the second under the address of the first."""
    monkeypatch.setattr(long_texts, "_id", lambda _: "aaaaaaaaaa")
    long_texts.keep(store, "first")
    with pytest.raises(ContextError, match="Another text is kept under the id of this one"):
        long_texts.keep(store, "second")
    assert long_texts.find(store, "aaaaaaaaaa") == "first"


def test_a_busy_database_is_no_obstacle(board: Store) -> None:
    """A training that writes keeps nobody from a text."""
    with processes.held(board.path):
        own = long_texts.keep(board, "while it trains")
        assert long_texts.find(board, own) == "while it trains"


def test_a_disk_that_refuses_is_told(store: Store) -> None:
    """Where no folder can be made, the message names it."""
    contexts_folder(store.path).write_text("in the way")
    with pytest.raises(ContextError, match=r"could not be written to .*fresh\.duckdb\.contexts \("):
        long_texts.keep(store, "text")
