"""The models in memory: each loaded once, a bounded number of them, the least recently used out first."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from engine.families.span_qa.answerer import Answerer
from engine.inference import loading
from engine.inference.models import Choice
from engine.networks import quantization as precision
from engine.networks.classifier import Classifier

MOST_MODELS = 6
MOST_BYTES = 2 * 1024**3
"""Of weights in memory; a single larger model is still taken, alone."""


@dataclass(frozen=True, eq=False)
class Held:
    """A model in memory.

    Attributes:
        choice: Which.
        precision: In which number format it computes; see ``engine.networks.quantization``.
        model: An ``Answerer`` where it reads questions, else a ``Classifier``.
        params: Parameters.
        bytes: Of its weights in memory.
        load_s: Seconds that loading took.
    """

    choice: Choice
    precision: str
    model: Answerer | Classifier
    params: int
    bytes: int
    load_s: float

    @property
    def sha256(self) -> str:
        """Hash of the weights on disk."""
        return self.model.sha256


class Pool:
    """Models in memory, shared by all who ask."""

    def __init__(
        self,
        most: int = MOST_MODELS,
        most_bytes: int = MOST_BYTES,
        load: Callable[[Choice, str], Answerer | Classifier] = loading.load,
    ) -> None:
        """Hold nothing yet.

        Args:
            most: Models that are kept.
            most_bytes: Of their weights together.
            load: Reads a model in a number format.
        """
        self._most, self._most_bytes, self._load = most, most_bytes, load
        self._held: OrderedDict[tuple[str, str], Held] = OrderedDict()
        self._lock = threading.Lock()
        self._doors: dict[tuple[str, str], threading.Lock] = {}

    def use(self, choice: Choice, wanted: str = precision.FLOAT32) -> Held:
        """A model, loaded where it is not in memory; others who want the same wait for that one loading.

        Raises:
            FeatherboardError: It cannot be loaded, or not in that format; the message says why.
        """
        key = (choice.key, wanted)
        with self._lock:
            door = self._doors.setdefault(key, threading.Lock())
        with door:
            with self._lock:
                if key in self._held:
                    self._held.move_to_end(key)
                    return self._held[key]
            started = time.perf_counter()
            model = self._load(choice, wanted)
            held = Held(choice, wanted, model, model.params, weight_bytes(model), time.perf_counter() - started)
            with self._lock:
                self._held[key] = held
                self._make_room(key)
        return held

    def _make_room(self, newest: tuple[str, str]) -> None:
        while len(self._held) > self._most or sum(one.bytes for one in self._held.values()) > self._most_bytes:
            oldest = next(iter(self._held))
            if oldest == newest:
                return
            del self._held[oldest]
            self._doors.pop(oldest, None)

    def held(self) -> list[Held]:
        """What is in memory, the most recently used first."""
        with self._lock:
            return list(reversed(self._held.values()))

    def clear(self) -> None:
        """Hold nothing any more; who still computes with a model keeps it until then."""
        with self._lock:
            self._held.clear()
            self._doors.clear()


def weight_bytes(model: Answerer | Classifier) -> int:
    """Bytes of a model's weights in memory; of one that is no network, four for each number."""
    network = getattr(model, "model", None)
    if not isinstance(network, nn.Module):
        return 4 * model.params
    total = sum(one.numel() * one.element_size() for one in [*network.parameters(), *network.buffers()])
    # A packed matrix is no tensor of the module: its int8 weights and a scale for each output.
    packed = (one for one in network.modules() if isinstance(one, precision.Int8Linear))
    return total + sum(one.in_features * one.out_features + 4 * one.out_features for one in packed)
