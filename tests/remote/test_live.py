"""Runs that travel while they go on, and submissions to another machine's board."""

import socket
from datetime import timedelta

import pytest

from dashboard.ui import formatting
from db import remote
from db.base import secrets
from db.base.clock import utc_now
from db.leaderboard.board import board as load_board
from db.live_runs import LiveRuns
from db.remote import Target
from db.runs.status import DEAD_AFTER_S, mark_dead
from db.runs.writer import MetricValue, RunWriter
from db.storage.store import Store
from engine.cli import options
from tests.factories.command_line import CommandLine
from tests.factories.rows import model_facts, run_facts, value_of
from tests.remote.processes import TOKEN


def _start(store: Store) -> RunWriter:
    writer = RunWriter.start(store, model_facts(), run_facts(task_id="nsmc"))
    writer.point("loss", 1, 0.5, epoch=1.0, wall_time=1.0)
    writer.beat(force=True)
    return writer


def _received(store: Store, run_id: str) -> tuple[str, int]:
    """The status of a run, and the number of its curve points."""
    points = value_of(store, f"SELECT count(*) FROM curves WHERE run_id = '{run_id}'")
    return str(value_of(store, f"SELECT status FROM runs WHERE run_id = '{run_id}'")), points


def test_a_run_travels_while_it_goes_on(board: Store, far: tuple[Target, Store]) -> None:
    """Its points arrive as it goes on, once each, what was lost comes with the next, and its end is sent later."""
    target, other_board = far
    live, writer = LiveRuns(board, target), _start(board)
    assert live.send() == [writer.run_id]
    assert _received(other_board, writer.run_id) == ("running", 1)
    assert live.send() == [], "nothing has changed"
    for step in (2, 3):
        writer.point("loss", step, 0.25, epoch=1.0, wall_time=2.0)
        writer.beat(force=True)
    assert live.send() == [writer.run_id]
    assert _received(other_board, writer.run_id) == ("running", 3)
    writer.finish([MetricValue("accuracy", 0.5)], train_seconds=3.0)
    assert live.send() == []
    remote.deliver(board, target, [], wait_s=30)  # of the next training, where this one's process died
    assert _received(other_board, writer.run_id) == ("finished", 3)
    assert value_of(other_board, f"SELECT count(*) FROM run_versions WHERE run_id = '{writer.run_id}'") == 0
    assert not list(remote.outbox(board.path).iterdir())


def test_a_run_that_is_stopped_arrives_at_once(
    board: Store, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other board shows that it was interrupted; one that hangs keeps nobody waiting, and gets it later."""
    target, other_board = far
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    monkeypatch.setattr(options, "LAST_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv(remote.VARIABLE, f"http://127.0.0.1:{silent.getsockname()[1]}")
        hanging = _stopped(board)
    assert [file.name for file in remote.outbox(board.path).iterdir()] == [hanging]
    monkeypatch.undo()
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    monkeypatch.setenv(remote.VARIABLE, target.url)
    monkeypatch.setattr(options, "LAST_S", 60.0)  # of a busy machine
    stopped = _stopped(board)
    assert _received(other_board, stopped) == ("interrupted", 1)
    assert [file.name for file in remote.outbox(board.path).iterdir()] == [hanging]
    remote.deliver(board, target, [], wait_s=30)
    assert _received(other_board, hanging) == ("interrupted", 1)


def _stopped(store: Store) -> str:
    """A run that Ctrl-C ends."""
    writer = _start(store)

    def train() -> None:
        with options.delivering(store):
            writer.interrupt()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train()
    return writer.run_id


def test_a_machine_that_sends_nothing_is_silent(board: Store, far: tuple[Target, Store]) -> None:
    """Its run is neither running nor interrupted; the time is that of the last arrival, by the receiver's clock."""
    target, other_board = far
    live, writer = LiveRuns(board, target), _start(board)
    with board.transaction() as con:
        con.execute("UPDATE runs SET heartbeat = TIMESTAMP '2026-01-01' WHERE run_id = ?", [writer.run_id])
    live.send()
    assert _status(other_board, writer.run_id) == "Running"
    since = utc_now() - timedelta(seconds=DEAD_AFTER_S + 60)
    with other_board.transaction() as con:
        con.execute("UPDATE runs SET heartbeat = ? WHERE run_id = ?", [since, writer.run_id])
    assert _status(other_board, writer.run_id) == f"Silent since {since:%H:%M} UTC"
    assert writer.run_id not in mark_dead(other_board), "the row belongs to the other machine"
    writer.beat(force=True)
    live.send()
    assert _status(other_board, writer.run_id) == "Running"


def _status(store: Store, run_id: str) -> str:
    rows = load_board(store, "nsmc").rows
    (row,) = rows[rows["run_id"] == run_id].to_dict("records")
    return formatting.status(row["status"], row["heartbeat"])


def test_runs_are_submitted_to_another_board(
    command_line: CommandLine, far: tuple[Target, Store], monkeypatch: pytest.MonkeyPatch, default_board: Store
) -> None:
    """They wait for its moderator, and for nobody's here; who has the secret learns there what becomes of them."""
    target, other_board = far
    monkeypatch.setenv(remote.VARIABLE, target.url)
    monkeypatch.setenv(secrets.VARIABLE, TOKEN)
    fields = ("task=nsmc", "model=From far away", "params=1000", "metrics.accuracy=0.5")
    options = [part for field in fields for part in ("--set", field)]
    code, out, err = command_line("submit", *options)
    assert code == 0, err
    assert f"1 row(s) wait for a moderator of {target.url}" in out
    assert value_of(other_board, "SELECT model FROM submissions") == "From far away"
    assert value_of(default_board, "SELECT count(*) FROM submissions") == 0
    secret = f"{out.split()[-1]}\n".encode()
    shown = command_line("submit", "--status", stdin=secret).out
    assert "From far away" in shown
    assert "waiting" in shown
    assert "already" in command_line("submit", *options).err
    assert "Nothing was saved" in command_line("submit", "--set", "task=nosuch").err
    row = str(value_of(other_board, "SELECT submission_id FROM submissions"))[:12]
    for wrong, stdin, words in (("nosuchrow", secret, "no such submission"), (row, b"wrong\n", "no such submission")):
        assert words in command_line("submit", "--take-back", wrong, stdin=stdin).err
    assert "withdrawn" in command_line("submit", "--take-back", row, stdin=secret).out
    assert value_of(other_board, "SELECT state FROM submissions") == "withdrawn"
    assert "only one that is waiting or accepted" in command_line("submit", "--take-back", row, stdin=secret).err
