"""A BERT or DistilBERT that names hidden words, read from and written in the form of the transformers library.

The head computes logits where they are asked for alone: over a vocabulary of 30,000 tokens it costs more than several
layers.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional
from transformers import AutoConfig, AutoModel, AutoModelForMaskedLM, AutoTokenizer, DistilBertConfig, DistilBertModel
from transformers.activations import ACT2FN

from engine.base.errors import ModelError
from engine.checkpoints import checkpoint
from engine.families.masked_lm.blocks import Vocabulary
from engine.networks import sources
from engine.networks.sources import quiet, source_error

_HEADS = {
    "bert": {
        "dense": "cls.predictions.transform.dense",
        "norm": "cls.predictions.transform.LayerNorm",
        "bias": "cls.predictions.bias",
    },
    "distilbert": {"dense": "vocab_transform", "norm": "vocab_layer_norm", "bias": "vocab_projector.bias"},
}
"""What the parts of the head are called, by the type of the model."""

_ARCHITECTURES = {"bert": "BertForMaskedLM", "distilbert": "DistilBertForMaskedLM"}
_NEEDS = "encoder"


class MaskedLM(nn.Module):
    """An encoder with a head: dense layer, activation, layer norm, and the word embeddings as output layer.

    Attributes:
        encoder: A ``BertModel``, without pooler unless there are pairs, or a ``DistilBertModel``.
        extra_heads: Tensors of further heads, by our names and those of the transformers library.
    """

    extra_heads: Mapping[str, str] = {}

    def __init__(self, encoder: Any, *, frozen: bool = False) -> None:
        """Put a fresh head on an encoder.

        Args:
            encoder: See the class.
            frozen: The encoder stays as it is, and drops nothing out: only the head learns.
        """
        super().__init__()
        config = encoder.config
        self.encoder, self.frozen = encoder, frozen
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.norm = nn.LayerNorm(config.hidden_size, eps=getattr(config, "layer_norm_eps", 1e-12))
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.activation = ACT2FN[config.activation if config.model_type == "distilbert" else config.hidden_act]
        nn.init.normal_(self.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.dense.bias)
        if frozen:
            encoder.requires_grad_(False)
            encoder.eval()

    def train(self, mode: bool = True) -> Self:
        """Switch dropout on or off; a frozen encoder never drops anything."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def hidden(self, ids: torch.Tensor, lengths: torch.Tensor, types: torch.Tensor | None = None) -> torch.Tensor:
        """The last hidden states of a batch.

        Args:
            ids: Token ids, shape (batch, tokens), padded at the end.
            lengths: True lengths on the CPU, shape (batch,).
            types: Segments, shape (batch, tokens); None where there is one, and for an encoder that knows none.

        Returns:
            Shape (batch, tokens, width).
        """
        mask = None if int(lengths.min()) == ids.shape[1] else within(ids, lengths).long()
        segments = {} if types is None else {"token_type_ids": types}
        states: torch.Tensor = self.encoder(input_ids=ids, attention_mask=mask, **segments).last_hidden_state
        return states

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """Logits over the vocabulary, shape (tokens, vocabulary), of hidden states of shape (tokens, width)."""
        named = self.norm(self.activation(self.dense(states)))
        return functional.linear(named, self.encoder.get_input_embeddings().weight, self.bias)

    def card(self) -> tuple[Any, str]:
        """The configuration under which the transformers library reads the whole network, and its class there."""
        config = self.encoder.config
        return config, _ARCHITECTURES[config.model_type]

    def forward(
        self, ids: torch.Tensor, lengths: torch.Tensor, where: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Hidden states of all tokens, and logits of some.

        Args:
            ids: See ``hidden``.
            lengths: See ``hidden``.
            where: Tokens whose logits are wanted, shape (batch, tokens), bool; None: of none.
        """
        states = self.hidden(ids, lengths)
        return states, self.logits(states[where]) if where is not None else None


def within(ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """Which tokens are no padding, shape (batch, tokens)."""
    return torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device).unsqueeze(1)


def without_head(source: str, named: str, *, frozen: bool = True, dropout: float | None = None) -> MaskedLM:
    """A pretrained encoder with a fresh head.

    Args:
        source: A folder or a hub id.
        named: What the recipe calls it.
        frozen: The encoder stays as it is.
        dropout: Everywhere in it; None: its own.

    Raises:
        ModelError: It cannot be had, or is neither BERT nor DistilBERT.
    """
    try:
        with quiet():
            config = AutoConfig.from_pretrained(source)
            for name in sources.DROPOUTS if dropout is not None else ():
                if hasattr(config, name):
                    setattr(config, name, dropout)
            encoder = AutoModel.from_pretrained(source, config=config, use_safetensors=True, dtype=torch.float32)
    except Exception as error:
        raise ModelError(source_error(named, error, _NEEDS)) from error
    _require_known(encoder.config, named)
    if encoder.config.model_type == "bert":
        encoder.pooler = None
    return MaskedLM(encoder, frozen=frozen)


def with_head(source: str, named: str) -> MaskedLM:
    """A pretrained encoder with the head that it was pretrained with.

    Raises:
        ModelError: It cannot be had, is neither BERT nor DistilBERT, or has no such head.
    """
    try:
        with quiet():
            whole, about = AutoModelForMaskedLM.from_pretrained(
                source, use_safetensors=True, dtype=torch.float32, output_loading_info=True
            )
    except Exception as error:
        raise ModelError(source_error(named, error, "masked-language model")) from error
    _require_known(whole.config, named)
    parts = _HEADS[whole.config.model_type]
    lacking = sorted(name for name in about["missing_keys"] if name.startswith(tuple(parts.values())))
    if lacking:
        raise ModelError(
            f"{named}: it has no head that names hidden words ({lacking[0]} is missing). A recipe of model.kind = "
            "'masked-lm' fits one: model.source = masked-lm:RECIPE."
        )
    model = MaskedLM(whole.base_model)
    state = whole.state_dict()
    head = {name: state[theirs] for name, theirs in _head_names(model).items()}
    model.load_state_dict(
        {**{f"encoder.{name}": tensor for name, tensor in model.encoder.state_dict().items()}, **head}
    )
    return model


def distilbert(config: Mapping[str, Any]) -> MaskedLM:
    """A DistilBERT with random weights and a fresh head; they depend on torch's seed."""
    return MaskedLM(DistilBertModel(DistilBertConfig(**config)))


def vocabulary(source: str, named: str, size: int) -> Vocabulary:
    """The tokenizer of a model that names hidden words.

    One without [CLS] and [SEP] has its first and last token for them, as in RoBERTa; one without [MASK], as where the
    vocabulary was cut to what texts use, hides words behind its unknown token.

    Args:
        source: A folder or a hub id.
        named: What the recipe calls it.
        size: Rows of the network's vocabulary.

    Raises:
        ModelError: It has no fast form, no [MASK], or tokens that the network does not know.
    """
    try:
        tokenizer = AutoTokenizer.from_pretrained(source)
        backend = tokenizer.backend_tokenizer
    except Exception as error:
        raise ModelError(source_error(named, error, "tokenizer")) from error
    first, last, mask = (
        next((number for name in names if (number := getattr(tokenizer, f"{name}_token_id")) is not None), None)
        for names in (("cls", "bos"), ("sep", "eos"), ("mask", "unk"))
    )
    if first is None or last is None or mask is None:
        raise ModelError(f"{named}: its tokenizer names no [CLS], [SEP] or [MASK]; hidden words need all three.")
    if len(tokenizer) > size:
        raise ModelError(f"{named}: its tokenizer has {len(tokenizer)} tokens, its network {size}; they do not fit.")
    backend.no_padding()
    backend.no_truncation()
    return Vocabulary(backend, first, last, mask, frozenset(tokenizer.all_special_ids), size)


def save(model: MaskedLM, folder: Path, source: str) -> None:
    """Write weights, configuration and tokenizer so that the transformers library reads them.

    Args:
        model: On any processor.
        folder: Made where it is missing.
        source: The folder or hub id of the tokenizer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    config, whole = model.card()
    kind = config.model_type
    tensors = {f"{kind}.{name}": tensor for name, tensor in model.encoder.state_dict().items()}
    own = model.state_dict()
    tensors |= {theirs: own[name] for name, theirs in _head_names(model).items()}
    extra_heads = getattr(model, "extra_heads", {})
    tensors |= {theirs: own[name] for name, theirs in extra_heads.items()}
    save_file(
        {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()},
        folder / checkpoint.WEIGHTS,
        metadata={"format": "pt"},
    )
    about = config.__class__.from_dict({**config.to_dict(), "architectures": [whole]})
    about.name_or_path = ""
    about.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def _head_names(model: MaskedLM) -> dict[str, str]:
    """The names of the head's tensors, ours and theirs."""
    parts = _HEADS[model.encoder.config.model_type]
    return {
        **{f"{part}.{name}": f"{parts[part]}.{name}" for part in ("dense", "norm") for name in ("weight", "bias")},
        "bias": parts["bias"],
    }


def _require_known(config: Any, named: str) -> None:
    if config.model_type not in _HEADS:
        raise ModelError(f"{named}: a {config.model_type} cannot be taken apart; BERT and DistilBERT can.")
    if getattr(config, "position_embedding_type", None) not in {None, "absolute"}:
        raise ModelError(
            f"{named}: its positions are {config.position_embedding_type}; a DistilBERT has absolute ones."
        )
