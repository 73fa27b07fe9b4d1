"""Blank models: the shape and the vocabulary of a pretraining's recipe, without weights.

A fine-tuning that is to show what pretraining brings starts from one (``model.init = "random"``).
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

from db.base.paths import cache_folder
from engine.base.errors import RecipeError
from engine.checkpoints.checkpoint import TOKENIZER
from engine.families.masked_lm import corpus
from engine.families.masked_lm import vocabulary as vocabularies
from engine.families.masked_lm.bert import shape
from engine.families.masked_lm.corpus import Text
from engine.recipes.schema import BertConfig, TextConfig, VocabularyConfig
from engine.training.job import Job


def folder(job: Job) -> Path:
    """Where the blank model of a pretraining's job lies once it was made; of several texts it is the newest one's."""
    digest = hashlib.sha256(json.dumps([job.recipe.digest(), job.task_id]).encode()).hexdigest()
    return cache_folder(job.store.path) / "blank" / digest[:32]


def learn(job: Job, told: Text | None = None) -> Path:
    """The vocabulary of a pretraining's job, learned where it is not there yet, and its blank model with it.

    Args:
        job: Its recipe's model is a ``BertConfig``.
        told: Its text; None: it is read.

    Returns:
        The vocabulary's folder, which another text never changes.

    Raises:
        FeatherboardError: The text cannot be read, or gives no vocabulary.
    """
    wanted, model = job.recipe, job.recipe.model
    if not isinstance(model, BertConfig):
        raise RecipeError(f"{wanted.name}: model.kind = {model.kind!r} learns no vocabulary of its own.")
    if told is None:
        told = corpus.load(wanted.text or TextConfig(), job.data, wanted.language)
    settings = wanted.vocabulary or VocabularyConfig()
    learned = vocabularies.kept(cache_folder(job.store.path), told.train, model.vocab_size, settings)
    place = folder(job)
    if not (place / TOKENIZER).is_file() or (place / TOKENIZER).read_bytes() != (learned / TOKENIZER).read_bytes():
        part = place.with_name(f"{place.name}.{os.getpid()}")
        shutil.copytree(learned, part)
        shape(model).save_pretrained(part)
        shutil.rmtree(place, ignore_errors=True)
        part.replace(place)
    return learned
