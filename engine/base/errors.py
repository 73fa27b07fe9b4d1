"""Errors of the engine whose messages are shown to users."""

from db.base.errors import DataError, FeatherboardError

__all__ = ["CheckpointError", "DataError", "ModelError", "RecipeError"]


class RecipeError(FeatherboardError):
    """A recipe or an override is wrong; the message names the key and what is allowed."""


class CheckpointError(FeatherboardError):
    """A checkpoint is missing, does not fit, or is a pickle, which is never read."""


class InterruptedRunError(FeatherboardError):
    """A training was asked to stop; its state is saved and it can be resumed.

    Attributes:
        run_id: The run that stopped, once it is known.
    """

    run_id: str = ""


class DivergedError(FeatherboardError):
    """The loss stopped being a number."""


class ModelError(FeatherboardError):
    """A model of the hub or of a folder could not be loaded; the message says what was tried."""


class PrecisionError(FeatherboardError):
    """A model cannot compute in a number format; the message says why and what to use instead."""


class BenchError(FeatherboardError):
    """A model, length or limit for timing is impossible; the message says what is possible."""
