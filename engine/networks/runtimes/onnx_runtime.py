"""Exported networks, computed by ONNX Runtime: faster on a CPU than torch, whose import alone takes two seconds.

ONNX Runtime computes in float32, as torch does, with its own kernels and its own fusion of layers.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.base import cores
from engine.base.errors import PrecisionError

_PACKAGES = ("onnx", "onnxscript", "onnxruntime")


def missing_packages() -> list[str]:
    """The packages of ONNX Runtime that are not installed."""
    return [name for name in _PACKAGES if find_spec(name) is None]


def require() -> None:
    """Refuse to go on without ONNX Runtime.

    Raises:
        PrecisionError: Names the packages that are missing.
    """
    if missing := missing_packages():
        raise PrecisionError(
            f"The runtime onnx needs {', '.join(missing)}. Run: pip install -e '.[engine]', or leave --runtime out."
        )


class _OnnxNetwork:
    """An exported network.

    Attributes:
        params: Number of its parameters.
        positions: Tokens that it can see at once; None where there is no limit.
        bytes: Of its file, which holds little but the weights.
        threads: Processor threads that it computes with.
        runtime: What computes it.
    """

    runtime = "onnx"

    def __init__(self, file: Path, threads: int | None = None) -> None:
        """Load an export.

        Args:
            file: Of ``engine.networks.runtimes.onnx_export``.
            threads: So many; None: ``OMP_NUM_THREADS``, or as many as this process has cores.
        """
        import onnxruntime  # noqa: PLC0415 - may be missing

        self.bytes = file.stat().st_size
        self.threads = threads or cores.default_threads()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.log_severity_level = 3
        # A thread that has nothing to do sleeps. Where others use the cores too, one that spins takes twice the time.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        # The export of a model without token types has no such input.
        self._inputs = {node.name for node in self._session.get_inputs()}
        facts = self._session.get_modelmeta().custom_metadata_map
        self.params = int(facts["params"])
        self.positions = int(facts["positions"]) if "positions" in facts else None

    def _run(self, lengths: NDArray[np.int64], **arrays: NDArray[np.int64]) -> NDArray[np.float32]:
        tokens = arrays["ids"].shape[1]
        arrays["mask"] = (np.arange(tokens) < lengths[:, None]).astype(np.int64)
        logits: NDArray[np.float32] = self._session.run(
            None, {name: array for name, array in arrays.items() if name in self._inputs}
        )[0]
        return logits


class OnnxSpans(_OnnxNetwork):
    """An exported span model; see ``engine.families.span_qa.answerer.SpanNetwork``."""

    def compute(
        self, ids: NDArray[np.int64], types: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Start and end logits of a batch."""
        return self._run(lengths, ids=ids, types=types)


class OnnxClassifier(_OnnxNetwork):
    """An exported classifier; see ``engine.networks.classifier.TokenNetwork``."""

    def __call__(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Logits of a batch, shape (batch, labels)."""
        return self._run(lengths, ids=ids)
