"""Where Featherboard keeps its things, decided in one place and handed on as arguments."""

import os
from pathlib import Path

import platformdirs


def default_database() -> Path:
    """The database file: ``FEATHERBOARD_DB`` where set, else ``featherboard.duckdb`` in the user's data folder."""
    named = os.environ.get("FEATHERBOARD_DB", "").strip()
    if named:
        return Path(named).expanduser().resolve()
    return Path(platformdirs.user_data_dir("featherboard", appauthor=False)) / "featherboard.duckdb"


def runs_folder(database: Path) -> Path:
    """Checkpoints, tokenizers and resume states of measured runs, one folder a run, beside the database."""
    return database.parent / "runs"


def cache_folder(database: Path) -> Path:
    """What can be computed again (teacher outputs), beside the database."""
    return database.parent / "cache"
