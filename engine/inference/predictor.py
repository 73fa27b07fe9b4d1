"""A playground: one desk, one pool of models and the board's database, shared by all who ask in a process."""

import threading
from collections.abc import Callable

import psutil

from db.storage.store import Store
from engine.inference import answers, classification, models
from engine.inference.answers import Reply
from engine.inference.classification import Unit, Verdict
from engine.inference.executor import MOST_WAITING, Desk
from engine.inference.model_cache import Held, Pool
from engine.inference.models import Choice
from engine.networks import quantization


class Room:
    """Where models are asked."""

    def __init__(
        self,
        store: Store,
        *,
        outside: bool = False,
        pool: Pool | None = None,
        desk: Desk | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        """Open a playground.

        Args:
            store: The board's database, whose runs can be asked.
            outside: Folders and models of the hub can be named by whoever asks. False where strangers do: a name would
                tell them which folders there are.
            pool: Models in memory; None: its own.
            desk: Where they compute; None: its own.
            most_waiting: See ``Desk``.
        """
        self.store, self.outside = store, outside
        self.pool = pool or Pool()
        self.desk = desk or Desk(most_waiting)

    def choice(self, key: str) -> Choice:
        """The model of a key; see ``choices.named``."""
        return models.named(self.store, key, outside=self.outside)

    def held(self, key: str, wanted: str = quantization.FLOAT32) -> Held:
        """A model in memory; see ``Pool.use``."""
        return self.pool.use(self.choice(key), wanted)

    def ask(
        self,
        key: str,
        question: str,
        context: str,
        *,
        wanted: str = quantization.FLOAT32,
        keep: int = 5,
        timeout_s: float | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> tuple[Held, Reply]:
        """A model's answer to a question; see ``asking.ask``."""
        held = self.held(key, wanted)
        return held, answers.ask(self.desk, held, question, context, keep=keep, timeout_s=timeout_s, progress=progress)

    def classify(
        self, key: str, texts: tuple[str, ...], *, wanted: str = quantization.FLOAT32, timeout_s: float | None = None
    ) -> tuple[Held, Verdict]:
        """A model's verdict on a text or a pair; see ``classifying.classify``."""
        held = self.held(key, wanted)
        return held, classification.classify(self.desk, held, texts, timeout_s=timeout_s)

    def importance(
        self,
        held: Held,
        texts: tuple[str, ...],
        verdict: Verdict,
        *,
        timeout_s: float | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> list[Unit]:
        """What the parts of the texts do for a verdict; see ``classifying.importance``."""
        return classification.importance(self.desk, held, texts, verdict, timeout_s=timeout_s, progress=progress)

    def warm(self, reads: models.Reads) -> None:
        """Load the model that answers where nobody chose and let it answer once: a network's first call is slow."""
        key = models.default(reads)
        if not key:
            return
        if reads == "qa":
            self.ask(key, "What is warm?", "The room is warm.")
        else:
            self.classify(key, ("warm",) if reads == "sentiment" else ("It is warm.", "It is not cold."))


_ROOMS: dict[tuple[str, bool], Room] = {}
_LOCK = threading.Lock()
_POOL, _DESK = Pool(), Desk()


def shared(store: Store, *, outside: bool = False) -> Room:
    """The playground of this process for a database; all of them share one pool and one desk."""
    with _LOCK:
        return _ROOMS.setdefault((str(store.path), outside), Room(store, outside=outside, pool=_POOL, desk=_DESK))


def process_bytes() -> int:
    """Memory that this process holds now."""
    return int(psutil.Process().memory_info().rss)
