"""What a command imports before it prints: packages that it does not need cost seconds of each call."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from engine.checkpoints import checkpoint
from engine.cli.app import app
from engine.inference.loading import VARIABLE
from tests import paths
from tests.factories.span_qa import span_recipe, started, toy_tokenizer, write_source

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


def test_a_review_is_answered_without_what_it_does_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither torch, whose import takes two seconds, nor the database, tables and statistics."""
    monkeypatch.delenv(VARIABLE)
    modules = _imported("predict", "sentiment", "Good.")
    assert modules.intersection(HEAVY) == {"numpy"}
    assert not modules.intersection(("transformers", "peft", "huggingface_hub", "onnxruntime"))


def test_a_question_is_answered_without_what_it_does_not_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a question once its model is exported: ONNX Runtime computes it."""
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    recipe = span_recipe(write_source(tmp_path / "encoder"))
    folder = tmp_path / "checkpoint"
    checkpoint.save_network(folder, recipe, (model := started(recipe)), model.state_dict(), toy_tokenizer())
    (tmp_path / "text.txt").write_text("The box is red.", "utf-8")
    arguments = ("ask", "--context", str(tmp_path / "text.txt"), "-q", "What is red?", "--model", str(folder))
    assert "onnxruntime" in _imported(*arguments)  # exported by a process of its own
    assert _imported(*arguments).intersection((*HEAVY, "transformers", "onnxruntime")) == {"numpy", "onnxruntime"}


def test_the_overview_shows_each_command_as_its_own_help_does() -> None:
    """It reads the sources; what is imported says the same, and hides the same."""
    groups = [typer.main.get_command(app)]
    groups += [command for command in groups[0].commands.values() if hasattr(command, "commands")]
    for group in groups:
        for name, command in group.commands.items():
            summary = group.commands.summary(name)
            assert (summary.help, summary.hidden) == (command.help, command.hidden), name
