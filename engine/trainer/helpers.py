"""What the processes of torchrun do beside the first one: take part in the trainings that it hands out.

They get model and examples from it, so they read no database, no data and no checkpoint, and write nothing.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import torch

from db.base.errors import FeatherboardError, one_line
from engine.base import processes
from engine.base.errors import DataError, DivergedError, InterruptedRunError, RecipeError
from engine.base.progress import console
from engine.trainer.loop import Trainer


class _Nowhere:
    """A ``Writer`` of what the first process writes."""

    def point(self, series: str, step: int, value: float, *, epoch: float, wall_time: float) -> None:
        """Do nothing."""

    def beat(self, *, force: bool = False) -> None:
        """Do nothing."""


@contextmanager
def leading() -> Iterator[None]:
    """Meet the other processes, and let them go when the block ends.

    After an error in the middle of a training they wait for something else, and torchrun ends them.
    """
    processes.join()
    try:
        yield
    except (InterruptedRunError, DivergedError, RecipeError, DataError):
        processes.hand_out(None)
        raise
    except SystemExit as end:
        if not end.code:
            processes.hand_out(None)
        raise
    processes.hand_out(None)


def serve() -> None:
    """Take part in one training after the other, until the first process says that there is no other.

    Raises:
        FeatherboardError: The connection to the first process broke.
    """
    console.quiet = True
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the first process stops after its step, and this one with it
    try:
        processes.join()
        _take_part()
    except RuntimeError as error:
        text = f"process {processes.number()} of this training stopped: {one_line(error)}"
        raise FeatherboardError(text) from None


def _take_part() -> None:
    while (work := processes.from_first(lambda: None)) and work[0] is not None:
        (recipe, model, objective), threads = work
        torch.set_num_threads(threads)
        with suppress(InterruptedRunError, DivergedError, processes.FirstProcessError):
            Trainer(recipe, model, objective, writer=_Nowhere(), state_file=Path()).run()
