"""Ctrl-C, SIGTERM and short memory in the middle of a command: words, and nothing half-done."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.runs import bundles
from db.storage import changes
from db.storage.store import Store
from tests.factories.command_line import CommandLine, one_line_error
from tests.factories.rows import value_of, whole_run, with_tasks


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Put back the handler that a command sets."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def bundle(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle with a run that the database of the commands does not have."""
    other = with_tasks(Store(tmp_path / "other.duckdb"))
    other.write(whole_run("run-00000001"))
    file = tmp_path / "runs.fbundle"
    bundles.export_runs(other, file, ["run-00000001"])
    with_tasks(store)
    monkeypatch.setenv("FEATHERBOARD_DB", str(store.path))
    return file


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_an_import(
    store: Store, bundle: Path, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """It ends with the words and the code of a stop, no run is there in part, and the same command works afterwards."""
    apply = changes.apply

    def stopped(*arguments: object, **options: bool) -> None:
        apply(*arguments, **options)  # type: ignore[arg-type]
        os.kill(os.getpid(), number)

    with monkeypatch.context() as patch:
        patch.setattr(changes, "apply", stopped)
        result = command_line("db", "import", bundle)
    assert result.code == 130
    assert result.err.strip().startswith("Stopped. What was acknowledged before is stored")
    assert value_of(store, "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM metrics)") == 0
    assert command_line("db", "import", bundle).code == 0
    assert value_of(store, "SELECT count(*) FROM runs") == 1


def test_short_memory_is_an_error_in_words(
    store: Store, bundle: Path, command_line: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing was changed."""

    def short(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(changes, "apply", short)
    assert "not enough memory" in one_line_error(command_line("db", "import", bundle))
    assert value_of(store, "SELECT count(*) FROM runs") == 0
