"""Running text: read from a folder, parted into documents that are learned from and documents that are scored.

Which documents are scored depends on the documents alone, so every seed and every student of one folder is scored on
the same ones.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from db.base.table_files import read_frame
from db.registry import tasks
from engine.base.errors import DataError
from engine.data import held_out
from engine.recipes.schema import TextConfig, TrainConfig

_ENDINGS = (".parquet", ".jsonl", ".txt")


@dataclass(frozen=True)
class Document:
    """Texts that belong together, such as the paragraphs of one article."""

    name: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """What a folder holds.

    Attributes:
        train: Documents that may be learned from.
        scored: Documents that are scored and never learned from.
        files: Texts of each file, by its name in the folder; one that stands in several files counts in the first.
        sha256: Hash over all documents, in order, and over which of them are scored.
    """

    train: list[Document]
    scored: list[Document]
    files: dict[str, int]
    sha256: str
    remarks: tuple[str, ...] = ()


def load(settings: TextConfig, folder: str | None, language: str = "en") -> Text:
    """Read a folder's text, or the paragraphs of a shipped question corpus.

    Args:
        settings: The recipe's section.
        folder: None for the shipped corpus.
        language: Of that corpus.

    Raises:
        DataError: There is none, a file has no column of texts, or too few documents; the message says what to do.
    """
    if folder == "hub":
        raise DataError("Running text is not taken from the hub. Name a folder with --data DIR.")
    rows: list[tuple[str, str]] = []
    counts: dict[str, int] = {}
    seen: set[str] = set()
    files = _shipped(language) if folder is None else _in_folder(settings, Path(folder).expanduser())
    for name, pairs in files:
        before = len(rows)
        for document, text in pairs:
            if text.strip() and text not in seen:
                seen.add(text)
                rows.append((document, text))
        counts[name] = len(rows) - before
    documents = _grouped(rows)
    if len(documents) < 2:
        raise DataError(
            f"{folder or 'the shipped corpus'}: the text makes {len(documents)} document(s); at least 2 are needed, "
            "one to learn from and one to score on."
        )
    return _parted(documents, counts, settings.held)


def split_held_out(
    documents: Sequence[Document], settings: TrainConfig, seed: int
) -> tuple[list[Document], list[Document]]:
    """Documents to learn from, in an order by the seed, and those held out to choose the epoch.

    The hash of its name holds a document out, as it chooses the documents that are scored.
    """
    order = np.random.default_rng(seed).permutation(len(documents))
    if settings.held_out == "text" and len(documents) > 1:
        outside = held_out.mask([f"held out {document.name}" for document in documents], settings.validation_fraction)
        return [documents[i] for i in order if not outside[i]], [documents[i] for i in order if outside[i]]
    held = max(1, round(settings.validation_fraction * len(documents))) if len(documents) > 1 else 0
    return [documents[i] for i in order[held:]], [documents[i] for i in order[:held]]


def _parted(documents: list[Document], counts: dict[str, int], share: float) -> Text:
    ranks = {document.name: hashlib.sha256(document.name.encode()).hexdigest() for document in documents}
    chosen = set(sorted(ranks, key=lambda name: ranks[name])[: max(1, round(share * len(documents)))])
    digest = hashlib.sha256()
    for document in documents:
        digest.update(json.dumps([document.name, document.name in chosen, *document.texts]).encode())
    return Text(
        [document for document in documents if document.name not in chosen],
        [document for document in documents if document.name in chosen],
        counts,
        digest.hexdigest(),
    )


def _grouped(rows: Iterable[tuple[str, str]]) -> list[Document]:
    together: dict[str, list[str]] = {}
    for name, text in rows:
        together.setdefault(name, []).append(text)
    return [Document(name, tuple(texts)) for name, texts in together.items()]


_SHIPPED = {"en": ("qa_en", ("train.json", "test.json")), "ko": ("qa_ko", ("train.json",))}
"""Corpus and files by language. What a Korean BERT is fine-tuned and scored on, it has not read before."""


def _shipped(language: str) -> list[tuple[str, list[tuple[str, str]]]]:
    corpus, names = _SHIPPED[language]
    folder = tasks.corpus_folder(corpus)
    files = []
    for name in names:
        articles = json.loads((folder / name).read_text("utf-8"))["data"]
        pairs = [
            (article["title"], paragraph["context"]) for article in articles for paragraph in article["paragraphs"]
        ]
        files.append((f"{corpus}/{name}", pairs))
    return files


def _in_folder(settings: TextConfig, folder: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}; --data names the folder that holds the text.")
    files = list(dict.fromkeys(file for pattern in settings.files for file in sorted(folder.glob(pattern))))
    files = [file for file in files if file.is_file() and file.suffix in _ENDINGS]
    if not files:
        raise DataError(
            f"{folder} holds no text: none of {', '.join(settings.files)} is there. Name another folder with --data, "
            "or its files with --set 'text.files=[\"*.parquet\"]' (.parquet, .jsonl and .txt are read)."
        )
    return [(str(file.relative_to(folder)), _read(file, settings)) for file in files]


def _read(file: Path, settings: TextConfig) -> list[tuple[str, str]]:
    """Pairs of document and text; lines of a .txt file are rows of a table without a column of documents."""
    if file.suffix == ".txt":
        try:
            lines = file.read_text("utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise DataError(f"{file}: not UTF-8 (at byte {error.start}). Nothing was trained.") from None
        return _in_rows(lines, file, settings.rows)
    frame = read_frame(file)
    column = next((column for column in settings.columns if column in frame.columns), None)
    if column is None:
        raise DataError(
            f"{file}: there is no column {' or '.join(settings.columns)}; found "
            f"{', '.join(map(str, frame.columns)) or 'none'}. Name it with --set 'text.columns=[\"NAME\"]'."
        )
    rows = frame[frame[column].notna()]
    wrong = Counter(type(value).__name__ for value in rows[column] if not isinstance(value, str))
    if wrong:
        raise DataError(f"{file}: the column {column} holds {', '.join(wrong)}, not texts. Nothing was trained.")
    texts = rows[column].tolist()
    if settings.document not in rows:
        return _in_rows(texts, file, settings.rows)
    return list(zip(_names(rows[settings.document], texts), texts, strict=True))


def _in_rows(texts: list[str], file: Path, rows: int) -> list[tuple[str, str]]:
    """Documents of so many neighbouring texts; one that is a document of its own is named by itself."""
    if rows == 1:
        return [(text, text) for text in texts]
    return [(f"{file.name} {position // rows}", text) for position, text in enumerate(texts)]


def _names(named: pd.Series, texts: list[str]) -> list[str]:
    return [text if pd.isna(name) else str(name) for name, text in zip(named, texts, strict=True)]
