"""Recipes that extend others: only what is different is written down, and a circle is one clear line."""

from pathlib import Path

import pytest

from engine.base.errors import RecipeError
from engine.recipes import files as recipe_files
from engine.recipes import loader
from tests.factories.command_line import one_line


def _write(folder: Path, name: str, text: str) -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    return str(folder / name)


def _message(which: str) -> str:
    return one_line(lambda: loader.load(which), RecipeError)


def test_a_file_extends_a_shipped_recipe(tmp_path: Path) -> None:
    """Single keys of a table change; all others are those of the shipped recipe."""
    own = _write(tmp_path, "own.toml", 'extends = "kobilstm-tiny"\nname = "own"\n[train]\nepochs = 2\n')
    loaded, shipped = loader.load(own), loader.load("kobilstm-tiny")
    assert (loaded.name, loaded.train.epochs) == ("own", 2)
    assert loaded.model == shipped.model
    assert loaded.tokenizer == shipped.tokenizer
    assert loaded.train.model_copy(update={"epochs": shipped.train.epochs}) == shipped.train


def test_a_file_extends_a_file_beside_it(tmp_path: Path) -> None:
    """A path is meant from the file that names it, over several steps and folders."""
    _write(tmp_path, "deep/first.toml", 'extends = "distilkobilstm-tiny"\nname = "first"\n[train]\nlr = 0.01\n')
    _write(tmp_path, "second.toml", 'extends = "deep/first.toml"\n[distill]\ntemperature = 3.0\n')
    loaded = loader.load(_write(tmp_path, "third.toml", 'extends = "second.toml"\nname = "third"\nseed = 4\n'))
    assert (loaded.name, loaded.seed, loaded.train.lr) == ("third", 4, 0.01)
    assert loaded.distill is not None
    assert loaded.distill.temperature == 3.0
    assert loaded.distill.teacher == loader.load("distilkobilstm-tiny").distill.teacher  # type: ignore[union-attr]


def test_a_file_extends_a_row_of_the_documents(tmp_path: Path) -> None:
    """Rows of the documents are recipes like others."""
    row = "distilkobilstm-base.small-v3.r0.1.t2.e100.s5"
    own = _write(tmp_path, "own.toml", f'extends = "{row}"\nname = "own"\ndata = {{ add = [] }}\n')
    loaded = loader.load(own)
    assert loaded.data.add == ()
    assert loaded.train == loader.load(row).train


def test_a_model_of_another_kind_has_its_own_keys(tmp_path: Path) -> None:
    """A table of another kind replaces the inherited one; a tokenizer's kinds share their keys."""
    cnn = "[model]\nkind = 'cnn'\nembedding_dim = 8\nfilters = 4\n"
    own = _write(tmp_path, "own.toml", f'extends = "kobilstm-tiny"\nname = "own"\n{cnn}')
    assert loader.load(own).model.model_dump(include={"kind", "embedding_dim", "filters"}) == {
        "kind": "cnn",
        "embedding_dim": 8,
        "filters": 4,
    }
    base = _write(tmp_path, "base.toml", 'extends = "kobilstm-tiny"\n[tokenizer]\nkind = "bpe"\nmax_length = 33\n')
    other = _write(tmp_path, "other.toml", 'extends = "base.toml"\n[tokenizer]\nkind = "wordpiece"\n')
    assert loader.load(base).tokenizer.max_length == loader.load(other).tokenizer.max_length == 33
    assert loader.load(other).tokenizer.kind == "wordpiece"


def test_the_mini_tables_are_inherited_too(tmp_path: Path) -> None:
    """What a recipe changes on a mini corpus holds for those that extend it."""
    own = _write(tmp_path, "own.toml", 'extends = "distilkobilstm-tiny"\nname = "own"\n[mini.train]\nlr = 0.5\n')
    loaded, shipped = loader.load(own, mini=True), loader.load("distilkobilstm-tiny", mini=True)
    assert loaded.distill == shipped.distill
    assert loaded.train == shipped.train.model_copy(update={"lr": 0.5})


def test_overrides_go_over_what_is_inherited(tmp_path: Path) -> None:
    """--set has the last word."""
    own = _write(tmp_path, "own.toml", 'extends = "kobilstm-tiny"\n[train]\nepochs = 2\n')
    assert loader.load(own, ["train.epochs=7"]).train.epochs == 7


@pytest.mark.parametrize(
    "files",
    [
        {"a.toml": "a.toml"},
        {"a.toml": "b.toml", "b.toml": "a.toml"},
        {"a.toml": "deep/../b.toml", "b.toml": "./a.toml"},
        {"a.toml": "b.toml", "b.toml": "c.toml", "c.toml": "b.toml"},
    ],
    ids=["itself", "two", "spelt otherwise", "behind the first"],
)
def test_a_circle_is_told_once(tmp_path: Path, files: dict[str, str]) -> None:
    """However long the way round, and however the paths are spelt, one line shows it."""
    (tmp_path / "deep").mkdir()
    for name, other in files.items():
        _write(tmp_path, name, f'extends = "{other}"\nname = "x"\n')
    message = _message(str(tmp_path / "a.toml"))
    assert message.count("extends goes in a circle") == 1
    assert "a.toml -> " in message


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('"nosuch"', "own.toml: extends = 'nosuch': There is no recipe 'nosuch'"),
        ('"gone.toml"', "gone.toml: the recipe cannot be read"),
        ('"broken.toml"', "broken.toml: not TOML"),
        ("5", "extends = 5: it must be the name of a recipe"),
        ('["a", "b"]', "extends = ['a', 'b']: it must be the name of a recipe"),
    ],
)
def test_a_wrong_parent_is_told(tmp_path: Path, value: str, text: str) -> None:
    """The line names the file that extends and what it extends."""
    _write(tmp_path, "broken.toml", "name = \n")
    message = _message(_write(tmp_path, "own.toml", f"extends = {value}\n"))
    assert "own.toml: extends" in message
    assert text in message


def test_a_wrong_key_is_still_told(tmp_path: Path) -> None:
    """What is inherited does not hide a slip, and `document` is no key of a user's file."""
    own = _write(tmp_path, "own.toml", 'extends = "kobilstm-tiny"\n[train]\nepoch = 2\n')
    assert "unknown key train.epoch" in _message(own)
    assert "unknown key document" in _message(_write(tmp_path, "o.toml", 'extends = "kobilstm-tiny"\ndocument = "x"\n'))


def test_reading_changes_nothing_shared() -> None:
    """An override of one load is not seen by the next."""
    row = loader.document_names()[0]
    loader.load(row, ["train.epochs=1", "model.dropout=0.9", "distill.temperature=50"])
    assert loader.load(row).train.epochs != 1
    assert recipe_files.read(row) == recipe_files.read(row)
    assert loader.load(row).model.model_dump()["dropout"] == 0.3
