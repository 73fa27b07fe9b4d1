"""Train a recipe and what it starts from, in the order of the plan, and record every run on the board."""

from dataclasses import replace
from pathlib import Path

from db.base.paths import cache_folder
from db.runs.writer import MetricValue
from engine.base.progress import say
from engine.checkpoints.card import TOKENS_READ, read_card
from engine.families.registry import family_of
from engine.networks.sources import locate
from engine.recipes.loader import Recipe
from engine.trainer.training_run import Inputs, TrainingRun
from engine.training import plan as plans
from engine.training.job import Job
from engine.training.plan import Step


def train(job: Job) -> str:
    """Train, evaluate and record one run, after everything that it starts from.

    Returns:
        The run's id.

    Raises:
        InterruptedRunError: Stopped; the run is kept and can be resumed.
        DivergedError: The loss stopped being a number; the run is kept as diverged.
        FeatherboardError: Anything wrong with recipe, data or store.
    """
    *before, last = plans.plan(job)
    _make(before)
    return _train(last)


def prepare(job: Job) -> Inputs:
    """Make what a job starts from, and return its folders; the job itself is not trained."""
    *before, last = plans.plan(job)
    _make(before)
    return _inputs(last)


def dataset_hash(recipe: Recipe, task_id: str, folder: str | None) -> str:
    """Hash what a run of the recipe is trained and scored on.

    Raises:
        DataError: The data are missing or cannot be read.
    """
    return str(family_of(recipe).load_data(recipe, task_id, folder).sha256)


def learn_vocabulary(job: Job) -> Path:
    """Learn the vocabulary of a pretraining, and return the folder of its blank model.

    Raises:
        FeatherboardError: The recipe learns none, or the text cannot be read.
    """
    recipe, cache = job.recipe, cache_folder(job.store.path)
    plans.check(job)
    text = family_of(recipe).load_data(recipe, job.task_id, job.data)
    from engine.families.masked_lm import vocabulary  # noqa: PLC0415 - imports transformers

    vocabulary.learn_blank(recipe, job.task_id, text, cache)
    return vocabulary.blank_folder(recipe, job.task_id, cache)


def _make(steps: list[Step]) -> None:
    for step in steps:
        if step.vocabulary_only:
            step.folder = learn_vocabulary(step.job)
        else:
            say(f"{step.needed_by} needs {step.job.recipe.name} first.")
            _train(step)


def _inputs(step: Step) -> Inputs:
    folders = {role: need.folder if isinstance(need, Step) else need for role, need in step.needs.items()}
    source = str(getattr(step.job.recipe.model, "source", "")) or None
    if "source" in folders:
        source = str(folders["source"])
    elif source is not None:
        source = locate(source)
    start = step.prerequisites.get("source")
    return Inputs(source, folders.get("teacher"), start.recipe.label if start else None)


def _tokens_read(step: Step, source: str | None) -> list[MetricValue]:
    """Tokens of text that the first weights had read, where a recipe pretrained them here."""
    start = step.prerequisites.get("source")
    if start is None or source is None or start.recipe.model.kind != "bert":
        return []
    tokens = 0 if start.vocabulary_only else read_card(Path(source)).facts.get(TOKENS_READ)
    return [] if tokens is None else [MetricValue("pretraining_tokens", float(tokens))]


def _train(step: Step) -> str:
    job, recipe = step.job, step.job.recipe
    for remark in step.data.remarks:
        say(remark)
    run = TrainingRun(
        job.store,
        recipe,
        job.task_id,
        data=job.data,
        dataset_hash=step.data.sha256,
        command=job.command,
        resumed=job.run_id,
        should_stop=job.should_stop,
    )
    try:
        inputs = _inputs(step)
        result = step.family.train(recipe, step.data, inputs, run)
        run.finish(replace(result, metrics=[*result.metrics, *_tokens_read(step, inputs.source)]))
    except BaseException as error:
        run.abandon(error)
        raise
    run.state_file.unlink(missing_ok=True)
    step.folder = run.checkpoint
    say(f"{recipe.label}: {result.summary}, {result.seconds:.0f} s, run {run.run_id[:12]}")
    return run.run_id
