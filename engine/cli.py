"""The ``featherboard`` command.

    featherboard demo                          # a first board on the shipped mini corpora
    featherboard train kobilstm-tiny           # one recipe on its mini corpus
    featherboard train kobilstm-tiny --data ~/nsmc --seed 1 --set train.epochs=10
    featherboard serve                         # the board in a browser

Modules that import torch are imported inside the commands that need them: the database and the board work without.
"""

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from db import check as checks
from db import exchange, formats, queries, runs, setup, tasks
from db.errors import FeatherboardError
from db.metrics import known
from db.paths import default_database
from db.stats import mcnemar
from db.store import Store
from engine import demo as demos
from engine import recipe

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
    help="Train, distil, evaluate and compare small language models; every run goes to one DuckDB file.",
)  # fmt: skip
db_app = typer.Typer(no_args_is_help=True, help="Make, check and move the database.")
app.add_typer(db_app, name="db")

_out = Console(highlight=False)

DataOption = Annotated[
    str | None,
    typer.Option("--data", help="A folder with the real data (official files or hub-layout Parquet), or 'hub'. "
                                "Without it: the shipped mini corpus."),
]  # fmt: skip
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of everything random; default: the recipe's.")
]
ThreadsOption = Annotated[int | None, typer.Option("--threads", min=1, help="Processor threads; default: all cores.")]


def main() -> None:
    """Run the command line; errors that are meant for a person are printed in one line."""
    try:
        app()
    except (FeatherboardError, OSError) as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"Error: {error}", style="red", markup=False)
        sys.exit(1)


def _store() -> Store:
    return Store(default_database())


def _ready_store() -> Store:
    """The database, made first where there is none."""
    store = _store()
    if not store.exists():
        setup.initialise(store)
    return store


def _need_engine() -> None:
    if importlib.util.find_spec("torch") is None:
        raise FeatherboardError("This command computes, and torch is not installed. Run: pip install -e '.[engine]'")


@app.command("list")
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
        rows = [(name, recipe.load(name).summary) for name in recipe.names()]
        _print_table(("recipe", "what it is"), rows)
    elif what == "tasks":
        _print_table(
            ("task", "language", "metric", "question"),
            [(task.task_id, task.language, known(task.metric).label, task.question) for task in tasks.TASKS],
        )
    elif what == "keys":
        _print_table(("key", "type", "default", "meaning"), recipe.described_keys())
    else:
        raise FeatherboardError(f"There is no list of {what!r}; there are runs, recipes, tasks and keys.")


def _print_runs(limit: int) -> None:
    store = _store()
    by_task = {task.task_id: task for task in tasks.TASKS}
    rows = []
    for row in queries.runs(store, limit).to_dict("records"):
        task = by_task.get(row["task_id"])
        score = formats.value(known(task.metric), row["score"]) if task else ""
        rows.append((row["run_id"][:12], row["name"], row["task_id"], row["source"], row["status"], score))
    _print_table(("run", "name", "task", "source", "status", "score"), rows)


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, title in enumerate(head):
        table.add_column(title, no_wrap=position == 0, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    _out.print(table, markup=False)


@app.command()
def train(
    name: Annotated[
        str, typer.Argument(metavar="RECIPE", help="A shipped recipe, or a .toml file; with --resume: a run.")
    ],
    data: DataOption = None,
    seed: SeedOption = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; repeatable.")
    ] = None,
    threads: ThreadsOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the interrupted run of that id.")] = False,
) -> None:
    """Train a recipe, evaluate it on the test split and put the run on the board.

    Ctrl-C stops after the current step and leaves a run that --resume goes on with.
    """
    _need_engine()
    from engine import jobs  # noqa: PLC0415 - imports torch

    store = _ready_store()
    if resume:
        jobs.resume(store, name, data, threads)
    else:
        wanted = recipe.load(name, overrides or (), seed, mini=data is None)
        jobs.train(store, wanted, data, tuple(overrides or ()), threads, name)


@app.command()
def evaluate(
    target: Annotated[str, typer.Argument(metavar="RUN|FOLDER", help="A run's id, or a checkpoint's folder.")],
    data: DataOption = None,
    threads: ThreadsOption = None,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Replace the run's size and timings by those measured now (on a quiet machine)."),
    ] = False,
) -> None:
    """Score a checkpoint on the test split again, and time it; for a run, say whether its figures are reproduced."""
    _need_engine()
    from engine import jobs  # noqa: PLC0415 - imports torch

    jobs.evaluate(_store(), target, data, threads, keep=keep)


@app.command()
def compare(
    first: Annotated[str, typer.Argument(metavar="RUN", help="A run's id.")],
    second: Annotated[str, typer.Argument(metavar="RUN", help="Another run's id.")],
) -> None:
    """Compare two runs on the same examples: who is right where the other is wrong, and is it more than chance?"""
    found = queries.paired(_store(), first, second)
    p = mcnemar(found.only_first, found.only_second)
    rows = [
        ("common examples", f"{found.n:,}"), ("both right", f"{found.both:,}"),
        (f"only {found.first} right", f"{found.only_first:,}"),
        (f"only {found.second} right", f"{found.only_second:,}"),
        ("exact McNemar test, p", f"{p:.2g}"),
    ]  # fmt: skip
    _print_table(("", ""), rows)
    verdict = "The data tell them apart." if p < 0.05 else "The data cannot tell them apart."
    _out.print(verdict, markup=False)


@app.command()
def demo(threads: ThreadsOption = None) -> None:
    """Train and evaluate a first set of variants on the shipped mini corpora; what is there already is skipped."""
    store = _store()
    missing = demos.missing(store) if store.exists() else demos.recipes()
    if missing:
        _need_engine()
        store = _ready_store()
        from engine import jobs  # noqa: PLC0415 - imports torch

        jobs.demo(store, missing, threads)
    _out.print("The demo's variants are on the board.", markup=False)


@app.command()
def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the board.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Address to bind; keep the default unless others shall read the board.")
    ] = ("127.0.0.1"),
) -> None:
    """Serve the board in a browser, at http://127.0.0.1:8501 unless told otherwise."""
    store = _ready_store()
    runs.mark_dead(store)
    found = importlib.util.find_spec("dashboard")
    if found is None or found.origin is None:
        raise FeatherboardError("The dashboard package is not installed beside the engine. Run: pip install -e .")
    script = Path(found.origin).parent / "app.py"
    # Streamlit reads .streamlit/config.toml from the working directory: the checkout's, beside the package.
    os.chdir(script.parent.parent)
    os.environ["FEATHERBOARD_DB"] = str(store.path)
    _out.print(f"The board is at http://{address}:{port}  (database {store.path}; Ctrl-C ends it)", markup=False)
    sys.stdout.flush()
    os.execv(  # noqa: S606 - our own interpreter and our own arguments
        sys.executable,
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port), "--server.address", address,
         "--server.headless", "true", "--browser.gatherUsageStats", "false", "--client.toolbarMode", "minimal",
         "--client.showErrorDetails", "none"],
    )  # fmt: skip


@db_app.command("init")
def db_init() -> None:
    """Create the database or update it: schema, reported results, shipped measured runs. Adds nothing twice."""
    store = _store()
    done = setup.initialise(store)
    runs.mark_dead(store)
    steps = f", schema {', '.join(done.migrations)}" if done.migrations else ""
    _out.print(
        f"{store.path}: {done.runs_after} runs, {done.runs_after - done.runs_before} of them new{steps}", markup=False
    )


@db_app.command("check")
def db_check() -> None:
    """Verify the database; exit with 1 when something is wrong with it."""
    store = _store()
    findings = checks.check(store)
    for finding in findings:
        _out.print(finding, markup=False)
    if findings:
        raise typer.Exit(1)
    _out.print(f"{store.path}: no problem found", markup=False)


@db_app.command("export")
def db_export(
    target: Annotated[Path, typer.Argument(help="The bundle to write, a .zip file.")],
    run: Annotated[list[str] | None, typer.Option("--run", help="A run's id; repeatable. Default: all measured and "
                                                               "submitted runs.")] = None,
) -> None:  # fmt: skip
    """Write runs with their metrics, curves and predictions to one bundle (Parquet tables and JSON in a zip)."""
    store = _store()
    ids = [queries.run_detail(store, given).run["run_id"] for given in run] if run else None
    count = exchange.export_runs(store, target, ids)
    _out.print(f"{target}: {count} run(s), {target.stat().st_size:,} bytes", markup=False)


@db_app.command("import")
def db_import(source: Annotated[Path, typer.Argument(help="A bundle that `featherboard db export` wrote.")]) -> None:
    """Take the runs of a bundle in; importing twice changes nothing."""
    done = exchange.import_runs(_ready_store(), source)
    _out.print(f"{source}: {done.added} added, {done.updated} updated, {done.unchanged} already here", markup=False)
