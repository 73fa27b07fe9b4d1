"""Who may decide: whoever knows the moderator's token of this installation."""

import hmac
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

from db.base.errors import ModerationError

VARIABLE = "FEATHERBOARD_MODERATOR_TOKEN"
"""The environment variable, and the key in ``.streamlit/secrets.toml``, that holds the token."""

LEAST = 16
"""Characters of a token at least."""

_FILES = (".streamlit/secrets.toml", "~/.streamlit/secrets.toml")

Tokens = Callable[[], str | None]
"""Gives the token that this installation expects; None where there is none."""


def configured() -> str | None:
    """The token of the environment, else of ``.streamlit/secrets.toml`` here or in the home folder; None without.

    Raises:
        ModerationError: A secrets file cannot be read.
    """
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return named
    for file in _FILES:
        try:
            found = tomllib.loads(Path(file).expanduser().read_text("utf-8")).get(VARIABLE)
        except (FileNotFoundError, RuntimeError):  # the latter: there is no home folder
            continue
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            raise ModerationError(f"{file} cannot be read, so nothing can be decided. Look at its form.") from None
        if isinstance(found, str) and found.strip():
            return found.strip()
    return None


def require(token: str, tokens: Tokens = configured) -> None:
    """Let only a moderator pass.

    Args:
        token: What somebody shows.
        tokens: Gives the token that is expected.

    Raises:
        ModerationError: This installation has no token, or another one; nothing was done.
    """
    expected = tokens()
    if not expected:
        raise ModerationError(
            f"This installation has no moderator, so nothing can be decided. Set {VARIABLE} to a secret of at least "
            f"{LEAST} characters, in the environment or in .streamlit/secrets.toml, and start it again."
        )
    if len(expected) < LEAST:
        raise ModerationError(f"{VARIABLE} is shorter than {LEAST} characters; nothing can be decided with it.")
    # Of equal length, as bytes: the comparison then takes as long whatever differs.
    shown, ours = (hmac.digest(b"featherboard", one.encode("utf-8", "replace"), "sha256") for one in (token, expected))
    if not hmac.compare_digest(shown, ours):
        raise ModerationError("This is not the moderator's token. Nothing was done.")
