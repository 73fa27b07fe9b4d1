"""Corpora of the classification tasks: shipped mini corpora, folders in the official file formats, or the hub.

Every set comes out in one form, with a content hash that goes into the run. Bad rows are reported by number; nothing is
dropped silently.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from db.base.errors import one_line
from db.base.table_files import UnreadableRows, numbered, read_frame
from db.registry import tasks
from db.registry.task_data import ClassificationData, ExtraSplit, Hub, Role
from engine.base.errors import DataError
from engine.data import held_out as by_text
from engine.data.sources import SOURCES
from engine.data.text_sets import FileRows, TextSet, as_set, make_set
from engine.recipes.schema import TrainConfig

UNLABELLED = -100
"""The label of an example that has none; torch's losses leave it out."""


Loaded = tuple[TextSet, tuple[str, ...]]
"""A split, and one sentence for each of its files of which rows are left out."""


@dataclass(frozen=True)
class Corpus:
    """Train and test of one task.

    Attributes:
        task_id: Which.
        train: The training split.
        test: The split that is scored.
        remarks: One sentence for each file of which rows are left out.
        own: How many of the training examples, the first ones, are the task's own; None: all.
    """

    task_id: str
    train: TextSet
    test: TextSet
    remarks: tuple[str, ...] = ()
    own: int | None = None

    @property
    def sha256(self) -> str:
        """Hash of the whole corpus."""
        return hashlib.sha256(f"{self.train.sha256}/{self.test.sha256}".encode()).hexdigest()


def load(task_id: str, data: str | None, *, strict: bool = False, train_required: bool = True) -> Corpus:
    """Load the corpus of a task.

    Args:
        task_id: A key of ``SOURCES``.
        data: None for the shipped mini corpus, ``hub``, or a folder.
        strict: Refuse a bad row where it would be left out and reported.
        train_required: Without it the training split is empty where a folder holds none, for evaluation alone.

    Raises:
        DataError: Missing, or a file that cannot be used; the message says which folder was searched and what to do.
    """
    source = SOURCES.get(task_id)
    if source is None:
        raise DataError(f"No loader for the task {task_id!r}; there is one for {', '.join(SOURCES)}.")
    if data is None and source.corpus is None:
        mini = [name for name in SOURCES if SOURCES[name].corpus]
        raise DataError(
            f"The data of {task_id} do not come with Featherboard. Name their folder with --data DIR (or --data hub), "
            f"or use a shipped mini corpus: {', '.join(mini)}."
        )
    if data == "hub":
        hub = _hub(task_id, source)
        loaded = _from_hub(hub)
        parts = [as_set([_hub_rows(loaded, hub, getattr(hub, r))], source, r, strict=strict) for r in ("train", "test")]
    else:
        folder = tasks.corpus_folder(source.corpus or "") if data is None else Path(data).expanduser()
        parts = [
            _split(folder, task_id, source, role, strict=strict, required=train_required or role == "test")
            for role in ("train", "test")
        ]
    (train, train_remarks), (test, test_remarks) = parts
    shared = set(train.ids) & set(test.ids)
    if shared:
        raise DataError(f"{task_id}: {len(shared)} id(s) are in both train and test, the first is {min(shared)!r}.")
    return Corpus(task_id, train, test, train_remarks + test_remarks)


def load_extra_split(task_id: str, data: str | None, extra: ExtraSplit, *, strict: bool = False) -> Loaded | None:
    """Load a split that is scored in addition to the test split.

    Args:
        task_id: A key of ``SOURCES``.
        data: As for ``load``; no mini corpus has such a split.
        extra: One of the source's.
        strict: As for ``load``.

    Returns:
        The split, and one sentence for each file of which rows are left out; None where the folder does not hold it.

    Raises:
        DataError: It is present and cannot be used.
    """
    source = SOURCES[task_id]
    if data is None:
        return None
    if data == "hub":
        hub = _hub(task_id, source)
        return as_set([_hub_rows(_from_hub(hub), hub, extra.hub)], source, extra.name, strict=strict)
    files = _find(Path(data).expanduser(), task_id, extra.files)
    return as_set([_file_rows(file, source) for file in files], source, extra.name, strict=strict) if files else None


def load_unlabelled(task_id: str, data: str | None, corpus: Corpus) -> TextSet:
    """Load texts of a task without labels; a text that occurs in the labelled corpus is left out.

    Returns:
        The texts, each with the label ``UNLABELLED``.

    Raises:
        DataError: There are none, or they cannot be used.
    """
    source = SOURCES[task_id]
    advice = (
        "Get one, or go without: --set pretrain.unlabelled=false --set distill.unlabelled=false --set "
        "distill.teacher=char-ngrams (the figures will differ)."
    )
    if data == "hub" or not source.unlabelled:
        raise DataError(f"distill.unlabelled: no unlabelled texts of {task_id} are known on the hub. {advice}")
    folder = tasks.corpus_folder(source.corpus or "") if data is None else Path(data).expanduser()
    files = _find(folder, task_id, source.unlabelled)
    if not files:
        raise DataError(f"distill.unlabelled: {folder} holds no {' or '.join(source.unlabelled)}. {advice}")
    rows = [FileRows(read_frame(file).assign(label=0), file.name) for file in files]
    texts, _ = as_set(rows, source, "unlabelled", strict=False)
    fresh = without_labels(texts, corpus)
    if not len(fresh):
        raise DataError(f"distill.unlabelled: {folder}: all {len(texts)} texts are in the labelled corpus. {advice}")
    return fresh


def without_labels(texts: TextSet, corpus: Corpus) -> TextSet:
    """Texts that do not occur in the labelled corpus, each with the label ``UNLABELLED``."""
    known = {*corpus.train.texts, *corpus.test.texts}
    fresh = [index for index, text in enumerate(texts.texts) if text not in known]
    return make_set(
        [texts.ids[i] for i in fresh], [texts.texts[i] for i in fresh], np.full(len(fresh), UNLABELLED, dtype=np.int64)
    )


def held_out(
    train: TextSet, settings: TrainConfig, seed: int, own: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split a training set as a recipe says; see ``split_validation`` for the parts.

    The first text of a pair decides for the pair, so that no premise is on both sides.

    Args:
        train: The training set.
        settings: Of the recipe.
        seed: Of the run.
        own: How many examples, the first ones, are the task's own. Of those that were added the ones that are held out
            are then in neither part: all mixtures are chosen on the same examples.
    """
    if settings.held_out == "seed":
        return split_validation(train, settings.validation_fraction, seed)
    held = by_text.mask([text[0] for text in train.texts], settings.validation_fraction)
    return np.flatnonzero(~held), np.flatnonzero(held[:own])


def without_held_out(unlabelled: TextSet, train: TextSet, held: NDArray[np.int64]) -> TextSet:
    """Leave out of unlabelled texts those that are held out of the training split, as they are compared there."""
    known = {by_text.normal(train.texts[i][0]) for i in held}
    fresh = np.flatnonzero([by_text.normal(text[0]) not in known for text in unlabelled.texts])
    return unlabelled if len(fresh) == len(unlabelled) else unlabelled.take(fresh)


def split_validation(train: TextSet, fraction: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split a training set by a seed into indices to learn from and held-out indices.

    Examples with the same first text (equal reviews, or the hypotheses of one premise) go to the same side, so that the
    held-out part measures unseen text. The same seed gives the same parts.

    Returns:
        Two sorted index arrays that together hold every example once.
    """
    firsts = [text[0] for text in train.texts]
    position = {text: index for index, text in enumerate(dict.fromkeys(firsts))}
    order = np.random.default_rng(seed).permutation(len(position))
    held = set(order[: max(1, round(fraction * len(position)))].tolist())
    inside = np.array([position[text] in held for text in firsts])
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def unseen(train: TextSet, test: TextSet) -> NDArray[np.bool_]:
    """Which test examples have a text that does not occur in train; shape (test examples,)."""
    known = set(train.texts)
    return np.array([text not in known for text in test.texts], dtype=bool)


def _split(
    folder: Path, task_id: str, source: ClassificationData, role: Role, *, strict: bool, required: bool
) -> Loaded:
    patterns = source.files.get(role, ())
    if required and not patterns:
        raise DataError(f"The task {task_id} has no training split; `featherboard evaluate MODEL --task {task_id}`.")
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}; --data names the folder that holds {' or '.join(patterns)}.")
    files = _find(folder, task_id, patterns)
    if not files and not required:
        return make_set([], [], np.empty(0, dtype=np.int64)), ()
    if not files:
        raise DataError(f"{folder} holds none of {', '.join(patterns)}: the {role} split of {task_id} was not found.")
    return as_set([_file_rows(file, source, role) for file in files], source, role, strict=strict)


def _file_rows(file: Path, source: ClassificationData, role: Role | None = None) -> FileRows:
    unreadable: UnreadableRows = []
    frame = read_frame(file, unreadable if source.leaves_out else None)
    if role is not None:
        frame = source.rows_of(frame.rename(columns=source.renamed), role)
    return FileRows(frame, file.name, tuple(unreadable))


def _find(folder: Path, task_id: str, patterns: Sequence[str]) -> list[Path]:
    """The files of the first pattern that matches any, in the folder or in one named like the data set inside it."""
    matches = (
        sorted(path.glob(pattern)) for path in (folder, folder / tasks.by_id(task_id).dataset) for pattern in patterns
    )
    return next(filter(None, matches), [])


def _hub(task_id: str, source: ClassificationData) -> Hub:
    if source.hub is None:
        raise DataError(
            f"No loadable hub copy of {task_id} is known. Download its files and name their folder with --data."
        )
    return source.hub


def _from_hub(hub: Hub) -> Any:
    from datasets import load_dataset  # noqa: PLC0415 - seconds to import, needed for the hub only

    try:
        return load_dataset(hub.id, hub.config)
    except Exception as error:
        raise DataError(
            f"{hub.id} could not be loaded from the hub ({one_line(error)}). Offline? Name a folder with --data."
        ) from error


def _hub_rows(loaded: Any, hub: Hub, split: str) -> FileRows:
    return FileRows(numbered(loaded[split].to_pandas()), f"{hub.id} {split}")
