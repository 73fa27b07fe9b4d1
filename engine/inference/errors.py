"""What a visitor of the playground reads when something cannot be done."""

from db.base.errors import FeatherboardError


class PlaygroundError(FeatherboardError):
    """A model or a text cannot be taken; the message says why and what to do."""


class BusyError(PlaygroundError):
    """Too many others wait for an answer."""


class LateError(PlaygroundError):
    """The answer took longer than somebody was willing to wait."""
