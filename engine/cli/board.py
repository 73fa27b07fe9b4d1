"""Commands that read the board, fill its demo and serve it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db.base.errors import FeatherboardError
from db.registry import formats, tasks
from db.registry.metrics import CORRELATIONS, known
from engine.cli.options import (
    MOST_SHAPES,
    SHAPES,
    ThreadsOption,
    need_engine,
    open_store,
    out,
    print_table,
    ready_store,
)
from engine.recipes import loader

if TYPE_CHECKING:
    from db.analysis.paired_tests import Verdict


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
        rows = [(name, loader.load(name).summary) for name in (*loader.names(), *loader.document_names())]
        print_table(("recipe", "what it is"), rows)
    elif what == "tasks":
        print_table(
            ("task", "language", "metric", "question"),
            [(task.task_id, task.language, known(task.metric).label, task.question) for task in tasks.TASKS],
        )
    elif what == "keys":
        print_table(("key", "type", "default", "meaning"), loader.described_keys())
    else:
        raise FeatherboardError(f"There is no list of {what!r}; there are runs, recipes, tasks and keys.")


def _print_runs(limit: int) -> None:
    from db.runs import detail, status  # noqa: PLC0415 - pandas and DuckDB take half a second to import

    store = open_store()
    status.mark_dead(store)
    by_task = {task.task_id: task for task in tasks.TASKS}
    rows = []
    for row in detail.runs(store, limit).to_dict("records"):
        task = by_task.get(row["task_id"])
        score = formats.value(known(task.metric), row["score"]) if task else ""
        rows.append((row["run_id"][:12], row["name"], row["task_id"], row["source"], row["status"], score))
    print_table(("run", "name", "task", "source", "status", "score"), rows)


def compare(
    run_ids: Annotated[list[str], typer.Argument(metavar="RUN RUN...", help="Ids of two to six runs of one task.")],
) -> None:
    """Compare two to six runs on the same examples: who is right where others are wrong, and is it more than chance?"""
    from db.analysis import paired_tests  # noqa: PLC0415 - scipy takes a second to import
    from db.analysis.comparison import LETTERS, choice_caveats, other_data  # noqa: PLC0415
    from db.analysis.comparison import compare as compared  # noqa: PLC0415

    comparison = compared(open_store(), run_ids)
    runs, known = comparison.chosen.runs, comparison.common
    names = [f"{LETTERS[position]} {runs['name'][position]}" for position in comparison.places]
    shares = [("common examples", f"{len(known):,}")]
    if known.numbers is None:
        shares += [(f"{name} right", f"{known.right[:, column].mean():.2%}") for column, name in enumerate(names)]
    if len(names) == 1:  # one run against itself
        print_table(("", ""), shares)
        out.print("The data cannot tell them apart: it is the same run.", markup=False)
        return
    for kind, values in other_data(comparison.chosen).items():
        parts = "; ".join(
            f"{value} ({', '.join(LETTERS[column] for column in places)})" for value, places in values.items()
        )
        out.print(f"Not the same data, {kind}: {parts}. A difference is not the models' alone.", markup=False)
    print_table(("", ""), shares)
    for text, indices in choice_caveats(comparison.chosen).items():
        out.print(f"{', '.join(LETTERS[index] for index in indices)}: {text}", markup=False)
    for measure in paired_tests.measures(known):
        _print_verdict(paired_tests.verdict(known, measure), names)


_MEASURES = {
    "right": ("right", "exact McNemar test"),
    "overlap": ("F1", "paired bootstrap"),
    "pearson": ("Pearson's r", "paired bootstrap"),
    "spearman": ("Spearman's rho", "paired bootstrap"),
}
"""What is tested, and how; points are hundredths."""


def _print_verdict(verdict: "Verdict", names: list[str]) -> None:
    what, test = _MEASURES[verdict.measure]
    if verdict.measure in CORRELATIONS:
        print_table(("", what), [(name, f"{score:.4f}") for name, score in zip(names, verdict.scores, strict=True)])
    rows = [
        (
            f"{names[pair.second][0]} minus {names[pair.first][0]}",
            formats.signed(100 * pair.difference, 2),
            f"{formats.signed(100 * pair.low, 2)} to {formats.signed(100 * pair.high, 2)}",
            f"{pair.corrected:.2g}",
        )
        for pair in verdict.pairs
    ]
    print_table((what, "points", "95% interval", "p"), rows)
    out.print(f"p: {test}{', corrected by Holm for all pairs' if len(rows) > 1 else ''}.", markup=False)
    best = names[verdict.best]
    if len(names) == 2:
        out.print(
            f"The data tell them apart. {best} is better." if verdict.worse else "The data cannot tell them apart.",
            markup=False,
        )
    elif verdict.even:
        equals = ", ".join(names[position] for position in verdict.even)
        out.print(f"{best} scores highest; the data cannot tell it apart from {equals}.", markup=False)
    else:
        out.print(f"{best} is best; the data tell all others apart from it.", markup=False)


def demo(threads: ThreadsOption = None) -> None:
    """Train and evaluate a first set of variants on the shipped mini corpora; what is there already is skipped."""
    from engine.workflows import demo as demos  # noqa: PLC0415 - needs the packages of the store

    store = open_store()
    missing = demos.missing(store) if store.exists() else demos.recipes()
    if missing:
        need_engine()
        store = ready_store()
        from engine.workflows import evaluate  # noqa: PLC0415 - imports torch

        evaluate.demo(store, missing, threads)
    out.print("The demo's variants are on the board.", markup=False)


def serve(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the board.")] = 8501,
    address: Annotated[
        str, typer.Option(help="Address to bind; keep the default unless others shall read the board.")
    ] = ("127.0.0.1"),
    preload: Annotated[
        bool,
        typer.Option(
            help="Get the playground ready at start, so that its first answer comes at once; takes some "
            "160 MB of memory."
        ),
    ] = True,
) -> None:
    """Serve the board in a browser, at http://127.0.0.1:8501 unless told otherwise."""
    from db.runs import status  # noqa: PLC0415 - needs the packages of the store

    store = ready_store()
    status.mark_dead(store)
    spec = importlib.util.find_spec("dashboard")
    if spec is None or spec.origin is None:
        raise FeatherboardError("The dashboard package is not installed beside the engine. Run: pip install -e .")
    script = Path(spec.origin).parent / "app.py"
    # Streamlit reads .streamlit/config.toml from the working directory: the checkout's, beside the package.
    os.chdir(script.parent.parent)
    os.environ["FEATHERBOARD_DB"] = str(store.path)
    os.environ.setdefault(SHAPES, MOST_SHAPES)  # for the playground
    os.environ["FEATHERBOARD_PRELOAD"] = str(int(preload))
    out.print(f"The board is at http://{address}:{port}  (database {store.path}; Ctrl-C ends it)", markup=False)
    sys.stdout.flush()
    options = {
        "server.port": str(port),
        "server.address": address,
        "server.headless": "true",
        "server.fileWatcherType": "none",  # for who edits pages; it goes through all modules as each visitor comes
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    os.execv(  # noqa: S606 - our own interpreter and our own arguments
        sys.executable, [sys.executable, "-m", "dashboard.server", "run", str(script), *arguments]
    )


def publish_site(folder: Annotated[Path, typer.Argument(help="Where the files go; made if it is not there.")]) -> None:
    """Write the board as static files for any web host: tables that sort, trade-offs, model pages, data."""
    environment = {**os.environ, "FEATHERBOARD_DB": str(open_store().path)}
    # The pages import the board, never the engine: they are a program of their own.
    finished = subprocess.run([sys.executable, "-m", "dashboard.site", str(folder)], env=environment, check=False)
    raise typer.Exit(finished.returncode)
