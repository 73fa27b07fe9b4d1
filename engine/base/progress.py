"""Progress of long steps: a bar at a terminal, lines of text in a log."""

import time
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn

NOTE_EVERY_S = 10.0

console = Console(stderr=True, highlight=False, soft_wrap=True)


class Bar:
    """A progress bar over a known number of examples, used as a context manager; in a log file a line now and then.

    The first line comes after ten seconds, each further one when the step has taken a fifth longer: a step of three
    hours prints some forty.
    """

    def __init__(self, label: str, total: int, done: int = 0) -> None:
        """Set the step's label and number of examples, ``done`` of which are finished already."""
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
        self._started = time.monotonic()
        self._next_line = self._started + NOTE_EVERY_S

    def __enter__(self) -> "Bar":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, examples: int, facts: str | None = None) -> None:
        """Advance by some examples; ``facts`` (loss, accuracy, examples/s) is shown next to the bar."""
        self._progress.update(self._task, advance=examples)
        if facts is not None:
            self._progress.update(self._task, facts=facts)
        now = time.monotonic()
        if not console.is_terminal and now >= self._next_line:
            self._print_line(now)

    def _print_line(self, now: float) -> None:
        task = self._progress.tasks[0]
        remaining = task.time_remaining
        left = "" if remaining is None else f", {timedelta(seconds=round(remaining))} left"
        say(f"{task.description} {task.percentage:.0f}%{left}  {task.fields['facts']}".rstrip())
        self._next_line = max(now + NOTE_EVERY_S, self._started + 1.2 * (now - self._started))

    def complete(self) -> None:
        """Fill the bar of a step that ended early."""
        self._progress.update(self._task, total=self._progress.tasks[0].completed or 1)


class Notes:
    """Progress lines where no bar is shown, as in a log file; at most one in ten seconds."""

    def __init__(self) -> None:
        """Start the interval, so that a step of a few seconds prints nothing."""
        self._printed_at = time.monotonic()

    def tell(self, text: str) -> None:
        """Print a line if the interval has passed and no bar is shown."""
        if not console.is_terminal and time.monotonic() - self._printed_at > NOTE_EVERY_S:
            say(text)
            self._printed_at = time.monotonic()


def say(text: str) -> None:
    """Print a line to standard error; results for other programs go to standard output."""
    console.print(text, markup=False)
