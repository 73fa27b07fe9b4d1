"""Checkpoints: safetensors weights, a JSON card and the tokenizer, in one folder. A pickle is never read."""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

from db.base.atomic import atomic_write, sync
from engine.base.errors import CheckpointError
from engine.checkpoints import adapters
from engine.checkpoints.card import (
    BASE,
    CARD,
    TOKENIZER,
    WEIGHTS,
    WRITTEN,
    Card,
    folder_bytes,
    made_by,
    read_card,
    read_tokenizer,
    require_shapes,
    require_whole,
    sha256,
)
from engine.networks import architectures, sources
from engine.networks.neural_classifier import NeuralClassifier
from engine.networks.transformer_classifier import SEPARATOR, from_facts, from_source
from engine.recipes.loader import Recipe
from engine.recipes.schema import PretrainedConfig

if TYPE_CHECKING:
    from db.runs.writer import Artifact

__all__ = [
    "BASE",
    "CARD",
    "TOKENIZER",
    "WEIGHTS",
    "WRITTEN",
    "Card",
    "fill",
    "folder_bytes",
    "load_network",
    "load_state",
    "made_by",
    "read_card",
    "read_single_precision",
    "read_weights",
    "require_shapes",
    "save",
    "save_network",
    "save_state",
    "seal",
    "sha256",
    "shapes",
]


def save(
    folder: Path,
    recipe: Recipe,
    weights: Mapping[str, torch.Tensor],
    side: Mapping[str, str],
    facts: Mapping[str, Any] | None = None,
) -> "list[Artifact]":
    """Write a checkpoint and return its files as artifacts.

    Args:
        folder: Made where it is missing.
        recipe: What made the weights.
        weights: Tensors by name.
        side: Further files by name, with their text: a tokenizer, a list of n-grams.
        facts: What else the card shall say.

    Raises:
        CheckpointError: The weights could not be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write_tensors(folder / WEIGHTS, {name: tensor.detach().cpu().contiguous() for name, tensor in weights.items()})
    for name, text in side.items():
        (folder / name).write_text(text, "utf-8")
    return seal(folder, recipe, list(side), facts)


def seal(folder: Path, recipe: Recipe, side: Sequence[str], facts: Mapping[str, Any] | None = None) -> "list[Artifact]":
    """Write the card of a folder that holds everything else, and return its files as artifacts.

    The card goes last, once the rest is on the disk, so a folder with a card is whole, also after a power cut.

    Args:
        folder: Holds the weights.
        recipe: What made them.
        side: Names of further files that belong to the checkpoint.
        facts: What else the card shall say.
    """
    from db.runs.writer import Artifact  # noqa: PLC0415 - pandas and DuckDB: half a second that answering need not wait

    card = {
        "format": 1,
        "recipe": recipe.model_dump(mode="json", exclude_none=True),
        "sha256": sha256(folder / WEIGHTS),
        "files": {name: sha256(folder / name) for name in side},
        **(facts or {}),
    }
    for name in (WEIGHTS, *side):
        sync(folder / name)
    with atomic_write(folder / CARD) as part:
        part.write_text(json.dumps(card, ensure_ascii=False, indent=1), "utf-8")
    kinds = {WEIGHTS: "weights", TOKENIZER: "tokenizer", CARD: "card"}
    return [
        Artifact(kinds.get(name, "file"), name, (folder / name).stat().st_size, sha256(folder / name))
        for name in (WEIGHTS, *side, CARD)
    ]


def save_network(
    folder: Path,
    recipe: Recipe,
    model: nn.Module,
    weights: Mapping[str, torch.Tensor],
    tokenizer: Tokenizer,
    heads: Collection[str] = adapters.CLASSIFIER,
) -> "list[Artifact]":
    """Write a network's checkpoint; see ``save``. With an adapter, the encoder's own weights stay where they are.

    ``heads`` names the layers that learn whole under an adapter.
    """
    facts: dict[str, Any] = {"transformer": model.facts} if hasattr(model, "facts") else {}
    if recipe.adapter:
        weights = adapters.learned(weights, model, recipe.adapter, heads)
        facts[BASE] = adapters.fingerprint_of(model, recipe.adapter, heads)
    return save(folder, recipe, weights, {TOKENIZER: tokenizer.to_str()}, facts)


def read_weights(folder: Path, card: Card) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint.

    Raises:
        CheckpointError: They or a file beside them are missing, damaged, or not those that the card was written for.
    """
    try:
        weights = load_file(folder / WEIGHTS)
    except (OSError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{folder}: the checkpoint cannot be read ({error}).") from error
    require_whole(folder, card)
    return weights


def read_single_precision(folder: Path, card: Card) -> dict[str, torch.Tensor]:
    """The tensors of a checkpoint, in single precision where they are stored in half; see ``read_weights``."""
    weights = read_weights(folder, card)
    return {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}


def load_network(folder: Path, card: Card) -> NeuralClassifier:
    """Read a classifier; weights that are stored in half precision compute in single precision.

    Raises:
        CheckpointError: Missing, damaged, or weights that do not fit the card.
    """
    weights, tokenizer = read_single_precision(folder, card), read_tokenizer(folder)
    if card.recipe.adapter:
        model: nn.Module = _encoder(folder, card)
    elif "transformer" in card.facts:
        model = from_facts(card.facts["transformer"])
    else:
        model = architectures.build(architectures.own(card.recipe))
    fill(folder, card, model, weights, adapters.CLASSIFIER)
    return NeuralClassifier(card.recipe, card.sha256, model, tokenizer)


def _encoder(folder: Path, card: Card) -> nn.Module:
    """The encoder that an adapter needs."""
    config = card.recipe.model
    if not isinstance(config, PretrainedConfig):
        raise CheckpointError(f"{folder}: an adapter needs model.kind = 'pretrained', and the card says otherwise.")
    model = from_source(sources.locate(config.source), config.num_labels, named=config.source, head=config.head)
    model.separator = card.facts["transformer"].get(SEPARATOR)
    return model


def fill(folder: Path, card: Card, model: Any, weights: Mapping[str, torch.Tensor], heads: Collection[str]) -> None:
    """Put the weights of a checkpoint into its architecture, or its adapter into the encoder that it was made for.

    Raises:
        CheckpointError: They do not fit, or it is another encoder.
        RecipeError: See ``adapters.require_targets``.
    """
    settings = card.recipe.adapter
    if settings is None:
        require_shapes(folder, weights, shapes(model.state_dict()))
        model.load_state_dict(weights)
        return
    if adapters.fingerprint_of(model, settings, heads) != card.facts.get(BASE):
        source = getattr(card.recipe.model, "source", "")
        raise CheckpointError(
            f"{folder}: its adapter was made for another {source} than the one that is here. Nothing was answered; "
            "get the encoder that the card was written for."
        )
    adapters.require_targets(model.inner, settings, heads)
    require_shapes(folder, weights, adapters.stored(model, settings, heads))
    adapters.add(model, weights, settings, heads)


def shapes(weights: Mapping[str, torch.Tensor]) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor."""
    return {name: tuple(tensor.shape) for name, tensor in weights.items()}


def _write_tensors(path: Path, tensors: dict[str, torch.Tensor], metadata: dict[str, str] | None = None) -> None:
    try:
        save_file(tensors, path, metadata=metadata)
    except SafetensorError as error:  # what the disk said, in the words of another library
        raise CheckpointError(
            f"{path}: the weights could not be written ({error}). What was saved before is kept. Make room, or "
            "mend the disk, and try again."
        ) from error


def save_state(path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
    """Write a resume state as one file, so that it is whole or not there at all.

    Raises:
        CheckpointError: It could not be written.
    """
    contiguous = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    with atomic_write(path) as part:
        _write_tensors(part, contiguous, {"facts": json.dumps(facts)})


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
