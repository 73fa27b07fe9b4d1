"""Bearer tokens of the HTTP service: from the environment or a file, never on a command line."""

import os
import re
import stat
from pathlib import Path

from db.base.errors import RemoteError

VARIABLE = "FEATHERBOARD_TOKEN"
SENDERS_VARIABLE = "FEATHERBOARD_TOKENS"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
_FORM = re.compile(r"[\x21-\x7e]{16,256}")


def load_token(file: Path | None, variable: str = VARIABLE) -> str | None:
    """The token of a file, else of an environment variable, else None.

    Raises:
        RemoteError: The file cannot be used or others may read it, or what it holds is no token.
    """
    if file is None:
        token = os.environ.get(variable, "").strip()
        return _checked(token, variable) if token else None
    return _checked(_read(file), str(file))


def load_senders(file: Path | None) -> dict[str, str]:
    """The tokens of machines that may send runs, by their names.

    Args:
        file: Lines of ``NAME:TOKEN``; None: the environment variable, where commas separate them.

    Raises:
        RemoteError: The file cannot be used or others may read it, or a line is none.
    """
    where, text = (SENDERS_VARIABLE, os.environ.get(SENDERS_VARIABLE, "")) if file is None else (str(file), _read(file))
    senders: dict[str, str] = {}
    for entry in filter(None, re.split(r"[,\s]+", text)):
        name, colon, token = entry.partition(":")
        if not colon or not _NAME.fullmatch(name) or name in senders:  # without a colon it may be a token
            raise RemoteError(f"{where}: write NAME:TOKEN for each machine, each name once, such as pi5:TOKEN.")
        senders[name] = _checked(token, f"{where}, {name}:")
    if len(set(senders.values())) < len(senders):
        raise RemoteError(f"{where}: two machines share one token; give each its own.")
    return senders


def _read(file: Path) -> str:
    try:
        mode, text = file.stat().st_mode, file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not plain text"
        raise RemoteError(f"The token file {file} cannot be read ({reason}).") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RemoteError(f"Others can read the token file {file}. Run: chmod 600 {file}")
    return text


def require_token(file: Path | None) -> str:
    """The token of a sender.

    Raises:
        RemoteError: There is none.
    """
    token = load_token(file)
    if token is None:
        raise RemoteError(
            f"Another board takes runs only with this machine's token. Set {VARIABLE}, or name a file that holds it "
            f"with --token-file; the other board lists it in {SENDERS_VARIABLE}."
        )
    return token


def _checked(token: str, where: str) -> str:
    if not _FORM.fullmatch(token):
        raise RemoteError(f"{where} holds no token: one has 16 to 256 letters, digits and signs, without spaces.")
    return token
