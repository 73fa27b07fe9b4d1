"""From a recipe to a finished run on the board."""

import json
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer

from db import runs, tasks
from db.paths import runs_folder
from db.runs import MetricValue, ModelFacts, RunFacts, RunWriter
from db.store import Store
from db.verify import agrees
from engine import checkpoint, data, device, metrics, models, provenance, recipe, teacher
from engine.data import Corpus, TextSet
from engine.errors import DivergedError, InterruptedRunError, RecipeError
from engine.evaluate import prediction_rows, probabilities_of, throughput, timing
from engine.models.bilstm import BiLSTMClassifier
from engine.progress import say
from engine.recipe import Recipe
from engine.tokenizer import Encoded, encode, train_wordpiece
from engine.train import Examples, Trained, Trainer

STATE = "resume.safetensors"


@dataclass(frozen=True)
class Job:
    """What is to be trained, and where its results go.

    Attributes:
        recipe: The complete recipe.
        data: None for the shipped mini corpus, ``hub``, or a folder.
        store: The database.
        overrides: As given on the command line, for the command that reproduces the run.
        asked: What named the recipe on the command line; None: its name.
        threads: As asked for; sums in another number of threads differ in their last digits.
        run_id: An interrupted run to go on with.
        pupils: The recipes that wait for this one as their teacher.
        should_stop: Asked after every step.
    """

    recipe: Recipe
    data: str | None
    store: Store
    overrides: tuple[str, ...] = ()
    asked: str | None = None
    threads: int | None = None
    run_id: str | None = None
    pupils: tuple[str, ...] = ()
    should_stop: Callable[[int], bool] = lambda step: False

    @property
    def task_id(self) -> str:
        """The board that the run belongs to."""
        return self.recipe.task if self.data else self.recipe.mini_task

    @property
    def command(self) -> str:
        """What reproduces the run; the data folder is named by what it must hold."""
        parts = ["featherboard train", shlex.quote(self.asked or self.recipe.name), f"--seed {self.recipe.seed}"]
        if self.data:
            parts.append("--data hub" if self.data == "hub" else f"--data FOLDER_OF_{self.task_id.upper()}")
        if self.threads:
            parts.append(f"--threads {self.threads}")
        return " ".join([*parts, *(f"--set {shlex.quote(override)}" for override in self.overrides)])


@contextmanager
def stop_on_signal() -> Iterator[Callable[[int], bool]]:
    """Yield a ``should_stop`` that turns true on Ctrl-C or SIGTERM; a second signal ends the process at once."""
    asked = False

    def handler(number: int, _: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        say(f"Stopping after this step ({signal.Signals(number).name}); the state is being saved.")

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda step: asked
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def train(job: Job) -> str:
    """Train, evaluate and record one run, with its teacher first where it needs one.

    Returns:
        The run's id.

    Raises:
        InterruptedRunError: Stopped; the run is kept and can be resumed.
        DivergedError: The loss stopped being a number; the run is kept as diverged.
        FeatherboardError: Anything wrong with recipe, data or store.
    """
    work = _prepare(job)
    try:
        _finish(work, _fit(work))
    except (InterruptedRunError, KeyboardInterrupt) as stopped:
        work.writer.interrupt()
        if isinstance(stopped, InterruptedRunError):
            stopped.run_id = work.writer.run_id
        raise
    except DivergedError:
        work.writer.finish([], train_seconds=None, diverged=True)
        raise
    except BaseException as error:
        work.writer.fail(f"{type(error).__name__}: {error}"[:500])
        raise
    (work.folder / STATE).unlink(missing_ok=True)
    return work.writer.run_id


@dataclass(frozen=True)
class _Work:
    """Everything that one run needs, ready to train."""

    job: Job
    corpus: Corpus
    guide: teacher.Teacher | None
    tokenizer: Tokenizer
    model: BiLSTMClassifier
    writer: RunWriter
    folder: Path

    @property
    def recipe(self) -> Recipe:
        return self.job.recipe

    def encode(self, part: TextSet) -> Encoded:
        return encode(self.tokenizer, part.texts, self.recipe.tokenizer.max_length)


def _prepare(job: Job) -> _Work:
    corpus = data.load(job.task_id, job.data)
    _check_recipe(job)
    guide = _teacher(job, corpus)
    # Seeded after the teacher, which may have been trained just now: the run is the same either way.
    torch.manual_seed(job.recipe.seed)
    run_id = job.run_id or runs.new_run_id()
    folder = runs_folder(job.store.path) / run_id
    tokenizer = _tokenizer(job.recipe, corpus, folder)
    model = models.build(job.recipe.model)
    return _Work(job, corpus, guide, tokenizer, model, _writer(job, corpus, model, run_id, guide), folder)


def _check_recipe(job: Job) -> None:
    """Refuse what would only fail, or change what other runs show, after hours of training."""
    wanted = job.recipe
    labels = data.SOURCES[job.task_id].num_labels
    if wanted.model.num_labels != labels:
        raise RecipeError(f"model.num_labels = {wanted.model.num_labels}: the task {job.task_id} has {labels} labels.")
    if not job.store.exists():
        return
    rows = job.store.query("SELECT config FROM models WHERE model_id = ?", [wanted.name])
    listed = json.loads(rows["config"].iloc[0]) if len(rows) else {}
    here = _listed_config(wanted)
    other = [key for key in here if key in listed and listed[key] != here[key]]
    if other:
        raise RecipeError(
            f"model.{other[0]} = {here[other[0]]}: the board lists {wanted.name} with {listed[other[0]]}. Give another "
            "model a name of its own, for example --set name=my-model --set label='My model'."
        )


def _listed_config(wanted: Recipe) -> dict[str, object]:
    return wanted.model.model_dump(exclude={"kind", "dropout"})


def _teacher(job: Job, corpus: Corpus) -> teacher.Teacher | None:
    wish = job.recipe.distill
    if wish is None:
        return None
    wanted = recipe.load(wish.teacher, seed=wish.teacher_seed, mini=job.data is None)
    taught = wanted.task if job.data else wanted.mini_task
    pupils = (*job.pupils, job.recipe.name)
    if taught != job.task_id or wanted.name in pupils:
        raise RecipeError(f"distill.teacher = {wish.teacher!r}: it must be another recipe for the task {job.task_id}.")
    run_id = teacher.find_run(job.store, wanted, corpus.sha256) if job.store.exists() else None
    if run_id is None:
        say(f"{job.recipe.name} needs its teacher {wanted.name} first.")
        first = Job(wanted, job.data, job.store, threads=job.threads, pupils=pupils, should_stop=job.should_stop)
        run_id = train(first)
    loaded = checkpoint.load(teacher.checkpoint_folder(job.store.path, run_id))
    return teacher.Teacher(wanted.label, loaded)


def _tokenizer(wanted: Recipe, corpus: Corpus, folder: Path) -> Tokenizer:
    """Trained on the training split, and kept in the run's folder for a resumption."""
    kept = folder / checkpoint.TOKENIZER
    if kept.is_file():
        return Tokenizer.from_file(str(kept))
    made = train_wordpiece(corpus.train.texts, wanted.model.vocab_size, wanted.tokenizer)
    folder.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(".part")
    made.save(str(part))
    part.replace(kept)
    return made


def _writer(job: Job, corpus: Corpus, model: BiLSTMClassifier, run_id: str, guide: teacher.Teacher | None) -> RunWriter:
    wanted, task = job.recipe, tasks.by_id(job.task_id)
    if job.run_id:
        writer = RunWriter(job.store, run_id)
        writer.resume()
        return writer
    facts = RunFacts(
        task_id=task.task_id, task_version=task.version, model_id=wanted.name, name=wanted.label, recipe=wanted.name,
        recipe_json=wanted.to_json(), recipe_hash=wanted.digest(), seed=wanted.seed, dataset=task.dataset,
        dataset_hash=corpus.sha256, split=task.split, device=device.describe(), code_version=provenance.code_version(),
        libraries=provenance.libraries(), command=job.command, teacher=guide.name if guide else None,
        notes=f"Trained on {task.dataset}, {len(corpus.train):,} examples of its training split.",
    )  # fmt: skip
    listed = ModelFacts(
        wanted.name, wanted.label, wanted.family, wanted.model.kind, _listed_config(wanted),
        models.count_parameters(model), wanted.language, "Apache-2.0",
    )  # fmt: skip
    return RunWriter.start(job.store, listed, facts, run_id)


def _fit(work: _Work) -> Trained:
    wanted, train_set = work.recipe, work.corpus.train
    encoded = work.encode(train_set)
    soft = teacher.logits(work.guide, train_set, work.job.store.path, work.writer.beat) if work.guide else None

    def part(index: NDArray[np.int64]) -> Examples:
        sequences = [encoded.sequences[i] for i in index]
        some = soft[torch.from_numpy(index)] if soft is not None else None
        return Examples(Encoded(sequences, encoded.unk_rate), train_set.labels[index], some)

    kept, held = data.split_validation(train_set, wanted.train.validation_fraction, wanted.seed)
    trainer = Trainer(
        wanted, work.model, part(kept), part(held), writer=work.writer, state_file=work.folder / STATE,
        should_stop=work.job.should_stop,
    )  # fmt: skip
    return trainer.run()


def _finish(work: _Work, trained: Trained) -> None:
    place = teacher.checkpoint_folder(work.job.store.path, work.writer.run_id)
    artifacts = checkpoint.save(place, work.recipe, trained.weights, work.tokenizer)
    model = work.model.cpu()
    model.load_state_dict(trained.weights)
    test, gold = work.encode(work.corpus.test), work.corpus.test.labels
    probabilities = probabilities_of(model, test, label=f"{work.recipe.name} on test", tick=work.writer.beat)
    found = metrics.classification(gold, probabilities)
    fresh = data.unseen(work.corpus.train, work.corpus.test)
    if not fresh.all() and fresh.any():
        found.append(metrics.accuracy("accuracy_dedup", gold[fresh], probabilities[fresh].argmax(axis=1)))
    found += [
        MetricValue("validation_accuracy", trained.validation.accuracy),
        MetricValue("best_epoch", float(trained.place.best_epoch)),
        MetricValue("unk_rate", test.unk_rate),
        MetricValue("checkpoint_bytes", float(checkpoint.folder_bytes(place))),
        *timing(model, test),
        throughput(model, test),
    ]
    rows = prediction_rows(work.corpus.test, probabilities)
    seconds = trained.place.seconds
    best = found[0]
    verified = agrees(rows, best.value, tasks.by_id(work.job.task_id).split_size)
    work.writer.finish(found, train_seconds=seconds, artifacts=artifacts, predictions=rows, verified=verified)
    say(f"{work.recipe.label}: accuracy {best.value:.2%} ({best.low:.2%} to {best.high:.2%}), "
        f"{models.count_parameters(model):,} parameters, {seconds:.0f} s, run {work.writer.run_id[:12]}")  # fmt: skip
