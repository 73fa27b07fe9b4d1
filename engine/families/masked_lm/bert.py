"""A BERT of our own: random weights, a head that names hidden words, one for pairs, one for recurring spans."""

import math
from typing import Any

import torch
from torch import nn
from transformers import BertConfig as Shape
from transformers import BertModel, SplinterConfig
from transformers.models.splinter.modeling_splinter import QuestionAwareSpanSelectionHead

from engine.families.masked_lm.network import MaskedLM, within
from engine.recipes.schema import BertConfig

_NEVER = -1e4

_WAVES = 6, 400
"""Lengths of the shortest and the longest wave of ``start_by_matching``, in tokens."""

_FAINT = 0.1
"""Part of a token's embedding that is left in the dimensions of the positions."""

_NEARNESS = 0.8
"""How sharply attention to neighbours starts; 1 is as sharp as attention to the same token."""

FOLLOWS = {"follows.weight": "cls.seq_relationship.weight", "follows.bias": "cls.seq_relationship.bias"}
"""What the head for pairs is called, here and by the transformers library."""


class TextBert(MaskedLM):
    """Names hidden words; with pairs it also tells whether the second text follows the first (Devlin et al. 2019).

    With spans it points at the one occurrence of a recurring span that was left (Ram et al. 2021), by the head that the
    transformers library puts on a Splinter for question answering; with cloze questions it points at what they lack, by
    the head that a BERT has for questions. A fine-tuning goes on with either.

    Attributes:
        follows: Two logits, "follows" and "drawn from elsewhere", of the pooled first token; None without pairs.
        spans: Start and end logits of all tokens, for some of them, which ask, or for the question before a block;
            None where nothing is pointed at.
    """

    def __init__(self, config: BertConfig, *, pairs: bool, question: int | None = None, cloze: bool = False) -> None:
        """Random weights, which depend on torch's seed.

        Args:
            config: The recipe's model section.
            pairs: With a pooler and a head for pairs.
            question: The token that stands for hidden spans, with a head for these; None without spans.
            cloze: With a head for questions that stand before a block.
        """
        super().__init__(BertModel(shape(config), add_pooling_layer=pairs))
        self.follows = nn.Linear(config.hidden_size, 2) if pairs else None
        if self.follows is not None:
            self.extra_heads = FOLLOWS
            nn.init.normal_(self.follows.weight, std=self.encoder.config.initializer_range)
            nn.init.zeros_(self.follows.bias)
        self.question = question
        self.spans: nn.Module | None = None
        if question is not None:
            head = QuestionAwareSpanSelectionHead(self.encoder.config)
            for classifier in (head.start_classifier, head.end_classifier):
                # Both of its sides are normalised: this makes the first logits about 1 in size, at every width.
                nn.init.normal_(classifier.weight, std=1 / config.hidden_size)
            self.spans = head
        elif cloze:
            linear = nn.Linear(config.hidden_size, 2)
            nn.init.normal_(linear.weight, std=self.encoder.config.initializer_range)
            nn.init.zeros_(linear.bias)
            self.spans = linear
        if self.spans is not None:
            self.extra_heads = {**self.extra_heads, **span_head_names(self.spans)}

    @torch.no_grad()
    def start_by_matching(self) -> None:
        """Let attention start as a comparison of tokens and of positions, in the manner of Trockman and Kolter 2023.

        In the first two layers queries and keys start alike: half of the heads compare what the tokens are, the others
        where they stand, so that a token attends to the same token elsewhere and to its neighbours. For that, positions
        start as sinusoids in dimensions of their own. To find a question's words in a text is to do both; from random
        numbers next to nothing of it is learned within a million tokens.
        """
        config, embeddings = self.encoder.config, self.encoder.embeddings
        width, heads = config.hidden_size, config.num_attention_heads
        positions = embeddings.position_embeddings.weight
        own = max(2, width // 8 * 2)  # a sine and a cosine of each wave
        waves = torch.logspace(math.log10(_WAVES[0]), math.log10(_WAVES[1]), own // 2)
        angles = torch.arange(len(positions))[:, None] * 2 * math.pi / waves
        positions.zero_()
        scale = math.sqrt(2) * config.initializer_range
        positions[:, -own:] = scale * torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        for table in (embeddings.word_embeddings.weight, embeddings.token_type_embeddings.weight):
            table[:, -own:] *= _FAINT
        half = (heads + 1) // 2 * (width // heads)
        for layer in self.encoder.encoder.layer[:2]:
            attention = layer.attention.self
            tokens, places = attention.query.weight.split([half, width - half])
            tokens[:, :-own].normal_(std=(width - own) ** -0.5)
            tokens[:, -own:] = 0
            places[:, :-own] = 0
            places[:, -own:].normal_(std=_NEARNESS * own**-0.5)
            attention.key.weight.copy_(attention.query.weight)

    @torch.no_grad()
    def share_types(self, *, learned: bool) -> None:
        """Give the second token type the embedding of the first where no pairs were read, of texts or with a question.

        Its own is still random then, and would shift every token of the text of a fine-tuning on questions.
        """
        if self.follows is None and not learned:
            types = self.encoder.embeddings.token_type_embeddings.weight
            types[1:] = types[0]

    def attend_by_products(self) -> None:
        """Compute attention as two products with a softmax between, not fused.

        In bfloat16 on a CPU that is faster than the fused form; in single precision it is not. How near a step comes to
        the rate of a plain product is measured by ``tests/benchmarks/training/test_pretraining.py``.
        """
        self.encoder.set_attn_implementation("eager")

    def card(self) -> tuple[Any, str]:
        """See ``MaskedLM.card``."""
        config, named = super().card()
        if self.question is not None:
            return question_shape(config, self.question), "SplinterForPreTraining"
        if self.spans is not None:
            return config, "BertForQuestionAnswering"
        return config, "BertForPreTraining" if self.follows is not None else named

    def forward(  # type: ignore[override]
        self,
        ids: torch.Tensor,
        lengths: torch.Tensor,
        where: torch.Tensor | None,
        types: torch.Tensor | None = None,
        questions: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor | None, torch.Tensor | None]:
        """Hidden states of all tokens, logits over the vocabulary of some, those of pairs, and those of hidden spans.

        Args:
            ids: See ``MaskedLM.hidden``.
            lengths: See ``MaskedLM.hidden``.
            where: See ``MaskedLM.forward``.
            types: 0 in the first text of a pair, 1 in the second, shape (batch, tokens); None without pairs.
            questions: Tokens that ask, shape (batch, questions); None where none does.

        Returns:
            The last two of shapes (batch, 2) and (batch, questions, tokens, 2); None where they do not apply.
        """
        states = self.hidden(ids, lengths, types)
        named = self.logits(states[where]) if where is not None else None
        following = self.follows(self.encoder.pooler(states)) if self.follows and types is not None else None
        if self.spans is None or questions is None:
            return states, named, following, None
        if self.question is None:
            pointed = self.spans(states).unsqueeze(1)
        else:
            pointed = torch.stack(self.spans(states, questions), dim=-1)
        outside = ~within(ids, lengths)
        return states, named, following, pointed.masked_fill(outside[:, None, :, None], _NEVER)


def span_head_names(head: nn.Module) -> dict[str, str]:
    """The names of the span head's tensors, here and in the transformers library."""
    theirs = "qa_outputs" if isinstance(head, nn.Linear) else "splinter_qass"
    return {f"spans.{name}": f"{theirs}.{name}" for name in head.state_dict()}


def question_shape(config: Any, question: int | None) -> SplinterConfig:
    """The shape of the same encoder under the span head, which reads the answer off the state of one token.

    Args:
        config: Of the encoder.
        question: That token, which stood for hidden spans.
    """
    facts = config.to_dict()
    shared = {key: facts[key] for key in SplinterConfig().to_dict() if key in facts and key != "model_type"}
    return SplinterConfig(**shared | {"question_token_id": question})


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
