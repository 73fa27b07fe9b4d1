"""Recipes: a variant with every hyperparameter, named.

A recipe is a TOML file. It gives what distinguishes the variant; everything else has the default below, and a run
stores the complete recipe. A wrong key or value is told in one line that names the key and what is allowed.
"""

import hashlib
import json
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.errors import RecipeError


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ModelConfig(_Section):
    """One bidirectional LSTM over embeddings, dropout, a linear layer."""

    kind: Literal["bilstm"] = Field("bilstm", description="architecture")
    vocab_size: Annotated[int, Field(ge=8, le=200_000, description="rows of the embedding")] = 3000
    embedding_dim: Annotated[int, Field(ge=1, le=4096, description="width of the embedding")]
    hidden_dim: Annotated[int, Field(ge=1, le=4096, description="hidden units of each direction")]
    num_labels: Annotated[int, Field(ge=2, le=1000, description="classes")] = 2
    dropout: Annotated[float, Field(ge=0, lt=1, description="before the linear layer and on the embedding")] = 0.3


class TokenizerConfig(_Section):
    """The tokenizer is trained on the training split; its vocabulary size is the model's."""

    kind: Literal["wordpiece"] = Field("wordpiece", description="algorithm")
    max_length: Annotated[int, Field(ge=1, le=4096, description="tokens kept of a text")] = 100
    alphabet: Annotated[int, Field(ge=1, description="most frequent characters kept; rarer ones make a word [UNK]")] = (
        1000
    )


class TrainConfig(_Section):
    """The training loop."""

    epochs: Annotated[int, Field(ge=1, le=10_000, description="passes over the training split, at most")] = 30
    batch_size: Annotated[int, Field(ge=1, le=65_536, description="examples a step")] = 64
    lr: Annotated[float, Field(gt=0, le=10, description="learning rate of Adam; the top of the cycle for cyclic")] = (
        1e-3
    )
    scheduler: Literal["step", "cyclic", "constant"] = Field("step", description="learning-rate schedule")
    scheduler_step_size: Annotated[int, Field(ge=1, description="epochs between two decays (step)")] = 5
    scheduler_gamma: Annotated[float, Field(gt=0, le=1, description="factor of a decay (step)")] = 0.9
    scheduler_base_lr: Annotated[float, Field(gt=0, description="bottom of the cycle (cyclic)")] = 5e-4
    clip_norm: Annotated[float, Field(gt=0, description="largest gradient norm")] = 1.0
    patience: Annotated[int, Field(ge=0, description="epochs without a better validation accuracy; 0 never stops")] = 6
    validation_fraction: Annotated[float, Field(gt=0, lt=0.5, description="part of train held out to choose")] = 0.05

    @model_validator(mode="after")
    def _cycle_rises(self) -> Self:
        if self.scheduler == "cyclic" and self.scheduler_base_lr >= self.lr:
            raise ValueError(f"scheduler_base_lr must be below lr = {self.lr} for the cyclic schedule")
        return self


class DistillConfig(_Section):
    """Learning from a teacher: loss = loss_rate * CE + (1 - loss_rate) * T^2 * KL (Hinton et al. 2015)."""

    teacher: str = Field(description="the recipe of the teacher, trained on the same data")
    loss_rate: Annotated[float, Field(ge=0, le=1, description="weight of the true labels")] = 0.1
    temperature: Annotated[float, Field(gt=0, le=100, description="softens both distributions")] = 2.0
    teacher_seed: Annotated[int, Field(ge=0, lt=2**31, description="the teacher's seed, whatever the student's")] = 0


class Recipe(_Section):
    """One named variant."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$", description="also the model's id")]
    label: str = Field(description="the model's name on the board")
    family: str = Field(description="family on the board")
    summary: str = Field(description="one line")
    language: Literal["ko", "en"] = Field(description="language of the texts")
    task: str = Field(description="board of a run on real data")
    mini_task: str = Field(description="board of a run on the shipped mini corpus")
    seed: Annotated[int, Field(ge=0, lt=2**31, description="seeds everything that is random")] = 0
    model: ModelConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    train: TrainConfig = TrainConfig()
    distill: DistillConfig | None = None

    def to_json(self) -> str:
        """The complete recipe, defaults included."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), ensure_ascii=False, sort_keys=True)

    def digest(self) -> str:
        """SHA-256 of what decides the figures: the recipe without its seed and its texts."""
        facts = self.model_dump(mode="json", exclude={"seed", "label", "family", "summary"})
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


MINI_TRAIN = {"epochs": 40, "batch_size": 16, "lr": 2e-3, "patience": 12, "validation_fraction": 0.2}
"""What the train section starts from on a mini corpus: a few hundred examples need small batches to make enough steps,
and a larger held-out part to choose an epoch by."""


def names() -> list[str]:
    """The shipped recipes."""
    folder = resources.files("engine") / "recipes"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def load(which: str, overrides: Sequence[str] = (), seed: int | None = None, *, mini: bool = False) -> Recipe:
    """A shipped recipe by name, or one from a TOML file.

    Args:
        which: A name of ``names()``, or a path that ends in ``.toml``.
        overrides: Texts such as ``train.epochs=8``; the value is read as TOML, and as plain text where it is none.
        seed: Replaces the recipe's seed.
        mini: The run is on a mini corpus: ``MINI_TRAIN`` replaces the defaults of the train section.

    Raises:
        RecipeError: No such recipe, not TOML, an unknown key or an impossible value.
    """
    content = _parse(_text(which), which)
    if mini:
        content["train"] = {**MINI_TRAIN, **content.get("train", {})}
    for override in overrides:
        _override(content, override)
    if seed is not None:
        content["seed"] = seed
    return validate(content, which)


def validate(content: dict[str, Any], where: str) -> Recipe:
    """A recipe from parsed TOML.

    Raises:
        RecipeError: One line for the first wrong key.
    """
    try:
        return Recipe(**content)
    except ValidationError as error:
        raise RecipeError(_explain(error, where)) from None
    except TypeError as error:
        raise RecipeError(f"{where}: {error}") from None


def _text(which: str) -> str:
    if which.endswith(".toml"):
        try:
            return Path(which).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(f"{which}: the recipe cannot be read ({error}).") from None
    if which not in names():
        raise RecipeError(
            f"There is no recipe {which!r}. Shipped: {', '.join(names())}. A file of your own is named by its path, "
            "ending in .toml."
        )
    return (resources.files("engine") / "recipes" / f"{which}.toml").read_text("utf-8")


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{where}: not TOML: {error}.") from None


def _override(content: dict[str, Any], override: str) -> None:
    key, equals, raw = override.partition("=")
    if not equals or not key.strip():
        raise RecipeError(f"--set {override}: write it as key=value, for example train.epochs=8.")
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        value = raw
    *path, last = key.strip().split(".")
    place = content
    for part in path:
        place = place.setdefault(part, {})
        if not isinstance(place, dict):
            raise RecipeError(f"--set {override}: {part} is a value, not a section.")
    place[last] = value


def _explain(error: ValidationError, where: str) -> str:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown key {key}; allowed here: {', '.join(_keys_beside(first['loc']))}.{more}"
    if first["type"] == "missing":
        return f"{where}: the key {key} is missing.{more}"
    return f"{where}: {key} = {first['input']!r}: {first['msg'][:1].lower()}{first['msg'][1:]}.{more}"


def _keys_beside(location: tuple[int | str, ...]) -> list[str]:
    section: Any = Recipe
    for part in location[:-1]:
        annotation = section.model_fields[str(part)].annotation
        section = next(
            (kind for kind in getattr(annotation, "__args__", (annotation,)) if kind is not type(None)), None
        )
    return list(section.model_fields)


def described_keys() -> list[tuple[str, str, str, str]]:
    """Every key as (name, type, default, meaning), for ``featherboard list keys``."""
    rows = []
    for name, field in Recipe.model_fields.items():
        annotation = field.annotation
        section = next((kind for kind in getattr(annotation, "__args__", (annotation,))
                        if isinstance(kind, type) and issubclass(kind, _Section)), None)  # fmt: skip
        fields = section.model_fields if section else {"": field}
        for inner, inner_field in fields.items():
            default = "required" if inner_field.is_required() else repr(inner_field.default)
            kind = str(inner_field.annotation).replace("typing.", "").replace("<class '", "").replace("'>", "")
            rows.append((f"{name}.{inner}".rstrip("."), kind, default, inner_field.description or ""))
    return rows
