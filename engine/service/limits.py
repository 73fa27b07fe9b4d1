"""What stands before every route: measuring, who may ask, and how much they may send.

Plain ASGI: a body is refused while it still comes in, whatever its head promised.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.service import errors
from engine.service.errors import ApiError
from engine.service.metrics import Meters
from engine.service.settings import Body

_LOG = logging.getLogger("featherboard.service")

OPEN = ("/healthz", "/docs", "/openapi.json")
"""Open without a token: whether the process lives, and the description of the service, which is the same everywhere."""

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_SAFE = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer"))


class RequestMetrics:
    """Outermost: counts and times every request, and answers what nobody else did."""

    def __init__(self, app: ASGIApp, meters: Meters) -> None:
        """Stand before an application."""
        self.app, self.meters = app, meters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                there = {name.lower() for name, _ in message.get("headers", ())}
                message["headers"] = [*message.get("headers", ()), *(pair for pair in _SAFE if pair[0] not in there)]
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


class TokenAuth:
    """Lets in who addresses this machine by one of its names, and who has the token."""

    def __init__(self, app: ASGIApp, token: str | None, hosts: Collection[str] | None) -> None:
        """Stand before an application.

        Args:
            app: What is guarded.
            token: Everybody has to show it; None: nobody.
            hosts: Names in the Host header; None: any.
        """
        self.app, self.hosts = app, hosts
        self._digest = hashlib.sha256(token.encode()).digest() if token else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if self.hosts is not None and _host(headers.get("host", "")) not in self.hosts:
                refused = "The Host header names another machine. Address this service as 127.0.0.1 or localhost."
                await errors.answer(421, refused)(scope, receive, send)
                return
            if not self._knows(scope["path"], headers):
                told = "A token is needed, as 'Authorization: Bearer TOKEN'; the one that came is missing or wrong."
                await errors.answer(401, told, headers={"WWW-Authenticate": 'Bearer realm="featherboard"'})(
                    scope, receive, send
                )
                return
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        await self.app(scope, receive, send)

    def _knows(self, path: str, headers: Headers) -> bool:
        if self._digest is None or path in OPEN or path.startswith("/docs/"):
            return True
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        # Digests have one length, so that the time of the comparison tells nothing.
        digest = hashlib.sha256(shown.strip().encode("utf-8", "surrogateescape")).digest()
        return hmac.compare_digest(digest, self._digest) and scheme.lower() == "bearer"


def _host(given: str) -> str:
    """The name in a Host header, without its port."""
    given = given.strip().lower()
    if given.startswith("["):
        return given[1:].partition("]")[0]
    return given.rpartition(":")[0] if given.count(":") == 1 else given


class BodyLimit:
    """TaskType bodies whole, within bounds of size, time and depth, and hands them on as one piece."""

    def __init__(
        self, app: ASGIApp, most_bytes: int, most_depth: int, read_s: float, rules: Mapping[str, Body]
    ) -> None:
        """Stand before an application.

        Args:
            app: What is guarded.
            most_bytes: Of a body.
            most_depth: See ``Settings``.
            read_s: Seconds for all of a body.
            rules: Of routes that take something else, by the beginning of their path.
        """
        self.app, self.most_depth, self.read_s, self.rules = app, most_depth, read_s, rules
        self.general = Body(most_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on with its body, or answer it."""
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self.app(scope, receive, send)
            return
        rule = next((one for start, one in self.rules.items() if scope["path"].startswith(start)), self.general)
        try:
            body = await self._read(scope, receive, rule)
            self._check(Headers(scope=scope), body, rule)
        except ApiError as error:
            await errors.of(error)(scope, receive, send)
            return
        if body is None:  # the client went away
            return
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def whole() -> Message:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, whole, send)

    async def _read(self, scope: Scope, receive: Receive, rule: Body) -> bytes | None:
        told = Headers(scope=scope).get("content-length", "")
        if told.isascii() and told.isdigit() and int(told[:20]) > rule.most_bytes:
            raise _too_large(rule)
        body = bytearray()
        try:
            async with asyncio.timeout(self.read_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > rule.most_bytes:
                        raise _too_large(rule)
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise ApiError(408, f"The body did not come within {self.read_s:g} s.", headers=_CLOSE) from None

    def _check(self, headers: Headers, body: bytes | None, rule: Body) -> None:
        if not body:
            return
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in rule.types:
            raise ApiError(415, f"The body must be {' or '.join(rule.types)}.")
        if kind == "application/json":
            check_json(body, self.most_depth)


_CLOSE = {"Connection": "close"}
"""What is left of such a body is not read."""


def _too_large(rule: Body) -> ApiError:
    return ApiError(413, f"The body is larger than {rule.most_bytes:,} bytes. Send less at once.", headers=_CLOSE)


def check_json(body: bytes, most_depth: int) -> None:
    """Refuse what is no JSON of RFC 8259 in UTF-8, and what is nested too deeply.

    Raises:
        ApiError: 422.
    """
    try:
        content = json.loads(
            body.decode("utf-8"), parse_constant=_no_number, parse_float=_number, object_pairs_hook=_each_once
        )
    except RecursionError:
        raise _too_deep(most_depth) from None
    except ValueError as error:  # no UTF-8, no JSON, or a number that is none
        reason = error.args[0] if isinstance(error, _ForeignError) else "The body is no JSON in UTF-8."
        raise ApiError(422, reason, code="invalid_json") from None
    level = _within([content])
    for _ in range(most_depth):
        level = [one for whole in level for one in _within(whole.values() if isinstance(whole, dict) else whole)]
    if level:
        raise _too_deep(most_depth)


def _within(values: Iterable[Any]) -> list[Any]:
    return [one for one in values if isinstance(one, list | dict)]


class _ForeignError(ValueError):
    """A number that JSON does not have or that is too large for a computer, or a key that stands twice."""


def _no_number(name: str) -> NoReturn:
    raise _ForeignError(f"{name} is no number of JSON.")


def _number(text: str) -> float:
    found = float(text)
    if found in {float("inf"), float("-inf")}:
        raise _ForeignError("A number is too large.")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _ForeignError(f"The key {twice[:60]!r} stands twice in one object.")
    return found


def _too_deep(most: int) -> ApiError:
    return ApiError(422, f"The body has more than {most} lists and objects inside each other.", code="invalid_json")
