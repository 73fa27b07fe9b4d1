"""Bundles that several threads receive at once: one thread imports all that wait, in one transaction.

Who has a receipt sends the next bundle a moment later. So the import waits for as many as came lately, for a fraction
of what a transaction takes: else half of the senders would always miss the one that the others share.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack

from db.base.errors import FeatherboardError
from db.runs.bundles.importing import Imported, Incoming, import_all
from db.storage.store import Store

DECODED_AT_ONCE = 2
"""Bundles that are decoded at the same time, and large ones that are held decoded until they are in."""

SMALL_BYTES = 4 * 2**20
"""Of tables: so much of each bundle may wait for its turn beside those."""

PATIENCE = 0.25
"""Of the time of the last transaction: how long the next one waits for others at most."""


class ImportQueue:
    """Where bundles wait while others are imported; who adds one waits until it is durable or refused."""

    def __init__(self, store: Store) -> None:
        """Start nothing yet."""
        self._store = store
        self._decoding = threading.Semaphore(DECODED_AT_ONCE)
        self._waiting: list[tuple[Incoming, Future[Imported]]] = []
        self._arrived = threading.Condition()
        self._expected, self._patience_s = 1, 0.0
        self._thread = ThreadPoolExecutor(1, "bundle-import")

    def add(self, decode: Callable[[], Incoming]) -> Imported:
        """Decode a bundle and import it together with those that wait.

        Raises:
            BundleError: It cannot be used; nothing of it was changed.
            StoreBusyError: Others hold the database; nothing was changed.
        """
        with ExitStack() as stack:
            stack.enter_context(self._decoding)
            bundle = decode()
            if bundle.bytes <= SMALL_BYTES:
                stack.close()
            done: Future[Imported] = Future()
            with self._arrived:
                self._waiting.append((bundle, done))
                self._arrived.notify()
            self._thread.submit(self._import_waiting)
            return done.result()

    def _import_waiting(self) -> None:
        """Called once for each bundle; whoever is called first imports all that have come by then."""
        with self._arrived:
            if not self._waiting:
                return
            self._arrived.wait_for(lambda: len(self._waiting) >= self._expected, self._patience_s)
            group, self._waiting = self._waiting, []
        began = time.monotonic()
        try:
            results = import_all(self._store, [bundle for bundle, _ in group])
        except Exception as error:  # whatever it is, nobody may wait for ever
            for _, done in group:
                done.set_exception(error)
            return
        with self._arrived:
            self._patience_s = PATIENCE * (time.monotonic() - began)
            self._expected = len(group) + len(self._waiting)
        for (_, done), result in zip(group, results, strict=True):
            if isinstance(result, FeatherboardError):
                done.set_exception(result)
            else:
                done.set_result(result)

    def close(self) -> None:
        """Let the thread end once it has imported what waits."""
        self._thread.shutdown(wait=False)
