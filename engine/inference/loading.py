"""Load a model in the runtime that answers soonest: NumPy, ONNX Runtime or torch.

A BiLSTM is computed by NumPy, a transformer by ONNX Runtime, and everything else by torch, as is every model in
bfloat16 or int8. Torch is imported where it is needed: that alone takes two seconds and 200 MB.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from db.base.paths import checkpoint_folder
from db.registry.tasks import TASKS, Task, by_id, task_ids
from engine.base.errors import CheckpointError, ModelError, PrecisionError
from engine.checkpoints import locate
from engine.checkpoints.card import read_card
from engine.checkpoints.shipped import shipped, shipped_folder
from engine.data.question import Question
from engine.families.span_qa import windows
from engine.families.span_qa.answerer import Answerer
from engine.inference.loaders import torch_free
from engine.networks.classifier import Classifier, probabilities_of

if TYPE_CHECKING:
    from db.storage.store import Store
    from engine.inference.models import ModelRef

AUTO, TORCH, ONNX = "auto", "torch", "onnx"
RUNTIMES = (AUTO, TORCH, ONNX)
VARIABLE = "FEATHERBOARD_RUNTIME"
"""The environment variable with the runtime of every model that nobody chose one for."""

_CANDIDATES = """
    SELECT r.run_id FROM runs r JOIN metrics m ON m.run_id = r.run_id AND m.name = $metric
    WHERE r.task_id = $task AND r.source = 'measured' AND r.status = 'finished'
    ORDER BY m.value DESC, r.created_at DESC
"""


def load(ref: "ModelRef", precision: str = "float32", threads: int | None = None) -> Answerer | Classifier:
    """Read a model in a number format, and let it answer once.

    A first answer takes several times as long as a later one: only then the pages of the weights are read from the
    disk, and the operations planned. No visitor is shown that time.

    Args:
        ref: Which.
        precision: See ``engine.networks.quantization``.
        threads: Processor threads; None: as many as this process has cores.

    Raises:
        CheckpointError: It is damaged or a pickle.
        ModelError: What lies under its adapter is missing.
        PrecisionError: The format cannot be had here, or does not suit the model.
        PlaygroundError: It is no model that can be tried.
    """
    if ref.ours:
        model = open_checkpoint(ref.folder, precision, threads=threads)
    else:
        from engine.base import device  # noqa: PLC0415 - imports torch
        from engine.inference.loaders import torch_models  # noqa: PLC0415 - imports torch

        device.pin_threads(threads)
        model = torch_models.load(ref, precision)
    if isinstance(model, Answerer):
        question = Question("warm-up", "What is warm?", "The room is warm.")
        model.logits(windows.cut(model.tokenizer, [question], model.recipe.qa))
    else:
        probabilities_of(model.prepare([("It is warm.", "It is not cold.") if ref.reads == "nli" else ("Warm.",)]))
    return model


def open_checkpoint(
    folder: Path, precision: str = "float32", *, runtime: str | None = None, threads: int | None = None
) -> Answerer | Classifier:
    """Read a checkpoint of ours.

    Args:
        folder: Of the checkpoint.
        precision: See ``engine.networks.quantization``.
        runtime: One of ``RUNTIMES``; None: the environment's, or else ``auto``, the one that answers soonest.
        threads: Processor threads; None: as many as this process has cores.

    Raises:
        CheckpointError: It is damaged or a pickle.
        ModelError: What lies under its adapter is missing.
        PrecisionError: Runtime or format are unknown or cannot be had here, or do not suit the model.
    """
    runtime = runtime or os.environ.get(VARIABLE) or AUTO
    if runtime not in RUNTIMES:
        raise PrecisionError(f"There is no runtime {runtime!r}; there are {', '.join(RUNTIMES)}.")
    if precision == "float32" and runtime != TORCH:
        model = torch_free.load(folder, threads, must=runtime == ONNX)
        if model is not None:
            return model
    from engine.base import device  # noqa: PLC0415 - imports torch
    from engine.inference.loaders import torch_models  # noqa: PLC0415 - imports torch

    device.pin_threads(threads)
    return torch_models.of_checkpoint(folder, precision)


def open_answerer(
    folder: Path, precision: str = "float32", *, runtime: str | None = None, threads: int | None = None
) -> Answerer:
    """Read a checkpoint of ours that answers questions; see ``open_checkpoint``.

    Raises:
        ModelError: It classifies texts; and see ``open_checkpoint``.
    """
    recipe = read_card(folder).recipe
    model = (
        open_checkpoint(folder, precision, runtime=runtime, threads=threads) if recipe.model.kind == "span" else None
    )
    if not isinstance(model, Answerer):
        raise ModelError(f"{folder}: {recipe.label} has no question-answering head; it classifies texts.")
    return model


def open_classifier(folder: Path, *, threads: int | None = None, many: bool = False) -> Classifier:
    """Read a checkpoint of ours that classifies texts.

    Args:
        folder: Of the checkpoint.
        threads: Processor threads; None: as many as this process has cores.
        many: It will be asked about many texts, for which a GPU, which torch alone uses, is worth the import of torch.

    Raises:
        ModelError: It answers questions or names hidden words; and see ``open_checkpoint``.
    """
    on_gpu = many and Path("/dev/nvidiactl").exists()
    model = open_checkpoint(folder, runtime=TORCH if on_gpu else None, threads=threads)
    if not isinstance(model, Classifier):
        raise ModelError(f"{folder}: {model.recipe.label} marks answers in texts; `featherboard ask` uses it.")
    if on_gpu:
        from engine.networks.neural_classifier import fastest  # noqa: PLC0415 - imports torch

        model = fastest(model)
    return model


def best_checkpoint(store: "Store", task_id: str) -> locate.LocatedCheckpoint:
    """The best checkpoint for a task on this machine.

    A shipped one of that task goes before a run of its board, a run with a higher score before one with a lower. Where
    the task has neither, those of tasks in the same language and with the same metric are looked through, mini corpora
    last.

    Args:
        store: The database whose runs are looked through.
        task_id: Such as ``korquad``.

    Raises:
        CheckpointError: There is no such task, or no model of it is on this machine.
    """
    try:
        requested = by_id(task_id)
    except KeyError:
        raise CheckpointError(f"There is no task {task_id!r}. Tasks: {', '.join(task_ids())}.") from None
    boards = [requested, *_related(requested)]
    for task in boards:
        if checkpoint_path := _shipped(task) or _measured(store, task):
            return checkpoint_path
    raise CheckpointError(
        f"No model of the task {task_id} is on this machine. Searched: the shipped checkpoints, and the runs of "
        f"{', '.join(task.task_id for task in boards)}. `featherboard list recipes` shows what can be trained."
    )


def _related(requested: Task) -> list[Task]:
    alike = [task for task in TASKS if (task.language, task.metric) == (requested.language, requested.metric)]
    return sorted((task for task in alike if task != requested), key=lambda task: task.mini)


def _shipped(task: Task) -> locate.LocatedCheckpoint | None:
    for name in shipped():
        folder = shipped_folder(name)
        if folder and read_card(folder).recipe.task == task.task_id:
            return locate.LocatedCheckpoint(folder)
    return None


def _measured(store: "Store", task: Task) -> locate.LocatedCheckpoint | None:
    if not store.exists():
        return None
    rows = store.query(_CANDIDATES, {"metric": task.metric, "task": task.task_id})
    for run_id in rows["run_id"]:
        folder = checkpoint_folder(store.path, str(run_id))
        if folder.is_dir():
            return locate.LocatedCheckpoint(folder, str(run_id), task.task_id)
    return None
