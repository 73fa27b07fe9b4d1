"""What is answered, as JSON. Positions in a text count Unicode code points from 0; an end is the one after the last."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from engine.inference.answers import Reply
from engine.inference.classification import Unit, Verdict
from engine.inference.costs import Cost
from engine.inference.model_cache import Held


class Told(BaseModel):
    """Exactly what is described, and only finite numbers."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Costs(Told):
    """What an answer took, in milliseconds."""

    waited_ms: float = Field(description="Until its turn came: others asked too.")
    tokenise_ms: float = Field(description="From characters to token ids.")
    model_ms: float = Field(description="The network.")
    decode_ms: float = Field(description="From the network's numbers to an answer.")

    @classmethod
    def of(cls, cost: Cost) -> "Costs":
        """Rounded to microseconds."""
        return cls(**cost.as_dict())

    @classmethod
    def total(cls, several: Sequence["Costs"]) -> "Costs":
        """The sum of several answers' costs."""
        names = tuple(cls.model_fields)
        return cls(**{name: round(sum(getattr(one, name) for one in several), 3) for name in names})


class Answerer(Told):
    """Who answered."""

    key: str = Field(description="Ask for it by this.")
    name: str
    precision: str
    params: int = Field(description="Parameters.")
    bytes: int = Field(description="Of its weights in memory.")
    run_id: str | None = Field(description="Its row of the board, for GET /v1/runs; null where it has none.")

    @classmethod
    def of(cls, held: Held) -> "Answerer":
        """A model in memory."""
        choice = held.choice
        return cls(
            key=choice.key,
            name=choice.name,
            precision=held.precision,
            params=held.params,
            bytes=held.bytes,
            run_id=choice.run_id,
        )


class Window(Told):
    """A part of a long text that was read at once."""

    start: int
    end: int


class Candidate(Told):
    """A part of the text that may be the answer."""

    text: str = Field(description="As it is written in the text.")
    start: int
    end: int
    probability: float = Field(ge=0, le=1, description="Among all parts of the text, 'no answer' left out.")
    window: int = Field(description="Which of `windows` it was found in, from 0.")


class QAReply(Told):
    """The answer to a question."""

    answer: str = Field(description="Empty where 'no answer' is likelier than the threshold.")
    no_answer: float = Field(ge=0, le=1, description="Probability that the text does not answer the question.")
    best: list[Candidate] = Field(description="The likeliest first.")
    windows: list[Window]
    tokens: int = Field(description="Of all windows, the question included in each.")
    guessed: bool = Field(description="The model cannot read the language of question or text.")
    cost: Costs

    @classmethod
    def of(cls, reply: Reply, threshold: float | None) -> "QAReply":
        """An answer as JSON."""
        best = [
            Candidate(
                text=one.text, start=one.start, end=one.end, probability=_share(one.probability), window=one.window
            )
            for one in reply.found.best
        ]
        return cls(
            answer=reply.text(threshold),
            no_answer=_share(reply.found.nothing),
            best=best,
            windows=[Window(start=start, end=end) for start, end in reply.windows],
            tokens=reply.tokens,
            guessed=reply.guessed,
            cost=Costs.of(reply.cost),
        )


class QAAnswer(QAReply):
    """The answer to a question, and who gave it."""

    model: Answerer


class QAItemAnswer(QAReply):
    """The answer to a question of a batch."""

    id: str | None = Field(description="As it was given.")


class QABatchAnswer(Told):
    """Answers in the order of the questions."""

    model: Answerer
    items: list[QAItemAnswer]
    cost: Costs = Field(description="Of all items together.")


class Part(Told):
    """A part of a text, and what happens to the verdict without it."""

    text: int = Field(description="0: the text or the premise; 1: the hypothesis.")
    start: int
    end: int
    weight: float = Field(ge=-1, le=1, description="By how much the verdict's probability falls without this part.")
    turns: str | None = Field(description="The label that the verdict turns into without it; null where it stays.")


class Judgement(Told):
    """A verdict."""

    label: str = Field(description="The likeliest.")
    probabilities: dict[str, float] = Field(description="Of every label.")
    cut: bool = Field(description="The text is longer than the model reads; it saw the beginning.")
    importance: list[Part] | None = Field(description="Null unless it was asked for.")
    importance_ms: float | None = Field(description="What that took, waiting included.")
    cost: Costs

    @classmethod
    def of(cls, verdict: Verdict, parts: Sequence[Unit] | None, taken_ms: float | None) -> "Judgement":
        """A verdict as JSON."""
        weighed = (
            None
            if parts is None
            else [
                Part(text=one.part, start=one.start, end=one.end, weight=round(one.weight, 6), turns=one.turns)
                for one in parts
            ]
        )
        return cls(
            label=verdict.label,
            probabilities={label: _share(one) for label, one in verdict.probabilities.items()},
            cut=verdict.cut,
            importance=weighed,
            importance_ms=None if taken_ms is None else round(taken_ms, 3),
            cost=Costs.of(verdict.cost),
        )


class JudgementAnswer(Judgement):
    """A verdict, and whose it is."""

    model: Answerer


class JudgementItem(Judgement):
    """A verdict of a batch."""

    id: str | None = Field(description="As it was given.")


class JudgementBatch(Told):
    """Verdicts in the order of the texts."""

    model: Answerer
    items: list[JudgementItem]
    cost: Costs = Field(description="Of all items together, importance left out.")


def _share(probability: float) -> float:
    """Six digits; a sum in float32 can be a hair above 1."""
    return round(min(1.0, max(0.0, probability)), 6)
