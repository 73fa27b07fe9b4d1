"""Results of the models, in one form for the HTTP service and the playground, and the errors they end in.

Positions in a text count Unicode code points from 0; an end is the position after the last one. No torch here.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from db.base.errors import FeatherboardError


class PlaygroundError(FeatherboardError):
    """A model or a text cannot be used; the message says why and what to do."""


class BusyError(PlaygroundError):
    """Too many requests wait for an answer."""


class LateError(PlaygroundError):
    """The answer took longer than the client was willing to wait."""


class ApiModel(BaseModel):
    """Exactly the described fields, and only finite numbers."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def _round(digits: int) -> PlainSerializer:
    return PlainSerializer(lambda value: None if value is None else round(value, digits), when_used="json")


Milliseconds = Annotated[float, _round(3), WithJsonSchema({"type": "number"})]
Share = Annotated[
    float,
    BeforeValidator(lambda value: min(1.0, max(0.0, float(value)))),  # a sum in float32 can be a hair above 1
    _round(6),
    WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1}),
]


class Cost(ApiModel):
    """What an answer took, in milliseconds."""

    waited_ms: Milliseconds = Field(description="In the queue, behind other requests.")
    tokenise_ms: Milliseconds = Field(description="From characters to token ids.")
    model_ms: Milliseconds = Field(description="The network.")
    decode_ms: Milliseconds = Field(description="From the network's numbers to an answer.")

    @property
    def total_ms(self) -> float:
        """Time of computing, without waiting."""
        return self.tokenise_ms + self.model_ms + self.decode_ms

    def as_dict(self) -> dict[str, float]:
        """Rounded to microseconds, for JSON."""
        return self.model_dump(mode="json")

    @classmethod
    def total(cls, costs: Sequence["Cost"]) -> "Cost":
        """The sum of the rounded costs of several answers."""
        return cls(**{name: sum(round(getattr(cost, name), 3) for cost in costs) for name in cls.model_fields})


class Window(ApiModel):
    """A part of a long text that was read at once."""

    start: int
    end: int


class Candidate(ApiModel):
    """A part of the text that may be the answer."""

    text: str = Field(description="As it is written in the text.")
    start: int
    end: int
    probability: Share = Field(description="Among all parts of the text, 'no answer' left out.")
    window: int = Field(description="Which of `windows` it was found in, from 0.")


class QAResult(ApiModel):
    """The answer to a question."""

    answer: str = Field(description="Empty where 'no answer' is likelier than the threshold.")
    no_answer: Share = Field(description="Probability that the text does not answer the question.")
    best: list[Candidate] = Field(description="The likeliest first.")
    windows: list[Window]
    tokens: int = Field(description="Of all windows, the question included in each.")
    guessed: bool = Field(description="The model cannot read the language of question or text.")
    cost: Cost

    def text(self, threshold: float | None = None) -> str:
        """The answer; empty where "no answer" is likelier than ``threshold``."""
        return "" if threshold is not None and self.no_answer > threshold else self.best[0].text if self.best else ""


class Verdict(ApiModel):
    """The class of a text or a pair of texts."""

    label: str = Field(description="The likeliest.")
    probabilities: dict[str, Share] = Field(description="Of every label.")
    cut: bool = Field(description="The text is longer than the model reads; it saw the beginning.")
    guessed: bool = Field(description="The model cannot read the language of a text.")
    cost: Cost


class Attribution(ApiModel):
    """A part of a text and its effect on the verdict (occlusion: Zeiler and Fergus 2014; Li et al. 2016)."""

    part: int = Field(serialization_alias="text", description="0: the text or the premise; 1: the hypothesis.")
    start: int
    end: int
    weight: Annotated[float, _round(6), WithJsonSchema({"type": "number", "minimum": -1, "maximum": 1})] = Field(
        description="By how much the verdict's probability falls without this part."
    )
    turns: str | None = Field(description="The label that the verdict turns into without it; null where it stays.")


class ModelInfo(ApiModel):
    """The model that answered."""

    key: str = Field(description="Ask for it by this.")
    name: str
    precision: str
    runtime: str = Field(description="What computed it: torch, onnx or numpy.")
    params: int = Field(description="Parameters.")
    bytes: int = Field(description="Of its weights in memory.")
    run_id: str | None = Field(description="Its row of the board, for GET /v1/runs; null where it has none.")
