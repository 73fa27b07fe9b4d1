"""The application, and the server in front of it: uvicorn, with bounds for clients that are slow or many."""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import h11
import uvicorn
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from uvicorn.protocols.http.h11_impl import H11Protocol

from db.storage.store import Store
from engine.inference.model_cache import ModelCache
from engine.service import boards, errors, health, predictions, submissions
from engine.service.limits import BodyLimit
from engine.service.metrics import RequestMetrics
from engine.service.settings import ServiceError, Settings, Tokens, unauthorized
from engine.service.state import Service

_LOG = logging.getLogger("featherboard.service")

HEAD_S = 10.0
"""Seconds until a client has sent the head of its request."""

MOST_CONNECTIONS = 256
MOST_HEAD = 32 * 1024
_SPARE_S = 5.0

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


class Punctual(H11Protocol):
    """Closes connections on which no whole head of a request comes; uvicorn itself waits for the first one forever."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait on only where the head is not whole."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        if self._late is not None:
            self._late.cancel()

    def _watch(self) -> None:
        waiting = self.conn.their_state is h11.IDLE
        if waiting and self._late is None:
            self._late = self.loop.call_later(HEAD_S, self._close)
        elif not waiting and self._late is not None:
            self._late.cancel()
            self._late = None

    def _close(self) -> None:
        self._late = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


def serve(app: FastAPI, settings: Settings, *, ready: Callable[[str], None], access_log: bool = False) -> None:
    """Serve until Ctrl-C or SIGTERM; then no new request is taken, and those that are here are answered.

    Args:
        app: The application.
        settings: Where to listen.
        ready: Called with the address once connections are taken.
        access_log: Write a line for every request.

    Raises:
        ServiceError: The address cannot be bound.
    """
    bound = _bind(settings)
    config = uvicorn.Config(
        app,
        http=Punctual,
        ws="none",
        log_level="info" if access_log else "warning",
        access_log=access_log,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=5,
        h11_max_incomplete_event_size=MOST_HEAD,
        timeout_graceful_shutdown=round(settings.timeout_s + _SPARE_S),
    )
    host, port = bound.getsockname()[:2]
    ready(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")
    # uvicorn raises the signal that ended it again; by then everything is done, and this process ends in peace.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        uvicorn.Server(config).run(sockets=[bound])
    finally:
        bound.close()
        for number, handler in before.items():
            signal.signal(number, handler)


def _bind(settings: Settings) -> socket.socket:
    """The socket, bound before anything is loaded, so that a port that is taken is told at once."""
    try:
        family, _, _, _, address = socket.getaddrinfo(settings.address, settings.port, type=socket.SOCK_STREAM)[0]
        # Named TCP, or asyncio does not switch off the delay of small packets: 40 ms an answer on a kept connection.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(128)
    except OSError as error:
        raise ServiceError(
            f"{settings.address}:{settings.port} cannot be served ({error.strerror}); name another --port or --address."
        ) from None
    return bound
