"""Questions over texts, read from SQuAD JSON or a table, with a content hash that goes into the run."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from db import tasks
from engine.errors import DataError
from engine.qa.files import Gold, Question, in_file, in_rows
from engine.qa.sources import Piece, QASource, of_task

__all__ = ["Gold", "QACorpus", "Question", "QuestionSet", "load", "load_test", "make_set", "read", "split_validation"]


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
    pieces = source.pieces.get(role) or (Piece(tasks.by_id(task_id).dataset, source.files[role]),)
    if not folder.is_dir():
        wanted = " and ".join(" or ".join(piece.files) for piece in pieces)
        raise DataError(f"There is no folder {folder}; --data names the folder that holds {wanted}.")
    parts = []
    for piece in pieces:
        files = _files(folder, piece)
        if not files:
            raise DataError(
                f"{folder} holds none of {', '.join(piece.files)}, and has no folder {piece.folder} that does: the "
                f"{role} split of {task_id} was not found."
            )
        parts.append((files, piece.articles))
    return _together(parts, role)


def _files(folder: Path, piece: Piece) -> list[Path]:
    places = (folder, folder / piece.folder)
    tried = (sorted(place.glob(pattern)) for place in places for pattern in piece.files)
    return next((files for files in tried if files), [])


def _together(parts: Sequence[tuple[Sequence[Path], range | None]], role: str) -> QuestionSet:
    found: list[Question] = []
    for files, articles in parts:
        for file in files:
            # Questions without ids are numbered through the whole split, and never called alike in two.
            found += _usable(in_file(file, role, len(found), articles), str(file), need_answers=True)
    return _distinct(found, ", ".join(str(file) for files, _ in parts for file in files))


def _from_hub(task_id: str, source: QASource, role: str) -> QuestionSet:
    if source.hub is None:
        raise DataError(f"No loadable hub copy of {task_id} is known. Name the folder of its files with --data.")
    from datasets import load_dataset  # noqa: PLC0415 - seconds to import, needed for the hub only

    name, split = source.hub[0], source.hub[1 if role == "train" else 2]
    try:
        loaded = load_dataset(name, split=split)
        rows, columns = loaded.to_list(), loaded.column_names
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(
            f"{name} could not be loaded from the hub ({reason}). Offline? Name a folder with --data."
        ) from error
    where = f"{name} {split}"
    return _distinct(_usable(in_rows(rows, columns, where, role), where, need_answers=True), where)


def read(file: Path, *, need_answers: bool = False) -> QuestionSet:
    """Questions of one file: SQuAD JSON, or CSV, JSON lines or Parquet with the columns question and context.

    Args:
        file: ``.json``, ``.csv``, ``.jsonl`` or ``.parquet``.
        need_answers: Refuse a question without an answer.

    Raises:
        DataError: It cannot be read or used; the message names the row or question.
    """
    return _distinct(_usable(in_file(file), str(file), need_answers=need_answers), str(file))


def _usable(questions: Iterable[Question], where: str, *, need_answers: bool) -> list[Question]:
    found = list(questions)
    for one in found:
        if need_answers and not one.answers:
            raise DataError(f"{where}: the question {one.id!r} has no answer.")
        for gold in one.answers:
            if not gold.text.strip():
                raise DataError(f"{where}: question {one.id!r}: an answer is empty; leave it out.")
            if one.context[gold.start : gold.start + len(gold.text)] != gold.text:
                raise DataError(
                    f"{where}: question {one.id!r}: the answer {gold.text[:80]!r} does not stand at character "
                    f"{gold.start} of its context."
                )
    if not found:
        raise DataError(f"{where}: holds no questions.")
    return found


def _distinct(questions: Sequence[Question], where: str) -> QuestionSet:
    seen: set[str] = set()
    for one in questions:
        if one.id in seen:
            raise DataError(f"{where}: the id {one.id!r} stands there twice. Predictions could not be told apart.")
        seen.add(one.id)
    return make_set(questions)


def split_validation(train: QuestionSet, fraction: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the kept and the held-out part of a training split; all questions of a text go to one side.

    Returns:
        Two sorted index arrays that together hold every question once.

    Raises:
        DataError: There is one text only, which cannot be on both sides.
    """
    contexts = list(dict.fromkeys(one.context for one in train.questions))
    if len(contexts) < 2:
        raise DataError(
            f"The training questions are about {len(contexts)} text(s); some of two are needed, one to learn from and "
            "one to choose the epoch by."
        )
    order = np.random.default_rng(seed).permutation(len(contexts))
    held = {contexts[i] for i in order[: max(1, round(fraction * len(contexts)))]}
    inside = np.array([one.context in held for one in train.questions])
    return np.flatnonzero(~inside), np.flatnonzero(inside)
