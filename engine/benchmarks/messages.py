"""Jobs and results that the bench and its worker processes send each other. Imports nothing that costs memory."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Job:
    """What one worker does.

    Attributes:
        kind: ``make`` writes random weights of an architecture to the folder; the other kinds time the model in it.
        folder: Of the model.
        precision: See ``engine.networks.quantization``.
        lengths: Tokens of each example.
        threads: Numbers of processor threads.
        repeats: Timed calls of each length and number of threads.
        batch: Examples in one call.
        seconds: A length ends early after this long, with ``MIN_CALLS`` calls at least.
        memory: Bytes that the worker may hold, enforced by its parent; None for no limit.
        architecture: Name of the architecture that has random weights.
        powercap: The folder with the energy counters of the processor.
        rails: The command that reads a power chip; see ``power.rail_watts``.
    """

    kind: str
    folder: str
    precision: str = "float32"
    lengths: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    repeats: int = 1
    batch: int = 1
    seconds: float = 20.0
    memory: int | None = None
    architecture: str | None = None
    powercap: str = ""
    rails: str = ""


MIN_CALLS = 3


@dataclass(frozen=True)
class Loaded:
    """A model is in memory and has answered once. Its attributes are columns of the models table."""

    model_id: str
    name: str
    family: str
    architecture: str
    config: dict[str, Any]
    params: int
    language: str | None
    bytes: int
    load_seconds: float


@dataclass(frozen=True)
class Point:
    """The times of one length and number of threads, in ms a call, their energy, and the machine's state after them."""

    tokens: int
    threads: int
    times_ms: list[float] = field(repr=False)
    load_average: float | None = None
    celsius: float | None = None
    clock_mhz: float | None = None
    joules: float | None = None


@dataclass(frozen=True)
class Peak:
    """The largest memory that the worker held, in bytes; its last message."""

    bytes: int


@dataclass(frozen=True)
class Refused:
    """The reason why the job cannot be done; ``memory`` where there was too little of it."""

    reason: str
    memory: bool = False


Message = Loaded | Point | Peak | Refused
