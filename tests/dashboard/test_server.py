"""Streamlit's server with the playground getting ready beside it."""

import sys
import threading
from types import SimpleNamespace

import pytest
from streamlit.web import cli

from dashboard import server
from dashboard.playground import engine_bridge
from engine.base.errors import ModelError


def _predictor(warmed: list[str], error: Exception | None = None) -> SimpleNamespace:
    def warm(reads: str) -> None:
        warmed.append(reads)
        if error is not None:
            raise error

    return SimpleNamespace(warm=warm)


@pytest.mark.parametrize("setting", ["1", "0"])
def test_the_playground_gets_ready_beside_the_server_if_asked_for(
    monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    warmed: list[str] = []
    served: list[list[str]] = []
    monkeypatch.setenv(server.VARIABLE, setting)
    monkeypatch.setattr(engine_bridge, "predictor", lambda: _predictor(warmed))
    monkeypatch.setattr(sys, "argv", ["server", "run", "app.py"])
    monkeypatch.setattr(cli, "main", lambda prog_name: served.append([prog_name, *sys.argv[1:]]))
    with pytest.raises(SystemExit):
        server.main()
    for thread in threading.enumerate():
        if thread.name == "playground-preload":
            thread.join(30)
    assert served == [["streamlit", "run", "app.py"]]
    assert warmed == (["qa"] if setting == "1" else [])


def test_a_model_that_cannot_be_had_stops_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the shipped one where the package of its encoder is not installed."""
    warmed: list[str] = []
    monkeypatch.setattr(engine_bridge, "predictor", lambda: _predictor(warmed, ModelError("not installed")))
    server.get_ready()
    assert warmed == ["qa"]


def test_without_the_engine_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_bridge, "missing", lambda: ["torch"])
    monkeypatch.setattr(engine_bridge, "predictor", lambda: pytest.fail("torch is missing"))
    server.get_ready()
