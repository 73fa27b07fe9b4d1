"""Questions over texts, read from SQuAD JSON or a table, with a content hash that goes into the run."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db import tasks
from engine.errors import DataError
from engine.qa.sources import QASource, of_task


@dataclass(frozen=True, slots=True)
class Gold:
    """An answer that counts as right, and the character at which it stands in the text."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        id: Unique within its set.
        question: What is asked.
        context: The text that holds the answer.
        answers: None where the question has no known answer.
        guessed: The place of the answer is a guess; see ``QAConfig.exact_offsets``.
    """

    id: str
    question: str
    context: str
    answers: tuple[Gold, ...] = ()
    guessed: bool = False


@dataclass(frozen=True)
class QuestionSet:
    """Questions and the hash over all of them, in order."""

    questions: list[Question]
    sha256: str

    def __len__(self) -> int:
        return len(self.questions)

    def take(self, index: Iterable[int]) -> "QuestionSet":
        """A part, in the order of ``index``."""
        return make_set([self.questions[i] for i in index])


@dataclass(frozen=True)
class QACorpus:
    """Train and test of one task."""

    task_id: str
    train: QuestionSet
    test: QuestionSet

    @property
    def sha256(self) -> str:
        """Hash of the whole corpus."""
        return hashlib.sha256(f"{self.train.sha256}/{self.test.sha256}".encode()).hexdigest()


def make_set(questions: Sequence[Question]) -> QuestionSet:
    """Questions with their hash."""
    digest = hashlib.sha256()
    for one in questions:
        facts = [one.id, one.question, one.context, [[gold.text, gold.start] for gold in one.answers]]
        digest.update(json.dumps(facts, ensure_ascii=False).encode())
    return QuestionSet(list(questions), digest.hexdigest())


def load(task_id: str, data: str | None) -> QACorpus:
    """Train and test of a task.

    Args:
        task_id: A task of question answering.
        data: None for the shipped mini corpus, ``hub``, or a folder.

    Raises:
        DataError: Nothing there, or a file that cannot be used; the message says where was looked and what to do.
    """
    source = of_task(task_id)
    train, test = (_load(task_id, source, data, role) for role in ("train", "test"))
    shared = {one.id for one in train.questions} & {one.id for one in test.questions}
    if shared:
        raise DataError(f"{task_id}: {len(shared)} id(s) stand in train and in test, the first is {min(shared)!r}.")
    return QACorpus(task_id, train, test)


def load_test(task_id: str, data: str | None) -> QuestionSet:
    """The test split of a task alone; see ``load``."""
    return _load(task_id, of_task(task_id), data, "test")


def _load(task_id: str, source: QASource, data: str | None, role: str) -> QuestionSet:
    if data == "hub":
        return _from_hub(task_id, source, role)
    if data is not None:
        return _from_folder(Path(data).expanduser(), task_id, source, role)
    if source.corpus is None:
        raise DataError(
            f"The data of {task_id} do not come with Featherboard. Name their folder with --data DIR (or --data hub)."
        )
    with resources.as_file(resources.files("engine") / "corpora" / source.corpus) as place:
        return _from_folder(place, task_id, source, role)


def _from_folder(folder: Path, task_id: str, source: QASource, role: str) -> QuestionSet:
    patterns = source.files[role]
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}; --data names the folder that holds {' or '.join(patterns)}.")
    for place in (folder, folder / tasks.by_id(task_id).dataset):
        for pattern in patterns:
            files = sorted(place.glob(pattern))
            if files:
                return make_set([one for file in files for one in read(file, need_answers=True).questions])
    raise DataError(f"{folder} holds none of {', '.join(patterns)}: the {role} split of {task_id} was not found.")


def _from_hub(task_id: str, source: QASource, role: str) -> QuestionSet:
    if source.hub is None:
        raise DataError(f"No loadable hub copy of {task_id} is known. Name the folder of its files with --data.")
    from datasets import load_dataset  # noqa: PLC0415 - seconds to import, needed for the hub only

    name, split = source.hub[0], source.hub[1 if role == "train" else 2]
    try:
        frame = load_dataset(name, split=split).to_pandas()
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(
            f"{name} could not be loaded from the hub ({reason}). Offline? Name a folder with --data."
        ) from error
    return _checked(_from_rows(frame, f"{name} {split}"), f"{name} {split}", need_answers=True)


def read(file: Path, *, need_answers: bool = False) -> QuestionSet:
    """Questions of one file: SQuAD JSON, or CSV, JSON lines or Parquet with the columns question and context.

    Args:
        file: ``.json``, ``.csv``, ``.jsonl`` or ``.parquet``.
        need_answers: Refuse a question without an answer.

    Raises:
        DataError: It cannot be read or used; the message names the row or question.
    """
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        raise DataError(f"{file}: {file.suffix or 'a file without an ending'} is not read; use {', '.join(_READERS)}.")
    try:
        questions = list(reader(file))
    except DataError:
        raise
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(f"{file}: cannot be read ({reason}). Is it cut off, or another format?") from error
    return _checked(questions, str(file), need_answers=need_answers)


def _checked(questions: Iterable[Question], where: str, *, need_answers: bool) -> QuestionSet:
    found = list(questions)
    if not found:
        raise DataError(f"{where}: holds no questions.")
    seen: set[str] = set()
    for one in found:
        if one.id in seen:
            raise DataError(f"{where}: the id {one.id!r} stands there twice. Predictions could not be told apart.")
        seen.add(one.id)
        if need_answers and not one.answers:
            raise DataError(f"{where}: the question {one.id!r} has no answer.")
        for gold in one.answers:
            if one.context[gold.start : gold.start + len(gold.text)] != gold.text:
                raise DataError(
                    f"{where}: question {one.id!r}: the answer {gold.text!r} does not stand at character {gold.start} "
                    "of its context. Nothing was trained."
                )
    return make_set(found)


def _from_squad(file: Path) -> Iterator[Question]:
    content = json.loads(file.read_text("utf-8"))
    articles = content.get("data") if isinstance(content, dict) else None
    if not isinstance(articles, list):
        raise DataError(f"{file}: this is no SQuAD file: there is no list 'data'.")
    for article in articles:
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                golds = asked.get("answers") or ()
                yield Question(
                    str(asked["id"]), str(asked["question"]), str(paragraph["context"]),
                    tuple(Gold(str(gold["text"]), int(gold["answer_start"])) for gold in golds),
                )  # fmt: skip


def _from_rows(frame: pd.DataFrame, where: str) -> Iterator[Question]:
    missing = [column for column in ("question", "context") if column not in frame.columns]
    if missing:
        raise DataError(
            f"{where}: the column(s) {', '.join(missing)} are missing; found {', '.join(map(str, frame.columns))}."
        )
    for number, row in enumerate(frame.to_dict("records"), start=1):
        try:
            yield Question(
                str(row.get("id", f"row-{number}")), _text(row["question"]), _text(row["context"]),
                tuple(_golds(row.get("answers"))), row.get("start_source") == "guess",
            )  # fmt: skip
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{where}: row {number}: the answers cannot be read ({error}).") from None


def _text(value: Any) -> str:
    return "" if value is None or (isinstance(value, float) and np.isnan(value)) else str(value)


def _golds(answers: Any) -> Iterator[Gold]:
    if answers is None or (isinstance(answers, float) and np.isnan(answers)) or answers == "":
        return
    told = json.loads(answers) if isinstance(answers, str) else answers
    for text, start in zip(told["text"], told["answer_start"], strict=True):
        yield Gold(str(text), int(start))


def _table(reading: Callable[[Path], pd.DataFrame]) -> Callable[[Path], Iterator[Question]]:
    return lambda file: _from_rows(reading(file), str(file))


_READERS: dict[str, Callable[[Path], Iterator[Question]]] = {
    ".json": _from_squad,
    ".parquet": _table(pd.read_parquet),
    ".csv": _table(lambda file: pd.read_csv(file, dtype=str, keep_default_na=False, encoding="utf-8-sig")),
    ".jsonl": _table(lambda file: pd.read_json(file, lines=True, dtype=False)),
}


def split_validation(train: QuestionSet, fraction: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the kept and the held-out part of a training split; all questions of a text go to one side.

    Returns:
        Two sorted index arrays that together hold every question once.
    """
    contexts = list(dict.fromkeys(one.context for one in train.questions))
    order = np.random.default_rng(seed).permutation(len(contexts))
    held = {contexts[i] for i in order[: max(1, round(fraction * len(contexts)))]}
    inside = np.array([one.context in held for one in train.questions])
    return np.flatnonzero(~inside), np.flatnonzero(inside)
