"""What the parent and its worker say to each other: a job on standard input, one JSON object a line back."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Job:
    """One worker's work.

    Attributes:
        kind: ``make`` writes random weights of an architecture to the folder; the others time what lies there.
        folder: Of the model.
        precision: See ``engine.networks.quantization``.
        lengths: Tokens of each example.
        threads: Numbers of processor threads.
        repeats: Timed calls of each length and number of threads.
        batch: Examples in one call.
        seconds: A length ends early after this long, with ``LEAST_CALLS`` calls at least.
        memory: Bytes that the worker may hold, which its parent sees to; None for all there is.
        architecture: For ``make``.
        parent: The process whose end is the worker's too; 0 for none.
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
    parent: int = 0

    def to_json(self) -> str:
        """As text for the worker."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Job":
        """From the parent's text."""
        values = json.loads(text)
        return cls(**{**values, "lengths": tuple(values["lengths"]), "threads": tuple(values["threads"])})


LEAST_CALLS = 3


@dataclass(frozen=True)
class Loaded:
    """A model is in memory and has answered once; what it is, for the models table."""

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
    """The times of one length and number of threads, in ms a call, and the machine's state around them."""

    tokens: int
    threads: int
    times_ms: list[float] = field(repr=False)
    load_average: float | None = None
    celsius: float | None = None
    clock_mhz: float | None = None


@dataclass(frozen=True)
class Peak:
    """The most memory that the worker held, in bytes; its last word."""

    bytes: int


@dataclass(frozen=True)
class Refused:
    """It cannot be done, and why; ``memory`` where there was too little of it."""

    reason: str
    memory: bool = False


Message = Loaded | Point | Peak | Refused

_KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in (Loaded, Point, Peak, Refused)}


def encode(message: Message) -> str:
    """One line."""
    return json.dumps({"is": type(message).__name__, **asdict(message)})


def decode(line: str) -> Message:
    """The message of a line.

    Raises:
        ValueError: It is not one of ours.
    """
    values = json.loads(line)
    return _KINDS[values.pop("is")](**values)
