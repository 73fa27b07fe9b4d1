"""Tokens and commands that send runs: what a person can get wrong is reported in one line."""

import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from db import remote
from db.base import secrets
from db.base.clock import utc_now
from db.base.errors import RemoteError, StoreError
from db.storage.store import Store
from engine.cli import app as cli
from engine.cli.options import delivering
from engine.service.settings import is_loopback
from tests.engine.benchmarks.conftest import fake
from tests.factories.command_line import CommandLine
from tests.factories.rows import whole_run
from tests.remote.processes import TOKEN, arrived, free_port, serving

__all__ = ["fake"]

BENCH = (
    *("bench", "--models", "arch:bert-tiny", "--precision", "float32", "--lengths", "8"),
    *("--threads", "1", "--rounds", "1", "--repeats", "3"),
)


@pytest.fixture(autouse=True)
def _no_target(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (secrets.VARIABLE, secrets.SENDERS_VARIABLE, remote.VARIABLE):
        monkeypatch.delenv(name, raising=False)


def test_which_addresses_leave_the_machine() -> None:
    """Only loopback addresses are taken to be safe without a token."""
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.5", "pi", "localhost.example.org")))  # noqa: S104


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
    assert secrets.load_token(None) == secrets.require_token(None) == TOKEN
    monkeypatch.setenv(secrets.VARIABLE, "1234")
    with pytest.raises(RemoteError, match="FEATHERBOARD_TOKEN holds no token"):
        secrets.load_token(None)
    monkeypatch.setenv(secrets.VARIABLE, "")
    assert secrets.load_token(None) is None
    with pytest.raises(RemoteError, match="--token-file"):
        secrets.require_token(None)


def test_the_tokens_of_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By commas in the environment, by lines in a file that nobody else reads."""
    known = {"pi5": TOKEN, "laptop.lan": "another-token-of-tests"}
    monkeypatch.setenv(secrets.SENDERS_VARIABLE, ", ".join(f"{name}:{token}" for name, token in known.items()))
    assert secrets.load_senders(None) == known
    file = tmp_path / "tokens"
    file.write_text("\n".join(f"{name}:{token}" for name, token in known.items()))
    file.chmod(stat.S_IRUSR)
    assert secrets.load_senders(file) == known


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (TOKEN, "write NAME:TOKEN"),
        (f"pi 5:{TOKEN}", "write NAME:TOKEN"),
        (f"pi5:{TOKEN},pi5:{TOKEN}x", "each name once"),
        (f"pi5:{TOKEN},laptop:{TOKEN}", "share one token"),
        ("pi5:short", "pi5: holds no token"),
    ],
)
def test_tokens_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, entries: str, message: str) -> None:
    monkeypatch.setenv(secrets.SENDERS_VARIABLE, entries)
    with pytest.raises(RemoteError, match=message):
        secrets.load_senders(None)


@pytest.mark.parametrize("name", ["quack:pi:9494", "https://board.example"])
def test_a_remote_board_is_no_database_file(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """Where a file is meant, another board's address is refused with the command that sends runs there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FEATHERBOARD_DB", name)
    for arguments in (("list", "runs"), ("db", "init"), ("db", "export", "x.zip")):
        code, _, err = command_line(*arguments)
        assert code == 1
        assert "`featherboard db push --board" in err
    with pytest.raises(StoreError, match="board of another machine"):
        Store(Path("quack:pi"))
    assert not list(tmp_path.iterdir())


def test_the_commands_of_quack_name_what_replaces_them(command_line: CommandLine) -> None:
    assert "serve-api" in command_line("db", "listen").err
    assert "--board http://pi:8600" in command_line("db", "push", "quack:pi:9494", "run").err


def test_push_reports_what_it_did_and_what_is_wrong(
    command_line: CommandLine, default_board: Store, other_board: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sent, sent again, an unknown run, nothing to send, no token, no address."""
    assert "--board https://HOST" in command_line("db", "push").err
    with serving(other_board.path) as url:
        monkeypatch.setenv(remote.VARIABLE, url)
        assert "--token-file" in command_line("db", "push").err
        monkeypatch.setenv(secrets.VARIABLE, TOKEN)
        assert "no measured run to send" in command_line("db", "push").err
        default_board.write([*whole_run("first-run"), *whole_run("second-run")])
        assert command_line("db", "push", "first-run")[:2] == (0, f"{url}: 1 added, 0 updated, 0 already there\n")
        assert command_line("db", "push")[:2] == (0, f"{url}: 1 added, 0 updated, 1 already there\n")
        assert "There is no run 'nosuch'" in command_line("db", "push", "nosuch").err
    assert "write https://HOST" in command_line("db", "push", "--board", "there").err


def test_what_a_training_finishes_is_delivered(
    default_board: Store, other_board: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also what waits from a training whose board was away; neither failure ends the training in an error."""
    monkeypatch.setattr("engine.cli.options.DELIVER_S", 0.2)
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    monkeypatch.setenv(remote.VARIABLE, f"http://127.0.0.1:{free_port()}")
    with delivering(default_board):
        default_board.write(whole_run("first-run", updated_at=utc_now()))
    assert "1 run(s) wait" in capsys.readouterr().out
    monkeypatch.setattr("engine.cli.options.DELIVER_S", 30.0)
    with serving(other_board.path) as url:
        monkeypatch.setenv(remote.VARIABLE, url)
        with delivering(default_board):
            default_board.write(whole_run("second-run", updated_at=utc_now()))
    assert arrived(other_board) == ["first-run", "second-run"]


@pytest.mark.usefixtures("fake", "default_board")
def test_measured_runs_are_kept_here_and_sent(other_board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both boards have the same run; a board that is away makes it wait, and the measurement counts."""
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    with serving(other_board.path) as url:
        done = CliRunner().invoke(cli.app, [*BENCH, "--board", url])
        assert done.exit_code == 0, done.output
        assert f"{url}: 1 added, 0 updated, 0 already there" in done.output
    assert len(arrived(other_board)) == 1


@pytest.mark.parametrize(("board", "token", "message"), [("pi", TOKEN, "write https"), ("http://pi", "", "--token")])
def test_what_is_wrong_is_reported_before_anything_is_measured(
    fake: Path, monkeypatch: pytest.MonkeyPatch, board: str, token: str, message: str
) -> None:
    monkeypatch.setenv(secrets.VARIABLE, token)
    done = CliRunner().invoke(cli.app, [*BENCH, "--board", board])
    assert message in str(done.exception)
    assert not fake.exists()
