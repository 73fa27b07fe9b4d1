"""The command that asks a trained model what one sentence says of another."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db.registry import tasks
from engine.cli.options import ThreadsOption, need_engine
from engine.cli.predict import loaded, tell_file

if TYPE_CHECKING:
    from engine.networks.classifier import Classifier


def nli(
    premise: Annotated[str | None, typer.Argument(metavar="[PREMISE]", help="What is taken to be true.")] = None,
    hypothesis: Annotated[
        str | None, typer.Argument(metavar="[HYPOTHESIS]", help="What may follow from it, contradict it, or neither.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="A shipped checkpoint, a checkpoint's folder, or a run's id.")
    ] = "minilm-mnli",
    source: Annotated[
        Path | None, typer.Option("--input", help="A table of pairs: .csv, .tsv, .jsonl or .parquet.")
    ] = None,
    target: Annotated[
        Path | None,
        typer.Option(
            "--output", help="The same table with prediction and probability: .csv, .tsv, .jsonl or .parquet."
        ),
    ] = None,
    premise_column: Annotated[str, typer.Option("--premise", help="The column of the premises.")] = "premise",
    hypothesis_column: Annotated[
        str, typer.Option("--hypothesis", help="The column of the hypotheses.")
    ] = "hypothesis",
    prefix: Annotated[str, typer.Option("--prefix", help="Stands before the names of the two new columns.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")] = False,
    threads: ThreadsOption = None,
) -> None:
    """Say whether a premise entails a hypothesis, contradicts it, or neither, and how probable that is.

    A pair of which a text is missing or empty gets no answer. In a file, all columns are kept.
    """
    if (source is None) != (target is None):
        raise typer.BadParameter("--input and --output belong together.")
    if source is not None and premise is not None:
        raise typer.BadParameter("give a premise and a hypothesis, or a file with --input, not both.")
    if source is None and hypothesis is None:
        raise typer.BadParameter("give a premise and a hypothesis, each in quotation marks, or a file with --input.")
    need_engine()
    classifier = loaded(model, tasks.INFERENCE, threads)
    if source is not None and target is not None:
        from engine.inference.classification import Columns, predict_file  # noqa: PLC0415 - imports torch

        columns = Columns(prefix=prefix, pair=(premise_column, hypothesis_column))
        tell_file(predict_file(classifier, source, target, columns, force=force), source, target, as_json=as_json)
    else:
        _tell_pair(classifier, str(premise), str(hypothesis), as_json=as_json)


def _tell_pair(classifier: "Classifier", premise: str, hypothesis: str, *, as_json: bool) -> None:
    from engine.base.progress import say  # noqa: PLC0415
    from engine.inference.classification import LABEL, PROBABILITY, answer_rows  # noqa: PLC0415 - imports torch

    found = answer_rows(classifier, [(premise, hypothesis)])
    label, probability = found.labels[0], found.probabilities[0]
    if as_json:
        row = {"premise": premise, "hypothesis": hypothesis, LABEL: label, PROBABILITY: probability}
        typer.echo(json.dumps(row, ensure_ascii=False))
    else:
        typer.echo("(no text)" if label is None or probability is None else f"{label}  {probability:.1%}")
    if found.cut:
        say(f"The pair is longer than {classifier.recipe.tokenizer.max_length} tokens; only its beginning was read.")
