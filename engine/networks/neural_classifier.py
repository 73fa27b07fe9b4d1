"""Networks of torch as classifiers."""

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn

from engine.base import device
from engine.data.tokenizer import Encoded
from engine.networks import quantization
from engine.networks.architectures import count_parameters
from engine.networks.classifier import Classifier, Prepared, TokenClassifier, in_batches
from engine.recipes.schema import Recipe


class _TorchNetwork:
    """See ``engine.networks.classifier.TokenNetwork``."""

    runtime = "torch"

    def __init__(self, model: nn.Module) -> None:
        self.model = model

    @property
    def params(self) -> int:
        return count_parameters(self.model)

    @property
    def bytes(self) -> int:
        return quantization.weight_bytes(self.model)

    @torch.inference_mode()
    def __call__(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Logits of a batch, computed where the network is."""
        processor = next(self.model.parameters()).device
        logits: torch.Tensor = self.model(torch.from_numpy(ids).to(processor), torch.from_numpy(lengths))
        array: NDArray[np.float32] = logits.float().cpu().numpy()
        return array


class NeuralClassifier(TokenClassifier):
    """A network of torch over token ids."""

    def __init__(self, recipe: Recipe, sha256: str, model: nn.Module, tokenizer: Tokenizer) -> None:
        """Take a trained network and its tokenizer.

        Args:
            recipe: What made it.
            sha256: Hash of its weights.
            model: Called with (ids, lengths); put into evaluation mode.
            tokenizer: Of the network.
        """
        self.model = model.eval()
        super().__init__(recipe, sha256, _TorchNetwork(model), tokenizer)


def prepare(model: nn.Module, encoded: Encoded, where: torch.device | None = None) -> Prepared:
    """Encoded texts, ready for a network.

    Args:
        model: Called with (ids, lengths); put into evaluation mode.
        encoded: The texts.
        where: Where the model shall compute; None leaves it where it is.
    """
    model.eval()
    if where is not None:
        model.to(where)
    return in_batches(_TorchNetwork(model), encoded)


def fastest(classifier: Classifier) -> Classifier:
    """The same classifier on the best processor of this machine."""
    if isinstance(classifier, NeuralClassifier):
        classifier.model.to(device.best())
    return classifier
