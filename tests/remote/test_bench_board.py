"""A bench that sends its runs to another machine's board."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from db.base import secrets
from db.base.paths import default_database
from db.bootstrap.create import initialise
from db.storage.store import Store
from engine.cli import app as cli
from tests.engine.benchmarks.conftest import fake
from tests.remote.processes import TOKEN, arrived, listening, need_extra

__all__ = ["fake"]

BENCH = (
    "bench",
    "--models",
    "arch:bert-tiny",
    "--precision",
    "float32",
    "--lengths",
    "8",
    "--threads",
    "1",
    "--rounds",
    "1",
    "--repeats",
    "3",
)


@pytest.fixture(autouse=True)
def _with_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    need_extra()
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)


@pytest.mark.usefixtures("fake")
def test_runs_are_kept_here_and_sent_there(tmp_path: Path) -> None:
    """Both boards have the same run; what goes wrong on the way leaves the one that is here."""
    remote = Store(tmp_path / "there.duckdb")
    initialise(remote)
    before = set(arrived(remote))
    with listening(remote.path) as target:
        done = CliRunner().invoke(cli.app, [*BENCH, "--board", target])
        assert done.exit_code == 0, done.output
        assert f"{target}: 1 added, 0 updated, 0 already there" in done.output
    assert len(set(arrived(remote)) - before) == 1
    assert set(arrived(remote)) <= set(arrived(Store(default_database())))
    lost = CliRunner().invoke(cli.app, [*BENCH, "--board", target])
    assert "0 of 1 runs are in the other board" in str(lost.exception)
    assert len(arrived(Store(default_database()))) == len(arrived(remote)) + 1


@pytest.mark.parametrize(
    ("board", "token", "message"), [("pi", TOKEN, "write quack:HOST:PORT"), ("quack:pi", "", "--token-file")]
)
def test_what_is_wrong_is_told_before_anything_is_measured(
    fake: Path, monkeypatch: pytest.MonkeyPatch, board: str, token: str, message: str
) -> None:
    monkeypatch.setenv(secrets.VARIABLE, token)
    done = CliRunner().invoke(cli.app, [*BENCH, "--board", board])
    assert message in str(done.exception)
    assert not fake.exists()
