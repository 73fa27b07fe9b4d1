"""A choice as a model that computes: checkpoints of ours, and models of the transformers library."""

import re
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn

from db.registry import tasks
from engine.base.errors import PrecisionError
from engine.checkpoints import checkpoint
from engine.families.classification import classifiers
from engine.families.span_qa import checkpoint as spans
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.model import SpanModel, require_known
from engine.inference.errors import PlaygroundError
from engine.inference.models import CARD, Choice
from engine.networks import low_memory, quantization, transformer_classifier
from engine.networks.classifier import Classifier, NeuralClassifier
from engine.recipes.loader import Recipe, validate

_LONGEST = 256
"""Tokens of a text or a pair that a foreign classifier reads."""

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


def load(choice: Choice, wanted: str = quantization.FLOAT32) -> Answerer | Classifier:
    """Read a model in a number format.

    Args:
        choice: Which.
        wanted: See ``engine.networks.quantization``.

    Raises:
        CheckpointError: It is damaged or a pickle.
        ModelError: What lies under its adapter is missing.
        PrecisionError: The format cannot be had here, or does not suit the model.
        PlaygroundError: It is no model that can be tried.
    """
    quantization.require(wanted)
    if (choice.folder / CARD).is_file():
        return _ours(choice, wanted)
    if choice.reads == "qa":
        return _foreign_answerer(choice, wanted)
    return _foreign_classifier(choice, wanted)


def _ours(choice: Choice, wanted: str) -> Answerer | Classifier:
    if choice.reads == "qa":
        return spans.load(choice.folder).at(wanted)
    found = classifiers.load(choice.folder)
    if isinstance(found, NeuralClassifier):
        quantization.apply(found.model, wanted)
    elif wanted != quantization.FLOAT32:
        raise PrecisionError(f"{choice.name} is no network; it computes in {quantization.FLOAT32} only.")
    return found


def _foreign_answerer(choice: Choice, wanted: str) -> Answerer:
    from transformers import AutoModelForQuestionAnswering  # noqa: PLC0415 - only a foreign model needs it

    tokenizer = _tokenizer(choice)
    found = SpanModel(low_memory.load(AutoModelForQuestionAnswering, choice.folder, wanted, trained=True))
    require_known(found, tokenizer, choice.name)
    korean = _is_korean(tokenizer)
    longest = min(384, found.positions or 384)
    facts = {
        **_named(choice),
        "task": "korquad" if korean else "squad",
        "language": "ko" if korean else "en",
        "mini_task": "qa-ko-mini" if korean else "qa-en-mini",
        "model": {"kind": "span", "source": str(choice.folder)},
        "qa": {"max_length": longest, "stride": longest // 3, "question_length": max(1, longest // 6)},
    }
    return Answerer(_recipe(facts, choice), _fingerprint(choice.folder), found, tokenizer)


def _foreign_classifier(choice: Choice, wanted: str) -> Classifier:
    from transformers import AutoModelForSequenceClassification  # noqa: PLC0415 - see above

    inner: Any = low_memory.load(AutoModelForSequenceClassification, choice.folder, wanted, trained=True)
    pair = choice.reads == "nli"
    labels = tasks.INFERENCE if pair else tasks.SENTIMENT
    longest = min(_LONGEST, transformer_classifier.positions(inner) or _LONGEST)
    tokenizer = _tokenizer(choice)
    tokenizer.enable_truncation(longest)
    network: nn.Module = transformer_classifier.PretrainedClassifier(
        inner, transformer_classifier.separator_of(tokenizer) if pair else None
    )
    facts = {
        **_named(choice),
        "task": "mnli" if pair else "nsmc",
        "mini_task": "nli-en-mini" if pair else "reviews-ko-mini",
        "language": "ko" if _is_korean(tokenizer) else "en",
        "model": {"kind": "pretrained", "source": str(choice.folder), "num_labels": len(labels)},
        "tokenizer": {"max_length": longest},
    }
    order = _order(inner.config.id2label, len(labels))
    if order != list(range(len(labels))):
        network = _Reordered(network, order)
    return NeuralClassifier(_recipe(facts, choice), _fingerprint(choice.folder), network.eval(), tokenizer)


class _Reordered(nn.Module):
    """A classifier whose classes stand in our order."""

    def __init__(self, inner: nn.Module, order: list[int]) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("order", torch.tensor(order), persistent=False)

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits, shape (batch, labels)."""
        logits: torch.Tensor = self.inner(ids, lengths)
        return logits[:, self.order]  # type: ignore[index]


def _order(labels: dict[int, str], count: int) -> list[int]:
    """Where each of our classes stands among those of a model; as they are where its names say nothing."""
    found = {
        _WORDS[str(name).strip().lower()]: int(place)
        for place, name in labels.items()
        if str(name).strip().lower() in _WORDS
    }
    return [found[one] for one in range(count)] if sorted(found) == list(range(count)) else list(range(count))


def _is_korean(tokenizer: Tokenizer) -> bool:
    """Whether more than a twentieth of a vocabulary is written in Hangul: English ones have single letters of it."""
    return sum(bool(_HANGUL.search(token)) for token in tokenizer.get_vocab()) * 20 > tokenizer.get_vocab_size()


def _named(choice: Choice) -> dict[str, Any]:
    return {"name": "foreign", "label": choice.name[:80], "family": "Other", "summary": "a model from elsewhere"}


def _recipe(facts: dict[str, Any], choice: Choice) -> Recipe:
    return validate({**facts, "train": {"epochs": 1, "batch_size": 1, "lr": 1e-5}}, choice.name)


def _tokenizer(choice: Choice) -> Tokenizer:
    file = choice.folder / checkpoint.TOKENIZER
    if file.is_file():
        try:
            return Tokenizer.from_file(str(file))
        except Exception as error:  # tokenizers raises bare Exception
            raise PlaygroundError(f"{choice.name}: tokenizer.json cannot be read ({error}).") from error
    # The library makes up an empty one where there is none.
    if not any((choice.folder / name).is_file() for name in _VOCABULARIES):
        raise PlaygroundError(
            f"{choice.name}: there is no tokenizer beside the weights; one of "
            f"{', '.join((checkpoint.TOKENIZER, *_VOCABULARIES))} is needed."
        )
    return transformer_classifier.tokenizer(str(choice.folder), _LONGEST)


def _fingerprint(folder: Path) -> str:
    return checkpoint.sha256(sorted(folder.glob("*.safetensors"))[0])
