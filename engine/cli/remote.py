"""Commands that move runs between machines while both are on."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from db import listen as listening
from db import quack
from db import remote as sending
from db.base import secrets
from db.base.errors import RemoteError
from db.runs import detail
from db.storage.store import Store
from engine.base.progress import Bar
from engine.cli.options import open_store, out, ready_store

TokenOption = Annotated[
    Path | None, typer.Option("--token-file", help="A file that holds the token; default: FEATHERBOARD_TOKEN.")
]


def listen(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the listener.")] = quack.PORT,
    address: Annotated[
        str, typer.Option(help="Address to bind; keep the default unless other machines shall reach it directly.")
    ] = "127.0.0.1",
    token_file: TokenOption = None,
) -> None:
    """Take runs into this board that other machines send with `featherboard db push`, until Ctrl-C.

    Whoever knows the token can add runs, and can read or change nothing. Without FEATHERBOARD_TOKEN or a token file a
    random token is made and printed; a token file that does not exist yet is written.
    """
    there = quack.place(f"quack:[{address}]:{port}" if ":" in address else f"quack:{address}:{port}")
    quack.connect().close()  # a missing extra is told before a board is made
    exists = token_file is None or token_file.exists()
    token = secrets.load_token(token_file) if exists else None
    store = ready_store()
    made = token is None
    token = token or secrets.make(token_file)

    def ready() -> None:
        out.print(f"Listening on {there}; runs go to {store.path}. Ctrl-C ends.", markup=False, soft_wrap=True)
        if made and token_file is None:
            out.print(
                f"Senders need this token, in {secrets.VARIABLE} or a file: {token}", markup=False, soft_wrap=True
            )
        elif made:
            out.print(f"Senders need the token in {token_file}.", markup=False, soft_wrap=True)
        if not listening.is_loopback(address):
            out.print("Token and runs travel unencrypted: listen like this in a network you trust.", soft_wrap=True)

    def tell(text: str) -> None:
        out.print(text, markup=False, soft_wrap=True)

    with _stop_on_signal() as should_stop:
        listening.listen(store, there, token, should_stop=should_stop, tell=tell, ready=ready)
    tell("Stopped listening.")


def push(
    target: Annotated[str, typer.Argument(metavar="QUACK", help="The listener, quack:HOST:PORT.")],
    run: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="Runs' ids. Default: all measured runs.")
    ] = None,
    token_file: TokenOption = None,
) -> None:
    """Send runs to the board of another machine, where `featherboard db listen` runs; sending twice changes nothing."""
    quack.place(target)
    token = secrets.needed(token_file)
    store = open_store()
    ids = [str(detail.run_detail(store, given).run["run_id"]) for given in run] if run else sending.waiting(store)
    if not ids:
        raise RemoteError("There is no measured run to send; `featherboard list runs` shows what there is.")
    send(store, target, token, ids)


def send(store: Store, target: str, token: str, ids: Sequence[str]) -> None:
    """Send runs and say what became of them.

    Args:
        store: Holds the runs.
        target: The listener, ``quack:HOST:PORT``.
        token: Its token.
        ids: Whole ids of the runs.

    Raises:
        RemoteError: Not all of them arrived; the message says how many did.
    """
    there = 0

    def moved(count: int) -> None:
        nonlocal there
        bar.advance(count - there)
        there = count

    try:
        with Bar(f"Sending {len(ids)} run(s)", len(ids)) as bar:
            done = sending.push(store, target, token, ids, moved)
    except KeyboardInterrupt:
        raise RemoteError(
            f"Stopped. {there} of {len(ids)} runs are in the other board; the same command sends the rest."
        ) from None
    except RemoteError as error:
        raise RemoteError(f"{error} {there} of {len(ids)} runs are in the other board.") from error
    out.print(
        f"{target}: {done.added} added, {done.updated} updated, {done.unchanged} already there"
        f"{f'. {done.note}' if done.note else ''}",
        markup=False,
    )


@contextmanager
def _stop_on_signal() -> Iterator[Callable[[], bool]]:
    """Yield a question that is answered with yes after Ctrl-C or SIGTERM; a second signal ends the process at once."""
    asked = False

    def handler(_: int, __: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)
