"""The command that answers questions over texts."""

import json
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from db.base.errors import FeatherboardError
from db.registry import formats
from db.registry.metrics import known
from engine.base.errors import DataError
from engine.cli.options import ThreadsOption, need_engine, open_store, printable

if TYPE_CHECKING:
    from engine.data.question import Question
    from engine.families.span_qa.answerer import Answer, Answerer
    from engine.families.span_qa.ask_file import Summary

SEEN = 20
"""Questions of a file that show its language."""

AROUND = 60
"""Characters of the text that are shown on each side of an answer."""


def ask(
    question: Annotated[list[str] | None, typer.Option("--question", "-q", help="What is asked; repeatable.")] = None,
    context: Annotated[
        Path | None, typer.Option("--context", help="A text file that holds the answer; -: standard input.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="A shipped checkpoint, a checkpoint's folder, or a run's id; default: the shipped one for the "
            "language of the question.",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", help="In place of --model: the best model of that board that is here, such as korquad."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--input", help="SQuAD JSON, or a table with the columns question and context: .csv, .jsonl or .parquet."
        ),
    ] = None,
    target: Annotated[
        Path | None, typer.Option("--output", help="A .json file: {id: answer}, as the official scorer reads it.")
    ] = None,
    best: Annotated[int, typer.Option("--best", min=1, max=20, help="Candidates that are shown of each answer.")] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            min=0,
            max=1,
            help="Answer nothing where the model gives 'no answer' more probability than this.",
        ),
    ] = None,
    precision: Annotated[
        str, typer.Option("--precision", help="float32, bfloat16 or int8; the smaller ones are faster.")
    ] = "float32",
    runtime: Annotated[
        str,
        typer.Option(
            "--runtime",
            envvar="FEATHERBOARD_RUNTIME",
            help="What computes float32: torch, onnx (ONNX Runtime, faster), or auto: the fastest that is installed.",
        ),
    ] = "auto",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the output.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON to standard output, one object a line.")] = False,
    threads: ThreadsOption = None,
) -> None:
    """Find the answer to a question in a text.

    The answer is cut from the text as it is written there. A long text is read in overlapping windows.
    """
    if (source is None) != (target is None):
        raise typer.BadParameter("--input and --output belong together.")
    if (source is None) == (context is None) or (source is None) != bool(question):
        raise typer.BadParameter("give a text with --context and --question, or a file with --input and --output.")
    if model and task:
        raise typer.BadParameter("give --model or --task, not both.")
    need_engine()
    if runtime == "onnx" and precision != "float32":
        raise typer.BadParameter(f"--runtime {runtime} computes in float32; leave --precision out.")
    if source is not None and target is not None:
        from engine.families.span_qa.ask_file import ask_file  # noqa: PLC0415 - imports torch

        answerer = _loaded(model, _questions_of(source), task, precision, runtime, threads)
        done = ask_file(answerer, source, target, threshold=threshold, force=force)
        _tell_file(done, source, target, as_json=as_json)
    elif context is not None:
        text = _text(context)
        answerer = _loaded(model, question or [], task, precision, runtime, threads)
        _tell_answers(answerer, text, question or [], best, threshold, as_json=as_json)


def _questions_of(source: Path) -> list[str]:
    """The first questions of a file; none where it cannot be read, which is reported when it is answered."""
    from engine.families.span_qa.files import in_file  # noqa: PLC0415 - imports pyarrow

    try:
        return [question.question for question in islice(in_file(source), SEEN)]
    except FeatherboardError:
        return []


def _loaded(
    name: str | None, texts: list[str], task: str | None, precision: str, runtime: str, threads: int | None
) -> "Answerer":
    from engine.base.progress import say  # noqa: PLC0415
    from engine.checkpoints import locate  # noqa: PLC0415
    from engine.inference import loading, models  # noqa: PLC0415

    name = name or models.default("qa", models.language_of(*texts))
    if task:
        located = loading.best_checkpoint(open_store(), task)
    else:
        located = locate.without_board(name) or locate.find(open_store(), name)
    answerer = loading.open_answerer(located.folder, precision, runtime=runtime, threads=threads)
    if task:
        say(
            f"Answering with {answerer.recipe.name}{f', run {located.run_id[:12]}' if located.run_id else ', shipped'}."
        )
    return answerer


def _text(context: Path) -> str:
    """The text as it is written, line ends included; a byte-order mark is none of it."""
    named = "Standard input" if str(context) == "-" else str(context)
    try:
        content = sys.stdin.buffer.read() if str(context) == "-" else context.read_bytes()
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"There is no file {context}. Nothing was answered.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{named}: not UTF-8 text (byte {error.start + 1}). Nothing was answered.") from None


def _tell_answers(
    answerer: "Answerer", text: str, texts: list[str], best: int, threshold: float | None, *, as_json: bool
) -> None:
    from engine.base.progress import say  # noqa: PLC0415
    from engine.data.question import Question  # noqa: PLC0415
    from engine.families.span_qa import ask as qa  # noqa: PLC0415

    questions = [Question(f"{number}", question, text) for number, question in enumerate(texts, start=1)]
    for question, answer in zip(questions, qa.ask(answerer, questions, best), strict=True):
        if qa.unreadable(answerer, question):
            say(
                f"The model learned from another language than that of {question.question!r} or of the text; its "
                "answer is a guess."
            )
        if as_json:
            typer.echo(json.dumps(_as_row(question, answer, threshold), ensure_ascii=False))
        else:
            _tell(question, answer, threshold)


def _as_row(question: "Question", answer: "Answer", threshold: float | None) -> dict[str, object]:
    from engine.families.span_qa.ask import text_of  # noqa: PLC0415

    return {
        "question": question.question,
        "answer": text_of(answer, threshold),
        "no_answer": round(answer.nothing, 6),
        "windows": answer.windows,
        "best": [
            {"text": span.text, "start": span.start, "end": span.end, "probability": round(span.probability, 6)}
            for span in answer.best
        ],
    }


def _tell(question: "Question", answer: "Answer", threshold: float | None) -> None:
    from engine.families.span_qa.ask import text_of  # noqa: PLC0415

    text = text_of(answer, threshold)
    typer.echo(printable(text) if text else "(no answer)")
    for number, span in enumerate(answer.best, start=1):
        before = question.context[max(0, span.start - AROUND) : span.start]
        after = question.context[span.end : span.end + AROUND]
        where = printable(f"{before}[{span.text}]{after}")
        typer.echo(f"  {number}. {span.probability:6.1%}  ...{where}...")
    typer.echo(f"     {answer.nothing:6.1%}  no answer")


def _tell_file(done: "Summary", source: Path, target: Path, *, as_json: bool) -> None:
    from engine.base.progress import say  # noqa: PLC0415

    if as_json:
        scores = {figure.name: figure.value for figure in done.figures}
        summary = {
            "input": str(source),
            "output": str(target),
            "questions": done.questions,
            "no_answer": done.nothing,
            "guesses": done.guessed,
            "seconds": round(done.seconds, 3),
            **scores,
        }
        if done.best is not None:
            summary["with_answer"] = {figure.name: figure.value for figure in done.answerable}
            summary["without_answer"] = {figure.name: figure.value for figure in done.impossible}
            summary["best_f1"], summary["best_threshold"] = done.best
        typer.echo(json.dumps(summary, ensure_ascii=False))
        return
    rate = done.questions / max(done.seconds, 1e-9)
    say(
        f"{target}: {done.questions:,} questions answered, {done.nothing:,} with nothing; {done.seconds:.1f} s, "
        f"{rate:,.1f} questions/s"
    )
    if done.guessed:
        say(
            f"{done.guessed:,} question(s) or their texts are in another script than the model learned; their answers "
            "are guesses."
        )
    for part, figures in (("", done.figures), ("with answer", done.answerable), ("without answer", done.impossible)):
        for figure in figures:
            metric = known(figure.name)
            label = f"{metric.label}, {part}" if part else metric.label
            say(
                f"{label:<28}{formats.value(metric, figure.value)}   "
                f"({formats.value(metric, figure.low)} to {formats.value(metric, figure.high)}; n = {figure.n:,})"
            )
    if done.best is not None:
        best, threshold = done.best
        say(f"The best F1 that a threshold gives on these questions is {best:.2%}, at --threshold {threshold:.4g}.")
