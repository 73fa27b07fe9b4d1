"""Models computed by torch: checkpoints of ours, and models of the transformers library."""

import re
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn

from db.registry import tasks
from engine.base.errors import PrecisionError
from engine.checkpoints import checkpoint
from engine.checkpoints.card import read_card
from engine.families.classification import classifiers
from engine.families.span_qa import checkpoint as spans
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel, require_known
from engine.inference.models import ModelRef
from engine.inference.schemas import PlaygroundError
from engine.networks import low_memory, quantization, transformer_classifier
from engine.networks.classifier import Classifier
from engine.networks.neural_classifier import NeuralClassifier
from engine.recipes.loader import Recipe, validate
from engine.recipes.schema import SpanConfig

_LONGEST = 256
"""Tokens of a text or a pair that an external classifier reads."""

_VOCABULARIES = ("vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model", "tokenizer.model")

_HANGUL = re.compile("[가-힣]")
_WORDS = {
    "negative": 0,
    "neg": 0,
    "positive": 1,
    "pos": 1,
    "entailment": 0,
    "entail": 0,
    "neutral": 1,
    "contradiction": 2,
    "contradict": 2,
}
"""What models call their classes, and which of ours that is."""


def load(ref: ModelRef, precision: str = quantization.FLOAT32) -> Answerer | Classifier:
    """Read a model in a number format.

    Args:
        ref: Which.
        precision: See ``engine.networks.quantization``.

    Raises:
        CheckpointError: It is damaged or a pickle.
        ModelError: What lies under its adapter is missing.
        PrecisionError: The format cannot be had here, or does not suit the model.
        PlaygroundError: It is no model that can be tried.
    """
    quantization.require(precision)
    if ref.reads == "qa":
        return _external_answerer(ref, precision)
    return _external_classifier(ref, precision)


def of_checkpoint(folder: Path, precision: str = quantization.FLOAT32) -> Answerer | Classifier:
    """Read a checkpoint of ours in a number format.

    Raises:
        CheckpointError: It is damaged or a pickle.
        ModelError: What lies under its adapter is missing.
        PrecisionError: The format cannot be had here, or does not suit the model.
    """
    quantization.require(precision)
    if isinstance(read_card(folder).recipe.model, SpanConfig):
        return spans.load(folder, precision)
    model = classifiers.load(folder)
    if isinstance(model, NeuralClassifier):
        quantization.apply(model.model, precision)
    elif precision != quantization.FLOAT32:
        raise PrecisionError(
            f"{model.recipe.label} is not a neural network; it computes in {quantization.FLOAT32} only."
        )
    return model


def _external_answerer(ref: ModelRef, precision: str) -> Answerer:
    from transformers import AutoModelForQuestionAnswering  # noqa: PLC0415 - only a foreign model needs it

    tokenizer = _tokenizer(ref)
    model = SpanModel(low_memory.load(AutoModelForQuestionAnswering, ref.folder, precision, trained=True))
    require_known(model, tokenizer, ref.name)
    korean = _is_korean(tokenizer)
    longest = min(384, model.positions or 384)
    facts = {
        "task": "korquad" if korean else "squad",
        "language": "ko" if korean else "en",
        "mini_task": "qa-ko-mini" if korean else "qa-en-mini",
        "model": {"kind": "span", "source": str(ref.folder)},
        "qa": {"max_length": longest, "stride": longest // 3, "question_length": max(1, longest // 6)},
    }
    return Answerer(_recipe(facts, ref), _fingerprint(ref.folder), model, tokenizer)


def _external_classifier(ref: ModelRef, precision: str) -> Classifier:
    from transformers import AutoModelForSequenceClassification  # noqa: PLC0415 - see above

    inner: Any = low_memory.load(AutoModelForSequenceClassification, ref.folder, precision, trained=True)
    pair = ref.reads == "nli"
    labels = tasks.INFERENCE if pair else tasks.SENTIMENT
    longest = min(_LONGEST, transformer_classifier.positions(inner) or _LONGEST)
    tokenizer = _tokenizer(ref)
    tokenizer.enable_truncation(longest)
    network: nn.Module = transformer_classifier.PretrainedClassifier(
        inner, transformer_classifier.separator_of(tokenizer) if pair else None
    )
    facts = {
        "task": "mnli" if pair else "nsmc",
        "mini_task": "nli-en-mini" if pair else "reviews-ko-mini",
        "language": "ko" if _is_korean(tokenizer) else "en",
        "model": {"kind": "pretrained", "source": str(ref.folder), "num_labels": len(labels)},
        "tokenizer": {"max_length": longest},
    }
    order = _order(inner.config.id2label, len(labels))
    if order != list(range(len(labels))):
        network = _Reordered(network, order)
    return NeuralClassifier(_recipe(facts, ref), _fingerprint(ref.folder), network.eval(), tokenizer)


class _Reordered(nn.Module):
    """A classifier with its classes in our order."""

    def __init__(self, inner: nn.Module, order: list[int]) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("order", torch.tensor(order), persistent=False)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits, shape (batch, labels)."""
        logits: torch.Tensor = self.inner(ids, lengths)
        return logits[:, self.order]  # type: ignore[index]


def _order(labels: dict[int, str], count: int) -> list[int]:
    """The index of each of our labels among those of a model; unchanged where its names are not known."""
    words = {int(index): str(name).strip().lower() for index, name in labels.items()}
    index_of = {_WORDS[word]: index for index, word in words.items() if word in _WORDS}
    return [index_of[label] for label in range(count)] if sorted(index_of) == list(range(count)) else list(range(count))


def _is_korean(tokenizer: Tokenizer) -> bool:
    """Whether more than a twentieth of a vocabulary is written in Hangul: English ones have single letters of it."""
    return sum(bool(_HANGUL.search(token)) for token in tokenizer.get_vocab()) * 20 > tokenizer.get_vocab_size()


def _recipe(facts: dict[str, Any], ref: ModelRef) -> Recipe:
    names = {"name": "foreign", "label": ref.name[:80], "family": "Other", "summary": "a model from elsewhere"}
    return validate({**names, **facts, "train": {"epochs": 1, "batch_size": 1, "lr": 1e-5}}, ref.name)


def _tokenizer(ref: ModelRef) -> Tokenizer:
    file = ref.folder / checkpoint.TOKENIZER
    if file.is_file():
        try:
            return Tokenizer.from_file(str(file))
        except Exception as error:  # tokenizers raises bare Exception
            raise PlaygroundError(f"{ref.name}: tokenizer.json cannot be read ({error}).") from error
    # The library makes up an empty one where there is none.
    if not any((ref.folder / name).is_file() for name in _VOCABULARIES):
        raise PlaygroundError(
            f"{ref.name}: there is no tokenizer beside the weights; one of "
            f"{', '.join((checkpoint.TOKENIZER, *_VOCABULARIES))} is needed."
        )
    return transformer_classifier.tokenizer(str(ref.folder), _LONGEST)


def _fingerprint(folder: Path) -> str:
    return checkpoint.sha256(sorted(folder.glob("*.safetensors"))[0])
