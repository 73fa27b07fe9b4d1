"""Blank models: the shape and the vocabulary of a pretraining's recipe, without weights.

A fine-tuning that is to show what pretraining brings starts from one (``model.init = "random"``).
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

from engine.base.errors import RecipeError
from engine.checkpoints.checkpoint import TOKENIZER
from engine.families.masked_lm import vocabulary as vocabularies
from engine.families.masked_lm.bert import shape
from engine.families.masked_lm.corpus import Text
from engine.recipes.schema import BertConfig, Recipe, VocabularyConfig


def folder(recipe: Recipe, task_id: str, cache: Path) -> Path:
    """Locate the blank model of a pretraining; of several texts it is the newest one's."""
    digest = hashlib.sha256(json.dumps([recipe.digest(), task_id]).encode()).hexdigest()
    return cache / "blank" / digest[:32]


def learn(recipe: Recipe, task_id: str, text: Text, cache: Path) -> Path:
    """Learn the vocabulary of a pretraining where it is not there yet, and make its blank model.

    Args:
        recipe: Its model is a ``BertConfig``.
        task_id: The board of the pretraining.
        text: What it is to read.
        cache: Folder of results that can be computed again.

    Returns:
        The vocabulary's folder, which another text never changes.

    Raises:
        FeatherboardError: The text gives no vocabulary.
    """
    if not isinstance(recipe.model, BertConfig):
        raise RecipeError(f"{recipe.name}: model.kind = {recipe.model.kind!r} learns no vocabulary of its own.")
    learned = vocabularies.kept(cache, text.train, recipe.model.vocab_size, recipe.vocabulary or VocabularyConfig())
    blank = folder(recipe, task_id, cache)
    if not (blank / TOKENIZER).is_file() or (blank / TOKENIZER).read_bytes() != (learned / TOKENIZER).read_bytes():
        part = blank.with_name(f"{blank.name}.{os.getpid()}")
        shutil.copytree(learned, part)
        shape(recipe.model).save_pretrained(part)
        shutil.rmtree(blank, ignore_errors=True)
        part.replace(blank)
    return learned
