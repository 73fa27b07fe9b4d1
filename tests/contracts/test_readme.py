"""The README names everything that a user can type or set."""

import re
from collections.abc import Iterator

import pytest
import typer

from engine.cli.app import app
from engine.recipes import loader
from tests import paths

ROOT = paths.REPO
README = (ROOT / "README.md").read_text("utf-8")
SOURCES = [path for folder in ("db", "engine", "dashboard") for path in (ROOT / folder).rglob("*.py")]


def _commands(group: object, prefix: str) -> Iterator[str]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}"


@pytest.mark.parametrize("command", list(_commands(typer.main.get_command(app), "featherboard")))
def test_every_command_is_in_the_readme(command):
    """A command that nobody can find does not exist."""
    assert f"`{command}" in README, f"{command} is missing from the README's table of commands"


def test_every_environment_variable_is_in_the_readme():
    """A variable of ours that the code reads is explained."""
    variables = {name for path in SOURCES for name in re.findall(r"\bFEATHERBOARD_[A-Z_]+\b", path.read_text("utf-8"))}
    assert variables, "no variable was found: the search is wrong"
    missing = sorted(name for name in variables if f"`{name}`" not in README)
    assert not missing, f"not in the README: {missing}"


@pytest.mark.parametrize("name", loader.names())
def test_every_recipe_is_in_the_readme(name):
    """A shipped recipe is named."""
    assert f"`{name}`" in README


def test_the_recipes_of_the_documents_can_be_found():
    """There are too many of them to name, so the README names one, the list that shows all, and their file."""
    assert any(f"`{name}`" in README for name in loader.document_names())
    assert "`featherboard list recipes`" in " ".join(README.split())
    assert "`engine/recipes/documents.toml`" in README


def test_the_two_commands_come_first():
    """`make run` and `make test` are the first thing in the README."""
    first = README[: README.index("```", README.index("```") + 3)]
    assert "make run" in first
    assert "make test" in first


def test_every_make_target_is_in_the_readme():
    """A target of the Makefile is named."""
    targets = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert targets
    for target in targets.group(1).split():
        assert re.search(rf"\bmake [a-z -]*\b{target}\b", README), target
