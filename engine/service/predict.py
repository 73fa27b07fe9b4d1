"""The routes that ask models. Each piece of computing is a turn at the room's desk; the event loop stays free."""

import time
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request

from engine.playground import asking, classifying
from engine.playground.choices import Reads
from engine.playground.pool import Held
from engine.service import answers, errors, questions, state
from engine.service.answers import Answerer, Costs
from engine.service.state import Service
from engine.service.works import Patience

router = APIRouter(prefix="/v1", tags=["predictions"], responses=errors.responses(404, 409, 429, 503, 504))

Here = Annotated[Service, Depends(state.of)]


@router.post("/qa")
async def qa(request: Request, here: Here, body: questions.QARequest) -> answers.QAAnswer:
    """Find the answer to a question in a text; it is cut from the text as it is written there."""

    def work(patience: Patience) -> answers.QAAnswer:
        held = here.held(body.model, "qa", body.precision)
        found = _answered(here, held, body.question, body.context, body, patience)
        return answers.QAAnswer(**dict(found), model=Answerer.of(held))

    return await here.predicting.do(request, work)


@router.post("/qa/batch")
async def qa_batch(request: Request, here: Here, body: questions.QABatch) -> answers.QABatchAnswer:
    """Answer several questions; all of them, or none where the time runs out."""

    def work(patience: Patience) -> answers.QABatchAnswer:
        held = here.held(body.model, "qa", body.precision)
        items = [
            answers.QAItemAnswer(**dict(_answered(here, held, one.question, one.context, body, patience)), id=one.id)
            for one in body.items
        ]
        return answers.QABatchAnswer(model=Answerer.of(held), items=items, cost=Costs.total([o.cost for o in items]))

    return await here.predicting.do(request, work)


@router.post("/sentiment")
async def sentiment(request: Request, here: Here, body: questions.SentimentRequest) -> answers.JudgementAnswer:
    """Say whether a text is positive or negative."""
    return await _judge(request, here, "sentiment", body, (body.text,))


@router.post("/sentiment/batch")
async def sentiment_batch(request: Request, here: Here, body: questions.SentimentBatch) -> answers.JudgementBatch:
    """Judge several texts; all of them, or none where the time runs out."""
    return await _judge_all(request, here, "sentiment", body, [(one.id, (one.text,)) for one in body.items])


@router.post("/nli")
async def nli(request: Request, here: Here, body: questions.NLIRequest) -> answers.JudgementAnswer:
    """Say whether the hypothesis follows from the premise, contradicts it, or neither."""
    return await _judge(request, here, "nli", body, (body.premise, body.hypothesis))


@router.post("/nli/batch")
async def nli_batch(request: Request, here: Here, body: questions.NLIBatch) -> answers.JudgementBatch:
    """Judge several pairs; all of them, or none where the time runs out."""
    pairs = [(one.id, (one.premise, one.hypothesis)) for one in body.items]
    return await _judge_all(request, here, "nli", body, pairs)


def _answered(
    here: Service, held: Held, question: str, context: str, how: questions.Answering, patience: Patience
) -> answers.QAReply:
    reply = asking.ask(
        here.room.desk,
        held,
        question,
        context,
        keep=how.keep,
        timeout_s=patience.left(),
        progress=lambda share: None if share == 1 else _step(patience),
    )
    return answers.QAReply.of(reply, how.threshold)


def _step(patience: Patience) -> None:
    patience.left()


async def _judge(
    request: Request, here: Service, reads: Reads, body: questions.Judging, texts: tuple[str, ...]
) -> answers.JudgementAnswer:
    def work(patience: Patience) -> answers.JudgementAnswer:
        held = here.held(body.model, reads, body.precision)
        return answers.JudgementAnswer(
            **dict(_judged(here, held, texts, body.importance, patience)), model=Answerer.of(held)
        )

    return await here.predicting.do(request, work)


async def _judge_all(
    request: Request,
    here: Service,
    reads: Reads,
    body: questions.Judging,
    several: Sequence[tuple[str | None, tuple[str, ...]]],
) -> answers.JudgementBatch:
    def work(patience: Patience) -> answers.JudgementBatch:
        held = here.held(body.model, reads, body.precision)
        items = [
            answers.JudgementItem(**dict(_judged(here, held, texts, body.importance, patience)), id=name)
            for name, texts in several
        ]
        return answers.JudgementBatch(model=Answerer.of(held), items=items, cost=Costs.total([o.cost for o in items]))

    return await here.predicting.do(request, work)


def _judged(
    here: Service, held: Held, texts: tuple[str, ...], importance: bool, patience: Patience
) -> answers.Judgement:
    desk = here.room.desk
    verdict = classifying.classify(desk, held, texts, timeout_s=patience.left())
    if not importance:
        return answers.Judgement.of(verdict, None, None)
    began = time.perf_counter()
    parts = classifying.importance(
        desk,
        held,
        texts,
        verdict,
        timeout_s=patience.left(),
        progress=lambda share: None if share == 1 else _step(patience),
    )
    return answers.Judgement.of(verdict, parts, 1e3 * (time.perf_counter() - began))
