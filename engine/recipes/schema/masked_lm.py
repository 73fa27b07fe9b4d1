"""Sections of models that name hidden words: the text that they read, and what a student learns from its teacher."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.recipes.schema.section import Section

Weight = Annotated[float, Field(ge=0, le=1000)]
Share = Annotated[float, Field(ge=0, le=1)]


class TextConfig(Section):
    """Running text: which files are read, how they are cut into blocks, which tokens are hidden.

    The shares are those of BERT (Devlin et al. 2019).
    """

    files: tuple[str, ...] = Field(
        ("squad/train*.parquet", "text/wikitext*.parquet", "text*.parquet", "*.jsonl", "*.txt"),
        min_length=1,
        description="patterns in the data folder; every .parquet, .jsonl and .txt file of theirs is read",
    )
    columns: tuple[str, ...] = Field(
        ("text", "context"), min_length=1, description="where the text stands in a table; the first that is there"
    )
    document: str = Field(
        "title", description="column whose equal values make one document; a table without it has one document a row"
    )
    rows: Annotated[
        int,
        Field(
            ge=1, description="rows of a table without that column, and lines of a .txt file, that make one document"
        ),
    ] = 1
    held: Annotated[float, Field(gt=0, lt=0.5, description="part of the documents that is scored and never read")] = (
        0.05
    )
    scored: Annotated[
        int,
        Field(ge=1, description="blocks of them that are scored, and of those held out to choose the epoch, at most"),
    ] = 256
    block: Annotated[int, Field(ge=8, le=4096, description="tokens of a block, the two around it included")] = 128
    tokens: Annotated[int, Field(ge=1)] | None = Field(
        None, description="tokens that are read, of documents in an order by the seed; none: all"
    )
    packed: bool = Field(
        False,
        description="blocks run on over texts, and over documents with a separator between them, so that next "
        "to nothing is padded",
    )
    next_sentence: bool = Field(
        False, description="blocks are pairs of texts, and whether the second follows the first is learned too (bert)"
    )
    recurring_spans: bool = Field(
        False, description="of spans that recur in a block all but one are hidden, and that one is pointed at (bert)"
    )
    cloze_questions: bool = Field(
        False,
        description="a sentence without some of its words stands before the block, where these are pointed at (bert)",
    )
    hidden_words: bool = Field(True, description="hidden words are named; false: the other objectives are alone (bert)")
    whole_words: bool = Field(False, description="all tokens of a word are to be named, or none of them")
    mask_rate: Annotated[float, Field(gt=0, lt=1, description="part of the tokens that is to be named")] = 0.15
    mask_token: Share = Field(0.8, description="part of those that is replaced by [MASK]")
    mask_random: Share = Field(0.1, description="part of those that is replaced by any token; the rest stays")

    @property
    def points(self) -> bool:
        """Whether spans of a block are pointed at."""
        return self.recurring_spans or self.cloze_questions

    @model_validator(mode="after")
    def _at_most_all(self) -> Self:
        if self.mask_token + self.mask_random > 1:
            raise ValueError("mask_token and mask_random must not exceed 1 together")
        return self

    @model_validator(mode="after")
    def _pairs_are_of_one_document(self) -> Self:
        if self.packed and self.next_sentence:
            raise ValueError("packed and next_sentence exclude each other: the texts of a pair are one document's")
        if self.next_sentence and self.block < 16:
            raise ValueError("next_sentence needs a block of at least 16 tokens")
        return self


class VocabularyConfig(Section):
    """The tokens of a BERT that starts from random weights, learned from the text that it reads.

    Upper and lower case and accents stay: what strips accents takes Hangul syllables apart.
    """

    kind: Literal["unigram", "wordpiece"] = Field(
        "unigram",
        description="unigram, as in SentencePiece, to which a rare character alone is unknown, or "
        "wordpiece, to which its whole word is",
    )
    coverage: Annotated[
        float,
        Field(gt=0.5, le=1, description="part of the text's characters that are in the alphabet, most frequent first"),
    ] = 0.9995
    texts: Annotated[int, Field(ge=1)] | None = Field(
        None, description="texts that it is learned from at most, spread evenly over the folder's; none: all"
    )


class TripleConfig(Section):
    """DistilBERT's loss (Sanh et al. 2019): soft labels, hidden words and directions of hidden states, weighted.

    The weights are divided by their sum, since 004_7d812c1ddacb6f6c.txt says that they sum to 1, and gives no values.
    The defaults 5, 2 and 1 are those of the training command in the README of the authors' code (transformers,
    research project distillation: ``alpha_ce``, ``alpha_mlm`` and ``alpha_cos``).
    """

    kl: Weight = Field(5.0, description="weight of T^2 * KL between the teacher's and the student's distributions")
    mlm: Weight = Field(2.0, description="weight of the cross-entropy with the hidden tokens")
    cosine: Weight = Field(1.0, description="weight of 1 - cosine between the last hidden states of both")
    temperature: Annotated[float, Field(gt=0, le=100, description="softens both distributions")] = 2.0
    kl_tokens: Literal["all", "masked"] = Field(
        "all",
        description="where the distributions are compared: at every token, or at those to be named alone, which "
        "leaves out most of the work on a processor without a GPU",
    )
    teacher_seed: Annotated[int, Field(ge=0, lt=2**31, description="the teacher's seed, whatever the student's")] = 0

    @model_validator(mode="after")
    def _something_is_learned(self) -> Self:
        if self.kl + self.mlm + self.cosine == 0:
            raise ValueError("at least one of kl, mlm and cosine must be above 0")
        return self
