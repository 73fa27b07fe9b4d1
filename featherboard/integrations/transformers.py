"""Log a Hugging Face `Trainer`."""

from typing import Any

from transformers import TrainerCallback

from db.tracking.run import Run


class FeatherboardCallback(TrainerCallback):
    """Log what the trainer logs; `Run.finish` stays with the caller, who has the predictions of the test split.

    >>> run = fb.init(task="nsmc", model="my-bert", params=model)         # doctest: +SKIP
    >>> trainer = Trainer(model, args, callbacks=[FeatherboardCallback(run)])  # doctest: +SKIP
    """

    def __init__(self, run: Run) -> None:
        """Log to a run."""
        self.run = run

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        """Log the trainer's numbers at its global step."""
        numbers = {name: value for name, value in (logs or {}).items() if name != "epoch"}
        self.run.log(numbers, state.global_step, state.epoch)
