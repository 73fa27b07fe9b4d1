"""Who may decide: whoever types the token that this installation expects, or logs in as one of its moderators."""

import hmac
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from db.base.errors import ModerationError

VARIABLE = "FEATHERBOARD_MODERATOR_TOKEN"
"""The environment variable, and the key in ``.streamlit/secrets.toml``, that holds the token."""

MODERATORS = "moderators"
"""The key of the secrets that lists who may decide after logging in."""

MIN_LENGTH = 16
"""Characters of a token at least."""

_FILES = (".streamlit/secrets.toml", "~/.streamlit/secrets.toml")


def secret(name: str) -> Any:
    """Read a value of Streamlit's secrets; None where there is none, or the file cannot be read."""
    try:
        return st.secrets.get(name)
    except StreamlitSecretNotFoundError:
        return None


def expected() -> str | None:
    """Read the token of the environment, else of Streamlit's secrets, else of its files; None without.

    Raises:
        ModerationError: A secrets file cannot be read.
    """
    for value in (os.environ.get(VARIABLE), secret(VARIABLE)):
        if isinstance(value, str) and value.strip():
            return value.strip()
    for file in _FILES:
        try:
            value = tomllib.loads(Path(file).expanduser().read_text("utf-8")).get(VARIABLE)
        except (FileNotFoundError, RuntimeError):  # the latter: there is no home folder
            continue
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            raise ModerationError(f"{file} cannot be read, so nothing can be decided. Check its syntax.") from None
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def require(token: str) -> None:
    """Let only a moderator pass; every call of the page's client begins with this.

    Raises:
        ModerationError: This installation has no usable token, or another one; nothing was done.
    """
    own = expected()
    if not own:
        raise ModerationError(
            f"This installation has no moderator, so nothing can be decided. Set {VARIABLE} to a secret of at least "
            f"{MIN_LENGTH} characters, in the environment or in .streamlit/secrets.toml, and start it again."
        )
    if len(own) < MIN_LENGTH:
        raise ModerationError(f"{VARIABLE} has fewer than {MIN_LENGTH} characters; nothing can be decided with it.")
    # Of equal length, as bytes: the comparison then takes as long whatever differs.
    digests = [hmac.digest(b"featherboard", text.encode("utf-8", "replace"), "sha256") for text in (token, own)]
    if not hmac.compare_digest(*digests):
        raise ModerationError("This is not the moderator's token. Nothing was done.")


def user() -> Mapping[str, Any]:
    """Return the provider's claims about who is logged in; empty without."""
    claims: dict[str, Any] = st.user.to_dict()
    return claims


def is_moderator(who: Mapping[str, Any], allowed: Any) -> bool:
    """Whether somebody who is logged in may decide: by an address that the provider confirms.

    An address that the provider does not confirm could be anybody's.
    """
    email = who.get("email")
    if not who.get("is_logged_in") or not isinstance(email, str) or who.get("email_verified") is not True:
        return False
    named = allowed if isinstance(allowed, list | tuple) else []
    return email.strip().casefold() in {address.strip().casefold() for address in named if isinstance(address, str)} - {
        ""
    }


def moderator() -> str | None:
    """Return the address of the moderator who is logged in; None without."""
    who = user()
    # The secrets are read last: most visitors are not logged in, and this is called on every rerun.
    return str(who["email"]) if who.get("is_logged_in") and is_moderator(who, secret(MODERATORS)) else None


def require_login() -> str:
    """Let only a moderator who is logged in pass, and return their address.

    Raises:
        ModerationError: Nobody is logged in, or somebody else; nothing was done.
    """
    email = moderator()
    if email is None:
        raise ModerationError("You are not logged in as a moderator. Nothing was done.")
    return email
