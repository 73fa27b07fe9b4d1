"""Commands for tasks of one's own."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from db.base.errors import FeatherboardError
from db.bootstrap import create, new_task
from db.registry import tasks
from db.registry.metrics import known
from db.statistics import classes, correlation
from engine.cli.options import open_store, out, print_table, ready_store

_RESTART = "A board that is being served shows it after a restart."


def new(
    file: Annotated[Path, typer.Argument(help="Labelled texts: .csv, .tsv, .json, .jsonl or .parquet.")],
    test: Annotated[
        Path | None, typer.Option(help="The test split; without it a fifth of the texts is held out, by a hash.")
    ] = None,
    task_id: Annotated[str, typer.Option("--id", help="Short name; default: that of the file.")] = "",
    name: Annotated[str, typer.Option(help="Name of the board.")] = "",
    question: Annotated[str, typer.Option(help="The question that the task asks, in one line.")] = "",
    language: Annotated[str, typer.Option(help="ISO 639-1 code of the texts.")] = "",
    text: Annotated[list[str] | None, typer.Option(help="A text column; twice for pairs. Default: guessed.")] = None,
    label: Annotated[str, typer.Option(help="The label column. Default: guessed.")] = "",
    metric: Annotated[
        str,
        typer.Option(
            help="What ranks the board: accuracy, macro_f1 or mcc; of labels that are numbers: pearson or spearman."
        ),
    ] = "accuracy",
    licence: Annotated[str, typer.Option(help="Licence of the data.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: take what was guessed.")] = False,
) -> None:
    """Make a task from a table of labelled texts, and put its board up."""
    numbers = metric in correlation.SCORES
    if metric not in {"accuracy", *classes.SCORES, *correlation.SCORES}:
        raise FeatherboardError(
            f"{metric!r} cannot rank a board; accuracy, {', '.join(classes.SCORES)} can where labels are classes, "
            f"{' and '.join(correlation.SCORES)} where they are numbers."
        )
    frame = new_task.read(file)
    if text and label:
        columns = new_task.Columns(tuple(text), label)
    else:
        guessed = new_task.guess(frame, numbers=numbers)
        columns = new_task.Columns(tuple(text or guessed.texts), label or guessed.label, guessed.example_id)
    out.print(
        f"{file}: {len(frame):,} rows. Text: {' and '.join(columns.texts)}. Label: {columns.label} "
        f"({frame[columns.label].nunique() if columns.label in frame else 0} values).",
        markup=False,
    )
    task_id = task_id or new_task.short_name(file)
    guessed_language = new_task.guess_language(frame, columns)
    if not yes:
        task_id = typer.prompt("Short name", default=task_id)
        name = name or typer.prompt("Name of the board", default=task_id)
        question = question or typer.prompt("The question that it asks", default="", show_default=False)
        language = language or typer.prompt("Language of the texts", default=guessed_language)
    rows = None if test is None else new_task.read(test)
    store = ready_store()
    task = new_task.create(
        tasks.user_folder(),
        task_id,
        columns,
        frame,
        rows,
        name=name,
        question=question,
        language=language or guessed_language,
        metric=metric,
        licence=licence,
    )
    store.write([create.task_rows((*tasks.TASKS, task))])
    own = f"--set model.num_labels=1 --set name={task.task_id}-bilstm --set label={task.task_id}-BiLSTM"
    model = f"kobilstm-tiny {own}" if numbers else "char-ngrams"
    out.print(
        f"The board {task.name!r} is up, with {task.split_size:,} test examples. Train the first model for it:\n"
        f"  featherboard train {model} --task {task.task_id}\n{_RESTART}",
        markup=False,
    )


def add(file: Annotated[Path, typer.Argument(help="A task file (.toml) that somebody wrote.")]) -> None:
    """Add a task from its file; data are then named with --data."""
    task = tasks.read(file)
    folder = tasks.user_folder()
    if task.task_id in tasks.task_ids():
        raise FeatherboardError(f"There is a task {task.task_id!r} already. Nothing was changed.")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, folder / f"{task.task_id}.toml")
    corpus = file.parent / "corpora" / task.task_id
    if corpus.is_dir():
        shutil.copytree(corpus, folder / "corpora" / task.task_id, dirs_exist_ok=True)
    ready_store().write([create.task_rows((*tasks.TASKS, task))])
    out.print(f"The board {task.name!r} is up. {_RESTART}", markup=False)


def list_tasks() -> None:
    """List all tasks."""
    own = {file.stem for file in tasks.user_folder().glob("*.toml")}
    print_table(
        ("task", "language", "metric", "from", "question"),
        [
            (task.task_id, task.language, known(task.metric).label, "you" if task.task_id in own else "", task.question)
            for task in tasks.TASKS
        ],
    )


def remove(task_id: Annotated[str, typer.Argument(metavar="TASK", help="A task that was added here.")]) -> None:
    """Remove a task of one's own that no run belongs to, with the copy of its data."""
    folder = tasks.user_folder()
    file = folder / f"{task_id}.toml"
    if not file.is_file():
        raise FeatherboardError(f"{task_id!r} is no task that was added here; `featherboard task list` shows them.")
    store = open_store()
    runs = store.query("SELECT count(*) AS runs FROM runs WHERE task_id = ?", [task_id])["runs"].iloc[0]
    if runs:
        raise FeatherboardError(f"{runs:,} run(s) belong to {task_id}. Nothing was removed.")
    with store.transaction() as con:
        con.execute("DELETE FROM tasks WHERE task_id = ?", [task_id])
    file.unlink()
    shutil.rmtree(folder / "corpora" / task_id, ignore_errors=True)
    out.print(f"{task_id} was removed. {_RESTART}", markup=False)
