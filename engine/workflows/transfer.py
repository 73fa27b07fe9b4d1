"""Score a classifier, as it is, on a task that it was not trained on, and put the result on that task's board."""

import hashlib

from db.registry import tasks
from db.registry.metrics import known
from db.registry.task_data import ClassificationData
from db.registry.tasks import Task
from db.runs.rescoring import agrees
from db.runs.status import finished
from db.runs.writer import MetricValue, RunWriter
from db.storage.store import Store
from engine.base import device
from engine.base.errors import ModelError
from engine.base.progress import say
from engine.checkpoints import checkpoint, locate
from engine.data import corpora
from engine.families.classification import classifiers
from engine.networks import sources
from engine.networks.classifier import Classifier, probabilities_of, require_labels
from engine.networks.neural_classifier import fastest
from engine.recipes.schema import Recipe
from engine.trainer import metrics
from engine.trainer.evaluation import prediction_rows
from engine.trainer.training_run import describe


def evaluate(store: Store, target: str, task_id: str, folder: str | None, threads: int | None) -> str:
    """Score a checkpoint on the test split of another task with the same labels; the run is measured and verified.

    Timings are left out: they are those of the model's own run.

    Args:
        store: The database.
        target: A checkpoint, see ``engine.checkpoints.locate``.
        task_id: The task.
        folder: Of the task's data; None for a mini corpus.
        threads: Processor threads; None: all cores.

    Returns:
        The run's id; that of the earlier run where the same weights were scored on the same data before.

    Raises:
        ModelError: The model was trained for this task, answers another question, or answers none with labels.
        DataError: The data are missing or cannot be used.
    """
    device.pin_threads(threads)
    located = locate.find(store, target)
    classifier = fastest(classifiers.load(located.folder))
    recipe, task = classifier.recipe, tasks.by_id(task_id)
    _require_same_question(classifier, task, target)
    corpus = corpora.load(task_id, folder, train_required=False)
    identity = hashlib.sha256(f"evaluated as it is: {classifier.sha256}".encode()).hexdigest()
    for run_id in finished(store, identity, corpus.sha256, recipe.seed) if store.exists() else ():
        say(f"{recipe.label} was scored on {task_id} before: run {run_id[:12]}. Nothing was added.")
        return run_id
    test = classifier.prepare(corpus.test.texts)
    probabilities = probabilities_of(test, label=f"{recipe.name} on {task_id}")
    scores = metrics.classification(corpus.test.labels, probabilities, task.metric)
    figures = [*scores, MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(located.folder)))]
    if test.unk_rate is not None:
        figures.append(MetricValue("unk_rate", test.unk_rate))
    predictions = prediction_rows(corpus.test, probabilities)
    run = _start(store, classifier, task, identity, corpus.sha256, _command(target, task_id, folder, threads))
    verified = agrees(task, predictions, {score.name: score.value for score in scores})
    run.finish(figures, train_seconds=None, predictions=predictions, verified=verified, params=classifier.params)
    best = next(score for score in scores if score.name == task.metric)
    interval = f" ({best.low:.2%} to {best.high:.2%})" if best.low is not None and best.high is not None else ""
    say(
        f"{recipe.label} on {task_id}: {known(best.name).label} {best.value:.2%}{interval}, "
        f"{'verified' if verified else 'not verified'}, run {run.run_id[:12]}"
    )
    return run.run_id


def _require_same_question(classifier: Classifier, task: Task, target: str) -> None:
    own = classifier.recipe.task
    if own == task.task_id:
        raise ModelError(f"The model {target} was made for {own}; score it there without --task.")
    require_labels(classifier, task.labels, target)
    own_data = tasks.by_id(own).data
    if not isinstance(task.data, ClassificationData) or not isinstance(own_data, ClassificationData):
        raise ModelError(f"The task {task.task_id} has no labelled texts that a model could be scored on.")
    if len(own_data.texts) != len(task.data.texts):
        raise ModelError(f"The model {target} reads {len(own_data.texts)} text(s); {task.task_id} has another number.")


def _command(target: str, task_id: str, folder: str | None, threads: int | None) -> str:
    data = "" if folder is None else " --data DIR"
    return f"featherboard evaluate {target} --task {task_id}{data}" + (f" --threads {threads}" if threads else "")


def _start(
    store: Store, classifier: Classifier, task: Task, identity: str, dataset_hash: str, command: str
) -> RunWriter:
    dataset, about = learned_from(classifier.recipe)
    model, facts = describe(
        classifier.recipe,
        task,
        classifier.params,
        recipe_hash=identity,
        dataset=dataset,
        dataset_hash=dataset_hash,
        command=command,
        notes=f"{about} Weights {classifier.sha256[:12]}.",
    )
    return RunWriter.start(store, model, facts)


def learned_from(recipe: Recipe) -> tuple[str, str]:
    """What a model learned from, which may be the task on which it is scored too: in short, and in a sentence."""
    task = tasks.by_id(recipe.task)
    dataset = task.dataset if task.mini else "+".join([task.dataset, *recipe.data.add])
    after = getattr(recipe.model, "after", None)
    origin = f", going on from {after}," if after else ""
    labelled = recipe.distill.add if recipe.distill else ()
    taught = f" Its teacher labelled texts of {', '.join(labelled)}." if labelled else ""
    return dataset, " ".join(
        [f"Trained on {dataset}{origin} and scored as it is.{taught}", *sources.notes(recipe.model)]
    )
