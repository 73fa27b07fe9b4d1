"""What a classifier says of texts: of a few, or of a file with millions of rows in chunks."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from db.registry import tasks
from engine.base.errors import DataError
from engine.base.progress import Bar
from engine.data import tables
from engine.data.sources import SOURCES
from engine.networks.classifier import Classifier
from engine.trainer.evaluation import probabilities_of

CHUNK = 65_536
"""Rows of a file that are in memory at once: enough that nearly all of them find others of their length."""

LABEL, PROBABILITY = "prediction", "probability"


@dataclass(frozen=True)
class Answers:
    """What a classifier says of some texts.

    Attributes:
        labels: One per text; None where there is no text.
        probabilities: Of that label, likewise.
        empty: Texts that are missing or hold nothing but spaces.
        cut: Texts that are longer than the model reads, so that it saw only their beginning.
    """

    labels: list[str | None]
    probabilities: list[float | None]
    empty: int
    cut: int


@dataclass(frozen=True)
class Columns:
    """Where a file's texts are, and what the new columns are called.

    Attributes:
        text: The column of the texts; None looks for ``engine.data.tables.TEXT_COLUMNS``.
        prefix: Stands before ``prediction`` and ``probability``.
        pair: The two columns of a model that reads pairs.
    """

    text: str | None = None
    prefix: str = ""
    pair: tuple[str, str] = ("premise", "hypothesis")


@dataclass(frozen=True)
class Summary:
    """What happened to a file.

    Attributes:
        column: Where the texts were; of pairs "PREMISE and HYPOTHESIS".
        rows: Rows read and written.
        counts: Rows by label.
        empty: Rows without a text, whose prediction is empty.
        cut: Rows whose text was cut.
        seconds: From file to file.
    """

    column: str
    rows: int
    counts: dict[str, int]
    empty: int
    cut: int
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def predict_texts(
    classifier: Classifier, texts: Sequence[str], tick: Callable[[int], None] = lambda count: None
) -> tuple[list[str], NDArray[np.float64]]:
    """The label of each text, and the probabilities of all labels.

    Args:
        classifier: A model of a task whose labels have names.
        texts: Any number of them; an empty one is answered like every other.
        tick: Called after every batch with the number of its texts.

    Returns:
        The labels' names, and the probabilities of all labels in the order of the task, shape (texts, labels).
    """
    labels, probabilities, _ = _classified(classifier, [(text,) for text in texts], tick)
    return labels, probabilities


def _classified(
    classifier: Classifier, texts: Sequence[tuple[str, ...]], tick: Callable[[int], None]
) -> tuple[list[str], NDArray[np.float64], int]:
    names = tasks.by_id(classifier.recipe.task).labels
    if not texts:
        return [], np.empty((0, len(names))), 0
    prepared = classifier.prepare(texts)
    sizes = iter([len(batch) for batch in prepared.order])
    probabilities = probabilities_of(prepared, tick=lambda: tick(next(sizes)))
    return [names[place] for place in probabilities.argmax(axis=1)], probabilities, prepared.cut


def answer(
    classifier: Classifier, texts: Sequence[str | None], tick: Callable[[int], None] = lambda count: None
) -> Answers:
    """The likeliest label of each text and its probability, rounded to six digits; nothing where there is no text."""
    return answer_rows(classifier, [(text,) for text in texts], tick)


def answer_rows(
    classifier: Classifier, texts: Sequence[tuple[str | None, ...]], tick: Callable[[int], None] = lambda count: None
) -> Answers:
    """The same for texts or pairs of texts; nothing where one of a pair is missing."""
    there = [place for place, row in enumerate(texts) if all(text and not text.isspace() for text in row)]
    found, shares, cut = _classified(classifier, [tuple(map(str, texts[place])) for place in there], tick)
    labels: list[str | None] = [None] * len(texts)
    probabilities: list[float | None] = [None] * len(texts)
    for place, label, share in zip(there, found, shares, strict=True):
        labels[place], probabilities[place] = label, round(float(share.max()), 6)
    return Answers(labels, probabilities, len(texts) - len(there), cut)


def predict_file(
    classifier: Classifier, source: Path, target: Path, columns: Columns = Columns(), *, force: bool = False
) -> Summary:
    """Classify the texts of a table and write it again with two columns more.

    All rows and columns are kept in their order. The output appears whole or, after an error or Ctrl-C, not at all.

    Args:
        classifier: The model.
        source: CSV, TSV, JSONL or Parquet, by its suffix.
        target: Likewise; the forms may differ.
        columns: Names.
        force: Overwrite ``target``.

    Raises:
        DataError: The input cannot be read, a column is missing or in the way, or the output is there.
    """
    started = time.monotonic()
    tables.check_target(target)
    if target.exists() and source.exists() and target.samefile(source):
        raise DataError(f"{target}: input and output are the same file; it was left as it is. Name another output.")
    with tables.replacing(target, force=force) as place:
        table = tables.open_table(source)
        first, *more = _columns_of(classifier, table, columns)
        label, probability = columns.prefix + LABEL, columns.prefix + PROBABILITY
        taken = [name for name in (label, probability) if name in table.columns]
        if taken:
            raise DataError(
                f"{source}: has a column {taken[0]!r} already. Name the new ones otherwise, for example "
                "--prefix model_; nothing was written."
            )
        added = {label: pa.string(), probability: pa.float64()}
        counts = dict.fromkeys(tasks.by_id(classifier.recipe.task).labels, 0)
        empty = cut = done = 0
        with tables.create(place, target.suffix, table, added) as out, Bar(source.name, table.size) as bar:
            for chunk in table.chunks(first, CHUNK, more):
                rows = zip(chunk.texts, *(chunk.also[name] for name in more), strict=True)
                found = answer_rows(classifier, list(rows), bar.advance)
                out.write(chunk, {label: found.labels, probability: found.probabilities})
                done += len(chunk.texts)
                bar.advance(found.empty, f"{done / (time.monotonic() - started):,.0f} texts/s")
                empty, cut = empty + found.empty, cut + found.cut
                for name in counts:
                    counts[name] += found.labels.count(name)
    return Summary(" and ".join([first, *more]), table.size, counts, empty, cut, time.monotonic() - started)


def _columns_of(classifier: Classifier, table: tables.Table, columns: Columns) -> tuple[str, ...]:
    if len(SOURCES[classifier.recipe.task].texts) == 2:
        return tables.pair_columns(table, columns.pair)
    return (tables.text_column(table, columns.text),)
