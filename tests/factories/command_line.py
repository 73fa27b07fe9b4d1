"""Commands of ``featherboard``, run in the process of the test as ``main`` runs them, and messages of errors."""

import io
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest


class CommandResult(NamedTuple):
    """How a command ended, and what it printed to standard output and standard error."""

    code: int
    out: str
    err: str


class CommandLine:
    """Call it with arguments; the ones that every call shares are given once."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], shared: tuple[str, ...] = ()
    ) -> None:
        """Print lines of 300 columns at most, so that no message is broken."""
        self._monkeypatch, self._capfd, self._shared = monkeypatch, capfd, shared
        monkeypatch.setenv("COLUMNS", "300")

    def starting_with(self, *arguments: str) -> "CommandLine":
        """The same with arguments that come first in every call, such as the name of the command."""
        return CommandLine(self._monkeypatch, self._capfd, (*self._shared, *arguments))

    def __call__(self, *arguments: object, stdin: bytes = b"") -> CommandResult:
        """Run one command. No command may end in a traceback."""
        from engine.cli import app

        self._capfd.readouterr()
        self._monkeypatch.setattr(sys, "argv", ["featherboard", *self._shared, *map(str, arguments)])
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = 0
        try:
            app.main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = self._capfd.readouterr()
        assert "Traceback" not in err
        return CommandResult(code, out, err)


_IN_TURN = """
import contextlib, io, json, sys
from engine.cli.app import main
for arguments in json.load(sys.stdin):
    code, out, err = 0, io.StringIO(), io.StringIO()
    sys.argv = ["featherboard", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


def in_new_process(*commands: Sequence[object]) -> list[CommandResult]:
    """Run commands one after another in one process of their own, as tasks are read when one starts."""
    arguments = json.dumps([[*map(str, command)] for command in commands])
    done = subprocess.run(
        [sys.executable, "-c", _IN_TURN], input=arguments, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return [CommandResult(*json.loads(line)) for line in done.stdout.splitlines()]


def one_line_error(result: CommandResult) -> str:
    """The error of a command that failed with code 1 and exactly one line."""
    assert result.code == 1
    lines = [line for line in result.err.splitlines() if line.strip()]
    assert len(lines) == 1, result.err
    assert lines[0].startswith("Error: ")
    return lines[0]


def one_line(call: Callable[[], Any], kind: type[Exception]) -> str:
    """The message of the error that a call raises, which must be one line."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    return message
