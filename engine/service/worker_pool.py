"""Work that takes time, beside the event loop: a bounded number of pieces, each given up after a while."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request

from engine.inference.schemas import LateError
from engine.service.errors import ApiError

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

    def __init__(self, name: str, most: int, timeout_s: float, threads: int | None = None) -> None:
        """Open them; each thread starts with the first piece of work that needs it.

        Args:
            name: Of the threads.
            most: Pieces of work that are done or wait; whoever comes after them is sent away.
            timeout_s: Seconds until one is given up.
            threads: Pieces that are done at once; None: all of them, since each waits for something else.
        """
        self._threads = ThreadPoolExecutor(threads or most, thread_name_prefix=name)
        self.most, self.timeout_s, self.busy = most, timeout_s, 0

    async def do(self, request: Request, work: Callable[[Deadline], T]) -> T:
        """Have something done.

        Args:
            request: Who asks; where they go away, the work ends at its next step.
            work: Asks its patience between steps.

        Raises:
            ApiError: 429: too many are here; 504: the time is up; 499: the client is gone.
        """
        if self.busy >= self.most:
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
