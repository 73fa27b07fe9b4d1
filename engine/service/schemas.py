"""Bodies of requests and answers: questions over texts, texts and pairs, one at a time or many."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from engine.inference.answers import LONGEST_CONTEXT, LONGEST_QUESTION
from engine.inference.classification import LONGEST_TEXT
from engine.inference.schemas import ApiModel, Attribution, Cost, Milliseconds, ModelInfo, QAResult, Verdict
from engine.service.errors import SIGN
from engine.service.settings import MOST_BATCH

Precision = Literal["float32", "bfloat16", "int8"]


def _whole(value: object) -> object:
    """To JSON Schema 5.0 is an integer too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class RequestModel(BaseModel):
    """Types are exact, and a key that nobody knows is refused: a typo must not look like an answer."""

    model_config = ConfigDict(strict=True, extra="forbid")


def _text(longest: int) -> StringConstraints:
    return StringConstraints(min_length=1, max_length=longest, pattern=SIGN)


Question = Annotated[str, _text(LONGEST_QUESTION), Field(description="What is asked.", examples=["Where is it?"])]
Context = Annotated[
    str,
    _text(LONGEST_CONTEXT),
    Field(
        description="The text that holds the answer; a long one is read in overlapping windows.",
        examples=["The capital of Norway is Oslo."],
    ),
]
Text = Annotated[str, _text(LONGEST_TEXT), Field(description="The text to judge.", examples=["재미있는 영화였다"])]
Premise = Annotated[str, _text(LONGEST_TEXT), Field(description="What is given.", examples=["A man sleeps."])]
Hypothesis = Annotated[
    str, _text(LONGEST_TEXT), Field(description="What may follow from it.", examples=["Nobody is awake."])
]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    Field(description="Yours; it is given back beside the answer."),
]


class Choosing(RequestModel):
    """Who answers."""

    model: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None, description="A `key` of GET /v1/models; without it the shipped model that is best at it."
    )
    precision: Precision = Field("float32", description="The number format; int8 and bfloat16 are faster.")


class Answering(Choosing):
    """How questions are answered."""

    keep: Annotated[int, BeforeValidator(_whole)] = Field(5, ge=1, le=20, description="Candidates of each answer.")
    threshold: float | None = Field(
        None,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Answer nothing where the model gives 'no answer' more probability than this; null always answers.",
    )


class Judging(Choosing):
    """How texts are judged."""

    importance: bool = Field(
        False,
        description="Also say what each part of the texts does for the verdict (occlusion); it takes as long as "
        "up to 96 verdicts.",
    )


class QAItem(RequestModel):
    """A question of a batch."""

    id: Name | None = None
    question: Question
    context: Context


class TextItem(RequestModel):
    """A text of a batch."""

    id: Name | None = None
    text: Text


class PairItem(RequestModel):
    """A pair of a batch."""

    id: Name | None = None
    premise: Premise
    hypothesis: Hypothesis


class QARequest(Answering):
    """A question over a text."""

    question: Question
    context: Context


class QABatch(Answering):
    """Several questions, each over a text of its own."""

    items: list[QAItem] = Field(min_length=1, max_length=MOST_BATCH)


class TextRequest(Judging):
    """A text to classify."""

    text: Text


class TextBatch(Judging):
    """Several texts."""

    items: list[TextItem] = Field(min_length=1, max_length=MOST_BATCH)


class NLIRequest(Judging):
    """A pair of texts: does the second follow from the first?"""

    premise: Premise
    hypothesis: Hypothesis


class NLIBatch(Judging):
    """Several pairs."""

    items: list[PairItem] = Field(min_length=1, max_length=MOST_BATCH)


class QAAnswer(QAResult):
    """The answer to a question, and the model that gave it."""

    model: ModelInfo


class QAItemAnswer(QAResult):
    """The answer to a question of a batch."""

    id: str | None = Field(description="As it was given.")


class QABatchAnswer(ApiModel):
    """Answers in the order of the questions."""

    model: ModelInfo
    items: list[QAItemAnswer]
    cost: Cost = Field(description="Of all items together.")


class Judgement(Verdict):
    """A verdict, with the attribution of its parts where that was requested."""

    importance: list[Attribution] | None = Field(description="Null unless it was asked for.")
    importance_ms: Milliseconds | None = Field(description="What that took, waiting included.")


class JudgementAnswer(Judgement):
    """A verdict, and the model that gave it."""

    model: ModelInfo


class JudgementItem(Judgement):
    """A verdict of a batch."""

    id: str | None = Field(description="As it was given.")


class JudgementBatch(ApiModel):
    """Verdicts in the order of the texts."""

    model: ModelInfo
    items: list[JudgementItem]
    cost: Cost = Field(description="Of all items together, importance left out.")
