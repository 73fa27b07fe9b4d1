"""A tiny sentiment model, and ``featherboard predict sentiment``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.checkpoints import checkpoint
from engine.data.tokenizer import train_tokenizer
from engine.networks import architectures
from engine.recipes import loader
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.recipes import content, toy_set

Run = Callable[..., CommandResult]


def save(folder: Path, **changes: Any) -> Path:
    recipe = loader.validate({**content(), **changes}, "toy")
    torch.manual_seed(0)
    model = architectures.build(architectures.own(recipe))
    tokenizer = train_tokenizer(toy_set(60).texts, architectures.own(recipe).vocab_size, recipe.tokenizer)
    checkpoint.save_network(folder, recipe, model, model.state_dict(), tokenizer)
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny checkpoint of a sentiment model."""
    return str(save(tmp_path_factory.mktemp("model")))


@pytest.fixture
def run(command_line: CommandLine) -> Run:
    """Run ``featherboard predict sentiment`` in this process."""
    return command_line.starting_with("predict", "sentiment", "--threads", "1")
