"""Metrics of the service for Prometheus, and the middleware that counts every request."""

import logging
import time
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.service import errors

_LOG = logging.getLogger("featherboard.service")

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_SAFE = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer"))

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

Figures = Callable[[], dict[str, tuple[str, float]]]
"""Gauges that are read when somebody looks: their explanations and values by name."""


class Meters:
    """The figures of one application; a process can hold several, each with its own."""

    def __init__(self, figures: Figures) -> None:
        """Start at zero.

        Args:
            figures: What is in memory and waits, at the moment.
        """
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "featherboard_requests",
            "Requests by route, method and status.",
            ["route", "method", "status"],
            registry=self.registry,
        )
        self.seconds = Histogram(
            "featherboard_request_seconds",
            "Seconds from the request's head to the last byte of its answer.",
            ["route"],
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.in_flight = Gauge("featherboard_in_flight", "Requests that are being answered.", registry=self.registry)
        self.registry.register(_Now(figures))
        ProcessCollector(registry=self.registry)

    def exposition(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry)


class _Now(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, (explained, value) in self._figures().items():
            yield GaugeMetricFamily(f"featherboard_{name}", explained, value=value)


class RequestMetrics:
    """Outermost: counts and times every request, and answers what nobody else did."""

    def __init__(self, app: ASGIApp, meters: Meters) -> None:
        """Stand before an application."""
        self.app, self.meters = app, meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                names = {name.lower() for name, _ in message.get("headers", ())}
                message["headers"] = [*message.get("headers", ()), *(pair for pair in _SAFE if pair[0] not in names)]
            await send(message)

        with self.meters.in_flight.track_inprogress():
            try:
                await self.app(scope, receive, watched)
            except Exception as error:
                if status:  # too late for another answer
                    _LOG.exception("An answer broke off")
                    raise
                await errors.of(error)(scope, receive, watched)
            finally:
                # A label has few values whatever clients invent: no paths, no methods of their own.
                route = str(getattr(scope.get("route"), "path", "") or "other")
                method = scope["method"] if scope["method"] in _METHODS else "other"
                self.meters.requests.labels(route, method, str(status or 499)).inc()
                self.meters.seconds.labels(route).observe(time.perf_counter() - began)
