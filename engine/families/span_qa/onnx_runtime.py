"""A span model computed by ONNX Runtime in place of torch: the same answers, about twice as fast on a CPU.

The network is exported once for each set of weights and kept in the cache. ONNX Runtime computes in float32, as torch
does, with its own kernels and its own fusion of layers.
"""

import hashlib
import logging
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from db.base.atomic import atomic_write
from engine.base.errors import PrecisionError
from engine.base.progress import say
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel, SpanNetwork

TORCH, ONNX = "torch", "onnx"
RUNTIMES = (TORCH, ONNX)

_PACKAGES = ("onnx", "onnxscript", "onnxruntime")
_INPUTS = ("ids", "types", "mask")
_OPSET = 20


class OnnxSpans(SpanNetwork):
    """An exported span model, called like the model it was exported from; always on the CPU."""

    def __init__(self, file: Path, positions: int | None) -> None:
        """Load what ``export`` wrote; it computes with as many threads as torch does."""
        import onnxruntime  # noqa: PLC0415 - of an extra

        super().__init__()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = torch.get_num_threads(), 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        # The export of a model without token types has no such input.
        self._input_names = {node.name for node in self._session.get_inputs()}
        self.positions = positions

    def forward(self, ids: torch.Tensor, types: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """See ``SpanNetwork``."""
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        tensors = {"ids": ids, "types": types, "mask": mask}
        inputs = {name: tensor.numpy() for name, tensor in tensors.items() if name in self._input_names}
        return torch.from_numpy(self._session.run(None, inputs)[0])


class _Exportable(torch.nn.Module):
    """The form that is exported: three plain inputs, one output."""

    def __init__(self, model: SpanModel) -> None:
        super().__init__()
        self.inner, self.typed = model.inner, model.typed

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        optional = {"token_type_ids": types} if self.typed else {}
        outputs = self.inner(input_ids=ids, attention_mask=mask, **optional)
        return torch.stack([outputs.start_logits, outputs.end_logits], dim=-1)


def use(answerer: Answerer, runtime: str, cache: Path) -> Answerer:
    """Replace the network of an answerer by the same one in another runtime, and return the answerer.

    Args:
        answerer: In float32; its torch model is given up.
        runtime: One of ``RUNTIMES``.
        cache: Folder in which exported networks are kept.

    Raises:
        PrecisionError: There is no such runtime, or it is not installed.
    """
    if runtime not in RUNTIMES:
        raise PrecisionError(f"There is no runtime {runtime!r}; there are {', '.join(RUNTIMES)}.")
    if runtime == TORCH:
        return answerer
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise PrecisionError(
            f"The runtime onnx needs {', '.join(missing)}. Run: pip install -e '.[engine,onnx]', or leave --runtime "
            "out."
        )
    network = answerer.model
    if not isinstance(network, SpanModel):
        return answerer
    file = cache / "onnx" / f"{_fingerprint(network)}.onnx"
    if not file.is_file():
        say("Exporting the network for ONNX Runtime, once.")
        export(network.cpu().eval(), file)
    answerer.model = OnnxSpans(file, network.positions)
    return answerer


def _fingerprint(network: SpanModel) -> str:
    """Hash of the weights, the architecture and the exporter, so that an old export is never used for new weights."""
    digest = hashlib.sha256(f"{_OPSET} {torch.__version__} {sorted(network.facts.items(), key=str)}".encode())
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:32]


def export(network: SpanModel, file: Path) -> None:
    """Write a network in evaluation mode, on the CPU, as an ONNX file; an interrupted export leaves no file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    # Two rows of different length, so that neither size is exported as a constant.
    ids = torch.ones((2, 19), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    dynamic: Any = ({0: "batch", 1: "tokens"},) * len(_INPUTS)
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with atomic_write(file) as part, warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                _Exportable(network),
                (ids, torch.zeros_like(ids), mask),
                dynamo=True,
                dynamic_shapes=dynamic,
                input_names=list(_INPUTS),
                output_names=["logits"],
                opset_version=_OPSET,
                verbose=False,
            )
            assert program is not None  # noqa: S101 - what dynamo=True returns
            program.save(str(part))
    finally:
        logger.setLevel(before)
