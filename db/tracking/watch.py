"""Follow the folder that a Hugging Face training writes to."""

import json
import time
from pathlib import Path
from typing import Any

from db.importers import values
from db.tracking.run import Run
from db.tracking.start import init


def watch(folder: str | Path, *, task: str, model: str, every_s: float = 5.0, **facts: Any) -> Run:
    """Log a training as its folder fills, until ``all_results.json`` is there or Ctrl-C is pressed.

    The newest ``trainer_state.json``, in the folder or in one of its checkpoints, gives the curves; the
    entries ``test_`` and ``predict_`` of ``all_results.json`` give the results. What was evaluated on the validation
    split stays a curve.

    Args:
        folder: The trainer's ``output_dir``.
        task: As for `init`.
        model: As for `init`.
        every_s: Seconds between two looks at the folder.
        facts: Other arguments of `init`.

    Returns:
        The run: finished, or interrupted by Ctrl-C.

    Raises:
        FeatherboardError: As for `init`.
    """
    path = Path(folder)
    run = init(task, model, **facts)
    logged = 0
    try:
        while True:
            results = _json(path / "all_results.json")
            history = values.items(values.mapping(_newest_state(path)).get("log_history"))
            for entry in map(values.mapping, history[logged:]):
                numbers = {key: value for key, value in entry.items() if values.number(value) is not None}
                step = values.whole(numbers.pop("step", None))
                if step is not None:
                    run.log(numbers, step=step)
            logged = len(history)
            if results is not None:
                tested = {
                    name.partition("_")[2]: value
                    for name, value in values.mapping(results).items()
                    if name.startswith(("test_", "predict_"))
                }
                run.finish(metrics={name: value for name, value in tested.items() if not name.endswith(_TIMES)})
                return run
            time.sleep(every_s)
    except KeyboardInterrupt:
        run.interrupt()
        return run


_TIMES = ("_per_second", "runtime", "samples", "loss")


def _newest_state(folder: Path) -> Any:
    files = [*folder.glob("trainer_state.json"), *folder.glob("checkpoint-*/trainer_state.json")]
    return _json(max(files, key=lambda file: file.stat().st_mtime_ns)) if files else None


def _json(file: Path) -> Any:
    """Parse a file; None where it is missing or not written to its end yet."""
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return None
