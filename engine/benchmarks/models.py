"""What a name on the command line means: a named architecture, a folder, a checkpoint of ours, a model of the hub."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from db.base.paths import runs_folder
from engine.base.errors import BenchError, CheckpointError
from engine.benchmarks.architectures import ARCHITECTURES, PREFIX, positions
from engine.checkpoints.shipped import shipped_folder

Kind = Literal["architecture", "transformer", "checkpoint"]

DEFAULT_POSITIONS = 512
"""Of every named architecture, as in the published configurations."""

_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5")
_HUB = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class Subject:
    """A model to be timed.

    Attributes:
        asked: As it was named.
        kind: How it is loaded.
        folder: Where its weights are; None for a named architecture, whose weights are made.
        positions: The longest input in tokens; None where there is no limit.
    """

    asked: str
    kind: Kind
    folder: Path | None
    positions: int | None


def resolve(name: str, database: Path) -> Subject:
    """The model that a name means; a hub id is downloaded, or found in the hub's cache.

    Args:
        name: ``arch:NAME``, a folder with a checkpoint of ours or a transformers model, a shipped checkpoint's name, a
            run's id, or ``OWNER/NAME`` of the hub.
        database: Checkpoints of runs lie beside it.

    Raises:
        BenchError: Nothing is called that; the message says what was tried.
        CheckpointError: The folder holds a pickle alone, or nothing that can be read.
    """
    if name.startswith(PREFIX):
        if name.removeprefix(PREFIX) not in ARCHITECTURES:
            raise BenchError(
                f"There is no architecture {name!r}; there are {', '.join(map(_prefixed, ARCHITECTURES))}."
            )
        return Subject(name, "architecture", None, DEFAULT_POSITIONS)
    for folder in (shipped_folder(name), Path(name).expanduser(), _of_run(name, database)):
        if folder is not None and folder.is_dir():
            return of_folder(name, folder)
    if _HUB.fullmatch(name):
        return of_folder(name, _downloaded(name))
    there = ", ".join(map(_prefixed, ARCHITECTURES))
    raise BenchError(
        f"There is no model {name!r}. Tried: the architectures ({there}); the shipped checkpoints; a folder of that "
        "name; the runs whose checkpoint is on this machine. A model of the hub is named OWNER/NAME."
    )


def of_folder(name: str, folder: Path) -> Subject:
    """A model in a folder; see ``resolve``."""
    if (folder / "card.json").is_file():
        facts = _json(folder / "card.json").get("transformer") or {}
        return Subject(name, "checkpoint", folder, positions(str(facts.get("model_type")), facts))
    if not (folder / "config.json").is_file():
        raise CheckpointError(f"{folder} holds no model: there is neither a card.json nor a config.json.")
    if not list(folder.glob("*.safetensors")):
        pickles = sorted(file.name for file in folder.iterdir() if file.suffix in _PICKLES)
        what = f"{pickles[0]} may hold a pickle, which is never read" if pickles else "there are no weights"
        raise CheckpointError(f"{folder}: {what}; safetensors are needed. To time the architecture alone, see arch:.")
    config = _json(folder / "config.json")
    return Subject(name, "transformer", folder, positions(str(config.get("model_type")), config))


def require_lengths(subjects: list[Subject], lengths: list[int]) -> None:
    """Refuse inputs that a model has no positions for, before anything is measured.

    Raises:
        BenchError: Names the model and its limit.
    """
    for subject in subjects:
        if subject.positions is not None and max(lengths) > subject.positions:
            raise BenchError(
                f"{subject.asked} has {subject.positions} positions, so it cannot read {max(lengths)} tokens. Nothing "
                f"was measured; give --lengths of at most {subject.positions}, or leave that model out."
            )


def _prefixed(name: str) -> str:
    return PREFIX + name


def _of_run(name: str, database: Path) -> Path | None:
    if not re.fullmatch(r"[0-9a-f]{8,32}", name):
        return None
    found = sorted(runs_folder(database).glob(f"{name}*/checkpoint"))
    if len(found) > 1:
        raise BenchError(f"Several runs begin with {name!r}; give more of the id.")
    return found[0] if found else None


def _downloaded(name: str) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only a hub id needs it

    try:
        return Path(snapshot_download(name, allow_patterns=["*.json", "*.safetensors", "*.txt"]))
    except Exception as error:
        line = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise BenchError(
            f"There is no folder {name}, and the hub could not give a model of that name ({line}). Download it where "
            "there is a network and name its folder, or time its architecture: arch:bert-base and others."
        ) from error


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{file} cannot be read ({error}).") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{file} is not a JSON object.")
    return found
