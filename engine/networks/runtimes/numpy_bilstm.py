"""The KoBiLSTM computed by NumPy: one text takes a millisecond, and needs no torch, whose import takes two seconds."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from engine.recipes.schema import BiLSTMConfig

_DIRECTIONS = ("", "_reverse")
_GATES = 4
"""Input, forget, cell and output, in torch's order."""


def shapes(config: BiLSTMConfig) -> dict[str, tuple[int, ...]]:
    """The shape of each weight under the name that torch gives it."""
    width, gates = config.hidden_dim, _GATES * config.hidden_dim
    sizes: dict[str, tuple[int, ...]] = {
        "embedding.weight": (config.vocab_size, config.embedding_dim),
        "classifier.weight": (config.num_labels, 2 * width),
        "classifier.bias": (config.num_labels,),
    }
    for end in _DIRECTIONS:
        sizes[f"lstm.weight_ih_l0{end}"] = (gates, config.embedding_dim)
        sizes[f"lstm.weight_hh_l0{end}"] = (gates, width)
        sizes[f"lstm.bias_ih_l0{end}"] = sizes[f"lstm.bias_hh_l0{end}"] = (gates,)
    return sizes


class NumpyBiLSTM:
    """A trained ``engine.networks.bilstm.BiLSTMClassifier``, called with arrays.

    Attributes:
        params: Number of its parameters.
        bytes: Of its weights in memory.
        runtime: What computes it.
    """

    runtime = "numpy"

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Take the weights, named and shaped as ``shapes`` says."""
        self.params = sum(array.size for array in weights.values())
        self.bytes = sum(array.nbytes for array in weights.values())
        self._embedding = weights["embedding.weight"]
        self._directions = [
            (
                np.ascontiguousarray(weights[f"lstm.weight_ih_l0{end}"].T),
                np.ascontiguousarray(weights[f"lstm.weight_hh_l0{end}"].T),
                weights[f"lstm.bias_ih_l0{end}"] + weights[f"lstm.bias_hh_l0{end}"],
            )
            for end in _DIRECTIONS
        ]
        self._layer = np.ascontiguousarray(weights["classifier.weight"].T), weights["classifier.bias"]
        self._libraries = ThreadpoolController()

    def __call__(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Logits of a batch, shape (batch, labels); see ``engine.networks.classifier.TokenNetwork``."""
        embedded = self._embedding[ids]
        real = None if lengths.min() == ids.shape[1] else np.arange(ids.shape[1]) < lengths[:, None]
        # The matrices are small: a second thread costs more than it brings.
        with self._libraries.limit(limits=1, user_api="blas"):
            forward = _last_state(embedded, real, *self._directions[0])
            # Read from the end, the padding comes first, and changes nothing there.
            backward = _last_state(embedded[:, ::-1], None if real is None else real[:, ::-1], *self._directions[1])
            weight, bias = self._layer
            logits: NDArray[np.float32] = np.concatenate([forward, backward], axis=1) @ weight + bias
        return logits


def _last_state(
    embedded: NDArray[np.float32],
    real: NDArray[np.bool_] | None,
    inputs: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> NDArray[np.float32]:
    """The last hidden state of one direction, shape (batch, hidden); where ``real`` is False a state stays."""
    width = len(recurrent)
    hidden = np.zeros((len(embedded), width), dtype=np.float32)
    cell = np.zeros_like(hidden)
    read = embedded @ inputs + bias
    for step in range(embedded.shape[1]):
        gates = read[:, step] + hidden @ recurrent
        enters, stays, shown = (_sigmoid(gates[:, part * width : (part + 1) * width]) for part in (0, 1, 3))
        next_cell = stays * cell + enters * np.tanh(gates[:, 2 * width : 3 * width])
        next_hidden = shown * np.tanh(next_cell)
        if real is None:
            hidden, cell = next_hidden, next_cell
        else:
            moves = real[:, step, None]
            hidden, cell = np.where(moves, next_hidden, hidden), np.where(moves, next_cell, cell)
    return hidden


def _sigmoid(values: NDArray[np.float32]) -> NDArray[np.float32]:
    result: NDArray[np.float32] = 0.5 + 0.5 * np.tanh(0.5 * values)
    return result
