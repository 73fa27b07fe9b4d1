"""Build what a masked language model trains with: the network, its teacher, its vocabulary."""

from dataclasses import dataclass
from pathlib import Path

import torch

from engine.base.errors import RecipeError
from engine.families.masked_lm import distilbert_student, network, vocabulary
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Vocabulary
from engine.families.masked_lm.corpus import Text
from engine.families.masked_lm.network import MaskedLM
from engine.families.masked_lm.objective import TeacherTargets
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, MaskedLMConfig, StudentConfig, TextConfig, TripleConfig
from engine.trainer.training_run import Inputs


@dataclass(frozen=True)
class Parts:
    """What is trained: the network, its teacher if it has one, and how both read."""

    model: MaskedLM
    guide: TeacherTargets | None
    vocabulary: Vocabulary
    source: str
    teacher: str | None = None


def settings(recipe: Recipe) -> TextConfig:
    """What a recipe reads; a kind that has no such section reads as the defaults say."""
    return recipe.text or TextConfig()


def build(recipe: Recipe, task_id: str, text: Text, inputs: Inputs, cache: Path) -> Parts:
    """Build a recipe's network, its teacher, and their vocabulary.

    Args:
        recipe: Its model is one of ``MaskedModelConfig``.
        task_id: The board of the run.
        text: What it reads; a vocabulary is learned from what is not scored of it.
        inputs: Holds the folder or hub id of the encoder, or of the student's teacher.
        cache: Folder of results that can be computed again.

    Raises:
        FeatherboardError: Teacher, vocabulary or recipe cannot be used.
    """
    model, source = recipe.model, str(inputs.source)
    if isinstance(model, BertConfig):
        # From now on fine-tunings know it: one that starts without pretraining needs its shape and vocabulary alone.
        vocabulary_folder = str(vocabulary.learn_blank(recipe, task_id, text, cache))
        torch.manual_seed(recipe.seed)
        question = vocabulary.QUESTION if settings(recipe).recurring_spans else None
        bert = TextBert(model, pairs=settings(recipe).next_sentence, question=question)
        return Parts(bert, None, _vocabulary(recipe, bert, vocabulary_folder), vocabulary_folder)
    if isinstance(model, StudentConfig):
        teacher = network.with_head(source, model.source)
        torch.manual_seed(recipe.seed)
        student = distilbert_student.build(
            teacher, model.layers, from_teacher=model.init == "teacher", dropout=model.dropout
        )
        targets = TeacherTargets(teacher.requires_grad_(False), recipe.triple or TripleConfig())
        label = inputs.source_label or Path(model.source).name
        return Parts(student, targets, _vocabulary(recipe, teacher, source), source, label)
    if not isinstance(model, MaskedLMConfig):
        raise RecipeError(f"{recipe.name}: model.kind = {model.kind!r} is no masked language model.")
    torch.manual_seed(recipe.seed)
    encoder = network.without_head(source, model.source, frozen=model.frozen, dropout=model.dropout)
    return Parts(encoder, None, _vocabulary(recipe, encoder, source), source)


def _vocabulary(recipe: Recipe, model: MaskedLM, source: str) -> Vocabulary:
    config, block = model.encoder.config, settings(recipe).block
    if block > config.max_position_embeddings:
        raise RecipeError(f"text.block = {block}: {recipe.name} reads at most {config.max_position_embeddings} tokens.")
    return network.vocabulary(source, recipe.name, config.vocab_size)
