"""A span model computed by ONNX Runtime in place of torch: the same answers, about twice as fast on a CPU.

The network is exported once for each set of weights and kept in the cache; what torch computes in float32, ONNX Runtime
computes in float32, with its own kernels and its own fusion of layers.
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

_NEEDED = ("onnx", "onnxscript", "onnxruntime")
_INPUTS = ("ids", "types", "mask")
_OPSET = 20


class OnnxSpans(SpanNetwork):
    """An exported span model, called like the one that it was made from; always on the CPU."""

    def __init__(self, file: Path, positions: int | None) -> None:
        """Load what ``use`` exported; it computes with as many threads as torch does."""
        import onnxruntime  # noqa: PLC0415 - of an extra

        super().__init__()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = torch.get_num_threads(), 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        # A model without token types has no such input left.
        self._wanted = {one.name for one in self._session.get_inputs()}
        self.positions = positions

    def forward(self, ids: torch.Tensor, types: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """See ``SpanNetwork``."""
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        given = {"ids": ids, "types": types, "mask": mask}
        fed = {name: tensor.numpy() for name, tensor in given.items() if name in self._wanted}
        return torch.from_numpy(self._session.run(None, fed)[0])


class _Exported(torch.nn.Module):
    """What is exported: three plain inputs, one output."""

    def __init__(self, model: SpanModel) -> None:
        super().__init__()
        self.inner, self.typed = model.inner, model.typed

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        more = {"token_type_ids": types} if self.typed else {}
        found = self.inner(input_ids=ids, attention_mask=mask, **more)
        return torch.stack([found.start_logits, found.end_logits], dim=-1)


def use(answerer: Answerer, wanted: str, cache: Path) -> Answerer:
    """The same answerer with its network computed by another runtime.

    Args:
        answerer: In float32; its torch model is given up.
        wanted: One of ``RUNTIMES``.
        cache: Exported networks are kept there.

    Raises:
        PrecisionError: There is no such runtime, or it is not installed.
    """
    if wanted not in RUNTIMES:
        raise PrecisionError(f"There is no runtime {wanted!r}; there are {', '.join(RUNTIMES)}.")
    if wanted == TORCH:
        return answerer
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise PrecisionError(
            f"The runtime onnx needs {', '.join(missing)}. Run: pip install -e '.[engine,onnx]', or leave "
            "--runtime out."
        )
    network = answerer.model
    if not isinstance(network, SpanModel):
        return answerer
    file = cache / "onnx" / f"{_fingerprint(network)}.onnx"
    if not file.is_file():
        say("Exporting the network for ONNX Runtime, once.")
        _export(network.cpu().eval(), file)
    answerer.model = OnnxSpans(file, network.positions)
    return answerer


def _fingerprint(network: SpanModel) -> str:
    """Of the weights, the architecture and what exports it, so that nothing old is taken for new."""
    digest = hashlib.sha256(f"{_OPSET} {torch.__version__} {sorted(network.facts.items(), key=str)}".encode())
    for name, tensor in sorted(network.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:32]


def _export(network: SpanModel, file: Path) -> None:
    # Two rows of different length, so that neither size is taken for a constant.
    ids = torch.ones((2, 19), dtype=torch.int64)
    mask = torch.ones_like(ids)
    mask[1, 10:] = 0
    free: Any = ({0: "batch", 1: "tokens"},) * len(_INPUTS)
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with atomic_write(file) as part, warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")
            program = torch.onnx.export(
                _Exported(network),
                (ids, torch.zeros_like(ids), mask),
                dynamo=True,
                dynamic_shapes=free,
                input_names=list(_INPUTS),
                output_names=["logits"],
                opset_version=_OPSET,
                verbose=False,
            )
            assert program is not None  # noqa: S101 - what dynamo=True returns
            program.save(str(part))
    finally:
        logger.setLevel(before)
