"""Logistic regression over character n-grams: hardly any theory, no words, and hard to beat on short reviews.

With TF-IDF weights it is the classical baseline of text classification (Wang and Manning 2012 for the sentiment of
short reviews); scikit-learn does the counting and the fitting.
"""

import json
import time
import unicodedata
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from db.runs.writer import Artifact
from engine.base.errors import CheckpointError, RecipeError
from engine.checkpoints import checkpoint
from engine.checkpoints.checkpoint import Card
from engine.networks.classifier import BATCH, Classifier, Prepared, Texts
from engine.recipes.loader import Recipe
from engine.recipes.schema import NgramConfig

NGRAMS = "ngrams.json"


class NgramClassifier(Classifier):
    """A fitted logistic regression over n-grams."""

    def __init__(
        self,
        recipe: Recipe,
        sha256: str,
        ngrams: list[str],
        idf: NDArray[np.float32],
        weights: NDArray[np.float32],
        bias: NDArray[np.float32],
    ) -> None:
        """Take what was learned.

        Args:
            recipe: With an ``NgramConfig``.
            sha256: Hash of the weights.
            ngrams: One per feature.
            idf: Inverse document frequencies, shape (features,).
            weights: Shape (labels, features).
            bias: Shape (labels,).
        """
        super().__init__(recipe, sha256)
        self.ngrams, self.idf, self.weights, self.bias = ngrams, idf, weights, bias
        self._counter = _vectorizer(_config(recipe), {ngram: position for position, ngram in enumerate(ngrams)})
        self._counter.idf_ = idf

    @property
    def params(self) -> int:
        """Weights, biases and the document frequencies that scale the counts."""
        return int(self.weights.size + self.bias.size + self.idf.size)

    def prepare(self, texts: Texts) -> Prepared:
        """Nothing can be done once: counting is the work."""
        joined = _joined(texts)

        def forward(index: NDArray[np.int64]) -> NDArray[np.float32]:
            counts = self._counter.transform([joined[i] for i in index])
            return np.asarray(counts @ self.weights.T + self.bias, dtype=np.float32)

        step = BATCH * 16  # the vectorizer's own overhead is large
        order = [np.arange(start, min(start + step, len(joined))) for start in range(0, len(joined), step)]
        return Prepared(len(joined), forward, order)


def fit(recipe: Recipe, texts: Texts, labels: NDArray[np.int64], folder: Path) -> tuple[list[Artifact], float]:
    """Fit the recipe's regression and write its checkpoint.

    Args:
        recipe: With an ``NgramConfig``.
        texts: The training examples.
        labels: Their classes, shape (examples,).
        folder: Of the checkpoint.

    Returns:
        The checkpoint's files, and the seconds that the fitting took.

    Raises:
        RecipeError: A class has no example, or no n-gram occurs often enough.
    """
    started = time.monotonic()
    config = _config(recipe)
    counter = _vectorizer(config)
    present = len(np.unique(labels))
    if present < config.num_labels:
        raise RecipeError(f"{recipe.name}: the examples hold {present} of the {config.num_labels} classes.")
    try:
        counts: csr_matrix = counter.fit_transform(_joined(texts))
    except ValueError:
        raise RecipeError(
            f"{recipe.name}: no n-gram occurs in model.min_texts = {config.min_texts} of the {len(texts)} texts."
        ) from None
    # liblinear is the quickest for two classes, and knows only two.
    solver = "liblinear" if config.num_labels == 2 else "lbfgs"
    model = LogisticRegression(C=config.inverse_penalty, solver=solver, max_iter=1000, random_state=recipe.seed)
    model.fit(counts, labels)
    weights, bias = model.coef_, model.intercept_
    if config.num_labels == 2:  # one row of log-odds becomes two of logits
        weights, bias = np.concatenate([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
    tensors = {
        "idf": torch.from_numpy(counter.idf_.astype(np.float32)),
        "weight": torch.from_numpy(weights.astype(np.float32)),
        "bias": torch.from_numpy(bias.astype(np.float32)),
    }
    ngrams = json.dumps(counter.get_feature_names_out().tolist(), ensure_ascii=False)
    seconds = time.monotonic() - started
    return checkpoint.save(folder, recipe, tensors, {NGRAMS: ngrams}), seconds


def load(folder: Path, card: Card) -> NgramClassifier:
    """Read a checkpoint.

    Raises:
        CheckpointError: Missing, damaged, or weights that do not fit the n-grams.
    """
    tensors = checkpoint.read_weights(folder, card)
    try:
        ngrams = [str(ngram) for ngram in json.loads((folder / NGRAMS).read_text("utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise CheckpointError(f"{folder}: the n-grams cannot be read ({error}).") from error
    labels = card.recipe.num_labels
    shapes = {"idf": (len(ngrams),), "weight": (labels, len(ngrams)), "bias": (labels,)}
    checkpoint.require_shapes(folder, tensors, shapes)
    return NgramClassifier(
        card.recipe,
        card.sha256,
        ngrams,
        tensors["idf"].float().numpy(),
        tensors["weight"].float().numpy(),
        tensors["bias"].float().numpy(),
    )


def _config(recipe: Recipe) -> NgramConfig:
    if not isinstance(recipe.model, NgramConfig):
        raise TypeError(recipe.model.kind)
    return recipe.model


def _vectorizer(config: NgramConfig, vocabulary: dict[str, int] | None = None) -> TfidfVectorizer:
    return TfidfVectorizer(
        analyzer="char",
        ngram_range=(config.shortest, config.longest),
        min_df=config.min_texts,
        sublinear_tf=True,
        dtype=np.float32,
        preprocessor=_letters if config.jamo else _syllables,
        vocabulary=vocabulary,
    )


def _syllables(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _letters(text: str) -> str:
    return unicodedata.normalize("NFD", text).lower()


def _joined(texts: Texts) -> list[str]:
    """A pair becomes one text, with a separator that no n-gram of a single text holds."""
    return ["\u241e".join(text) for text in texts]
