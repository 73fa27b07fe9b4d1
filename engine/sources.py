"""Where the data of each task are, in which columns and files, and under which licence."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """How a task's data are stored.

    Attributes:
        texts: One text column, or two for pairs.
        files: Per role (train, test): the glob patterns that are tried in a folder, in order.
        corpus: The folder of the shipped mini corpus, or None.
        hub: (hub id, configuration, train split, test split), or None where no loadable copy is known.
        num_labels: Labels are 0 .. num_labels - 1.
        licence: Of the data, by its SPDX name where it has one.
        unlabelled: The glob patterns of further texts without labels, a transfer set for distillation.
    """

    texts: tuple[str, ...]
    files: dict[str, tuple[str, ...]]
    corpus: str | None
    hub: tuple[str, str | None, str, str] | None
    num_labels: int
    licence: str
    unlabelled: tuple[str, ...] = ()


SOURCES: dict[str, Source] = {
    "nsmc": Source(
        ("document",),
        {"train": ("train*.parquet", "data/train*.parquet", "ratings_train.txt"),
         "test": ("test*.parquet", "data/test*.parquet", "ratings_test.txt")},
        None, None, 2, "CC0-1.0", ("unlabelled*.parquet", "data/unlabelled*.parquet")),
    "mnli": Source(
        ("premise", "hypothesis"),
        {"train": ("train*.parquet", "data/train*.parquet", "mnli/train*.parquet"),
         "test": ("validation_matched*.parquet", "data/validation_matched*.parquet",
                  "mnli/validation_matched*.parquet")},
        None, ("nyu-mll/glue", "mnli", "train", "validation_matched"), 3, "OANC and CC-BY-3.0, see the MultiNLI card"),
    "reviews-ko-mini": Source(
        ("document",), {"train": ("train.jsonl",), "test": ("test.jsonl",)}, "reviews_ko", None, 2, "Apache-2.0"),
    "nli-en-mini": Source(
        ("premise", "hypothesis"), {"train": ("train.jsonl",), "test": ("test.jsonl",)}, "nli_en", None, 3,
        "Apache-2.0"),
}  # fmt: skip
