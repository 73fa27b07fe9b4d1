"""The speed lab: times in turns, and their way onto the board."""

from pathlib import Path
from typing import Any

import pytest

from db.runs import timings
from db.storage.store import Store
from engine.base.errors import DataError
from engine.inference import speed
from engine.inference.predictor import Predictor
from tests.factories.models import open_predictor, span_folder


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    folder = tmp_path_factory.mktemp("lab")
    span_folder(folder / "spans")
    return open_predictor(Store(folder / "no.duckdb"))


def _held(predictor: Predictor, *formats: str) -> list:
    return [predictor.load(f"folder:{predictor.store.path.parent / 'spans'}", precision) for precision in formats]


def test_every_model_is_called_as_often_in_turns(predictor: Predictor, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nobody always goes first."""
    calls: list[str] = []
    real = speed._call

    def call(held: Any, window: Any) -> float:
        calls.append(held.precision)
        return real(held, window)

    monkeypatch.setattr(speed, "_call", call)
    shares: list[float] = []
    result = speed.measure(
        predictor.executor,
        _held(predictor, "float32", "int8"),
        "How is the box?",
        "The box is red.",
        5,
        progress=shares.append,
    )
    assert [len(timing.times_ms) for timing in result] == [5, 5]
    assert len(calls) == 2 * (5 + speed.WARM_UP)
    firsts = calls[::2]
    assert set(firsts) == {"float32", "int8"}
    assert shares[-1] == 1
    assert all(timing.quantile(0.5) > 0 for timing in result)
    assert result[0].tokens == len(
        ["[CLS]", "how", "is", "the", "box", "?", "[SEP]", "the", "box", "is", "red", ".", "[SEP]"]
    )


@pytest.mark.parametrize("calls", [0, 501])
def test_a_number_of_calls_out_of_range_is_told(predictor: Predictor, calls: int) -> None:
    with pytest.raises(DataError, match="between 1 and 500"):
        speed.measure(predictor.executor, _held(predictor, "float32"), "How?", "The box is red.", calls)


def test_kept_times_are_measured_runs_of_this_device(predictor: Predictor, board: Store) -> None:
    result = speed.measure(predictor.executor, _held(predictor, "float32", "bfloat16"), "How?", "The box is red.", 4)
    ids = speed.keep(board, result, "A desk of oak")
    rows = timings.measured(board)
    assert set(rows["run_id"]) == set(ids)
    assert set(rows["machine"]) == {"A desk of oak"}
    assert set(rows["precision"]) == {"float32", "bfloat16"}
    for run_id, timing in zip(ids, result, strict=True):
        (row,) = timings.of_run(board, run_id).to_dict("records")
        assert row["p50_ms"] == pytest.approx(timing.quantile(0.5))
        assert (row["calls"], row["tokens"], row["batch"]) == (4, timing.tokens, 1)
    stored = board.query("SELECT source, status, verified, notes FROM runs WHERE run_id = ?", [ids[0]]).iloc[0]
    assert (stored["source"], stored["status"]) == ("measured", "finished")
    assert "in turns" in stored["notes"]


def test_only_times_at_the_common_length_are_compared(predictor: Predictor, board: Store, tmp_path: Path) -> None:
    """A short question has no figure on the board of devices, which compares models at 384 tokens."""
    (run_id,) = speed.keep(
        board, speed.measure(predictor.executor, _held(predictor, "float32"), "How?", "The box is red.", 4)
    )
    names = set(board.query("SELECT name FROM metrics WHERE run_id = ?", [run_id])["name"])
    assert names == {"load_seconds"}
