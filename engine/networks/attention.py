"""Attention of transformers in single precision while the rest of a training computes in bfloat16.

On a processor the backward pass of torch's fused attention takes 3 to 4 times as long in bfloat16 as in float32
(12 heads of width 32, 180 and 270 tokens, one thread, torch 2.13), and it was half of a whole training step.
"""

from typing import Any

import torch
from torch import nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

FLOAT32 = "sdpa_float32"


def train_in_float32(network: nn.Module, *, half: bool) -> None:
    """Let every transformer inside a network that uses torch's fused attention compute it in single precision.

    Args:
        network: Where it is trained; on another device than a processor it stays as it is.
        half: The training computes in bfloat16; in single precision nothing is to be done.
    """
    if not half or next(network.parameters()).device.type != "cpu":
        return
    for module in network.modules():
        config, switch = getattr(module, "config", None), getattr(module, "set_attn_implementation", None)
        if callable(switch) and getattr(config, "_attn_implementation", "") == "sdpa":
            switch(FLOAT32)


def _attend(
    module: nn.Module, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: Any, **options: Any
) -> tuple[torch.Tensor, None]:
    with torch.autocast(query.device.type, enabled=False):
        if mask is not None and mask.is_floating_point():
            mask = mask.float()
        states, _ = sdpa_attention_forward(module, query.float(), key.float(), value.float(), mask, **options)
    return states.to(query.dtype), None


AttentionInterface.register(FLOAT32, _attend)
AttentionMaskInterface.register(FLOAT32, sdpa_mask)
