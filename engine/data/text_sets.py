"""Rows of tables become labelled texts; bad rows are told with their number, and nothing is dropped in silence."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from engine.base.errors import DataError
from engine.data.files import Spoiled
from engine.data.sources import Source

NO_LABEL = -1
"""What the hub and the Stanford corpora write where the annotators did not agree, or the label is kept secret."""


@dataclass(frozen=True)
class TextSet:
    """Labelled texts.

    Attributes:
        ids: Example ids, unique.
        texts: One tuple per example, of one text or two.
        labels: Shape (examples,), integers.
        sha256: Hash over ids, texts and labels, in order.
        genres: Where each text is from, where the data tell it; an empty one is not known.
    """

    ids: list[str]
    texts: list[tuple[str, ...]]
    labels: NDArray[np.int64]
    sha256: str
    genres: list[str] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, index: NDArray[np.int64]) -> "TextSet":
        """A part, in the order of ``index``."""
        genres = [self.genres[i] for i in index] if self.genres is not None else None
        return make_set([self.ids[i] for i in index], [self.texts[i] for i in index], self.labels[index], genres)


def make_set(
    ids: Sequence[str], texts: Sequence[tuple[str, ...]], labels: NDArray[np.int64], genres: list[str] | None = None
) -> TextSet:
    """Labelled texts with their hash."""
    digest = hashlib.sha256()
    for example_id, text, label in zip(ids, texts, labels.tolist(), strict=True):
        digest.update(json.dumps([example_id, *text, label], ensure_ascii=False).encode())
    return TextSet(list(ids), list(texts), labels, digest.hexdigest(), genres)


@dataclass(frozen=True)
class Table:
    """Rows as they stand in one file.

    Attributes:
        frame: The index is the number of the row in the file, from 1.
        where: The file's name.
        spoiled: Rows that are not in the frame because they could not be read; see ``engine.data.files``.
    """

    frame: pd.DataFrame
    where: str
    spoiled: tuple[tuple[int, str], ...] = ()


def as_set(tables: Sequence[Table], source: Source, role: str, *, strict: bool) -> tuple[TextSet, tuple[str, ...]]:
    """The labelled texts of a split's files, and one sentence for each file of which rows are left out.

    Args:
        tables: At least one.
        source: Says which columns and labels there must be, and whether bad rows are left out or refused.
        role: Of the split; it names rows without an id.
        strict: Refuse the first bad row in any case.

    Raises:
        DataError: A column is missing, a label is none of the task's, a bad row is refused, or no row is left.
    """
    ids: list[str] = []
    texts: list[tuple[str, ...]] = []
    labels: list[int] = []
    genres: list[str] = []
    told: list[str] = []
    seen: set[str] = set()
    known = any("genre" in table.frame.columns for table in tables)
    offset = 0
    for table in tables:
        found = _Rows(table, source, role, offset)
        offset += len(table.frame)
        bad = found.bad(seen)
        if bad:
            told.append(found.told(bad, strict=strict))
        kept = [place for place, number in enumerate(found.numbers) if number not in bad]
        ids += [found.ids[place] for place in kept]
        texts += [found.texts[place] for place in kept]
        labels += [found.labels[place] for place in kept]
        genres += [found.genres[place] for place in kept]
    return make_set(ids, texts, np.asarray(labels, dtype=np.int64), genres if known else None), tuple(told)


class _Rows:
    """The rows of one file, column by column."""

    def __init__(self, table: Table, source: Source, role: str, offset: int) -> None:
        frame = table.frame.rename(columns=source.renamed)
        if frame.empty and not table.spoiled:
            raise DataError(f"{table.where}: holds no rows.")
        self.where, self.source = table.where, source
        self.spoiled: Spoiled = list(table.spoiled)
        self.numbers: list[int] = frame.index.tolist()
        if frame.empty:
            self.texts, self.ids, self.labels, self.genres = [], [], [], []
            return
        missing = [column for column in (*source.texts, "label") if column not in frame.columns]
        if missing:
            raise DataError(
                f"{self.where}: the column(s) {', '.join(missing)} are missing; found "
                f"{', '.join(map(str, table.frame.columns))}."
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
        given = frame["genre"] if "genre" in frame.columns else [None] * len(frame)
        self.genres = ["" if pd.isna(genre) else str(genre) for genre in given]

    def _labels(self, column: pd.Series) -> list[int]:
        """Numbers; ``NO_LABEL`` where there is none and the source leaves such rows out."""
        named = column.map(lambda value: self.source.named.get(value, value) if isinstance(value, str) else value)
        labels = pd.to_numeric(named, errors="coerce")
        if self.source.leaves_out:
            labels = labels.where(~column.isna(), NO_LABEL)
        allowed = [*range(self.source.num_labels), *([NO_LABEL] if self.source.leaves_out else [])]
        wrong = np.flatnonzero(~labels.isin(allowed).to_numpy())
        if len(wrong):
            raise DataError(
                f"{self.where}: {len(wrong)} label(s) are not in 0..{self.source.num_labels - 1}; the first is row "
                f"{self.numbers[wrong[0]]}, {column.iloc[wrong[0]]!r}. Nothing was trained."
            )
        return [int(label) for label in labels]

    def bad(self, seen: set[str]) -> dict[int, str]:
        """What is wrong with which row, by its number; ids of the rows that are kept join ``seen``.

        Raises:
            DataError: An id is repeated where the source refuses that.
        """
        found = dict(self.spoiled)
        for place, number in enumerate(self.numbers):
            why = self._why(place, seen)
            if why:
                found[number] = why
            else:
                seen.add(self.ids[place])
        if not self.source.leaves_out and found:  # of the things above these files can only repeat ids
            again = self.ids[self.numbers.index(min(found))]
            raise DataError(
                f"{self.where}: {len(found)} row(s) repeat an id; the first is row {min(found)}, {again!r}. "
                "Predictions could not be told apart."
            )
        return found

    def _why(self, place: int, seen: set[str]) -> str:
        if self.source.leaves_out:
            if self.labels[place] == NO_LABEL:
                return "no label"
            empty = [name for name, text in zip(self.source.texts, self.texts[place], strict=True) if not text.strip()]
            if empty:
                return f"empty {empty[0]}"
        return f"the id {self.ids[place]!r} again" if self.ids[place] in seen else ""

    def told(self, bad: dict[int, str], *, strict: bool) -> str:
        """What is left out, in one sentence.

        Raises:
            DataError: It is refused, or nothing is left.
        """
        first = min(bad)
        total = len(self.numbers) + len(self.spoiled)
        kept = total - len(bad)
        if strict:
            raise DataError(
                f"{self.where}, row {first}: {bad[first]}. Nothing was trained; without --strict the {kept:,} good "
                f"rows of {total:,} are used."
            )
        kinds = Counter(
            "id again" if why.startswith("the id") else why.partition(" (")[0] for _, why in sorted(bad.items())
        )
        counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
        told = (
            f"{self.where}: {len(bad):,} row(s) left out ({counts}); the first is row {first}: {bad[first]}. "
            f"{kept:,} of {total:,} rows kept."
        )
        if not kept:
            raise DataError(f"{told} Is it another encoding or another kind of file? Text must be UTF-8.")
        return told
