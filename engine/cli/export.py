"""Commands that write what the board holds to files of common forms."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from db.runs import feedback as reports
from engine.cli.options import open_store, out
from engine.workflows import export_feedback as exporting


class _Kind(StrEnum):
    QA = "qa"
    SENTIMENT = "sentiment"
    NLI = "nli"


def feedback(
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where to write: .json for questions, .jsonl for the others.")
    ],
    kind: Annotated[
        _Kind | None, typer.Option("--kind", help="Which cases; default: the only kind that was reported.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete from the database what is in the file, once it is written.")
    ] = False,
) -> None:
    """Write answers that were reported as wrong as labelled examples: SQuAD 2.0 JSON, or JSON lines.

    A case whose right answer nobody knows is left out; of reports of the same example the last one counts.
    """
    store = open_store()
    done = exporting.export(store, target, kind.value if kind else None, force=force)
    out.print(f"{target}: {done.written:,} example(s) of {done.kind}", markup=False, soft_wrap=True)
    if done.unknown:
        out.print(f"{done.unknown:,} case(s) left out: their right answer is not known.", markup=False, soft_wrap=True)
    if done.superseded:
        out.print(
            f"{done.superseded:,} case(s) left out: the same example was reported again later.",
            markup=False,
            soft_wrap=True,
        )
    if forget:
        out.print(
            f"{reports.forget(store, done.ids):,} case(s) deleted from {store.path}.", markup=False, soft_wrap=True
        )
