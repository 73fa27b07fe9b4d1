"""The secret that a listener and its senders share: from the environment or a file, never on a command line."""

import os
import re
import secrets
import stat
from pathlib import Path

from db.base.errors import RemoteError

VARIABLE = "FEATHERBOARD_TOKEN"
_FORM = re.compile(r"[\x21-\x7e]{16,256}")


def load_token(file: Path | None, variable: str = VARIABLE) -> str | None:
    """The token of a file, else of an environment variable, else None.

    Args:
        file: Holds the token.
        variable: Likewise, where no file is named.

    Raises:
        RemoteError: The file cannot be used or others may read it, or what it holds is no token.
    """
    if file is None:
        token = os.environ.get(variable, "").strip()
        return _checked(token, variable) if token else None
    try:
        mode, token = file.stat().st_mode, file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not plain text"
        raise RemoteError(f"The token file {file} cannot be read ({reason}).") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RemoteError(f"Others can read the token file {file}. Run: chmod 600 {file}")
    return _checked(token, str(file))


def needed(file: Path | None) -> str:
    """The token of a sender.

    Raises:
        RemoteError: There is none.
    """
    token = load_token(file)
    if token is None:
        raise RemoteError(
            f"A listener takes runs only with its token. Set {VARIABLE} to what `featherboard db listen` printed, or "
            "name a file that holds it with --token-file."
        )
    return token


def make(file: Path | None) -> str:
    """A new random token; written to the file where one is named, readable for its owner alone.

    Raises:
        RemoteError: The file cannot be written.
    """
    token = secrets.token_urlsafe(24)
    if file is not None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
                out.write(token + "\n")
        except OSError as error:
            raise RemoteError(f"The token file {file} cannot be written ({error.strerror}).") from None
    return token


def _checked(token: str, where: str) -> str:
    if not _FORM.fullmatch(token):
        raise RemoteError(f"{where} holds no token: one has 16 to 256 letters, digits and signs, without spaces.")
    return token
