"""The command that serves predictions and the board to other programs."""

import importlib.util
import logging
import os
from functools import partial
from pathlib import Path
from typing import Annotated, get_args

import typer

from db.base import secrets
from db.base.errors import FeatherboardError
from db.storage.store import Store
from engine.cli.options import MOST_SHAPES, SHAPES, ThreadsOption, need_engine, out, print_line, ready_store
from engine.inference.models import TASK_TYPES, TaskType

BOARD_WAIT_S = 4.0
"""Seconds that a request waits while a training writes."""


def serve_api(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the service; 0: any that is free.")] = 8600,
    address: Annotated[
        str, typer.Option(help="Address to bind; any other than this machine's own needs a token.")
    ] = "127.0.0.1",
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file", help="A file that holds the token, readable for you alone; default: FEATHERBOARD_API_TOKEN."
        ),
    ] = None,
    senders_file: Annotated[
        Path | None,
        typer.Option(
            "--senders-file",
            help="Lines of NAME:TOKEN, one for each machine that may send runs, readable for you alone; default: "
            "FEATHERBOARD_TOKENS, separated by commas.",
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="NAME=FOLDER", help="A model of a folder that can be asked by that name; repeatable."
        ),
    ] = None,
    warm: Annotated[
        list[str] | None,
        typer.Option(
            "--warm",
            help="What is loaded before the service calls itself ready: qa, sentiment or nli; "
            "repeatable; default: all three.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, max=3600, help="Seconds until a request is given up with 504.")
    ] = 30.0,
    most_waiting: Annotated[
        int,
        typer.Option("--most-waiting", min=1, max=512, help="Predictions that are computed or wait; others get 429."),
    ] = 16,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            help="An origin such as https://example.org whose pages may ask from a browser; repeatable; default: none.",
        ),
    ] = None,
    access_log: Annotated[bool, typer.Option("--access-log", help="Write a line for every request.")] = False,
    threads: ThreadsOption = None,
) -> None:
    """Serve predictions and the board to other programs over HTTP, at http://127.0.0.1:8600 unless told otherwise.

    /docs describes all that can be asked. The board is read only, but for machines with a token of their own: they
    send runs with `featherboard db push`. Ctrl-C or SIGTERM ends the service once the requests that it has taken are
    answered.
    """
    need_engine()
    if any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn", "prometheus_client")):
        raise FeatherboardError("The service needs more packages. Run: pip install -e '.[engine,service]'")
    os.environ.setdefault(SHAPES, MOST_SHAPES)  # read when torch is loaded
    from engine.inference.loading import load  # noqa: PLC0415
    from engine.inference.model_cache import ModelCache  # noqa: PLC0415
    from engine.service import app, settings  # noqa: PLC0415 - needs the extra

    chosen = settings.Settings(
        address=address,
        port=port,
        token=secrets.load_token(token_file, settings.VARIABLE),
        senders=secrets.load_senders(senders_file),
        origins=tuple(allow_origin or ()),
        timeout_s=timeout,
        most_waiting=most_waiting,
        warm=_reads(warm),
        named=settings.named_models(model or []),
    )
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    store = Store(ready_store().path, wait_s=min(BOARD_WAIT_S, timeout))

    def ready(where: str) -> None:
        print_line(f"Serving at {where}, described at {where}/docs  (database {store.path}; Ctrl-C ends it)")

    cache = ModelCache(load=partial(load, threads=threads))
    app.serve(app.create(chosen, store, cache=cache), chosen, ready=ready, access_log=access_log)
    out.print("Stopped serving.", markup=False)


def _reads(names: list[str] | None) -> tuple[TaskType, ...]:
    unknown = [name for name in names or () if name not in get_args(TaskType)]
    if unknown:
        raise typer.BadParameter(f"--warm {unknown[0]}: there are {', '.join(TASK_TYPES)}.")
    return tuple(reads for reads in TASK_TYPES if names is None or reads in names)
