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
from engine.families.masked_lm import network, vocabulary
from engine.families.masked_lm.bert import TextBert
from engine.families.masked_lm.blocks import Vocabulary, encoded
from engine.families.masked_lm.cloze_questions import LONGEST_PREFIX
from engine.families.masked_lm.corpus import Document, Text, split_held_out
from engine.families.masked_lm.network import MaskedLM
from engine.families.masked_lm.objective import TeacherTargets
from engine.networks import cooccurrence
from engine.recipes.loader import Recipe
from engine.recipes.schema import BertConfig, MaskedLMConfig, StudentConfig, TextConfig, TripleConfig
from engine.trainer.training_run import Inputs

SCALE = 0.12
"""Root mean square of an embedding from co-occurrences: of 0.05, 0.12 and 0.25 it named most held-out words."""


_LAYER = {
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
}
"""The parts of a layer, as BERT and as DistilBERT call them."""

Tensors = dict[str, torch.Tensor]


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
        wish = settings(recipe)
        question = vocabulary.QUESTION if wish.recurring_spans else None
        bert = TextBert(model, pairs=wish.next_sentence, question=question, cloze=wish.cloze_questions)
        if model.attention == "matching":
            bert.start_by_matching()
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
        student = student_of(teacher, model.layers, from_teacher=model.init == "teacher", dropout=model.dropout)
        targets = TeacherTargets(teacher.requires_grad_(False), recipe.triple or TripleConfig())
        label = inputs.source_label or Path(model.source).name
        return Parts(student, targets, _vocabulary(recipe, teacher, source), source, label)
    if not isinstance(model, MaskedLMConfig):
        raise RecipeError(f"{recipe.name}: model.kind = {model.kind!r} is no masked language model.")
    torch.manual_seed(recipe.seed)
    encoder = network.without_head(source, model.source, frozen=model.frozen, dropout=model.dropout)
    return Parts(encoder, None, _vocabulary(recipe, encoder, source), source)


def _vocabulary(recipe: Recipe, model: MaskedLM, source: str) -> Vocabulary:
    config, wish = model.encoder.config, settings(recipe)
    longest = config.max_position_embeddings - (LONGEST_PREFIX if wish.cloze_questions else 0)
    if wish.block > longest:
        behind = " behind a question" if wish.cloze_questions else ""
        raise RecipeError(f"text.block = {wish.block}: {recipe.name} reads at most {longest} tokens{behind}.")
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


def student_of(
    teacher: MaskedLM, layers: Sequence[int] | None, *, from_teacher: bool, dropout: float | None = None
) -> MaskedLM:
    """A DistilBERT made from some layers of its teacher (Sanh et al. 2019), of the teacher's width.

    It has neither segments nor a pooler. The teacher's first segment, which every token of a single text has, goes into
    the position embeddings, so that the student begins exactly as the teacher's layers that it took.

    A DistilBERT fixes the constant of its layer norms at 1e-12; a BERT whose own is larger than usual is met less
    exactly.

    Args:
        teacher: A BERT or a DistilBERT.
        layers: Which of its layers, rising from 0; None: every other one.
        from_teacher: Start from their weights and from its head; otherwise from random weights, which depend on torch's
            seed.
        dropout: Everywhere in the student; None: the teacher's own.

    Raises:
        RecipeError: The teacher has no such layer.
    """
    config = teacher.encoder.config
    taken = list(layers) if layers is not None else list(range(0, config.num_hidden_layers, 2))
    if max(taken) >= config.num_hidden_layers:
        raise RecipeError(
            f"model.layers = {taken}: the teacher has {config.num_hidden_layers} layers, 0 to "
            f"{config.num_hidden_layers - 1}."
        )
    config_values = student_shape(teacher, len(taken))
    if dropout is not None:
        config_values |= {"dropout": dropout, "attention_dropout": dropout}
    student = network.distilbert(config_values)
    if from_teacher:
        own = teacher.state_dict()
        head = {name: own[name] for name in own if not name.startswith("encoder.")}
        body = _of_bert if config.model_type == "bert" else _of_distilbert
        weights = body(teacher.encoder.state_dict(), taken)
        student.load_state_dict({**head, **{f"encoder.{name}": tensor for name, tensor in weights.items()}})
    return student


def student_shape(teacher: MaskedLM, layers: int) -> dict[str, object]:
    """The configuration of a student, in DistilBERT's words."""
    config = teacher.encoder.config
    small = config.model_type == "distilbert"
    return {
        "vocab_size": config.vocab_size,
        "max_position_embeddings": config.max_position_embeddings,
        "n_layers": layers,
        "n_heads": config.num_attention_heads,
        "dim": config.hidden_size,
        "hidden_dim": config.hidden_dim if small else config.intermediate_size,
        "dropout": config.dropout if small else config.hidden_dropout_prob,
        "attention_dropout": config.attention_dropout if small else config.attention_probs_dropout_prob,
        "activation": config.activation if small else config.hidden_act,
        "initializer_range": config.initializer_range,
        "pad_token_id": config.pad_token_id,
    }


def _of_bert(state: Tensors, taken: Sequence[int]) -> Tensors:
    weights = {
        "embeddings.word_embeddings.weight": state["embeddings.word_embeddings.weight"],
        "embeddings.position_embeddings.weight": state["embeddings.position_embeddings.weight"]
        + state["embeddings.token_type_embeddings.weight"][0],
    }
    for part in ("weight", "bias"):
        weights[f"embeddings.LayerNorm.{part}"] = state[f"embeddings.LayerNorm.{part}"]
        for index, layer in enumerate(taken):
            for theirs, ours in _LAYER.items():
                weights[f"transformer.layer.{index}.{ours}.{part}"] = state[f"encoder.layer.{layer}.{theirs}.{part}"]
    return weights


def _of_distilbert(state: Tensors, taken: Sequence[int]) -> Tensors:
    weights = {name: tensor for name, tensor in state.items() if name.startswith("embeddings.")}
    for index, layer in enumerate(taken):
        prefix = f"transformer.layer.{layer}."
        weights |= {
            f"transformer.layer.{index}.{name.removeprefix(prefix)}": tensor
            for name, tensor in state.items()
            if name.startswith(prefix)
        }
    return weights
