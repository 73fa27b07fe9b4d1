"""The command that writes the site: what cannot be published is answered with a sentence."""

import sys
from pathlib import Path

import pytest

from dashboard.site.__main__ import main
from db.storage import migrations
from db.storage.store import Store
from tests.factories.rows import with_tasks


def publish(monkeypatch: pytest.MonkeyPatch, database: Path, *folders: Path) -> str:
    """The message with which the command ends."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(database))
    monkeypatch.setattr(sys, "argv", ["dashboard.site", *map(str, folders)])
    with pytest.raises(SystemExit) as ended:
        main()
    return str(ended.value)


def test_a_database_of_an_older_layout_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to do, and writes nothing."""
    earlier = migrations.steps()[:-1]
    with monkeypatch.context() as older:
        older.setattr(migrations, "steps", lambda: earlier)
        Store(tmp_path / "old.duckdb").migrate()
    message = publish(monkeypatch, tmp_path / "old.duckdb", tmp_path / "public")
    assert "older layout" in message
    assert "featherboard db init" in message
    assert not (tmp_path / "public").exists()


def test_no_database_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the path that was looked at."""
    assert "none.duckdb" in publish(monkeypatch, tmp_path / "none.duckdb", tmp_path / "public")


def test_a_file_in_the_way_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder is meant, a file of that name is left as it is."""
    database = with_tasks(Store(tmp_path / "board.duckdb")).path
    (tmp_path / "public").write_text("mine", "utf-8")
    assert "cannot be written" in publish(monkeypatch, database, tmp_path / "public")
    assert (tmp_path / "public").read_text("utf-8") == "mine"


def test_a_folder_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one the usage is shown."""
    assert "FOLDER" in publish(monkeypatch, tmp_path / "board.duckdb")
