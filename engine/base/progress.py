"""Progress on every long step: what is done, how fast, how good, how long still."""

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

NOTE_EVERY_S = 10.0

console = Console(stderr=True, highlight=False, soft_wrap=True)


class Bar:
    """A progress bar over a known number of examples, used as a context manager."""

    def __init__(self, label: str, total: int, done: int = 0) -> None:
        """Name the step and its number of examples; ``done`` of them are behind it already."""
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=16),
            TaskProgressColumn(),
            TextColumn("{task.fields[facts]}"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=True),
            console=console,
            refresh_per_second=4,
            speed_estimate_period=60,
        )
        self._task: TaskID = self._progress.add_task(label, total=total, completed=done, facts="")

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, examples: int, facts: str | None = None) -> None:
        """Move on by some examples; ``facts`` (loss, accuracy, examples/s) is shown beside the bar."""
        self._progress.update(self._task, advance=examples)
        if facts is not None:
            self._progress.update(self._task, facts=facts)

    def complete(self) -> None:
        """Fill the bar: the step ended before its longest possible end."""
        self._progress.update(self._task, total=self._progress.tasks[0].completed or 1)


class Notes:
    """Lines where a bar cannot move, in a log file or under another program; at most one in ten seconds."""

    def __init__(self) -> None:
        """Start silent: a training that is over in seconds needs no lines on its way."""
        self._told = time.monotonic()

    def tell(self, text: str) -> None:
        """Print the line if it is time and nobody watches a bar."""
        if not console.is_terminal and time.monotonic() - self._told > NOTE_EVERY_S:
            say(text)
            self._told = time.monotonic()


def say(text: str) -> None:
    """One line to the person at the terminal; results that other programs read go to standard output instead."""
    console.print(text, markup=False)
