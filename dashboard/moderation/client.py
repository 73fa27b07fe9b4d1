"""A moderator's access to the database: each use of it checks the token or the login first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dashboard.moderation import token as tokens
from dashboard.ui import cache
from db import submissions
from db.storage.store import Store

T = TypeVar("T")

MAX_ROWS = 500
"""Rows of a list."""


@dataclass(frozen=True)
class ModerationClient:
    """What a moderator can read and decide, by a token that was typed, or by a login without one."""

    token: str | None = field(repr=False)

    @property
    def store(self) -> Store:
        """The database, for decisions and for what must be read as it is now.

        Raises:
            ModerationError: The token or the login is not a moderator's.
        """
        if self.token is None:
            tokens.require_login()
        else:
            tokens.require(self.token)
        return cache.store()

    @property
    def by(self) -> str | None:
        """Who decides, for the history; a token is nobody's name."""
        return tokens.moderator() if self.token is None else None

    def read(self, read: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Read from the database, or from the cache while the database has not changed; not to be written to.

        A moderator types a reason while a submission is open, and every key would score its predictions again.

        Raises:
            ModerationError: As for ``store``.
        """
        store = self.store
        facts = (read.__qualname__, *arguments, *sorted(options.items()))
        return cache.once(lambda: read(store, *arguments, **options), "moderation", *facts)

    def waiting(self, *, search: str = "", batch: str = "") -> list[str]:
        """List the ids of what waits now, the oldest first."""
        rows = submissions.queue(self.store, search=search, batch=batch)
        return [str(submission_id) for submission_id in rows["submission_id"]]


def following(waiting: Sequence[str], decided: str) -> str | None:
    """Choose the row to open after one was decided: the next that waits, else the first, else none."""
    position = list(waiting).index(decided) if decided in waiting else -1
    others = [*waiting[position + 1 :], *waiting[: max(position, 0)]]
    return others[0] if others else None
