"""Sweeps over the machines of a Ray cluster.

Ray places trainings, and starts those again whose process or machine died. A training on the board's own machine
writes into the board's database, live curves included. One on another machine writes into the database of that machine
(``FEATHERBOARD_DB`` there), and its finished run travels back as a bundle. Either way a training that comes again finds
in its database what was finished or interrupted there, and goes on from it.
"""

import fcntl
import importlib.util
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from db.base.errors import DataError, FeatherboardError
from db.base.paths import cache_folder, default_database
from db.bootstrap import create
from db.runs import bundles, status
from db.storage.store import Store
from engine.base import device
from engine.base.progress import say
from engine.training import run as pipeline
from engine.training.job import Job, stop_on_signal
from engine.training.prerequisites import prerequisites
from engine.workflows import sweep
from engine.workflows.sweep import Combination

LOCAL = "local"
"""The address of a cluster that is made of this machine, for one sweep."""

POLL_S = 0.5
"""Seconds between two looks at whether the sweep shall stop."""


@dataclass(frozen=True)
class Resources:
    """What Ray sets aside for one training, and how often it is started again when its process dies."""

    cpus: int = 1
    gpus: float = 0.0
    retries: int = 2


def need_ray() -> None:
    """Refuse to go on without Ray.

    Raises:
        FeatherboardError: It is not installed.
    """
    if importlib.util.find_spec("ray") is None:
        raise FeatherboardError(
            "A sweep over machines needs Ray, which is not installed. On each of them: pip install -e '.[cluster]'"
        )


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Connect to a cluster, or make one of this machine's cores, until the block ends.

    Raises:
        FeatherboardError: No cluster answers there.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster that is made here reports to nobody
    import ray  # noqa: PLC0415 - of the extra `cluster`

    try:
        if address == LOCAL:
            ray.init(address=LOCAL, include_dashboard=False, log_to_driver=False, configure_logging=False)
        else:
            ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise FeatherboardError(
            f"--ray {address}: no cluster answers there ({str(error).splitlines()[0]}). `ray start --head` makes one, "
            "`--ray local` uses this machine alone. Nothing was trained."
        ) from None
    try:
        yield
    finally:
        ray.shutdown()


def run(
    combinations: Sequence[Combination], should_stop: Callable[[int], bool], resources: Resources
) -> list[Combination]:
    """Train what waits on the cluster that is connected, as many at once as it has room for.

    Args:
        combinations: Of ``sweep.plan``.
        should_stop: A yes stops all of them after their step; those that wait are not started.
        resources: Of each training.

    Returns:
        All of them, with what became of each, as from ``sweep.run``.
    """
    import ray  # noqa: PLC0415 - of the extra `cluster`

    done, total, stopped = list(combinations), len(combinations), False
    task = ray.remote(trial).options(num_cpus=resources.cpus, num_gpus=resources.gpus, max_retries=resources.retries)
    waiting = {task.remote(done[i], machine()): i for i in range(total) if done[i].waits}
    while waiting:
        ready, _ = ray.wait(list(waiting), timeout=POLL_S)
        for reference in ready:
            number = waiting.pop(reference)
            done[number] = ended = _result(reference, done[number])
            say(f"{number + 1} of {total} {ended.state}: {ended.shown}, seed {ended.job.recipe.seed}")
        if should_stop(0) and not stopped:
            stopped = True
            for reference in waiting:
                ray.cancel(reference)  # a training takes it as Ctrl-C: it saves its state, and ends
    return done


def trial(combination: Combination, board: str) -> tuple[Combination, bytes]:
    """Train one combination on whatever machine this is.

    Args:
        combination: As it was planned.
        board: The ``machine`` of the board that the sweep is for.

    Returns:
        What became of it, and its run as a bundle, empty where the run is in the board's database already.
    """
    job, at_home = combination.job, machine() == board
    device.pin_threads(job.threads)
    store = job.store if at_home else Store(default_database())
    try:
        if not store.exists():
            create.initialise(store)
        if not at_home:
            _require_same_data(combination)
        status.mark_dead(store)
        current = sweep.on_board(replace(combination, state="new", run_id=None, job=replace(job, store=store)))
        if current.waits:
            with stop_on_signal() as should_stop:
                current = sweep.train(replace(current, job=replace(current.job, should_stop=should_stop)), _train)
        fetched = current.run_id if current.state == "finished" and not at_home else None
        bundle = bundles.bundle(store, [fetched])[0] if fetched else b""
    except FeatherboardError as error:
        return replace(combination, state="failed", reason=f"{socket.gethostname()}: {error}"), b""
    return replace(current, job=job), bundle


def machine() -> str:
    """Name this machine, or this container, as no other is named until it starts anew."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{socket.gethostname()} {boot.read_text('utf-8').strip() if boot.exists() else ''}"


def _train(job: Job) -> str:
    """Train a job; what several trainings of a machine start from, such as a teacher, is made by one of them."""
    if any(prerequisites(job)):
        lock = cache_folder(job.store.path) / "sweep.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            pipeline.prepare(job)
    return pipeline.train(job)


def _require_same_data(combination: Combination) -> None:
    job = combination.job
    if pipeline.dataset_hash(job.recipe, job.task_id, job.data) != combination.dataset_hash:
        raise DataError(f"{job.data} holds other data than on the machine where the sweep was started.")


def _result(reference: Any, planned: Combination) -> Combination:
    """What became of a training that has ended; a run of another machine is taken in."""
    import ray  # noqa: PLC0415 - of the extra `cluster`
    from ray.exceptions import RayError, TaskCancelledError  # noqa: PLC0415 - likewise

    ended: Combination
    try:
        ended, bundle = ray.get(reference)
        if bundle:
            bundles.import_bytes(planned.job.store, bundle, "the run of another machine")
    except TaskCancelledError:
        return replace(planned, state="interrupted" if planned.run_id else "not reached")
    except (RayError, FeatherboardError) as error:
        return replace(planned, state="failed", reason=str(error).strip().splitlines()[-1])
    return replace(ended, job=planned.job)
