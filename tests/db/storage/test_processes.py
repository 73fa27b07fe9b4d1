"""Several real processes, and several threads of one, on one database."""

import threading
import time
from pathlib import Path

import pytest

from db.storage import journal
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.rows import change, model_row, value_of, with_tasks

RUNS_EACH = 25


@pytest.mark.timeout(120)
def test_two_writers_and_a_reader_lose_nothing(store: Store, tmp_path: Path) -> None:
    """Two processes write 25 runs each while a third reads: every row is there, nobody saw half a run or an error."""
    with_tasks(store)
    stop = tmp_path / "stop"
    began = time.monotonic()
    reader = processes.start("read", store.path, stop)
    writers = [processes.start("write", store.path, who, RUNS_EACH) for who in ("anna", "bora")]
    journalled = sum(processes.answer(writer)["journalled"] for writer in writers)
    stop.touch()
    seen = processes.answer(reader)
    took = time.monotonic() - began

    assert seen["errors"] == []
    assert seen["torn"] == [], "finished runs that a reader saw without all of their figures and points"
    assert seen["reads"] > 5, "the reader hardly ever got in"
    assert took < 60, f"took {took:.0f} s"
    store.write([])  # takes in whatever waits
    assert journal.waiting(store.path) == [], f"{journalled} batch(es) were journalled by a busy writer and are not in"
    expected = sorted(f"{who}-{number:03d}" for who in ("anna", "bora") for number in range(RUNS_EACH))
    rows = store.query(
        "SELECT run_id, status, (SELECT count(*) FROM metrics m WHERE m.run_id = r.run_id) AS figures, "
        "(SELECT sum(value) FROM curves c WHERE c.run_id = r.run_id) AS total, "
        "(SELECT max(value) FROM metrics m WHERE m.run_id = r.run_id) AS value FROM runs r ORDER BY run_id"
    )
    assert rows["run_id"].tolist() == expected
    assert set(rows["status"]) == {"finished"}
    assert set(rows["figures"]) == {len(processes.FIGURES)}
    assert rows["total"].tolist() == pytest.approx([sum(1 / n for n in range(1, processes.POINTS + 1))] * len(rows))
    assert rows["value"].tolist() == pytest.approx([0.5 + int(run_id[-3:]) / 1000 for run_id in expected])


def test_threads_of_one_process_lose_nothing(store: Store) -> None:
    """Four threads that write to the same and to different rows while a batch waits all succeed; the batch goes in."""
    store.migrate()
    journal.put(store.path, [change("models", model_row("spooled"))])
    problems: list[BaseException | str] = []

    def work(who: int) -> None:
        try:
            for number in range(5):
                done = store.write([change("models", model_row(f"m{who}-{number}"), model_row("shared"))])
                if done != "committed":
                    problems.append(done)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert value_of(store, "SELECT count(*) FROM models") == 4 * 5 + 2
    assert not (journal.folder(store.path) / "rejected").exists(), "a good batch was set aside"
