"""Start a run: what is known of it before the first step."""

import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

from db.base.errors import FeatherboardError
from db.base.paths import default_database
from db.base.problems import ValueProblemError
from db.bootstrap import create
from db.importers import values
from db.registry import tasks
from db.runs.writer import ModelFacts, RunFacts
from db.storage.store import Store
from db.submissions import rows
from db.submissions.claim import MAX_PARAMS
from db.tracking.run import Run, digest, settings_columns

_LIBRARIES = ("torch", "transformers", "sklearn", "lightning", "pytorch_lightning", "tensorflow", "jax")


def init(
    task: str,
    model: str,
    *,
    params: Any = None,
    config: Mapping[str, Any] | None = None,
    seed: int | None = None,
    family: str = "Other",
    dataset: str = rows.UNSTATED,
    teacher: str | None = None,
    notes: str | None = None,
    database: Path | None = None,
) -> Run:
    """Start a run.

    >>> import featherboard as fb
    >>> run = fb.init(task="reviews-ko-mini", model="my-bilstm", params=391_170, config={"lr": 0.001}, seed=0)
    >>> run.log({"train/loss": 0.3}, step=10)
    >>> report = run.finish(metrics={"accuracy": 0.87})

    Args:
        task: A board, in any spelling; `featherboard list tasks` shows them.
        model: Its name on the board, 1 to 120 characters.
        params: The number of parameters, also as ``"110M"``, or a module whose ``parameters()`` are counted.
        config: Settings of the training; runs with the same settings and different seeds become one row.
        seed: Of the training.
        family: Kind of model, such as BERT.
        dataset: What it is trained on.
        teacher: What it is distilled from.
        notes: Anything else.
        database: The DuckDB file; by default that of the command line. It is created where missing.

    Raises:
        FeatherboardError: The task is unknown, a value cannot be used, or the database cannot be opened.
    """
    try:
        board = tasks.by_name(task) or tasks.by_id(task)
    except KeyError as error:
        raise FeatherboardError(f"The run was not started: {error.args[0]}.") from error
    try:
        count = _count(params)
        name = values.required_text(model, 120)
        facts = RunFacts(
            task_id=board.task_id,
            task_version=board.version,
            model_id="",
            name=name,
            recipe=None,
            **settings_columns(config or {}),
            seed=None if seed is None else values.integer(seed, -(2**63), 2**63 - 1),
            dataset=values.required_text(dataset, 200),
            dataset_hash=None,
            split=board.split,
            device=platform.processor() or platform.machine(),
            code_version=metadata.version("featherboard"),
            libraries=json.dumps(_libraries()),
            command=" ".join(Path(part).name if Path(part).is_absolute() else part for part in sys.argv)[:1000],
            teacher=teacher,
            notes=notes,
            source="submitted",
        )
    except ValueProblemError as error:
        raise FeatherboardError(f"The run was not started: {error}") from error
    identity = digest([name, family, count])[:24]
    listed = ModelFacts(f"tracked-{identity}", name, family, "unknown", {}, count)
    store = Store(database or default_database())
    if not store.exists():
        create.initialise(store)
    return Run(store, board, listed, replace(facts, model_id=listed.model_id), dict(config or {}))


def _count(params: Any) -> int | None:
    if params is None:
        return None
    if not hasattr(params, "parameters"):
        return values.integer(params, 1, MAX_PARAMS, scaled=True)
    return sum(int(parameter.numel()) for parameter in params.parameters())


def _libraries() -> dict[str, str]:
    """Versions of the training libraries that are loaded; nothing is imported for it."""
    versions = {name: getattr(sys.modules[name], "__version__", None) for name in _LIBRARIES if name in sys.modules}
    return {name: str(version) for name, version in versions.items() if version}
