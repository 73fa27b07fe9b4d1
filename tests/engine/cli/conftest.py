"""Commands of ``featherboard``, and the database that they use."""

from collections.abc import Callable

import pytest

from db.base.paths import default_database
from db.storage.store import Store
from tests.factories.command_line import CommandLine, CommandResult

Run = Callable[..., CommandResult]


@pytest.fixture
def run(command_line: CommandLine) -> Run:
    """Run the command line in this process."""
    return command_line


def default_store() -> Store:
    """The database of commands that name none."""
    return Store(default_database())
