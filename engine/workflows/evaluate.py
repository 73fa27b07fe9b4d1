"""What the commands of the command line do, once torch is there."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from db.base.errors import NotFoundError
from db.registry import formats, tasks
from db.registry.disk_sizes import encoder_bytes
from db.registry.metrics import known
from db.runs import detail as queries
from db.runs import status, writer
from db.runs.rescoring import TOLERANCE
from db.runs.writer import MetricValue
from db.storage.store import Store
from engine.base import device
from engine.base.errors import DataError, InterruptedRunError
from engine.base.progress import say
from engine.benchmarks import models, process
from engine.checkpoints import checkpoint, locate
from engine.checkpoints.locate import LocatedCheckpoint
from engine.data import extra_training_data
from engine.families.classification import classifiers
from engine.families.registry import family_of
from engine.networks.classifier import probabilities_of, require_labels
from engine.networks.neural_classifier import fastest
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer import metrics
from engine.training import run as pipeline
from engine.training.job import Job, stop_on_signal

TIMINGS = (
    "latency_ms_p50",
    "latency_ms_p95",
    "batch64_ms_p50",
    "batch64_ms_p95",
    "latency_threads",
    "latency_load",
    "examples_per_s",
    "checkpoint_bytes",
    "peak_memory_bytes",
)


def train(
    store: Store,
    recipe: Recipe,
    folder: str | None,
    overrides: tuple[str, ...],
    threads: int | None,
    name: str,
    *,
    strict: bool = False,
) -> None:
    """Train a recipe, which ``asked`` named on the command line; on Ctrl-C say how to go on."""
    device.pin_threads(threads)
    status.mark_dead(store)
    with stop_on_signal() as should_stop:
        _guarded(Job(recipe, folder, store, overrides, name, threads, should_stop=should_stop, strict=strict))


def learn_vocabulary(store: Store, recipe: Recipe, folder: str | None) -> None:
    """Learn the vocabulary of a pretraining, and say where it lies."""
    blank = pipeline.learn_vocabulary(Job(recipe, folder, store))
    say(f"{blank}: shape and vocabulary of {recipe.name}, for models that are not pretrained.")


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
    status.mark_dead(store)
    facts = queries.run_detail(store, run_id)
    if facts.run["status"] not in {"interrupted", "failed"} or not facts.recipe or facts.run["source"] != "measured":
        raise NotFoundError(f"The run {run_id} is {facts.run['status']}; only an interrupted or failed run can go on.")
    recipe = loader.validate(facts.recipe, f"run {run_id}")
    if folder is None and facts.run["task_id"] != recipe.mini_task:
        raise DataError(f"The run {run_id} was trained on {facts.run['dataset']}; name its folder with --data.")
    _require_same_data(pipeline.dataset_hash(recipe, facts.run["task_id"], folder), facts.run, folder)
    with stop_on_signal() as should_stop:
        _guarded(Job(recipe, folder, store, run_id=str(facts.run["run_id"]), should_stop=should_stop))


def demo(store: Store, missing: Sequence[Recipe], threads: int | None) -> None:
    """Train the demo's variants that are not on the board yet."""
    threads = threads or 1  # networks this small gain nothing from a second thread, and lose much beside a busy board
    device.pin_threads(threads)
    status.mark_dead(store)
    say(f"Training {len(missing)} small models; the board shows them under {missing[0].mini_task} while they learn.")
    with stop_on_signal() as should_stop:
        for recipe in missing:
            _guarded(Job(recipe, None, store, threads=threads, should_stop=should_stop))


def evaluate(
    store: Store, target: str, folder: str | None, threads: int | None, *, keep: bool, scored: bool = True
) -> None:
    """Score and time a checkpoint, and compare with the run's stored figures where it belongs to one.

    Args:
        store: The database.
        target: A checkpoint, see ``engine.checkpoints.locate``.
        folder: Of the data; None for the mini corpus.
        threads: Processor threads; None: all cores.
        keep: Replace the run's timings by those measured now.
        scored: Score the whole test split; without it the checkpoint is only timed.
    """
    device.pin_threads(threads)
    located = _locate(store, target, folder)
    recipe = checkpoint.read_card(located.folder).recipe
    # A bare checkpoint is scored on the board that its recipe is for.
    task_id = located.task_id or (recipe.task if folder else recipe.mini_task)
    stored: dict[str, float] = {}
    if located.run_id:
        detail = queries.run_detail(store, located.run_id)
        _require_same_data(pipeline.dataset_hash(recipe, task_id, folder), detail.run, folder)
        stored = dict(zip(detail.metrics["name"], detail.metrics["value"], strict=True))
    # Only a run was trained on data of its own; what a checkpoint was trained on need not be here.
    evaluation = family_of(recipe).evaluate(
        located.folder, task_id, folder, label="scoring", own_data=located.task_id is not None, scored=scored
    )
    for remark in evaluation.remarks:
        say(remark)
    values = [*evaluation.metrics, *evaluation.timings]
    values.append(MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(located.folder))))
    values += _peak_memory(located.folder, recipe) if located.run_id and keep else []
    for value in values:
        metric = known(value.name)
        stored_text = f"   stored {formats.value(metric, stored[value.name])}" if value.name in stored else ""
        encoder = encoder_bytes(recipe.model_dump()) if value.name == "checkpoint_bytes" else 0
        say(f"{metric.label:<32}{formats.value(metric, value.value + encoder)}{stored_text}")
    best = values[0]
    if located.run_id and scored and best.name in stored:
        same = "is" if abs(best.value - stored[best.name]) <= TOLERANCE else "is NOT"
        label = known(best.name).label
        name = label if label == "F1" else label.lower()
        say(f"The stored {name} {same} reproduced.")
    if located.run_id and keep:
        writer.replace_figures(store, located.run_id, [value for value in values if value.name in TIMINGS])
        say(f"Kept the timings of {located.run_id[:12]}.")


def _peak_memory(folder: Path, recipe: Recipe) -> list[MetricValue]:
    """Of a process of its own with the longest input; nothing for what has no input of so many tokens."""
    if not recipe.is_network:
        return []
    peak = process.peak_memory(
        models.of_folder(str(folder), folder), "float32", recipe.input_tokens, torch.get_num_threads()
    )
    return [] if peak is None else [MetricValue("peak_memory_bytes", float(peak))]


def evaluate_on(store: Store, target: str, folder: str, name: str, threads: int | None) -> None:
    """Score a model on a labelled data set of its question; nothing is stored.

    Args:
        store: The database.
        target: A checkpoint, see ``engine.checkpoints.locate``.
        folder: Holds the file of the data set.
        name: One of ``engine.data.extra_training_data.FILES``.
        threads: Processor threads; None: all cores.

    Raises:
        DataError: The data set is not known, not there or cannot be read.
        ModelError: The model answers another question.
    """
    device.pin_threads(threads)
    classifier = fastest(classifiers.load(locate.find(store, target).folder))
    if name in extra_training_data.FILES:
        require_labels(classifier, extra_training_data.FILES[name].labels, target)
    texts = extra_training_data.load(name, folder)
    probabilities = probabilities_of(classifier.prepare(texts.texts), label=f"scoring {name}")
    say(f"{classifier.recipe.label} on {len(texts):,} texts of {name} (data {texts.sha256[:12]})")
    for value in metrics.classification(texts.labels, probabilities):
        metric = known(value.name)
        between = (
            f"   ({formats.value(metric, value.low)} to {formats.value(metric, value.high)})"
            if value.low is not None and value.high is not None
            else ""
        )
        say(f"{metric.label:<32}{formats.value(metric, value.value)}{between}")
    if name in classifier.recipe.data.add:
        say("These texts were in its training split: the figures say nothing about new ones.")


def _require_same_data(sha256: str, run: dict[str, Any], folder: str | None) -> None:
    if sha256 != run["dataset_hash"]:
        where = folder or "the mini corpus"
        raise DataError(f"The data in {where} are not those that the run {run['run_id'][:12]} began with.")


def _locate(store: Store, target: str, folder: str | None) -> LocatedCheckpoint:
    """The checkpoint; a run of a task whose data do not ship needs their folder."""
    located = locate.find(store, target)
    if located.task_id and folder is None and not tasks.by_id(located.task_id).mini:
        raise DataError(f"The run {target} belongs to {located.task_id}; name the folder of its data with --data.")
    return located
