"""Every figure that the project shows, as digests: taken before and after a change, they must be equal.

    python -m tests.contracts.snapshot write FILE     # digests of this tree
    python -m tests.contracts.snapshot compare FILE   # exits 1 and names what differs

A database is made by ``db init``; the service answers for all boards and runs, the first comparisons of each board and
a few predictions. Only commands and HTTP are used: the script survives any renaming of modules.
"""

import argparse
import hashlib
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DIGITS = 16
"""Hexadecimal digits that are kept of each digest."""
TIMES = ("cost", "runtime", "created_at", "updated_at", "finished_at", "received_at", "id")
"""Keys of answers that differ from call to call or from installation to installation."""
QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/qa", {"question": "What colour is the cup?", "context": "The box is red. The cup is blue.", "keep": 3}),
    ("/v1/sentiment", {"text": "정말 재미있는 영화였다"}),
    ("/v1/text", {"text": "코스피 사흘째 상승 마감"}),
    ("/v1/nli", {"premise": "A man sleeps.", "hypothesis": "Nobody is awake."}),
]
PAIRS_PER_TASK = 4


def main() -> int:
    """Write or compare; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--full", type=Path, help="folder that gets the whole answers, for a diff")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        answers = dict(collect(Path(folder) / "board.duckdb"))
    if options.full:
        options.full.mkdir(parents=True, exist_ok=True)
        for key, answer in answers.items():
            (options.full / re.sub(r"[^0-9A-Za-z_.-]+", "_", key)[:150]).write_text(canonical(answer), "utf-8")
    digests = {key: hashlib.sha256(canonical(answer).encode()).hexdigest()[:DIGITS] for key, answer in answers.items()}
    if options.action == "write":
        options.file.write_text(json.dumps(digests, indent=0) + "\n", "utf-8")
        print(f"{len(digests)} answers written to {options.file}")
        return 0
    before = json.loads(options.file.read_text("utf-8"))
    changed = sorted(key for key in before.keys() | digests.keys() if before.get(key) != digests.get(key))
    for key in changed:
        state = "missing" if key not in digests else "new" if key not in before else "changed"
        print(f"{state}: {key}", file=sys.stderr)
    print(f"{len(before)} answers before, {len(digests)} now, {len(changed)} differ")
    return 1 if changed else 0


def collect(database: Path) -> Iterator[tuple[str, Any]]:
    """Every answer by its address."""
    env = {**os.environ, "FEATHERBOARD_DB": str(database), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    env["FEATHERBOARD_RUNTIME"] = "torch"  # the digests are of its last digits
    env.pop("FEATHERBOARD_DATA", None)
    command = [sys.executable, "-m", "engine"]
    subprocess.run([*command, "db", "init"], env=env, check=True, capture_output=True)
    with service(command, env) as ask:
        tasks = ask("/v1/tasks")
        yield "/v1/tasks", tasks
        for task in (row["task_id"] for row in tasks["tasks"]):
            grouped = f"/v1/board/{task}?limit=500"
            yield grouped, ask(grouped)
            every = f"{grouped}&every_run=true"
            rows = ask(every)
            yield every, rows
            ids = [row["run_id"] for row in rows["rows"]]
            for run_id in ids:
                address = f"/v1/runs/{run_id}?curves=true"
                yield address, ask(address)
            measured = [row["run_id"] for row in rows["rows"] if row["source"] == "measured"]
            for pair in itertools.islice(itertools.combinations(measured, 2), PAIRS_PER_TASK):
                address = "/v1/compare?" + urllib.parse.urlencode([("run", run_id) for run_id in pair])
                yield address, ask(address)
        for address, body in QUESTIONS:
            yield address, ask(address, body)


@contextmanager
def service(command: list[str], env: dict[str, str]) -> Iterator[Any]:
    """The HTTP service over a database; yields a function from an address, and a body, to the answer."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*command, "serve-api", "--port", str(port), "--threads", "1", "--timeout", "600"],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def ask(address: str, body: Any = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}{address}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=600) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            return {"status": error.code, "body": json.load(error)}

    try:
        for _ in range(1200):
            try:
                ask("/healthz")
                break
            except urllib.error.URLError:
                time.sleep(0.25)
        yield ask
    finally:
        process.terminate()
        process.wait(120)


def canonical(answer: Any) -> str:
    """An answer as text, without what differs from call to call."""
    return json.dumps(_strip(answer), ensure_ascii=False, sort_keys=True)


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _strip(item) for key, item in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [_strip(item) for item in value]
    return value


if __name__ == "__main__":
    sys.exit(main())
