"""Runs for tests that need something on the board; no torch."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from db.leaderboard.board import board
from db.runs.writer import MetricValue, ModelFacts, RunFacts, RunWriter
from db.statistics.intervals import wilson
from db.storage.changes import Change
from db.storage.journal import merged
from db.storage.store import Store, Written


def leaderboard(store: Store, task_id: str, *, every_run: bool = True) -> pd.DataFrame:
    """The rows of a board alone; in most tests ``board`` is a store."""
    return board(store, task_id, every_run=every_run).rows


def figures(store: Store, task_id: str, *, every_run: bool = True) -> dict[str, dict[str, float]]:
    """All figures that a board has, by run."""
    shown = board(store, task_id, every_run=every_run)
    pairs = zip(shown.rows["run_id"], shown.figures.to_dict("records"), strict=True)
    return {run_id: {name: value for name, value in row.items() if not pd.isna(value)} for run_id, row in pairs}


def facts(name: str = "KoBiLSTM-Tiny", **columns: Any) -> RunFacts:
    """The facts of a run on the mini reviews."""
    values: dict[str, Any] = {
        "task_id": "reviews-ko-mini",
        "task_version": 1,
        "model_id": "m",
        "name": name,
        "recipe": "kobilstm-tiny",
        "recipe_json": '{"train": {"epochs": 3}, "seed": 0}',
        "recipe_hash": "r",
        "seed": 0,
        "dataset": "reviews-ko-mini",
        "dataset_hash": "d",
        "split": "test",
        "device": "a test",
        "code_version": "0",
        "libraries": '{"python": "3"}',
        "command": "featherboard train kobilstm-tiny --seed 0",
    }
    return RunFacts(**{**values, **columns})


class _Gathering(Store):
    """Keeps what is written until all of it goes into the database in one transaction, in a third less time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.batch: list[Change] = []

    def append(self, batch: Sequence[Change]) -> None:
        self.batch += batch

    def write(self, batch: Sequence[Change], before: Any = None) -> Written:
        self.batch += batch
        return "committed"


@contextmanager
def in_one_write(store: Store) -> Iterator[Store]:
    """A store for ``add_run`` that writes all of its runs at once, at the end: many in the time of one."""
    gathering = _Gathering(store.path)
    yield gathering
    store.write(list(merged(gathering.batch)))


def add_run(
    store: Store,
    *more: MetricValue,
    accuracy: float,
    name: str = "KoBiLSTM-Tiny",
    model: ModelFacts | None = None,
    **columns: Any,
) -> str:
    """A finished, verified run with three epochs of curves and 200 predictions; returns its id.

    The first examples are the right ones, so that of two runs the better one answers right all that the other does.
    """
    model = model or ModelFacts("m", name, "KoBiLSTM", "bilstm", {"hidden_dim": 16, "embedding_dim": 8}, 27_394, "ko")
    gathering = _Gathering(store.path)
    writer = RunWriter.start(gathering, model, facts(name, model_id=model.model_id, **columns))
    for step in range(1, 31):
        writer.point("train_loss", step, 1.0 / step, epoch=step / 10, wall_time=step * 0.1)
    for epoch in (1, 2, 3):
        writer.point("validation_loss", epoch * 10, 0.7 - epoch / 10, epoch=epoch, wall_time=epoch)
        writer.point("validation_accuracy", epoch * 10, 0.5 + epoch / 20, epoch=epoch, wall_time=epoch)
        writer.point("learning_rate", epoch * 10, 0.001, epoch=epoch, wall_time=epoch)
    right = round(200 * accuracy)
    gold = [str(i % 2) for i in range(200)]
    predicted = [g if i < right else str(1 - int(g)) for i, g in enumerate(gold)]
    interval = wilson(right, 200)
    writer.finish(
        [MetricValue("accuracy", right / 200, 200, interval.low, interval.high), *more],
        train_seconds=3.2,
        verified=True,
        predictions=pd.DataFrame(
            {"example_id": [f"e{i}" for i in range(200)], "gold": gold, "predicted": predicted, "score": 0.9}
        ),
    )
    store.write(list(merged(gathering.batch)))
    return writer.run_id


def add_runs(store: Store, *scores: float, **columns: Any) -> list[str]:
    """Runs of some accuracies that differ in their seeds, unless these are named, in one write; returns their ids."""
    with in_one_write(store) as gathering:
        return [add_run(gathering, accuracy=score, **{"seed": seed, **columns}) for seed, score in enumerate(scores)]


def add_twin(store: Store, *more: MetricValue, accuracy: float, distilled: bool, size: int = 16, **columns: Any) -> str:
    """A run of a plain or distilled variant of one shape; returns its id."""
    kind = "Distil" if distilled else ""
    model = ModelFacts(
        f"{kind}{size}",
        f"{kind}KoBiLSTM-{size}",
        f"{kind}KoBiLSTM",
        "bilstm",
        {"vocab_size": 3000, "embedding_dim": 8, "hidden_dim": size},
        1000 * size,
        "ko",
    )
    fields = {"recipe_hash": f"{kind}{size}", "teacher": "KoBiLSTM-Large" if distilled else None, **columns}
    return add_run(store, *more, accuracy=accuracy, name=model.name, model=model, **fields)
