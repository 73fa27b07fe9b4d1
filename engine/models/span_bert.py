"""The small BERT of 002_f123daafd2f5ddb9.txt: an encoder from scratch with a span head, no pooler."""

from dataclasses import dataclass

from transformers import BertConfig, BertForQuestionAnswering


@dataclass(frozen=True)
class SpanBertConfig:
    """Sizes in the words of 002_f123daafd2f5ddb9.txt; ``n_head * d_head`` must be ``d_model``."""

    n_vocab: int = 32_007
    d_model: int = 256
    n_seq: int = 384
    d_ff: int = 1024
    n_layer: int = 3
    n_head: int = 4
    d_head: int = 64
    dropout: float = 0.1
    layernorm_epsilon: float = 0.001
    i_pad: int = 0


def build_span_bert(config: SpanBertConfig) -> BertForQuestionAnswering:
    """A BERT with learned positions, two segments and start and end logits for every token, with random weights.

    Raises:
        ValueError: The heads do not fill the model's width.
    """
    if config.n_head * config.d_head != config.d_model:
        raise ValueError(f"{config.n_head} heads of {config.d_head} do not make a width of {config.d_model}")
    return BertForQuestionAnswering(
        BertConfig(
            vocab_size=config.n_vocab,
            hidden_size=config.d_model,
            num_hidden_layers=config.n_layer,
            num_attention_heads=config.n_head,
            intermediate_size=config.d_ff,
            hidden_dropout_prob=config.dropout,
            attention_probs_dropout_prob=config.dropout,
            max_position_embeddings=config.n_seq,
            type_vocab_size=2,
            layer_norm_eps=config.layernorm_epsilon,
            pad_token_id=config.i_pad,
        )
    )
