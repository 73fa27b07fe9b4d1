"""A tiny model, and ``featherboard ask``."""

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.checkpoints import checkpoint
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.span_qa import span_recipe, started, toy_tokenizer, write_source

TEXT = "The box is red. The cup is BLUE,\nand the dog is old."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checkpoint of a tiny model that has learned nothing, and answers all the same."""
    folder = tmp_path_factory.mktemp("model")
    recipe = span_recipe(write_source(folder / "encoder"))
    network = started(recipe)
    checkpoint.save_network(folder / "saved", recipe, network, network.state_dict(), toy_tokenizer())
    return str(folder / "saved")


Run = Callable[..., CommandResult]


@pytest.fixture
def run(command_line: CommandLine, model: str) -> Run:
    """Run ``featherboard ask`` in this process."""

    def call(*arguments: object, stdin: bytes = b"", name: str = model) -> CommandResult:
        return command_line("ask", "--threads", "1", "--model", name, *arguments, stdin=stdin)

    return call


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A text file."""
    file = tmp_path / "notes.txt"
    file.write_bytes(TEXT.encode())
    return file
