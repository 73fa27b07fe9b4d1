"""Errors that a person reads: each says what was wrong, what was kept and what to do."""


class FeatherboardError(Exception):
    """Base of every error that is meant for a person; the command line prints it in one line, without a traceback."""


class StoreError(FeatherboardError):
    """The database could not be used."""


class StoreMissingError(StoreError):
    """There is no database at the given place."""


class StoreBusyError(StoreError):
    """Another process held the database for longer than we were willing to wait."""


class StoreVersionError(StoreError):
    """The database was made by an older or a newer Featherboard."""


class StoreDamagedError(StoreError):
    """The file is not a database, or it cannot be read."""


class BundleError(FeatherboardError):
    """A bundle of runs could not be read."""


class RemoteError(FeatherboardError):
    """Another machine's board could not be reached, or runs could not be sent to it."""


class NotFoundError(FeatherboardError):
    """A run, task or model that was asked for does not exist."""


class SubmissionError(FeatherboardError):
    """A submission or one of its files cannot be taken; the message names the field or the place."""


class LimitError(SubmissionError):
    """Somebody handed in more than is taken at a time; later it may go."""


class ModerationError(FeatherboardError):
    """A decision on a submission was refused."""


class TaskFileError(FeatherboardError):
    """A file that describes a task cannot be used."""


class DataError(FeatherboardError):
    """Data could not be found or read; the message names the file, the row and what to do."""


def one_line(error: BaseException) -> str:
    """The first line of an error's message, or the name of its type where it has none."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
