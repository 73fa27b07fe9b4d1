"""Transformers with a classification head, from the hub or a folder, behind the interface of our own models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

from engine.errors import ModelError


class PretrainedClassifier(nn.Module):
    """A sequence classifier of the transformers library, called with token ids and lengths."""

    def __init__(self, inner: Any) -> None:
        """Wrap a model of ``AutoModelForSequenceClassification``."""
        super().__init__()
        self.inner = inner

    @property
    def facts(self) -> dict[str, Any]:
        """The configuration that ``from_facts`` builds the same architecture from; it names no folder."""
        facts = {**self.inner.config.to_dict(), "model_type": self.inner.config.model_type}
        facts.pop("_name_or_path", None)
        return facts

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits of a batch, shape (batch, num_labels); see ``BiLSTMClassifier.forward``."""
        inside = torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device).unsqueeze(1)
        logits: torch.Tensor = self.inner(input_ids=ids, attention_mask=inside.long()).logits
        return logits


def from_source(source: str, num_labels: int) -> PretrainedClassifier:
    """The weights of a hub id or a folder, in safetensors; a missing classification head starts at random.

    Weights that are stored in half precision are trained in single precision.

    Raises:
        ModelError: It is in neither place, is a pickle, or is not a model; the message says what to do.
    """
    try:
        inner = AutoModelForSequenceClassification.from_pretrained(
            source, num_labels=num_labels, use_safetensors=True, ignore_mismatched_sizes=True, dtype=torch.float32
        )
    except Exception as error:
        raise ModelError(_told(source, error)) from error
    return PretrainedClassifier(inner)


def from_facts(facts: Mapping[str, Any]) -> PretrainedClassifier:
    """The architecture alone, with random weights."""
    settings = {key: value for key, value in facts.items() if key != "model_type"}
    config = AutoConfig.for_model(facts["model_type"], **settings)
    return PretrainedClassifier(AutoModelForSequenceClassification.from_config(config, dtype=torch.float32))


def tokenizer(source: str, max_length: int) -> Tokenizer:
    """The tokenizer of a hub id or a folder, cutting texts so that the closing token stays.

    Raises:
        ModelError: None is there, or only one without a fast form.
    """
    try:
        found: Tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
    except Exception as error:
        raise ModelError(_told(source, error)) from error
    found.no_padding()
    found.enable_truncation(max_length)
    return found


def _told(source: str, error: Exception) -> str:
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if Path(source).expanduser().is_dir():
        return f"{source}: the folder holds no usable classifier ({reason}). It needs config.json, weights in "\
               "safetensors and tokenizer.json; a pickle is never read."  # fmt: skip
    return (
        f"{source}: there is no folder of that name, and the hub did not give it ({reason}). Offline? Download it "
        "elsewhere and name its folder with --set model.source=FOLDER."
    )
