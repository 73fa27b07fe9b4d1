"""What is to be trained: a recipe, its data, and where its run goes."""

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Protocol

from db.registry import tasks
from db.runs.writer import ModelFacts, RunFacts, RunWriter
from db.storage.store import Store
from engine.base import device, provenance
from engine.base.progress import say
from engine.recipes.loader import Recipe


@dataclass(frozen=True)
class Job:
    """What is to be trained, and where its results go.

    Attributes:
        recipe: The complete recipe.
        data: None for the shipped mini corpus, ``hub``, or a folder.
        store: The database.
        overrides: As given on the command line, for the command that reproduces the run.
        asked: What named the recipe on the command line; None: its name.
        threads: As asked for; sums in another number of threads differ in their last digits.
        run_id: An interrupted run to go on with.
        pupils: The recipes that wait for this one as their teacher.
        should_stop: Asked after every step.
        strict: Refuse a bad row of the data where it would be left out and told.
    """

    recipe: Recipe
    data: str | None
    store: Store
    overrides: tuple[str, ...] = ()
    asked: str | None = None
    threads: int | None = None
    run_id: str | None = None
    pupils: tuple[str, ...] = ()
    should_stop: Callable[[int], bool] = lambda step: False
    strict: bool = False

    @property
    def task_id(self) -> str:
        """The board that the run belongs to."""
        return self.recipe.task if self.data else self.recipe.mini_task

    @property
    def command(self) -> str:
        """What reproduces the run; the data folder is named by what it must hold."""
        parts = ["featherboard train", shlex.quote(self.asked or self.recipe.name), f"--seed {self.recipe.seed}"]
        if self.data:
            parts.append("--data hub" if self.data == "hub" else f"--data FOLDER_OF_{self.task_id.upper()}")
        if self.threads:
            parts.append(f"--threads {self.threads}")
        return " ".join([*parts, *(f"--set {shlex.quote(override)}" for override in self.overrides)])


@contextmanager
def stop_on_signal() -> Iterator[Callable[[int], bool]]:
    """Yield a ``should_stop`` that turns true on Ctrl-C or SIGTERM; a second signal ends the process at once."""
    asked = False

    def handler(number: int, _: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        say(f"Stopping after this step ({signal.Signals(number).name}); the state is being saved.")

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda step: asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)


class Work(Protocol):
    """A job that is ready to run: its data are read, its run stands on the board."""

    @property
    def writer(self) -> RunWriter:
        """The run."""

    def finish(self) -> None:
        """Train, score and record."""


def open_run(
    job: Job,
    listed: ModelFacts,
    run_id: str,
    *,
    dataset: str,
    dataset_hash: str,
    notes: str,
    teacher: str | None = None,
) -> RunWriter:
    """The job's run on the board: a new one, or the interrupted one that it goes on with.

    Args:
        job: What is to be trained.
        listed: The model's row.
        run_id: Of a new run.
        dataset: What it is trained on.
        dataset_hash: Of what it is trained and scored on.
        notes: For the run's page.
        teacher: The label of who teaches it.
    """
    if job.run_id:
        writer = RunWriter(job.store, job.run_id)
        writer.resume()
        return writer
    wanted, task = job.recipe, tasks.by_id(job.task_id)
    facts = RunFacts(
        task_id=task.task_id,
        task_version=task.version,
        model_id=listed.model_id,
        name=wanted.label,
        recipe=wanted.name,
        recipe_json=wanted.to_json(),
        recipe_hash=wanted.digest(),
        seed=wanted.seed,
        dataset=dataset,
        dataset_hash=dataset_hash,
        split=task.split,
        device=device.describe(),
        code_version=provenance.code_version(),
        libraries=provenance.libraries(),
        command=job.command,
        teacher=teacher,
        notes=notes,
    )
    return RunWriter.start(job.store, listed, facts, run_id)
