"""What the routes of one application share: the room where models are asked, the board, and whether all is ready."""

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from db.base.errors import FeatherboardError, StoreError
from db.leaderboard.board import Board, board
from db.runs.bundles.queue import ImportQueue
from db.storage.store import Store
from engine.base.errors import PrecisionError
from engine.inference import models
from engine.inference.model_cache import LoadedModel, ModelCache
from engine.inference.models import ModelRef, TaskType
from engine.inference.predictor import Predictor, process_bytes
from engine.inference.schemas import PlaygroundError
from engine.service.errors import ApiError, pathless
from engine.service.limits import WorkerPool
from engine.service.metrics import Meters
from engine.service.settings import Settings

_LOG = logging.getLogger("featherboard.service")

T = TypeVar("T")

MOST_READING, READERS = 32, 4
"""Questions to the database that are answered or wait, and those that are answered at once: each thread that reads
keeps a few megabytes."""

MAX_BUNDLES, RECEIVE_S = 16, 120.0
"""Bundles of runs that are taken in or wait, and the seconds for one."""

_REMEMBERED = 64
"""Names of models that are remembered, so that a warm answer does not open the database."""

_ABILITIES = {
    "qa": "answers questions over a text",
    "sentiment": "judges one text",
    "nli": "judges a pair of texts",
    "text": "classifies one text by labels of its own",
}


class ServicePredictor(Predictor):
    """A room whose visitors are strangers: shipped models, runs of the board, and what the operator named."""

    def __init__(self, store: Store, settings: Settings, cache: ModelCache | None = None) -> None:
        """Open it."""
        # Each request has at most one piece of work at the desk; one place more is for warming up.
        super().__init__(store, outside=False, cache=cache, max_waiting=settings.most_waiting + 1)
        self.named = dict(settings.named)
        self._known = lru_cache(_REMEMBERED)(lambda key, generation: models.named(store, key, outside=False))

    def ref(self, key: str) -> ModelRef:
        """The model of a key.

        Raises:
            PlaygroundError: There is none that can be asked here.
        """
        return self.named.get(key) or self._known(key, self.store.generation())

    def listed(self) -> list[ModelRef]:
        """All that can be asked: shipped models, runs of the board, then what the operator named."""
        return [*models.listed(self.store), *self.named.values()]


class Service:
    """One application's state."""

    def __init__(self, settings: Settings, store: Store, cache: ModelCache | None = None) -> None:
        """Open it; nothing is loaded yet.

        Args:
            settings: How it behaves.
            store: The board; it is read only.
            cache: Models in memory.
        """
        self.settings, self.store = settings, store
        self.predictor = ServicePredictor(store, settings, cache)
        self.prediction_pool = WorkerPool("predictions", settings.most_waiting, settings.timeout_s)
        self.board_pool = WorkerPool("board", MOST_READING, settings.timeout_s, READERS)
        self.bundle_pool = WorkerPool("bundles", MAX_BUNDLES, max(RECEIVE_S, settings.timeout_s))
        self.import_queue = ImportQueue(store)
        self.meters = Meters(self._figures)
        self.warm: dict[TaskType, bool] = dict.fromkeys(settings.warm, False)
        self._board = lru_cache(maxsize=8)(
            lambda task, every_run, printed, generation: board(store, task, every_run=every_run, printed=printed)
        )

    def held(self, key: str | None, reads: TaskType, precision: str, texts: Sequence[str] = ()) -> LoadedModel:
        """A model in memory.

        Args:
            key: See ``ModelRef``; None: the shipped one that is best at it.
            reads: What it is going to be asked.
            precision: The number format.
            texts: What it is asked; without a key, a shipped model of their language goes first.

        Raises:
            ApiError: 404: no such model; 409: not in that format; 422: it is asked something else; 503: it cannot be
                loaded.
        """
        key = key or models.default(reads, models.language_of(*texts))
        if not key:
            raise ApiError(
                503,
                f"No model is shipped that {_ABILITIES[reads]}; name one of GET /v1/models.",
                code="model_unavailable",
            )
        try:
            choice = self.predictor.ref(key)
        except PlaygroundError as error:
            _LOG.info("A model was not found: %s", error)
            raise ApiError(
                404,
                f"There is no model {key[:80]!r} to be asked here; GET /v1/models lists them.",
                code="model_not_found",
                field="model",
            ) from None
        if choice.reads != reads:
            raise ApiError(
                422,
                f"{key[:80]} {_ABILITIES[choice.reads]}; POST it to /v1/{choice.reads}.",
                code="wrong_model",
                field="model",
            )
        try:
            return self.predictor.cache.use(choice, precision)
        except PrecisionError as error:
            raise ApiError(409, pathless(str(error)), code="precision_unavailable", field="precision") from None
        except (FeatherboardError, OSError) as error:
            _LOG.warning("%s cannot be loaded: %s", key, error)
            raise ApiError(
                503,
                f"The model {key[:80]!r} cannot be loaded; the log of the service says why.",
                code="model_unavailable",
                field="model",
            ) from None

    def warm_up(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Load the models that answer where nobody chose, and let each answer once; what cannot be loaded is told."""
        for reads in self.settings.warm:
            if stop():
                return
            try:
                self.predictor.warm(reads)
            except (FeatherboardError, OSError) as error:
                _LOG.warning("The model for %s cannot be warmed up: %s", reads, error)
            else:
                self.warm[reads] = bool(models.default(reads))

    def missing(self) -> list[str]:
        """What keeps the service from being ready, in words; reads the database."""
        problems = [f"the model for {reads} is not in memory yet" for reads, loaded in self.warm.items() if not loaded]
        try:
            self.store.query("SELECT 1 FROM tasks LIMIT 1")
        except StoreError as error:
            _LOG.warning("The database cannot be read: %s", error)
            problems.append("the board's database cannot be read")
        return problems

    def board(self, task: str, *, every_run: bool, printed: bool = False) -> Board:
        """A board, read again only when the database has changed.

        Raises:
            NotFoundError: There is no such task.
            StoreError: The database cannot be read.
        """
        return self._board(task, every_run, printed, self.store.generation())

    def _figures(self) -> dict[str, tuple[str, float]]:
        held = self.predictor.cache.loaded()
        return {
            "desk_waiting": ("Pieces of work that are computed or wait at the desk.", self.predictor.executor.waiting),
            "predictions_waiting": ("Requests for predictions that are computed or wait.", self.prediction_pool.busy),
            "models_loaded": ("Models in memory.", len(held)),
            "models_bytes": ("Bytes of their weights.", sum(model.bytes for model in held)),
            "process_bytes": ("Memory that the process holds (resident set).", process_bytes()),
            "ready": ("1 once the models are warm.", float(all(self.warm.values()))),
        }

    def close(self) -> None:
        """Let all threads end."""
        self.prediction_pool.close()
        self.board_pool.close()
        self.bundle_pool.close()
        self.import_queue.close()
        self.predictor.executor.close()


def of(request: Request) -> Service:
    """The state of the application that a request came to."""
    service: Service = request.app.state.service
    return service


ServiceState = Annotated[Service, Depends(of)]
"""The parameter of a route that is given the state."""
