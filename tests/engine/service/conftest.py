"""A service over tiny models, for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from db.storage.store import Store
from tests.factories.service import application, client, write_models


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny models on disk."""
    return write_models(tmp_path_factory.mktemp("models"))


@pytest.fixture
def asking(board: Store, folders: dict[str, Path]) -> Iterator[TestClient]:
    """A client of the service over tiny models."""
    with client(application(board, folders)) as http:
        yield http
