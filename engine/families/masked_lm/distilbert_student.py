"""A DistilBERT made from some layers of its teacher (Sanh et al. 2019).

It has neither segments nor a pooler. The teacher's first segment, which every token of a single text has, goes into the
position embeddings, so that the student begins exactly as the teacher's layers that it took.
"""

from collections.abc import Sequence

import torch

from engine.base.errors import RecipeError
from engine.families.masked_lm.network import MaskedLM, distilbert

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


def build(
    teacher: MaskedLM, layers: Sequence[int] | None, *, from_teacher: bool, dropout: float | None = None
) -> MaskedLM:
    """A student of a teacher's width, with as many layers as are taken.

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
    config_values = shape(teacher, len(taken))
    if dropout is not None:
        config_values |= {"dropout": dropout, "attention_dropout": dropout}
    student = distilbert(config_values)
    if from_teacher:
        own = teacher.state_dict()
        head = {name: own[name] for name in own if not name.startswith("encoder.")}
        body = _of_bert if config.model_type == "bert" else _of_distilbert
        weights = body(teacher.encoder.state_dict(), taken)
        student.load_state_dict({**head, **{f"encoder.{name}": tensor for name, tensor in weights.items()}})
    return student


def shape(teacher: MaskedLM, layers: int) -> dict[str, object]:
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
