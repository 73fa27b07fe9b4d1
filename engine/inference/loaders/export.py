"""Export a checkpoint for ONNX Runtime: ``python -m engine.inference.loaders.export FOLDER FILE``, a process apart."""

import sys
from pathlib import Path

from db.base.errors import FeatherboardError
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel
from engine.inference.loaders import torch_models
from engine.networks import transformer_classifier
from engine.networks.neural_classifier import NeuralClassifier
from engine.networks.runtimes.onnx_export import export


def export_checkpoint(folder: Path, file: Path) -> None:
    """Write the network of a checkpoint.

    Args:
        folder: Of the checkpoint; its model is a transformer.
        file: What is written.

    Raises:
        FeatherboardError: The checkpoint cannot be read; see ``torch_models.of_checkpoint``.
    """
    loaded = torch_models.of_checkpoint(folder)
    if isinstance(loaded, Answerer):
        assert isinstance(loaded.model, SpanModel)  # noqa: S101 - what torch_models makes
        inputs = ("ids", "types", "mask") if loaded.model.typed else ("ids", "mask")
        export(loaded.model.eval(), inputs, loaded.model.positions, file)
    else:
        assert isinstance(loaded, NeuralClassifier)  # noqa: S101 - what torch_models makes
        positions = transformer_classifier.positions(loaded.model)
        export(loaded.model, ("ids", "mask"), positions, file)


if __name__ == "__main__":
    try:
        export_checkpoint(Path(sys.argv[1]), Path(sys.argv[2]))
    except FeatherboardError as error:
        sys.exit(str(error))
