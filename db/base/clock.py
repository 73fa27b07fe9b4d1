"""Time as the store keeps it."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Now, in UTC, without a zone: the form of every time in the database."""
    return datetime.now(UTC).replace(tzinfo=None)
