"""What an operator decides: where the service listens, who may ask, and how much."""

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from starlette.authentication import AuthCredentials, AuthenticationBackend, AuthenticationError, SimpleUser
from starlette.requests import HTTPConnection
from starlette.responses import Response

from db.base import secrets
from db.base.errors import FeatherboardError
from engine.checkpoints.shipped import shipped
from engine.inference import models
from engine.inference.models import TASK_TYPES, ModelRef, TaskType
from engine.service import errors

VARIABLE = "FEATHERBOARD_API_TOKEN"
"""The environment variable that holds the token."""

MOST_BYTES = 1024 * 1024
MOST_BATCH = 64
MOST_DEPTH = 16
"""Lists and objects inside each other that a body may hold; ours need three."""

OPEN = ("/healthz", "/docs", "/openapi.json")
"""Open without a token: whether the process lives, and the description of the service, which is the same everywhere."""

SEND_RUNS = "send runs"
"""The scope of a named token; the token of the service itself reads and predicts."""

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


def named_models(options: Sequence[str]) -> dict[str, ModelRef]:
    """Models of folders.

    Args:
        options: ``NAME=FOLDER`` each.

    Raises:
        ServiceError: A name cannot be used, is given twice or is that of another model.
        PlaygroundError: A folder holds no model that can be asked.
    """
    models_by_name: dict[str, ModelRef] = {}
    for option in options:
        name, _, folder = option.partition("=")
        if not _NAME.fullmatch(name) or not folder:
            raise ServiceError(f"--model {option}: write NAME=FOLDER, the name in letters, digits, '.', '_' and '-'.")
        if name in models_by_name or name in shipped() or re.fullmatch("[0-9a-f]{8,}", name):
            raise ServiceError(f"--model {option}: {name} is the name of another model, or looks like a run's id.")
        path = Path(folder).expanduser()
        if not path.is_dir():
            raise ServiceError(f"--model {option}: there is no folder {path}.")
        models_by_name[name] = replace(models.in_folder(name, path, "folder", name), key=name, name=name)
    return models_by_name


class Tokens(AuthenticationBackend):
    """Bearer tokens: the service's own, and a named one for each machine that may send runs."""

    def __init__(self, token: str | None, senders: Mapping[str, str]) -> None:
        """Keep digests alone.

        Args:
            token: Of the service.
            senders: Tokens by the names of their machines.
        """
        # Digests have one length, so that the time of a comparison shows nothing of the token.
        self._digests = [("", _digest(token))] if token else []
        self._digests += [(name, _digest(secret)) for name, secret in senders.items()]

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, SimpleUser] | None:
        """The machine that a token belongs to, and whether it may send runs.

        Raises:
            AuthenticationError: A token is needed, and the one that came is missing or wrong.
        """
        scheme, _, secret = conn.headers.get("authorization", "").partition(" ")
        digest = _digest(secret.strip())
        matches = [name for name, known in self._digests if hmac.compare_digest(digest, known)]
        if matches and scheme.lower() == "bearer":
            return AuthCredentials([SEND_RUNS] if matches[0] else []), SimpleUser(matches[0])
        if self._digests and conn.url.path not in OPEN and not conn.url.path.startswith("/docs/"):
            raise AuthenticationError
        return None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def unauthorized(_: HTTPConnection, __: AuthenticationError | None = None) -> Response:
    """The answer to a token that is missing or wrong."""
    message = "A token is needed, as 'Authorization: Bearer TOKEN'; the one that came is missing or wrong."
    return errors.answer(401, message, headers={"WWW-Authenticate": 'Bearer realm="featherboard"'})
