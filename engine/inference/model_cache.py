"""The models in memory, each loaded once and the least recently used out first, and the one thread that computes.

Two models that compute at once on two cores take more than twice as long each, since every operation wants both cores.
So one thread does all computing, however many clients there are; a long text goes back to the end of the queue after
each batch of its windows, and a short question does not wait for all of it. A tokenizer, whose settings change from
call to call, is used by that thread alone too.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from cachetools import LRUCache

from engine.families.span_qa.answerer import Answerer
from engine.inference import loading
from engine.inference.models import ModelRef
from engine.inference.schemas import BusyError, LateError, ModelInfo
from engine.networks.classifier import Classifier

RUNTIME_NAMES = {"torch": "PyTorch", "onnx": "ONNX Runtime", "numpy": "NumPy"}
"""What computes a model, as people call it."""

MAX_MODELS = 6
MAX_BYTES = 2 * 1024**3
"""Of weights in memory; a single larger model is still taken, alone."""

T = TypeVar("T")

MAX_WAITING = 32
"""Jobs in the queue; the next one is refused at once."""


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

    @property
    def runtime(self) -> str:
        """What computes it; a key of ``RUNTIME_NAMES``."""
        return self.model.runtime

    def info(self) -> ModelInfo:
        """The model as answers name it."""
        ref = self.ref
        return ModelInfo(
            key=ref.key,
            name=ref.name,
            precision=self.precision,
            runtime=self.runtime,
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

    def use(self, ref: ModelRef, precision: str = "float32") -> LoadedModel:
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
            loaded = LoadedModel(ref, precision, model, model.params, model.bytes, time.perf_counter() - started)
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


class InferenceExecutor:
    """One worker thread and its bounded queue."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        """Open the queue; the thread starts with the first job."""
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="playground")
        self._max, self._waiting, self._lock = max_waiting, 0, threading.Lock()

    @property
    def waiting(self) -> int:
        """Jobs that are computed or wait."""
        return self._waiting

    def do(self, work: Callable[[], T], timeout_s: float | None = None) -> T:
        """Compute something and wait for it.

        Args:
            work: Short, since others wait meanwhile.
            timeout_s: Seconds until the client gives up; a job that runs already goes on, and its result is dropped.

        Raises:
            BusyError: Too many jobs wait already.
            LateError: The time is up.
        """
        with self._lock:
            if self._waiting >= self._max:
                raise BusyError(f"{self._waiting} answers are being computed or wait; try again in a moment.")
            future = self._worker.submit(work)
            self._waiting += 1
        future.add_done_callback(self._release)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            if future.done() and not future.cancelled():  # raised by the work itself
                raise
            future.cancel()
            raise LateError(
                f"No answer came within {timeout_s:g} s. The machine is busy, or the text is long; nothing was kept."
            ) from None

    def _release(self, _: "Future[T]") -> None:
        with self._lock:
            self._waiting -= 1

    def close(self) -> None:
        """Let the thread end; jobs that wait are dropped."""
        self._worker.shutdown(wait=False, cancel_futures=True)
