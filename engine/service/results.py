"""The bodies of answers: results of ``engine.inference.schemas`` with the model that gave them, or the item's id."""

from pydantic import Field

from engine.inference.schemas import ApiModel, Attribution, Cost, Milliseconds, ModelInfo, QAResult, Verdict


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
