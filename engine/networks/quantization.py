"""Number formats for inference on a CPU: float32, bfloat16, and int8 weights with activations quantized on the fly.

int8 multiplies in the kernels that every CPU build of torch carries (``torch.ops.quantized.linear_dynamic``):
symmetric weights with one scale for each output, activations with one scale for each token (Dettmers et al. 2022, arXiv
2208.07339, section 2.1, "vector-wise"), so that an answer hardly depends on what else is in the batch. The operators
are called directly: ``torch.ao.quantization``, which wraps them, is deprecated and knows one scale for all tokens only;
its successor torchao is slower where nothing is compiled, and has no fast kernel on Arm; ONNX Runtime's int8 has one
scale for the whole batch and changes twice as many answers (``tests/benchmarks/test_int8.py``). Which kernels
there are depends on the processor, so they are chosen by it and never by a timing: the same machine gives the same
numbers.
"""

import platform
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

from engine.base import device
from engine.base.errors import PrecisionError

FLOAT32, BFLOAT16, INT8 = "float32", "bfloat16", "int8"
PRECISIONS = (FLOAT32, BFLOAT16, INT8)

_ENGINES = {"arm": ("onednn", "qnnpack"), "x86": ("x86", "fbgemm", "onednn")}
"""Kernels in the order of preference. On x86 onednn is as fast as x86, but keeps every weight twice, and qnnpack is
slower than float32; on Arm onednn calls the Arm Compute Library."""

_LARGE, ROWS = 1_000_000, 4096
"""Size from which an embedding table is worth quantizing, and how many of its rows are converted at once."""

_LEAST_SHARE = 0.5
"""Least share of Linear layers in the weights outside the embeddings; with less, int8 is refused."""


@dataclass(frozen=True)
class Availability:
    """Whether this machine supports a precision, and the reason."""

    supported: bool
    reason: str

    def __bool__(self) -> bool:
        """True where it is supported."""
        return self.supported


def available(precision: str) -> Availability:
    """Whether this machine supports a precision.

    Raises:
        PrecisionError: There is no such precision.
    """
    require_known(precision)
    if precision == FLOAT32:
        return Availability(True, "Every processor computes in float32.")
    if precision == BFLOAT16:
        if device.cpu_has_bfloat16():
            return Availability(True, "The processor has bfloat16 instructions.")
        return Availability(
            False,
            "This processor has no bfloat16 instructions (x86 needs AVX-512, Arm needs ARMv8.6; a Raspberry Pi 5 has "
            "neither); it would be slower than float32. Use int8 or float32.",
        )
    if engine := int8_engine():
        return Availability(True, f"torch multiplies int8 with its {engine} kernels here.")
    installed = ", ".join(name for name in _supported() if name != "none") or "none"
    return Availability(
        False,
        f"This build of torch has none of the int8 kernels for {platform.machine()} ({', '.join(_preferred())}); it "
        f"has: {installed}. Install PyTorch's own CPU build for this machine, or use float32.",
    )


def require_known(precision: str) -> None:
    """Refuse an unknown precision.

    Raises:
        PrecisionError: There is no such precision.
    """
    if precision not in PRECISIONS:
        raise PrecisionError(f"There is no precision {precision!r}; there are {', '.join(PRECISIONS)}.")


def require(precision: str) -> None:
    """Refuse a precision that this machine does not support.

    Raises:
        PrecisionError: It is unknown or not supported; the message says why and what to use.
    """
    availability = available(precision)
    if not availability:
        raise PrecisionError(f"This machine does not support {precision}. {availability.reason}")


def apply(model: nn.Module, precision: str) -> nn.Module:
    """Convert a float32 model on the CPU for inference in a precision, in evaluation mode.

    The model itself is changed layer by layer, so that memory never holds all weights twice. Inputs stay the same; a
    bfloat16 model returns bfloat16, an int8 model float32.

    Args:
        model: On the CPU, in float32.
        precision: ``float32``, ``bfloat16`` or ``int8``.

    Raises:
        PrecisionError: It is unknown or not supported here, or int8 would leave most of the model in float32.
    """
    require(precision)
    model.eval()
    if precision == BFLOAT16:
        return model.to(torch.bfloat16)
    if precision == INT8:
        require_quantizable(model)
        # By name, so that no list holds a float32 layer which was replaced.
        for name in [name for name, _ in linears(model)]:
            layer = model.get_submodule(name)
            model.set_submodule(name, Int8Linear.of(layer.weight, layer.bias))  # type: ignore[arg-type]
        for name in [name for name, _ in tables(model)]:
            model.set_submodule(name, Int8Embedding.of(model.get_submodule(name).weight))  # type: ignore[arg-type]
    return model


class Int8Linear(nn.Module):
    """A Linear layer with int8 weights; called with float32, shape (..., in_features).

    Its weights are no parameters: they are in no ``state_dict`` and cannot be trained or saved.
    """

    def __init__(self, packed: torch.ScriptObject, bias: torch.Tensor, in_features: int, engine: str) -> None:
        """Take weights that were packed for a kernel, and the bias, shape (out_features,), float32."""
        super().__init__()
        self.packed = packed
        self.bias: torch.Tensor
        self.register_buffer("bias", bias, persistent=False)
        self.in_features, self.out_features, self.engine = in_features, len(bias), engine
        # Kernels without VNNI add pairs of products in 16 bits; with 7-bit activations those cannot overflow.
        self.narrow = not _is_arm() and not has_vnni()

    @classmethod
    @torch.no_grad()
    def of(cls, weight: torch.Tensor, bias: torch.Tensor | None) -> "Int8Linear":
        """Quantize float weights, shape (out_features, in_features), symmetrically to -127..127.

        One scale for each output, or on Arm for the whole matrix.

        Raises:
            PrecisionError: No int8 kernels here, or a weight is not finite.
        """
        require(INT8)
        engine = str(int8_engine())
        weight = weight.detach().float()
        peaks = torch.maximum(weight.amax(dim=1), -weight.amin(dim=1))  # abs() would copy the matrix
        if not bool(torch.isfinite(peaks).all()):
            raise PrecisionError("A weight is not a finite number, so the model cannot be quantized to int8.")
        with warnings.catch_warnings(), _engine(engine):
            warnings.filterwarnings("ignore", message=".*quantized tensor creation.*")  # torch is pinned below removal
            quantized = _symmetric(weight, peaks)
            packed = torch.ops.quantized.linear_prepack(quantized, None)
        added = torch.zeros(len(weight)) if bias is None else bias.detach().float().clone()
        return cls(packed, added, weight.shape[1], engine)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Outputs in float32, shape (..., out_features)."""
        # The kernel scales its whole input at once; tokens that all peak at 1 make that a scale for each token.
        peaks = torch.maximum(inputs.amax(-1, keepdim=True), -inputs.amin(-1, keepdim=True)).clamp_min(1e-8)
        outputs: torch.Tensor = torch.ops.quantized.linear_dynamic(inputs / peaks, self.packed, self.narrow)
        return outputs.mul_(peaks).add_(self.bias)

    def extra_repr(self) -> str:
        """What ``print(model)`` shows."""
        return f"in_features={self.in_features}, out_features={self.out_features}, engine={self.engine}"


class Int8Embedding(nn.Module):
    """An embedding table of int8 with one scale for each row; called with token ids, shape (...)."""

    def __init__(self, table: torch.Tensor, scales: torch.Tensor) -> None:
        """Take a table, shape (tokens, width), int8, and its scales, shape (tokens, 1), float32."""
        super().__init__()
        self.table: torch.Tensor
        self.scales: torch.Tensor
        self.register_buffer("table", table, persistent=False)
        self.register_buffer("scales", scales, persistent=False)

    @classmethod
    def of(cls, weight: torch.Tensor) -> "Int8Embedding":
        """Quantize a float table, shape (tokens, width)."""
        return cls.of_rows(torch.split(weight.detach(), ROWS), weight.shape)

    @classmethod
    @torch.no_grad()
    def of_rows(cls, parts: Iterable[torch.Tensor], shape: torch.Size) -> "Int8Embedding":
        """Quantize a float table of a shape (tokens, width) that comes in parts of some rows each."""
        table, scales = torch.empty(shape, dtype=torch.int8), torch.empty(shape[0], 1)
        first = 0
        for part in parts:
            rows, index = part.float(), slice(first, first + len(part))
            peaks = torch.maximum(rows.amax(dim=1, keepdim=True), -rows.amin(dim=1, keepdim=True))
            scales[index] = peaks.clamp_min(1e-12) / 127
            table[index] = (rows / scales[index]).round_()
            first += len(part)
        return cls(table, scales)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Rows in float32, shape (..., width)."""
        return functional.embedding(ids, self.table).float() * functional.embedding(ids, self.scales)


def tables(model: nn.Module) -> Iterator[tuple[str, nn.Embedding]]:
    """Large embeddings that int8 replaces, by name; those that share weights with another layer stay."""
    users = Counter(id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding | nn.Linear))
    for name, module in model.named_modules():
        if name and type(module) is nn.Embedding and module.weight.numel() >= _LARGE and users[id(module.weight)] == 1:
            yield name, module


def linears(model: nn.Module) -> Iterator[tuple[str, nn.Linear]]:
    """Linear layers that int8 replaces, by name.

    Subclasses stay: torch's own attention reads the weights of such a layer instead of calling it. So do layers that
    share their weights with an embedding, which would need memory for both.
    """
    shared = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    fused = [module for module in model.modules() if isinstance(module, nn.TransformerEncoderLayer)]
    unused = {id(child) for module in fused for child in module.children()}
    for name, module in model.named_modules():
        if name and type(module) is nn.Linear and id(module.weight) not in shared and id(module) not in unused:
            yield name, module


def require_quantizable(model: nn.Module) -> None:
    """Refuse int8 for a model whose arithmetic it would mostly leave in float32.

    Raises:
        PrecisionError: Linear layers hold less than half of the weights outside the embeddings.
    """
    inside = sum(layer.weight.numel() for _, layer in linears(model))
    embedded = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    outside = sum(weight.numel() for weight in model.parameters() if id(weight) not in embedded)
    if inside < _LEAST_SHARE * max(outside, 1):
        raise PrecisionError(
            f"int8 quantizes Linear layers, and they hold {inside / max(outside, 1):.0%} of this model's weights "
            "outside the embeddings; it would be int8 in name only. Use float32."
        )


def int8_engine() -> str | None:
    """The int8 kernels that are used on this machine, or None where there are none."""
    supported = _supported()
    return next((name for name in _preferred() if name in supported), None)


def has_vnni() -> bool:
    """Whether an x86 processor multiplies int8 with 32-bit sums."""
    return not _is_arm() and bool(torch.cpu._is_vnni_supported())


def weight_bytes(model: nn.Module) -> int:
    """Bytes of a network's weights in memory, in whichever number formats they are."""
    total = sum(tensor.numel() * tensor.element_size() for tensor in [*model.parameters(), *model.buffers()])
    # A packed matrix is no tensor of the module: its int8 weights and a scale for each output.
    packed = (module for module in model.modules() if isinstance(module, Int8Linear))
    return total + sum(layer.in_features * layer.out_features + 4 * layer.out_features for layer in packed)


def _preferred() -> tuple[str, ...]:
    return _ENGINES["arm" if _is_arm() else "x86"]


def _symmetric(weight: torch.Tensor, peaks: torch.Tensor) -> torch.Tensor:
    # Arm's fast kernels take only one scale for the whole matrix.
    if _is_arm():
        return torch.quantize_per_tensor(weight, max(float(peaks.max()), 1e-8) / 127, 0, torch.qint8)
    scales = (peaks.clamp_min(1e-8) / 127).double()
    return torch.quantize_per_channel(weight, scales, torch.zeros(len(scales), dtype=torch.int64), 0, torch.qint8)


def _is_arm() -> bool:
    return platform.machine().lower() in ("aarch64", "arm64")


def _supported() -> list[str]:
    return list(torch.backends.quantized.supported_engines)


@contextmanager
def _engine(name: str) -> Iterator[None]:
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = name
    try:
        yield
    finally:
        torch.backends.quantized.engine = before
