"""Make a task from a table of labelled texts: the task file, and its data beside it as Parquet."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import tomli_w

from db.base.atomic import atomic_write
from db.base.chunked_tables import open_table
from db.base.errors import DataError, FeatherboardError
from db.registry import metrics, tasks
from db.registry.tasks import Task
from db.runs import gold_labels
from db.statistics import correlation

MAX_LABELS = 200
"""More different values than this are no classes."""

HELD_OUT = 0.2
"""Part of the texts that becomes the test split where there is one file alone."""

_LABELS = (
    "label",
    "labels",
    "class",
    "category",
    "target",
    "sentiment",
    "topic",
    "intent",
    "y",
    "레이블",
    "라벨",
    "분류",
    "score",
    "similarity",
)
_PAIRS = (("premise", "hypothesis"), ("sentence1", "sentence2"), ("text1", "text2"))
_TEXTS = ("text", "document", "sentence", "review", "content", "title", "question", "body", "문장", "본문", "리뷰")
_MOSTLY = 0.9
"""Part of a column that must be numbers for it to be a label of a regression."""
_IDS = ("id", "example_id", "idx", "guid", "uid")


@dataclass(frozen=True)
class Columns:
    """Which columns of a table hold what.

    Attributes:
        texts: One text, or two for pairs.
        label: The class.
        example_id: None where examples are numbered by their row.
    """

    texts: tuple[str, ...]
    label: str
    example_id: str | None = None


def read(file: Path) -> pd.DataFrame:
    """Read a whole CSV, TSV, JSON-lines or Parquet file.

    Raises:
        DataError: It cannot be read; names the row.
    """
    table = open_table(file)
    column = next((name for name in table.columns if name in _TEXTS), table.columns[0])
    if not pa.types.is_string(table.schema.field(column).type):
        column = next((field.name for field in table.schema if pa.types.is_string(field.type)), column)
    parts = [
        chunk.rows.to_pandas() if isinstance(chunk.rows, pa.Table) else pd.DataFrame(chunk.rows)
        for chunk in table.chunks(column, 50_000)
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=table.columns)


def guess(frame: pd.DataFrame, *, numbers: bool = False) -> Columns:
    """Guess which columns hold texts, labels and ids, by their names and by what they hold.

    Args:
        frame: The whole table.
        numbers: Labels are numbers, and no classes.

    Raises:
        DataError: No column can be the label, or none the text; names the columns.
    """
    by_name = {str(name).strip().lower(): str(name) for name in frame.columns}
    few = [str(name) for name in frame.columns if 2 <= frame[name].nunique() <= min(MAX_LABELS, len(frame) // 2)]
    if numbers:
        read = {str(name): pd.to_numeric(frame[name], errors="coerce") for name in frame.columns if name not in _IDS}
        few = [name for name, column in read.items() if column.notna().mean() > _MOSTLY]
    label = next((by_name[name] for name in _LABELS if by_name.get(name) in few), few[-1] if few else None)
    pair = next((pair for pair in _PAIRS if set(pair) <= by_name.keys()), None)
    words = [str(name) for name in frame.columns if name != label and pd.api.types.is_string_dtype(frame[name])]
    texts = [by_name[name] for name in pair or ()] or [by_name[name] for name in _TEXTS if by_name.get(name) in words][
        :1
    ]
    if not texts and words:
        texts = [max(words, key=lambda name: frame[name].str.len().mean())]
    if label is None or not texts:
        missing = "label" if label is None else "text"
        raise DataError(
            f"No column can be the {missing}; the columns are {', '.join(map(str, frame.columns))}. "
            f"Name it with --{missing}."
        )
    example_id = next((by_name[name] for name in _IDS if name in by_name and frame[by_name[name]].is_unique), None)
    return Columns(tuple(texts), label, example_id)


def short_name(file: Path) -> str:
    """A name for a task of a file: that of the file in the letters that a name may have, or ``my-task``."""
    return re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")[:60].strip("-") or "my-task"


def guess_language(frame: pd.DataFrame, columns: Columns) -> str:
    """Guess the language of a table's texts by their letters: ``ko`` where a third are Korean, else ``en``."""
    texts = frame[[name for name in columns.texts if name in frame]].head(1_000)
    letters = [letter for text in texts.to_numpy().ravel() for letter in str(text) if letter.isalpha()]
    korean = sum("\uac00" <= letter <= "\ud7a3" for letter in letters)
    return "ko" if 3 * korean > len(letters) else "en"


def create(
    folder: Path,
    task_id: str,
    columns: Columns,
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    name: str = "",
    question: str = "",
    language: str = "en",
    metric: str = "accuracy",
    licence: str = "",
) -> Task:
    """Write a task file and its data.

    Rows without a label or without text are left out. Without a test table, a fifth of the texts, chosen by a hash of
    the text, is the test split: the same text is never in both.

    Args:
        folder: Of task files; see ``db.registry.tasks.user_folder``.
        task_id: Letters, digits and hyphens.
        columns: Of both tables.
        train: The training examples, or all examples.
        test: The test examples.
        name: Of the board; by default the id.
        question: That the task asks, in one line.
        language: ISO 639-1 code.
        metric: That ranks the board: ``accuracy``, ``macro_f1`` or ``mcc``; where labels are numbers, ``pearson`` or
            ``spearman``.
        licence: Of the data; SPDX name where there is one.

    Raises:
        DataError: The tables do not make a task; nothing was written.
        FeatherboardError: The name cannot be used or is taken; nothing was written.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", task_id):
        raise FeatherboardError(f"{task_id!r} cannot name a task: use small letters, digits and hyphens.")
    if task_id in tasks.task_ids() or (folder / f"{task_id}.toml").exists():
        raise FeatherboardError(f"There is a task {task_id!r} already; choose another name.")
    numbers = metric in correlation.SCORES
    whole = _clean(train, columns, "train", numbers=numbers)
    split = "test"
    if test is None:
        held = whole[list(columns.texts)].agg("\n".join, axis=1).map(_is_held_out)
        whole, rest = whole[~held], whole[held]
        split = f"held-out {HELD_OUT:.0%}"
    else:
        rest = _clean(test, columns, "test", numbers=numbers)
        known = set(whole["id"]) & set(rest["id"])
        if known:
            raise DataError(f"{len(known)} id(s) are in both files, the first is {min(known)!r}. Nothing was written.")
    labels = [] if numbers else _labels(pd.concat([whole["label"], rest["label"]]))
    if not len(rest) or whole["label"].nunique() < 2:
        raise DataError(
            f"{len(whole):,} training and {len(rest):,} test examples with {len(labels)} labels are too few for a "
            "task. Nothing was written."
        )
    title = name or task_id
    scoring = f"{metrics.known(metric).label} on the {len(rest):,} examples of {title}, {split}."
    which = f"Which of {', '.join(labels[:6])}{', ...' if len(labels) > 6 else ''} is this text?"
    asks = question or (f"What is the {columns.label} of this text?" if numbers else which)
    words = {"name": title, "question": asks, "scoring": scoring}
    content: dict[str, Any] = {
        "id": task_id,
        "version": 1,
        "position": 1 + max(task.position for task in tasks.TASKS),
        "area": "inference" if len(columns.texts) > 1 else "other",
        "language": language,
        "metric": metric,
        "direction": "max",
        "dataset": task_id,
        "split": split,
        "split_size": len(rest),
        "labels": labels,
        **words,
        "korean": words,
        "data": {
            "kind": "classification",
            "texts": list(columns.texts),
            "licence": licence,
            "corpus": task_id,
            "files": {"train": ["train.parquet"], "test": ["test.parquet"]},
        },
    }
    classes = {name: str(number) for number, name in enumerate(labels)}
    gold = dict(zip(rest["id"], rest["label"].map(correlation.as_text if numbers else classes), strict=True))
    content["gold_digest"] = gold_labels.digest(Task.model_validate(content), gold)
    task = Task.model_validate(content)
    corpus = folder / "corpora" / task_id
    corpus.mkdir(parents=True, exist_ok=True)
    whole.to_parquet(corpus / "train.parquet", index=False)
    rest.to_parquet(corpus / "test.parquet", index=False)
    with atomic_write(folder / f"{task_id}.toml") as part:
        part.write_text(tomli_w.dumps(content), "utf-8")
    return task


def _clean(frame: pd.DataFrame, columns: Columns, role: str, *, numbers: bool) -> pd.DataFrame:
    """Keep ids, texts and labels, as texts or as numbers, and the rows that have all of them."""
    missing = [name for name in (*columns.texts, columns.label) if name not in frame]
    if missing:
        raise DataError(f"The {role} file has no column {missing[0]!r}. Nothing was written.")
    ids = frame[columns.example_id].astype(str) if columns.example_id in frame else pd.Series(frame.index, frame.index)
    labels = frame[columns.label]
    if pd.api.types.is_float_dtype(labels):  # whole numbers beside missing ones
        labels = labels.astype("Int64")
    rows = pd.DataFrame({"id": [f"{role}-{name}" if columns.example_id is None else str(name) for name in ids]})
    for name in columns.texts:
        rows[name] = frame[name].astype("str").to_numpy()
    values = pd.to_numeric(frame[columns.label], errors="coerce").astype("float64") if numbers else labels.astype("str")
    rows["label"] = values.to_numpy()
    whole = rows.dropna()
    for name in (*columns.texts, *([] if numbers else ["label"])):
        whole = whole[whole[name].str.strip() != ""]
    return whole.drop_duplicates("id")


def _labels(column: pd.Series) -> list[str]:
    """Order classes as numbers where all are, else as texts."""
    values = [str(value) for value in column.unique()]
    if len(values) > MAX_LABELS:
        raise DataError(
            f"The label column has {len(values):,} different values; a task has at most {MAX_LABELS} classes."
        )
    numeric = all(re.fullmatch(r"-?\d+", value) for value in values)
    return sorted(values, key=int) if numeric else sorted(values)


def _is_held_out(text: str) -> bool:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") < HELD_OUT * 2**64
