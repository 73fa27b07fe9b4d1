"""The models in memory: each loaded once, a bounded number of them, the least recently used out first."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import LRUCache
from torch import nn

from engine.families.span_qa.answerer import Answerer
from engine.inference import loading
from engine.inference.models import ModelRef
from engine.inference.schemas import ModelInfo
from engine.networks import quantization
from engine.networks.classifier import Classifier

MAX_MODELS = 6
MAX_BYTES = 2 * 1024**3
"""Of weights in memory; a single larger model is still taken, alone."""


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model in memory.

    Attributes:
        ref: Which.
        precision: Its number format; see ``engine.networks.quantization``.
        model: An ``Answerer`` where it answers questions, else a ``Classifier``.
        params: Parameters.
        bytes: Of its weights in memory.
        load_s: Seconds that loading took.
    """

    ref: ModelRef
    precision: str
    model: Answerer | Classifier
    params: int
    bytes: int
    load_s: float

    @property
    def sha256(self) -> str:
        """Hash of the weights on disk."""
        return self.model.sha256

    def info(self) -> ModelInfo:
        """The model as answers name it."""
        ref = self.ref
        return ModelInfo(
            key=ref.key,
            name=ref.name,
            precision=self.precision,
            params=self.params,
            bytes=self.bytes,
            run_id=ref.run_id,
        )


class _Bounded(LRUCache[tuple[str, str], LoadedModel]):
    """At most so many models, and so many bytes; a model that is larger than that stays alone."""

    def __init__(self, max_models: int, max_bytes: int) -> None:
        super().__init__(max_bytes, getsizeof=lambda model: min(model.bytes, max_bytes))
        self.max_models = max_models

    def __setitem__(self, key: tuple[str, str], model: LoadedModel) -> None:
        super().__setitem__(key, model)
        while len(self) > self.max_models:
            self.popitem()


class ModelCache:
    """Models in memory, shared by all requests."""

    def __init__(
        self,
        max_models: int = MAX_MODELS,
        max_bytes: int = MAX_BYTES,
        load: Callable[[ModelRef, str], Answerer | Classifier] = loading.load,
    ) -> None:
        """Start empty; ``load`` reads a model in a number format."""
        self._load = load
        self._models = _Bounded(max_models, max_bytes)
        self._lock = threading.Lock()
        self._loading: dict[tuple[str, str], threading.Lock] = {}

    def use(self, ref: ModelRef, precision: str = quantization.FLOAT32) -> LoadedModel:
        """A model, loaded where it is not in memory; concurrent requests for one model share its loading.

        Raises:
            FeatherboardError: It cannot be loaded, or not in that format; the message says why.
        """
        key = (ref.key, precision)
        with self._lock:
            loading_lock = self._loading.setdefault(key, threading.Lock())
        with loading_lock:
            with self._lock:
                if (loaded := self._models.pop(key, None)) is not None:
                    self._models[key] = loaded  # to the end of the order
                    return loaded
            started = time.perf_counter()
            model = self._load(ref, precision)
            loaded = LoadedModel(
                ref, precision, model, model.params, weight_bytes(model), time.perf_counter() - started
            )
            with self._lock:
                self._models[key] = loaded
                self._loading = {
                    known: lock for known, lock in self._loading.items() if known in self._models or lock.locked()
                }
        return loaded

    def loaded(self) -> list[LoadedModel]:
        """The models in memory, the most recently used first."""
        with self._lock:
            return list(self._models.values())[::-1]

    def clear(self) -> None:
        """Forget all models; a computation that runs keeps its model until it ends."""
        with self._lock:
            self._models.clear()
            self._loading.clear()


def weight_bytes(model: Answerer | Classifier) -> int:
    """Bytes of a model's weights in memory; of one that is no network, four for each number."""
    network = getattr(model, "model", None)
    if not isinstance(network, nn.Module):
        return 4 * model.params
    total = sum(tensor.numel() * tensor.element_size() for tensor in [*network.parameters(), *network.buffers()])
    # A packed matrix is no tensor of the module: its int8 weights and a scale for each output.
    packed = (module for module in network.modules() if isinstance(module, quantization.Int8Linear))
    return total + sum(layer.in_features * layer.out_features + 4 * layer.out_features for layer in packed)
