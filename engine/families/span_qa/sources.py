"""Where the questions of each task are, and by whose rules their answers are scored."""

from dataclasses import dataclass, field

from engine.base.errors import DataError


@dataclass(frozen=True)
class Piece:
    """A part of a split that is put together from several data sets.

    Attributes:
        folder: Of its data set, inside the one that the user names.
        files: Glob patterns that are tried there, in order.
        articles: Articles of a SQuAD file, from 0, that are taken; None: all.
    """

    folder: str
    files: tuple[str, ...]
    articles: range | None = None


@dataclass(frozen=True)
class QASource:
    """How a task's questions are stored.

    Attributes:
        files: Per role (train, test): the glob patterns that are tried in a folder, in order.
        corpus: The folder of the shipped mini corpus, or None.
        hub: (hub id, train split, test split), or None where no loadable copy is known.
        licence: Of the data, by its SPDX name where it has one.
        pieces: Per role, in place of ``files``: what the split is put together from, every piece of it.
    """

    files: dict[str, tuple[str, ...]]
    corpus: str | None
    hub: tuple[str, str, str] | None
    licence: str
    pieces: dict[str, tuple[Piece, ...]] = field(default_factory=dict)


_KORQUAD_DEV = ("KorQuAD_v1.0_dev.json",)

QA_SOURCES: dict[str, QASource] = {
    "squad": QASource(
        {
            "train": ("train*.parquet", "plain_text/train*.parquet", "train-v1.1.json"),
            "test": ("validation*.parquet", "plain_text/validation*.parquet", "dev-v1.1.json"),
        },
        None,
        ("rajpurkar/squad", "train", "validation"),
        "CC-BY-SA-4.0",
    ),
    "korquad": QASource(
        {
            "train": ("train*.parquet", "KorQuAD_v1.0_train.json"),
            "test": ("validation*.parquet", "KorQuAD_v1.0_dev.json"),
        },
        None,
        ("KorQuAD/squad_kor_v1", "train", "validation"),
        "CC-BY-ND-2.0-KR",
    ),
    "korquad-articles": QASource(
        {},
        None,
        None,
        "CC-BY-ND-2.0-KR, Apache-2.0",
        {
            "train": (
                Piece("korquad", _KORQUAD_DEV, range(112)),
                Piece("tydiqa_ko", ("train*.parquet", "tydiqa-goldp-v1.1-train.json")),
            ),
            "test": (Piece("korquad", _KORQUAD_DEV, range(112, 140)),),
        },
    ),
    "qa-en-mini": QASource({"train": ("train.json",), "test": ("test.json",)}, "qa_en", None, "Apache-2.0"),
    "qa-ko-mini": QASource({"train": ("train.json",), "test": ("test.json",)}, "qa_ko", None, "Apache-2.0"),
}


def of_task(task_id: str) -> QASource:
    """The source of a task.

    Raises:
        DataError: The task asks no questions over texts.
    """
    source = QA_SOURCES.get(task_id)
    if source is None:
        raise DataError(f"No questions are known for the task {task_id!r}; there are for {', '.join(QA_SOURCES)}.")
    return source
