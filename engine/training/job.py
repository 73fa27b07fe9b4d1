"""What is to be trained: a recipe, its data, and where its run goes."""

import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType

from db.storage.store import Store
from engine.base import processes
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
        recipe_name: What named the recipe on the command line; None: its name.
        threads: As asked for; sums in another number of threads differ in their last digits.
        run_id: An interrupted run to go on with.
        should_stop: Asked after every step.
        strict: Refuse a bad row of the data where it would be left out and told.
    """

    recipe: Recipe
    data: str | None
    store: Store
    overrides: tuple[str, ...] = ()
    recipe_name: str | None = None
    threads: int | None = None
    run_id: str | None = None
    should_stop: Callable[[int], bool] = lambda step: False
    strict: bool = False

    @property
    def task_id(self) -> str:
        """The board that the run belongs to."""
        return self.recipe.task if self.data else self.recipe.mini_task

    def resumed(self, run_id: str | None) -> "Job":
        """Return the job as one that goes on with an interrupted run, if there is one."""
        return replace(self, run_id=run_id)

    @property
    def command(self) -> str:
        """What reproduces the run; the data folder is named by what it must hold."""
        together = (
            f"torchrun --nproc-per-node {processes.count()} -m engine" if processes.count() > 1 else "featherboard"
        )
        parts = [f"{together} train", shlex.quote(self.recipe_name or self.recipe.name), f"--seed {self.recipe.seed}"]
        if self.data:
            parts.append("--data hub" if self.data == "hub" else f"--data FOLDER_OF_{self.task_id.upper()}")
        if self.threads:
            parts.append(f"--threads {self.threads}")
        return " ".join([*parts, *(f"--set {shlex.quote(override)}" for override in self.overrides)])


@contextmanager
def stop_on_signal() -> Iterator[Callable[[int], bool]]:
    """Yield a ``should_stop`` that turns true on Ctrl-C or SIGTERM; a second signal ends the process at once.

    Not where torchrun started it, which passes on the Ctrl-C of a terminal that has reached the process already.
    """
    stopping = False

    def handler(number: int, _: FrameType | None) -> None:
        nonlocal stopping
        if stopping:
            if processes.count() > 1:
                return
            raise KeyboardInterrupt
        stopping = True
        say(f"Stopping after this step ({signal.Signals(number).name}); the state is being saved.")

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda step: stopping
    finally:
        for number, old in before.items():
            signal.signal(number, old)
