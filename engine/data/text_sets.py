"""Labelled texts from rows of tables; bad rows are reported by number, and nothing is dropped silently."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.registry.task_data import ClassificationData
from engine.base.errors import DataError

NO_LABEL = -1
"""What the hub and the Stanford corpora write where the annotators did not agree, or the label is kept secret."""


@dataclass(frozen=True)
class TextSet:
    """Labelled texts.

    Attributes:
        ids: Example ids, unique.
        texts: One tuple per example, of one text or two.
        labels: Shape (examples,), integers; of a regression numbers.
        sha256: Hash over ids, texts and labels, in order.
        genres: Where each text comes from, where the data say so; empty if unknown.
    """

    ids: list[str]
    texts: list[tuple[str, ...]]
    labels: NDArray[Any]
    sha256: str
    genres: list[str] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, index: NDArray[np.int64]) -> "TextSet":
        """A part, in the order of ``index``."""
        genres = [self.genres[i] for i in index] if self.genres is not None else None
        return make_set([self.ids[i] for i in index], [self.texts[i] for i in index], self.labels[index], genres)


def make_set(
    ids: Sequence[str], texts: Sequence[tuple[str, ...]], labels: NDArray[Any], genres: list[str] | None = None
) -> TextSet:
    """Labelled texts with their hash."""
    digest = hashlib.sha256()
    for example_id, text, label in zip(ids, texts, labels.tolist(), strict=True):
        digest.update(json.dumps([example_id, *text, label], ensure_ascii=False).encode())
    return TextSet(list(ids), list(texts), labels, digest.hexdigest(), genres)


@dataclass(frozen=True)
class FileRows:
    """Rows of one file.

    Attributes:
        frame: The index is the number of the row in the file, from 1.
        name: The file's.
        unreadable: Rows that are not in the frame; see ``db.base.table_files``.
    """

    frame: pd.DataFrame
    name: str
    unreadable: tuple[tuple[int, str], ...] = ()


def as_set(
    files: Sequence[FileRows], source: ClassificationData, role: str, *, strict: bool
) -> tuple[TextSet, tuple[str, ...]]:
    """The labelled texts of a split's files, and one sentence for each file of which rows are left out.

    Args:
        files: At least one.
        source: Columns, labels, and whether bad rows are left out or refused.
        role: Of the split; it names rows without an id.
        strict: Refuse the first bad row in any case.

    Raises:
        DataError: A column is missing, a label is none of the task's, a bad row is refused, or no row is left.
    """
    ids: list[str] = []
    texts: list[tuple[str, ...]] = []
    labels: list[float] = []
    genres: list[str] = []
    remarks: list[str] = []
    seen: set[str] = set()
    offset = 0
    for file in files:
        rows = _Rows(file, source, role, offset)
        offset += len(file.frame)
        bad = rows.bad(seen)
        if bad:
            remarks.append(rows.remark(bad, strict=strict))
        good = [index for index, number in enumerate(rows.numbers) if number not in bad]
        ids += [rows.ids[index] for index in good]
        texts += [rows.texts[index] for index in good]
        labels += [rows.labels[index] for index in good]
        genres += [rows.genres[index] for index in good]
    known = any("genre" in file.frame.columns for file in files)
    dtype = np.int64 if source.labels else np.float64
    return make_set(ids, texts, np.asarray(labels, dtype=dtype), genres if known else None), tuple(remarks)


class _Rows:
    """The rows of one file, column by column."""

    def __init__(self, file: FileRows, source: ClassificationData, role: str, offset: int) -> None:
        frame = file.frame.rename(columns=source.renamed)
        if frame.empty and not file.unreadable:
            raise DataError(f"{file.name}: holds no rows.")
        self.file, self.source = file, source
        self.numbers: list[int] = frame.index.tolist()
        if frame.empty:
            self.texts, self.ids, self.labels, self.genres = [], [], [], []
            return
        missing = [column for column in (*source.texts, "label") if column not in frame.columns]
        if missing:
            raise DataError(
                f"{file.name}: the column(s) {', '.join(missing)} are missing; found "
                f"{', '.join(map(str, file.frame.columns))}."
            )
        self.texts = [
            tuple("" if pd.isna(text) else str(text) for text in row)
            for row in frame[list(source.texts)].itertuples(index=False)
        ]
        self.labels = self._labels(frame["label"])
        if "id" in frame.columns:
            self.ids = [str(value) for value in frame["id"]]
        else:  # hub ids, and positions, count from 0 in every split
            numbers = frame["idx"] if "idx" in frame.columns else range(offset, offset + len(frame))
            self.ids = [f"{role}-{value}" for value in numbers]
        genres = frame["genre"] if "genre" in frame.columns else [None] * len(frame)
        self.genres = ["" if pd.isna(genre) else str(genre) for genre in genres]

    def _labels(self, column: pd.Series) -> list[float]:
        """Numbers; ``NO_LABEL`` where there is none and the source leaves such rows out.

        Raises:
            DataError: A label is none of the task's classes, or no finite number where the task has none.
        """
        if not self.source.labels:
            return self._numbers(column)
        numbers = {name: number for number, name in enumerate(self.source.labels)}
        numbers |= dict.fromkeys(self.source.no_label, NO_LABEL)
        values = column.map(lambda value: numbers.get(value, value) if isinstance(value, str) else value)
        labels = pd.to_numeric(values, errors="coerce")
        if self.source.leaves_out:
            labels = labels.where(~column.isna(), NO_LABEL)
        allowed = [*range(self.source.num_labels), *([NO_LABEL] if self.source.leaves_out else [])]
        wrong = np.flatnonzero(~labels.isin(allowed).to_numpy())
        if len(wrong):
            raise DataError(
                f"{self.file.name}: {len(wrong)} label(s) are not in 0..{self.source.num_labels - 1}; the first is row "
                f"{self.numbers[wrong[0]]}, {column.iloc[wrong[0]]!r}. Nothing was trained."
            )
        return [int(label) for label in labels]

    def _numbers(self, column: pd.Series) -> list[float]:
        numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise DataError(
                f"{self.file.name}: {len(wrong)} label(s) are no finite number; the first is row "
                f"{self.numbers[wrong[0]]}, {column.iloc[wrong[0]]!r}. Nothing was trained."
            )
        return [float(number) for number in numbers]

    def bad(self, seen: set[str]) -> dict[int, str]:
        """What is wrong with which row, by its number; ids of the good rows join ``seen``.

        Raises:
            DataError: An id is repeated where the source refuses that.
        """
        reasons = dict(self.file.unreadable)
        for index, number in enumerate(self.numbers):
            reason = self._reason(index, seen)
            if reason:
                reasons[number] = reason
            else:
                seen.add(self.ids[index])
        if not self.source.leaves_out and reasons:  # of the things above these files can only repeat ids
            repeated = self.ids[self.numbers.index(min(reasons))]
            raise DataError(
                f"{self.file.name}: {len(reasons)} row(s) repeat an id; the first is row {min(reasons)}, {repeated!r}. "
                "Predictions could not be told apart."
            )
        return reasons

    def _reason(self, index: int, seen: set[str]) -> str:
        if self.source.leaves_out:
            if self.labels[index] == NO_LABEL:
                return "no label"
            empty = [name for name, text in zip(self.source.texts, self.texts[index], strict=True) if not text.strip()]
            if empty:
                return f"empty {empty[0]}"
        return f"the id {self.ids[index]!r} again" if self.ids[index] in seen else ""

    def remark(self, bad: dict[int, str], *, strict: bool) -> str:
        """One sentence that says what is left out.

        Raises:
            DataError: It is refused, or nothing is left.
        """
        first = min(bad)
        total = len(self.numbers) + len(self.file.unreadable)
        good = total - len(bad)
        if strict:
            raise DataError(
                f"{self.file.name}, row {first}: {bad[first]}. Nothing was trained; without --strict the {good:,} good "
                f"rows of {total:,} are used."
            )
        kinds = Counter(
            "id again" if reason.startswith("the id") else reason.partition(" (")[0]
            for _, reason in sorted(bad.items())
        )
        counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
        remark = (
            f"{self.file.name}: {len(bad):,} row(s) left out ({counts}); the first is row {first}: {bad[first]}. "
            f"{good:,} of {total:,} rows kept."
        )
        if not good:
            raise DataError(f"{remark} Is it another encoding or another kind of file? Text must be UTF-8.")
        return remark
