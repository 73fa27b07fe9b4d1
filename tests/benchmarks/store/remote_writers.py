"""Runs a second that a service takes from several machines: senders in processes of their own, over HTTP.

    python -m tests.benchmarks.store.remote_writers 1 4
    python -m tests.benchmarks.store.remote_writers 1 4 --beside ../another-checkout

Every bundle holds one run, as of a training that just ended, with two metrics, two curve points and two predictions;
a sender waits for each receipt. Counted are receipts from when every sender has its first. Services of two checkouts
take turns, each with a board of its own and the same bundles.
"""

import argparse
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from subprocess import Popen

from db.bootstrap import create
from db.runs import bundles
from db.storage import changes, installation
from db.storage.store import Store
from tests import paths
from tests.benchmarks import timing
from tests.factories.rows import whole_run
from tests.remote.processes import serving, start

SECONDS, ROUNDS = 10.0, 3
EACH = 150
"""Bundles of a sender; it is ended before it has sent them all."""


def _bundles(folder: Path, count: int) -> list[Path]:
    files = [folder / f"run-{number:08d}" for number in range(count)]
    for file in files:
        content = changes.pack(whole_run(file.name), bundles.KIND, {"runs": 1})
        file.write_bytes(installation.sign(content, folder / "origin.duckdb"))
    return files


def rate(url: str, files: list[Path], senders: int) -> float:
    """Runs a second."""
    times: list[list[float]] = [[] for _ in range(senders)]

    def follow(process: "Popen[str]", own: list[float]) -> None:
        assert process.stdout is not None
        own.extend(time.monotonic() for _receipt in process.stdout)

    processes = [start("send", url, *files[number::senders]) for number in range(senders)]
    threads = [threading.Thread(target=follow, args=pair) for pair in zip(processes, times, strict=True)]
    for thread in threads:
        thread.start()
    while not all(times):
        assert all(process.poll() is None for process in processes), "a sender gave up"
        time.sleep(0.01)
    time.sleep(SECONDS)
    assert all(process.poll() is None for process in processes), "more bundles are needed"
    for process in processes:
        process.kill()
        process.wait()
    for thread in threads:
        thread.join()
    first = max(own[0] for own in times)
    counted = sorted(moment for own in times for moment in own if moment >= first)
    return (len(counted) - 1) / (counted[-1] - first)


def main(counts: list[int], checkouts: list[Path]) -> None:
    """Print the rates."""
    rates = defaultdict[tuple[int, Path], list[float]](list)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = _bundles(folder, ROUNDS * EACH * sum(counts))
        print(timing.load(), flush=True)
        for _round in range(ROUNDS):
            for senders in counts:
                own, files = files[: EACH * senders], files[EACH * senders :]
                for checkout in checkouts:
                    board = Store(folder / f"{len(files)}-{checkouts.index(checkout)}.duckdb")
                    board.write([create.task_rows()])
                    with serving(board.path, wait_s=board.wait_s, repo=checkout) as url:
                        rates[senders, checkout].append(rate(url, own, senders))
                    print(f"{senders} senders, {checkout}: {rates[senders, checkout][-1]:.2f} runs/s, {timing.load()}")
                checkouts.reverse()
    for (senders, checkout), measured in sorted(rates.items()):
        median, this = (statistics.median(each) for each in (measured, rates[senders, paths.REPO]))
        print(f"{senders} senders, {checkout}: median {median:.2f} runs/s, {median / this:.2f} of this one")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("senders", type=int, nargs="+")
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    main(options.senders, [paths.REPO, *([options.beside.resolve()] if options.beside else [])])
