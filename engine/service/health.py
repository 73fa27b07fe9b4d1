"""The routes that describe the service: health, readiness, models, metrics, and the page /docs."""

from collections import defaultdict
from functools import cache
from importlib import resources
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from engine.inference import models as choices
from engine.inference.models import TaskType
from engine.inference.predictor import process_bytes
from engine.inference.schemas import ApiModel
from engine.service import errors, metrics
from engine.service.errors import ApiError
from engine.service.limits import Deadline
from engine.service.state import ServiceState

router = APIRouter(responses=errors.responses())


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
async def readyz(request: Request, service: ServiceState) -> Ready:
    """Whether the models that answer where nobody chose are in memory, and the board can be read."""
    missing = await service.board_pool.do(request, lambda _: service.missing())
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
async def figures(service: ServiceState) -> Response:
    """Requests, their times, what waits and what is in memory, for Prometheus."""
    return Response(service.meters.exposition(), media_type=metrics.MEDIA_TYPE)


@router.get("/v1/models", tags=["predictions"], responses=errors.responses(429, 503, 504))
async def models(request: Request, service: ServiceState) -> Models:
    """The models that can be asked: shipped ones, runs whose checkpoint is here, and what the operator named."""

    def work(_: Deadline) -> Models:
        loaded: dict[str, list[Loaded]] = defaultdict(list)
        held = service.predictor.cache.loaded()
        for model in held:
            entry = Loaded(precision=model.precision, bytes=model.bytes, load_s=round(model.load_s, 3))
            loaded[model.ref.key].append(entry)
        defaults = {choices.default(reads, language) for reads in choices.TASK_TYPES for language in ("en", "ko")}
        listed = []
        for ref in service.predictor.listed():
            facts = {name: getattr(ref, name) for name in Model.model_fields if hasattr(ref, name)}
            listed.append(Model(**facts, default=ref.key in defaults, loaded=loaded[ref.key]))
        memory = Memory(models=len(held), model_bytes=sum(model.bytes for model in held), process_bytes=process_bytes())
        return Models(models=listed, memory=memory)

    return await service.board_pool.do(request, work)


_FILES = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css", "favicon.png": "image/png"}

# Swagger UI writes style attributes and draws its signs from data addresses; scripts come from here alone.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Featherboard API</title>
<link rel="icon" href="docs/favicon.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="description"><noscript>Without JavaScript, read <a href="openapi.json">openapi.json</a>.</noscript></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""

# validatorUrl: by default a badge is asked for from a server elsewhere.
_START = """SwaggerUIBundle({
  url: new URL("openapi.json", document.baseURI).href, dom_id: "#description", deepLinking: true, validatorUrl: null,
});
"""


@router.get("/docs", include_in_schema=False)
async def page() -> Response:
    """The page."""
    return Response(_PAGE, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})


@router.get("/docs/{name}", include_in_schema=False)
async def file(name: str) -> Response:
    """A file that the page needs."""
    if name == "start.js":
        return Response(_START, media_type="text/javascript")
    if name not in _FILES:
        raise HTTPException(404)
    return Response(_content(name), media_type=_FILES[name], headers={"Cache-Control": "max-age=86400"})


@cache
def _content(name: str) -> bytes:
    return (resources.files("fastapi_offline") / "static" / name).read_bytes()
