"""A store between a missing file and a whole board."""

import pytest

from db.storage.store import Store
from tests.factories.rows import with_tasks


@pytest.fixture
def empty(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)
