"""Names, tokens and commands of remote boards: what a person can get wrong is told in one line."""

import importlib
import os
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from db import quack
from db.base import secrets
from db.base.errors import RemoteError, StoreError
from db.base.paths import default_database
from db.listen import is_loopback
from db.quack import Place
from db.storage.store import Store
from tests.factories.command_line import CommandLine, CommandResult
from tests.factories.rows import whole_run, with_tasks
from tests.remote.processes import TOKEN, free_port, listening, need_extra, start

Run = Callable[..., CommandResult]


@pytest.fixture
def run(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process, without a token in the environment."""
    monkeypatch.delenv(secrets.VARIABLE, raising=False)
    return command_line


@pytest.mark.parametrize(
    ("name", "listener"),
    [
        ("quack:pi", Place("pi", 9494)),
        ("quack:192.168.1.5:81", Place("192.168.1.5", 81)),
        ("quack:[::1]:9000", Place("::1", 9000)),
    ],
)
def test_names_of_listeners(name: str, listener: Place) -> None:
    """A host, with or without a port; and back again in full."""
    assert quack.place(name) == listener
    assert quack.place(str(listener)) == listener


@pytest.mark.parametrize(
    "name",
    [
        "",
        "quack:",
        "pi:9494",
        "http://pi",
        "quack:pi:0",
        "quack:pi:65536",
        "quack:pi:x",
        "quack:a b:1",
        "quack:u@pi:1",
        "quack:pi:1/x",
        "quack:pi:1?x",
        "quack:[::1",
        "quack:it's:1",
        "quack:pi:-1",
    ],
)
def test_what_names_no_listener_is_refused(name: str) -> None:
    """The message shows how to write it."""
    with pytest.raises(RemoteError, match="write quack:HOST:PORT"):
        quack.place(name)


def test_which_addresses_leave_the_machine() -> None:
    """Only loopback addresses are taken to be safe without a warning."""
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "pi", "localhost.example.org")))  # noqa: S104


def test_a_token_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """It is long, random, read back as it is, and never overwritten."""
    file = tmp_path / "new" / "token"
    token = secrets.make(file)
    assert len(token) >= 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secrets.load_token(file) == secrets.needed(file) == token
    assert secrets.make(None) != secrets.make(None)
    with pytest.raises(RemoteError, match="cannot be written"):
        secrets.make(file)
    assert secrets.load_token(file) == token


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        (b"a-good-token-of-the-tests", 0o644, "chmod 600"),
        (b"short", 0o600, "16 to 256 letters"),
        (b"two words that are long enough", 0o600, "without spaces"),
        ("비밀비밀비밀비밀비밀비밀비밀".encode(), 0o600, "not plain text"),
        (b"", 0o600, "holds no token"),
        (None, 0o600, "No such file"),
    ],
)
def test_a_token_file_that_cannot_be_used(tmp_path: Path, content: bytes | None, mode: int, message: str) -> None:
    """It is refused, with what is wrong with it."""
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
        file.chmod(mode)
    with pytest.raises(RemoteError, match=message):
        secrets.load_token(file)


def test_the_token_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts where no file is named; one that is too short is refused, not used."""
    monkeypatch.setenv(secrets.VARIABLE, f" {TOKEN}\n")
    assert secrets.load_token(None) == TOKEN
    monkeypatch.setenv(secrets.VARIABLE, "1234")
    with pytest.raises(RemoteError, match="FEATHERBOARD_TOKEN holds no token"):
        secrets.load_token(None)
    monkeypatch.setenv(secrets.VARIABLE, "")
    assert secrets.load_token(None) is None
    with pytest.raises(RemoteError, match="--token-file"):
        secrets.needed(None)


def test_a_remote_board_is_no_database_file(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where a file is meant, the name of a listener is refused with the command that sends runs there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FEATHERBOARD_DB", "quack:pi:9494")
    for arguments in (("list", "runs"), ("db", "init"), ("db", "listen"), ("db", "export", "x.zip")):
        code, _, err = run(*arguments)
        assert code == 1
        assert "`featherboard db push quack:pi:9494`" in err
    with pytest.raises(StoreError, match="board of another machine"):
        Store(Path("quack:pi"))
    assert not list(tmp_path.glob("quack*"))


def test_without_the_extra_one_line_says_how_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both commands name it, and neither makes a database."""
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    whole = importlib.import_module

    def without(name: str, *more: object) -> object:
        if name.startswith("duckdb_extension"):
            raise ModuleNotFoundError(name)
        return whole(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    code, out, err = run("db", "listen")
    assert (code, out) == (1, "")
    assert "pip install -e '.[server]'" in err
    assert not default_database().exists()
    with_tasks(_made(default_database())).write(whole_run("a"))
    code, _, err = run("db", "push", "quack:127.0.0.1:9494")
    assert code == 1
    assert "pip install -e '.[server]'" in err
    assert "Traceback" not in err


def _made(path: Path) -> Store:
    path.parent.mkdir(parents=True, exist_ok=True)
    return Store(path)


def test_an_extension_for_another_duckdb_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both versions are named: the extensions are built for one release."""
    need_extra()
    monkeypatch.setattr(duckdb, "__version__", "1.5.99")
    with pytest.raises(RemoteError, match=r"DuckDB is 1\.5\.99 here, but its extension 'httpfs' is made for 1\."):
        quack.connect()


def test_push_tells_what_it_did_and_what_is_wrong(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sent, sent again, an unknown run, nothing to send, no token, a wrong token, nobody there."""
    need_extra()
    local = with_tasks(_made(default_database()))
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    assert "no measured run to send" in run("db", "push", "quack:127.0.0.1:1")[2]
    local.write([*whole_run("first-run"), *whole_run("second-run")])
    with listening(with_tasks(Store(tmp_path / "there.duckdb")).path) as target:
        assert run("db", "push", target, "first-run")[:2] == (0, f"{target}: 1 added, 0 updated, 0 already there\n")
        assert run("db", "push", target)[:2] == (0, f"{target}: 1 added, 0 updated, 1 already there\n")
        assert "There is no run 'nosuch'" in run("db", "push", target, "nosuch")[2]
        monkeypatch.setenv(secrets.VARIABLE, "x" * 20)
        code, out, err = run("db", "push", target)
        assert (code, out) == (1, "")
        assert "does not take this token" in err
        assert "0 of 2 runs are in the other board." in err
        monkeypatch.delenv(secrets.VARIABLE)
        assert "--token-file" in run("db", "push", target)[2]
        port = target.rpartition(":")[2]
        monkeypatch.setenv(secrets.VARIABLE, TOKEN)
        assert "Address already in use" in run("db", "listen", "--port", port)[2]
    assert "write quack:HOST:PORT" in run("db", "push", "there")[2]


def test_ctrl_c_ends_a_push_that_waits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even while the other side never answers; what is there already is told."""
    need_extra()
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    with_tasks(_made(default_database())).write(whole_run("a"))
    port = free_port()
    mute = start("mute", port)
    try:
        assert mute.stdout is not None
        assert mute.stdout.readline().strip() == "ready"
        threading.Timer(3.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        code, out, err = run("db", "push", f"quack:127.0.0.1:{port}")
    finally:
        mute.kill()
        mute.communicate(timeout=30)
    assert (code, out) == (1, "")
    assert "Stopped. 0 of 1 runs are in the other board; the same command sends the rest." in err
    assert "Traceback" not in err
