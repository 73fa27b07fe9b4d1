"""Which model to take for a task, where nobody names one: the best of its board whose checkpoint is here."""

from db.base.paths import checkpoint_folder
from db.registry.tasks import TASKS, Task, by_id, task_ids
from db.storage.store import Store
from engine.base.errors import CheckpointError
from engine.checkpoints import checkpoint, locate
from engine.checkpoints.shipped import shipped, shipped_folder

_CANDIDATES = """
    SELECT r.run_id FROM runs r JOIN metrics m ON m.run_id = r.run_id AND m.name = $metric
    WHERE r.task_id = $task AND r.source = 'measured' AND r.status = 'finished'
    ORDER BY m.value DESC, r.created_at DESC
"""


def find(store: Store, task_id: str) -> locate.Found:
    """The checkpoint to answer a task with.

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
        wanted = by_id(task_id)
    except KeyError:
        raise CheckpointError(f"There is no task {task_id!r}; there are {', '.join(task_ids())}.") from None
    boards = [wanted, *_related(wanted)]
    for task in boards:
        found = _shipped(task) or _measured(store, task)
        if found:
            return found
    raise CheckpointError(
        f"No model of the task {task_id} is on this machine. Looked at: the shipped checkpoints, and the runs of "
        f"{', '.join(task.task_id for task in boards)}. `featherboard list recipes` shows what can be trained."
    )


def _related(wanted: Task) -> list[Task]:
    alike = [task for task in TASKS if (task.language, task.metric) == (wanted.language, wanted.metric)]
    return sorted((task for task in alike if task != wanted), key=lambda task: task.mini)


def _shipped(task: Task) -> locate.Found | None:
    for name in shipped():
        folder = shipped_folder(name)
        if folder and checkpoint.read_card(folder).recipe.task == task.task_id:
            return locate.Found(folder)
    return None


def _measured(store: Store, task: Task) -> locate.Found | None:
    if not store.exists():
        return None
    rows = store.query(_CANDIDATES, {"metric": task.metric, "task": task.task_id})
    for run_id in rows["run_id"]:
        folder = checkpoint_folder(store.path, str(run_id))
        if folder.is_dir():
            return locate.Found(folder, str(run_id), task.task_id)
    return None
