"""The model section of a recipe: one class per kind of architecture."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.recipes.schema.section import Section

Width = Annotated[int, Field(ge=1, le=8192)]
NumLabels = Annotated[int, Field(ge=1, le=1000, description="classes; 1 for a number (a regression)")]
Dropout = Annotated[float, Field(ge=0, lt=1, description="before the linear layer and on the embedding")]
_SOURCE = (
    "all-MiniLM-L6-v2 or multilingual-e5-small (extra offline), distilled:RECIPE, pretrained:RECIPE, a hub id, or a "
    "folder with config.json, weights in safetensors and tokenizer.json"
)
Source = Annotated[str, Field(description=_SOURCE)]
_INIT = "its weights, or its architecture alone with random ones"
Init = Annotated[Literal["pretrained", "random"], Field(description=_INIT)]
_DROPOUT = "everywhere in the encoder; none: the source's own. Without it a step is 1.6 times as fast on a CPU"
EncoderDropout = Annotated[Annotated[float, Field(ge=0, lt=1)] | None, Field(description=_DROPOUT)]
_SOURCE_SEED = "seed of the pretraining that source names; none: the run's own, so that each run has its own"
SourceSeed = Annotated[Annotated[int, Field(ge=0, lt=2**31)] | None, Field(description=_SOURCE_SEED)]
VocabSize = Annotated[int, Field(ge=8, le=200_000, description="rows of the embedding")]


class BiLSTMConfig(Section):
    """One bidirectional LSTM over embeddings, dropout, a linear layer."""

    kind: Literal["bilstm"] = Field("bilstm", description="architecture")
    vocab_size: VocabSize = 3000
    embedding_dim: Width = Field(description="width of the embedding")
    hidden_dim: Width = Field(description="hidden units of each direction")
    num_labels: NumLabels = 2
    dropout: Dropout = 0.3
    after: str | None = Field(
        None,
        description="a BiLSTM's checkpoint of the same sizes, shipped or a folder, to go on from with its vocabulary",
    )


class CNNConfig(Section):
    """Convolutions of several widths over embeddings, the maximum over time of each, a linear layer (Kim 2014)."""

    kind: Literal["cnn"] = Field("cnn", description="architecture")
    vocab_size: VocabSize = 3000
    embedding_dim: Width = Field(description="width of the embedding")
    filters: Width = Field(description="filters of each width")
    widths: tuple[Annotated[int, Field(ge=1, le=32)], ...] = Field(
        (1, 2, 3, 4), min_length=1, description="tokens a filter sees"
    )
    num_labels: NumLabels = 2
    dropout: Dropout = 0.3


class NgramConfig(Section):
    """Logistic regression over the TF-IDF weights of character n-grams."""

    kind: Literal["char-ngrams"] = Field("char-ngrams", description="architecture")
    shortest: Annotated[int, Field(ge=1, le=12, description="characters of the shortest n-gram")] = 1
    longest: Annotated[int, Field(ge=1, le=12, description="characters of the longest n-gram")] = 4
    min_texts: Annotated[int, Field(ge=1, description="n-grams in fewer texts are left out")] = 2
    jamo: bool = Field(False, description="count letters (jamo) in place of syllables")
    inverse_penalty: Annotated[float, Field(gt=0, description="C of the logistic regression")] = 5.0
    num_labels: NumLabels = 2

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.longest < self.shortest:
            raise ValueError(f"longest must be at least shortest = {self.shortest}")
        return self


class PretrainedConfig(Section):
    """A transformer with a classification head, from the hub or a folder."""

    kind: Literal["pretrained"] = Field("pretrained", description="architecture")
    source: Source
    init: Init = "pretrained"
    source_seed: SourceSeed = None
    dropout: EncoderDropout = None
    after: str | None = Field(
        None, description="a checkpoint with adapters, shipped or a folder, to go on from; none: the source"
    )
    head: Literal["own", "pair"] = Field(
        "own",
        description="what makes a class of the states: the layers that the library adds, or one linear layer "
        "over the mean of each text of a pair, their difference and their product",
    )
    num_labels: NumLabels = 2


class SpanConfig(Section):
    """A transformer that marks the answer in a text: a start and an end logit for every token."""

    kind: Literal["span"] = Field("span", description="architecture")
    source: Source
    init: Init = "pretrained"
    source_seed: SourceSeed = None
    dropout: Annotated[float, Field(ge=0, lt=1)] | None = Field(
        None, description="everywhere in the encoder; none: the source's own. Drawing the masks is slow on a CPU"
    )


class MaskedLMConfig(Section):
    """A pretrained encoder with a head of its own that names hidden words."""

    kind: Literal["masked-lm"] = Field("masked-lm", description="architecture")
    source: Source
    frozen: bool = Field(True, description="the encoder stays as it is, and the head alone learns")
    dropout: EncoderDropout = None


class BertConfig(Section):
    """A BERT (Devlin et al. 2019) with random weights that names hidden words, on a vocabulary learned from its text.

    The defaults are the smallest model of 002_f123daafd2f5ddb9.txt. It tells two segments apart.
    """

    kind: Literal["bert"] = Field("bert", description="architecture")
    vocab_size: VocabSize = 32_007
    hidden_size: Width = Field(256, description="width of the hidden states")
    num_layers: Annotated[int, Field(ge=1, le=96, description="layers")] = 3
    num_heads: Annotated[int, Field(ge=1, le=256, description="attention heads, which share the width")] = 4
    intermediate_size: Width = Field(1024, description="inner width of the feed-forward part")
    max_positions: Annotated[int, Field(ge=8, le=8192, description="positions, all of them learned")] = 384
    layer_norm_eps: Annotated[float, Field(gt=0, le=0.1, description="added to the variance in layer norms")] = 1e-3
    dropout: Annotated[
        float, Field(ge=0, lt=1, description="everywhere; without it a step is much faster on a CPU")
    ] = 0.1
    embedding: Literal["random", "cooccurrence"] = Field(
        "random",
        description="where the embedding of the tokens starts: random numbers, or vectors from how often tokens stand "
        "near each other in all of the text that may be read, however little of it text.tokens leaves",
    )
    attention: Literal["random", "matching"] = Field(
        "random",
        description="where attention starts: random numbers, or, in the first two layers, as a comparison of tokens "
        "and of positions, by which a token attends to the same token elsewhere and to its neighbours",
    )

    @model_validator(mode="after")
    def _heads_fill_the_width(self) -> Self:
        if self.hidden_size % self.num_heads:
            raise ValueError(f"hidden_size = {self.hidden_size} cannot be shared among num_heads = {self.num_heads}")
        if self.attention == "matching" and self.embedding == "cooccurrence":
            raise ValueError(
                "attention = 'matching' keeps positions apart from tokens, embedding = 'cooccurrence' does not"
            )
        return self


class StudentConfig(Section):
    """A DistilBERT with some layers of its teacher (Sanh et al. 2019): no segments, no pooler."""

    kind: Literal["student"] = Field("student", description="architecture")
    source: str = Field(description="the teacher, a BERT that names hidden words: masked-lm:RECIPE, a hub id, a folder")
    layers: tuple[Annotated[int, Field(ge=0)], ...] | None = Field(
        None, min_length=1, description="layers of the teacher that are taken, from 0; none: every other one"
    )
    init: Literal["teacher", "random"] = Field(
        "teacher", description="start from the weights of these layers, or from random ones"
    )
    dropout: EncoderDropout = None

    @model_validator(mode="after")
    def _from_below(self) -> Self:
        if self.layers and list(self.layers) != sorted(set(self.layers)):
            raise ValueError("layers must rise, each once")
        return self


class EnsembleConfig(Section):
    """Several classifiers, each trained once per fold, whose logits are added up with learned weights."""

    kind: Literal["ensemble"] = Field("ensemble", description="architecture")
    members: tuple[str, ...] = Field(min_length=1, description="recipes")
    folds: Annotated[
        int,
        Field(ge=2, le=20, description="parts of the training split; each is predicted by models that did not see it"),
    ] = 4
    num_labels: NumLabels = 2


MaskedModelConfig = MaskedLMConfig | StudentConfig | BertConfig
"""Kinds that read running text and name the words that are hidden in it."""

ModelConfig = Annotated[
    BiLSTMConfig
    | CNNConfig
    | NgramConfig
    | PretrainedConfig
    | SpanConfig
    | MaskedLMConfig
    | BertConfig
    | StudentConfig
    | EnsembleConfig,
    Field(discriminator="kind"),
]
