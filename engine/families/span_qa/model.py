"""Transformers with a span head: two logits for every token, that it begins the answer and that it ends it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from tokenizers.processors import TemplateProcessing
from torch import nn
from transformers import AutoConfig, AutoModelForQuestionAnswering, AutoTokenizer

from engine.base.errors import ModelError, RecipeError
from engine.families.span_qa.windows import Window, padded
from engine.networks import quantization, sources
from engine.networks.architectures import count_parameters
from engine.recipes.schema import QAConfig, SpanConfig

_DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout", "qa_dropout")
"""What BERT's relatives call it."""


class SpanModel(nn.Module):
    """A model of ``AutoModelForQuestionAnswering``.

    Attributes:
        inner: The model of the transformers library.
        typed: It tells question and text apart by token types.
        positions: Tokens that it can see at once; None where there is no limit.
    """

    def __init__(self, inner: Any) -> None:
        """Wrap a model of the transformers library."""
        super().__init__()
        self.inner = inner
        # One type is no type, and DistilBERT knows none.
        self.typed = getattr(inner.config, "type_vocab_size", 0) > 1
        self.positions = _positions(inner)

    @property
    def facts(self) -> dict[str, Any]:
        """The configuration that ``from_facts`` builds the same architecture from; it names no folder."""
        facts = {**self.inner.config.to_dict(), "model_type": self.inner.config.model_type}
        facts.pop("_name_or_path", None)
        return facts

    @property
    def params(self) -> int:
        """Number of its parameters."""
        return count_parameters(self)

    @property
    def bytes(self) -> int:
        """Of its weights in memory."""
        return quantization.weight_bytes(self)

    @property
    def threads(self) -> int:
        """Processor threads that it computes with."""
        return torch.get_num_threads()

    @property
    def runtime(self) -> str:
        """What computes it."""
        return "torch"

    def forward(self, ids: torch.Tensor, types: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Start and end logits, shape (batch, tokens, 2); those of padding mean nothing.

        Args:
            ids: Token ids, shape (batch, tokens).
            types: 0 in the question, 1 in the text, shape (batch, tokens).
            lengths: True lengths, shape (batch,).
        """
        # Without padding there is nothing to mask, and attention is faster without a mask.
        if int(lengths.min()) == ids.shape[1]:
            return self.masked(ids, types, None)
        return self.masked(ids, types, torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device)[:, None])

    def masked(
        self, ids: torch.Tensor, types: torch.Tensor | None = None, mask: torch.Tensor | None = None
    ) -> torch.Tensor:
        """The same with a mask that is True except for padding, shape (batch, tokens); None: nothing is padding.

        A model that is not ``typed`` needs no types.
        """
        inputs: dict[str, torch.Tensor | None] = {"input_ids": ids}
        if self.typed:
            inputs["token_type_ids"] = types
        if mask is not None:
            inputs["attention_mask"] = mask.long()  # a Splinter calculates with it
        output = self.inner(**inputs)
        return torch.stack([output.start_logits, output.end_logits], dim=-1)

    @torch.inference_mode()
    def compute(
        self, ids: NDArray[np.int64], types: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """See ``answerer.SpanNetwork``; the model is in evaluation mode from then on."""
        if self.training:
            self.eval()
        where = next((tensor.device for tensor in self.parameters()), torch.device("cpu"))
        inputs = (torch.from_numpy(ids).to(where), torch.from_numpy(types).to(where), torch.from_numpy(lengths))
        logits: NDArray[np.float32] = self(*inputs).float().cpu().numpy()
        return logits


def from_source(config: SpanConfig, source: str, settings: QAConfig) -> SpanModel:
    """A span model on the encoder of a hub id or a folder; a missing head starts at random.

    Args:
        config: The recipe's model section.
        source: Where it lies; see ``engine.networks.sources``.
        settings: Its windows must fit the model's positions.

    Raises:
        ModelError: It is in no place, is a pickle, or is not a model.
        RecipeError: The windows are longer than the model's positions.
    """
    try:
        shape = AutoConfig.from_pretrained(source)
        if config.dropout is not None:
            for name in _DROPOUTS:
                if hasattr(shape, name):
                    setattr(shape, name, config.dropout)
        if config.init == "random":
            inner = AutoModelForQuestionAnswering.from_config(shape, dtype=torch.float32)
        else:
            with sources.quiet():
                inner = AutoModelForQuestionAnswering.from_pretrained(
                    source, config=shape, use_safetensors=True, dtype=torch.float32
                )
    except Exception as error:
        raise ModelError(sources.source_error(config.source, error, "encoder")) from error
    span_model = SpanModel(inner)
    if span_model.positions is not None and span_model.positions < settings.max_length:
        raise RecipeError(
            f"qa.max_length = {settings.max_length}: {config.source} has only {span_model.positions} positions."
        )
    return span_model


def _positions(inner: Any) -> int | None:
    limit = getattr(inner.config, "max_position_embeddings", None)
    if limit is None:
        return None
    # RoBERTa and its relatives begin to count behind the place of the padding.
    tables = [layer for name, layer in inner.named_modules() if name.endswith("position_embeddings")]
    padding = getattr(tables[0], "padding_idx", None) if tables else None
    return int(limit) - (0 if padding is None else padding + 1)


def from_facts(facts: Mapping[str, Any]) -> SpanModel:
    """The architecture alone, with random weights."""
    settings = {key: value for key, value in facts.items() if key != "model_type"}
    config = AutoConfig.for_model(facts["model_type"], **settings)
    return SpanModel(AutoModelForQuestionAnswering.from_config(config, dtype=torch.float32))


def tokenizer(config: SpanConfig, source: str) -> Tokenizer:
    """The tokenizer of a hub id or a folder.

    A Splinter reads the answer off the state of its question token (Ram et al. 2021), which is put behind the question.

    Raises:
        ModelError: None is there, or only one without a fast form.
    """
    try:
        made: Tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
        question = getattr(AutoConfig.from_pretrained(source), "question_token_id", None)
    except Exception as error:
        raise ModelError(sources.source_error(config.source, error, "tokenizer")) from error
    pair = made.encode("a", "b").ids
    if question is not None and question not in pair:
        first, last, asks = (made.id_to_token(token) for token in (pair[0], pair[-1], question))
        made.post_processor = TemplateProcessing(
            single=f"{first} $A {last}",
            pair=f"{first} $A {asks} {last} $B:1 {last}:1",
            special_tokens=[(first, pair[0]), (last, pair[-1]), (asks, question)],
        )
    return made


def require_known(span_model: SpanModel, tokenizer: Tokenizer, named: str) -> None:
    """Refuse a tokenizer whose tokens the network has no rows for.

    Raises:
        ModelError: With both numbers.
    """
    rows, tokens = span_model.inner.get_input_embeddings().num_embeddings, tokenizer.get_vocab_size()
    if tokens > rows:
        raise ModelError(f"{named}: its tokenizer has {tokens} tokens, its network {rows}; they do not fit.")


def batch(windows: Sequence[Window], index: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, types and lengths of some windows as tensors; see ``windows.padded``."""
    ids, types, lengths = padded(windows, index)
    return torch.from_numpy(ids), torch.from_numpy(types), torch.from_numpy(lengths)
