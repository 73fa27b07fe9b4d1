"""A BERT of our own: random weights, a head that names hidden words and, for pairs, one that tells what follows."""

import torch
from torch import nn
from transformers import BertConfig as Shape
from transformers import BertModel

from engine.families.masked_lm.network import MaskedLM
from engine.recipes.schema import BertConfig

FOLLOWS = {"follows.weight": "cls.seq_relationship.weight", "follows.bias": "cls.seq_relationship.bias"}
"""What the head for pairs is called, here and by the transformers library."""


class TextBert(MaskedLM):
    """Names hidden words; with pairs it also tells whether the second text follows the first (Devlin et al. 2019).

    Attributes:
        follows: Two logits, "follows" and "drawn from elsewhere", of the pooled first token; None without pairs.
    """

    def __init__(self, config: BertConfig, *, pairs: bool) -> None:
        """Random weights, which depend on torch's seed.

        Args:
            config: The recipe's model section.
            pairs: With a pooler and a head for pairs.
        """
        super().__init__(BertModel(shape(config), add_pooling_layer=pairs))
        self.follows = nn.Linear(config.hidden_size, 2) if pairs else None
        if self.follows is not None:
            self.extra_heads = FOLLOWS
            nn.init.normal_(self.follows.weight, std=self.encoder.config.initializer_range)
            nn.init.zeros_(self.follows.bias)

    def attend_by_products(self) -> None:
        """Compute attention as two products with a softmax between, not fused.

        In bfloat16 on a CPU that is faster than the fused form; in single precision it is not. How near a step comes to
        the rate of a plain product is measured by ``tests/benchmarks/test_pretraining.py``.
        """
        self.encoder.set_attn_implementation("eager")

    def forward(  # type: ignore[override]
        self, ids: torch.Tensor, lengths: torch.Tensor, where: torch.Tensor | None, types: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None]:
        """Hidden states of all tokens, logits over the vocabulary of some, and the two logits of each pair.

        Args:
            ids: See ``MaskedLM.hidden``.
            lengths: See ``MaskedLM.hidden``.
            where: See ``MaskedLM.forward``.
            types: 0 in the first text of a pair, 1 in the second, shape (batch, tokens); None without pairs.
        """
        states = self.hidden(ids, lengths, types)
        named = self.logits(states[where]) if where is not None else None
        if self.follows is None or types is None:
            return states, named, None
        return states, named, self.follows(self.encoder.pooler(states))


def shape(config: BertConfig) -> Shape:
    """A recipe's model section in the words of the transformers library."""
    return Shape(
        vocab_size=config.vocab_size,
        hidden_size=config.hidden_size,
        num_hidden_layers=config.num_layers,
        num_attention_heads=config.num_heads,
        intermediate_size=config.intermediate_size,
        hidden_dropout_prob=config.dropout,
        attention_probs_dropout_prob=config.dropout,
        max_position_embeddings=config.max_positions,
        type_vocab_size=2,
        layer_norm_eps=config.layer_norm_eps,
        pad_token_id=0,
    )
