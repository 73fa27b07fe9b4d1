"""Commands that read the board, fill its demo and serve it."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from db import formats, queries, runs, tasks
from db.compare import compare as compared
from db.errors import FeatherboardError
from db.metrics import known
from engine import demo as demos
from engine import recipe
from engine.commands.options import ThreadsOption, need_engine, open_store, out, print_table, ready_store


def list_things(
    what: Annotated[
        str, typer.Argument(help="runs, recipes, tasks or keys (every key that a recipe may have).")
    ] = "runs",
    limit: Annotated[int, typer.Option(min=1, help="Rows of the list of runs.")] = 30,
) -> None:
    """List runs, recipes, tasks, or the keys of recipes."""
    if what == "runs":
        _print_runs(limit)
    elif what == "recipes":
        rows = [(name, recipe.load(name).summary) for name in (*recipe.names(), *recipe.document_names())]
        print_table(("recipe", "what it is"), rows)
    elif what == "tasks":
        print_table(
            ("task", "language", "metric", "question"),
            [(task.task_id, task.language, known(task.metric).label, task.question) for task in tasks.TASKS],
        )
    elif what == "keys":
        print_table(("key", "type", "default", "meaning"), recipe.described_keys())
    else:
        raise FeatherboardError(f"There is no list of {what!r}; there are runs, recipes, tasks and keys.")


def _print_runs(limit: int) -> None:
    store = open_store()
    by_task = {task.task_id: task for task in tasks.TASKS}
    rows = []
    for row in queries.runs(store, limit).to_dict("records"):
        task = by_task.get(row["task_id"])
        score = formats.value(known(task.metric), row["score"]) if task else ""
        rows.append((row["run_id"][:12], row["name"], row["task_id"], row["source"], row["status"], score))
    print_table(("run", "name", "task", "source", "status", "score"), rows)


def compare(
    first: Annotated[str, typer.Argument(metavar="RUN", help="A run's id.")],
    second: Annotated[str, typer.Argument(metavar="RUN", help="Another run's id.")],
) -> None:
    """Compare two runs on the same examples: who is right where the other is wrong, and is it more than chance?"""
    found = compared(open_store(), first, second)
    p = found.p
    rows = [
        ("common examples", f"{len(found.examples):,}"), ("both right", f"{found.count('both'):,}"),
        (f"only {found.first['name']} right", f"{found.count('only_first'):,}"),
        (f"only {found.second['name']} right", f"{found.count('only_second'):,}"),
        ("exact McNemar test, p", f"{p:.2g}"),
    ]  # fmt: skip
    print_table(("", ""), rows)
    verdict = "The data tell them apart." if p < 0.05 else "The data cannot tell them apart."
    out.print(verdict, markup=False)


def demo(threads: ThreadsOption = None) -> None:
    """Train and evaluate a first set of variants on the shipped mini corpora; what is there already is skipped."""
    store = open_store()
    missing = demos.missing(store) if store.exists() else demos.recipes()
    if missing:
        need_engine()
        store = ready_store()
        from engine import jobs  # noqa: PLC0415 - imports torch

        jobs.demo(store, missing, threads)
    out.print("The demo's variants are on the board.", markup=False)


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the board.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Address to bind; keep the default unless others shall read the board.")
    ] = ("127.0.0.1"),
) -> None:
    """Serve the board in a browser, at http://127.0.0.1:8501 unless told otherwise."""
    store = ready_store()
    runs.mark_dead(store)
    found = importlib.util.find_spec("dashboard")
    if found is None or found.origin is None:
        raise FeatherboardError("The dashboard package is not installed beside the engine. Run: pip install -e .")
    script = Path(found.origin).parent / "app.py"
    # Streamlit reads .streamlit/config.toml from the working directory: the checkout's, beside the package.
    os.chdir(script.parent.parent)
    os.environ["FEATHERBOARD_DB"] = str(store.path)
    out.print(f"The board is at http://{address}:{port}  (database {store.path}; Ctrl-C ends it)", markup=False)
    sys.stdout.flush()
    os.execv(  # noqa: S606 - our own interpreter and our own arguments
        sys.executable,
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port), "--server.address", address,
         "--server.headless", "true", "--browser.gatherUsageStats", "false", "--client.toolbarMode", "minimal",
         "--client.showErrorDetails", "none"],
    )  # fmt: skip
