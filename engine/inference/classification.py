"""Classify a text or a pair for a client, many texts at once, or a file with millions of rows in chunks."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from db.registry import tasks
from engine.base.errors import DataError, ModelError
from engine.base.progress import Bar
from engine.inference.schemas import Cost, Verdict
from engine.networks.classifier import Classifier, probabilities_of

if TYPE_CHECKING:  # `predict` classifies without the cache of models, which imports every family
    from db.base.chunked_tables import Table
    from engine.inference.model_cache import InferenceExecutor, LoadedModel

LONGEST_TEXT = 10_000
"""Characters of each text; models read the first hundred tokens or two."""

CHUNK = 65_536
"""Rows of a file that are in memory at once: enough that nearly all of them find others of their length."""

LABEL, PROBABILITY = "prediction", "probability"


def classifier_of(model: "LoadedModel") -> Classifier:
    """The model as a classifier.

    Raises:
        ModelError: It answers questions.
    """
    if not isinstance(model.model, Classifier):
        raise ModelError(f"{model.ref.name} answers questions and classifies no texts.")
    return model.model


def classify(
    executor: "InferenceExecutor", model: "LoadedModel", texts: tuple[str, ...], *, timeout_s: float | None = None
) -> Verdict:
    """Classify one text, or one pair of premise and hypothesis.

    Raises:
        DataError: A text is empty, too long, or no Unicode.
        ModelError: The model answers questions.
        BusyError: Too many others wait.
        LateError: No answer came within ``timeout_s`` seconds.
    """
    classifier = classifier_of(model)
    check(texts)
    queued = time.perf_counter()

    def work() -> Verdict:
        started = time.perf_counter()
        guessed = classifier.unreadable(texts)
        prepared = classifier.prepare([texts])
        ready = time.perf_counter()
        shares = probabilities_of(prepared)[0]
        ended = time.perf_counter()
        labels = labels_of(classifier)
        return Verdict(
            label=labels[int(shares.argmax())],
            probabilities=dict(zip(labels, map(float, shares), strict=True)),
            cut=bool(prepared.cut),
            guessed=guessed,
            cost=Cost(
                waited_ms=1e3 * (started - queued),
                tokenise_ms=1e3 * (ready - started),
                model_ms=1e3 * (ended - ready),
                decode_ms=0.0,
            ),
        )

    return executor.do(work, timeout_s)


def labels_of(classifier: Classifier) -> tuple[str, ...]:
    """The names of a classifier's classes, in their order."""
    return tasks.by_id(classifier.recipe.task).labels


def check(texts: tuple[str, ...]) -> None:
    """Refuse what cannot be classified.

    Raises:
        DataError: A text is empty, too long, or no Unicode; the message says which.
    """
    names = ("text",) if len(texts) == 1 else ("premise", "hypothesis")
    for name, text in zip(names, texts, strict=True):
        if not text.strip():
            raise DataError(f"The {name} is empty. Nothing was computed.")
        if len(text) > LONGEST_TEXT:
            raise DataError(f"The {name} has {len(text):,} characters; {LONGEST_TEXT:,} are the most. Shorten it.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise DataError(f"The {name} holds half a character (a lone surrogate). Nothing was computed.") from None


@dataclass(frozen=True)
class Answers:
    """Labels of some texts.

    Attributes:
        labels: One per text; None where there is no text. Of a regression the number.
        probabilities: Of that label, likewise; None for a number.
        empty: Texts that are missing or hold nothing but spaces.
        cut: Texts that are longer than the model reads, so that it saw only their beginning.
        guessed: Texts that the model cannot read, so that their labels are guesses.
    """

    labels: list[str | None]
    probabilities: list[float | None]
    empty: int
    cut: int
    guessed: int


@dataclass(frozen=True)
class Columns:
    """Names of a file's columns, old and new.

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
    """Counts of a classified file.

    Attributes:
        column: Where the texts were; of pairs "PREMISE and HYPOTHESIS".
        rows: Rows read and written.
        counts: Rows by label.
        empty: Rows without a text, whose prediction is empty.
        cut: Rows whose text was cut.
        guessed: Rows that the model cannot read.
        seconds: From file to file.
    """

    column: str
    rows: int
    counts: dict[str, int]
    empty: int
    cut: int
    guessed: int
    seconds: float


def classified(
    classifier: Classifier, texts: Sequence[tuple[str, ...]], tick: Callable[[int], None] = lambda count: None
) -> tuple[list[str], NDArray[np.float64], int]:
    """The labels, the probabilities of all labels, shape (texts, labels), and how many texts were cut.

    Of a regression the numbers, with NaN as probabilities. ``tick`` is called after every batch with its size.
    """
    names = labels_of(classifier)
    if not texts:
        return [], np.empty((0, len(names))), 0
    prepared = classifier.prepare(texts)
    sizes = iter([len(batch) for batch in prepared.order])
    if not names:  # a regression
        numbers = prepared.logits(tick=lambda: tick(next(sizes))).astype(np.float64)
        return [f"{number:.4f}" for number in numbers[:, 0]], np.full(numbers.shape, np.nan), prepared.cut
    probabilities = probabilities_of(prepared, tick=lambda: tick(next(sizes)))
    return [names[index] for index in probabilities.argmax(axis=1)], probabilities, prepared.cut


def answer_rows(
    classifier: Classifier, texts: Sequence[tuple[str | None, ...]], tick: Callable[[int], None] = lambda count: None
) -> Answers:
    """The likeliest label of each text or pair and its probability, rounded to six digits; nothing without a text."""
    present = [index for index, row in enumerate(texts) if all(text and not text.isspace() for text in row)]
    known = [tuple(map(str, texts[index])) for index in present]
    names, shares, cut = classified(classifier, known, tick)
    labels: list[str | None] = [None] * len(texts)
    probabilities: list[float | None] = [None] * len(texts)
    for index, label, share in zip(present, names, shares, strict=True):
        labels[index] = label
        probabilities[index] = None if np.isnan(share).any() else round(float(share.max()), 6)
    return Answers(labels, probabilities, len(texts) - len(present), cut, sum(map(classifier.unreadable, known)))


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
    import pyarrow as pa  # noqa: PLC0415 - tables, which a text of the command line needs not

    from db.base.chunked_tables import open_table  # noqa: PLC0415 - see above
    from engine.data import tables  # noqa: PLC0415 - see above

    started = time.monotonic()
    tables.check_target(target)
    if target.exists() and source.exists() and target.samefile(source):
        raise DataError(f"{target}: input and output are the same file; it was left as it is. Name another output.")
    with tables.replacing(target, force=force) as partial:
        table = open_table(source)
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
        empty = cut = guessed = done = 0
        with tables.create(partial, target.suffix, table, added) as write, Bar(source.name, table.size) as bar:
            for chunk in table.chunks(first, CHUNK, more):
                rows = zip(chunk.texts, *(chunk.also[name] for name in more), strict=True)
                answers = answer_rows(classifier, list(rows), bar.advance)
                write(chunk, {label: answers.labels, probability: answers.probabilities})
                done += len(chunk.texts)
                bar.advance(answers.empty, f"{done / (time.monotonic() - started):,.0f} texts/s")
                empty, cut, guessed = empty + answers.empty, cut + answers.cut, guessed + answers.guessed
                for name in counts:
                    counts[name] += answers.labels.count(name)
    return Summary(" and ".join([first, *more]), table.size, counts, empty, cut, guessed, time.monotonic() - started)


def _columns_of(classifier: Classifier, table: "Table", columns: Columns) -> tuple[str, ...]:
    from engine.data import tables  # noqa: PLC0415 - see above
    from engine.data.sources import SOURCES  # noqa: PLC0415 - see above

    if len(SOURCES[classifier.recipe.task].texts) == 2:
        return tables.pair_columns(table, columns.pair)
    return (tables.text_column(table, columns.text),)
