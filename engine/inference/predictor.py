"""The models of one process as the playground and the service use them: one cache, one executor, the board's runs."""

import threading
from collections.abc import Callable

import psutil

from db.storage.store import Store
from engine.inference import answers, classification, models
from engine.inference.model_cache import MAX_WAITING, InferenceExecutor, LoadedModel, ModelCache
from engine.inference.models import ModelRef
from engine.inference.schemas import QAResult, Verdict


class Predictor:
    """Answers questions and classifies texts by models of the board."""

    def __init__(
        self,
        store: Store,
        *,
        outside: bool = False,
        cache: ModelCache | None = None,
        executor: InferenceExecutor | None = None,
        max_waiting: int = MAX_WAITING,
    ) -> None:
        """Load nothing yet.

        Args:
            store: The board's database, whose runs can be used.
            outside: Clients may name folders and models of the hub. False where untrusted clients ask: a name would
                tell them which folders exist.
            cache: Models in memory; None: its own.
            executor: Where they compute; None: its own.
            max_waiting: See ``InferenceExecutor``.
        """
        self.store, self.outside = store, outside
        self.cache = cache or ModelCache()
        self.executor = executor or InferenceExecutor(max_waiting)

    def ref(self, key: str) -> ModelRef:
        """The model of a key; see ``models.named``."""
        return models.named(self.store, key, outside=self.outside)

    def load(self, key: str, precision: str = "float32") -> LoadedModel:
        """A model in memory; see ``ModelCache.use``."""
        return self.cache.use(self.ref(key), precision)

    def ask(
        self,
        key: str,
        question: str,
        context: str,
        *,
        precision: str = "float32",
        keep: int = 5,
        timeout_s: float | None = None,
        progress: Callable[[float], None] = lambda share: None,
    ) -> tuple[LoadedModel, QAResult]:
        """A model and its answer to a question; see ``answers.ask``."""
        model = self.load(key, precision)
        result = answers.ask(self.executor, model, question, context, keep=keep, timeout_s=timeout_s, progress=progress)
        return model, result

    def classify(
        self, key: str, texts: tuple[str, ...], *, precision: str = "float32", timeout_s: float | None = None
    ) -> tuple[LoadedModel, Verdict]:
        """A model and its verdict on a text or a pair; see ``classification.classify``."""
        model = self.load(key, precision)
        return model, classification.classify(self.executor, model, texts, timeout_s=timeout_s)

    def warm(self, task: models.TaskType) -> None:
        """Load the default model of a kind and let it answer once: a network's first call is slow."""
        key = models.default(task)
        if key and task == "qa":
            self.ask(key, "What is warm?", "The room is warm.")
        elif key:
            self.classify(key, ("It is warm.", "It is not cold.") if task == "nli" else ("warm",))


_PREDICTORS: dict[tuple[str, bool], Predictor] = {}
_LOCK = threading.Lock()
_CACHE, _EXECUTOR = ModelCache(), InferenceExecutor()


def shared(store: Store, *, outside: bool = False) -> Predictor:
    """The predictor of this process for a database; all of them share one cache and one executor."""
    with _LOCK:
        new = Predictor(store, outside=outside, cache=_CACHE, executor=_EXECUTOR)
        return _PREDICTORS.setdefault((str(store.path), outside), new)


def process_bytes() -> int:
    """Resident memory of this process."""
    return int(psutil.Process().memory_info().rss)
