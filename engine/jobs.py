"""What the commands of the command line do, once torch is there."""

import shlex
from collections.abc import Sequence
from typing import Any

from db import formats, queries, runs, tasks
from db.errors import NotFoundError
from db.metrics import known
from db.runs import MetricValue
from db.store import Store
from db.verify import TOLERANCE
from engine import additional, checkpoint, classifiers, data, device, metrics, pipeline, predict, recipe, resolve
from engine.classifier import fastest
from engine.errors import DataError, InterruptedRunError
from engine.evaluate import probabilities_of, throughput, timing
from engine.job import Job, stop_on_signal
from engine.progress import say
from engine.recipe import Recipe
from engine.resolve import Found

TIMINGS = ("latency_ms_p50", "latency_ms_p95", "batch64_ms_p50", "batch64_ms_p95", "latency_threads", "latency_load",
           "examples_per_s", "checkpoint_bytes")  # fmt: skip


def train(
    store: Store, wanted: Recipe, folder: str | None, overrides: tuple[str, ...], threads: int | None, asked: str
) -> None:
    """Train a recipe, which ``asked`` named on the command line; on Ctrl-C say how to go on."""
    device.pin_threads(threads)
    runs.mark_dead(store)
    with stop_on_signal() as should_stop:
        _guarded(Job(wanted, folder, store, overrides, asked, threads, should_stop=should_stop))


def _guarded(job: Job) -> None:
    try:
        pipeline.train(job)
    except InterruptedRunError as stopped:
        again = f" --data {shlex.quote(job.data)}" if job.data else ""
        raise InterruptedRunError(
            "Stopped; everything up to here is kept. Go on with: "
            f"featherboard train --resume {stopped.run_id[:12]}{again}"
        ) from None


def resume(store: Store, run_id: str, folder: str | None, threads: int | None) -> None:
    """Go on with an interrupted run.

    Raises:
        NotFoundError: There is no such run, or it is not one that can go on.
        DataError: The data are not those that the run began with.
    """
    device.pin_threads(threads)
    runs.mark_dead(store)
    facts = queries.run_detail(store, run_id)
    if facts.run["status"] not in {"interrupted", "failed"} or not facts.recipe or facts.run["source"] != "measured":
        raise NotFoundError(f"The run {run_id} is {facts.run['status']}; only an interrupted or failed run can go on.")
    wanted = recipe.validate(facts.recipe, f"run {run_id}")
    if folder is None and facts.run["task_id"] != wanted.mini_task:
        raise DataError(f"The run {run_id} was trained on {facts.run['dataset']}; name its folder with --data.")
    _require_same_data(pipeline.dataset_hash(wanted, facts.run["task_id"], folder), facts.run, folder)
    with stop_on_signal() as should_stop:
        _guarded(Job(wanted, folder, store, run_id=str(facts.run["run_id"]), should_stop=should_stop))


def demo(store: Store, missing: Sequence[Recipe], threads: int | None) -> None:
    """Train the demo's variants that are not on the board yet."""
    device.pin_threads(threads)
    runs.mark_dead(store)
    with stop_on_signal() as should_stop:
        for wanted in missing:
            _guarded(Job(wanted, None, store, threads=threads, should_stop=should_stop))


def evaluate(store: Store, target: str, folder: str | None, threads: int | None, *, keep: bool) -> None:
    """Score and time a checkpoint, and compare with the run's stored figures where it belongs to one."""
    device.pin_threads(threads)
    located = _locate(store, target, folder)
    place, task_id, run_id = located.folder, located.task_id, located.run_id
    found = classifiers.load(place)
    # Only a run was trained on data of its own; what a checkpoint was trained on need not be here.
    corpus = (
        additional.load_corpus(found.recipe, task_id, folder)
        if task_id
        else data.load(found.recipe.task if folder else found.recipe.mini_task, folder)
    )
    prepared = found.prepare(corpus.test.texts)
    stored = {}
    if run_id:
        detail = queries.run_detail(store, run_id)
        _require_same_data(corpus.sha256, detail.run, folder)
        stored = dict(zip(detail.metrics["name"], detail.metrics["value"], strict=True))
    probabilities = probabilities_of(prepared, label="scoring")
    values = metrics.classification(corpus.test.labels, probabilities)
    values += [*timing(prepared), throughput(prepared),
               MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(place)))]  # fmt: skip
    for value in values:
        metric = known(value.name)
        beside = f"   stored {formats.value(metric, stored[value.name])}" if value.name in stored else ""
        say(f"{metric.label:<32}{formats.value(metric, value.value)}{beside}")
    if run_id and "accuracy" in stored:
        same = abs(values[0].value - stored["accuracy"]) <= TOLERANCE
        say("The stored accuracy is reproduced." if same else "The stored accuracy is NOT reproduced.")
    if run_id and keep:
        runs.replace_figures(store, run_id, [value for value in values if value.name in TIMINGS])
        say(f"Kept the timings of {run_id[:12]}.")


def evaluate_on(store: Store, target: str, folder: str, name: str, threads: int | None) -> None:
    """Score a sentiment model on reviews of another kind; nothing is stored.

    Args:
        store: The database.
        target: A checkpoint, see ``engine.resolve``.
        folder: Holds the file of the reviews.
        name: One of ``engine.additional.FILES``.
        threads: Processor threads; None: all cores.

    Raises:
        DataError: The reviews are not there or cannot be read.
        ModelError: The model answers another question.
    """
    device.pin_threads(threads)
    found = fastest(classifiers.load(resolve.find(store, target).folder))
    predict.require_labels(found, tasks.SENTIMENT, target)
    reviews = additional.load(name, folder)
    probabilities = probabilities_of(found.prepare(reviews.texts), label=f"scoring {name}")
    say(f"{found.recipe.label} on {len(reviews):,} reviews of {name} (data {reviews.sha256[:12]})")
    for value in metrics.classification(reviews.labels, probabilities):
        metric = known(value.name)
        between = (
            f"   ({formats.value(metric, value.low)} to {formats.value(metric, value.high)})"
            if value.low is not None and value.high is not None
            else ""
        )
        say(f"{metric.label:<32}{formats.value(metric, value.value)}{between}")
    if name in found.recipe.data.add:
        say("These reviews were in its training split: the figures say nothing about new ones.")


def _require_same_data(found: str, run: dict[str, Any], folder: str | None) -> None:
    if found != run["dataset_hash"]:
        where = folder or "the mini corpus"
        raise DataError(f"The data in {where} are not those that the run {run['run_id'][:12]} began with.")


def _locate(store: Store, target: str, folder: str | None) -> Found:
    """The checkpoint; a run of a task whose data do not ship needs their folder."""
    found = resolve.find(store, target)
    if found.task_id and folder is None and not tasks.by_id(found.task_id).mini:
        raise DataError(f"The run {target} belongs to {found.task_id}; name the folder of its data with --data.")
    return found
