"""Where a task's data lie and how they are read: what ``[data]`` of a task file may say."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from db.registry.text_split import in_test

if TYPE_CHECKING:
    import pandas as pd

Role = Literal["train", "test"]
Patterns = tuple[str, ...]
"""Glob patterns that are tried in a folder, in order."""


class FrozenModel(BaseModel):
    """Base of everything in a task file."""

    # Files write lists; the models hold tuples, so that nothing of a task can change.
    model_config = ConfigDict(frozen=True, extra="forbid")


class Hub(FrozenModel):
    """A copy of the data on the Hugging Face hub: its id, its configuration and the names of its splits."""

    id: str
    config: str | None = None
    train: str
    test: str


class ExtraSplit(FrozenModel):
    """A split that is scored in addition to the test split, where its file is present.

    Attributes:
        name: Suffix of its metric, ``accuracy_NAME``.
        files: Its file patterns.
        hub: The split's name on the hub.
        size: Number of examples; a file with fewer is reported as a part.
    """

    name: str
    files: Patterns
    hub: str
    size: int


class Piece(FrozenModel):
    """A part of a split that is put together from several data sets.

    Attributes:
        folder: The data set's folder inside the one that the user names.
        files: Its file patterns.
        articles: Articles of a SQuAD file, from 0, that are taken; None for all. Written ``[first, end]``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    folder: str
    files: Patterns
    articles: Annotated[range | None, BeforeValidator(lambda ends: ends and range(*ends))] = None


class _Data(FrozenModel):
    """What all kinds of data have in common.

    Attributes:
        licence: SPDX name where there is one.
        corpus: Folder of the shipped mini corpus.
        hub: None where no loadable copy is known.
        files: File patterns of each split.
    """

    licence: str = ""
    corpus: str | None = None
    hub: Hub | None = None
    files: dict[Role, Patterns] = Field(default_factory=dict)


class ClassificationData(_Data):
    """Labelled texts, or pairs of texts.

    Attributes:
        texts: One text column, or two for pairs.
        labels: The task's; class numbers are positions in it. None: the label is a number (a regression).
        no_label: Values of the label column that mean that an example has none.
        leaves_out: Leave out and report a row without a label, with an empty text or with a repeated id. Otherwise such
            a row is refused, and an empty text is valid.
        renamed: Columns by the names that other editions of the data give them.
        unlabelled: File patterns of texts without labels, a transfer set for distillation.
        train_size: Examples of the whole training split, where parts of it are in circulation.
        test_fraction: Where ``files`` names training files alone: the part of their rows that is the test split, by a
            hash of the first text (``db.registry.text_split``).
        extra_splits: Scored in addition to the test split.
    """

    kind: Literal["classification"]
    texts: tuple[str] | tuple[str, str]
    labels: tuple[str, ...]
    no_label: tuple[str, ...] = ()
    leaves_out: bool = False
    renamed: dict[str, str] = Field(default_factory=dict)
    unlabelled: Patterns = ()
    train_size: int | None = None
    test_fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    extra_splits: tuple[ExtraSplit, ...] = ()

    @model_validator(mode="after")
    def _share_files(self) -> Self:
        if self.test_fraction is None:
            return self
        if "test" in self.files or self.hub:
            raise ValueError("test_fraction: the test split is taken from files.train; name neither files.test nor hub")
        self.files["test"] = self.files["train"]
        return self

    def rows_of(self, frame: "pd.DataFrame", role: str) -> "pd.DataFrame":
        """Take the rows of a file that belong to a split: all, unless a hash of the text decides.

        Args:
            frame: With the columns that ``renamed`` leads to; one without the texts comes back as it is.
            role: ``train`` or ``test``.
        """
        if self.test_fraction is None or self.texts[0] not in frame:
            return frame
        held = frame[self.texts[0]].fillna("").astype(str).map(partial(in_test, fraction=self.test_fraction))
        return frame[held == (role == "test")]

    @property
    def num_labels(self) -> int:
        """Number of classes; 1 for a number."""
        return len(self.labels) or 1


class QuestionData(_Data):
    """Questions whose answers are cut from texts.

    Attributes:
        pieces: In place of ``files``: everything that a split is put together from.
    """

    kind: Literal["questions"]
    pieces: dict[Role, tuple[Piece, ...]] = Field(default_factory=dict)


class TextData(_Data):
    """Running text, for masked language modelling; any folder of texts will do."""

    kind: Literal["text"]
