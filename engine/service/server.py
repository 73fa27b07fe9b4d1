"""The server in front of the application: uvicorn, with bounds for clients that are slow or many."""

import asyncio
import signal
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from engine.service.settings import ServiceError, Settings

HEAD_S = 10.0
"""Seconds until a client has sent the head of its request."""

MOST_CONNECTIONS = 256
MOST_HEAD = 32 * 1024
_SPARE_S = 5.0


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
