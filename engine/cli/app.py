"""The ``featherboard`` command.

    featherboard demo                          # a first board on the shipped mini corpora
    featherboard train kobilstm-tiny           # one recipe on its mini corpus
    featherboard train kobilstm-tiny --data ~/nsmc --seed 1 --set train.epochs=10
    featherboard distill minilm-l3 --data ~/english-text
    featherboard pretrain small-bert-8k-lm --data ~/korean-text
    featherboard sweep kobilstm-tiny --grid train.lr=0.001,0.003 --seeds 0,1,2
    featherboard sweep kobilstm-tiny --seeds 0,1,2,3 --ray local
    featherboard predict sentiment "..."
    featherboard predict text "..."            # the topic of a Korean headline
    featherboard predict nli "A man sleeps." "Nobody is awake."
    featherboard ask --context notes.txt --question "..."
    featherboard bench --device-name "Raspberry Pi 5, 8 GB"
    featherboard task new reviews.csv          # a board for data of your own
    featherboard export feedback wrong.json    # reported answers as labelled examples
    featherboard serve                         # the board in a browser
    featherboard publish-site public           # the board as static files
    featherboard submit all_results.json --set task=nsmc --set model=MyModel
    featherboard serve-api                     # predictions and the board for other programs

A command's module is imported when the command runs or shows its own help: the overview takes its lines from the
modules' source, and so needs neither pandas nor the database.
"""

import ast
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from typer.core import TyperCommand, TyperGroup

from db.base.errors import FeatherboardError

_ROOT = {
    "list": "board.list_things",
    "train": "train.train",
    "distill": "train.distill",
    "pretrain": "train.pretrain",
    "sweep": "train.sweep",
    "evaluate": "models.evaluate",
    "publish": "models.publish",
    "cut-vocabulary": "models.cut_vocabulary",
    "ask": "ask.ask",
    "bench": "models.bench",
    "compare": "board.compare",
    "demo": "board.demo",
    "serve": "board.serve",
    "publish-site": "board.publish_site",
    "submit": "submissions.submit",
    "verify": "submissions.verify",
    "serve-api": "serve.serve_api",
}


def _of(module: str, *names: str) -> dict[str, str]:
    """Commands of a module whose functions are called as they are."""
    return {name: f"{module}.{name}" for name in names}


_GROUPS = {
    "predict": ("Ask a trained model about your own texts.", _of("predict", "sentiment", "text", "nli", "number")),
    "db": (
        "Make, check and move the database.",
        {
            **_of("database", "init", "check", "digest", "backup", "restore", "export"),
            "import": "database.import_",
            **_of("database", "push", "listen"),
        },
    ),
    "task": (
        "Boards for data of your own.",
        {**_of("task", "new", "add"), "list": "task.list_tasks", **_of("task", "remove")},
    ),
    "export": ("Write what the board holds to files of common forms.", _of("database", "feedback")),
    "moderate": (
        "Look at what was submitted and decide on it; write tags and notes beside runs.",
        {
            "list": "moderate.list_submissions",
            **_of("moderate", "show", "accept", "reject", "merge", "withdraw", "tag", "untag", "note"),
        },
    ),
}
_HIDDEN = frozenset({"database.listen"})
_STOPPED = 130
"""With what typer ends after a KeyboardInterrupt."""


class _Commands(Mapping[str, Any]):
    """Commands by name, made when they are looked up."""

    def __init__(self, targets: Mapping[str, str], groups: Mapping[str, Any]) -> None:
        self._targets, self._made = targets, dict(groups)

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            module, function = self._targets[name].split(".")
            single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            hidden = self._targets[name] in _HIDDEN
            single.command(name, hidden=hidden)(getattr(importlib.import_module(f"engine.cli.{module}"), function))
            self._made[name] = typer.main.get_command(single)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._targets, *self._made]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def summary(self, name: str) -> Any:
        """A command that has its help and nothing else."""
        if name in self._made:
            return self._made[name]
        module, function = self._targets[name].split(".")
        tree = ast.parse((Path(__file__).with_name(f"{module}.py")).read_text("utf-8"))
        node = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function)
        return TyperCommand(name, help=ast.get_docstring(node), hidden=self._targets[name] in _HIDDEN)


def _group(targets: Mapping[str, str]) -> type[TyperGroup]:
    class Group(TyperGroup):
        """A group of commands whose modules are imported when they are needed."""

        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands: Any = _Commands(targets, self.commands)
            self.overview = False

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """Print the overview of the commands."""
            self.overview = True
            super().format_help(ctx, formatter)
            self.overview = False

        def list_commands(self, _: Any) -> list[str]:
            """The names of the commands."""
            return list(self.commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            """A command, or its summary for the overview."""
            if self.overview:
                return self.commands.summary(cmd_name)
            return super().get_command(ctx, cmd_name)

    return Group


app = typer.Typer(
    cls=_group(_ROOT),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Train, distil, evaluate and compare small language models; every run goes to one DuckDB file.",
)
for _name, (_help, _targets) in _GROUPS.items():
    app.add_typer(typer.Typer(cls=_group(_targets), no_args_is_help=True, help=_help), name=_name)


def main() -> None:
    """Run the command line; errors that are meant for a person, and a stop by a signal, are printed in one line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that nothing half-written is left, as after Ctrl-C
    try:
        _run()
    except (FeatherboardError, OSError) as error:
        _fail(f"Error: {error}")
    except MemoryError:
        _fail("Error: There was not enough memory. What was acknowledged before is stored; free some and run it again.")
    except SystemExit as end:
        if end.code == _STOPPED:
            _fail("Stopped. What was acknowledged before is stored; run the command again to do the rest.", _STOPPED)
        raise


def _run() -> None:
    """Run a command; of the processes that torchrun starts the first does, and the others help it."""
    if "TORCHELASTIC_RUN_ID" not in os.environ or os.environ.get("WORLD_SIZE", "1") == "1":
        app()
        return
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # it warns that no parameter of a network is unused
    from engine.trainer import helpers  # noqa: PLC0415 - imports torch

    if os.environ["RANK"] != "0":
        helpers.serve()
        return
    with helpers.leading():
        app()


def _fail(text: str, code: int = 1) -> NoReturn:
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, style="red", markup=False)
    sys.exit(code)
