"""Where Featherboard keeps its things."""

import os
from pathlib import Path

import platformdirs
import pytest

from db.base.paths import cache_folder, default_database, runs_folder


def test_no_test_uses_the_users_database(tmp_path: Path) -> None:
    """Inside a test the default database lies in the test's own folder, and the hub is switched off."""
    assert default_database().is_relative_to(tmp_path.resolve())
    assert os.environ["HF_HUB_OFFLINE"] == "1"


@pytest.mark.parametrize("blank", [None, "", "   "])
def test_default_is_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, blank: str | None) -> None:
    """Without FEATHERBOARD_DB, or with a blank one, the database is in the user's data folder."""
    monkeypatch.delenv("FEATHERBOARD_DB")
    if blank is not None:
        monkeypatch.setenv("FEATHERBOARD_DB", blank)
    assert default_database() == Path(
        platformdirs.user_data_dir("featherboard", appauthor=False), "featherboard.duckdb"
    )


def test_named_database_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A relative name is taken from where the command runs, and a tilde is the home folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("sub/보드.duckdb", "~/sub/보드.duckdb"):
        monkeypatch.setenv("FEATHERBOARD_DB", name)
        assert default_database() == tmp_path.resolve() / "sub" / "보드.duckdb"


def test_runs_and_cache_lie_beside_the_database(tmp_path: Path) -> None:
    """Checkpoints and what can be computed again have folders of their own beside the database."""
    database = tmp_path / "board.duckdb"
    assert runs_folder(database).parent == cache_folder(database).parent == tmp_path
    assert runs_folder(database) != cache_folder(database)
