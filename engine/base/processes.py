"""Several processes that share one training: which one this is, and how they agree.

torchrun starts them. The first one runs the command; the others wait for what it hands out, in
``engine.trainer.helpers``. With one process everything here does nothing.
"""

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar, cast

import numpy as np
import torch
import torch.distributed
from numpy.typing import NDArray

T = TypeVar("T")

_PATIENCE = timedelta(days=30)
"""How long processes wait for each other: the first one reads data and scores while the others have nothing to do."""


class FirstProcessError(Exception):
    """The first process could not do what the others wait for; it says why itself."""


def join() -> None:
    """Meet the other processes of torchrun: over gloo on CPUs, over NCCL on GPUs of NVIDIA."""
    from accelerate import PartialState  # noqa: PLC0415 - takes a second to import, and a prediction needs none of it

    PartialState(cpu=not torch.cuda.is_available(), timeout=_PATIENCE)


def count() -> int:
    """Number of the processes that share a training."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_world_size()
    return 1


def number() -> int:
    """This process's number, from 0, which is the first one's."""
    return torch.distributed.get_rank() if count() > 1 else 0


def on_this_machine() -> int:
    """Number of the processes that share this machine's cores."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1")) if count() > 1 else 1


def from_first(compute: Callable[[], T]) -> T:
    """What ``compute`` returns in the first process, in all of them; the others do not call it.

    Raises:
        FirstProcessError: In the others, where it raised something in the first.
    """
    if count() == 1:
        return compute()
    from accelerate.utils import broadcast_object_list  # noqa: PLC0415 - as above

    if number() > 0:
        succeeded, result = broadcast_object_list([False, None])
        if not succeeded:
            raise FirstProcessError
        return cast("T", result)
    try:
        result = compute()
    except BaseException:
        broadcast_object_list([False, None])
        raise
    broadcast_object_list([True, result])
    return result


def gathered(value: T) -> list[T]:
    """Every process's value, in the order of their numbers."""
    if count() == 1:
        return [value]
    from accelerate.utils import gather_object  # noqa: PLC0415 - as above

    return cast("list[T]", gather_object([value]))


def hand_out(training: Any) -> None:
    """Have the other processes take part in a training that the first one begins; None: there will be no other."""
    if count() > 1 and number() == 0:
        from_first(lambda: (training, torch.get_num_threads()))


def seed_others(seed: int, step: int) -> None:
    """Give the other processes random numbers of their own, which depend on seed, step and process alone.

    The first one's go on as they do without the others, and are part of a resume state.
    """
    if number() > 0:
        torch.manual_seed(int(np.random.SeedSequence([seed, step, number()]).generate_state(1)[0]))


def part(index: NDArray[np.int64]) -> NDArray[np.int64]:
    """This process's share of a batch, which may be empty."""
    return index[number() :: count()]
