"""The texts behind example ids, where they are at hand: the shipped mini corpora, and a folder that the user names.

The store keeps ids, gold answers and predictions; the texts belong to the data sets. What is read here is shown beside
an answer only where the file's own gold answer agrees with the stored one: another edition may use the same ids.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import util
from pathlib import Path
from typing import Any

import pandas as pd

from db.base.errors import FeatherboardError
from db.registry import tasks
from db.statistics import qa_scoring

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
        return qa_scoring.pack(qa_scoring.withheld(rules, one) for one in qa_scoring.unpack(self.gold)) == gold


@dataclass(frozen=True)
class _Place:
    """Where the test split of a task lies.

    Attributes:
        columns: Its texts; those of questions are cut from articles.
        files: Glob patterns that are tried in order.
        folder: The data set's own folder inside the one that the user names.
        corpus: The shipped mini corpus, or None.
        articles: Of a SQuAD file, from 0, that are the split; None: all.
    """

    columns: tuple[str, ...]
    files: tuple[str, ...]
    folder: str
    corpus: str | None = None
    articles: range | None = None


_QUESTIONS = ("question", "context")
_PLACES = {
    "nsmc": _Place(("document",), ("test*.parquet", "data/test*.parquet", "ratings_test.txt"), "nsmc"),
    "mnli": _Place(
        ("premise", "hypothesis"),
        (
            "validation_matched*.parquet",
            "data/validation_matched*.parquet",
            "mnli/validation_matched*.parquet",
            "multinli_1.0_dev_matched.jsonl",
            "validation_matched*.jsonl",
        ),
        "mnli",
    ),
    "squad": _Place(_QUESTIONS, ("validation*.parquet", "plain_text/validation*.parquet", "dev-v1.1.json"), "squad"),
    "korquad": _Place(_QUESTIONS, ("validation*.parquet", "KorQuAD_v1.0_dev.json"), "korquad"),
    "korquad-articles": _Place(_QUESTIONS, ("KorQuAD_v1.0_dev.json",), "korquad", articles=range(112, 140)),
    "reviews-ko-mini": _Place(("document",), ("test.jsonl",), "reviews-ko-mini", "reviews_ko"),
    "nli-en-mini": _Place(("premise", "hypothesis"), ("test.jsonl",), "nli-en-mini", "nli_en"),
    "qa-en-mini": _Place(_QUESTIONS, ("test.json",), "qa-en-mini", "qa_en"),
    "qa-ko-mini": _Place(_QUESTIONS, ("test.json",), "qa-ko-mini", "qa_ko"),
}
_LABELS = {name: str(number) for number, name in enumerate(tasks.INFERENCE)}
_RENAMED = {"gold_label": "label", "sentence1": "premise", "sentence2": "hypothesis", "pairID": "id"}


def readable() -> tuple[str, ...]:
    """Tasks whose texts can be read where their files are at hand."""
    return tuple(_PLACES)


def file_of(task_id: str) -> Path | None:
    """The file with the texts of a task's test split; None where it is not at hand."""
    place = _PLACES.get(task_id)
    if place is None:
        return None
    if place.corpus is not None:
        engine = util.find_spec("engine")  # finds the folder and imports nothing of it
        roots = [Path(engine.origin).parent / "corpora" / place.corpus] if engine and engine.origin else []
    else:
        named = os.environ.get(VARIABLE, "").strip()
        root = Path(named).expanduser() if named else None
        roots = [root / place.folder, root] if root else []
    found = (file for root in roots for pattern in place.files for file in sorted(root.glob(pattern)))
    return next(found, None)


def read(task_id: str, file: Path) -> dict[str, Example]:
    """The examples of a file by their ids.

    Args:
        task_id: One of ``readable()``.
        file: Of ``file_of``.

    Raises:
        ExamplesError: It cannot be read, or is another kind of file.
    """
    place = _PLACES[task_id]
    try:
        if file.suffix == ".json":
            return dict(_articles(json.loads(file.read_text("utf-8-sig")), place.articles))
        frame = _READERS[file.suffix](file).rename(columns=_RENAMED)
        return dict(_questions(frame) if place.columns == _QUESTIONS else _texts(frame, place.columns))
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ExamplesError(
            f"{file}: the texts of the examples cannot be read ({reason}). Is it cut off, or another format?"
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


def _texts(frame: pd.DataFrame, columns: tuple[str, ...]) -> Iterator[tuple[str, Example]]:
    numbers = frame["idx"] if "idx" in frame else range(len(frame))
    ids = frame["id"].astype(str) if "id" in frame else [f"test-{number}" for number in numbers]
    labels = frame["label"] if "label" in frame else [None] * len(frame)
    for name, label, *texts in zip(ids, labels, *(frame[column] for column in columns), strict=True):
        gold = None if label is None or pd.isna(label) else _LABELS.get(str(label), str(label))
        yield (
            name,
            Example(
                {column: "" if pd.isna(text) else str(text) for column, text in zip(columns, texts, strict=True)}, gold
            ),
        )


def _questions(frame: pd.DataFrame) -> Iterator[tuple[str, Example]]:
    told = frame["answers"] if "answers" in frame else [None] * len(frame)
    for name, question, context, given in zip(frame["id"], frame["question"], frame["context"], told, strict=True):
        unpacked = json.loads(given) if isinstance(given, str) else given
        texts = [] if unpacked is None else [str(text) for text in unpacked["text"]]
        starts = [] if unpacked is None else [int(start) for start in unpacked["answer_start"]]
        yield str(name), _question(str(question), str(context), texts, starts)


def _articles(content: Any, kept: range | None) -> Iterator[tuple[str, Example]]:
    number = 0
    for place, article in enumerate(content["data"]):
        for paragraph in article["paragraphs"]:
            for one in paragraph["qas"]:
                number += 1
                if kept is not None and place not in kept:
                    continue
                texts = [str(gold["text"]) for gold in one.get("answers") or ()]
                starts = [int(gold["answer_start"]) for gold in one.get("answers") or ()]
                yield (
                    str(one.get("id", f"test-{number}")),
                    _question(one["question"], paragraph["context"], texts, starts),
                )


def _question(question: str, context: str, texts: list[str], starts: list[int]) -> Example:
    gold = qa_scoring.pack(texts) if texts else None
    return Example({"question": question, "context": context}, gold, dict(zip(texts, starts, strict=True)))
