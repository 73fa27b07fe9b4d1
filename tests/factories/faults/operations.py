"""What is tried with faults: how it is prepared, what it does, and what is there afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from db.bootstrap import backup as backups
from db.bootstrap import create
from db.runs import bundles
from db.runs.writer import MetricValue, RunWriter
from db.storage import access, database_file, journal, migrations
from db.storage.store import Store
from tests.factories.rows import model_facts, run_facts, whole_run, write_older

Say = Callable[[str], None]
OLD, NEW = "run-00000001", "run-00000002"
_WAITING = [f"run-0000001{number}" for number in range(3)]


@dataclass(frozen=True)
class Operation:
    """One row of the table.

    Attributes:
        prepare: Fills a folder.
        act: Works in a folder, and says what was acknowledged.
        before: Runs that are there before.
        attempted: Runs that it may bring.
        together: Whether they come all or none.
    """

    prepare: Callable[[Path], None]
    act: Callable[[Path, Say], None]
    before: frozenset[str] = frozenset({OLD})
    attempted: frozenset[str] = frozenset({NEW})
    together: bool = True

    def look(self, folder: Path) -> dict[str, Any]:
        """List the runs of all databases in the folder, those that are there in part, and findings about files."""
        store = _store(folder)
        if not store.exists():
            return {"runs": [], "half": [], "rejected": 0, "copied": None}
        store.migrate()  # a kill may come between two steps of the schema
        with store.read() as con:
            rows = con.execute(
                "SELECT run_id, (SELECT count(*) FROM metrics m WHERE m.run_id = r.run_id), "
                "(SELECT count(*) FROM curves c WHERE c.run_id = r.run_id), status FROM runs r ORDER BY ALL"
            ).fetchall()
        half = [row[0] for row in rows if row[3] == "finished" and (row[1], row[2]) != (2, 2)]
        copy = Store(folder / "copy.duckdb")
        copied = copy.query("SELECT run_id FROM runs ORDER BY ALL")["run_id"].tolist() if copy.exists() else None
        return {
            "runs": [row[0] for row in rows],
            "half": half,
            "rejected": len(journal.rejected(store.path)),
            "copied": copied,
        }


def _store(folder: Path) -> Store:
    access.instance().execute("SET threads = 1")
    return Store(folder / "board.duckdb", wait_s=60)


def _filled(folder: Path) -> None:
    _store(folder).write([create.task_rows()])
    _store(folder).write(whole_run(OLD))


def _write(folder: Path, say: Say) -> None:
    _store(folder).write(whole_run(NEW))
    say(NEW)


def _append(folder: Path, say: Say) -> None:
    _store(folder).append(whole_run(NEW))
    say(NEW)


def _waiting(folder: Path) -> None:
    _filled(folder)
    for run_id in _WAITING:
        journal.put(_store(folder).path, whole_run(run_id))


def _take_in(folder: Path, say: Say) -> None:
    database_file.LOG_BYTES = 0
    _store(folder).take_in(60)
    say(_WAITING[0])


def _older(folder: Path) -> None:
    steps = migrations.steps()
    migrations.steps = lambda: steps[:6]  # type: ignore[assignment]
    write_older(_store(folder), [part for part in whole_run(OLD) if part.table != "tasks"])
    migrations.steps = lambda: steps  # type: ignore[assignment]


def _migrate(folder: Path, say: Say) -> None:
    _store(folder).migrate()
    say(OLD)


def _bundle(folder: Path) -> None:
    _filled(folder)
    other = folder / "other"
    other.mkdir()
    _filled(other)
    for run_id in _WAITING:
        _store(other).write(whole_run(run_id))
    bundles.export_runs(_store(other), folder / "runs.fbundle", _WAITING)


def _import(folder: Path, say: Say) -> None:
    bundles.import_runs(_store(folder), folder / "runs.fbundle")
    say(_WAITING[0])


def _backup(folder: Path, _: Say) -> None:
    backups.backup(_store(folder), folder / "copy.duckdb")


def _with_copy(folder: Path) -> None:
    _filled(folder)
    _write(folder, print_nothing)
    backups.backup(_store(folder), folder / "copy.duckdb")


def print_nothing(_: str) -> None:
    """Say nothing."""


def _restore(folder: Path, _: Say) -> None:
    backups.restore(_store(folder), folder / "copy.duckdb")


def _repair(folder: Path, _: Say) -> None:
    backups.repair(_store(folder))


class _Saving(Operation):
    """A checkpoint and the state to resume from."""

    def look(self, folder: Path) -> dict[str, Any]:
        """Name the state that can be read; a folder with a card must be whole."""
        from engine.checkpoints import checkpoint

        _, facts = checkpoint.load_state(folder / "state.safetensors")
        if (folder / checkpoint.CARD).exists():
            checkpoint.read_weights(folder, checkpoint.read_card(folder))
        return {"runs": [OLD, NEW][: facts["step"]], "half": [], "rejected": 0, "copied": None}


def _save(folder: Path, step: int) -> None:
    import torch

    from engine.checkpoints import checkpoint
    from tests.factories.recipes import toy_recipe

    weights = {"weight": torch.ones(1000) * step}
    checkpoint.save_state(folder / "state.safetensors", weights, {"step": step})
    if step == 2:
        checkpoint.save(folder, toy_recipe(), weights, {"labels.txt": "0 1"})


def _training(folder: Path, say: Say) -> None:
    """A run as a training writes it; each step is acknowledged."""
    writer = RunWriter.start(_store(folder), model_facts(), run_facts(), NEW)
    say(NEW)
    for step in (1, 2):
        writer.point("loss", step, 1 / step, epoch=1.0, wall_time=1.0)
        writer.beat(force=True)
    writer.finish([MetricValue("accuracy", 0.875, 8), MetricValue("latency_ms_p50", 0.5)], train_seconds=1.0)


OPERATIONS = {
    "write": Operation(_filled, _write),
    "append": Operation(_filled, _append),
    "training": Operation(_filled, _training),
    "take-in": Operation(_waiting, _take_in, frozenset({OLD, *_WAITING}), frozenset()),
    "create": Operation(print_nothing, lambda folder, say: _filled(folder), frozenset(), frozenset({OLD})),  # type: ignore[arg-type]
    "migrate": Operation(_older, _migrate, attempted=frozenset()),
    "import": Operation(_bundle, _import, attempted=frozenset(_WAITING)),
    "backup": Operation(_waiting, _backup, frozenset({OLD, *_WAITING}), frozenset()),
    "restore": Operation(_with_copy, _restore, frozenset({OLD, NEW}), frozenset()),
    "checkpoint": _Saving(lambda folder: _save(folder, 1), lambda folder, _: _save(folder, 2)),
    "repair": Operation(_with_copy, _repair, frozenset({OLD, NEW}), frozenset()),
}
