"""Where the data of each task are, in which columns and files, and under which licence."""

from dataclasses import dataclass, field

from db.registry.tasks import INFERENCE


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
        leaves_out: A row without a label, with an empty text or with the id of another is left out and told; otherwise
            it is refused, and an empty text is one like any other.
        renamed: Columns that other editions of the data call differently.
        named: Labels that other editions write as words.
        train_size: Examples of the whole training split, where smaller parts of it go round.
        further: Splits that are scored beside the test split.
    """

    texts: tuple[str, ...]
    files: dict[str, tuple[str, ...]]
    corpus: str | None
    hub: tuple[str, str | None, str, str] | None
    num_labels: int
    licence: str
    unlabelled: tuple[str, ...] = ()
    leaves_out: bool = False
    renamed: dict[str, str] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    train_size: int | None = None
    further: tuple["Further", ...] = ()


@dataclass(frozen=True)
class Further:
    """A split that is scored beside the test split, where its file is there.

    Attributes:
        name: As it ends the name of its metric, ``accuracy_NAME``.
        files: The glob patterns that are tried in a folder, in order.
        hub: The split's name on the hub.
        size: Its examples; a file with fewer is told as a part.
    """

    name: str
    files: tuple[str, ...]
    hub: str
    size: int


# As the files of New York University write MultiNLI; "-" is a pair on which the annotators did not agree.
_NYU_COLUMNS = {"gold_label": "label", "sentence1": "premise", "sentence2": "hypothesis", "pairID": "id"}
_NYU_LABELS = {**{name: number for number, name in enumerate(INFERENCE)}, "-": -1}

SOURCES: dict[str, Source] = {
    "nsmc": Source(
        ("document",),
        {
            "train": ("train*.parquet", "data/train*.parquet", "ratings_train.txt"),
            "test": ("test*.parquet", "data/test*.parquet", "ratings_test.txt"),
        },
        None,
        None,
        2,
        "CC0-1.0",
        ("unlabelled*.parquet", "data/unlabelled*.parquet"),
    ),
    "mnli": Source(
        ("premise", "hypothesis"),
        {
            "train": (
                "train*.parquet",
                "data/train*.parquet",
                "mnli/train*.parquet",
                "multinli_1.0_train.jsonl",
                "train*.jsonl",
            ),
            "test": (
                "validation_matched*.parquet",
                "data/validation_matched*.parquet",
                "mnli/validation_matched*.parquet",
                "multinli_1.0_dev_matched.jsonl",
                "validation_matched*.jsonl",
            ),
        },
        None,
        ("nyu-mll/glue", "mnli", "train", "validation_matched"),
        3,
        "OANC and CC-BY-3.0, see the MultiNLI card",
        leaves_out=True,
        renamed=_NYU_COLUMNS,
        named=_NYU_LABELS,
        train_size=392_702,
        further=(
            Further(
                "mismatched",
                (
                    "validation_mismatched*.parquet",
                    "data/validation_mismatched*.parquet",
                    "mnli/validation_mismatched*.parquet",
                    "multinli_1.0_dev_mismatched.jsonl",
                    "validation_mismatched*.jsonl",
                ),
                "validation_mismatched",
                9_832,
            ),
        ),
    ),
    "reviews-ko-mini": Source(
        ("document",), {"train": ("train.jsonl",), "test": ("test.jsonl",)}, "reviews_ko", None, 2, "Apache-2.0"
    ),
    "nli-en-mini": Source(
        ("premise", "hypothesis"),
        {"train": ("train.jsonl",), "test": ("test.jsonl",)},
        "nli_en",
        None,
        3,
        "Apache-2.0",
        leaves_out=True,
    ),
}
