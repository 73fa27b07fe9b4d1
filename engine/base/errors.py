"""Errors of the engine that a person reads."""

from db.base.errors import DataError, FeatherboardError

__all__ = ["CheckpointError", "DataError", "ModelError", "RecipeError"]


class RecipeError(FeatherboardError):
    """A recipe or an override is wrong; the message names the key and what is allowed."""


class CheckpointError(FeatherboardError):
    """A checkpoint is missing, does not fit, or is of a kind that is never read."""


class InterruptedRunError(FeatherboardError):
    """A training was asked to stop; its state is saved and it can be resumed.

    Attributes:
        run_id: The run that stopped, once it is known.
    """

    run_id: str = ""


class DivergedError(FeatherboardError):
    """The loss stopped being a number."""


class ModelError(FeatherboardError):
    """A model of the hub or of a folder cannot be had; the message says what was tried."""


class PrecisionError(FeatherboardError):
    """A model cannot compute in the number format that was asked for; the message says why and what to use."""


class BenchError(FeatherboardError):
    """A model, length or limit for timing is impossible; the message says what is possible."""
