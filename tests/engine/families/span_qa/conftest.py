"""A tiny encoder, and the toy task as a folder."""

from pathlib import Path

import pytest

from tests.factories.span_qa import write_source, write_squad


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny encoder."""
    return write_source(tmp_path_factory.mktemp("source") / "encoder")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The toy task as a folder for --data; its test split has the size of the mini corpus."""
    return str(write_squad(tmp_path / "data"))
