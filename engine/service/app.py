"""The application: routes, what stands before them, and its description."""

import logging
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from db.storage.store import Store
from engine.inference.model_cache import ModelCache
from engine.service import boards, errors, health, predictions, submissions
from engine.service.limits import BodyLimit
from engine.service.metrics import RequestMetrics
from engine.service.settings import Settings, Tokens, unauthorized
from engine.service.state import Service

_LOG = logging.getLogger("featherboard.service")

_ABOUT = """Predictions of the models of this board, and its figures, for other programs.

Positions in texts count Unicode code points. Shares are fractions of 1. Every error is `{"error": {"code", "message",
"field"?}}`; only a wrong Host header gets 400 in plain text. The board is read only but for machines with a token of
their own, which send bundles of runs; anybody's runs can be submitted, and wait for a moderator.
"""


def create(
    settings: Settings, store: Store, *, cache: ModelCache | None = None, routers: Sequence[APIRouter] = ()
) -> FastAPI:
    """Make an application.

    Args:
        settings: How it behaves.
        store: The board.
        cache: Models in memory; None: its own.
        routers: Further routes. They stand behind the same guards; one that takes larger bodies or other types is
            named in ``settings.bodies``. Their handlers get the shared state by ``state.of``.
    """
    service = Service(settings, store, cache)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        ending = threading.Event()
        # A thread of its own: the server listens at once, and /readyz tells how far it is.
        threading.Thread(target=_warm, args=(service, ending), name="warming", daemon=True).start()
        yield
        ending.set()
        service.close()

    app = FastAPI(
        title="Featherboard",
        version=_version(),
        description=_ABOUT,
        lifespan=life,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_operation,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.service = service
    for router in (health.router, predictions.router, boards.router, submissions.router, *routers):
        app.include_router(router)
    errors.install(app)
    # The last one stands outermost.
    app.add_middleware(
        BodyLimit,
        most_bytes=settings.most_bytes,
        most_depth=settings.most_depth,
        read_s=settings.read_s,
        rules={submissions.PATH: submissions.BODY, submissions.BUNDLES: submissions.BUNDLE_BODY, **settings.bodies},
    )
    tokens = Tokens(settings.token, settings.senders)
    app.add_middleware(AuthenticationMiddleware, backend=tokens, on_error=unauthorized)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=settings.hosts, www_redirect=False)
    if settings.origins:  # before authentication: a browser asks for permission without the token
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    app.add_middleware(RequestMetrics, meters=service.meters)
    _describe(app, token=settings.private)
    return app


def _warm(service: Service, ending: threading.Event) -> None:
    try:
        service.warm_up(ending.is_set)
    except Exception:  # a thread's last words; whoever asks is told by /readyz
        if not ending.is_set():
            _LOG.exception("Warming up failed")


def _operation(route: APIRoute) -> str:
    """Names of operations that make readable clients."""
    return route.name


def _describe(app: FastAPI, *, token: bool) -> None:
    """The description as it is, with the token where one is needed."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            # The framework's own form of a refused body, which is never sent here.
            for name in ("HTTPValidationError", "ValidationError"):
                schema.get("components", {}).get("schemas", {}).pop(name, None)
            if token:
                schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                schema["security"] = [{"token": []}]
                schema["paths"]["/healthz"]["get"]["security"] = []
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


def _version() -> str:
    try:
        return version("featherboard")
    except PackageNotFoundError:
        return "0"
