"""Send runs to another board while they go on: their curves, and that they live.

Each time the whole run is sent as it is, so what was lost on the way comes with the next, and what came twice changes
nothing. The other board shows since when nothing came.
"""

import logging
import threading
from datetime import datetime
from types import TracebackType
from typing import Self

from db import remote
from db.base.clock import utc_now
from db.base.errors import FeatherboardError
from db.remote import Target
from db.storage.store import Store

_LOG = logging.getLogger("featherboard.remote")

EVERY_S = 20.0
"""The other board takes a run for silent after ``db.runs.status.DEAD_AFTER_S``."""

_TRY_S = 5.0


class LiveRuns:
    """Sends the runs that go on while a block runs, from a thread of its own; that it fails ends no training."""

    def __init__(self, store: Store, target: Target) -> None:
        """Name both boards; nothing is sent."""
        self._store, self._target = store, target
        self._sent: dict[str, datetime] = {}
        self._began = utc_now()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send_now_and_then, name="featherboard-live", daemon=True)

    def send(self) -> list[str]:
        """Send the measured runs that go on and changed since the last time, and return their ids.

        Raises:
            FeatherboardError: Not all arrived; the next time sends them again.
        """
        rows = self._store.query(
            "SELECT run_id, updated_at FROM runs WHERE source = 'measured' AND status = 'running' "
            "AND host IS NOT NULL AND updated_at >= ?",
            [self._began],
        )
        changed = {
            row.run_id: row.updated_at for row in rows.itertuples() if self._sent.get(row.run_id) != row.updated_at
        }
        remote.push(self._store, self._target, list(changed), wait_s=_TRY_S)
        remote.enqueue(self._store, changed)  # its end is sent even if this process does not live to see it
        self._sent |= changed
        return list(changed)

    def __enter__(self) -> Self:
        """Start."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop; what is still on its way is older than what is sent next, and changes nothing then."""
        self._stop.set()
        self._thread.join(_TRY_S)

    def _send_now_and_then(self) -> None:
        while not self._stop.wait(EVERY_S):
            try:
                self.send()
            except (FeatherboardError, OSError) as error:
                _LOG.info("Runs that go on were not sent: %s", error)
