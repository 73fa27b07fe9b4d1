"""Data: a shipped mini corpus, a folder in the official file formats or hub-layout Parquet, or the hub.

Every set comes out in one form, with a content hash that goes into the run. Bad rows are told with their number;
nothing is dropped in silence.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from db.registry import tasks
from engine.base.errors import DataError
from engine.data.files import Spoiled, numbered, read
from engine.data.sources import SOURCES, Further, Source
from engine.data.text_sets import Table, TextSet, as_set, make_set

__all__ = [
    "UNLABELLED",
    "Corpus",
    "TextSet",
    "load",
    "load_further",
    "load_unlabelled",
    "make_set",
    "read",
    "split_validation",
    "unseen",
]

UNLABELLED = -100
"""The label of an example that has none; torch's losses leave it out."""


Loaded = tuple[TextSet, tuple[str, ...]]
"""A split, and one sentence for each of its files of which rows are left out."""


@dataclass(frozen=True)
class Corpus:
    """Train and test of one task, and the hash of both.

    Attributes:
        task_id: Which.
        train: The training split.
        test: The split that is scored.
        remarks: One sentence for each file of which rows are left out.
    """

    task_id: str
    train: TextSet
    test: TextSet
    remarks: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """Hash of the whole corpus."""
        return hashlib.sha256(f"{self.train.sha256}/{self.test.sha256}".encode()).hexdigest()


def load(task_id: str, data: str | None, *, strict: bool = False) -> Corpus:
    """The corpus of a task.

    Args:
        task_id: A key of ``SOURCES``.
        data: None for the shipped mini corpus, ``hub``, or a folder.
        strict: Refuse a bad row where it would be left out and told.

    Raises:
        DataError: Nothing there, or a file that cannot be used; the message says where was looked and what to do.
    """
    source = SOURCES.get(task_id)
    if source is None:
        raise DataError(f"No loader for the task {task_id!r}; there is one for {', '.join(SOURCES)}.")
    if data == "hub":
        found = _from_hub(task_id, source, strict=strict)
    elif data is not None:
        found = _from_folder(Path(data).expanduser(), task_id, source, strict=strict)
    elif source.corpus is not None:
        folder = resources.files("engine") / "corpora" / source.corpus
        with resources.as_file(folder) as place:
            found = _from_folder(place, task_id, source, strict=strict)
    else:
        mini = [name for name in SOURCES if SOURCES[name].corpus]
        raise DataError(
            f"The data of {task_id} do not come with Featherboard. Name their folder with --data DIR (or --data hub), "
            f"or use a shipped mini corpus: {', '.join(mini)}."
        )
    shared = set(found.train.ids) & set(found.test.ids)
    if shared:
        raise DataError(f"{task_id}: {len(shared)} id(s) stand in train and in test, the first is {min(shared)!r}.")
    return found


def load_further(task_id: str, data: str | None, further: Further, *, strict: bool = False) -> Loaded | None:
    """A split that is scored beside the test split, and one sentence for each file of which rows are left out.

    Args:
        task_id: A key of ``SOURCES``.
        data: As for ``load``; no mini corpus has such a split.
        further: One of the source's.
        strict: As for ``load``.

    Returns:
        None where the folder does not hold it.

    Raises:
        DataError: It is there and cannot be used.
    """
    source = SOURCES[task_id]
    if data is None:
        return None
    if data == "hub":
        name, configuration, _, _ = _on_hub(task_id, source)
        table = _hub_table(_loaded(name, configuration), name, further.hub)
        return as_set([table], source, further.name, strict=strict)
    files = _find(Path(data).expanduser(), task_id, further.files)
    tables = [_table(file, source) for file in files]
    return as_set(tables, source, further.name, strict=strict) if files else None


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
    tables = [Table(read(file).assign(label=0), file.name) for file in files]
    found, _ = as_set(tables, source, "unlabelled", strict=False)
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


def _from_folder(folder: Path, task_id: str, source: Source, *, strict: bool) -> Corpus:
    train, about_train = _split(folder, task_id, source, "train", strict=strict)
    test, about_test = _split(folder, task_id, source, "test", strict=strict)
    return Corpus(task_id, train, test, about_train + about_test)


def _split(folder: Path, task_id: str, source: Source, role: str, *, strict: bool) -> Loaded:
    patterns = source.files[role]
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}; --data names the folder that holds {' or '.join(patterns)}.")
    files = _find(folder, task_id, patterns)
    if files:
        return as_set([_table(file, source) for file in files], source, role, strict=strict)
    raise DataError(f"{folder} holds none of {', '.join(patterns)}: the {role} split of {task_id} was not found.")


def _table(file: Path, source: Source) -> Table:
    spoiled: Spoiled = []
    frame = read(file, spoiled if source.leaves_out else None)
    return Table(frame, file.name, tuple(spoiled))


def _find(folder: Path, task_id: str, patterns: Sequence[str]) -> list[Path]:
    """The files of the first pattern that finds any, in the folder or in one named like the data set inside it."""
    for place in (folder, folder / tasks.by_id(task_id).dataset):
        for pattern in patterns:
            files = sorted(place.glob(pattern))
            if files:
                return files
    return []


def _from_hub(task_id: str, source: Source, *, strict: bool) -> Corpus:
    name, configuration, train, test = _on_hub(task_id, source)
    loaded = _loaded(name, configuration)
    learned, about_train = as_set([_hub_table(loaded, name, train)], source, "train", strict=strict)
    scored, about_test = as_set([_hub_table(loaded, name, test)], source, "test", strict=strict)
    return Corpus(task_id, learned, scored, about_train + about_test)


def _on_hub(task_id: str, source: Source) -> tuple[str, str | None, str, str]:
    if source.hub is None:
        raise DataError(
            f"No loadable hub copy of {task_id} is known. Download its files and name their folder with --data."
        )
    return source.hub


def _loaded(name: str, configuration: str | None) -> Any:
    from datasets import load_dataset  # noqa: PLC0415 - seconds to import, needed for the hub only

    try:
        return load_dataset(name, configuration)
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise DataError(
            f"{name} could not be loaded from the hub ({reason}). Offline? Name a folder with --data."
        ) from error


def _hub_table(loaded: Any, name: str, split: str) -> Table:
    return Table(numbered(loaded[split].to_pandas()), f"{name} {split}")
