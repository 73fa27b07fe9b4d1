"""The command line: help, one-line errors, lists, making and checking the database, serving."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer
from typer.testing import CliRunner

from db.base.clock import utc_now
from db.base.paths import default_database
from engine.cli import app as cli
from engine.recipes import loader
from tests.engine.cli.conftest import Run, default_store
from tests.factories.command_line import one_line_error
from tests.factories.recipes import REPO
from tests.factories.rows import change, model_row, run_row
from tests.factories.runs import add_runs

COMMAND = typer.main.get_command(cli.app)


def _commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*path, name))


def _command(path: tuple[str, ...]) -> click.Command:
    command = COMMAND
    for name in path:
        command = command.commands[name]  # type: ignore[attr-defined]
    return command


def test_every_command_is_known() -> None:
    """The commands that the documents speak of are there."""
    assert {" ".join(path) for path in _commands(COMMAND)} >= {
        "list",
        "train",
        "evaluate",
        "demo",
        "serve",
        "db init",
        "db check",
        "db export",
        "db import",
    }


@pytest.mark.parametrize("path", list(_commands(COMMAND)), ids=lambda path: " ".join(path) or "featherboard")
def test_every_command_explains_itself(path: tuple[str, ...]) -> None:
    """--help says what a command does and what each of its arguments, options and subcommands means."""
    shown = CliRunner().invoke(cli.app, [*path, "--help"], env={"COLUMNS": "250", "TERM": "dumb"}, color=False)
    assert shown.exit_code == 0
    command = _command(path)
    assert command.help
    for parameter in command.params:
        if parameter.name == "help":
            continue
        option = parameter.param_type_name == "option"
        name = max(parameter.opts, key=len) if option else parameter.metavar or str(parameter.name)
        assert name.lower() in shown.output.lower(), f"{' '.join(path)}: {parameter.name} is not in the help"
        assert getattr(parameter, "help", None), f"{' '.join(path)}: {parameter.name} has no help"
    for name, inner in getattr(command, "commands", {}).items():
        assert inner.hidden or name in shown.output
        assert inner.help


def test_the_module_is_the_command() -> None:
    """``python -m engine`` is ``featherboard``."""
    done = subprocess.run(
        [sys.executable, "-m", "engine", "list", "tasks"], cwd=REPO, capture_output=True, text=True, check=True
    )
    assert "reviews-ko-mini" in done.stdout


_WITHOUT_TORCH = """
import runpy, sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"torch", "transformers", "datasets", "accelerate", "safetensors", "tokenizers", "sklearn"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from db.runs import bundles
shipped = min(bundles.shipped(), key=lambda bundle: len(bundle[1]))  # shows what all need; all of them take 12 s
bundles.shipped = lambda: [shipped]
for arguments in (["db", "init"], ["db", "check"], ["list", "recipes"], ["list", "keys"], ["list", "runs"]):
    sys.argv = ["featherboard", *arguments]
    try:
        runpy.run_module("engine", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
try:
    import torch
except ModuleNotFoundError:
    print("torch was absent")
"""  # noqa: E501 - one set of names


def test_what_does_not_compute_works_without_torch() -> None:
    """Making, checking and listing need nothing of the engine's libraries."""
    done = subprocess.run([sys.executable, "-c", _WITHOUT_TORCH], cwd=REPO, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "torch was absent" in done.stdout
    assert "no problem found" in done.stdout
    assert "kobilstm-tiny" in done.stdout
    assert "train.epochs" in done.stdout
    assert "finished" in done.stdout  # of a listed run, wherever it is from


@pytest.mark.parametrize("arguments", [("train", "kobilstm-tiny"), ("evaluate", "x"), ("demo",)])
def test_what_computes_says_how_to_install_torch(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    """Without torch a training names the command that installs it, and makes no database."""
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else find_spec(name))
    assert "pip install -e '.[engine]'" in one_line_error(run(*arguments))
    assert not default_store().exists()


def test_lists(run: Run) -> None:
    """Recipes, tasks, keys and runs are listed, one line each."""
    recipes = run("list", "recipes")
    assert (recipes.code, recipes.err) == (0, "")
    assert all(name in recipes.out for name in loader.names())
    tasks = run("list", "tasks").out
    assert re.search(r"^nsmc\s+ko\s+Accuracy", tasks, re.MULTILINE)
    keys = run("list", "keys").out
    assert re.search(r"^train\.epochs\s+int\s+30", keys, re.MULTILINE)
    assert re.search(r"^model\.hidden_dim \(bilstm\)\s+int\s+required", keys, re.MULTILINE)
    assert run("db", "init").code == 0
    runs = run("list", "runs", "--limit", "5").out.strip().splitlines()
    assert len(runs) == 6
    assert all(" reported " in line for line in runs[1:])
    assert run("list").out.splitlines()[0] == run("list", "runs").out.splitlines()[0]
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    died = {"status": "running", "heartbeat": utc_now(), "host": socket.gethostname(), "pid": gone.pid}
    default_store().write([change("models", model_row()), change("runs", run_row("killed", **died))])
    line = next(line for line in run("list", "runs", "--limit", "5").out.splitlines() if "killed" in line)
    assert " interrupted " in line, "a run whose process is gone is listed as running"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("list", "things"), "There is no list of 'things'; there are runs, recipes, tasks and keys"),
        (("list", "runs"), "Make one with `featherboard db init`"),
        (("db", "check"), "There is no database"),
        (("db", "export", "x.zip"), "There is no database"),
        (("db", "import", "/nowhere.zip"), "/nowhere.zip"),
        (("train", "kobilstm-huge"), "There is no recipe 'kobilstm-huge'"),
        (("train", "/nowhere.toml"), "/nowhere.toml"),
        (("train", "kobilstm-tiny", "--set", "train.epoch=3"), "unknown key train.epoch"),
        (("train", "kobilstm-tiny", "--set", "train.lr=fast"), "train.lr = 'fast'"),
        (("train", "kobilstm-tiny", "--set", "train.epochs"), "write it as key=value"),
        (("train", "kobilstm-tiny", "--data", "/nowhere"), "There is no folder /nowhere"),
        (("train", "kobilstm-tiny", "--data", "hub"), "No loadable hub copy of nsmc is known"),
        (("train", "0123456789ab", "--resume"), "There is no run '0123456789ab'"),
        (("evaluate", "0123456789ab"), "no database"),
        (("evaluate", "."), "is not a checkpoint"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_errors_are_one_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    """What a person can get wrong ends with 1 and one line on standard error, without a traceback."""
    result = run(*arguments)
    assert message in one_line_error(result)
    assert result.out == ""


def test_a_wrong_use_is_refused(run: Run) -> None:
    """An unknown command, a missing argument or an impossible number ends with 2 and a usage line."""
    for arguments in (("nosuch",), ("train",), ("train", "x", "--seed", "-1"), ("train", "x", "--threads", "0")):
        result = run(*arguments)
        assert result.code == 2
        assert "Traceback" not in result.err


def test_a_file_that_is_no_database_is_told(run: Run) -> None:
    """A foreign file in the database's place is refused and left as it is."""
    default_database().parent.mkdir(parents=True)
    default_database().write_text("my diary, not a database" * 500)
    assert "cannot be opened as a database" in one_line_error(run("list", "runs"))
    assert default_database().read_text().startswith("my diary")


def test_the_database_is_made_once(run: Run) -> None:
    """Init makes the database with the reported results; again it adds nothing, and check finds no problem."""
    first, second = run("db", "init"), run("db", "init")
    number = int(re.search(r"(\d+) runs", first.out).group(1))  # type: ignore[union-attr]
    assert number > 50
    assert f"{number} of them new" in first.out
    assert f"{number} runs, 0 of them new" in second.out
    assert "no problem found" in run("db", "check").out


def test_check_ends_with_one_when_something_is_wrong(run: Run) -> None:
    """A database with an orphan is reported on standard output, with exit code 1."""
    run("db", "init")
    with default_store().transaction() as con:
        con.execute("INSERT INTO metrics (run_id, name, value) VALUES ('ghost', 'accuracy', 0.5)")
    result = run("db", "check")
    assert result.code == 1
    assert "metrics: 1 row(s) belong to no row of runs" in result.out


def test_compare_tells_whether_two_runs_differ(run: Run) -> None:
    """Two runs on the same examples are compared in words, with the counts and the p-value."""
    run("db", "init")
    first, second = add_runs(default_store(), 0.6, 0.75, seed=0)
    result = run("compare", first[:12], second[:12])
    assert result.code == 0, result.err
    assert "The data tell them apart. B KoBiLSTM-Tiny is better." in result.out
    assert re.search(r"common examples\s+200", result.out)
    assert "cannot tell them apart" in run("compare", first, first).out


def test_serve_starts_the_board_on_this_machine_only(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Serve makes the database and hands over to Streamlit, bound to 127.0.0.1 and without usage statistics."""
    started: list[list[str]] = []
    monkeypatch.chdir(REPO)
    monkeypatch.setenv("FEATHERBOARD_DB", str(default_database()))
    monkeypatch.setattr(os, "execv", lambda _, arguments: started.append(arguments))
    result = run("serve", "--port", "9123")
    assert result.code == 0, result.err
    assert "http://127.0.0.1:9123" in result.out
    (arguments,) = started
    assert arguments[1:4] == ["-m", "dashboard.server", "run"]
    assert Path(arguments[4]).parts[-2:] == ("dashboard", "app.py")
    options = dict(zip(arguments[5::2], arguments[6::2], strict=True))
    assert options["--server.address"] == "127.0.0.1"
    assert options["--server.port"] == "9123"
    assert options["--browser.gatherUsageStats"] == "false"
    assert default_store().exists()


def test_serve_without_the_dashboard_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the dashboard is not installed, one line says what to run."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "The dashboard package is not installed" in one_line_error(run("serve"))
