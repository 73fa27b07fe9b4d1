"""Where Featherboard keeps its things, decided in one place and handed on as arguments."""

import os
from pathlib import Path

import platformdirs

from db.base.errors import StoreError


def default_database() -> Path:
    """The database file: ``FEATHERBOARD_DB`` where set, else ``featherboard.duckdb`` in the user's data folder.

    Raises:
        StoreError: It names another machine's board instead of a file.
    """
    named = os.environ.get("FEATHERBOARD_DB", "").strip()
    refuse_remote(named)
    if named:
        return Path(named).expanduser().resolve()
    return Path(platformdirs.user_data_dir("featherboard", appauthor=False)) / "featherboard.duckdb"


def refuse_remote(name: str) -> None:
    """Refuse the name of another machine's board where a database file is meant.

    Raises:
        StoreError: It is one.
    """
    if name.startswith(("quack:", "http:", "https:")):
        raise StoreError(
            f"{name} is the board of another machine, but runs are always written to a file on this one first. Let "
            "FEATHERBOARD_DB name a file, or unset it, and send the runs with `featherboard db push --board "
            "https://HOST`."
        )


def runs_folder(database: Path) -> Path:
    """Checkpoints, tokenizers and resume states of measured runs, one folder a run, beside the database."""
    return database.parent / "runs"


def checkpoint_folder(database: Path, run_id: str) -> Path:
    """The checkpoint of a measured run."""
    return runs_folder(database) / run_id / "checkpoint"


def cache_folder(database: Path) -> Path:
    """What can be computed again (teacher outputs), beside the database."""
    return database.parent / "cache"


def network_cache() -> Path:
    """Networks exported from checkpoints; every database of a user shares them."""
    return Path(platformdirs.user_cache_dir("featherboard", appauthor=False)) / "networks"


def encoder_cache() -> Path:
    """Encoders unpacked from installed packages; every database of a user shares them."""
    return Path(platformdirs.user_cache_dir("featherboard", appauthor=False)) / "encoders"
