"""Models that can be timed: named architectures, folders, our checkpoints and models of the hub.

Architectures get random weights, since time and memory do not depend on the values; each is a question-answering model
of the transformers library with the sizes of the published configuration.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from db.base.paths import runs_folder
from engine.base.errors import BenchError, CheckpointError
from engine.checkpoints.shipped import shipped_folder

Kind = Literal["architecture", "transformer", "checkpoint"]

DEFAULT_POSITIONS = 512
"""Of every named architecture, as in the published configurations."""

_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5")
_HUB = re.compile(r"[\w.-]+/[\w.-]+")
_OFFSET = ("roberta", "xlm-roberta", "camembert")
"""Model types that count positions from behind the padding token."""

PREFIX = "arch:"


@dataclass(frozen=True)
class Architecture:
    """An architecture that ``arch:NAME`` builds.

    Attributes:
        model_id: In the models table; the same as that of the model in reported results.
        name: As it is listed.
        family: As it is listed.
        model_type: In the transformers library.
        config: Values that differ from the defaults of that type.
        language: Of its vocabulary.
    """

    model_id: str
    name: str
    family: str
    model_type: str
    config: Mapping[str, Any]
    language: str = "en"


def _sizes(width: int, layers: int, heads: int, inner: int) -> dict[str, int]:
    """Sizes of an encoder, as the transformers library calls them."""
    return {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": inner}


_KOELECTRA = {"vocab_size": 35_000, "embedding_size": 128, **_sizes(256, 12, 4, 1024)}

ARCHITECTURES: dict[str, Architecture] = {
    # bert-base-uncased
    "bert-base": Architecture("bert-base", "BERT-base", "BERT", "bert", {}),
    # distilbert-base-uncased
    "distilbert": Architecture("distilbert", "DistilBERT", "DistilBERT", "distilbert", {}),
    # nreimers/MiniLM-L6-H384-uncased, the encoder of all-MiniLM-L6-v2
    "minilm-l6": Architecture("minilm-l6", "MiniLM-L6", "MiniLM", "bert", _sizes(384, 6, 12, 1536)),
    # google/bert_uncased_L-4_H-256_A-4
    "bert-mini": Architecture("bert-mini", "BERT-mini", "BERT", "bert", _sizes(256, 4, 4, 1024)),
    # google/bert_uncased_L-2_H-128_A-2
    "bert-tiny": Architecture("bert-tiny", "BERT-tiny", "BERT", "bert", _sizes(128, 2, 2, 512)),
    # monologg/koelectra-small-v3-discriminator
    "koelectra-small": Architecture(
        "koelectra-small-v3", "KoELECTRA-Small-v3", "KoELECTRA", "electra", _KOELECTRA, "ko"
    ),
}


@dataclass(frozen=True)
class Subject:
    """A model to be timed.

    Attributes:
        name: As it was typed.
        kind: How it is loaded.
        folder: Where its weights are; None for a named architecture, whose weights are made.
        positions: The longest input in tokens; None where there is no limit.
    """

    name: str
    kind: Kind
    folder: Path | None
    positions: int | None


def resolve(name: str, database: Path) -> Subject:
    """Find the model of a name; a hub id is downloaded, or found in the hub's cache.

    Args:
        name: ``arch:NAME``, a folder with one of our checkpoints or a transformers model, a shipped checkpoint's name,
            a run's id, or ``OWNER/NAME`` of the hub.
        database: Checkpoints of runs are stored beside it.

    Raises:
        BenchError: There is no such model; the message lists what was tried.
        CheckpointError: The folder holds only a pickle, or nothing that can be read.
    """
    architectures = ", ".join(PREFIX + known for known in ARCHITECTURES)
    if name.startswith(PREFIX):
        if name.removeprefix(PREFIX) not in ARCHITECTURES:
            raise BenchError(f"There is no architecture {name!r}; there are {architectures}.")
        return Subject(name, "architecture", None, DEFAULT_POSITIONS)
    for folder in (shipped_folder(name), Path(name).expanduser(), _of_run(name, database)):
        if folder is not None and folder.is_dir():
            return of_folder(name, folder)
    if _HUB.fullmatch(name):
        return of_folder(name, _download(name))
    raise BenchError(
        f"There is no model {name!r}. Tried: the architectures ({architectures}); the shipped checkpoints; a folder of "
        "that name; the runs whose checkpoint is on this machine. A model of the hub is named OWNER/NAME."
    )


def of_folder(name: str, folder: Path) -> Subject:
    """The model in a folder; see ``resolve``."""
    if (folder / "card.json").is_file():
        facts = _json(folder / "card.json").get("transformer") or {}
        return Subject(name, "checkpoint", folder, positions(str(facts.get("model_type")), facts))
    if not (folder / "config.json").is_file():
        raise CheckpointError(f"{folder} holds no model: it has neither a card.json nor a config.json.")
    if not list(folder.glob("*.safetensors")):
        pickles = sorted(file.name for file in folder.iterdir() if file.suffix in _PICKLES)
        problem = f"{pickles[0]} may hold a pickle, which is never read" if pickles else "there are no weights"
        raise CheckpointError(
            f"{folder}: {problem}; safetensors are needed. To time only an architecture, use arch:NAME."
        )
    config = _json(folder / "config.json")
    return Subject(name, "transformer", folder, positions(str(config.get("model_type")), config))


def require_lengths(subjects: list[Subject], lengths: list[int]) -> None:
    """Refuse inputs longer than a model's positions, before anything is measured.

    Raises:
        BenchError: An input is too long; the message gives the model and its limit.
    """
    for subject in subjects:
        if subject.positions is not None and max(lengths) > subject.positions:
            raise BenchError(
                f"{subject.name} has {subject.positions} positions, so it cannot read {max(lengths)} tokens. Nothing "
                f"was measured; use --lengths of at most {subject.positions}, or leave that model out."
            )


def positions(model_type: str, config: Mapping[str, Any]) -> int | None:
    """The longest input of a transformer, in tokens; None where its configuration sets no limit."""
    limit = config.get("max_position_embeddings", config.get("n_positions"))
    if model_type in _OFFSET and limit is not None:
        return int(limit) - int(config.get("pad_token_id") or 1) - 1
    return None if limit is None else int(limit)


def _of_run(name: str, database: Path) -> Path | None:
    if not re.fullmatch(r"[0-9a-f]{8,32}", name):
        return None
    folders = sorted(runs_folder(database).glob(f"{name}*/checkpoint"))
    if len(folders) > 1:
        raise BenchError(f"The ids of several runs begin with {name!r}; type more of it.")
    return folders[0] if folders else None


def _download(name: str) -> Path:
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only a hub id needs it

    try:
        return Path(snapshot_download(name, allow_patterns=["*.json", "*.safetensors", "*.txt"]))
    except Exception as error:
        line = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise BenchError(
            f"There is no folder {name}, and no model of that name could be downloaded ({line}). Download it where "
            "there is a network and pass its folder, or time its architecture: arch:bert-base and others."
        ) from error


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{file} cannot be read ({error}).") from error
    if not isinstance(content, dict):
        raise CheckpointError(f"{file} is not a JSON object.")
    return content
