"""The limits of the service: who may ask, how much they may send, how much is done at once and for how long.

Plain ASGI: a body is refused while it still comes in, whatever its head promised.
"""

import asyncio
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, TypeVar

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.inference.schemas import LateError
from engine.service import errors
from engine.service.errors import ApiError
from engine.service.settings import Body, unauthorized

MAX_HELD_BYTES = 256 * 1024 * 1024
"""Of all bodies that are in memory at once; a request beyond them is asked to come again."""

MAX_VALUES = 1_000_000
"""Values of a JSON body, without signs inside its texts: 50,000 predictions with probabilities have 200,000."""

_INLINE_BYTES = 16 * 1024
"""A shorter JSON body is checked on the event loop: that takes less than handing it to a thread."""


def _forbidden(conn: HTTPConnection) -> Response:
    if not conn.user.is_authenticated:
        return unauthorized(conn)
    return errors.answer(403, "This token reads and predicts; only machines named in FEATHERBOARD_TOKENS send runs.")


class BodyLimit:
    """Reads bodies whole, within limits of size, time, depth and values, and hands them on as one piece."""

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
        self.app, self.most_depth, self.rules = app, most_depth, rules
        self.general = Body(most_bytes, read_s=read_s)
        self.held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on with its body, or answer it."""
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self.app(scope, receive, send)
            return
        rule = next((rule for start, rule in self.rules.items() if scope["path"].startswith(start)), self.general)
        headers, body = Headers(scope=scope), bytearray()
        try:
            if rule.scope and rule.scope not in getattr(scope.get("auth"), "scopes", ()):
                await _forbidden(HTTPConnection(scope))(scope, receive, send)
                return
            if not await self._read(headers, receive, rule, body):  # the client went away
                return
            await self._check(headers, body, rule)
            waiting = [{"type": "http.request", "body": bytes(body), "more_body": False}]

            async def whole() -> Message:
                return waiting.pop() if waiting else await receive()

            await self.app(scope, whole, send)
        except ApiError as error:
            await errors.of(error)(scope, receive, send)
        finally:
            self.held -= len(body)

    async def _read(self, headers: Headers, receive: Receive, rule: Body, body: bytearray) -> bool:
        announced = headers.get("content-length", "")
        if announced.isascii() and announced.isdigit() and int(announced[:20]) > rule.most_bytes:
            raise _too_large(rule)
        try:
            async with asyncio.timeout(rule.read_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return False
                    piece = message.get("body", b"")
                    body += piece
                    self.held += len(piece)
                    if len(body) > rule.most_bytes:
                        raise _too_large(rule)
                    if self.held > MAX_HELD_BYTES:
                        raise ApiError(429, "Too many large bodies are under way; try again in a moment.")
                    if not message.get("more_body", False):
                        return True
        except TimeoutError:
            raise ApiError(408, f"The body did not come within {rule.read_s:g} s.", headers=_CLOSE) from None

    async def _check(self, headers: Headers, body: bytearray, rule: Body) -> None:
        if not body:
            return
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in rule.types:
            raise ApiError(415, f"The body must be {' or '.join(rule.types)}.")
        if kind == "application/json":
            if len(body) <= _INLINE_BYTES:
                check_json(bytes(body), self.most_depth)
            else:
                await asyncio.to_thread(check_json, bytes(body), self.most_depth)


_CLOSE = {"Connection": "close"}
"""What is left of such a body is not read."""


def _too_large(rule: Body) -> ApiError:
    return ApiError(413, f"The body is larger than {rule.most_bytes:,} bytes. Send less at once.", headers=_CLOSE)


def check_json(body: bytes, most_depth: int) -> None:
    """Refuse what is no JSON of RFC 8259 in UTF-8, has too many values, or is nested too deeply.

    Raises:
        ApiError: 422.
    """
    try:
        text = body.decode("utf-8")
        if _count(text) > MAX_VALUES and _count(_TEXTS.sub("", text)) > MAX_VALUES:
            raise _ForeignError(f"The body has more than {MAX_VALUES:,} values. Send less at once.")
        content = json.loads(text, parse_constant=_no_number, parse_float=_number, object_pairs_hook=_unique_keys)
    except RecursionError:
        raise _too_deep(most_depth) from None
    except ValueError as error:  # no UTF-8, no JSON, or a number that is none
        reason = error.args[0] if isinstance(error, _ForeignError) else "The body is no JSON in UTF-8."
        raise ApiError(422, reason, code="invalid_json") from None
    level = _within([content])
    for _ in range(most_depth):
        level = [inner for outer in level for inner in _within(outer.values() if isinstance(outer, dict) else outer)]
    if level:
        raise _too_deep(most_depth)


_TEXTS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A text of JSON; one that never ends matches as well, so that no character is looked at twice."""


def _count(text: str) -> int:
    return sum(text.count(sign) for sign in ",[{")


def _within(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, list | dict)]


class _ForeignError(ValueError):
    """A number that JSON does not have or that is too large, a key that stands twice, or too many values."""


def _no_number(name: str) -> NoReturn:
    raise _ForeignError(f"{name} is no number of JSON.")


def _number(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise _ForeignError("A number is too large.")
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        key = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _ForeignError(f"The key {key[:60]!r} stands twice in one object.")
    return values


def _too_deep(limit: int) -> ApiError:
    return ApiError(422, f"The body has more than {limit} lists and objects inside each other.", code="invalid_json")


T = TypeVar("T")


class Deadline:
    """How long somebody still waits; asked between the steps of a piece of work."""

    def __init__(self, timeout_s: float) -> None:
        """Begin to wait."""
        self._ends = time.monotonic() + timeout_s
        self._gone = threading.Event()

    def give_up(self) -> None:
        """Nobody waits any more."""
        self._gone.set()

    def check(self) -> None:
        """End the work where nobody waits for it.

        Raises:
            LateError: The time is up, or the client is gone.
        """
        self.left()

    def left(self) -> float:
        """Seconds.

        Raises:
            LateError: There are none, or nobody waits.
        """
        seconds = self._ends - time.monotonic()
        if seconds <= 0 or self._gone.is_set():
            raise LateError("The answer did not come in time; nothing was kept.")
        return seconds


class WorkerPool:
    """Threads for work that waits for something: the desk, or the database."""

    def __init__(self, name: str, limit: int, timeout_s: float, threads: int | None = None) -> None:
        """Open them; each thread starts with the first piece of work that needs it.

        Args:
            name: Of the threads.
            limit: Pieces of work that are done or wait; whoever comes after them is sent away.
            timeout_s: Seconds until one is given up.
            threads: Pieces that are done at once; None: all of them, since each waits for something else.
        """
        self._threads = ThreadPoolExecutor(threads or limit, thread_name_prefix=name)
        self.limit, self.timeout_s, self.busy = limit, timeout_s, 0

    async def do(self, request: Request, work: Callable[[Deadline], T]) -> T:
        """Have something done.

        Args:
            request: Who asks; where they go away, the work ends at its next step.
            work: Asks its patience between steps.

        Raises:
            ApiError: 429: too many are here; 504: the time is up; 499: the client is gone.
        """
        if self.busy >= self.limit:
            raise ApiError(429, f"{self.busy} requests are being computed or wait; try again in a moment.")
        self.busy += 1
        patience = Deadline(self.timeout_s)
        job = asyncio.get_running_loop().run_in_executor(self._threads, work, patience)
        job.add_done_callback(self._done)
        gone = asyncio.ensure_future(_gone(request))
        either: set[asyncio.Future[Any]] = {job, gone}
        try:
            await asyncio.wait(either, timeout=self.timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            if gone.done():
                raise ApiError(499, "The client went away.")
            raise ApiError(504, f"No answer came within {self.timeout_s:g} s. Ask for less at once, or later.")
        finally:
            gone.cancel()
            patience.give_up()

    def _done(self, job: "asyncio.Future[T]") -> None:
        # What was given up keeps its place until its thread has noticed.
        self.busy -= 1
        if not job.cancelled():
            job.exception()

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
