"""Recipes: a variant with every hyperparameter, named.

A recipe is a TOML file. It gives what distinguishes the variant; everything else has the default of ``schema``,
and a run stores the complete recipe. A wrong key or value is told in one line that names the key and what is allowed.
"""

import tomllib
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import ValidationError

from engine.base.errors import RecipeError
from engine.recipes.files import document_names, names, read
from engine.recipes.schema import Recipe, Section

__all__ = ["MINI_TRAIN", "Recipe", "described_keys", "document_names", "load", "names", "validate"]

MINI_TRAIN = {"epochs": 40, "batch_size": 16, "lr": 2e-3, "patience": 12, "validation_fraction": 0.2}
"""What the train section starts from on a mini corpus: a few hundred examples need small batches to make enough steps,
and a larger held-out part to choose an epoch by."""


SINCE = {"train": {"held_out": "text"}}
"""Defaults of recipes today; a stored recipe that lacks one of these keys was trained by the default of the schema."""


def load(which: str, overrides: Sequence[str] = (), seed: int | None = None, *, mini: bool = False) -> Recipe:
    """A shipped recipe by name, or one from a TOML file.

    Args:
        which: A name of ``names()`` or ``document_names()``, or a path that ends in ``.toml``.
        overrides: Texts such as ``train.epochs=8``; the value is read as TOML, and as plain text where it is none.
        seed: Replaces the recipe's seed.
        mini: The run is on a mini corpus: ``MINI_TRAIN`` replaces the defaults of the train section, and the recipe's
            own ``[mini.SECTION]`` tables change the sections that they name. It has too few texts to pretrain on.

    Raises:
        RecipeError: No such recipe, not TOML, an unknown key or an impossible value.
    """
    content = read(which)
    special = _mini_tables(content.pop("mini", {}), which)
    for section, values in SINCE.items():
        content[section] = _over(values, content.get(section, {}))
    if mini:
        content.pop("pretrain", None)
        content["train"] = _over(MINI_TRAIN, content.get("train", {}))
        for section, changes in special.items():
            content[section] = _over(content.get(section, {}), changes)
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


def _mini_tables(special: Any, where: str) -> dict[str, dict[str, Any]]:
    sections = [name for name in Recipe.model_fields if _sections(name)]
    if not isinstance(special, dict):
        raise RecipeError(f"{where}: mini = {special!r}: it must hold tables, such as [mini.train].")
    for name, changes in special.items():
        if name not in sections:
            raise RecipeError(f"{where}: unknown key mini.{name}; allowed here: {', '.join(sections)}.")
        if not isinstance(changes, dict):
            raise RecipeError(f"{where}: mini.{name} = {changes!r}: it must be a table, [mini.{name}].")
    return special


def _over(below: Any, above: Any) -> Any:
    """One table over another; what is no table stays for the validation to tell."""
    if isinstance(below, dict) and isinstance(above, dict):
        return {**below, **above}
    return above if isinstance(below, dict) else below


def _override(content: dict[str, Any], override: str) -> None:
    key, equals, raw = override.partition("=")
    if not equals or not key.strip():
        raise RecipeError(f"--set {override}: write it as key=value, for example train.epochs=8.")
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        value = raw
    *path, last = key.strip().split(".")
    table = content
    for part in path:
        table = table.setdefault(part, {})
        if not isinstance(table, dict):
            raise RecipeError(f"--set {override}: {part} is a value, not a section.")
    table[last] = value


def _explain(error: ValidationError, where: str) -> str:
    first = error.errors()[0]
    path = _without_kinds(first["loc"])
    key = ".".join(path)
    more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown key {key}; allowed here: {', '.join(_keys_beside(first['loc']))}.{more}"
    if first["type"] == "missing":
        return f"{where}: the key {key} is missing.{more}"
    if first["type"] == "union_tag_invalid":
        return (
            f"{where}: {key}.kind = {first['ctx']['tag']!r}: it must be one of {first['ctx']['expected_tags']}.{more}"
        )
    prefix = f"{key} = {first['input']!r}: " if path else ""  # what is wrong between sections is not of one key
    return f"{where}: {prefix}{first['msg'][:1].lower()}{first['msg'][1:]}.{more}"


def _without_kinds(location: tuple[int | str, ...]) -> list[str]:
    """The path of a key as it stands in TOML; pydantic puts the chosen kind of a model into it."""
    return [
        str(part)
        for position, part in enumerate(location)
        if not (
            position == 1
            and location[0] == "model"
            and any(str(part) == kind.model_fields["kind"].default for kind in _sections("model"))
        )
    ]


def _sections(name: str) -> list[type[Section]]:
    """The tables that a key of the recipe may hold: none, one, or one per kind."""
    kinds: list[Any] = [Recipe.model_fields[name].annotation]
    while any(get_args(kind) for kind in kinds):
        kinds = [inner for kind in kinds for inner in (get_args(kind) or (kind,))]
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section)]


def _keys_beside(location: tuple[int | str, ...]) -> list[str]:
    if len(location) == 1:
        return list(Recipe.model_fields)
    sections = _sections(str(location[0]))
    chosen = [kind for kind in sections if len(location) > 2 and kind.model_fields["kind"].default == location[1]]
    return list((chosen or sections)[0].model_fields)


def described_keys() -> list[tuple[str, str, str, str]]:
    """Every key as (name, type, default, meaning), for ``featherboard list keys``."""
    rows = []
    for name, field in Recipe.model_fields.items():
        sections = _sections(name)
        for section in sections or (None,):
            kind = f" ({section.model_fields['kind'].default})" if section and len(sections) > 1 else ""
            for inner, inner_field in (section.model_fields if section else {"": field}).items():
                since = SINCE.get(name, {}).get(inner, inner_field.default)
                default = "required" if inner_field.is_required() else repr(since)
                shown = str(inner_field.annotation).replace("typing.", "").replace("<class '", "").replace("'>", "")
                rows.append((f"{name}.{inner}".rstrip(".") + kind, shown, default, inner_field.description or ""))
    return rows
