"""Which examples each run gets right, packed beside its predictions."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from db.storage import outcomes
from db.storage.changes import Change
from db.storage.outcomes import Outcomes
from db.storage.store import Store
from tests.factories.rows import with_tasks


@pytest.fixture
def store(store: Store) -> Store:
    """A store that knows the tasks and has no run."""
    return with_tasks(store)


def _write(store: Store, run_id: str, gold: list[str | None], predicted: list[str]) -> None:
    ids = [f"example-{number}" for number in range(len(gold))]
    frame = pd.DataFrame({"run_id": run_id, "example_id": ids, "gold": gold, "predicted": predicted})
    store.write([Change("predictions", frame.sample(frac=1, random_state=1), "replace")])


def _read(store: Store, *run_ids: str) -> list[Outcomes]:
    with store.read() as con:
        return outcomes.read(con, pa.array(run_ids))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 64, 65, 200])
def test_runs_on_the_same_examples_are_counted_together(store: Store, n: int) -> None:
    """Counts and covariances are those of the predictions, whatever their order and number."""
    right = np.random.default_rng(n).integers(0, 2, (3, n))
    for run, row in enumerate(right):
        _write(store, f"run-{run}", ["1"] * n, [str(value) for value in row])
    (result,) = _read(store, "run-0", "missing", "run-1", "run-2")
    assert result.runs.tolist() == [0, 2, 3]
    assert result.both.tolist() == (right @ right.T).tolist()
    if n > 1:
        assert result.covariance == pytest.approx(np.cov(right))


def test_other_examples_or_labels_are_another_set(store: Store) -> None:
    """A subset, another gold label, a missing gold label and answers in words are never paired with the whole."""
    _write(store, "a", ["1", "0"], ["1", "1"])
    _write(store, "subset", ["1"], ["1"])
    _write(store, "relabelled", ["1", "1"], ["1", "1"])
    _write(store, "unlabelled", ["1", None], ["1", "1"])
    _write(store, "words", ['["a cup"]', '["blue"]'], ["a cup", "blue"])
    assert [result.runs.tolist() for result in _read(store, "a", "subset", "relabelled", "unlabelled", "words")] == [
        [0],
        [1],
        [2],
    ]


def test_replaced_predictions_replace_the_outcomes(store: Store) -> None:
    """What is packed follows the predictions in the same transaction."""
    _write(store, "a", ["1", "0", "1"], ["1", "0", "1"])
    _write(store, "a", ["1", "0"], ["0", "0"])
    (result,) = _read(store, "a")
    assert (result.n, result.both.tolist()) == (2, [[1]])
