"""Checkpoints that were damaged on purpose, and what is reported about them."""

import json
from pathlib import Path

from engine.base.errors import CheckpointError
from engine.checkpoints import checkpoint
from engine.families.classification import classifiers
from tests.factories.command_line import one_line


class Trap:
    """An object that makes a file when it is unpickled."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.file,)


def refusal(folder: Path) -> str:
    """The one line about a checkpoint of a classifier that cannot be read; it names the folder."""
    message = one_line(lambda: classifiers.load(folder), CheckpointError)
    assert str(folder) in message
    return message


def reseal(folder: Path, *files: str) -> None:
    """Put the hashes of the weights, and of some files, as they are now into the card."""
    card = json.loads((folder / checkpoint.CARD).read_text())
    card["sha256"] = checkpoint.sha256(folder / checkpoint.WEIGHTS)
    if files:
        card["files"] = {name: checkpoint.sha256(folder / name) for name in files}
    (folder / checkpoint.CARD).write_text(json.dumps(card))
