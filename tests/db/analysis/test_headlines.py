"""Which facts of a database the overview shows first."""

import pandas as pd
import pytest

from dashboard.findings.data_scaling import COMPARED
from db.analysis import headlines
from db.leaderboard import overview
from db.storage.store import Store


def _rows(task_id: str, *models: tuple[str, float, float]) -> list[dict[str, object]]:
    return [
        {"task_id": task_id, "model": name, "run_id": name, "score": score, "checkpoint_bytes": size, "verified": True}
        for name, score, size in models
    ]


def test_the_smallest_model_is_shown_where_it_is_smallest_beside_the_best() -> None:
    """Not on the task with the most models, whose best one may be alone within a point of its score."""
    rows = [
        *_rows("alone", ("large", 0.9, 1e8), ("medium", 0.7, 1e7), ("tiny", 0.6, 1e5)),
        *_rows("near", ("teacher", 0.88, 4e7), ("student", 0.875, 2e5)),
        *_rows("single", ("only", 0.5, 1.0)),
    ]
    tasks = pd.DataFrame({"task_id": ["alone", "near", "single"], "percent": True, "mini": False})
    fact = headlines.smallest(overview.Cells(tasks, pd.DataFrame(rows)))
    assert fact is not None
    assert (fact.task_id, fact.model, fact.best_bytes / fact.bytes) == ("near", "student", pytest.approx(200))


@pytest.mark.shipped
def test_the_shipped_runs_show_a_student_beside_its_teacher(shipped: Store) -> None:
    """A new row on any board does not hide it."""
    fact = headlines.smallest(overview.cells(shipped))
    assert fact is not None
    assert (fact.task_id, fact.model) == ("nsmc", "DistilKoBiLSTM-Small, E5 teacher")
    assert fact.best_bytes > 900 * fact.bytes


@pytest.mark.shipped
def test_the_shipped_runs_show_gains_that_are_no_chance(shipped: Store) -> None:
    """What pretraining adds is told where intervals are apart, although another task has more seeds of the pair."""
    gains = headlines.gains(shipped, overview.cells(shipped), COMPARED)
    assert (gains["pretraining"].task_id, gains["pretraining"].apart) == ("klue-nli", 1)
    assert gains["pretraining"].mean == pytest.approx(0.1578, abs=1e-4)
    assert (gains["distillation"].task_id, gains["distillation"].models) == ("nsmc", 10)
    alone = headlines.gains(shipped, overview.cells(shipped))["pretraining"]
    assert (alone.task_id, alone.apart) == ("klue-nli", 1)
