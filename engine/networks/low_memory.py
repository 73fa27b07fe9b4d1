"""Loading a transformers model in the precision that it shall compute in, without its float32 weights ever being there.

The architecture is built without weights; then one layer after the other is read from the safetensors file, quantized
or converted, and its float32 form is released. An int8 model that is loaded whole and quantized afterwards needs memory
for both.
"""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from accelerate import init_empty_weights
from safetensors import SafetensorError, safe_open
from torch import nn
from transformers import AutoConfig

from engine.base.errors import CheckpointError, ModelError
from engine.networks import quantization as precisions
from engine.networks.quantization import BFLOAT16, FLOAT32, INT8, ROWS, Int8Embedding, Int8Linear

WEIGHTS = "model.safetensors"

_FLOATS = ("F64", "F32", "F16", "BF16")


def load(auto: Any, folder: Path, precision: str = FLOAT32, *, trained: bool = False) -> nn.Module:
    """A transformers model from a local folder, ready to infer in a precision.

    A file whose names are those of the architecture is read layer by layer. Any other (several files, weights of the
    bare encoder, names of an old version) goes through ``from_pretrained`` first, which knows them all and takes more
    memory.

    Args:
        auto: A class with ``from_config`` and ``from_pretrained``, such as ``AutoModelForQuestionAnswering``.
        folder: Holds ``config.json`` and safetensors. A pickle is never read.
        precision: See ``engine.networks.quantization``.
        trained: Every weight must be there. Otherwise a missing head is made up at random, which is as good for timing.

    Raises:
        PrecisionError: The precision cannot be had here.
        ModelError: There is no such model in the folder, or a weight is missing that must be there.
        CheckpointError: The weights are damaged.
    """
    precisions.require(precision)
    config = _config(folder)
    if (folder / WEIGHTS).is_file():
        with init_empty_weights(include_buffers=False):
            skeleton: nn.Module = auto.from_config(config)
        if names(skeleton) <= stored(folder / WEIGHTS):
            return fill(skeleton, folder / WEIGHTS, precision)
        del skeleton
    try:
        whole, told = auto.from_pretrained(
            str(folder), use_safetensors=True, dtype=torch.float32, local_files_only=True, output_loading_info=True
        )
    except Exception as error:
        raise ModelError(
            f"{folder}: there is no model in safetensors that can be read ({_one_line(error)})."
        ) from error
    if trained and told["missing_keys"]:
        raise ModelError(
            f"{folder}: {', '.join(sorted(told['missing_keys'])[:3])} is not among the weights. An encoder without its "
            "head answers nothing; fine-tune it first."
        )
    return precisions.apply(whole, precision)


def fill(skeleton: nn.Module, file: Path, precision: str) -> nn.Module:
    """Give a model without weights those of a file, one layer at a time; see ``load``.

    Args:
        skeleton: Its parameters are on the ``meta`` device; it is changed.
        file: Safetensors under the names of the skeleton's own parameters and persistent buffers.
        precision: See ``engine.networks.quantization``.

    Raises:
        PrecisionError: The precision cannot be had here, or does not suit the model.
        CheckpointError: The file is damaged or holds other shapes.
    """
    precisions.require(precision)
    if precision == INT8:
        precisions.require_quantizable(skeleton)
        for parent, name in [(parent, name) for parent, name, _ in precisions.tables(skeleton)]:
            setattr(parent, name, _quantized_table(file, _path(skeleton, getattr(parent, name)), getattr(parent, name)))
        for parent, name in [(parent, name) for parent, name, _ in precisions.linears(skeleton)]:
            setattr(parent, name, _quantized(file, _path(skeleton, getattr(parent, name)), getattr(parent, name)))
    for name, parameter in list(skeleton.named_parameters()):
        _set(skeleton, name, nn.Parameter(_read(file, name, parameter.shape), requires_grad=False))
    kept = set(skeleton.state_dict())
    for name, buffer in list(skeleton.named_buffers()):
        if name in kept:
            _set(skeleton, name, _read(file, name, buffer.shape).to(buffer.dtype))
    tie = getattr(skeleton, "tie_weights", None)
    if tie is not None:
        tie()
    skeleton.eval()
    return skeleton.to(torch.bfloat16) if precision == BFLOAT16 else skeleton


def names(model: nn.Module) -> set[str]:
    """What a file of a model's weights holds; weights that are shared occur once."""
    seen: dict[int, str] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        seen.setdefault(id(tensor), name)
    return set(seen.values())


def stored(file: Path) -> set[str]:
    """The names of the tensors in a safetensors file.

    Raises:
        CheckpointError: It cannot be read.
    """
    try:
        with safe_open(file, "pt") as tensors:
            return set(tensors.keys())
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{file}: the weights cannot be read ({error}).") from error


def count_parameters(folder: Path) -> int:
    """Numbers in the safetensors files of a folder, counted without reading them; whole numbers are no parameters.

    Raises:
        CheckpointError: A file cannot be read.
    """
    count = 0
    for file in sorted(folder.glob("*.safetensors")):
        with _opened(file, "the list of tensors") as tensors:
            slices = [tensors.get_slice(name) for name in tensors.keys()]  # noqa: SIM118 - not a dict
            count += sum(math.prod(one.get_shape()) for one in slices if one.get_dtype() in _FLOATS)
    return count


def _quantized(file: Path, path: str, layer: nn.Linear) -> Int8Linear:
    bias = None if layer.bias is None else _read(file, f"{path}.bias", layer.bias.shape)
    with _opened(file, f"{path}.weight") as tensors:
        weight = tensors.get_tensor(f"{path}.weight")
        _require_shape(file, f"{path}.weight", weight, layer.weight.shape)
        return Int8Linear.of(weight, bias)


def _quantized_table(file: Path, path: str, layer: nn.Embedding) -> Int8Embedding:
    name, shape = f"{path}.weight", layer.weight.shape
    with _opened(file, name) as tensors:
        _require_shape(file, name, tensors.get_slice(name), shape)

    def parts() -> Iterator[torch.Tensor]:
        for first in range(0, shape[0], ROWS):
            with _opened(file, name) as tensors:
                yield tensors.get_slice(name)[first : first + ROWS]

    return Int8Embedding.of_rows(parts(), shape)


def _read(file: Path, name: str, shape: torch.Size) -> torch.Tensor:
    with _opened(file, name) as tensors:
        tensor: torch.Tensor = tensors.get_tensor(name)
        _require_shape(file, name, tensor, shape)
        return tensor.float() if tensor.is_floating_point() and tensor.dtype != torch.float32 else tensor.clone()


@contextmanager
def _opened(file: Path, name: str) -> Iterator[Any]:
    # Anew for each tensor: what is read from a mapped file counts as this process's memory until the mapping is gone,
    # and opening takes a millisecond.
    try:
        with safe_open(file, "pt") as tensors:
            yield tensors
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{file}: {name} cannot be read ({error}).") from error


def _require_shape(file: Path, name: str, stored: Any, shape: torch.Size) -> None:
    found = tuple(stored.get_shape() if hasattr(stored, "get_shape") else stored.shape)
    if found != tuple(shape):
        raise CheckpointError(f"{file}: {name} has shape {found}, the configuration says {tuple(shape)}.")


def _path(model: nn.Module, wanted: nn.Module) -> str:
    return str(next(name for name, module in model.named_modules() if module is wanted))


def _set(model: nn.Module, name: str, value: torch.Tensor) -> None:
    parent, _, attribute = name.rpartition(".")
    setattr(model.get_submodule(parent), attribute, value)


def _config(folder: Path) -> Any:
    try:
        json.loads((folder / "config.json").read_text("utf-8"))
        return AutoConfig.from_pretrained(str(folder), local_files_only=True)
    except Exception as error:
        raise ModelError(
            f"{folder}: there is no readable config.json of a transformers model ({_one_line(error)})."
        ) from error


def _one_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__
