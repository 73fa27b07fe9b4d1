"""The routes that tell of the service itself: whether it lives, whether it is ready, its models and its figures."""

from collections import defaultdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response

from engine.inference import models as choices
from engine.inference.models import TaskType
from engine.inference.predictor import process_bytes
from engine.inference.schemas import ApiModel
from engine.service import errors, metrics, state
from engine.service.errors import ApiError
from engine.service.state import Service
from engine.service.worker_pool import Deadline

router = APIRouter(responses=errors.responses())

Here = Annotated[Service, Depends(state.of)]


class Health(ApiModel):
    """The process lives."""

    status: Literal["ok"] = "ok"


class Ready(ApiModel):
    """It can answer."""

    status: Literal["ready"] = "ready"


class Loaded(ApiModel):
    """A model as it lies in memory."""

    precision: str
    bytes: int
    load_s: float


class Model(ApiModel):
    """A model that can be asked."""

    key: str
    name: str
    origin: Literal["shipped", "run", "folder", "hub"]
    reads: TaskType
    default: bool
    language: str
    task: str | None
    metric: str | None
    score: float | None
    params: int | None
    run_id: str | None
    loaded: list[Loaded]


class Memory(ApiModel):
    """What is in memory."""

    models: int
    model_bytes: int
    process_bytes: int


class Models(ApiModel):
    """What can be asked, and what is in memory."""

    models: list[Model]
    memory: Memory


@router.get("/healthz", tags=["service"])
async def healthz() -> Health:
    """Whether the process lives; asked without a token."""
    return Health()


@router.get("/readyz", tags=["service"], responses=errors.responses(429, 503, 504))
async def readyz(request: Request, here: Here) -> Ready:
    """Whether the models that answer where nobody chose are in memory, and the board can be read."""

    def work(_: Deadline) -> list[str]:
        return here.missing()

    missing = await here.reading.do(request, work)
    if missing:
        raise ApiError(503, f"Not ready: {'; '.join(missing)}.", code="not_ready")
    return Ready()


_TEXT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Figures in Prometheus' text format.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@router.get("/metrics", tags=["service"], response_class=Response, responses={**errors.responses(), **_TEXT})
async def figures(here: Here) -> Response:
    """Requests, their times, what waits and what is in memory, for Prometheus."""
    return Response(here.meters.told(), media_type=metrics.MEDIA_TYPE)


@router.get("/v1/models", tags=["predictions"], responses=errors.responses(429, 503, 504))
async def models(request: Request, here: Here) -> Models:
    """The models that can be asked: shipped ones, runs whose checkpoint is here, and what the operator named."""

    def work(_: Deadline) -> Models:
        loaded: dict[str, list[Loaded]] = defaultdict(list)
        held = here.predictor.cache.loaded()
        for one in held:
            loaded[one.ref.key].append(Loaded(precision=one.precision, bytes=one.bytes, load_s=round(one.load_s, 3)))
        defaults = {choices.default(reads, language) for reads in choices.TASK_TYPES for language in ("", "ko")}
        told = [
            Model(
                key=one.key,
                name=one.name,
                origin=one.origin,
                reads=one.reads,
                default=one.key in defaults,
                language=one.language,
                task=one.task,
                metric=one.metric,
                score=one.score,
                params=one.params,
                run_id=one.run_id,
                loaded=loaded[one.key],
            )
            for one in here.predictor.listed()
        ]
        memory = Memory(models=len(held), model_bytes=sum(one.bytes for one in held), process_bytes=process_bytes())
        return Models(models=told, memory=memory)

    return await here.reading.do(request, work)
