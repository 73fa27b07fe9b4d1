"""What the commands share: options, the database, tables on the terminal."""

import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from db.base import secrets
from db.base.clock import utc_now
from db.base.errors import FeatherboardError, RemoteError
from db.base.paths import default_database

if TYPE_CHECKING:
    from db.remote import Target
    from db.runs.bundles import Imported
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
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", min=1, help="Processor threads; default: OMP_NUM_THREADS, or all cores.")
]

BoardOption = Annotated[
    str,
    typer.Option(
        "--board",
        envvar="FEATHERBOARD_URL",
        metavar="URL",
        help="The board of another machine, where `featherboard serve-api` runs: https://HOST or http://HOST:8600.",
    ),
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option("--token-file", help="A file that holds this machine's token; default: FEATHERBOARD_TOKEN."),
]

OutputOption = Annotated[
    Path | None,
    typer.Option("--output", help="The same table with prediction and probability: .csv, .tsv, .jsonl or .parquet."),
]
PrefixOption = Annotated[str, typer.Option("--prefix", help="Stands before the names of the two new columns.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite the output.")]
TextsOption = Annotated[
    list[str] | None, typer.Argument(metavar="[TEXT]...", help="Texts. None or -: standard input, one a line.")
]
ModelOption = Annotated[
    str, typer.Option("--model", help="A shipped checkpoint, a checkpoint's folder, or a run's id.")
]
SourceOption = Annotated[
    Path | None,
    typer.Option(
        "--input", help="A table of texts: .csv, .tsv, .json, .jsonl, .parquet, or an official NSMC .txt file."
    ),
]
ColumnOption = Annotated[
    str | None, typer.Option("--column", help="The column of the texts; default: document, text, review or sentence.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON to standard output, one object a line.")]

SHAPES, MOST_SHAPES = "ONEDNN_PRIMITIVE_CACHE_CAPACITY", "256"
"""The library below PyTorch keeps compiled operations for every length of text and batch size that it meets: for a
small LSTM 0.6 MB each, up to 1,024 operations, in all over 300 MB. A quarter of them holds what is asked often."""


DELIVER_S = 15.0
"""Seconds for which a finished training or measurement tries to reach another board."""

LAST_S = 3.0
"""Seconds for which one that was stopped, or failed, tries it."""


def open_store() -> "Store":
    """The database that this user works with."""
    from db.storage.store import Store  # noqa: PLC0415 - pandas and DuckDB take half a second to import

    return Store(default_database())


def ready_store() -> "Store":
    """The same, made first where there is none."""
    store = open_store()
    if not store.exists():
        from db.bootstrap import create  # noqa: PLC0415 - needs the packages of the store

        create.initialise(store)
    return store


def remote_target(url: str, token_file: Path | None, *, needs_token: bool = True) -> "Target | None":
    """The board that runs are sent to; None where no address is set.

    Args:
        url: Its address, empty where none is set.
        token_file: Holds this machine's token.
        needs_token: Refuse to go on without one.

    Raises:
        RemoteError: The address or the token cannot be used.
    """
    if not url:
        return None
    from db import remote  # noqa: PLC0415 - httpx takes a tenth of a second to import

    token = secrets.require_token(token_file) if needs_token else secrets.load_token(token_file) or ""
    return remote.Target(remote.parse_url(url), token)


def deliver(store: "Store", target: "Target", run_ids: Sequence[str], *, stopped: bool = False) -> None:
    """Send new runs to another board and print what became of them; what does not arrive waits, and nothing fails."""
    from db import remote  # noqa: PLC0415 - httpx

    try:
        if stopped:
            done = remote.deliver_last(store, target, run_ids, LAST_S)
        else:
            done = remote.deliver(store, target, run_ids, DELIVER_S)
    except RemoteError as error:
        waiting = len(list(remote.outbox(store.path).iterdir()))
        print_line(f"Not sent: {error}")
        if waiting:
            print_line(f"{waiting} run(s) wait; the next run, or `featherboard db push`, sends them.")
        return
    print_sent(target, done)


@contextmanager
def delivering(store: "Store") -> Iterator[None]:
    """Send the runs of the block, as they go on and at their end, to the board of FEATHERBOARD_URL if that is set."""
    target = remote_target(os.environ.get("FEATHERBOARD_URL", "").strip(), None)
    started = utc_now()
    if target is None:
        yield
    else:
        from db.live_runs import LiveRuns  # noqa: PLC0415 - httpx

        sql = "SELECT run_id FROM runs WHERE source = 'measured' AND status <> 'running' AND updated_at >= ? "
        sql += "ORDER BY updated_at, run_id"

        def ended() -> list[str]:
            return [str(run_id) for run_id in store.query(sql, [started])["run_id"]]

        try:
            with LiveRuns(store, target):
                yield
        except BaseException:  # Ctrl-C too: the other board would show it as running until the next delivery
            with suppress(FeatherboardError, OSError):
                deliver(store, target, ended(), stopped=True)
            raise
        deliver(store, target, ended())


def print_sent(target: "Target", done: "Imported") -> None:
    """Print the receipt of another board."""
    note = f". {done.note}" if done.note else ""
    print_line(f"{target.url}: {done.added} added, {done.updated} updated, {done.unchanged} already there{note}")


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
