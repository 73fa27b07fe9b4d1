"""A run's checkpoint made ready to give away: small, scored as it is given, with a card that says where it is from."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from db.registry import tasks
from db.registry.metrics import known
from db.runs import detail as queries
from db.storage.store import Store
from engine.base.errors import CheckpointError, ModelError
from engine.checkpoints import checkpoint
from engine.checkpoints.locate import find
from engine.data.extra_training_data import FILES
from engine.families.registry import family_of
from engine.recipes.schema import Recipe
from engine.trainer.training_run import Evaluation
from engine.training import run as pipeline

CARD_METRICS = (
    "accuracy",
    "accuracy_mismatched",
    "accuracy_dedup",
    "macro_f1",
    "log_loss",
    "unk_rate",
    "f1",
    "em",
    "f1_seed",
    "em_seed",
)
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
    located = find(store, run)
    card = checkpoint.read_card(located.folder)
    if not card.recipe.is_network or located.run_id is None:
        raise ModelError(f"{run}: only the network of a run can be published.")
    detail = queries.run_detail(store, located.run_id).run
    dataset_hash = pipeline.dataset_hash(card.recipe, str(detail["task_id"]), folder)
    if dataset_hash != detail["dataset_hash"]:
        raise CheckpointError(
            f"The data in {folder or 'the mini corpus'} are not those of run {run}. Nothing was written."
        )
    weights = checkpoint.read_weights(located.folder, card)
    if half:
        weights = {name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()}
    side = {name: (located.folder / name).read_text("utf-8") for name in card.facts.get("files", {})}
    own = {key: value for key, value in card.facts.items() if key not in checkpoint.WRITTEN}
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".publish-") as scratch:
        part = Path(scratch) / target.name
        checkpoint.save(part, card.recipe, weights, side, own)
        scored = family_of(card.recipe).evaluate(
            part, str(detail["task_id"]), folder, label="scoring what was written", timed=False, exact=True
        )
        facts = _facts(detail, card.recipe, scored)
        checkpoint.save(part, card.recipe, weights, side, {**own, **facts})
        (part / READ_ME).write_text(_card(card.recipe, facts), "utf-8")
        shutil.move(part, target)
    return facts


def _facts(run: dict[str, Any], recipe: Recipe, scored: Evaluation) -> dict[str, Any]:
    task = tasks.by_id(str(run["task_id"]))
    return {
        "about": {
            "run": run["run_id"],
            "seed": int(run["seed"]),
            "params": scored.params,
            "licence": "Apache-2.0",
            "data": {
                "name": task.dataset,
                "split": task.split,
                "licence": scored.licence,
                "sha256": run["dataset_hash"],
                "added": {name: FILES[name].licence for name in recipe.data.add},
            },
            "after": getattr(recipe.model, "after", None),
            "teacher": run["teacher"] if isinstance(run["teacher"], str) else None,
            "command": run["command"],
            "code": run["code_version"],
            "labels": list(task.labels),
            "metrics": {
                value.name: {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
                for value in scored.metrics
                if value.name in CARD_METRICS
            },
            "unk_rate": scored.unk_rate,
            "base": getattr(recipe.model, "source", None) if recipe.adapter else None,
        }
    }


def _card(recipe: Recipe, facts: dict[str, Any]) -> str:
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
    answers = f"Answers: {', '.join(about['labels'])}." if about["labels"] else "Answers are cut from a text."
    if recipe.adapter:
        held = "only the layers that learned, in 8 bits" if recipe.adapter.whole else "an adapter"
        taught += f"; {held}: the encoder itself, {about['base']}, lies elsewhere"
    if about.get("after"):
        taught += f"; it goes on from {about['after']}"
    added = [f"{name} (licence {licence})" for name, licence in source.get("added", {}).items()]
    return "\n".join(
        [
            f"# {recipe.label}",
            "",
            f"{about['params']:,} parameters, {taught}. {answers}",
            "",
            f"| metric on {source['name']}, {source['split']} | these weights | examples |",
            "|---|---|---|",
            *rows,
            "",
            f"Made by `{about['command']}` (seed {about['seed']}, run {about['run']}, code {about['code']}).",
            f"Data: {source['name']}, licence {source['licence']}, content hash {source['sha256'][:16]}.",
            *([f"It also learned from: {', '.join(added)}."] if added else []),
            f"Weights: safetensors, licence {about['licence']}. All hyperparameters are in `card.json`.",
            "",
        ]
    )
