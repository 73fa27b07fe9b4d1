"""One interface for everything that puts texts into classes: a network, n-grams, an ensemble of them.

Training, evaluation, teaching and prediction know classifiers by it alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import nn

from engine.base import device
from engine.base.progress import Bar
from engine.data import readability
from engine.data.batching import batches, collate
from engine.data.text_transforms import as_read
from engine.data.tokenizer import Encoded, encode
from engine.networks import count_parameters
from engine.recipes.schema import Recipe

BATCH = 64
"""Examples that are classified at once."""

Texts = Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Prepared:
    """Texts that are ready to be classified: what can be done once is done.

    Attributes:
        size: Number of texts.
        forward: From positions, shape (some,), to their logits on the CPU, shape (some, labels).
        order: Positions in batches that go together well; each text once.
        unk_rate: Share of unknown tokens; None where there is no vocabulary that could lack one.
        cut: Number of texts that were too long to be seen whole.
        parts: What ``forward`` adds up, with weights. All texts at once go through each part in its own batches: the
            n-grams of an ensemble would take many times as long in the small ones of its networks.
    """

    size: int
    forward: Callable[[NDArray[np.int64]], torch.Tensor]
    order: list[NDArray[np.int64]]
    unk_rate: float | None = None
    cut: int = 0
    parts: tuple[tuple[float, "Prepared"], ...] = ()

    @torch.inference_mode()
    def logits(self, label: str | None = None, tick: Callable[[], None] = lambda: None) -> torch.Tensor:
        """Logits of all texts in their own order.

        Args:
            label: Shows a progress bar under this name.
            tick: Called after every batch; a long pass must not look like a dead run.

        Returns:
            Shape (texts, labels), float32, on the CPU.
        """
        if self.parts:
            total = torch.zeros(1)
            for number, (weight, part) in enumerate(self.parts, start=1):
                total = total + weight * part.logits(f"{label} ({number}/{len(self.parts)})" if label else None, tick)
            return total
        parts = []
        with Bar(label, self.size) if label else nullcontext() as bar:
            for index in self.order:
                parts.append(self.forward(index).float())
                if bar:
                    bar.advance(len(index))
                tick()
        together = torch.cat(parts)
        ordered = torch.empty_like(together)
        ordered[torch.from_numpy(np.concatenate(self.order))] = together
        return ordered


class Classifier(ABC):
    """Something that classifies texts."""

    def __init__(self, recipe: Recipe, sha256: str) -> None:
        """Name what it was made by, and the hash of its weights."""
        self.recipe = recipe
        self.sha256 = sha256

    @property
    @abstractmethod
    def params(self) -> int:
        """Numbers that were learned."""

    @abstractmethod
    def prepare(self, texts: Texts) -> Prepared:
        """Make texts ready; at least one."""

    def unreadable(self, texts: Sequence[str]) -> bool:
        """Whether it cannot read one of some texts, so that its verdict is a guess; see ``engine.data.readability``."""
        return any(readability.unreadable(text, self.recipe.language) for text in texts)

    def own_logits(self, trained_on: str) -> torch.Tensor | None:
        """Logits on its own training set that were predicted by parts which had not seen the example, if it has such.

        Args:
            trained_on: Hash of the training set that they are asked for.
        """
        return None

    def logits(self, texts: Texts, label: str | None = None, tick: Callable[[], None] = lambda: None) -> torch.Tensor:
        """Logits of texts in their order, shape (texts, labels), float32, on the CPU; see ``Prepared.logits``."""
        return self.prepare(texts).logits(label, tick)


class NeuralClassifier(Classifier):
    """A network over token ids."""

    def __init__(self, recipe: Recipe, sha256: str, model: nn.Module, tokenizer: Tokenizer) -> None:
        """Take a trained network, which moves to the best processor, and its tokenizer."""
        super().__init__(recipe, sha256)
        self.model, self.tokenizer = model, tokenizer
        self._params = count_parameters(model)  # now: what is quantized later has weights that are no parameters

    @property
    def params(self) -> int:
        """Parameters of the network."""
        return self._params

    def unreadable(self, texts: Sequence[str]) -> bool:
        """Whether script or vocabulary show that it cannot read one of some texts."""
        return any(readability.unreadable(text, self.recipe.language, self.tokenizer) for text in texts)

    def prepare(self, texts: Texts) -> Prepared:
        """Encode the texts; they are classified in batches of equal length."""
        texts = as_read(texts, self.recipe.data)
        return prepare(self.model, encode(self.tokenizer, texts, self.recipe.tokenizer.max_length))


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
    processor = next(model.parameters()).device

    def forward(index: NDArray[np.int64]) -> torch.Tensor:
        ids, lengths = collate(encoded.sequences, index)
        logits: torch.Tensor = model(ids.to(processor), lengths).cpu()
        return logits

    return Prepared(len(encoded.sequences), forward, batches(encoded.lengths, BATCH), encoded.unk_rate, encoded.cut)


def fastest(classifier: Classifier) -> Classifier:
    """The same classifier on the best processor of this machine."""
    if isinstance(classifier, NeuralClassifier):
        classifier.model.to(device.best())
    return classifier


def probabilities_of(
    prepared: Prepared, *, label: str | None = None, tick: Callable[[], None] = lambda: None
) -> NDArray[np.float64]:
    """Class probabilities of every text, shape (texts, labels); in double precision, so that rows sum to 1."""
    probabilities: NDArray[np.float64] = torch.softmax(prepared.logits(label, tick).double(), dim=-1).numpy()
    return probabilities
