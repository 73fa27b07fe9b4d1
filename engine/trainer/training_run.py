"""One training as a model family sees it: the folders it starts from, where it writes, and what it hands back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from db.base.paths import cache_folder, checkpoint_folder, runs_folder
from db.registry import tasks
from db.registry.tasks import Task
from db.runs import writer as runs
from db.runs.rescoring import agrees
from db.runs.writer import Artifact, MetricValue, ModelFacts, RunFacts, RunWriter, Slice
from db.storage.store import Store
from engine.base import device, provenance
from engine.base.errors import DivergedError, InterruptedRunError
from engine.recipes.schema import Recipe

STATE = "resume.safetensors"


@dataclass(frozen=True)
class Inputs:
    """What a training starts from.

    Attributes:
        source: The folder or hub id of the pretrained network; None where the recipe starts from none.
        teacher: The teacher's checkpoint.
        source_label: What the board calls the run that made ``source``.
    """

    source: str | None = None
    teacher: Path | None = None
    source_label: str | None = None


@dataclass(frozen=True)
class Evaluation:
    """A checkpoint, scored again and timed.

    Attributes:
        metrics: Scores on the test split; the first one ranks.
        timings: Times on this machine.
        params: Parameters of the model.
        licence: Of the data.
        unk_rate: Share of unknown tokens; None where there is no vocabulary that could lack one.
        remarks: Which rows were left out.
    """

    metrics: Sequence[MetricValue]
    timings: Sequence[MetricValue]
    params: int
    licence: str
    unk_rate: float | None = None
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class TrainingResult:
    """A trained and scored model.

    Attributes:
        artifacts: The checkpoint's files.
        seconds: Of training, whatever was trained before it included.
        metrics: The first one ranks the run.
        params: Parameters of the model; None where the board lists them already.
        predictions: One row an example.
        slices: Scores of parts of the test split.
        summary: The scores for the last line of the log.
    """

    artifacts: Sequence[Artifact]
    seconds: float
    metrics: Sequence[MetricValue]
    predictions: pd.DataFrame
    summary: str
    params: int | None = None
    slices: Sequence[Slice] = field(default_factory=tuple)


def describe(
    recipe: Recipe, task: Task, params: int | None, *, model_id: str | None = None, **facts: Any
) -> tuple[ModelFacts, RunFacts]:
    """Describe a recipe's model, and a run of it on a task by this program on this machine.

    Args:
        recipe: The recipe.
        task: Whose board it is for.
        params: Of the model.
        model_id: By default that of the recipe.
        facts: Of ``RunFacts``: those that the recipe does not give, and others in place of what it gives.
    """
    listed = recipe.listed_facts(params) | ({"model_id": model_id} if model_id else {})
    model = ModelFacts(**listed, licence="Apache-2.0")
    defaults = {
        "task_id": task.task_id,
        "task_version": task.version,
        "model_id": model.model_id,
        "name": recipe.label,
        "recipe": recipe.name,
        "recipe_json": recipe.to_json(),
        "recipe_hash": recipe.digest(),
        "seed": recipe.seed,
        "split": task.split,
        "device": device.describe(),
        "code_version": provenance.code_version(),
        "libraries": provenance.libraries(),
    }
    return model, RunFacts(**{**defaults, **facts})


class TrainingRun:
    """A run of the board while it is trained."""

    writer: RunWriter

    def __init__(
        self,
        store: Store,
        recipe: Recipe,
        task_id: str,
        *,
        data: str | None,
        dataset_hash: str,
        command: str,
        resumed: str | None = None,
        should_stop: Callable[[int], bool] = lambda step: False,
    ) -> None:
        """Prepare a run; it stands on the board from ``start`` on.

        Args:
            store: The database.
            recipe: What is trained.
            task_id: The board that the run belongs to.
            data: The folder of the data, ``hub``, or None for the mini corpus.
            dataset_hash: Of what it is trained and scored on.
            command: What reproduces the run.
            resumed: The id of the interrupted run to go on with.
            should_stop: Asked after every step, with its number; a yes saves the state and stops the run.
        """
        self.recipe, self.task_id, self.data, self.should_stop = recipe, task_id, data, should_stop
        self.resumed = resumed is not None
        self.run_id = resumed or runs.new_run_id()
        self.cache = cache_folder(store.path)
        self.folder = runs_folder(store.path) / self.run_id
        self.checkpoint = checkpoint_folder(store.path, self.run_id)
        self.state_file = self.folder / STATE
        self._store, self._dataset_hash, self._command = store, dataset_hash, command

    def start(
        self,
        *,
        params: int | None,
        notes: str,
        dataset: str | None = None,
        teacher: str | None = None,
        sized_by_data: bool = False,
    ) -> RunWriter:
        """Put the run on the board, or take up the interrupted one; what only can fail must have failed before.

        Args:
            params: Parameters of the model; None where they are known at the end, or listed already.
            notes: For the run's page.
            dataset: What it is trained on; None: the task's own data set.
            teacher: The label of the model that teaches it.
            sized_by_data: The model's size differs with the data, so that every run lists a model of its own.
        """
        if self.resumed:
            self.writer = RunWriter(self._store, self.run_id)
            self.writer.resume()
            return self.writer
        task = tasks.by_id(self.task_id)
        model, facts = describe(
            self.recipe,
            task,
            params,
            model_id=f"{self.recipe.listed_as}-{self.run_id[:8]}" if sized_by_data else None,
            dataset=dataset or task.dataset,
            dataset_hash=self._dataset_hash,
            command=self._command,
            teacher=teacher,
            notes=notes,
        )
        self.writer = RunWriter.start(self._store, model, facts, self.run_id)
        return self.writer

    def finish(self, result: TrainingResult) -> None:
        """Record a trained and scored model; predictions of a whole test split are scored again first."""
        claimed = {metric.name: metric.value for metric in result.metrics}
        verified = agrees(tasks.by_id(self.task_id), result.predictions, claimed)
        self.writer.finish(
            result.metrics,
            train_seconds=result.seconds,
            artifacts=result.artifacts,
            predictions=result.predictions,
            slices=result.slices,
            verified=verified,
            params=result.params,
        )

    def abandon(self, error: BaseException) -> None:
        """Record why the run did not end; a run that was not started left nothing to record."""
        if not hasattr(self, "writer"):
            return
        if isinstance(error, InterruptedRunError | KeyboardInterrupt):
            self.writer.interrupt()
            if isinstance(error, InterruptedRunError):
                error.run_id = self.run_id
        elif isinstance(error, DivergedError):
            self.writer.finish([], train_seconds=None, diverged=True)
        else:
            self.writer.fail(f"{type(error).__name__}: {error}"[:500])
