"""The card of a checkpoint, and what can be read beside it without torch. A pickle is never read."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from engine.base.errors import CheckpointError, RecipeError
from engine.recipes.loader import Recipe, validate

WEIGHTS, CARD, TOKENIZER = "model.safetensors", "card.json", "tokenizer.json"
BASE = "base"
"""Under which an adapter's card keeps the fingerprint of its encoder."""

TOKENS_READ = "tokens_read"
"""Under which the card of a masked language model keeps how much text it had read, each pass counted."""

WRITTEN = ("format", "recipe", "sha256", "files")
"""Keys of a card that are written with every checkpoint."""

_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5")


@dataclass(frozen=True)
class Card:
    """What a checkpoint says of itself."""

    recipe: Recipe
    sha256: str
    facts: Mapping[str, Any]


def read_card(folder: Path) -> Card:
    """The card of a checkpoint.

    Raises:
        CheckpointError: There is none, or it is damaged; a folder with a pickle is told apart.
    """
    if not (folder / CARD).is_file():
        pickles = sorted(file.name for file in folder.glob("*") if file.suffix in _PICKLES) if folder.is_dir() else []
        if pickles:
            raise CheckpointError(
                f"{folder}: {pickles[0]} may hold a pickle, which is never read; safetensors are needed."
            )
        raise CheckpointError(f"{folder} is not a checkpoint: there is no {CARD}.")
    try:
        facts = json.loads((folder / CARD).read_text("utf-8"))
        return Card(validate(facts["recipe"], f"{folder / CARD}"), facts["sha256"], facts)
    except (OSError, ValueError, KeyError, TypeError, RecipeError) as error:
        raise CheckpointError(f"{folder}: the card cannot be read ({error}).") from error


def made_by(folder: Path, recipe: Recipe) -> bool:
    """Whether a whole checkpoint lies here that this very recipe made."""
    return (folder / CARD).is_file() and read_card(folder).recipe.digest() == recipe.digest()


def read_arrays(folder: Path, card: Card) -> dict[str, NDArray[np.float32]]:
    """The tensors of a checkpoint that holds floating-point numbers alone, in single precision.

    Raises:
        CheckpointError: See ``require_whole``.
    """
    require_whole(folder, card)
    try:
        return {name: array.astype(np.float32) for name, array in load_file(folder / WEIGHTS).items()}
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: the checkpoint cannot be read ({error}).") from error


def require_whole(folder: Path, card: Card) -> None:
    """Refuse a checkpoint of which something is missing, damaged, or not what the card was written for.

    Raises:
        CheckpointError: Names the file.
    """
    digests = {WEIGHTS: card.sha256, **card.facts.get("files", {})}
    try:
        wrong = [name for name, digest in digests.items() if sha256(folder / name) != digest]
    except OSError as error:
        raise CheckpointError(f"{folder}: the checkpoint cannot be read ({error}).") from error
    if wrong:
        raise CheckpointError(f"{folder}: {wrong[0]} is damaged or not the one that {CARD} was written for.")


def read_tokenizer(folder: Path) -> Tokenizer:
    """The tokenizer of a checkpoint.

    Raises:
        CheckpointError: It cannot be read.
    """
    try:
        return Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # tokenizers raises bare Exception
        raise CheckpointError(f"{folder}: the tokenizer cannot be read ({error}).") from error


class _Shaped(Protocol):
    """A tensor or an array."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its sizes."""


def require_shapes(folder: Path, weights: Mapping[str, _Shaped], expected: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse weights that are not those of the architecture.

    Raises:
        CheckpointError: Names the first tensor that is missing, too many, or of another shape.
    """
    actual = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    wrong = sorted(name for name in expected.keys() | actual.keys() if expected.get(name) != actual.get(name))
    if wrong:
        name = wrong[0]
        raise CheckpointError(
            f"{folder}: the weights do not fit the card: {name} has shape {actual.get(name)}, the recipe says "
            f"{expected.get(name)}."
        )


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def folder_bytes(folder: Path) -> int:
    """Bytes of everything that is needed to use the checkpoint."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
