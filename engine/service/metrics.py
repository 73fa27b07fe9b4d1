"""What the service tells of itself to Prometheus."""

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

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

    def told(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry)


class _Now(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, (explained, value) in self._figures().items():
            yield GaugeMetricFamily(f"featherboard_{name}", explained, value=value)
