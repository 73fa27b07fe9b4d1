"""Models in memory: each once, a bounded number, the least recently used out first."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from db.storage.store import Store
from engine.base.errors import PrecisionError
from engine.inference import models
from engine.inference.model_cache import ModelCache
from engine.inference.models import ModelRef
from tests.factories.models import TINY, chosen, made_up, span_folder


class Weightless:
    """Something with a number of parameters, which is all that the cache asks of it."""

    sha256, runtime = "0" * 64, "numpy"

    def __init__(self, params: int) -> None:
        self.params, self.bytes = params, 4 * params


class Loader:
    """Counts what is loaded; a name that ends in ``-N`` has N parameters."""

    def __init__(self, seconds: float = 0.0) -> None:
        """Take so long for each."""
        self.loaded: list[tuple[str, str]] = []
        self.seconds = seconds

    def __call__(self, choice: ModelRef, precision: str) -> Any:
        """See ``loading.load``."""
        self.loaded.append((choice.key, precision))
        time.sleep(self.seconds)
        return Weightless(int(choice.key.rpartition("-")[2]))


def _keys(cache: ModelCache) -> list[str]:
    return [entry.ref.key for entry in cache.loaded()]


def test_eight_people_load_a_model_once() -> None:
    load = Loader(0.05)
    cache = ModelCache(load=load)
    loaded: list[Any] = []
    threads = [threading.Thread(target=lambda: loaded.append(cache.use(made_up("a-1")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert load.loaded == [("a-1", "float32")]
    assert len({id(entry) for entry in loaded}) == 1
    assert loaded[0].load_s >= 0.05


def test_the_least_recently_used_leaves_first() -> None:
    load = Loader()
    cache = ModelCache(max_models=2, load=load)
    for key in ("a-1", "b-1", "a-1", "c-1"):
        cache.use(made_up(key))
    assert _keys(cache) == ["c-1", "a-1"]
    cache.use(made_up("b-1"))
    assert [key for key, _ in load.loaded] == ["a-1", "b-1", "c-1", "b-1"]


def test_memory_is_bounded_and_a_single_giant_still_taken() -> None:
    cache = ModelCache(max_models=10, max_bytes=100, load=Loader())
    for key in ("a-10", "b-10"):
        cache.use(made_up(key))
    assert _keys(cache) == ["b-10", "a-10"]
    cache.use(made_up("c-10"))
    assert _keys(cache) == ["c-10", "b-10"]
    cache.use(made_up("giant-1000"))
    assert _keys(cache) == ["giant-1000"]


def test_number_formats_are_models_of_their_own() -> None:
    load = Loader()
    cache = ModelCache(load=load)
    cache.use(made_up("a-1"), "float32")
    cache.use(made_up("a-1"), "int8")
    assert load.loaded == [("a-1", "float32"), ("a-1", "int8")]


def test_a_failed_loading_is_tried_again() -> None:
    tries = []

    def load(choice: ModelRef, precision: str) -> Any:
        tries.append(choice.key)
        if len(tries) == 1:
            raise PrecisionError("not here")
        return Weightless(1)

    cache = ModelCache(load=load)
    with pytest.raises(PrecisionError, match="not here"):
        cache.use(made_up("a"))
    assert cache.use(made_up("a")).params == 1
    cache.clear()
    assert cache.loaded() == []


def test_weights_are_counted_in_the_format_that_they_have(tmp_path: Path) -> None:
    """Of a real model: bfloat16 takes half of float32, int8 less than that."""
    choice = chosen(span_folder(tmp_path / "spans"))
    cache = ModelCache()
    sizes = {precision: cache.use(choice, precision).bytes for precision in ("float32", "bfloat16", "int8")}
    held = cache.use(choice)
    assert sizes["float32"] >= 4 * held.params
    assert sizes["bfloat16"] * 2 == pytest.approx(sizes["float32"], rel=0.15)  # positions are whole numbers
    assert sizes["int8"] < sizes["float32"]


def test_a_shipped_model_is_counted(tmp_path: Path) -> None:
    held = ModelCache().use(models.named(Store(tmp_path / "no.duckdb"), TINY))
    assert held.bytes == held.model.bytes == 4 * held.params
