"""The board of another machine."""

import shutil
from pathlib import Path

import pytest

from db.storage.store import Store


@pytest.fixture
def other_board(_initialised: Path, tmp_path: Path) -> Store:
    """The other machine's board."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "there.duckdb")))
