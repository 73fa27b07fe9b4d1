"""What a job that names hidden words trains: the network, its teacher, its vocabulary."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from engine.base.errors import RecipeError
from engine.families.masked_lm import corpus, distilbert_student, network, untrained
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Vocabulary
from engine.families.masked_lm.corpus import Text
from engine.families.masked_lm.network import MaskedLM
from engine.families.masked_lm.objective import Guide
from engine.networks import sources
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, MaskedLMConfig, StudentConfig, TextConfig, TripleConfig
from engine.training import teachers
from engine.training.job import Job

HEADED = "masked-lm:"
"""Before the name of the recipe that fits a head on the teacher of a student."""

SPLIT_KEYS = ("files", "columns", "document", "rows", "held")
"""What decides which documents are scored; a teacher must not have read those of its student."""

Train = Callable[[Job], str]


@dataclass(frozen=True)
class Parts:
    """What is trained: the network, its teacher if it has one, and how both read."""

    model: MaskedLM
    guide: Guide | None
    vocabulary: Vocabulary
    source: str
    teacher: str | None = None


def settings(wanted: Recipe) -> TextConfig:
    """What a recipe reads; a kind that has no such section reads as the defaults say."""
    return wanted.text or TextConfig()


def build(job: Job, told: Text, train: Train) -> Parts:
    """The network of a job, its teacher, and their vocabulary.

    Args:
        job: Its recipe's model is one of ``HiddenWordsConfig``.
        told: What it reads; a vocabulary is learned from what is not scored of it.
        train: ``engine.training.run.train``, for a teacher that is not there yet.

    Raises:
        FeatherboardError: Teacher, vocabulary or recipe cannot be used.
    """
    model = job.recipe.model
    if isinstance(model, StudentConfig):
        return _student(job, model, job.recipe.triple or TripleConfig(), train)
    if isinstance(model, BertConfig):
        return _bert(job, model, told)
    if not isinstance(model, MaskedLMConfig):
        raise RecipeError(f"{job.recipe.name}: model.kind = {model.kind!r} does not name hidden words.")
    place = sources.resolve(job)
    torch.manual_seed(job.recipe.seed)
    found = network.without_head(place, model.source, frozen=model.frozen, dropout=model.dropout)
    return Parts(found, None, _vocabulary(job.recipe, found, place), place)


def _bert(job: Job, model: BertConfig, told: Text) -> Parts:
    # Known to fine-tunings from now on: one that starts without this pretraining needs its shape and vocabulary alone.
    place = untrained.learn(job, told)
    torch.manual_seed(job.recipe.seed)
    found = TextBert(model, pairs=settings(job.recipe).next_sentence)
    return Parts(found, None, _vocabulary(job.recipe, found, str(place)), str(place))


def _student(job: Job, model: StudentConfig, wish: TripleConfig, train: Train) -> Parts:
    if model.source.startswith(HEADED):
        place, label = _headed(job, model.source.removeprefix(HEADED), wish.teacher_seed, train)
    else:
        place, label = sources.resolve(job), Path(model.source).name
    guide = network.with_head(place, model.source)
    torch.manual_seed(job.recipe.seed)
    pupil = distilbert_student.build(guide, model.layers, from_teacher=model.init == "teacher", dropout=model.dropout)
    return Parts(pupil, Guide(guide.requires_grad_(False), wish), _vocabulary(job.recipe, guide, place), place, label)


def _headed(job: Job, name: str, seed: int, train: Train) -> tuple[str, str]:
    """The checkpoint of a teacher's recipe, trained first where it is missing, and its label."""
    mini = job.data is None
    wanted = loader.load(name, seed=seed, mini=mini)
    own, theirs = settings(job.recipe), settings(wanted)
    overrides = tuple(
        f"text.{key}={json.dumps(getattr(own, key))}" for key in SPLIT_KEYS if getattr(own, key) != getattr(theirs, key)
    )
    wanted = loader.load(name, overrides, seed, mini=mini)
    taught = wanted.mini_task if mini else wanted.task
    if not isinstance(wanted.model, MaskedLMConfig) or taught != job.task_id:
        raise RecipeError(
            f"model.source = '{HEADED}{name}': it must be a recipe of model.kind = 'masked-lm' for {job.task_id}."
        )
    digest = corpus.load(settings(wanted), job.data, wanted.language).sha256
    run_id = teachers.ensure(job, wanted, digest, train, asked=name, overrides=overrides)
    return str(teachers.checkpoint_folder(job.store.path, run_id)), wanted.label


def _vocabulary(wanted: Recipe, found: MaskedLM, place: str) -> Vocabulary:
    config, block = found.encoder.config, settings(wanted).block
    if block > config.max_position_embeddings:
        raise RecipeError(f"text.block = {block}: {wanted.name} reads at most {config.max_position_embeddings} tokens.")
    return network.vocabulary(place, wanted.name, config.vocab_size)
