"""Data: a shipped mini corpus, a folder in the official file formats or hub-layout Parquet, or the hub.

Every set comes out in one form, with a content hash that goes into the run. Bad rows are told with their number;
nothing is dropped in silence.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db import tasks
from engine.errors import DataError
from engine.sources import SOURCES, Source

UNLABELLED = -100
"""The label of an example that has none; torch's losses leave it out."""


@dataclass(frozen=True)
class TextSet:
    """Labelled texts.

    Attributes:
        ids: Example ids, unique.
        texts: One tuple per example, of one text or two.
        labels: Shape (examples,), integers.
        sha256: Hash over ids, texts and labels, in order.
    """

    ids: list[str]
    texts: list[tuple[str, ...]]
    labels: NDArray[np.int64]
    sha256: str

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, index: NDArray[np.int64]) -> "TextSet":
        """A part, in the order of ``index``."""
        return make_set([self.ids[i] for i in index], [self.texts[i] for i in index], self.labels[index])


@dataclass(frozen=True)
class Corpus:
    """Train and test of one task, and the hash of both."""

    task_id: str
    train: TextSet
    test: TextSet

    @property
    def sha256(self) -> str:
        """Hash of the whole corpus."""
        return hashlib.sha256(f"{self.train.sha256}/{self.test.sha256}".encode()).hexdigest()


def make_set(ids: Sequence[str], texts: Sequence[tuple[str, ...]], labels: NDArray[np.int64]) -> TextSet:
    """Labelled texts with their hash."""
    digest = hashlib.sha256()
    for example_id, text, label in zip(ids, texts, labels.tolist(), strict=True):
        digest.update(json.dumps([example_id, *text, label], ensure_ascii=False).encode())
    return TextSet(list(ids), list(texts), labels, digest.hexdigest())


def load(task_id: str, data: str | None) -> Corpus:
    """The corpus of a task.

    Args:
        task_id: A key of ``SOURCES``.
        data: None for the shipped mini corpus, ``hub``, or a folder.

    Raises:
        DataError: Nothing there, or a file that cannot be used; the message says where was looked and what to do.
    """
    source = SOURCES.get(task_id)
    if source is None:
        raise DataError(f"No loader for the task {task_id!r}; there is one for {', '.join(SOURCES)}.")
    if data == "hub":
        train, test = _from_hub(task_id, source)
    elif data is not None:
        train, test = (_from_folder(Path(data).expanduser(), task_id, source, role) for role in ("train", "test"))
    elif source.corpus is not None:
        folder = resources.files("engine") / "corpora" / source.corpus
        with resources.as_file(folder) as place:
            train, test = (_from_folder(place, task_id, source, role) for role in ("train", "test"))
    else:
        mini = [name for name in SOURCES if SOURCES[name].corpus]
        raise DataError(
            f"The data of {task_id} do not come with Featherboard. Name their folder with --data DIR (or --data hub), "
            f"or use a shipped mini corpus: {', '.join(mini)}."
        )
    shared = set(train.ids) & set(test.ids)
    if shared:
        raise DataError(f"{task_id}: {len(shared)} id(s) stand in train and in test, the first is {min(shared)!r}.")
    return Corpus(task_id, train, test)


def load_unlabelled(task_id: str, folder: str, corpus: Corpus) -> TextSet:
    """Further texts of a task without labels; a text that occurs in the labelled corpus is left out.

    Returns:
        The texts, each with the label ``UNLABELLED``.

    Raises:
        DataError: There are none, or they cannot be used.
    """
    source = SOURCES[task_id]
    told = (
        "Get one, or go without: --set pretrain.unlabelled=false --set distill.unlabelled=false --set "
        "distill.teacher=char-ngrams (the figures will differ)."
    )
    if folder == "hub" or not source.unlabelled:
        raise DataError(f"distill.unlabelled: no further texts of {task_id} are known on the hub. {told}")
    files = _find(Path(folder).expanduser(), task_id, source.unlabelled)
    if not files:
        raise DataError(f"distill.unlabelled: {folder} holds no {' or '.join(source.unlabelled)}. {told}")
    frame = pd.concat([read(file) for file in files], ignore_index=True)
    found = _as_set(frame.assign(label=0), source, "unlabelled", ", ".join(file.name for file in files))
    known = {*corpus.train.texts, *corpus.test.texts}
    fresh = [position for position, text in enumerate(found.texts) if text not in known]
    if not fresh:
        raise DataError(f"distill.unlabelled: {folder}: all {len(found)} texts stand in the labelled corpus. {told}")
    return make_set(
        [found.ids[i] for i in fresh], [found.texts[i] for i in fresh], np.full(len(fresh), UNLABELLED, dtype=np.int64)
    )


def split_validation(train: TextSet, fraction: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the kept and of the held-out part of a training split.

    Examples with the same first text (equal reviews, or the hypotheses of one premise) go to the same side, so that the
    held-out part measures unseen text. The same seed gives the same parts.

    Returns:
        Two sorted index arrays that together hold every example once.
    """
    firsts = [text[0] for text in train.texts]
    distinct = dict.fromkeys(firsts)
    order = np.random.default_rng(seed).permutation(len(distinct))
    held = set(order[: max(1, round(fraction * len(distinct)))].tolist())
    position = {text: place for place, text in enumerate(distinct)}
    inside = np.array([position[text] in held for text in firsts])
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def unseen(train: TextSet, test: TextSet) -> NDArray[np.bool_]:
    """Which test examples have a text that does not occur in train; shape (test examples,)."""
    known = set(train.texts)
    return np.array([text not in known for text in test.texts], dtype=bool)


def _from_folder(folder: Path, task_id: str, source: Source, role: str) -> TextSet:
    patterns = source.files[role]
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}; --data names the folder that holds {' or '.join(patterns)}.")
    files = _find(folder, task_id, patterns)
    if files:
        frame = pd.concat([read(file) for file in files], ignore_index=True)
        return _as_set(frame, source, role, ", ".join(file.name for file in files))
    raise DataError(f"{folder} holds none of {', '.join(patterns)}: the {role} split of {task_id} was not found.")


def _find(folder: Path, task_id: str, patterns: Sequence[str]) -> list[Path]:
    """The files of the first pattern that finds any, in the folder or in one named like the data set inside it."""
    for place in (folder, folder / tasks.by_id(task_id).dataset):
        for pattern in patterns:
            files = sorted(place.glob(pattern))
            if files:
                return files
    return []


def read(file: Path) -> pd.DataFrame:
    """A table of Parquet, JSONL, or the official NSMC text files.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return _READERS[file.suffix](file)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(f"{file}: cannot be read ({reason}). Is it cut off, or another format?") from error


def _read_nsmc_tsv(file: Path) -> pd.DataFrame:
    # Documents hold lone quotation marks and empty strings; both are content, not syntax.
    return pd.read_csv(file, sep="\t", quoting=3, keep_default_na=False, dtype={"id": str, "document": str})


def _read_jsonl(file: Path) -> pd.DataFrame:
    rows = []
    # Not splitlines(): a text may hold other separators, such as U+2028, which JSON does not escape.
    for number, line in enumerate(file.read_text("utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"row {number}: {error.msg} at character {error.pos + 1}") from None
        if not isinstance(row, dict):
            raise ValueError(f"row {number} is not a JSON object")  # noqa: TRY004 - told as an unreadable file
        rows.append(row)
    return pd.DataFrame(rows)


_READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".parquet": pd.read_parquet,
    ".txt": _read_nsmc_tsv,
    ".jsonl": _read_jsonl,
}


def _as_set(frame: pd.DataFrame, source: Source, role: str, where: str) -> TextSet:
    if frame.empty:
        raise DataError(f"{where}: holds no rows.")
    needed = [*source.texts, "label"]
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        raise DataError(
            f"{where}: the column(s) {', '.join(missing)} are missing; found {', '.join(map(str, frame.columns))}."
        )
    labels = pd.to_numeric(frame["label"], errors="coerce")
    wrong = ~labels.isin(range(source.num_labels))
    if wrong.any():
        row = int(np.flatnonzero(wrong.to_numpy())[0])
        raise DataError(
            f"{where}: {int(wrong.sum())} label(s) are not in 0..{source.num_labels - 1}; the first is row {row + 1}, "
            f"{frame['label'].iloc[row]!r}. Nothing was trained."
        )
    texts = [tuple("" if pd.isna(text) else str(text) for text in row)
             for row in frame[list(source.texts)].itertuples(index=False)]  # fmt: skip
    if "id" in frame.columns:
        ids = [str(value) for value in frame["id"]]
    else:  # hub ids, and positions, count from 0 in every split
        ids = [f"{role}-{value}" for value in (frame["idx"] if "idx" in frame.columns else range(len(frame)))]
    repeated = pd.Series(ids).duplicated().to_numpy()
    if repeated.any():
        row = int(np.flatnonzero(repeated)[0])
        raise DataError(
            f"{where}: {int(repeated.sum())} row(s) repeat an id; the first is row {row + 1}, {ids[row]!r}. "
            "Predictions could not be told apart."
        )
    return make_set(ids, texts, labels.to_numpy(dtype=np.int64))


def _from_hub(task_id: str, source: Source) -> tuple[TextSet, TextSet]:
    if source.hub is None:
        raise DataError(
            f"No loadable hub copy of {task_id} is known. Download its files and name their folder with --data."
        )
    from datasets import load_dataset  # noqa: PLC0415 - seconds to import, needed for the hub only

    name, configuration, train, test = source.hub
    try:
        loaded = load_dataset(name, configuration)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(
            f"{name} could not be loaded from the hub ({reason}). Offline? Name a folder with --data."
        ) from error
    sets = []
    for role, split in (("train", train), ("test", test)):
        sets.append(_as_set(loaded[split].to_pandas(), source, role, f"{name} {split}"))
    return sets[0], sets[1]
