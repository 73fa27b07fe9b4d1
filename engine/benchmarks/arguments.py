"""The words of the command line, made into what is to be measured."""

from pathlib import Path

from engine.base.errors import BenchError
from engine.benchmarks import host, limits
from engine.benchmarks.runner import Wish

PRECISIONS = ("float32", "bfloat16", "int8")
"""As ``engine.networks.quantization`` has them, which imports torch; a test holds the two together."""

_MOST = 4096
"""Threads, and tokens times eight: beyond, it is a slip of the finger."""


def words(text: str, option: str) -> list[str]:
    """Comma-separated words, each once.

    Raises:
        BenchError: There is none.
    """
    found = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not found:
        raise BenchError(f"{option} is empty.")
    return found


def numbers(text: str, option: str, most: int) -> tuple[int, ...]:
    """Comma-separated whole numbers from 1 on, each once, in rising order.

    Raises:
        BenchError: One is not such a number.
    """
    found = set()
    for word in words(text, option):
        if not word.isascii() or not word.isdigit() or not 1 <= int(word) <= most:
            raise BenchError(f"{option}: {word!r} is not a whole number from 1 to {most}.")
        found.add(int(word))
    return tuple(sorted(found))


def wish(
    lengths: str, threads: str | None, precision: str, repeats: int, rounds: int, batch: int, memory: str | None
) -> Wish:
    """What the options ask for.

    Raises:
        BenchError: One of them is impossible; the message names it.
    """
    wanted = words(precision, "--precision")
    unknown = [word for word in wanted if word not in PRECISIONS]
    if unknown:
        raise BenchError(f"--precision: there is no {unknown[0]!r}; there are {', '.join(PRECISIONS)}.")
    here = host.cores()
    counts = tuple(sorted({1, here})) if threads is None else numbers(threads, "--threads", _MOST)
    if max(counts) > here:
        raise BenchError(f"--threads: this process may use {here} core(s); {max(counts)} threads would only wait.")
    return Wish(
        numbers(lengths, "--lengths", 8 * _MOST),
        counts,
        tuple(wanted),
        repeats,
        rounds,
        batch,
        None if memory is None else limits.parse(memory),
    )


def require_writable(target: Path) -> None:
    """Refuse a place for the bundle before an hour of measuring, and not after it.

    Raises:
        BenchError: It is a folder, or in none.
    """
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise BenchError(f"--output: {target} is a folder, or there is no folder to write it to. Nothing was measured.")


def command(names: list[str], wanted: Wish, device: str | None) -> list[str]:
    """The command that measures the same again, threads and all, as the board prints it."""
    said = [
        "featherboard",
        "bench",
        "--models",
        ",".join(names),
        "--lengths",
        _joined(wanted.lengths),
        "--threads",
        _joined(wanted.threads),
        "--precision",
        ",".join(wanted.precisions),
        "--repeats",
        str(wanted.repeats),
        "--rounds",
        str(wanted.rounds),
        "--batch",
        str(wanted.batch),
    ]
    if wanted.memory is not None:
        said += ["--limit-memory", limits.shown(wanted.memory)]
    return [*said, "--device-name", device] if device else said


def _joined(found: tuple[int, ...]) -> str:
    return ",".join(map(str, found))
