"""Where the questions of each task are, and by whose rules their answers are scored."""

from dataclasses import dataclass

from engine.errors import DataError


@dataclass(frozen=True)
class QASource:
    """How a task's questions are stored.

    Attributes:
        files: Per role (train, test): the glob patterns that are tried in a folder, in order.
        corpus: The folder of the shipped mini corpus, or None.
        hub: (hub id, train split, test split), or None where no loadable copy is known.
        licence: Of the data, by its SPDX name where it has one.
    """

    files: dict[str, tuple[str, ...]]
    corpus: str | None
    hub: tuple[str, str, str] | None
    licence: str


QA_SOURCES: dict[str, QASource] = {
    "squad": QASource(
        {"train": ("train*.parquet", "plain_text/train*.parquet", "train-v1.1.json"),
         "test": ("validation*.parquet", "plain_text/validation*.parquet", "dev-v1.1.json")},
        None, ("rajpurkar/squad", "train", "validation"), "CC-BY-SA-4.0"),
    "korquad": QASource(
        {"train": ("train*.parquet", "KorQuAD_v1.0_train.json"),
         "test": ("validation*.parquet", "KorQuAD_v1.0_dev.json")},
        None, ("KorQuAD/squad_kor_v1", "train", "validation"), "CC-BY-ND-2.0-KR"),
    "qa-en-mini": QASource({"train": ("train.json",), "test": ("test.json",)}, "qa_en", None, "Apache-2.0"),
    "qa-ko-mini": QASource({"train": ("train.json",), "test": ("test.json",)}, "qa_ko", None, "Apache-2.0"),
}  # fmt: skip


def of_task(task_id: str) -> QASource:
    """The source of a task.

    Raises:
        DataError: The task asks no questions over texts.
    """
    source = QA_SOURCES.get(task_id)
    if source is None:
        raise DataError(f"No questions are known for the task {task_id!r}; there are for {', '.join(QA_SOURCES)}.")
    return source
