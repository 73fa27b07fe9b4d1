"""Transformers with a classification head, from the hub or a folder, behind the interface of our own models."""

from collections.abc import Mapping
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification, AutoTokenizer

from engine.base.errors import ModelError, RecipeError
from engine.networks.sources import DROPOUTS, quiet, told
from engine.recipes.schema import PretrainedConfig

SEPARATOR, HEAD = "separator", "head"
"""Keys of a card beside those of the transformers configuration."""


class PretrainedClassifier(nn.Module):
    """A sequence classifier of the transformers library, called with token ids and lengths.

    Attributes:
        separator: The token that ends the first text of a pair, for a model that tells the two apart; None: all tokens
            belong to one text.
    """

    def __init__(self, inner: Any, separator: int | None = None) -> None:
        """Wrap a model of ``AutoModelForSequenceClassification``."""
        super().__init__()
        self.inner, self.separator = inner, separator

    @property
    def facts(self) -> dict[str, Any]:
        """The configuration that ``from_facts`` builds the same architecture from; it names no folder."""
        facts = {**self.inner.config.to_dict(), "model_type": self.inner.config.model_type}
        facts.pop("_name_or_path", None)
        return facts if self.separator is None else {**facts, SEPARATOR: self.separator}

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits of a batch, shape (batch, num_labels); see ``BiLSTMClassifier.forward``."""
        logits: torch.Tensor = self.inner(**self.inputs(ids, lengths)).logits
        return logits

    def inputs(self, ids: torch.Tensor, lengths: torch.Tensor) -> dict[str, torch.Tensor]:
        """What the library's model is called with."""
        inputs: dict[str, torch.Tensor] = {"input_ids": ids}
        if self.separator is not None and getattr(self.inner.config, "type_vocab_size", 0) >= 2:
            inputs["token_type_ids"] = second(ids, self.separator)
        # Without padding there is nothing to mask, and attention is faster without a mask.
        if int(lengths.min()) < ids.shape[1]:
            inputs["attention_mask"] = _inside(ids, lengths).long()
        return inputs


class PairClassifier(PretrainedClassifier):
    """An encoder that reads a pair at once, and one linear layer over u, v, |u - v| and u * v.

    ``u`` and ``v`` are the means of the states of the two texts, their special tokens included. The features are those
    of InferSent (Conneau et al. 2017), the states those of a cross-encoder. An encoder of sentences knows which of them
    mean the same before it learns what entailment is, and keeps that in its means: a layer over the first token has to
    learn it anew. Of a single text ``v`` is 0.
    """

    def __init__(self, encoder: Any, num_labels: int, separator: int | None = None) -> None:
        """Put a new layer on an encoder of ``AutoModel``; its pooler is left out."""
        super().__init__(encoder, separator)
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None
        width = int(encoder.config.hidden_size)
        self.classifier = nn.Linear(4 * width, num_labels)
        nn.init.normal_(self.classifier.weight, std=0.02)
        nn.init.zeros_(self.classifier.bias)

    @property
    def facts(self) -> dict[str, Any]:
        """See ``PretrainedClassifier``."""
        return {**super().facts, HEAD: "pair"}

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits of a batch; see ``PretrainedClassifier.forward``."""
        states = self.inner(**self.inputs(ids, lengths)).last_hidden_state.float()
        inside = _inside(ids, lengths)
        behind = second(ids, self.separator).bool() if self.separator is not None else torch.zeros_like(inside)
        u, v = _mean(states, inside & ~behind), _mean(states, inside & behind)
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        weight = getattr(self.classifier, "weight", features)  # a layer in int8 has no such thing and takes float32
        logits: torch.Tensor = self.classifier(features.to(weight.dtype))
        return logits


def _inside(ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """True for every token that is no padding, shape (batch, tokens)."""
    return torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device).unsqueeze(1)


def _mean(states: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """Mean of the chosen states, shape (batch, width); 0 where none is chosen."""
    weights = chosen.to(states.dtype).unsqueeze(-1)
    total: torch.Tensor = (states * weights).sum(dim=1)
    return total / weights.sum(dim=1).clamp(min=1)


def second(ids: torch.Tensor, separator: int) -> torch.Tensor:
    """1 for every token behind the first separator, 0 up to it, shape (batch, tokens)."""
    ends = (ids == separator).long()
    return (ends.cumsum(dim=1) - ends).clamp(max=1)


def start(config: PretrainedConfig, place: str, max_length: int, *, pairs: bool) -> PretrainedClassifier:
    """The network that a fine-tuning starts from.

    Args:
        config: The recipe's model section.
        place: A folder or a hub id; see ``engine.networks.sources``.
        max_length: Tokens of the longest text that it will be given.
        pairs: The texts are pairs.

    Raises:
        ModelError: See ``from_source``.
        RecipeError: The model has fewer positions than ``max_length``.
    """
    model = from_source(
        place,
        config.num_labels,
        random=config.init == "random",
        named=config.source,
        dropout=config.dropout,
        head=config.head,
    )
    most = positions(model.inner)
    if most is not None and max_length > most:
        raise RecipeError(
            f"tokenizer.max_length = {max_length}: {config.source} has positions for {most} tokens. Use at most "
            f"--set tokenizer.max_length={most}."
        )
    if pairs and (config.head == "pair" or getattr(model.inner.config, "type_vocab_size", 0) >= 2):
        model.separator = separator_of(tokenizer(place, max_length))
    return model


def from_source(
    source: str,
    num_labels: int,
    *,
    random: bool = False,
    named: str = "",
    dropout: float | None = None,
    head: str = "own",
) -> PretrainedClassifier:
    """The weights of a hub id or a folder, in safetensors; a missing classification head starts at random.

    Weights that are stored in half precision are trained in single precision.

    Args:
        source: A hub id or a folder.
        num_labels: Classes.
        random: Take the architecture alone, with random weights; they depend on torch's seed.
        named: What the recipe calls the source.
        dropout: Everywhere in the encoder; None: the source's own.
        head: As a recipe's ``model.head``.

    Raises:
        ModelError: It is in neither place, is a pickle, or is not a model; the message says what to do.
    """
    kind = AutoModel if head == "pair" else AutoModelForSequenceClassification
    try:
        with quiet():
            config = AutoConfig.from_pretrained(source, num_labels=num_labels)
            for name in DROPOUTS if dropout is not None else ():
                if hasattr(config, name):
                    setattr(config, name, dropout)
            if random:
                inner = kind.from_config(config, dtype=torch.float32)
            else:
                inner = kind.from_pretrained(
                    source, config=config, use_safetensors=True, ignore_mismatched_sizes=True, dtype=torch.float32
                )
    except Exception as error:
        raise ModelError(told(named or source, error, "classifier")) from error
    return PairClassifier(inner, num_labels) if head == "pair" else PretrainedClassifier(inner)


def from_facts(facts: Mapping[str, Any]) -> PretrainedClassifier:
    """The architecture alone, with random weights."""
    settings = {key: value for key, value in facts.items() if key not in {"model_type", SEPARATOR, HEAD}}
    config = AutoConfig.for_model(facts["model_type"], **settings)
    if facts.get(HEAD) == "pair":
        encoder = AutoModel.from_config(config, dtype=torch.float32)
        return PairClassifier(encoder, config.num_labels, facts.get(SEPARATOR))
    inner = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32)
    return PretrainedClassifier(inner, facts.get(SEPARATOR))


def positions(inner: nn.Module) -> int | None:
    """Tokens of the longest text that a model can read; None where its positions have no end."""
    for name, module in inner.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
            # RoBERTa counts from behind the number of its padding token.
            before = module.padding_idx + 1 if module.padding_idx is not None else 0
            return module.num_embeddings - before
    return None


def tokenizer(source: str, max_length: int) -> Tokenizer:
    """The tokenizer of a hub id or a folder, cutting texts so that the closing token stays.

    Raises:
        ModelError: None is there, or only one without a fast form.
    """
    try:
        found: Tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
    except Exception as error:
        raise ModelError(told(source, error, "classifier")) from error
    found.no_padding()
    found.enable_truncation(max_length)
    return found


def separator_of(found: Tokenizer) -> int | None:
    """The token after which a tokenizer counts the second text of a pair; None where it does not count."""
    pair = found.encode("a", "b")
    if 1 not in pair.type_ids:
        return None
    return int(pair.ids[pair.type_ids.index(1) - 1])
