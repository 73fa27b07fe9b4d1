"""Which checkpoint a name means: a shipped one, a folder, or a run of the board whose checkpoint is on this machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from db.base.errors import NotFoundError, StoreMissingError
from db.base.paths import checkpoint_folder
from engine.base.errors import CheckpointError
from engine.checkpoints.shipped import shipped, shipped_folder

if TYPE_CHECKING:
    from db.storage.store import Store


@dataclass(frozen=True)
class LocatedCheckpoint:
    """A checkpoint's folder and, where it belongs to a run of the board, the run's id and task."""

    folder: Path
    run_id: str | None = None
    task_id: str | None = None


def without_board(name: str) -> LocatedCheckpoint | None:
    """The shipped checkpoint of that name, or the folder; see ``find``, which takes half a second more to import."""
    folder = shipped_folder(name) or Path(name).expanduser()
    return LocatedCheckpoint(folder) if folder.is_dir() else None


def find(store: "Store", name: str) -> LocatedCheckpoint:
    """The checkpoint that a name means.

    A shipped name goes before a folder of the same name; ``./NAME`` means the folder.

    Args:
        store: The database whose runs are looked through; it need not exist.
        name: A shipped name, a folder, or a run's id or the beginning of one.

    Raises:
        CheckpointError: Nothing is called that, or it is a run whose checkpoint is elsewhere; the message says what was
            tried and what to do.
    """
    if located := without_board(name):
        return located
    from db.runs import detail  # noqa: PLC0415 - SciPy and pandas: a second that a shipped model need not wait

    try:
        run = detail.run_detail(store, name).run
    except (NotFoundError, StoreMissingError) as error:
        names = ", ".join(shipped()) or "none in this installation"
        raise CheckpointError(
            f"There is no model {name!r}. Tried: the shipped checkpoints ({names}); a folder of that name; the runs of "
            f"the board. {error}"
        ) from None
    checkpoint = checkpoint_folder(store.path, str(run["run_id"]))
    if not checkpoint.is_dir():
        raise CheckpointError(
            f"The checkpoint of run {name} is not on this machine ({checkpoint}). "
            + (f"Train it again with: {run['command']}" if run["command"] else "It was only reported.")
        )
    return LocatedCheckpoint(checkpoint, str(run["run_id"]), str(run["task_id"]))
