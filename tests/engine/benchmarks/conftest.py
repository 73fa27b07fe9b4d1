"""A board, and a worker without torch."""

import sys

import pytest

from db.storage.store import Store
from engine.benchmarks import host, process

# A worker without torch; FAKE_FAILURE names the model and turn that fails, FAKE_KIND how.
FAKE = """
import os, signal, sys, time
from multiprocessing.connection import Connection
from engine.benchmarks.messages import Loaded, Peak, Point, Refused
connection = Connection(int(sys.argv[1]))
job = connection.recv()
log = os.environ["FAKE_LOG"]
with open(log, "a") as file:
    file.write(f"{job.kind} {job.architecture} {job.precision}\\n")
turns = open(log).read().count(f"architecture {job.architecture} {job.precision}\\n")
if job.kind == "make":
    os.makedirs(job.folder); open(job.folder + "/model.safetensors", "w").close()
    connection.send(Peak(1)); sys.exit()
name = job.architecture
connection.send(Loaded(name, name, "BERT", "bert", {}, 1000, "en", 4000, 1.5))
slow = 2.0 if name == "bert-base" else 1.0
for threads in job.threads:
    for tokens in job.lengths:
        connection.send(Point(tokens, threads, [slow * tokens] * job.repeats, 0.5, 50.0, 2400.0))
        if os.environ.get("FAKE_FAILURE", "") == f"{name} {turns}":
            kind = os.environ["FAKE_KIND"]
            if kind == "refuse": connection.send(Refused("It cannot be done.")); sys.exit()
            if kind == "memory": connection.send(Refused("MemoryError", memory=True)); sys.exit()
            if kind == "kill": os.kill(os.getpid(), signal.SIGKILL)
            if kind == "crash": sys.exit("a last word")
            if kind == "half": os.write(connection.fileno(), bytes([0, 0, 1, 0, 7])); os._exit(3)
            if kind == "interrupt": time.sleep(0.5); os.kill(os.getppid(), signal.SIGINT); time.sleep(30)
            if kind == "eat": eaten = bytearray(200_000_000); time.sleep(30)
connection.send(Peak(100_000_000))
"""


@pytest.fixture
def store(board: Store) -> Store:
    """A board with the reported results."""
    return board


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A worker without torch; returns its log."""
    script, log = tmp_path / "worker.py", tmp_path / "log"
    script.write_text(FAKE, "utf-8")
    monkeypatch.setattr(process, "WORKER", (sys.executable, str(script)))
    monkeypatch.setattr(host, "busy_share", lambda: 0.0)
    monkeypatch.setattr(host, "state", lambda: host.State(0.1, None, None))
    monkeypatch.setenv("FAKE_LOG", str(log))
    return log
