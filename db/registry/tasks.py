"""The tasks: question, scoring, metric and data of each, from one TOML file a task in the folder ``tasks``.

More tasks lie in the user's folder, ``user_folder()``; their data may lie in its folder ``corpora``.
"""

import logging
import os
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from db.base.errors import TaskFileError
from db.base.paths import default_database
from db.registry import metrics
from db.registry.metrics import METRICS, Direction, Metric, Unit
from db.registry.task_data import ClassificationData, FrozenModel, QuestionData, TextData

Area = Literal["sentiment", "inference", "topics", "questions", "language", "speed", "other"]
AREAS: tuple[Area, ...] = ("sentiment", "inference", "topics", "questions", "language", "speed", "other")
"""Groups of tasks, in the order in which the leaderboard offers them."""

SENTIMENT = ("negative", "positive")
INFERENCE = ("entailment", "neutral", "contradiction")


class Words(FrozenModel):
    """A task's texts for readers; ``labels`` are the names of its classes, empty where they stay as they are."""

    name: str
    question: str
    scoring: str
    labels: tuple[str, ...] = ()


class OwnMetric(FrozenModel):
    """A metric that no other task has: a named number with its unit and direction.

    Attributes:
        name: Letters, digits and underscores.
        label: What a reader sees.
        unit: As of ``db.registry.metrics.Metric``; ``percent`` values are fractions of 1.
        direction: Whether ``max`` or ``min`` is best.
        help: One sentence.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    label: str
    unit: Unit = "plain"
    direction: Direction = "max"
    help: str = ""


class Task(FrozenModel):
    """One board.

    Attributes:
        task_id: Short name, in URLs and on the command line; the file's name.
        version: Rises when scoring or split change, so that old rows are not compared with new ones.
        position: Orders the tasks; gaps leave space for further ones.
        area: The group of boards that it belongs to.
        name: Label of the board.
        language: ISO 639-1 code.
        question: The question that the task asks, in one line.
        scoring: How answers are scored, in one line.
        metric: The primary metric, a key of ``db.registry.metrics.METRICS``.
        direction: Whether ``max`` or ``min`` of the metric is best.
        metrics: Metrics of its own, besides those that are known.
        dataset: The data set's name, and that of its folder inside the one that the user names.
        aliases: Other names of the data set, in small letters with underscores.
        split: The split that is scored.
        split_size: Number of its examples; None where there is no single split.
        gold_digest: Digest of the split's ids and gold labels (``db.runs.gold_labels``), made by ``featherboard db
            digest``; None where the official file was not to be had.
        mini: Scored on a shipped mini corpus; never ranked beside a full data set.
        labels: Names of the classes 0, 1, ...
        korean: Name, question, scoring and, where they are translated, labels in Korean.
        data: Where the data lie; None where nothing is trained or scored here.
    """

    task_id: str = Field(alias="id")
    version: int
    position: int
    area: Area
    name: str
    language: str
    question: str
    scoring: str
    metric: str
    direction: Direction
    metrics: tuple[OwnMetric, ...] = ()
    dataset: str
    aliases: tuple[str, ...] = ()
    split: str
    split_size: int | None = None
    gold_digest: str | None = None
    mini: bool = False
    labels: tuple[str, ...] = ()
    korean: Words
    data: Annotated[ClassificationData | QuestionData | TextData, Field(discriminator="kind")] | None = None

    def __hash__(self) -> int:
        return hash((self.task_id, self.version))

    @property
    def regression(self) -> bool:
        """Whether texts get a number, and no class."""
        return isinstance(self.data, ClassificationData) and not self.labels

    @property
    def classifies_texts(self) -> bool:
        """Whether single texts get one of its labels."""
        return isinstance(self.data, ClassificationData) and bool(self.labels) and len(self.data.texts) == 1

    @model_validator(mode="before")
    @classmethod
    def _share_labels(cls, values: Any) -> Any:
        data = values.get("data")
        if isinstance(data, dict) and data.get("kind") == "classification":
            return {**values, "data": {"labels": values.get("labels", ()), **data}}
        return values

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.metric not in {*METRICS, *(metric.name for metric in self.metrics)}:
            raise ValueError(f"metric {self.metric!r} is not known; describe it under [[metrics]]")
        if self.data and self.data.kind == "classification":
            numbers = self.metric in metrics.CORRELATIONS
            if not numbers and len(self.labels) < 2:
                raise ValueError("labels: a classification task needs at least two")
            if numbers and self.labels:
                raise ValueError(f"labels: {self.metric} compares numbers, which have no classes; leave them out")
        if self.korean.labels and len(self.korean.labels) != len(self.labels):
            raise ValueError(f"korean.labels: {len(self.korean.labels)} names for {len(self.labels)} labels")
        return self


def load(folders: Sequence[Path]) -> tuple[Task, ...]:
    """Read every task file of some folders, ordered by position.

    Raises:
        TaskFileError: A file is not TOML, has a wrong or unknown key, or repeats a task; names the file and the key.
    """
    tasks: dict[str, Task] = {}
    for file in (file for folder in folders for file in sorted(folder.glob("*.toml"))):
        task = read(file)
        if task.task_id in tasks:
            raise TaskFileError(f"{file}: id: {task.task_id!r} is the name of another task.")
        tasks[task.task_id] = task
        for metric in task.metrics:
            try:
                metrics.register(Metric(**metric.model_dump()))
            except ValueError as error:
                raise TaskFileError(f"{file}: metrics: {error}.") from None
    return tuple(sorted(tasks.values(), key=lambda task: task.position))


def read(file: Path) -> Task:
    """Read one task file.

    Raises:
        TaskFileError: It is not TOML, has a wrong or unknown key, or another name than its task.
    """
    try:
        task = Task.model_validate(tomllib.loads(file.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"]) or "the file"
        raise TaskFileError(f"{file}: {key}: {first['msg']}.") from None
    except (OSError, ValueError) as error:
        raise TaskFileError(f"{file}: cannot be read ({error}).") from None
    if task.task_id != file.stem:
        raise TaskFileError(f"{file}: id: {task.task_id!r} must be the file's name.")
    return task


def user_folder() -> Path:
    """The folder of tasks that were added here: ``FEATHERBOARD_TASKS``, else ``tasks`` beside the database."""
    named = os.environ.get("FEATHERBOARD_TASKS", "").strip()
    return Path(named).expanduser() if named else default_database().parent / "tasks"


def _folders() -> list[Path]:
    """The package's folder of task files, and the user's."""
    return [Path(__file__).with_suffix(""), user_folder()]


def _all() -> tuple[Task, ...]:
    try:
        return load(_folders())
    except TaskFileError as error:  # of the user's own folder; without it nothing else could be looked at or corrected
        logging.getLogger("featherboard").error("%s Only the tasks of the package are used.", error)
        return load(_folders()[:1])


TASKS = _all()


def by_id(task_id: str) -> Task:
    """The current version of a task.

    Raises:
        KeyError: No such task.
    """
    for task in TASKS:
        if task.task_id == task_id:
            return task
    raise KeyError(f"unknown task {task_id!r}; known: {', '.join(task_ids())}")


def by_name(name: str) -> Task | None:
    """The task that a name means in any spelling, such as ``NSMC``, ``KorQuAD 1.0`` or ``nyu-mll/multi_nli``."""
    key = _normal(name[:100].rpartition("/")[2])
    return next((task for task in TASKS if key in (_normal(task.task_id), *task.aliases)), None)


def _normal(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


def task_ids() -> list[str]:
    """Every task's id, in the order of the boards."""
    return [task.task_id for task in TASKS]


def corpus_folder(name: str) -> Path:
    """Folder of a shipped mini corpus, by a task's ``data.corpus``."""
    package, *extra = _folders()
    folders = [package.with_name("corpora") / name, *(folder / "corpora" / name for folder in extra)]
    return next((folder for folder in folders if folder.is_dir()), folders[0])
