"""Attention in single precision inside a training in bfloat16."""

import pytest
import torch
from transformers import BertConfig, BertModel

from engine.networks import attention


def _gradients(*, half: bool, float32: bool) -> torch.Tensor:
    """Gradients of a tiny encoder's first layer on a padded batch."""
    torch.manual_seed(0)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    network = BertModel(BertConfig(vocab_size=30, hidden_dropout_prob=0, attention_probs_dropout_prob=0, **shape))
    attention.train_in_float32(network, half=float32)
    ids = torch.arange(20).reshape(2, 10)
    mask = torch.ones_like(ids)
    mask[1, 6:] = 0
    with torch.autocast("cpu", torch.bfloat16, enabled=half):
        states = network(input_ids=ids, attention_mask=mask).last_hidden_state
    (states.float()[:, 0] * torch.linspace(-1, 1, 16)).sum().backward()
    weight = network.encoder.layer[0].attention.self.value.weight
    assert weight.grad is not None
    return weight.grad.flatten()


@pytest.mark.parametrize("half", [True, False])
def test_gradients_are_those_of_the_usual_attention(half: bool) -> None:
    """Padding stays hidden, and rounding alone differs."""
    usual, ours = _gradients(half=half, float32=False), _gradients(half=half, float32=True)
    assert torch.nn.functional.cosine_similarity(usual, ours, dim=0) > (0.99 if half else 0.99999)
