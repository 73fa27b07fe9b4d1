"""A checker of what concurrent writers and readers of one database saw.

A history is what one process logged, in its order: ``invoke``, ``ok`` and ``fail`` of writes of a run's version,
``begin`` and ``read`` of reads, each with the time of one clock. Each run has one writer, which deletes it at last, so
the versions that a read may show are known:

- no lost update: a version that was acknowledged before a read began, or a later one, is in it;
- no resurrection: neither a deleted run nor a version that failed, or that nobody began to write, is ever seen;
- monotonic reads: what one read shows, a read that begins after it ended shows too, in any process;
- no torn batch: a run's row and its figure are of one version.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

GONE = 10**6
"""The version of a run that was deleted."""

Line = dict[str, Any]


@dataclass
class Result:
    """What was seen.

    Attributes:
        violations: A sentence each; empty where all holds.
        counts: Operations by kind.
        errors: Messages, with how often each came.
    """

    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)


class _History:
    """All histories in one: the times of writes by run and version, and the reads with the time each began."""

    def __init__(self, histories: Sequence[Sequence[Line]]) -> None:
        self.times: dict[str, dict[str, dict[int, int]]] = {
            kind: defaultdict(dict) for kind in ("invoke", "ok", "fail")
        }
        self.reads: list[Line] = []
        for history in histories:
            began = 0
            for line in history:
                if line["kind"] in self.times:
                    self.times[line["kind"]][line["run"]][line["version"]] = line["time"]
                elif line["kind"] == "begin":
                    began = line["time"]
                elif line["kind"] == "read":
                    self.reads.append({**line, "began": began})

    def shown(self, read: Line, run: str) -> int:
        """The version that a read shows; a run that is missing was deleted if anybody had begun to."""
        gone = self.times["invoke"][run].get(GONE, read["time"]) < read["time"]
        version: int = read["seen"].get(run, GONE if gone else 0)
        return version

    def wrong(self, read: Line) -> Iterator[str]:
        """What a read may not show, and what it lacks."""
        yield from (f"torn: {run}" for run in read["torn"])
        for run, version in read["seen"].items():
            if version in self.times["fail"][run]:
                yield f"{run}: version {version} failed and was seen"
            if self.times["invoke"][run].get(version, read["time"]) >= read["time"]:
                yield f"{run}: version {version} was seen before anybody wrote it"
        for run, versions in self.times["ok"].items():
            least = max((version for version, moment in versions.items() if moment < read["began"]), default=0)
            if self.shown(read, run) < least and not read["late"]:
                yield f"{run}: version {least} was acknowledged, a later read shows {read['seen'].get(run)}"

    def not_monotonic(self) -> Iterator[str]:
        """Reads that show less than one that ended before they began."""
        ended = sorted(self.reads, key=lambda read: read["time"])
        best: dict[str, int] = {}
        position = 0
        for read in sorted(self.reads, key=lambda read: read["began"]):
            while ended[position]["time"] < read["began"]:
                for run, version in ended[position]["seen"].items():
                    best[run] = max(best.get(run, 0), version)
                position += 1
            for run, version in best.items():
                if self.shown(read, run) < version:
                    yield f"{run}: a read shows {read['seen'].get(run)}, one that ended before it began {version}"


def check(histories: Sequence[Sequence[Line]]) -> Result:
    """Compare every read with what was acknowledged before it began and begun before it ended."""
    lines = [line for history in histories for line in history]
    raw = [f"no words: {line['text']}" for line in lines if line["kind"] == "raw"]
    history = _History(histories)
    wrong = [text for read in history.reads for text in history.wrong(read)]
    counts = Counter(line["kind"] for line in lines)
    counts["late"] = sum(read["late"] for read in history.reads)
    return Result(
        [*raw, *wrong, *history.not_monotonic()],
        counts,
        Counter(line["text"][:300] for line in lines if "text" in line),
    )
