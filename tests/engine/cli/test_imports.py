"""What a command imports before it prints: packages that it does not need cost seconds of each call."""

import json
import subprocess
import sys

import pytest
import typer

from engine.cli.app import app
from tests import paths

HEAVY = ("accelerate", "datasets", "duckdb", "httpx", "numpy", "pandas", "pyarrow", "scipy", "sklearn", "torch")
MAX_MODULES = 600
"""Modules in memory at the end: some 400 today, and 2,000 with pandas."""


def _imported(*arguments: str) -> set[str]:
    """The modules that are in memory when a command ends."""
    script = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        f"sys.argv = ['featherboard', *{arguments!r}]\n"
        "from engine.cli.app import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=paths.REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("db", "--help"), ("train", "--help"), ("ask", "--help"), ("list", "recipes"), ("list", "tasks")],
    ids=" ".join,
)
def test_help_and_lists_need_no_heavy_package(arguments: tuple[str, ...]) -> None:
    """Neither arrays nor the database nor the engine."""
    modules = _imported(*arguments)
    assert not modules.intersection(HEAVY)
    assert len(modules) <= MAX_MODULES


def test_a_bilstm_answers_without_what_it_does_not_need() -> None:
    """Neither the database, nor tables, nor the libraries of transformers and of statistics, which take seconds."""
    modules = _imported("predict", "sentiment", "Good.")
    assert modules.intersection(HEAVY) == {"torch", "numpy"}
    assert not modules.intersection(("transformers", "peft", "huggingface_hub"))


def test_the_overview_shows_each_command_as_its_own_help_does() -> None:
    """It reads the sources; what is imported says the same, and hides the same."""
    groups = [typer.main.get_command(app)]
    groups += [command for command in groups[0].commands.values() if hasattr(command, "commands")]
    for group in groups:
        for name, command in group.commands.items():
            summary = group.commands.summary(name)
            assert (summary.help, summary.hidden) == (command.help, command.hidden), name
