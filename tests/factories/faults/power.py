"""Power cuts: what an operation wrote is recorded, and the folder is built as a cut at any moment may leave it.

A file's bytes are certain up to its last sync, and a name in a folder once the folder is synced, or, with a file system
that keeps the order of its changes to folders (``ordered``), once anything is synced after it. All else may be there or
not: ``images`` builds the extremes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class _File:
    """A file's bytes as programs see them, and as they are on the disk at least.

    Attributes:
        late: What lies on the disk with the last write since the sync, and without those before it.
        inode: Its number while it was recorded.
    """

    content: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    late: bytes = b""
    inode: int = 0


@dataclass(frozen=True)
class Call:
    """One recorded call; a call without a path below the folder is an acknowledgement.

    Where a file is made or synced, ``start`` is its inode.
    """

    kind: str
    path: str
    to: str
    start: int
    data: bytes


@dataclass(frozen=True)
class Image:
    """What a power cut may leave.

    Attributes:
        after: The calls that were made.
        acknowledged: What was acknowledged by then.
        name: Which of the extremes, for messages.
        files: The bytes of each file by its path.
    """

    after: int
    acknowledged: frozenset[str]
    name: str
    files: dict[str, bytes]

    def build(self, folder: Path) -> None:
        """Write the files to an empty folder."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)


def recorded(trace: Path, folder: Path) -> Iterator[Call]:
    """Yield the calls of a trace, with paths relative to the folder."""
    content, position = trace.read_bytes(), 0
    while position < len(content):
        end = content.index(b"\n", position)
        kind, path, to, start, size = content[position:end].decode().split("\t")
        position = end + 1 + (int(size) if kind == "W" else 0)
        short = [str(Path(name).relative_to(folder)) if name.startswith("/") else name for name in (path, to)]
        yield Call(kind, *short, int(start), content[end + 1 : position])


class _Disk:
    """Files and names while the calls are made again."""

    def __init__(self, base: Path) -> None:
        self.live: dict[str, _File] = {}
        for path in base.rglob("*"):
            if path.is_file():
                content = path.read_bytes()
                self.live[str(path.relative_to(base))] = _File(bytearray(content), content, content)
        self.ordered, self.strict = dict(self.live), dict(self.live)

    def make(self, call: Call) -> None:
        """Make one call."""
        file = self.live.get(call.path)
        if call.kind == "C" and file is None:
            self.live[call.path] = _File(inode=call.start)
        elif call.kind == "W" and file is not None:
            before = bytearray(file.synced)
            for content in (file.content, before):
                content.extend(bytes(max(0, call.start - len(content))))
                content[call.start : call.start + len(call.data)] = call.data
            file.late = bytes(before)
        elif call.kind == "T" and file is not None:
            del file.content[call.start :]
            file.content.extend(bytes(call.start - len(file.content)))
        elif call.kind in "RL" and file is not None:
            self.live[call.to] = file
        if call.kind in "RU":
            self.live.pop(call.path, None)
        if call.kind == "S":
            self._rename_unseen(call)
            self._sync(call.path)

    def _rename_unseen(self, call: Call) -> None:
        """Give a file the name that it has by now: the library that writes checkpoints renames past the C library."""
        former = next((name for name, file in self.live.items() if file.inode == call.start), call.path)
        if former != call.path:
            self.live[call.path] = self.live.pop(former)

    def _sync(self, path: str) -> None:
        self.ordered = dict(self.live)
        if (file := self.live.get(path)) is not None:
            file.synced = file.late = bytes(file.content)
        else:
            inside = [name for name in {*self.live, *self.strict} if str(Path(name).parent) == path]
            for name in inside:
                self.strict.pop(name, None)
                if name in self.live:
                    self.strict[name] = self.live[name]

    def images(self) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Yield the extremes: all that was done, the least for both kinds of file system, writes out of order."""
        yield "all", {name: bytes(file.content) for name, file in self.live.items()}
        yield "ordered", {name: file.synced for name, file in self.ordered.items()}
        yield "strict", {name: file.synced for name, file in self.strict.items()}
        yield "names first", {name: file.synced for name, file in self.live.items()}
        yield "last write first", {name: file.late for name, file in self.live.items()}


def images(base: Path, calls: Iterable[Call]) -> Iterator[Image]:
    """Yield what a cut after each call may leave, each state once for one set of acknowledgements."""
    disk, acknowledged, seen = _Disk(base), frozenset[str](), set[int]()
    for number, call in enumerate(calls, 1):
        if call.kind == "A":
            acknowledged |= {call.path}
        disk.make(call)
        for name, files in disk.images():
            state = hash((acknowledged, frozenset(files.items())))
            if state not in seen:
                seen.add(state)
                yield Image(number, acknowledged, name, files)
