"""Options of ``featherboard bench``, parsed and checked."""

from dataclasses import dataclass

from engine.base import cores
from engine.base.errors import BenchError
from engine.benchmarks import host

PRECISIONS = ("float32", "bfloat16", "int8")
"""Equal to those of ``engine.networks.quantization``, which imports torch; a test compares them."""

MAX_THREADS = 4096
MAX_TOKENS = 32_768
MAX_WATTS = 100_000
MAX_PRICE = 10_000
"""Larger numbers can only be typing errors."""


@dataclass(frozen=True)
class BenchOptions:
    """What is measured of each model. Stored with a run, under these names.

    Attributes:
        lengths: Tokens of each example.
        threads: Numbers of processor threads.
        precisions: See ``engine.networks.quantization``.
        repeats: Timed calls of each length and number of threads in one round.
        rounds: Number of turns of every model.
        batch: Examples in one call.
        memory: Bytes that one process may hold; None for no limit.
        watts: What the machine draws while it computes, as stated; None where nobody did.
        price: Of an hour of the machine in US dollars, as stated; None where nobody did.
    """

    lengths: tuple[int, ...]
    threads: tuple[int, ...]
    precisions: tuple[str, ...]
    repeats: int
    rounds: int
    batch: int = 1
    memory: int | None = None
    watts: float | None = None
    price: float | None = None


def words(text: str, option: str) -> list[str]:
    """Split comma-separated words and drop repetitions.

    Raises:
        BenchError: There is none.
    """
    unique = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    if not unique:
        raise BenchError(f"{option} is empty.")
    return unique


def numbers(text: str, option: str, maximum: int) -> tuple[int, ...]:
    """Parse comma-separated whole numbers from 1 to a maximum; returns them in rising order without repetitions.

    Raises:
        BenchError: A word is not such a number.
    """
    for word in words(text, option):
        if not word.isascii() or not word.isdigit() or not 1 <= int(word) <= maximum:
            raise BenchError(f"{option}: {word!r} is not a whole number from 1 to {maximum}.")
    return tuple(sorted({int(word) for word in words(text, option)}))


def parse(
    lengths: str,
    threads: str | None,
    precision: str,
    repeats: int,
    rounds: int,
    batch: int,
    memory: str | None,
    watts: float | None = None,
    price: float | None = None,
) -> BenchOptions:
    """Check the options as they were typed.

    Raises:
        BenchError: An option is impossible; the message names it.
    """
    precisions = words(precision, "--precision")
    unknown = [word for word in precisions if word not in PRECISIONS]
    if unknown:
        raise BenchError(f"--precision: there is no {unknown[0]!r}; there are {', '.join(PRECISIONS)}.")
    available = cores.count()
    counts = tuple(sorted({1, available})) if threads is None else numbers(threads, "--threads", MAX_THREADS)
    if max(counts) > available:
        raise BenchError(f"--threads: this process may use {available} core(s); {max(counts)} threads would only wait.")
    limit = None if memory is None else host.parse_size(memory)
    tokens = numbers(lengths, "--lengths", MAX_TOKENS)
    if watts is not None and not 0 < watts <= MAX_WATTS:
        raise BenchError(f"--watts: {watts:g} is not between 0 and {MAX_WATTS:,}.")
    if price is not None and not 0 < price <= MAX_PRICE:
        raise BenchError(f"--price-per-hour: {price:g} is not between 0 and {MAX_PRICE:,}.")
    return BenchOptions(tokens, counts, tuple(precisions), repeats, rounds, batch, limit, watts, price)


def command(names: list[str], options: BenchOptions, device: str | None) -> list[str]:
    """The command that repeats the measurement, default options included; shown on the board."""
    values: dict[str, object] = {
        "--models": ",".join(names),
        "--lengths": ",".join(map(str, options.lengths)),
        "--threads": ",".join(map(str, options.threads)),
        "--precision": ",".join(options.precisions),
        "--repeats": options.repeats,
        "--rounds": options.rounds,
        "--batch": options.batch,
        "--limit-memory": options.memory and host.format_size(options.memory),
        "--watts": options.watts and f"{options.watts:g}",
        "--price-per-hour": options.price and f"{options.price:g}",
        "--device-name": device,
    }
    typed = [part for option, value in values.items() if value for part in (option, str(value))]
    return ["featherboard", "bench", *typed]
