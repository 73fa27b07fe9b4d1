"""Build what a masked language model trains with: the network, its teacher, its vocabulary."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from db.base.atomic import atomic_write
from engine.base.errors import CheckpointError, RecipeError
from engine.base.progress import say
from engine.families.masked_lm import distilbert_student, network, vocabulary
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Vocabulary, encoded
from engine.families.masked_lm.corpus import Document, Text, split_held_out
from engine.families.masked_lm.network import MaskedLM
from engine.families.masked_lm.objective import TeacherTargets
from engine.networks import cooccurrence
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, MaskedLMConfig, StudentConfig, TextConfig, TripleConfig
from engine.trainer.training_run import Inputs

SCALE = 0.12
"""Root mean square of an embedding from co-occurrences: of 0.05, 0.12 and 0.25 it named most held-out words."""


@dataclass(frozen=True)
class Parts:
    """What is trained: the network, its teacher if it has one, and how both read.

    Attributes:
        counted: Tokens whose co-occurrences the embedding starts from; 0 where it is random.
    """

    model: MaskedLM
    guide: TeacherTargets | None
    vocabulary: Vocabulary
    source: str
    teacher: str | None = None
    counted: int = 0


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
        known = _vocabulary(recipe, bert, vocabulary_folder)
        counted = 0
        if model.embedding == "cooccurrence":
            documents, _ = split_held_out(text.train, recipe.train, recipe.seed)
            key = [text.sha256, Path(vocabulary_folder).name, recipe.seed, recipe.train.held_out, len(documents)]
            counted = embed_by_cooccurrence(bert, documents, known, cache, key)
        return Parts(bert, None, known, vocabulary_folder, counted=counted)
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


def embed_by_cooccurrence(
    model: MaskedLM, documents: Sequence[Document], vocabulary: Vocabulary, cache: Path, key: Sequence[object]
) -> int:
    """Replace the random embedding of the tokens, and the bias of the head by the logarithm of their frequencies.

    Special tokens stay random, at the same scale. The vectors are kept in the cache.

    Args:
        model: With random weights.
        documents: What is counted; never one that is held out or scored.
        vocabulary: Of the model.
        cache: Folder of results that can be computed again.
        key: Everything that decides the documents and the vocabulary.

    Returns:
        Tokens that were counted.

    Raises:
        CheckpointError: What the cache holds is damaged.
    """
    weight = model.encoder.get_input_embeddings().weight
    facts = [*key, *weight.shape, cooccurrence.WINDOW, cooccurrence.SMOOTHING]
    file = cache / "cooccurrence" / f"{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]}.safetensors"
    if not file.is_file():
        texts = sum(len(document.texts) for document in documents)
        say(f"Counting which tokens stand near each other in {texts:,} texts.")
        read = (ids for _, ids, _ in encoded(documents, vocabulary.tokenizer, words=False))
        counts, frequencies = cooccurrence.count(read, vocabulary.size, vocabulary.special)
        made = {
            "vectors": torch.from_numpy(cooccurrence.vectors(counts, weight.shape[1])),
            "frequencies": torch.from_numpy(frequencies),
        }
        with atomic_write(file) as part:
            save_file(made, part)
    try:
        tensors = load_file(file)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{file}: cannot be read ({error}). Delete it; it is computed again.") from error
    special = sorted(vocabulary.special)
    with torch.no_grad():
        random = weight[special] * (SCALE / model.encoder.config.initializer_range)
        learned = tensors["vectors"]
        weight.copy_(learned * (SCALE / learned.square().mean().sqrt().clamp(min=1e-9)))
        weight[special] = random
        smoothed = tensors["frequencies"].double() + 1
        model.bias.copy_((smoothed / smoothed.sum()).log())
    return int(tensors["frequencies"].sum())
