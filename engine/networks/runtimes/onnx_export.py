"""Networks of torch, written for ONNX Runtime."""

import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from db.base.atomic import atomic_write
from engine.networks.architectures import count_parameters

_OPSET = 20


class _Exported(nn.Module):
    """A network with a mask in place of lengths: nothing of what is exported depends on values."""

    def __init__(self, network: nn.Module, inputs: tuple[str, ...]) -> None:
        super().__init__()
        self.network, self.inputs = network, inputs

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        masked: Callable[..., torch.Tensor] = self.network.masked  # type: ignore[assignment]
        arguments = dict(zip(self.inputs, tensors, strict=True))
        return masked(**{**arguments, "mask": arguments["mask"].bool()})


def export(network: nn.Module, inputs: tuple[str, ...], positions: int | None, file: Path) -> None:
    """Write a network in evaluation mode, on the CPU, as an ONNX file; an interrupted export leaves no file.

    Args:
        network: Its method ``masked`` takes the inputs by these names.
        inputs: Names of tensors of whole numbers, shape (batch, tokens); ``mask``, which is 0 for padding, is one.
        positions: Tokens that it can see at once; None: any number. Written into the file with its parameters' number.
        file: Its folder is made where it is missing.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    # Two rows of different length, so that neither size is exported as a constant.
    mask = torch.ones((2, 19), dtype=torch.int64)
    mask[1, 10:] = 0
    examples = {"ids": torch.ones_like(mask), "types": torch.zeros_like(mask), "mask": mask}
    sizes: Any = {0: "batch", 1: "tokens"}
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with atomic_write(file) as part, warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                _Exported(network, inputs),
                tuple(examples[name] for name in inputs),
                dynamo=True,
                dynamic_shapes=((sizes,) * len(inputs),),
                input_names=list(inputs),
                output_names=["logits"],
                opset_version=_OPSET,
                verbose=False,
            )
            assert program is not None  # noqa: S101 - what dynamo=True returns
            program.model.metadata_props["params"] = str(count_parameters(network))
            if positions is not None:
                program.model.metadata_props["positions"] = str(positions)
            program.save(str(part))
    finally:
        logger.setLevel(before)
