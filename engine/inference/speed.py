"""The speed lab: one question, many times, by several models in turns, so that drift of the machine hits all alike."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from db.registry import tasks
from db.runs import timings
from db.runs.timings import Machine
from db.runs.writer import MetricValue, ModelFacts, RunFacts, RunWriter
from db.storage.store import Store
from engine.base import device, provenance
from engine.base.errors import DataError
from engine.benchmarks import host as machines
from engine.benchmarks.messages import Point
from engine.benchmarks.report import headline_figures, timing_of
from engine.families.span_qa import ask as asking
from engine.families.span_qa import windows
from engine.families.span_qa.files import Question
from engine.families.span_qa.model import batch
from engine.families.span_qa.windows import Window
from engine.inference.answers import answerer_of
from engine.inference.executor import Desk
from engine.inference.model_cache import Held
from engine.training import checks

MOST_CALLS = 500
WARM_UP = 3


@dataclass(frozen=True)
class Timed:
    """A model's times.

    Attributes:
        held: The model in its number format.
        tokens: Of the window that was computed, question included.
        threads: Processor threads.
        times_ms: Of each call of the network, in order.
        load: The load average before the first call.
        busy: The share of all cores that others kept busy just before, 0 to 1.
    """

    held: Held
    tokens: int
    threads: int
    times_ms: tuple[float, ...]
    load: float
    busy: float

    def quantile(self, share: float) -> float:
        """A quantile of the times in ms."""
        return float(np.quantile(self.times_ms, share))


def measure(
    desk: Desk,
    models: Sequence[Held],
    question: str,
    context: str,
    calls: int,
    *,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Timed]:
    """Time the network of each model on one question; tokenising and decoding are not part of it.

    Args:
        desk: Where it is computed; others get their turn in between, and the times are of the network alone.
        models: That answer questions, each in its number format.
        question: What is asked.
        context: Its text; of one that takes several windows, the first is timed.
        calls: Timed calls of each model, at most ``MOST_CALLS``; some more before them warm it up.
        progress: Called with the share that is done, in the thread of the caller.

    Raises:
        DataError: Question or text is empty, or the number of calls is out of range.
    """
    if not 1 <= calls <= MOST_CALLS:
        raise DataError(f"{calls} calls: between 1 and {MOST_CALLS} of each model are timed.")
    one = Question("question", question, context)
    asking.check([one])
    load, busy = device.load_average(), machines.busy_share()
    ready: list[Window] = []
    for held in models:
        answerer = answerer_of(held)
        ready.append(desk.do(lambda it=answerer: windows.cut(it.tokenizer, [one], it.recipe.qa)[0]))  # type: ignore[misc]
    times: list[list[float]] = [[] for _ in models]
    rounds = calls + WARM_UP
    for turn in range(rounds):
        for place in np.roll(np.arange(len(models)), -turn):  # nobody always goes first
            taken = desk.do(lambda at=int(place): _call(models[at], ready[at]))  # type: ignore[misc]
            if turn >= WARM_UP:
                times[place].append(taken)
        progress((turn + 1) / rounds)
    threads = desk.do(torch.get_num_threads)
    return [
        Timed(held, len(window.ids), threads, tuple(taken), load, busy)
        for held, window, taken in zip(models, ready, times, strict=True)
    ]


@torch.inference_mode()
def _call(held: Held, window: Window) -> float:
    inputs = batch([window], np.array([0]))
    model = answerer_of(held).model
    started = time.perf_counter()
    model(*inputs)
    return 1e3 * (time.perf_counter() - started)


def keep(store: Store, found: Sequence[Timed], device_name: str | None = None) -> list[str]:
    """Put what was timed on the board of devices, one run for each model and number format.

    Args:
        store: The database.
        found: Of ``measure``.
        device_name: What this machine is called; None: its own name.

    Returns:
        The runs' ids.
    """
    machine = machines.describe(device_name)
    return [_kept(store, one, machine) for one in found]


def _kept(store: Store, one: Timed, machine: Machine) -> str:
    recipe, held, task = answerer_of(one.held).recipe, one.held, tasks.by_id(timings.TASK)
    listed = ModelFacts(
        recipe.listed_as,
        recipe.label,
        recipe.family,
        recipe.model.kind,
        checks.listed_config(recipe),
        held.params,
        recipe.language,
    )
    wish = {"model": held.choice.key, "precision": held.precision, "tokens": one.tokens, "calls": len(one.times_ms)}
    same = json.dumps([recipe.listed_as, held.precision, machine.name, machine.cpu])
    facts = RunFacts(
        task_id=task.task_id,
        task_version=task.version,
        model_id=recipe.listed_as,
        name=f"{recipe.label}, {held.precision}",
        recipe="speed-lab",
        recipe_json=json.dumps(wish),
        recipe_hash=hashlib.sha256(same.encode()).hexdigest(),
        seed=0,
        dataset=task.dataset,
        dataset_hash="none",
        split=task.split,
        device=machine.name,
        code_version=provenance.code_version(),
        libraries=provenance.libraries(),
        command="the speed lab of the playground",
        notes=f"One question of {one.tokens} tokens, {len(one.times_ms)} calls in turns with the models beside it.",
    )
    timing = timing_of(held.precision, 1, [Point(one.tokens, one.threads, list(one.times_ms), one.load)])
    writer = RunWriter.start(store, listed, facts)
    timings.write(store, writer.run_id, machine, [timing])
    figures = [MetricValue("load_seconds", held.load_s, 1)]
    if one.tokens == timings.HEADLINE_TOKENS:
        figures += headline_figures(timing)
    writer.finish(figures, train_seconds=None)
    busy = machines.busy_warning([one.busy], one.load)
    if busy:
        timings.add_caveat(store, writer.run_id, busy)
    return writer.run_id
