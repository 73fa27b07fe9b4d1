"""The board of another machine."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.remote import Target
from db.storage.store import Store
from tests.remote.processes import TOKEN, serving


@pytest.fixture
def other_board(_initialised: Path, tmp_path: Path) -> Store:
    """The other machine's board."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "there.duckdb")))


@pytest.fixture(scope="module")
def far(_initialised: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Target, Store]]:
    """A service for all tests of this file, and its board."""
    path = Path(shutil.copyfile(_initialised, tmp_path_factory.mktemp("far") / "far.duckdb"))
    with serving(path) as url:
        yield Target(url, TOKEN), Store(path)
