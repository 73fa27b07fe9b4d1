"""Re-scoring a run from its per-example predictions."""

from typing import Any

import pandas as pd
import pytest

from db.changes import Change
from db.runs import MetricValue, metrics_change
from db.store import Store
from db.verify import TOLERANCE, agrees, rescore
from tests.db_samples import change, model_row, run_row, value_of, with_tasks

TASK, SIZE, RIGHT = "reviews-ko-mini", 200, 150
RUN = "run-00000001"


def _predictions(count: int = SIZE, right: int = RIGHT) -> pd.DataFrame:
    number = pd.Series(range(count))
    return pd.DataFrame({"run_id": RUN, "example_id": number.astype(str), "gold": "1",
                         "predicted": (number < right).astype(int).astype(str)})  # fmt: skip


def _write(store: Store, predictions: pd.DataFrame, accuracy: float = RIGHT / SIZE, **columns: Any) -> None:
    with_tasks(store)
    store.write([
        change("models", model_row()), change("runs", run_row(RUN, **{"task_id": TASK, **columns})),
        metrics_change(RUN, [MetricValue("accuracy", accuracy, SIZE)]), Change("predictions", predictions, "replace"),
    ])  # fmt: skip


def _verdict(store: Store) -> bool:
    with store.transaction() as con:
        rescore(con, [RUN])
    return bool(value_of(store, "SELECT verified FROM runs"))


def test_run_whose_predictions_give_its_accuracy_is_verified(store: Store) -> None:
    """All examples once and the right share: verified, in memory as in the store."""
    _write(store, _predictions())
    assert _verdict(store)
    assert agrees(_predictions(), RIGHT / SIZE, SIZE)


@pytest.mark.parametrize(("off", "verdict"), [(0.9, True), (-0.9, True), (1.1, False), (-1.1, False)])
def test_accuracy_must_agree_to_the_tolerance(store: Store, off: float, verdict: bool) -> None:
    """An accuracy that is rounded to the last printed digit passes, one that is off by more does not."""
    _write(store, _predictions(), RIGHT / SIZE + off * TOLERANCE)
    assert _verdict(store) is verdict


def _without_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Wrong answers withdrawn: the share among those given is 1."""
    return rows.assign(predicted=rows["predicted"].where(rows["predicted"] == "1"))


@pytest.mark.parametrize(
    ("rows", "accuracy"),
    [
        (_predictions(SIZE - 1), RIGHT / (SIZE - 1)),
        (_predictions(SIZE + 1), RIGHT / (SIZE + 1)),
        (pd.concat([_predictions(SIZE - 1), _predictions(1)]), RIGHT / SIZE),
        (_predictions(0), 0.0),
        (_without_answers(_predictions()), 1.0),
    ],
    ids=["one missing", "one too many", "one twice", "none", "unanswered ones left out"],
)
def test_incomplete_predictions_are_not_verified(store: Store, rows: pd.DataFrame, accuracy: float) -> None:
    """A run that does not predict every example exactly once is not verified, whatever its share."""
    _write(store, rows, accuracy)
    assert not _verdict(store)


def test_unanswered_example_counts_as_wrong(store: Store) -> None:
    """A run that leaves examples unanswered is verified with the share among all examples."""
    _write(store, _without_answers(_predictions()), RIGHT / SIZE)
    assert _verdict(store)


def test_failed_verification_takes_the_badge_away(store: Store) -> None:
    """A run that was verified and whose figure no longer agrees loses the badge."""
    _write(store, _predictions(), accuracy=0.99, verified=True)
    assert not _verdict(store)


def test_task_without_a_split_size_cannot_be_verified(store: Store) -> None:
    """Where the number of examples is not known, nothing is verified."""
    _write(store, _predictions(), task_id="glue")
    assert not _verdict(store)


def test_only_the_named_runs_are_scored_again(store: Store) -> None:
    """A run that is not named keeps its badge as it is."""
    _write(store, _predictions())
    with store.transaction() as con:
        rescore(con, ["nobody"])
    assert not value_of(store, "SELECT verified FROM runs")
