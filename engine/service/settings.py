"""What an operator decides: where the service listens, who may ask, and how much."""

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from db.base import secrets
from db.base.errors import FeatherboardError
from engine.checkpoints.shipped import shipped
from engine.inference import models
from engine.inference.models import TASK_TYPES, ModelRef, TaskType

VARIABLE = "FEATHERBOARD_API_TOKEN"
"""The environment variable that holds the token."""

MOST_BYTES = 1024 * 1024
MOST_BATCH = 64
MOST_DEPTH = 16
"""Lists and objects inside each other that a body may hold; ours need three."""

_NAME = re.compile(r"[A-Za-z][\w.-]{0,63}", re.ASCII)
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?", re.ASCII)


class ServiceError(FeatherboardError):
    """The service cannot be started as asked; the message says what to change."""


@dataclass(frozen=True)
class Body:
    """What a route takes.

    Attributes:
        most_bytes: Of its body.
        types: Media types that it takes; others are refused with 415.
        read_s: Seconds for all of its body.
        scope: What the token must allow; empty: any token.
    """

    most_bytes: int
    types: tuple[str, ...] = ("application/json",)
    read_s: float = 10.0
    scope: str = ""


@dataclass(frozen=True)
class Settings:
    """How a service behaves.

    Attributes:
        address: It is bound to this address.
        port: And this port.
        token: Reads the board and predicts; without it and ``senders`` nobody but this machine can ask.
        senders: Tokens by the names of the machines that may send runs; they read and predict as well.
        origins: Web pages that may ask from a browser.
        timeout_s: Seconds until a request is given up.
        most_waiting: Predictions that are computed or wait; whoever comes after them is sent away with 429.
        most_bytes: Of a body.
        most_depth: Lists and objects inside each other in a body.
        read_s: Seconds until a body must be here.
        warm: What must be loaded before the service calls itself ready.
        named: Models of folders by the names that the operator gave them.
        bodies: Rules of single routes by the beginning of their path.
    """

    address: str = "127.0.0.1"
    port: int = 8600
    token: str | None = None
    senders: Mapping[str, str] = field(default_factory=dict)
    origins: tuple[str, ...] = ()
    timeout_s: float = 30.0
    most_waiting: int = 16
    most_bytes: int = MOST_BYTES
    most_depth: int = MOST_DEPTH
    read_s: float = 10.0
    warm: tuple[TaskType, ...] = TASK_TYPES
    named: Mapping[str, ModelRef] = field(default_factory=dict)
    bodies: Mapping[str, Body] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be served.

        Raises:
            ServiceError: Others could reach it without a token, or an origin is none.
        """
        if not self.private and not is_loopback(self.address):
            raise ServiceError(
                f"{self.address} can be reached by other machines, so a token is needed: set {VARIABLE} or "
                f"{secrets.SENDERS_VARIABLE}, or name a file that holds one with --token-file. Without any only "
                "127.0.0.1 is served."
            )
        for origin in self.origins:
            if not _ORIGIN.fullmatch(origin):
                raise ServiceError(
                    f"{origin!r} is no origin of web pages; one looks like https://example.org or "
                    "http://localhost:3000, in small letters, without a path."
                )

    @property
    def private(self) -> bool:
        """Whether every request needs a token."""
        return bool(self.token or self.senders)

    @property
    def hosts(self) -> list[str]:
        """Names under which a client may address the service; any, where every request needs a token.

        A page of the web can let its own name point to 127.0.0.1 and then ask as a page of the same origin; its name in
        the Host header shows it.
        """
        return ["*"] if self.private else ["localhost", "127.0.0.1", "[::1]", self.address]


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def named_models(given: Sequence[str]) -> dict[str, ModelRef]:
    """Models of folders.

    Args:
        given: ``NAME=FOLDER`` each.

    Raises:
        ServiceError: A name cannot be used, is given twice or is that of another model.
        PlaygroundError: A folder holds no model that can be asked.
    """
    found: dict[str, ModelRef] = {}
    for one in given:
        name, _, folder = one.partition("=")
        if not _NAME.fullmatch(name) or not folder:
            raise ServiceError(f"--model {one}: write NAME=FOLDER, the name in letters, digits, '.', '_' and '-'.")
        if name in found or name in shipped() or re.fullmatch("[0-9a-f]{8,}", name):
            raise ServiceError(f"--model {one}: {name} is the name of another model, or looks like a run's id.")
        place = Path(folder).expanduser()
        if not place.is_dir():
            raise ServiceError(f"--model {one}: there is no folder {place}.")
        found[name] = replace(models.in_folder(name, place, "folder", name), key=name, name=name)
    return found
