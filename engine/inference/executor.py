"""Who computes: one thread, in the order of arrival.

Two models that compute at once on two cores take more than twice as long each, since every operation wants both cores.
So all computing is done by one thread, whatever number of visitors ask; a long text comes back to the end of the queue
after each batch of its windows, and a short question does not wait for all of it. A tokenizer, whose settings change
from call to call, is used by that thread alone too.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import TypeVar

from engine.inference.errors import BusyError, LateError

T = TypeVar("T")

MOST_WAITING = 32
"""Pieces of work that may wait; whoever comes after them is sent away at once."""


class Desk:
    """One worker and its queue."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        """Open it; the thread starts with the first piece of work."""
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="playground")
        self._most, self._waiting, self._lock = most_waiting, 0, threading.Lock()

    @property
    def waiting(self) -> int:
        """Pieces of work that are computed or wait."""
        return self._waiting

    def do(self, work: Callable[[], T], timeout_s: float | None = None) -> T:
        """Have something computed and wait for it.

        Args:
            work: Short: others wait meanwhile.
            timeout_s: Seconds until nobody wants it any more; what is computed already goes on and is thrown away.

        Raises:
            BusyError: Too many wait already.
            LateError: The time is up.
        """
        with self._lock:
            if self._waiting >= self._most:
                raise BusyError(f"{self._waiting} answers are being computed or wait; try again in a moment.")
            future = self._worker.submit(work)
            self._waiting += 1
        future.add_done_callback(self._done)
        try:
            return future.result(timeout_s)
        except Late:
            if future.done() and not future.cancelled():  # the work itself ended so
                raise
            future.cancel()
            raise LateError(
                f"No answer came within {timeout_s:g} s. The machine is busy, or the text is long; nothing was kept."
            ) from None

    def _done(self, _: "Future[T] | None" = None) -> None:
        with self._lock:
            self._waiting -= 1

    def close(self) -> None:
        """Let the thread end; work that waits is not done."""
        self._worker.shutdown(wait=False, cancel_futures=True)
