"""Log a Lightning `Trainer`."""

from argparse import Namespace
from typing import Any

from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
from lightning.pytorch.utilities.rank_zero import rank_zero_only

from db.tracking.run import Run


class FeatherboardLogger(Logger):
    """Log what `LightningModule.log` logs; `Run.finish` stays with the caller.

    >>> trainer = Trainer(logger=FeatherboardLogger(run))  # doctest: +SKIP
    """

    def __init__(self, run: Run) -> None:
        """Log to a run."""
        super().__init__()
        self._run = run

    @property
    def name(self) -> str:
        """The name of the project."""
        return "featherboard"

    @property
    def version(self) -> str:
        """The run's id."""
        return self._run.id

    @property
    @rank_zero_experiment
    def experiment(self) -> Run:
        """The run."""
        return self._run

    @rank_zero_only
    def log_metrics(self, metrics: dict[str, float], step: int | None = None) -> None:
        """Log numbers at a step."""
        self._run.log(metrics, step)

    @rank_zero_only
    def log_hyperparams(self, params: dict[str, Any] | Namespace, *_: Any, **__: Any) -> None:
        """Keep settings that `init` was not given."""
        self._run.config.update(vars(params) if isinstance(params, Namespace) else params)

    @rank_zero_only
    def finalize(self, status: str) -> None:
        """Keep the run as interrupted when training failed."""
        if status not in {"success", "finished"}:
            self._run.interrupt()
