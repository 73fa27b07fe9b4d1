"""Transformers with a classification head, from the hub or a folder, called like our own models.

The library is imported where a model of it is made: a model of ours answers a second sooner without it.
"""

from collections.abc import Mapping
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import nn

from engine.base.errors import ModelError, RecipeError
from engine.networks.sources import DROPOUTS, quiet, source_error
from engine.recipes.schema import PretrainedConfig

SEPARATOR, HEAD = "separator", "head"
"""Keys of a card in addition to those of the transformers configuration."""


class PretrainedClassifier(nn.Module):
    """A sequence classifier of the transformers library, called with token ids and lengths.

    Attributes:
        separator: The token that ends the first text of a pair, for a model with token types; None: no token types.
    """

    def __init__(self, inner: Any, separator: int | None = None) -> None:
        """Wrap a model of ``AutoModelForSequenceClassification``."""
        super().__init__()
        self.inner, self.separator = inner, separator

    @property
    def facts(self) -> dict[str, Any]:
        """The configuration from which ``from_facts`` builds the same architecture; it names no folder."""
        facts = {**self.inner.config.to_dict(), "model_type": self.inner.config.model_type}
        facts.pop("_name_or_path", None)
        return facts if self.separator is None else {**facts, SEPARATOR: self.separator}

    def attend_by_products(self) -> None:
        """Compute attention as two products with a softmax between, not fused.

        The backward pass of PyTorch's fused attention is slow in bfloat16 on a CPU. Both are compared on pairs by
        ``tests/benchmarks/training/test_finetuning.py``.
        """
        self.inner.set_attn_implementation("eager")

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Logits of a batch, shape (batch, num_labels); see ``BiLSTMClassifier.forward``."""
        # Without padding there is nothing to mask, and attention is faster without a mask.
        return self.masked(ids, _mask(ids, lengths) if int(lengths.min()) < ids.shape[1] else None)

    def masked(self, ids: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Logits of a batch, shape (batch, num_labels).

        Args:
            ids: Token ids, shape (batch, tokens).
            mask: True except for padding, shape (batch, tokens); None: nothing is padding.
        """
        logits: torch.Tensor = self.inner(**self._inputs(ids, mask)).logits
        return logits

    def _inputs(self, ids: torch.Tensor, mask: torch.Tensor | None) -> dict[str, torch.Tensor]:
        inputs: dict[str, torch.Tensor] = {"input_ids": ids}
        if self.separator is not None and getattr(self.inner.config, "type_vocab_size", 0) >= 2:
            inputs["token_type_ids"] = token_types(ids, self.separator)
        if mask is not None:
            inputs["attention_mask"] = mask.long()
        return inputs


class PairClassifier(PretrainedClassifier):
    """An encoder that reads both texts of a pair together, and one linear layer over u, v, |u - v| and u * v.

    ``u`` and ``v`` are the mean states of the two texts, special tokens included; ``v`` of a single text is 0. The
    features are those of InferSent (Conneau et al. 2017), the states those of a cross-encoder. The means of a sentence
    encoder hold its knowledge of similarity, which a layer over the first token would have to learn again.
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

    def masked(self, ids: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """Logits of a batch; see ``PretrainedClassifier.masked``."""
        states = self.inner(**self._inputs(ids, mask)).last_hidden_state.float()
        real = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        second = token_types(ids, self.separator).bool() if self.separator is not None else torch.zeros_like(real)
        u, v = _mean(states, real & ~second), _mean(states, real & second)
        features = torch.cat([u, v, (u - v).abs(), u * v], dim=-1)
        weight = getattr(self.classifier, "weight", features)  # an int8 layer has none and takes float32
        logits: torch.Tensor = self.classifier(features.to(weight.dtype))
        return logits


def _mask(ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """True except for padding, shape (batch, tokens)."""
    return torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device).unsqueeze(1)


def _mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean of the states in the mask, shape (batch, width); 0 where it is empty."""
    weights = mask.to(states.dtype).unsqueeze(-1)
    total: torch.Tensor = (states * weights).sum(dim=1)
    return total / weights.sum(dim=1).clamp(min=1)


def token_types(ids: torch.Tensor, separator: int) -> torch.Tensor:
    """1 for tokens after the first separator, 0 up to it, shape (batch, tokens)."""
    ends = (ids == separator).long()
    return (ends.cumsum(dim=1) - ends).clamp(max=1)


def start(config: PretrainedConfig, source: str, max_length: int, *, pairs: bool) -> PretrainedClassifier:
    """Build the network from which a fine-tuning starts.

    Args:
        config: The recipe's model section.
        source: A folder or a hub id; see ``engine.networks.sources``.
        max_length: Tokens of the longest text in training and inference.
        pairs: The texts are pairs.

    Raises:
        ModelError: See ``from_source``.
        RecipeError: The model has fewer positions than ``max_length``.
    """
    model = from_source(
        source,
        config.num_labels,
        random=config.init == "random",
        named=config.source,
        dropout=config.dropout,
        head=config.head,
    )
    limit = positions(model.inner)
    if limit is not None and max_length > limit:
        raise RecipeError(
            f"tokenizer.max_length = {max_length}: {config.source} has positions for {limit} tokens. Use at most "
            f"--set tokenizer.max_length={limit}."
        )
    if pairs and (config.head == "pair" or getattr(model.inner.config, "type_vocab_size", 0) >= 2):
        model.separator = separator_of(tokenizer(source, max_length))
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
    """Load the safetensors of a hub id or a folder in single precision; a missing classification head is random.

    Args:
        source: A hub id or a folder.
        num_labels: Classes.
        random: Load only the architecture; its random weights depend on torch's seed.
        named: The recipe's name for the source.
        dropout: Everywhere in the encoder; None: the source's own.
        head: See a recipe's ``model.head``.

    Raises:
        ModelError: It was not found, is a pickle, or is not a model; the message says what to do.
    """
    from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification  # noqa: PLC0415 - see above

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
        raise ModelError(source_error(named or source, error, "classifier")) from error
    return PairClassifier(inner, num_labels) if head == "pair" else PretrainedClassifier(inner)


def from_facts(facts: Mapping[str, Any]) -> PretrainedClassifier:
    """Build the architecture with random weights."""
    from transformers import AutoConfig, AutoModel, AutoModelForSequenceClassification  # noqa: PLC0415 - see above

    settings = {key: value for key, value in facts.items() if key not in {"model_type", SEPARATOR, HEAD}}
    config = AutoConfig.for_model(facts["model_type"], **settings)
    if facts.get(HEAD) == "pair":
        encoder = AutoModel.from_config(config, dtype=torch.float32)
        return PairClassifier(encoder, config.num_labels, facts.get(SEPARATOR))
    inner = AutoModelForSequenceClassification.from_config(config, dtype=torch.float32)
    return PretrainedClassifier(inner, facts.get(SEPARATOR))


def positions(inner: nn.Module) -> int | None:
    """Tokens of the longest text that a model can read; None where there is no limit."""
    for name, module in inner.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, nn.Embedding):
            # RoBERTa counts positions from the number after its padding token.
            unused = module.padding_idx + 1 if module.padding_idx is not None else 0
            return module.num_embeddings - unused
    return None


def tokenizer(source: str, max_length: int) -> Tokenizer:
    """Load the tokenizer of a hub id or a folder; it cuts texts before their closing token.

    Raises:
        ModelError: There is none, or none with a fast form.
    """
    from transformers import AutoTokenizer  # noqa: PLC0415 - see above

    try:
        loaded: Tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
    except Exception as error:
        raise ModelError(source_error(source, error, "classifier")) from error
    loaded.no_padding()
    loaded.enable_truncation(max_length)
    return loaded


def separator_of(pair_tokenizer: Tokenizer) -> int | None:
    """The token before the second text of a pair; None for a tokenizer without token types."""
    pair = pair_tokenizer.encode("a", "b")
    return int(pair.ids[pair.type_ids.index(1) - 1]) if 1 in pair.type_ids else None
