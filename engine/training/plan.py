"""Turn one recipe into an ordered list of trainings: what it starts from comes before it, itself comes last."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from db.base.paths import cache_folder, checkpoint_folder
from db.runs import status as statuses
from engine.base.errors import RecipeError
from engine.families import Dataset, Family
from engine.families.registry import family_of
from engine.networks.sources import MADE_HERE
from engine.training.job import Job
from engine.training.prerequisites import Prerequisite, prerequisites, teacher_of, with_text


@dataclass
class Step:
    """One training of a plan.

    Attributes:
        job: What is trained.
        family: Of its model.
        data: What it is trained and scored on.
        needs: What it starts from by role: a folder, or the step that makes one.
        prerequisites: These as recipes.
        needed_by: The recipe that waits for it; None for the last step.
        vocabulary_only: Only the vocabulary is learned.
        folder: Of the checkpoint, once there is one.
    """

    job: Job
    family: Family
    data: Dataset
    needs: dict[str, "Path | Step"] = field(default_factory=dict)
    prerequisites: dict[str, Prerequisite] = field(default_factory=dict)
    needed_by: str | None = None
    vocabulary_only: bool = False
    folder: Path | None = None


def plan(job: Job) -> list[Step]:
    """Check a job and everything that it starts from, and put what is not finished into order.

    Raises:
        RecipeError: A recipe cannot be trained, or would wait for itself.
        DataError: The data of one of them are missing or cannot be read.
    """
    planner = _Planner(job)
    planner.add(job, (job.recipe.name,))
    return planner.steps


def check(job: Job) -> None:
    """Refuse a job that could only fail, or that would change what other runs of the board show.

    Raises:
        RecipeError: Names the key.
    """
    recipe = job.recipe
    family_of(recipe).check(recipe, job.task_id)
    source = str(getattr(recipe.model, "source", ""))
    if recipe.adapter and (source.startswith(MADE_HERE) or getattr(recipe.model, "init", "") == "random"):
        made_here = getattr(recipe.model, "init", "") != "random"
        encoder = f"{source}, which is on this machine alone," if made_here else "one of random weights"
        raise RecipeError(f"adapter: it is kept without its encoder, and {encoder} cannot be had again elsewhere.")
    teacher_of(job)
    _check_listed(job)


class _Planner:
    """Collects the steps of a plan; data that several of them share are read once."""

    def __init__(self, job: Job) -> None:
        self.steps: list[Step] = []
        self._job = job
        self._data: dict[tuple[str, ...], Dataset] = {}

    def add(self, job: Job, waiting: tuple[str, ...]) -> Step:
        """Add a job behind what it starts from; ``waiting`` names the recipes that wait for it, and its own."""
        step = Step(job, family_of(job.recipe), self._load(job))
        check(job)
        for needed in prerequisites(job):
            step.needs[needed.role] = self._resolve(needed, job, waiting)
            step.prerequisites[needed.role] = needed
        self.steps.append(step)
        return step

    def _load(self, job: Job) -> Dataset:
        recipe, family = job.recipe, family_of(job.recipe)
        sections = (recipe.data.model_dump_json(), recipe.text.model_dump_json() if recipe.text else "")
        key = (type(family).__name__, job.task_id, recipe.language, *sections)
        if key not in self._data:
            self._data[key] = family.load_data(recipe, job.task_id, job.data, strict=job.strict)
        return self._data[key]

    def _resolve(self, needed: Prerequisite, job: Job, waiting: tuple[str, ...]) -> "Path | Step":
        recipe, store = needed.recipe, job.store
        if needed.folder is not None:
            return needed.folder
        if recipe.name in waiting:
            chain = " -> ".join((*waiting, recipe.name))
            raise RecipeError(f"{self._job.recipe.name}: it would wait for itself: {chain}.")
        first = Job(recipe, job.data, store, needed.overrides, needed.name, job.threads, should_stop=job.should_stop)
        folder = self._newest(first, needed)
        if folder is not None:
            return folder
        if needed.any_text or needed.vocabulary_only:
            with_text(lambda: self._load(first), needed, job)
        sha256 = self._load(first).sha256
        for step in self.steps:
            planned = step.job
            if (planned.recipe, step.data.sha256) == (recipe, sha256):
                return step
        if needed.vocabulary_only:
            step = Step(first, family_of(recipe), self._load(first), vocabulary_only=True)
            check(first)
            self.steps.append(step)
        else:
            folder = finished(first, sha256)
            if folder is not None:
                return folder
            step = self.add(first.resumed(_interrupted(first, sha256)), (*waiting, recipe.name))
        step.needed_by = job.recipe.name
        return step

    def _newest(self, job: Job, needed: Prerequisite) -> Path | None:
        """What was made here from whatever text."""
        store, recipe = job.store, job.recipe
        if needed.vocabulary_only:
            from engine.families.masked_lm import vocabulary  # noqa: PLC0415 - imports transformers

            blank = vocabulary.blank_folder(recipe, job.task_id, cache_folder(store.path))
            return blank if blank.is_dir() else None
        if not needed.any_text or not store.exists():
            return None
        run_ids = statuses.of_recipe(store, recipe.digest(), job.task_id, recipe.seed)
        folders = (checkpoint_folder(store.path, run_id) for run_id in run_ids)
        return next((folder for folder in folders if folder.is_dir()), None)


def finished(job: Job, sha256: str) -> Path | None:
    """The checkpoint of the newest finished run of a job's recipe and seed on these data, where it is here."""
    store, recipe = job.store, job.recipe
    if not store.exists():
        return None
    for run_id in statuses.finished(store, recipe.digest(), sha256, recipe.seed):
        folder = checkpoint_folder(store.path, run_id)
        if family_of(recipe).is_complete(folder, recipe, mini=job.data is None):
            return folder
    return None


def _interrupted(job: Job, sha256: str) -> str | None:
    """The newest interrupted run of a job's recipe and seed on these data that began here."""
    store, recipe = job.store, job.recipe
    rows = statuses.alike(store, recipe.digest(), sha256, recipe.seed) if store.exists() else []
    run_ids = (run_id for run_id, status in rows if status == "interrupted")
    return next((run_id for run_id in run_ids if checkpoint_folder(store.path, run_id).parent.is_dir()), None)


def _check_listed(job: Job) -> None:
    """Refuse a model of another shape under a name that the board knows."""
    recipe = job.recipe
    if not job.store.exists():
        return
    rows = job.store.query("SELECT config FROM models WHERE model_id = ?", [recipe.listed_as])
    listed = json.loads(rows["config"].iloc[0]) if len(rows) else {}
    own = recipe.listed_config()
    changed = [key for key in own if key in listed and listed[key] != own[key]]
    if changed:
        key = changed[0]
        raise RecipeError(
            f"model.{key} = {own[key]}: the board lists {recipe.listed_as} with {listed[key]}. Give another model a "
            f"name of its own, for example --set {'model_id' if recipe.model_id else 'name'}=my-model "
            "--set label='My model'."
        )
