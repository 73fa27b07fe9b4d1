"""Time several models on one question, in turns, so that drift of the machine affects all alike."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from db.runs import timings
from db.runs.timings import Machine
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.storage.store import Store
from engine.base import device
from engine.base.errors import DataError
from engine.benchmarks import host as machines
from engine.benchmarks.messages import Point
from engine.benchmarks.report import device_run, headline_figures, timing_of
from engine.data.question import Question
from engine.families.span_qa import ask as span_qa
from engine.families.span_qa import windows
from engine.families.span_qa.windows import Window, padded
from engine.inference.answers import answerer_of
from engine.inference.model_cache import RUNTIME_NAMES, InferenceExecutor, LoadedModel

MAX_CALLS = 500
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

    held: LoadedModel
    tokens: int
    threads: int
    times_ms: tuple[float, ...]
    load: float
    busy: float

    def quantile(self, share: float) -> float:
        """A quantile of the times in ms."""
        return float(np.quantile(self.times_ms, share))


def measure(
    executor: InferenceExecutor,
    models: Sequence[LoadedModel],
    question: str,
    context: str,
    calls: int,
    *,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Timed]:
    """Time the network of each model on one question; tokenising and decoding are not part of it.

    Args:
        executor: Where it is computed; others get their turn in between, and the times are of the network alresult.
        models: That answer questions, each in its number format.
        question: What is asked.
        context: Its text; of one that takes several windows, the first is timed.
        calls: Timed calls of each model, at most ``MAX_CALLS``; some more before them warm it up.
        progress: Called with the share that is done, in the thread of the caller.

    Raises:
        DataError: Question or text is empty, or the number of calls is out of range.
    """
    if not 1 <= calls <= MAX_CALLS:
        raise DataError(f"{calls} calls: between 1 and {MAX_CALLS} of each model are timed.")
    item = Question("question", question, context)
    span_qa.check([item])
    load, busy = device.load_average(), machines.busy_share()
    ready: list[Window] = []
    for held in models:
        answerer = answerer_of(held)
        ready.append(executor.do(lambda it=answerer: windows.cut(it.tokenizer, [item], it.recipe.qa)[0]))  # type: ignore[misc]
    times: list[list[float]] = [[] for _ in models]
    rounds = calls + WARM_UP
    for turn in range(rounds):
        for index in map(int, np.roll(np.arange(len(models)), -turn)):  # no model always goes first
            taken = executor.do(lambda index=index: _call(models[index], ready[index]))  # type: ignore[misc]
            if turn >= WARM_UP:
                times[index].append(taken)
        progress((turn + 1) / rounds)
    return [
        Timed(held, len(window.ids), answerer_of(held).model.threads, tuple(taken), load, busy)
        for held, window, taken in zip(models, ready, times, strict=True)
    ]


def _call(held: LoadedModel, window: Window) -> float:
    inputs = padded([window], np.array([0]))
    model = answerer_of(held).model
    started = time.perf_counter()
    model.compute(*inputs)
    return 1e3 * (time.perf_counter() - started)


def keep(store: Store, results: Sequence[Timed], device_name: str | None = None) -> list[str]:
    """Put the times on the board of devices, one run for each model and number format.

    Args:
        store: The database.
        results: Of ``measure``.
        device_name: What this machine is called; None: its own name.

    Returns:
        The runs' ids.
    """
    machine = machines.describe(device_name)
    return [_save(store, result, machine) for result in results]


def _save(store: Store, result: Timed, machine: Machine) -> str:
    recipe, held = answerer_of(result.held).recipe, result.held
    runtime = RUNTIME_NAMES[held.runtime]
    wish = {
        "model": held.ref.key,
        "precision": held.precision,
        "runtime": held.runtime,
        "tokens": result.tokens,
        "calls": len(result.times_ms),
    }
    facts = device_run(
        machine,
        recipe.listed_as,
        [held.precision, held.runtime],
        name=f"{recipe.label}, {held.precision}, {runtime}",
        recipe="speed-lab",
        recipe_json=json.dumps(wish),
        command="the speed lab of the playground",
        notes=f"One question of {result.tokens} tokens, {len(result.times_ms)} calls of {runtime} in turns with "
        "the models beside it.",
    )
    timing = timing_of(held.precision, 1, [Point(result.tokens, result.threads, list(result.times_ms), result.load)])
    writer = RunWriter.start(store, ModelFacts(**recipe.listed_facts(held.params)), facts)
    timings.write(store, writer.run_id, machine, [timing])
    figures = [MetricValue("load_seconds", held.load_s, 1)]
    if result.tokens == timings.HEADLINE_TOKENS:
        figures += headline_figures(timing)
    writer.finish(figures, train_seconds=None)
    busy = machines.busy_warning([result.busy], result.load)
    if busy:
        timings.add_caveat(store, writer.run_id, busy)
    return writer.run_id
