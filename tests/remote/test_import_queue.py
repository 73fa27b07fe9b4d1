"""Bundles that arrive together: imported in one transaction, with the results of one after another."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from db.base.errors import BundleError, FeatherboardError, StoreBusyError
from db.runs import bundles
from db.runs.bundles import Imported, Incoming
from db.runs.bundles import queue as queue_module
from db.runs.bundles.importing import import_all
from db.runs.bundles.queue import ImportQueue
from db.storage import changes, installation, seals
from db.storage.journal import spare_blocks
from db.storage.store import Store
from db.submissions.drafts import receive_bundle
from tests.factories.rows import T0, contents, value_of, whole_run, with_tasks

TABLES = ("provenance", "run_versions", "outcomes", "seals")


def _bundle(tmp_path: Path, run_id: str, sender: str = "", edit: dict[str, Any] | None = None, **columns: Any) -> bytes:
    """A run of one sender, who signs; ``edit`` sets a column of one table."""
    batch = whole_run(run_id, **columns)
    for change in batch:
        if edit and change.table == edit["table"]:
            change.rows[edit["column"]] = edit["value"]
    content = changes.pack(batch, bundles.KIND, {"runs": 1})
    return installation.sign(content, tmp_path / f"{sender}.duckdb") if sender else content


def _incoming(content: bytes, sender: str = "pi5") -> Incoming:
    signer = installation.signer(content, "the bundle")
    return Incoming(changes.unpack(content, bundles.KIND, "the bundle"), "the bundle", signer, received_by=sender)


@pytest.fixture
def arrivals(tmp_path: Path) -> list[bytes]:
    """Bundles of two senders, of which some are refused and some hold the same run."""
    newer = {"updated_at": T0 + timedelta(seconds=1)}
    bad_status = {"table": "runs", "column": "status", "value": "done"}
    unnamed = {"table": "models", "column": "model_id", "value": "x"}
    steps = {"table": "curves", "column": "step", "value": [3.0, 4.0]}
    return [
        _bundle(tmp_path, "run-of-one", "one", recipe_hash="a", seed=2**62 + 1),
        _bundle(tmp_path, "run-bad-1", "one", bad_status),
        _bundle(tmp_path, "copy-by-two", "two", recipe_hash="b", seed=1.0),
        _bundle(tmp_path, "no", "one"),
        _bundle(tmp_path, "other-model", "two", model_id="wide", notes="한글"),
        _bundle(tmp_path, "lost-model", "one", unnamed, model_id="lost"),
        _bundle(tmp_path, "unsigned-run", edit=steps),
        _bundle(tmp_path, "run-of-one", "two", **newer, name="taken over"),
        _bundle(tmp_path, "run-of-one", "one", **newer, name="newer"),
        _bundle(tmp_path, "run-of-one", "one", **newer, name="sent again"),
    ]


def _rows(store: Store) -> dict[str, Any]:
    tables = contents(store, *changes.KEYS, *TABLES)
    # When a run came is the only thing that may differ.
    tables["provenance"] = [row[:-1] for row in tables["provenance"]]
    tables["run_versions"] = [(*row[:4], *row[5:]) for row in tables["run_versions"]]
    return tables


def test_a_group_leaves_what_one_after_another_leaves(store: Store, tmp_path: Path, arrivals: list[bytes]) -> None:
    """Receipts, refusals and every row are the same; a copy is still the later one, and no number is rounded."""
    together, alone = with_tasks(store), with_tasks(Store(tmp_path / "alone.duckdb"))
    results = import_all(together, [_incoming(content) for content in arrivals])
    singly = [import_all(alone, [_incoming(content)])[0] for content in arrivals]
    assert [str(result) for result in results] == [str(result) for result in singly]
    accepted = [isinstance(result, Imported) for result in results]
    assert accepted == [True, False, True, False, True, False, True, True, True, True]
    assert _rows(together) == _rows(alone)
    assert value_of(together, "SELECT caveat IS NOT NULL FROM runs WHERE run_id = 'copy-by-two'")
    with together.read() as con:
        assert seals.broken(con, seals.digests(con)).empty


@pytest.fixture
def queue(store: Store) -> Iterator[ImportQueue]:
    """Of an empty board."""
    made = ImportQueue(with_tasks(store))
    yield made
    made.close()


def _together(store: Store, queue: ImportQueue, contents: list[bytes]) -> tuple[list[object], list[int]]:
    """Receipts or errors of bundles that all wait while the first one is imported, and the sizes of the groups."""
    sizes: list[int] = []
    gate = threading.Event()

    def gated(board: Store, group: list[Incoming]) -> list[Any]:
        sizes.append(len(group))
        assert gate.wait(60)
        return import_all(board, group)

    def add(content: bytes) -> object:
        try:
            return receive_bundle(store, content, "pi5", queue)
        except FeatherboardError as error:
            return error

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(len(contents)) as threads:
        patch.setattr(queue_module, "import_all", gated)
        jobs = [threads.submit(add, contents[0])]
        while not sizes:
            time.sleep(0.01)
        jobs += [threads.submit(add, content) for content in contents[1:]]
        while len(queue._waiting) < len(contents) - 1:
            time.sleep(0.01)
        gate.set()
        return [job.result(60) for job in jobs], sizes


def test_bundles_that_wait_share_a_transaction(store: Store, queue: ImportQueue, tmp_path: Path) -> None:
    """Each sender has its own receipt, or reason, and by then its run is in the database."""
    contents = [_bundle(tmp_path, f"run-{number:08d}", "one") for number in range(6)]
    written = spare_blocks.iteration(store.path)
    receipts, sizes = _together(store, queue, contents)
    assert receipts == [Imported(1, 0, 0)] * 6
    assert sizes == [1, 5]
    assert spare_blocks.iteration(store.path) == written + 2, "the first alone, the others together"
    assert value_of(store, "SELECT count(*) FROM runs") == 6
    with pytest.raises(BundleError):
        receive_bundle(store, b"no bundle", "pi5", queue)


def test_a_database_in_use_is_reported_to_all(store: Store, queue: ImportQueue, tmp_path: Path) -> None:
    """They come again; nothing of theirs is there."""
    store.wait_s = 0.2
    contents = [_bundle(tmp_path, f"run-{number:08d}", "one") for number in range(3)]
    with store.alone():
        errors, _ = _together(store, queue, contents)
    assert [type(error) for error in errors] == [StoreBusyError] * 3
    assert value_of(store, "SELECT count(*) FROM runs") == 0
