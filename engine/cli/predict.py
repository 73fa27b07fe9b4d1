"""Commands that ask a trained model about texts of one's own."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db.base.errors import FeatherboardError
from db.registry import tasks
from engine.base.errors import DataError
from engine.cli.options import (
    ColumnOption,
    ForceOption,
    JsonOption,
    ModelOption,
    OutputOption,
    PrefixOption,
    SourceOption,
    TextsOption,
    ThreadsOption,
    need_engine,
    open_store,
    printable,
)

if TYPE_CHECKING:
    from engine.inference.classification import Columns
    from engine.networks.classifier import Classifier

SEEN = 100
"""Rows of a file whose language decides which model answers where nobody named one."""

LINES = 1024
"""Lines of standard input that are answered together."""


def sentiment(
    texts: TextsOption = None,
    model: ModelOption = "distilkobilstm-base",
    source: SourceOption = None,
    target: OutputOption = None,
    column: ColumnOption = None,
    prefix: PrefixOption = "",
    force: ForceOption = False,
    as_json: JsonOption = False,
    threads: ThreadsOption = None,
) -> None:
    """Say whether reviews are positive or negative, and how probable that is.

    A review that is missing or empty gets no answer. In a file, all columns are kept.
    """
    _classify(texts, source, target, model, tasks.SENTIMENT, column, prefix, force, as_json, threads)


def text(
    texts: TextsOption = None,
    model: Annotated[
        str,
        typer.Option(
            "--model", help="A shipped checkpoint, a checkpoint's folder, or a run's id: its labels are used."
        ),
    ] = "distilbilstm-ynat",
    source: SourceOption = None,
    target: OutputOption = None,
    column: ColumnOption = None,
    prefix: PrefixOption = "",
    force: ForceOption = False,
    as_json: JsonOption = False,
    threads: ThreadsOption = None,
) -> None:
    """Classify texts by the labels that a model learned: the topic of a Korean headline unless --model names another.

    A text that is missing or empty gets no answer. In a file, all columns are kept.
    """
    _classify(texts, source, target, model, None, column, prefix, force, as_json, threads)


def _classify(
    texts: list[str] | None,
    source: Path | None,
    target: Path | None,
    model: str,
    labels: Sequence[str] | None,
    column: str | None,
    prefix: str,
    force: bool,
    as_json: bool,
    threads: int | None,
) -> None:
    _require_both(source, target)
    if source is not None and texts:
        raise typer.BadParameter("give texts, or a file with --input, not both.")
    need_engine()
    classifier = loaded(model, labels, threads, many=source is not None)
    if source is not None and target is not None:
        from engine.inference.classification import Columns  # noqa: PLC0415

        _predict_file(classifier, source, target, Columns(column, prefix), force=force, as_json=as_json)
    else:
        _tell_texts(classifier, _standard_input() if not texts or texts == ["-"] else texts, as_json=as_json)


def _require_both(source: Path | None, target: Path | None) -> None:
    if (source is None) != (target is None):
        raise typer.BadParameter("--input and --output belong together.")


def loaded(name: str, labels: Sequence[str] | None, threads: int | None, *, many: bool = False) -> "Classifier":
    """The classifier that a name means.

    Args:
        name: See ``engine.checkpoints.locate``.
        labels: What its classes must be called; None: whatever its task calls them, for single texts.
        threads: Processor threads; None: all cores.
        many: It is asked about the texts of a file.

    Raises:
        CheckpointError: Nothing is called that.
        ModelError: It answers another question.
    """
    from engine.checkpoints import locate  # noqa: PLC0415
    from engine.inference import loading  # noqa: PLC0415
    from engine.networks.classifier import require_labels, require_single_texts  # noqa: PLC0415

    folder = (locate.without_board(name) or locate.find(open_store(), name)).folder
    classifier = loading.open_classifier(folder, threads=threads, many=many)
    if labels is None:
        require_single_texts(classifier, name)
    else:
        require_labels(classifier, labels, name)
    return classifier


def _standard_input() -> Iterator[str]:
    if sys.stdin.isatty():
        typer.echo("One text a line; Ctrl-D ends.", err=True)
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise DataError(f"Standard input, line {number}: not UTF-8; the lines above it were answered.") from None


def _tell_texts(classifier: "Classifier", texts: Iterable[str], *, as_json: bool) -> None:
    from engine.base.progress import say  # noqa: PLC0415
    from engine.inference.classification import LABEL, PROBABILITY, answer_rows  # noqa: PLC0415

    remaining = iter(texts)
    size = 1 if sys.stdin.isatty() else LINES
    cut = guessed = 0
    while some := list(islice(remaining, size)):
        answers = answer_rows(classifier, [(text,) for text in some])
        cut, guessed = cut + answers.cut, guessed + answers.guessed
        for text, label, probability in zip(some, answers.labels, answers.probabilities, strict=True):
            if as_json:
                row = {"text": text, LABEL: label, PROBABILITY: probability}
                typer.echo(json.dumps(row, ensure_ascii=False))
            else:
                share = "" if probability is None else f"{probability:.1%}"
                typer.echo(f"{label or '(no text)':<10}{share:>6}  {printable(text)}".rstrip())
    if cut:
        say(
            f"{cut} text(s) are longer than {classifier.recipe.tokenizer.max_length} tokens; only their beginning "
            "was read."
        )
    if guessed:
        say(f"{guessed} text(s) are in a language that {classifier.recipe.name} cannot read; their labels are guesses.")


def _predict_file(
    classifier: "Classifier", source: Path, target: Path, columns: "Columns", *, force: bool, as_json: bool
) -> None:
    from engine.base.progress import say  # noqa: PLC0415
    from engine.inference.classification import predict_file  # noqa: PLC0415

    done = predict_file(classifier, source, target, columns, force=force)
    if as_json:
        typer.echo(json.dumps({"input": str(source), "output": str(target), **asdict(done)}, ensure_ascii=False))
        return
    counts = ", ".join(f"{count:,} {label}" for label, count in done.counts.items())
    pace = f"{done.seconds:.1f} s, {done.rows / max(done.seconds, 1e-9):,.0f} rows/s"
    say(f"{target}: {done.rows:,} rows, texts from the column {done.column}: {counts}; {pace}")
    if done.empty:
        say(f"{done.empty:,} row(s) hold no text; their prediction is empty.")
    if done.cut:
        say(f"{done.cut:,} text(s) are longer than the model reads; only their beginning was read.")
    if done.guessed:
        say(f"{done.guessed:,} row(s) are in a language that the model cannot read; their predictions are guesses.")


def nli(
    premise: Annotated[str | None, typer.Argument(metavar="[PREMISE]", help="What is taken to be true.")] = None,
    hypothesis: Annotated[
        str | None, typer.Argument(metavar="[HYPOTHESIS]", help="What may follow from it, contradict it, or neither.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="A shipped checkpoint, a checkpoint's folder, or a run's id; default: one for them."
        ),
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--input", help="A table of pairs: .csv, .tsv, .json, .jsonl or .parquet.")
    ] = None,
    target: OutputOption = None,
    premise_column: Annotated[str, typer.Option("--premise", help="The column of the premises.")] = "premise",
    hypothesis_column: Annotated[
        str, typer.Option("--hypothesis", help="The column of the hypotheses.")
    ] = "hypothesis",
    prefix: PrefixOption = "",
    force: ForceOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")] = False,
    threads: ThreadsOption = None,
) -> None:
    """Say whether a premise entails a hypothesis, contradicts it, or neither, and how probable that is.

    A pair of which a text is missing or empty gets no answer. In a file, all columns are kept.
    """
    _require_both(source, target)
    if source is not None and premise is not None:
        raise typer.BadParameter("give a premise and a hypothesis, or a file with --input, not both.")
    if source is None and hypothesis is None:
        raise typer.BadParameter("give a premise and a hypothesis, each in quotation marks, or a file with --input.")
    need_engine()
    pair = (premise_column, hypothesis_column)
    if model is None:
        from engine.inference import models  # noqa: PLC0415

        texts = _first_texts(source, pair) if source else [str(premise), str(hypothesis)]
        model = models.default("nli", models.language_of(*texts))
    classifier = loaded(model, tasks.INFERENCE, threads, many=source is not None)
    if source is not None and target is not None:
        from engine.inference.classification import Columns  # noqa: PLC0415

        _predict_file(classifier, source, target, Columns(prefix=prefix, pair=pair), force=force, as_json=as_json)
    else:
        _tell_pair(classifier, str(premise), str(hypothesis), as_json=as_json)


def _first_texts(source: Path, pair: tuple[str, str]) -> list[str]:
    """The first texts of a table of pairs; none where it cannot be read, which is reported when it is classified."""
    from db.base.chunked_tables import open_table  # noqa: PLC0415
    from engine.data import tables  # noqa: PLC0415

    try:
        table = open_table(source)
        first, second = tables.pair_columns(table, pair)
        chunk = next(iter(table.chunks(first, SEEN, (second,))), None)
    except FeatherboardError:
        return []
    return [text for text in (*chunk.texts, *chunk.also[second]) if text] if chunk else []


def _tell_pair(classifier: "Classifier", premise: str, hypothesis: str, *, as_json: bool) -> None:
    from engine.base.progress import say  # noqa: PLC0415
    from engine.inference.classification import LABEL, PROBABILITY, answer_rows  # noqa: PLC0415

    answers = answer_rows(classifier, [(premise, hypothesis)])
    label, probability = answers.labels[0], answers.probabilities[0]
    if as_json:
        row = {"premise": premise, "hypothesis": hypothesis, LABEL: label, PROBABILITY: probability}
        typer.echo(json.dumps(row, ensure_ascii=False))
    else:
        typer.echo("(no text)" if label is None or probability is None else f"{label}  {probability:.1%}")
    if answers.cut:
        say(f"The pair is longer than {classifier.recipe.tokenizer.max_length} tokens; only its beginning was read.")
    if answers.guessed:
        say(f"The pair is in a language that {classifier.recipe.name} cannot read; its label is a guess.")


def number(
    text: Annotated[str, typer.Argument(help="A text.")],
    model: Annotated[str, typer.Option("--model", help="A run's id or a checkpoint's folder; its task has numbers.")],
    second: Annotated[str | None, typer.Argument(metavar="[SECOND]", help="The second text of a pair.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON to standard output.")] = False,
    threads: ThreadsOption = None,
) -> None:
    """Give a text, or a pair of texts, a number by a model of a task whose labels are numbers."""
    need_engine()
    classifier = loaded(model, (), threads)
    from engine.data.sources import SOURCES  # noqa: PLC0415
    from engine.inference.classification import LABEL, answer_rows  # noqa: PLC0415

    texts = (text,) if second is None else (text, second)
    columns = SOURCES[classifier.recipe.task].texts
    if len(texts) != len(columns):
        raise typer.BadParameter(f"the task {classifier.recipe.task} reads {' and '.join(columns)}.")
    value = answer_rows(classifier, [texts]).labels[0]
    if as_json:
        row = dict(zip(columns, texts, strict=True)) | {LABEL: None if value is None else float(value)}
        typer.echo(json.dumps(row, ensure_ascii=False))
    else:
        typer.echo(value or "(no text)")
