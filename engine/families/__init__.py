"""Model families: one interface, one implementation for each kind of question that a model answers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engine.recipes.schema import Recipe

if TYPE_CHECKING:  # pandas and DuckDB, which a model that answers does without
    from engine.trainer.training_run import Evaluation, Inputs, TrainingResult, TrainingRun


class Dataset(Protocol):
    """What a recipe is trained and scored on."""

    @property
    def sha256(self) -> str:
        """Hash of the content, in order."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """One sentence for each file of which rows are left out."""


class Family(Protocol):
    """What training and evaluation know of a kind of model; a family knows neither jobs nor other families."""

    def check(self, recipe: Recipe, task_id: str) -> None:
        """Refuse a recipe that could only fail on a task.

        Raises:
            RecipeError: Names the key.
        """

    def load_data(self, recipe: Recipe, task_id: str, folder: str | None, *, strict: bool = False) -> Any:
        """Read a ``Dataset``.

        Args:
            recipe: Says what is added or left out.
            task_id: The board.
            folder: Of the data, or ``hub``; None for the shipped mini corpus.
            strict: Refuse a bad row where it would be left out.

        Raises:
            DataError: The data are missing or cannot be read.
        """

    def is_complete(self, folder: Path, recipe: Recipe, *, mini: bool) -> bool:
        """Whether a checkpoint is whole and still what the recipe makes."""

    def train(self, recipe: Recipe, data: Any, inputs: "Inputs", run: "TrainingRun") -> "TrainingResult":
        """Train and score a model; ``run.start`` is called once nothing is left that can be refused at once.

        Args:
            recipe: Everything that decides the scores.
            data: What ``load_data`` gave.
            inputs: Folders of what the training starts from.
            run: Where it writes, and when it stops.

        Raises:
            InterruptedRunError: It was asked to stop; the state is saved.
            DivergedError: The loss stopped being a number.
        """

    def evaluate(
        self,
        folder: Path,
        task_id: str,
        data: str | None,
        *,
        label: str,
        own_data: bool = True,
        scored: bool = True,
        timed: bool = True,
        exact: bool = False,
    ) -> "Evaluation":
        """Score a checkpoint on a task's test split, and time it.

        Args:
            folder: The checkpoint.
            task_id: The board.
            data: As for ``load_data``.
            label: Of the progress bar.
            own_data: Read what the recipe was trained on; without, the task's plain data.
            scored: Answer the whole test split.
            timed: Time it.
            exact: Compute in single precision whatever the recipe says.

        Raises:
            ModelError: The model answers nothing.
        """

    def load(self, folder: Path) -> Any:
        """Read a checkpoint into a model that answers.

        Raises:
            CheckpointError: Missing or damaged.
            ModelError: It answers nothing.
        """
