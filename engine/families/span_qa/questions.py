"""Questions over texts, read from SQuAD JSON or a table, with a content hash that goes into the run."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from db.base.errors import one_line
from db.registry import tasks
from db.registry.task_data import Piece, QuestionData, Role
from db.registry.tasks import TASKS
from engine.base.errors import DataError
from engine.data import held_out
from engine.data.question import Gold, Question
from engine.families.span_qa.files import in_file, in_rows
from engine.recipes.schema import TrainConfig

__all__ = ["Gold", "QACorpus", "Question", "QuestionSet", "load", "load_split", "make_set", "read", "split_validation"]

QA_SOURCES = {task.task_id: task.data for task in TASKS if isinstance(task.data, QuestionData)}


@dataclass(frozen=True)
class QuestionSet:
    """Questions and the hash over all of them, in order.

    Attributes:
        remarks: One sentence for each file of which questions are not among them, and why.
    """

    questions: list[Question]
    sha256: str
    remarks: tuple[str, ...] = ()

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
    def remarks(self) -> tuple[str, ...]:
        """What was left out of both; see ``QuestionSet``."""
        return self.train.remarks + self.test.remarks

    @property
    def sha256(self) -> str:
        """Hash of the whole corpus."""
        return hashlib.sha256(f"{self.train.sha256}/{self.test.sha256}".encode()).hexdigest()


def make_set(questions: Sequence[Question], remarks: Sequence[str] = ()) -> QuestionSet:
    """Questions with their hash; see ``QuestionSet`` for what is left out."""
    digest = hashlib.sha256()
    for question in questions:
        facts = [
            question.id,
            question.question,
            question.context,
            [[gold.text, gold.start] for gold in question.answers],
        ]
        digest.update(json.dumps(facts, ensure_ascii=False).encode())
    return QuestionSet(list(questions), digest.hexdigest(), tuple(remarks))


def load(task_id: str, data: str | None, *, strict: bool = False) -> QACorpus:
    """Train and test of a task.

    Args:
        task_id: A task of question answering.
        data: None for the shipped mini corpus, ``hub``, or a folder.
        strict: Refuse a bad question where it would be left out and told.

    Raises:
        DataError: Nothing there, or a file that cannot be used; the message says where was looked and what to do.
    """
    source = of_task(task_id)
    train, test = (_load(task_id, source, data, role, strict=strict) for role in ("train", "test"))
    shared = {question.id for question in train.questions} & {question.id for question in test.questions}
    if shared:
        raise DataError(f"{task_id}: {len(shared)} id(s) stand in train and in test, the first is {min(shared)!r}.")
    return QACorpus(task_id, train, test)


def load_split(task_id: str, data: str | None, role: Role, *, strict: bool = False) -> QuestionSet:
    """One split of a task; see ``load``."""
    return _load(task_id, of_task(task_id), data, role, strict=strict)


def _load(task_id: str, source: QuestionData, data: str | None, role: Role, *, strict: bool) -> QuestionSet:
    if data == "hub":
        return _from_hub(task_id, source, role, strict=strict)
    if data is not None:
        return _from_folder(Path(data).expanduser(), task_id, source, role, strict=strict)
    if source.corpus is None:
        raise DataError(
            f"The data of {task_id} do not come with Featherboard. Name their folder with --data DIR (or --data hub)."
        )
    return _from_folder(tasks.corpus_folder(source.corpus), task_id, source, role, strict=strict)


def _from_folder(folder: Path, task_id: str, source: QuestionData, role: Role, *, strict: bool) -> QuestionSet:
    pieces = source.pieces.get(role) or (Piece(folder=tasks.by_id(task_id).dataset, files=source.files[role]),)
    if not folder.is_dir():
        patterns = " and ".join(" or ".join(piece.files) for piece in pieces)
        raise DataError(f"There is no folder {folder}; --data names the folder that holds {patterns}.")
    parts = []
    for piece in pieces:
        files = _files(folder, piece)
        if not files:
            raise DataError(
                f"{folder} holds none of {', '.join(piece.files)}, and has no folder {piece.folder} that does: the "
                f"{role} split of {task_id} was not found."
            )
        parts.append((files, piece.articles))
    return _together(parts, role, strict=strict)


def _files(folder: Path, piece: Piece) -> list[Path]:
    places = (folder, folder / piece.folder)
    tried = (sorted(path.glob(pattern)) for path in places for pattern in piece.files)
    return next((files for files in tried if files), [])


def _together(parts: Sequence[tuple[Sequence[Path], range | None]], role: Role, *, strict: bool) -> QuestionSet:
    sieve = _Sieve(strict)
    for files, articles in parts:
        for file in files:
            # Questions without ids are numbered through the whole split, and never called alike in two.
            sieve.take(in_file(file, role, sieve.read, articles), str(file))
    return sieve.made()


def _from_hub(task_id: str, source: QuestionData, role: Role, *, strict: bool) -> QuestionSet:
    if source.hub is None:
        raise DataError(f"No loadable hub copy of {task_id} is known. Name the folder of its files with --data.")
    from datasets import load_dataset  # noqa: PLC0415 - seconds to import, needed for the hub only

    name, split = source.hub.id, source.hub.train if role == "train" else source.hub.test
    try:
        loaded = load_dataset(name, split=split)
        rows, columns = loaded.to_list(), loaded.column_names
    except Exception as error:
        raise DataError(
            f"{name} could not be loaded from the hub ({one_line(error)}). Offline? Name a folder with --data."
        ) from error
    where = f"{name} {split}"
    sieve = _Sieve(strict)
    sieve.take(in_rows(rows, columns, where, role), where)
    return sieve.made()


def read(file: Path) -> QuestionSet:
    """Questions of one file to be asked: SQuAD JSON, or CSV, JSON lines or Parquet with question and context.

    Args:
        file: ``.json``, ``.csv``, ``.jsonl`` or ``.parquet``.

    Raises:
        DataError: It cannot be read or used; the message names the row or question.
    """
    chosen: list[Question] = []
    seen: set[str] = set()
    for question in in_file(file):
        why = _wrong(question, seen, scored=False)
        if why:
            raise DataError(f"{file}: question {question.id!r}: {why}. Nothing was answered.")
        seen.add(question.id)
        chosen.append(question)
    if not chosen:
        raise DataError(f"{file}: holds no questions.")
    return make_set(chosen)


@dataclass
class _Sieve:
    """Questions of a split that a model can learn from or be scored on, file by file.

    Attributes:
        strict: Refuse the first bad question in place of leaving it out.
        good: The good ones.
        remarks: One sentence for each file of which some are left out.
        seen: Ids so far.
        read: Questions so far, the bad ones included.
    """

    strict: bool
    good: list[Question] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    read: int = 0

    def take(self, questions: Iterable[Question], where: str) -> None:
        """Take the questions of one file.

        Raises:
            DataError: One is refused, or none is left.
        """
        before, before_good = self.read, len(self.good)
        first = ""
        for question in questions:
            self.read += 1
            why = "it has no answer" if not question.answers else _wrong(question, self.seen, scored=True)
            if not why:
                self.seen.add(question.id)
                self.good.append(question)
                continue
            if self.strict:
                message = (
                    f"{where}: question {question.id!r}: {why}. Nothing was trained; without --strict it is left out."
                )
                raise DataError(message)
            first = first or f"the first is number {self.read - before}, {question.id!r}: {why}"
        total, taken = self.read - before, len(self.good) - before_good
        if first:
            remark = f"{where}: {total - taken:,} question(s) left out; {first}. {taken:,} of {total:,} kept."
            self.remarks.append(remark)
        if not taken:
            raise DataError(self.remarks[-1] if first else f"{where}: holds no questions.")

    def made(self) -> QuestionSet:
        """The split."""
        return make_set(self.good, self.remarks)


def _wrong(question: Question, seen: set[str], *, scored: bool) -> str:
    """What is wrong with a question; empty where nothing is.

    Args:
        question: With its text and answers.
        seen: Ids that stand there already.
        scored: It must have a question and a text to be learned from; who only asks is told of that elsewhere.
    """
    if scored and not question.question.strip():
        return "the question is empty"
    if scored and not question.context.strip():
        return "its text is empty"
    for gold in question.answers:
        if not gold.text.strip():
            return "an answer is empty"
        if question.context[gold.start : gold.start + len(gold.text)] != gold.text:
            return f"the answer {gold.text[:80]!r} does not stand at character {gold.start} of its context"
    return "the id stands there twice" if question.id in seen else ""


def split_validation(
    train: QuestionSet, settings: TrainConfig, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the kept and the held-out part of a training split; all questions of a text go to one side.

    Args:
        train: The questions.
        settings: Say how many are held out, and by the hash of their text or by the seed.
        seed: Of the run.

    Returns:
        Two sorted index arrays that together hold every question once.

    Raises:
        DataError: There is one text only, which cannot be on both sides.
    """
    contexts = list(dict.fromkeys(question.context for question in train.questions))
    if len(contexts) < 2:
        raise DataError(
            f"The training questions are about {len(contexts)} text(s); some of two are needed, one to learn from and "
            "one to choose the epoch by."
        )
    if settings.held_out == "text":
        held = {contexts[i] for i in np.flatnonzero(held_out.mask(contexts, settings.validation_fraction))}
    else:
        order = np.random.default_rng(seed).permutation(len(contexts))
        held = {contexts[i] for i in order[: max(1, round(settings.validation_fraction * len(contexts)))]}
    inside = np.array([question.context in held for question in train.questions])
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def of_task(task_id: str) -> QuestionData:
    """Look up where a task's questions lie.

    Raises:
        DataError: The task has no questions over texts.
    """
    if task_id not in QA_SOURCES:
        raise DataError(f"The task {task_id!r} has no questions over texts; these have: {', '.join(QA_SOURCES)}.")
    return QA_SOURCES[task_id]
