"""One interface for everything that puts texts into classes: a network, n-grams, an ensemble of them.

Training, evaluation, teaching and prediction know classifiers by it alone. It speaks in arrays, so that a model that
answers without torch need not wait for it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from db.registry import tasks
from engine.base.errors import ModelError
from engine.base.progress import Bar
from engine.data import readability
from engine.data.batching import batches, padded
from engine.data.text_transforms import as_read
from engine.data.tokenizer import Encoded, encode
from engine.recipes.schema import Recipe

if TYPE_CHECKING:
    import torch

BATCH = 64
"""Examples that are classified at once."""

Texts = Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Prepared:
    """Texts that are ready to be classified: what can be done once is done.

    Attributes:
        size: Number of texts.
        forward: From positions, shape (some,), to their logits, shape (some, labels).
        order: Positions in batches that go together well; each text once.
        unk_rate: Share of unknown tokens; None where there is no vocabulary that could lack one.
        cut: Number of texts that were too long to be seen whole.
        parts: What ``forward`` adds up, with weights. All texts at once go through each part in its own batches: the
            n-grams of an ensemble would take many times as long in the small ones of its networks.
    """

    size: int
    forward: Callable[[NDArray[np.int64]], NDArray[np.float32]]
    order: list[NDArray[np.int64]]
    unk_rate: float | None = None
    cut: int = 0
    parts: tuple[tuple[float, "Prepared"], ...] = ()

    def logits(self, label: str | None = None, tick: Callable[[], None] = lambda: None) -> NDArray[np.float32]:
        """Logits of all texts in their own order, shape (texts, labels).

        Args:
            label: Shows a progress bar under this name.
            tick: Called after every batch; a long pass must not look like a dead run.
        """
        if self.parts:
            total = np.zeros(1, dtype=np.float32)
            for number, (weight, part) in enumerate(self.parts, start=1):
                total = total + weight * part.logits(f"{label} ({number}/{len(self.parts)})" if label else None, tick)
            return total
        parts = []
        with Bar(label, self.size) if label else nullcontext() as bar:
            for index in self.order:
                parts.append(self.forward(index))
                if bar:
                    bar.advance(len(index))
                tick()
        together = np.concatenate(parts)
        ordered = np.empty_like(together)
        ordered[np.concatenate(self.order)] = together
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

    @property
    def bytes(self) -> int:
        """Of its weights in memory; of one that is no network, four for each number."""
        return 4 * self.params

    @property
    def runtime(self) -> str:
        """What computes it; see ``TokenNetwork``."""
        return "numpy"

    @abstractmethod
    def prepare(self, texts: Texts) -> Prepared:
        """Make texts ready; at least one."""

    def unreadable(self, texts: Sequence[str]) -> bool:
        """Whether it cannot read one of some texts, so that its verdict is a guess; see ``engine.data.readability``."""
        return any(readability.unreadable(text, self.recipe.script_language) for text in texts)

    def own_logits(self, trained_on: str) -> "torch.Tensor | None":
        """Logits on its own training set that were predicted by parts which had not seen the example, if it has such.

        Args:
            trained_on: Hash of the training set that they are asked for.
        """
        return None

    def logits(
        self, texts: Texts, label: str | None = None, tick: Callable[[], None] = lambda: None
    ) -> NDArray[np.float32]:
        """Logits of texts in their order, shape (texts, labels); see ``Prepared.logits``."""
        return self.prepare(texts).logits(label, tick)


class TokenNetwork(Protocol):
    """A network over token ids, whoever computes it."""

    @property
    def params(self) -> int:
        """Number of its parameters."""

    @property
    def bytes(self) -> int:
        """Of its weights in memory."""

    @property
    def runtime(self) -> str:
        """What computes it: ``torch``, ``onnx`` or ``numpy``."""

    def __call__(self, ids: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
        """Logits of a batch, shape (batch, labels).

        Args:
            ids: Token ids, shape (batch, tokens), padded at the end.
            lengths: True lengths, shape (batch,).
        """


class TokenClassifier(Classifier):
    """A classifier by a network over token ids.

    Attributes:
        network: The network.
        tokenizer: Its tokenizer.
    """

    def __init__(self, recipe: Recipe, sha256: str, network: TokenNetwork, tokenizer: Tokenizer) -> None:
        """Take a trained network and its tokenizer."""
        super().__init__(recipe, sha256)
        self.network, self.tokenizer = network, tokenizer
        self._params = network.params  # now: what is quantized later has weights that are no parameters

    @property
    def params(self) -> int:
        """Parameters of the network."""
        return self._params

    @property
    def bytes(self) -> int:
        """See ``TokenNetwork``."""
        return self.network.bytes

    @property
    def runtime(self) -> str:
        """See ``TokenNetwork``."""
        return self.network.runtime

    def unreadable(self, texts: Sequence[str]) -> bool:
        """Whether script or vocabulary show that it cannot read one of some texts."""
        return any(readability.unreadable(text, self.recipe.script_language, self.tokenizer) for text in texts)

    def prepare(self, texts: Texts) -> Prepared:
        """Encode the texts; they are classified in batches of equal length."""
        texts = as_read(texts, self.recipe.data)
        return in_batches(self.network, encode(self.tokenizer, texts, self.recipe.tokenizer.max_length))


def in_batches(
    network: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float32]], encoded: Encoded
) -> Prepared:
    """Encoded texts, ready for a network, in batches of equal length."""
    return Prepared(
        len(encoded.sequences),
        lambda index: network(*padded(encoded.sequences, index)),
        batches(encoded.lengths, BATCH),
        encoded.unk_rate,
        encoded.cut,
    )


def probabilities_of(
    prepared: Prepared, *, label: str | None = None, tick: Callable[[], None] = lambda: None
) -> NDArray[np.float64]:
    """Class probabilities of every text, shape (texts, labels); in double precision, so that rows sum to 1."""
    logits = prepared.logits(label, tick).astype(np.float64)
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities: NDArray[np.float64] = powers / powers.sum(axis=-1, keepdims=True)
    return probabilities


def require_labels(classifier: Classifier, labels: Sequence[str], name: str) -> None:
    """Refuse a model that answers another question.

    Args:
        classifier: The model.
        labels: What its classes must be called.
        name: What the person called the model.

    Raises:
        ModelError: It has other classes, or reads pairs of texts.
    """
    task = classifier.recipe.task
    if task not in tasks.task_ids() or tasks.by_id(task).labels != tuple(labels):
        needed = f"with the labels {', '.join(labels)}" if labels else "whose answers are numbers"
        raise ModelError(f"The model {name} was made for the task {task}; one {needed} is needed.")


def require_single_texts(classifier: Classifier, name: str) -> None:
    """Refuse a model that reads pairs, or whose answers are no labels.

    Args:
        classifier: The model.
        name: What the person called the model.

    Raises:
        ModelError: It does not put single texts into classes.
    """
    task = classifier.recipe.task
    if task not in tasks.task_ids() or not tasks.by_id(task).classifies_texts:
        raise ModelError(f"The model {name} was made for the task {task}; one that classifies single texts is needed.")
