"""Sweeps: one recipe over every combination of some values and seeds.

A sweep is no thing of its own on the board. Each of its combinations is an ordinary run with an ordinary command, so
the same sweep, asked again, finds what is finished and goes on with the rest.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from db.base.errors import FeatherboardError
from db.base.paths import runs_folder
from db.registry import formats
from db.registry.metrics import known
from db.runs import detail as queries
from db.runs.status import alike
from db.storage.store import Store
from engine.base.errors import DivergedError, InterruptedRunError, RecipeError
from engine.base.progress import say
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import plan as plans
from engine.training import run as pipeline
from engine.training.job import Job

State = Literal["new", "interrupted", "running elsewhere", "finished", "diverged", "failed", "not reached"]


# By status on the board, the first that is there counts.
_LOOKED_FOR: tuple[tuple[str, State], ...] = (
    ("finished", "finished"),
    ("running", "running elsewhere"),
    ("interrupted", "interrupted"),
    ("failed", "interrupted"),
)


@dataclass(frozen=True)
class Combination:
    """One run of a sweep.

    Attributes:
        shown: The grid's part of it, as on the command line.
        job: What is trained.
        dataset_hash: Of its data.
        state: ``new``, ``interrupted`` (goes on), ``running elsewhere`` or ``finished`` (both are skipped) before the
            sweep; what became of it afterwards.
        run_id: Its run, once there is one.
        reason: Why it failed.
    """

    shown: str
    job: Job
    dataset_hash: str
    state: State = "new"
    run_id: str | None = None
    reason: str = ""

    @property
    def waits(self) -> bool:
        """Whether there is something to do."""
        return self.state in {"new", "interrupted"}


def plan(
    store: Store,
    name: str,
    grids: Sequence[str],
    seeds: Sequence[int],
    *,
    overrides: Sequence[str] = (),
    data: str | None = None,
    threads: int | None = None,
) -> list[Combination]:
    """Every combination, checked, with what the board has of it; nothing is trained or written.

    Args:
        store: The database; it need not exist.
        name: A shipped recipe or a file.
        grids: Texts such as ``train.lr=0.001,0.002``.
        seeds: Those of every combination; none means the recipe's own.
        overrides: For all combinations, as with ``train``; a grid goes over them.
        data: As for ``train``.
        threads: As for ``train``.

    Raises:
        RecipeError: A grid or one of its combinations is wrong; the message says which.
        DataError: The data cannot be had.
    """
    mini = data is None
    base = loader.load(name, overrides, mini=mini)
    axes = [_axis(grid) for grid in grids]
    keys = [axis[0].partition("=")[0] for axis in axes]
    twice = [key for position, key in enumerate(keys) if key in keys[:position]]
    if twice:
        raise RecipeError(f"--grid {twice[0]}: stands twice; write all its values in one, separated by commas.")
    hashes: dict[tuple[str, ...], str] = {}
    combinations: dict[tuple[str, int], Combination] = {}
    for chosen in product(*axes):
        everything = _named(base, name, [*overrides, *chosen], mini)
        for seed in seeds or [base.seed]:
            recipe = _checked(name, everything, seed, mini, chosen)
            job = Job(recipe, data, store, tuple(everything), name, threads)
            of_data = (job.task_id, recipe.data.model_dump_json(), recipe.text.model_dump_json() if recipe.text else "")
            if of_data not in hashes:
                hashes[of_data] = pipeline.dataset_hash(recipe, job.task_id, data)
            plans.check(job)
            combination = Combination(" ".join(chosen) or "as it is", job, hashes[of_data])
            combinations.setdefault((recipe.digest(), seed), on_board(combination))
    return list(combinations.values())


def run(combinations: Sequence[Combination], should_stop: Callable[[int], bool]) -> list[Combination]:
    """Train what waits, one after the other; one that fails does not keep the others from their turn.

    Args:
        combinations: Of ``plan``.
        should_stop: Asked after every step and before each combination; a yes leaves the rest as it is.

    Returns:
        All of them, with what became of each; those behind a stop are ``not reached``.
    """
    done: list[Combination] = []
    total, stopped = len(combinations), False
    for number, combination in enumerate(combinations, start=1):
        stopped = stopped or should_stop(0)
        if not combination.waits:
            done.append(combination)
            continue
        if stopped:
            done.append(replace(combination, state="interrupted" if combination.run_id else "not reached"))
            continue
        say(f"{number} of {total}: {combination.shown}, seed {combination.job.recipe.seed}")
        ended = train(replace(combination, job=replace(combination.job, should_stop=should_stop)))
        if ended.reason:
            say(f"{number} of {total} {ended.state}: {ended.reason}")
        stopped = ended.state == "interrupted"
        done.append(ended)
    return done


def rows(combinations: Sequence[Combination]) -> list[tuple[str, str, str, str, str]]:
    """One row each for a table: combination, seed, score, run id, state."""
    return [
        (
            combination.shown,
            str(combination.job.recipe.seed),
            _score(combination),
            (combination.run_id or "")[:12],
            combination.state,
        )
        for combination in combinations
    ]


def renamed(combinations: Sequence[Combination], base: str) -> list[str]:
    """The ids of models other than the recipe's own, in the order of the combinations."""
    models = dict.fromkeys(combination.job.recipe.listed_as for combination in combinations)
    return [model for model in models if model != base]


def train(combination: Combination, trained: Callable[[Job], str] | None = None) -> Combination:
    """Train a combination, and return it with what became of it; no error but a second Ctrl-C gets out.

    Args:
        combination: One that waits.
        trained: Trains its job and returns the run's id; None: ``pipeline.train``.
    """
    job = replace(combination.job, run_id=combination.run_id)
    try:
        return replace(combination, state="finished", run_id=(trained or pipeline.train)(job))
    except InterruptedRunError:
        return _ended(combination, "interrupted", "")
    except DivergedError as error:
        return _ended(combination, "diverged", str(error))
    except FeatherboardError as error:
        return _ended(combination, "failed", str(error))
    except Exception as error:  # whatever it was, the other combinations have their turn
        return _ended(combination, "failed", f"{type(error).__name__}: {error}")


def _ended(combination: Combination, state: State, reason: str) -> Combination:
    """With the run that it left on the board, if it came that far; what stopped may have been its teacher."""
    left = [run_id for run_id, status in _alike(combination) if status == state]
    return replace(combination, state=state, run_id=left[0] if left else None, reason=reason.partition("\n")[0])


def on_board(combination: Combination) -> Combination:
    """A combination with what its database has of it."""
    alike = _alike(combination)
    for status, state in _LOOKED_FOR:
        for run_id, status_found in alike:
            # A run that stopped on another machine left nothing here to go on from.
            available = state != "interrupted" or (runs_folder(combination.job.store.path) / run_id).is_dir()
            if status_found == status and available:
                return replace(combination, state=state, run_id=run_id)
    return combination


def _alike(combination: Combination) -> list[tuple[str, str]]:
    job = combination.job
    return (
        alike(job.store, job.recipe.digest(), combination.dataset_hash, job.recipe.seed) if job.store.exists() else []
    )


def _score(combination: Combination) -> str:
    if combination.state != "finished" or combination.run_id is None:
        return ""
    detail = queries.run_detail(combination.job.store, combination.run_id)
    metric = known(str(detail.task["metric"]))
    values = dict(zip(detail.metrics["name"], detail.metrics["value"], strict=True))
    return formats.value(metric, values[metric.name]) if metric.name in values else ""


def _checked(name: str, overrides: Sequence[str], seed: int, mini: bool, chosen: Sequence[str]) -> Recipe:
    try:
        return loader.load(name, overrides, seed, mini=mini)
    except RecipeError as error:
        raise RecipeError(f"{error} Combination: {' '.join(chosen)}. Nothing was trained.") from None


def _axis(grid: str) -> list[str]:
    """One override per value of a grid."""
    key, equals, values = grid.partition("=")
    key = key.strip()
    parts = [part.strip() for part in _split(values)]
    if not equals or not key or not all(parts):
        raise RecipeError(f"--grid {grid}: write it as KEY=VALUE,VALUE, for example train.lr=0.001,0.002.")
    if key in {"seed", "name", "label", "model_id"}:
        raise RecipeError(
            f"--grid {grid}: {'give seeds with --seeds' if key == 'seed' else 'a sweep names its models'}."
        )
    return [f"{key}={part}" for part in dict.fromkeys(parts)]


def _split(values: str) -> list[str]:
    """Cut at the commas that stand outside brackets and quotation marks."""
    parts, depth, quote = [""], 0, ""
    for character in values:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{":
            depth += 1
        elif character in "]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += character
    return parts


def _named(base: Recipe, source: str, overrides: list[str], mini: bool) -> list[str]:
    """The overrides, with a name for a model whose shape is not the recipe's own.

    The board lists a model once, with its parameters; two shapes cannot share a name.
    """
    try:
        recipe = loader.load(source, overrides, mini=mini)
    except RecipeError:
        return overrides  # told when the combination is checked
    own, other = ({"kind": candidate.model.kind, **candidate.listed_config()} for candidate in (base, recipe))
    changed = [(key, value) for key, value in other.items() if own.get(key) != value]
    if not changed:
        return overrides
    suffix = "-".join(f"{key}.{re.sub(r'[^a-z0-9.]+', '.', str(value).lower()).strip('.')}" for key, value in changed)
    name = f"{base.listed_as}-{suffix}"
    if len(name) > 64:
        name = f"{base.listed_as[:48]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
    label = f"{base.label}, {', '.join(f'{key} {value}' for key, value in changed)}"
    key = "model_id" if base.model_id else "name"
    return [*overrides, f"{key}={name}", f"label={label}"]
