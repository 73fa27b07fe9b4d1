"""Where recipes stand: a file each, many in ``documents.toml`` and ``students.toml``, and files of the user's own.

A recipe may say ``extends = "another"`` and give only what is different. Its tables then change single keys of the same
tables of the other, which may extend a third.
"""

import copy
import difflib
import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from engine.base.errors import RecipeError

_DOCUMENTS, _STUDENTS = "documents", "students"
"""Files with a table for each recipe: of the rows that the documents print, and of an ablation."""


def names() -> list[str]:
    """The shipped recipes, those of ``document_names`` left out."""
    return sorted({*_files(), *_tables(_STUDENTS)})


def document_names() -> list[str]:
    """The recipes of the rows that the documents print, in the order of their file."""
    return [name for name, table in _tables(_DOCUMENTS).items() if "document" in table]


def read(which: str) -> dict[str, Any]:
    """A recipe as parsed TOML, with everything that it inherits.

    Args:
        which: A shipped name, or a path that ends in ``.toml``.

    Raises:
        RecipeError: There is none, it is not TOML, or what it extends is not there or goes in a circle.
    """
    return _whole(which, ())


def _whole(which: str, below: tuple[str, ...]) -> dict[str, Any]:
    if any(_path(which) == _path(name) for name in below):
        raise RecipeError(f"{below[0]}: extends goes in a circle: {' -> '.join((*below, which))}.")
    own = _own(which)
    if "extends" not in own:
        return own
    other = own.pop("extends")
    if not isinstance(other, str):
        raise RecipeError(f"{which}: extends = {other!r}: it must be the name of a recipe, or a .toml file.")
    if other.endswith(".toml") and which.endswith(".toml"):
        other = str(Path(which).parent / other)
    try:
        inherited = _whole(other, (*below, which))
    except RecipeError as error:
        # A circle is told once, from its beginning.
        raise error if "circle" in str(error) else RecipeError(f"{which}: extends = {other!r}: {error}") from None
    return _merged(inherited, own)


def _path(which: str) -> str:
    return str(Path(which).resolve()) if which.endswith(".toml") else which


def _own(which: str) -> dict[str, Any]:
    if which.endswith(".toml"):
        try:
            return _parsed(Path(which).read_text("utf-8"), which)
        except (OSError, UnicodeDecodeError) as error:
            raise RecipeError(f"{which}: the recipe cannot be read ({error}).") from None
    if which in _files():
        return _parsed(_text(which), which)
    if which in _tables(_STUDENTS):
        return {"name": which, **copy.deepcopy(_tables(_STUDENTS)[which])}
    if which in _tables(_DOCUMENTS):
        table = copy.deepcopy(_tables(_DOCUMENTS)[which])
        document = table.pop("document", None)
        return table if document is None else {"name": which, "summary": f"a row of {document}", **table}
    near = difflib.get_close_matches(which, [*names(), *document_names()], n=3)
    raise RecipeError(
        f"There is no recipe {which!r}. "
        + (f"Close to it: {', '.join(near)}. " if near else "")
        + "`featherboard list recipes` shows all. A file of your own is named by its path, ending in .toml."
    )


def _files() -> list[str]:
    files = [file.name for file in (resources.files("engine") / "recipes").iterdir() if file.name.endswith(".toml")]
    stems = (name.removesuffix(".toml") for name in files)
    return [stem for stem in stems if stem not in {_DOCUMENTS, _STUDENTS}]


@cache
def _tables(file: str) -> dict[str, dict[str, Any]]:
    """The recipes of a file with a table for each."""
    return _parsed(_text(file), f"{file}.toml")


def _text(file: str) -> str:
    return (resources.files("engine") / "recipes" / f"{file}.toml").read_text("utf-8")


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecipeError(f"{where}: not TOML: {error}.") from None


def _merged(inherited: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The keys of both; a model of another kind replaces the inherited one, since it has other keys."""
    together = dict(inherited)
    for key, value in own.items():
        base = inherited.get(key)
        if isinstance(base, dict) and isinstance(value, dict) and not (key == "model" and _another(base, value)):
            together[key] = _merged(base, value)
        else:
            together[key] = value
    return together


def _another(base: dict[str, Any], model: dict[str, Any]) -> bool:
    usual = base.get("kind", "bilstm")
    return bool(model.get("kind", usual) != usual)
