"""What the commands share: options, the database, tables on the terminal."""

import importlib.util
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from db.base.errors import FeatherboardError
from db.base.paths import default_database
from db.bootstrap import create
from db.storage.store import Store

out = Console(highlight=False)

DataOption = Annotated[
    str | None,
    typer.Option(
        "--data",
        help="A folder with the real data (official files or hub-layout Parquet), or 'hub'. "
        "Without it: the shipped mini corpus.",
    ),
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of everything random; default: the recipe's.")
]
ThreadsOption = Annotated[int | None, typer.Option("--threads", min=1, help="Processor threads; default: all cores.")]

SHAPES, MOST_SHAPES = "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "256"
"""The library below PyTorch keeps compiled operations for every length of text and batch size that it meets: for a
small LSTM 0.6 MB each, up to 1,024 operations, in all over 300 MB. A quarter of them holds what is asked often."""


def open_store() -> Store:
    """The database that this user works with."""
    return Store(default_database())


def ready_store() -> Store:
    """The same, made first where there is none."""
    store = open_store()
    if not store.exists():
        create.initialise(store)
    return store


def need_engine() -> None:
    """Refuse to compute without torch.

    Raises:
        FeatherboardError: torch is not installed.
    """
    if importlib.util.find_spec("torch") is None:
        raise FeatherboardError("This command computes, and torch is not installed. Run: pip install -e '.[engine]'")


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A plain table; a title-less head is left blank."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, title in enumerate(head):
        table.add_column(title, no_wrap=position == 0, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    out.print(table, markup=False)


def printable(text: str) -> str:
    """Somebody's text on one line of a terminal: line breaks and control characters become spaces."""
    return "".join(character if character.isprintable() else " " for character in text)


def print_line(text: str) -> None:
    """Print a line that may hold somebody's text: without markup, and without what a terminal cannot show."""
    out.print(printable(text), markup=False, soft_wrap=True)
