"""The texts behind example ids, where they are at hand: the shipped mini corpora, and a folder that the user names.

The store keeps ids, gold answers and predictions; the texts belong to the data sets. What is read here is shown beside
an answer only where the file's own gold answer agrees with the stored one: another edition may use the same ids.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from db.base.errors import FeatherboardError, one_line
from db.registry.task_data import ClassificationData, QuestionData
from db.registry.tasks import TASKS, Task, corpus_folder
from db.statistics import correlation, qa_scoring

VARIABLE = "FEATHERBOARD_DATA"
"""The environment variable that names a folder of data sets in their official formats."""


class ExamplesError(FeatherboardError):
    """A file of texts that cannot be read."""


@dataclass(frozen=True)
class Example:
    """One example of a test split.

    Attributes:
        parts: Its texts by their names: ``document``; ``premise`` and ``hypothesis``; ``question`` and ``context``.
        gold: The label, or the packed answers, as the predictions table keeps them; None where the file has none.
        starts: Where the gold answers stand in the context, by their text.
    """

    parts: Mapping[str, str]
    gold: str | None = None
    starts: Mapping[str, int] | None = None

    def agrees(self, gold: str, language: str | None) -> bool:
        """Whether a stored gold answer is that of this example.

        Args:
            gold: As the predictions table keeps it.
            language: Of answers that are texts, None of labels.
        """
        if self.gold is None or self.gold == gold:
            return True
        rules = qa_scoring.RULES.get(language or "")
        if rules is None:
            return False
        return qa_scoring.pack(qa_scoring.withheld(rules, answer) for answer in qa_scoring.unpack(self.gold)) == gold


@dataclass(frozen=True)
class _TestSplit:
    """Where the test split of a task lies: its data, and for questions the piece of it that holds them."""

    data: ClassificationData | QuestionData
    folder: str
    files: tuple[str, ...]
    articles: range | None = None


def _test_split(task: Task) -> _TestSplit | None:
    data = task.data
    if isinstance(data, QuestionData) and "test" in data.pieces:
        (piece,) = data.pieces["test"]
        return _TestSplit(data, piece.folder, piece.files, piece.articles)
    if isinstance(data, ClassificationData | QuestionData):
        return _TestSplit(data, task.dataset, data.files["test"])
    return None


_SPLITS = {task.task_id: split for task in TASKS if (split := _test_split(task))}


def readable() -> tuple[str, ...]:
    """Tasks whose texts can be read where their files are present."""
    return tuple(_SPLITS)


def file_of(task_id: str) -> Path | None:
    """The file with the texts of a task's test split; None where it is not present."""
    split = _SPLITS.get(task_id)
    if split is None:
        return None
    if split.data.corpus is not None:
        folders = [corpus_folder(split.data.corpus)]
    else:
        name = os.environ.get(VARIABLE, "").strip()
        folders = [Path(name).expanduser() / split.folder, Path(name).expanduser()] if name else []
    files = (file for folder in folders for pattern in split.files for file in sorted(folder.glob(pattern)))
    return next(files, None)


def read(task_id: str, file: Path) -> dict[str, Example]:
    """The examples of a file of ``file_of`` by their ids, of one of the tasks of ``readable``.

    Raises:
        ExamplesError: It cannot be read, or is another kind of file.
    """
    split = _SPLITS[task_id]
    try:
        if file.suffix == ".json":
            return dict(_articles(json.loads(file.read_text("utf-8-sig")), split.articles))
        frame = _READERS[file.suffix](file)
        return dict(_questions(frame) if isinstance(split.data, QuestionData) else _texts(frame, split.data))
    except Exception as error:
        raise ExamplesError(
            f"{file}: the texts of the examples cannot be read ({one_line(error)}). Is it cut off, or another format?"
        ) from error


def _jsonl(file: Path) -> pd.DataFrame:
    lines = file.read_bytes().decode("utf-8-sig").split("\n")  # other separators may stand in a text
    return pd.DataFrame([json.loads(line) for line in lines if line.strip()])


_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".parquet": pd.read_parquet,
    ".jsonl": _jsonl,
    # Lone quotation marks and empty documents are content.
    ".txt": lambda file: pd.read_csv(file, sep="\t", quoting=3, keep_default_na=False, dtype=str),
}


def _texts(frame: pd.DataFrame, data: ClassificationData) -> Iterator[tuple[str, Example]]:
    frame = data.rows_of(frame.rename(columns=data.renamed), "test")
    ids = frame["id"].astype(str) if "id" in frame else [f"test-{n}" for n in frame.get("idx", range(len(frame)))]
    labels = frame["label"] if "label" in frame else [None] * len(frame)
    classes = {name: str(number) for number, name in enumerate(data.labels)}
    for example_id, label, *texts in zip(ids, labels, *(frame[column] for column in data.texts), strict=True):
        number = not classes and isinstance(label, float)
        gold = None if label is None or pd.isna(label) else classes.get(str(label), str(label))
        gold = correlation.as_text(label) if number and gold is not None else gold
        parts = {name: "" if pd.isna(text) else str(text) for name, text in zip(data.texts, texts, strict=True)}
        yield example_id, Example(parts, gold)


def _questions(frame: pd.DataFrame) -> Iterator[tuple[str, Example]]:
    answers = frame["answers"] if "answers" in frame else [None] * len(frame)
    for name, question, context, packed in zip(frame["id"], frame["question"], frame["context"], answers, strict=True):
        unpacked = json.loads(packed) if isinstance(packed, str) else packed
        texts = [] if unpacked is None else [str(text) for text in unpacked["text"]]
        starts = [] if unpacked is None else [int(start) for start in unpacked["answer_start"]]
        yield str(name), _question(str(question), str(context), texts, starts)


def _articles(content: Any, articles: range | None) -> Iterator[tuple[str, Example]]:
    number = 0
    for index, article in enumerate(content["data"]):
        for paragraph in article["paragraphs"]:
            for entry in paragraph["qas"]:
                number += 1
                if articles is not None and index not in articles:
                    continue
                texts = [str(gold["text"]) for gold in entry.get("answers") or ()]
                starts = [int(gold["answer_start"]) for gold in entry.get("answers") or ()]
                yield (
                    str(entry.get("id", f"test-{number}")),
                    _question(entry["question"], paragraph["context"], texts, starts),
                )


def _question(question: str, context: str, texts: list[str], starts: list[int]) -> Example:
    gold = qa_scoring.pack(texts) if texts else None
    return Example({"question": question, "context": context}, gold, dict(zip(texts, starts, strict=True)))
