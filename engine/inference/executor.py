"""One thread that computes everything, in the order of arrival.

Two models that compute at once on two cores take more than twice as long each, since every operation wants both cores.
So one thread does all computing, however many clients there are; a long text goes back to the end of the queue after
each batch of its windows, and a short question does not wait for all of it. A tokenizer, whose settings change from
call to call, is used by that thread alone too.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from engine.inference.schemas import BusyError, LateError

T = TypeVar("T")

MAX_WAITING = 32
"""Jobs in the queue; the next one is refused at once."""


class InferenceExecutor:
    """One worker thread and its bounded queue."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        """Open the queue; the thread starts with the first job."""
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="playground")
        self._max, self._waiting, self._lock = max_waiting, 0, threading.Lock()

    @property
    def waiting(self) -> int:
        """Jobs that are computed or wait."""
        return self._waiting

    def do(self, work: Callable[[], T], timeout_s: float | None = None) -> T:
        """Compute something and wait for it.

        Args:
            work: Short, since others wait meanwhile.
            timeout_s: Seconds until the client gives up; a job that runs already goes on, and its result is dropped.

        Raises:
            BusyError: Too many jobs wait already.
            LateError: The time is up.
        """
        with self._lock:
            if self._waiting >= self._max:
                raise BusyError(f"{self._waiting} answers are being computed or wait; try again in a moment.")
            future = self._worker.submit(work)
            self._waiting += 1
        future.add_done_callback(self._release)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            if future.done() and not future.cancelled():  # raised by the work itself
                raise
            future.cancel()
            raise LateError(
                f"No answer came within {timeout_s:g} s. The machine is busy, or the text is long; nothing was kept."
            ) from None

    def _release(self, _: "Future[T]") -> None:
        with self._lock:
            self._waiting -= 1

    def close(self) -> None:
        """Let the thread end; jobs that wait are dropped."""
        self._worker.shutdown(wait=False, cancel_futures=True)
