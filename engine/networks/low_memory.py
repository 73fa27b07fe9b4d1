"""Load a transformers model in the precision it computes in, without ever holding all its float32 weights.

The architecture is built without weights; then layer by layer is read from the safetensors file, quantized or
converted, and its float32 form is released. Loading a model whole and quantizing it afterwards takes memory for both.
"""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from accelerate import init_empty_weights
from safetensors import SafetensorError, safe_open
from torch import nn
from transformers import AutoConfig

from db.base.errors import one_line
from engine.base.errors import CheckpointError, ModelError
from engine.networks import quantization
from engine.networks.quantization import BFLOAT16, FLOAT32, INT8, ROWS, Int8Embedding, Int8Linear

WEIGHTS = "model.safetensors"

_FLOATS = ("F64", "F32", "F16", "BF16")


def load(auto: Any, folder: Path, precision: str = FLOAT32, *, trained: bool = False) -> nn.Module:
    """Load a transformers model from a local folder for inference in a precision.

    A file whose names are those of the architecture is read layer by layer. Any other (several files, weights of the
    bare encoder, names of an old version) is loaded by ``from_pretrained`` first, which takes more memory.

    Args:
        auto: A class with ``from_config`` and ``from_pretrained``, such as ``AutoModelForQuestionAnswering``.
        folder: Holds ``config.json`` and safetensors. A pickle is never read.
        precision: See ``engine.networks.quantization``.
        trained: Refuse missing weights. Otherwise a missing head is random, which makes no difference to timings.

    Raises:
        PrecisionError: This machine does not support the precision.
        ModelError: The folder holds no such model, or a required weight is missing.
        CheckpointError: The weights are damaged.
    """
    quantization.require(precision)
    config = _config(folder)
    if (folder / WEIGHTS).is_file():
        with init_empty_weights(include_buffers=False):
            skeleton: nn.Module = auto.from_config(config)
        if _tensor_names(skeleton) <= _stored_names(folder / WEIGHTS):
            return fill(skeleton, folder / WEIGHTS, precision)
        del skeleton
    try:
        model, loading = auto.from_pretrained(
            str(folder), use_safetensors=True, dtype=torch.float32, local_files_only=True, output_loading_info=True
        )
    except Exception as error:
        raise ModelError(f"{folder}: no readable model in safetensors ({one_line(error)}).") from error
    if trained and loading["missing_keys"]:
        raise ModelError(
            f"{folder}: {', '.join(sorted(loading['missing_keys'])[:3])} is not among the weights. An encoder without "
            "its head cannot predict; fine-tune it first."
        )
    return quantization.apply(model, precision)


def fill(skeleton: nn.Module, file: Path, precision: str) -> nn.Module:
    """Read the weights of a model without weights from a file, layer by layer; see ``load``.

    Args:
        skeleton: Its parameters are on the ``meta`` device; it is changed.
        file: Safetensors under the names of the skeleton's parameters and persistent buffers.
        precision: See ``engine.networks.quantization``.

    Raises:
        PrecisionError: This machine does not support the precision, or it does not suit the model.
        CheckpointError: The file is damaged or holds other shapes.
    """
    quantization.require(precision)
    if precision == INT8:
        quantization.require_quantizable(skeleton)
        for name, table in list(quantization.tables(skeleton)):
            skeleton.set_submodule(name, _quantized_table(file, f"{name}.weight", table.weight.shape))
        for name, layer in list(quantization.linears(skeleton)):
            skeleton.set_submodule(name, _quantized_linear(file, name, layer))
    for name, parameter in list(skeleton.named_parameters()):
        _set(skeleton, name, nn.Parameter(_read(file, name, parameter.shape), requires_grad=False))
    persistent = set(skeleton.state_dict())
    for name, buffer in list(skeleton.named_buffers()):
        if name in persistent:
            _set(skeleton, name, _read(file, name, buffer.shape).to(buffer.dtype))
    tie = getattr(skeleton, "tie_weights", None)
    if tie is not None:
        tie()
    skeleton.eval()
    return skeleton.to(torch.bfloat16) if precision == BFLOAT16 else skeleton


def _tensor_names(model: nn.Module) -> set[str]:
    """Names that a file of a model's weights has; shared weights are stored once."""
    first: dict[int, str] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), name)
    return set(first.values())


def _stored_names(file: Path) -> set[str]:
    with _opened(file, "the list of tensors") as tensors:
        return set(tensors.keys())


def count_parameters(folder: Path) -> int:
    """Count the floating-point numbers in the safetensors files of a folder, without reading them.

    Raises:
        CheckpointError: A file cannot be read.
    """
    count = 0
    for file in sorted(folder.glob("*.safetensors")):
        with _opened(file, "the list of tensors") as tensors:
            slices = [tensors.get_slice(name) for name in tensors.keys()]  # noqa: SIM118 - not a dict
            count += sum(math.prod(tensor.get_shape()) for tensor in slices if tensor.get_dtype() in _FLOATS)
    return count


def _quantized_linear(file: Path, path: str, layer: nn.Linear) -> Int8Linear:
    bias = None if layer.bias is None else _read(file, f"{path}.bias", layer.bias.shape)
    with _opened(file, f"{path}.weight") as tensors:
        weight = tensors.get_tensor(f"{path}.weight")
        _require_shape(file, f"{path}.weight", weight.shape, layer.weight.shape)
        return Int8Linear.of(weight, bias)


def _quantized_table(file: Path, name: str, shape: torch.Size) -> Int8Embedding:
    with _opened(file, name) as tensors:
        _require_shape(file, name, tensors.get_slice(name).get_shape(), shape)

    def parts() -> Iterator[torch.Tensor]:
        for first in range(0, shape[0], ROWS):
            with _opened(file, name) as tensors:
                yield tensors.get_slice(name)[first : first + ROWS]

    return Int8Embedding.of_rows(parts(), shape)


def _read(file: Path, name: str, shape: torch.Size) -> torch.Tensor:
    with _opened(file, name) as tensors:
        tensor: torch.Tensor = tensors.get_tensor(name)
        _require_shape(file, name, tensor.shape, shape)
        return tensor.float() if tensor.is_floating_point() and tensor.dtype != torch.float32 else tensor.clone()


@contextmanager
def _opened(file: Path, name: str) -> Iterator[Any]:
    # Opened for each tensor: what is read from a mapped file counts as this process's memory until it is unmapped, and
    # opening takes a millisecond.
    try:
        with safe_open(file, "pt") as tensors:
            yield tensors
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{file}: {name} cannot be read ({error}).") from error


def _require_shape(file: Path, name: str, stored: Sequence[int], expected: Sequence[int]) -> None:
    if tuple(stored) != tuple(expected):
        raise CheckpointError(f"{file}: {name} has shape {tuple(stored)}, the configuration says {tuple(expected)}.")


def _set(model: nn.Module, name: str, value: torch.Tensor) -> None:
    parent, _, attribute = name.rpartition(".")
    setattr(model.get_submodule(parent), attribute, value)


def _config(folder: Path) -> Any:
    try:
        json.loads((folder / "config.json").read_text("utf-8"))
        return AutoConfig.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:
        raise ModelError(f"{folder}: no readable config.json of a transformers model ({one_line(error)}).") from error
