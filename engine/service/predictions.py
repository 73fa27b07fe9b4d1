"""The routes that ask models. Each piece of computing is a turn at the room's desk; the event loop stays free."""

import time
from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Request

from engine.inference import answers as asking
from engine.inference import classification
from engine.inference.model_cache import Held
from engine.inference.models import Reads
from engine.service import errors, requests, results, state
from engine.service.results import Answerer, Costs
from engine.service.state import Service
from engine.service.worker_pool import Patience

router = APIRouter(prefix="/v1", tags=["predictions"], responses=errors.responses(404, 409, 429, 503, 504))

Here = Annotated[Service, Depends(state.of)]


@router.post("/qa")
async def qa(request: Request, here: Here, body: requests.QARequest) -> results.QAAnswer:
    """Find the answer to a question in a text; it is cut from the text as it is written there."""

    def work(patience: Patience) -> results.QAAnswer:
        held = here.held(body.model, "qa", body.precision)
        found = _answered(here, held, body.question, body.context, body, patience)
        return results.QAAnswer(**dict(found), model=Answerer.of(held))

    return await here.predicting.do(request, work)


@router.post("/qa/batch")
async def qa_batch(request: Request, here: Here, body: requests.QABatch) -> results.QABatchAnswer:
    """Answer several questions; all of them, or none where the time runs out."""

    def work(patience: Patience) -> results.QABatchAnswer:
        held = here.held(body.model, "qa", body.precision)
        items = [
            results.QAItemAnswer(**dict(_answered(here, held, one.question, one.context, body, patience)), id=one.id)
            for one in body.items
        ]
        return results.QABatchAnswer(model=Answerer.of(held), items=items, cost=Costs.total([o.cost for o in items]))

    return await here.predicting.do(request, work)


@router.post("/sentiment")
async def sentiment(request: Request, here: Here, body: requests.SentimentRequest) -> results.JudgementAnswer:
    """Say whether a text is positive or negative."""
    return await _judge(request, here, "sentiment", body, (body.text,))


@router.post("/sentiment/batch")
async def sentiment_batch(request: Request, here: Here, body: requests.SentimentBatch) -> results.JudgementBatch:
    """Judge several texts; all of them, or none where the time runs out."""
    return await _judge_all(request, here, "sentiment", body, [(one.id, (one.text,)) for one in body.items])


@router.post("/nli")
async def nli(request: Request, here: Here, body: requests.NLIRequest) -> results.JudgementAnswer:
    """Say whether the hypothesis follows from the premise, contradicts it, or neither."""
    return await _judge(request, here, "nli", body, (body.premise, body.hypothesis))


@router.post("/nli/batch")
async def nli_batch(request: Request, here: Here, body: requests.NLIBatch) -> results.JudgementBatch:
    """Judge several pairs; all of them, or none where the time runs out."""
    pairs = [(one.id, (one.premise, one.hypothesis)) for one in body.items]
    return await _judge_all(request, here, "nli", body, pairs)


def _answered(
    here: Service, held: Held, question: str, context: str, how: requests.Answering, patience: Patience
) -> results.QAReply:
    reply = asking.ask(
        here.room.desk,
        held,
        question,
        context,
        keep=how.keep,
        timeout_s=patience.left(),
        progress=lambda share: None if share == 1 else _step(patience),
    )
    return results.QAReply.of(reply, how.threshold)


def _step(patience: Patience) -> None:
    patience.left()


async def _judge(
    request: Request, here: Service, reads: Reads, body: requests.Judging, texts: tuple[str, ...]
) -> results.JudgementAnswer:
    def work(patience: Patience) -> results.JudgementAnswer:
        held = here.held(body.model, reads, body.precision)
        return results.JudgementAnswer(
            **dict(_judged(here, held, texts, body.importance, patience)), model=Answerer.of(held)
        )

    return await here.predicting.do(request, work)


async def _judge_all(
    request: Request,
    here: Service,
    reads: Reads,
    body: requests.Judging,
    several: Sequence[tuple[str | None, tuple[str, ...]]],
) -> results.JudgementBatch:
    def work(patience: Patience) -> results.JudgementBatch:
        held = here.held(body.model, reads, body.precision)
        items = [
            results.JudgementItem(**dict(_judged(here, held, texts, body.importance, patience)), id=name)
            for name, texts in several
        ]
        return results.JudgementBatch(model=Answerer.of(held), items=items, cost=Costs.total([o.cost for o in items]))

    return await here.predicting.do(request, work)


def _judged(
    here: Service, held: Held, texts: tuple[str, ...], importance: bool, patience: Patience
) -> results.Judgement:
    desk = here.room.desk
    verdict = classification.classify(desk, held, texts, timeout_s=patience.left())
    if not importance:
        return results.Judgement.of(verdict, None, None)
    began = time.perf_counter()
    parts = classification.importance(
        desk,
        held,
        texts,
        verdict,
        timeout_s=patience.left(),
        progress=lambda share: None if share == 1 else _step(patience),
    )
    return results.Judgement.of(verdict, parts, 1e3 * (time.perf_counter() - began))
