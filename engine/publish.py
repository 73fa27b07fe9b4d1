"""A run's checkpoint made ready to give away: small, scored as it is given, with a card that says where it is from."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from db import queries, tasks
from db.metrics import known
from db.store import Store
from engine import additional, checkpoint, classifiers, data, metrics
from engine.classifier import NeuralClassifier
from engine.errors import CheckpointError, ModelError
from engine.evaluate import probabilities_of
from engine.resolve import find
from engine.sources import SOURCES

TOLD = ("accuracy", "accuracy_dedup", "macro_f1", "log_loss", "unk_rate")
READ_ME = "README.md"


def publish(store: Store, run: str, target: Path, folder: str | None, *, half: bool) -> dict[str, Any]:
    """Write a run's network to ``target`` with a card; the figures on it are those of the written weights.

    Args:
        store: The database that knows the run.
        run: The run's id.
        target: A folder that is made; it must not exist.
        folder: Where the run's data are; None for a mini corpus.
        half: Keep the weights in half precision; they compute in single precision all the same.

    Returns:
        The facts on the card.

    Raises:
        CheckpointError: The target exists, or the checkpoint is not here; nothing was written.
        ModelError: The run's model is not a single network.
    """
    if target.exists():
        raise CheckpointError(f"{target} exists already. Nothing was written; name another folder, or remove that one.")
    found = find(store, run)
    classifier = classifiers.load(found.folder)
    if not isinstance(classifier, NeuralClassifier) or found.run_id is None:
        raise ModelError(f"{run}: only the network of a run can be published.")
    detail = queries.run_detail(store, found.run_id).run
    weights = classifier.model.state_dict()
    if half:
        weights = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}
    corpus = additional.load_corpus(classifier.recipe, str(detail["task_id"]), folder)
    if corpus.sha256 != detail["dataset_hash"]:
        raise CheckpointError(
            f"The data in {folder or 'the mini corpus'} are not those of run {run}. Nothing was written."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".publish-") as scratch:
        part = Path(scratch) / target.name
        checkpoint.save_network(part, classifier.recipe, classifier.model, weights, classifier.tokenizer)
        facts = _facts(detail, corpus, classifiers.load(part))
        checkpoint.save_network(part, classifier.recipe, classifier.model, weights, classifier.tokenizer, facts)
        (part / READ_ME).write_text(_card(classifier.recipe.label, facts), "utf-8")
        shutil.move(part, target)
    return facts


def _facts(run: dict[str, Any], corpus: data.Corpus, written: Any) -> dict[str, Any]:
    gold = corpus.test.labels
    prepared = written.prepare(corpus.test.texts)
    probabilities = probabilities_of(prepared, label="scoring what was written")
    values = metrics.classification(gold, probabilities)
    fresh = data.unseen(corpus.train, corpus.test)
    values.append(metrics.accuracy("accuracy_dedup", gold[fresh], probabilities[fresh].argmax(axis=1)))
    task, source = tasks.by_id(str(run["task_id"])), SOURCES[str(run["task_id"])]
    return {
        "about": {
            "run": run["run_id"], "seed": int(run["seed"]), "params": written.params, "licence": "Apache-2.0",
            "data": {"name": task.dataset, "split": task.split, "licence": source.licence, "sha256": corpus.sha256},
            "teacher": run["teacher"] if isinstance(run["teacher"], str) else None,
            "command": run["command"], "code": run["code_version"], "labels": list(task.labels),
            "metrics": {value.name: {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
                        for value in values if value.name in TOLD},
            "unk_rate": prepared.unk_rate,
        }
    }  # fmt: skip


def _card(label: str, facts: dict[str, Any]) -> str:
    about = facts["about"]
    rows = []
    for name, figure in about["metrics"].items():
        metric = known(name)
        percent = metric.unit == "percent"
        shown = f"{figure['value']:.2%}" if percent else f"{figure['value']:.4f}"
        between = f" (95% interval {figure['low']:.2%} to {figure['high']:.2%})" if percent and figure["low"] else ""
        rows.append(f"| {metric.label} | {shown}{between} | {figure['n']:,} |")
    source = about["data"]
    taught = f"distilled from: {about['teacher']}" if about["teacher"] else "trained on the labels alone"
    return "\n".join([
        f"# {label}", "",
        f"{about['params']:,} parameters, {taught}. Answers: {', '.join(about['labels'])}.", "",
        f"| metric on {source['name']}, {source['split']} | these weights | examples |", "|---|---|---|",
        *rows, "",
        f"Made by `{about['command']}` (seed {about['seed']}, run {about['run']}, code {about['code']}).",
        f"Data: {source['name']}, licence {source['licence']}, content hash {source['sha256'][:16]}.",
        f"Weights: safetensors, licence {about['licence']}. All hyperparameters are in `card.json`.", "",
    ])  # fmt: skip
