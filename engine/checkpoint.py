"""Checkpoints: safetensors weights, a JSON card and the tokenizer, in one folder. A pickle is never read."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from db.runs import Artifact
from engine import models
from engine.errors import CheckpointError
from engine.models.bilstm import BiLSTMClassifier
from engine.recipe import Recipe, validate

WEIGHTS, CARD, TOKENIZER = "model.safetensors", "card.json", "tokenizer.json"
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5")


@dataclass(frozen=True)
class Checkpoint:
    """A model that can be used: its recipe, weights in evaluation mode, tokenizer and the SHA-256 of the weights."""

    recipe: Recipe
    model: BiLSTMClassifier
    tokenizer: Tokenizer
    sha256: str


def save(folder: Path, recipe: Recipe, weights: Mapping[str, torch.Tensor], tokenizer: Tokenizer) -> list[Artifact]:
    """Write a checkpoint and return its files as artifacts; the card goes last, so a folder with a card is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()}, folder / WEIGHTS)
    tokenizer.save(str(folder / TOKENIZER))
    card = {
        "format": 1,
        "recipe": recipe.model_dump(mode="json", exclude_none=True),
        "sha256": sha256(folder / WEIGHTS),
    }
    (folder / CARD).write_text(json.dumps(card, ensure_ascii=False, indent=1), "utf-8")
    kinds = {"weights": WEIGHTS, "tokenizer": TOKENIZER, "card": CARD}
    return [Artifact(kind, name, (folder / name).stat().st_size, sha256(folder / name)) for kind, name in kinds.items()]


def load(folder: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        CheckpointError: Missing, damaged, a pickle, or weights that do not fit the card.
    """
    if not (folder / CARD).is_file():
        pickles = sorted(file.name for file in folder.glob("*") if file.suffix in _PICKLES) if folder.is_dir() else []
        if pickles:
            raise CheckpointError(
                f"{folder}: {pickles[0]} may hold a pickle, which is never read; safetensors are needed."
            )
        raise CheckpointError(f"{folder} is not a checkpoint: there is no {CARD}.")
    try:
        card = json.loads((folder / CARD).read_text("utf-8"))
        recipe = validate(card["recipe"], f"{folder / CARD}")
        weights = load_file(folder / WEIGHTS)
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: the checkpoint cannot be read ({error}).") from error
    except Exception as error:  # tokenizers raises bare Exception
        raise CheckpointError(f"{folder}: the tokenizer cannot be read ({error}).") from error
    model = models.build(recipe.model)
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    wrong = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if wrong:
        name = wrong[0]
        raise CheckpointError(
            f"{folder}: the weights do not fit the card: {name} has shape {found.get(name)}, the recipe says "
            f"{expected.get(name)}."
        )
    digest = sha256(folder / WEIGHTS)
    if card.get("sha256") != digest:
        raise CheckpointError(f"{folder}: {WEIGHTS} is damaged or not the one that {CARD} was written for.")
    model.load_state_dict(weights)
    model.eval()
    return Checkpoint(recipe, model, tokenizer, digest)


def save_state(path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
    """Write a resume state as one file, so that it is whole or not there at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    save_file({name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}, part,
              metadata={"facts": json.dumps(facts)})  # fmt: skip
    with part.open("rb") as file:
        os.fsync(file.fileno())  # after a power cut the old state or the new one, never half of it
    part.replace(path)


def load_state(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Read a resume state.

    Raises:
        CheckpointError: It is not there or cannot be read.
    """
    try:
        with safe_open(path, "pt") as file:
            facts = json.loads(file.metadata()["facts"])
            return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118 - not a dict
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise CheckpointError(f"{path}: there is no resume state to go on from ({error}).") from error


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_bytes(folder: Path) -> int:
    """Bytes of weights, card and tokenizer."""
    return sum((folder / name).stat().st_size for name in (WEIGHTS, CARD, TOKENIZER))
