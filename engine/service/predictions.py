"""The routes that ask models. Each step of computing is a turn of the executor; the event loop stays free."""

import time
from collections.abc import Sequence

from fastapi import APIRouter, Request

from engine.inference import answers, attribution, classification
from engine.inference.model_cache import LoadedModel
from engine.inference.models import TaskType
from engine.inference.schemas import Cost, QAResult
from engine.service import errors, schemas
from engine.service.limits import Deadline
from engine.service.state import Service, ServiceState

router = APIRouter(prefix="/v1", tags=["predictions"], responses=errors.responses(404, 409, 429, 503, 504))


@router.post("/qa")
async def qa(request: Request, service: ServiceState, body: schemas.QARequest) -> schemas.QAAnswer:
    """Find the answer to a question in a text; it is cut from the text as it is written there."""

    def work(deadline: Deadline) -> schemas.QAAnswer:
        model = service.held(body.model, "qa", body.precision, (body.question, body.context))
        result = _answer(service, model, body.question, body.context, body, deadline)
        return schemas.QAAnswer(**dict(result), model=model.info())

    return await service.prediction_pool.do(request, work)


@router.post("/qa/batch")
async def qa_batch(request: Request, service: ServiceState, body: schemas.QABatch) -> schemas.QABatchAnswer:
    """Answer several questions; all of them, or none where the time runs out."""

    def work(deadline: Deadline) -> schemas.QABatchAnswer:
        texts = [text for item in body.items for text in (item.question, item.context)]
        model = service.held(body.model, "qa", body.precision, texts)
        items = [
            schemas.QAItemAnswer(
                **dict(_answer(service, model, item.question, item.context, body, deadline)), id=item.id
            )
            for item in body.items
        ]
        return schemas.QABatchAnswer(model=model.info(), items=items, cost=Cost.total([item.cost for item in items]))

    return await service.prediction_pool.do(request, work)


@router.post("/sentiment")
async def sentiment(request: Request, service: ServiceState, body: schemas.TextRequest) -> schemas.JudgementAnswer:
    """Classify a text as positive or negative."""
    return await _judge(request, service, "sentiment", body, (body.text,))


@router.post("/sentiment/batch")
async def sentiment_batch(request: Request, service: ServiceState, body: schemas.TextBatch) -> schemas.JudgementBatch:
    """Classify several texts; all of them, or none where the time runs out."""
    return await _judge_all(request, service, "sentiment", body, [(item.id, (item.text,)) for item in body.items])


@router.post("/text")
async def text(request: Request, service: ServiceState, body: schemas.TextRequest) -> schemas.JudgementAnswer:
    """Classify a text by the labels that the model learned, such as topics."""
    return await _judge(request, service, "text", body, (body.text,))


@router.post("/text/batch")
async def text_batch(request: Request, service: ServiceState, body: schemas.TextBatch) -> schemas.JudgementBatch:
    """Classify several texts by the labels that the model learned; all of them, or none where the time runs out."""
    return await _judge_all(request, service, "text", body, [(item.id, (item.text,)) for item in body.items])


@router.post("/nli")
async def nli(request: Request, service: ServiceState, body: schemas.NLIRequest) -> schemas.JudgementAnswer:
    """Say whether the hypothesis follows from the premise, contradicts it, or neither."""
    return await _judge(request, service, "nli", body, (body.premise, body.hypothesis))


@router.post("/nli/batch")
async def nli_batch(request: Request, service: ServiceState, body: schemas.NLIBatch) -> schemas.JudgementBatch:
    """Classify several pairs; all of them, or none where the time runs out."""
    pairs = [(item.id, (item.premise, item.hypothesis)) for item in body.items]
    return await _judge_all(request, service, "nli", body, pairs)


def _answer(
    service: Service, model: LoadedModel, question: str, context: str, options: schemas.Answering, deadline: Deadline
) -> QAResult:
    result = answers.ask(
        service.predictor.executor,
        model,
        question,
        context,
        keep=options.keep,
        timeout_s=deadline.left(),
        progress=lambda share: None if share == 1 else deadline.check(),
    )
    return result.model_copy(update={"answer": result.text(options.threshold)})


async def _judge(
    request: Request, service: Service, task: TaskType, body: schemas.Judging, texts: tuple[str, ...]
) -> schemas.JudgementAnswer:
    def work(deadline: Deadline) -> schemas.JudgementAnswer:
        model = service.held(body.model, task, body.precision, texts)
        verdict = _judgement(service, model, texts, body.importance, deadline)
        return schemas.JudgementAnswer(**dict(verdict), model=model.info())

    return await service.prediction_pool.do(request, work)


async def _judge_all(
    request: Request,
    service: Service,
    task: TaskType,
    body: schemas.Judging,
    items: Sequence[tuple[str | None, tuple[str, ...]]],
) -> schemas.JudgementBatch:
    def work(deadline: Deadline) -> schemas.JudgementBatch:
        model = service.held(body.model, task, body.precision, [text for _, pair in items for text in pair])
        verdicts = [
            schemas.JudgementItem(**dict(_judgement(service, model, texts, body.importance, deadline)), id=name)
            for name, texts in items
        ]
        total = Cost.total([verdict.cost for verdict in verdicts])
        return schemas.JudgementBatch(model=model.info(), items=verdicts, cost=total)

    return await service.prediction_pool.do(request, work)


def _judgement(
    service: Service, model: LoadedModel, texts: tuple[str, ...], importance: bool, deadline: Deadline
) -> schemas.Judgement:
    executor = service.predictor.executor
    verdict = classification.classify(executor, model, texts, timeout_s=deadline.left())
    if not importance:
        return schemas.Judgement(**dict(verdict), importance=None, importance_ms=None)
    started = time.perf_counter()
    parts = attribution.attribute(
        executor,
        model,
        texts,
        verdict,
        timeout_s=deadline.left(),
        progress=lambda share: None if share == 1 else deadline.check(),
    )
    return schemas.Judgement(**dict(verdict), importance=parts, importance_ms=1e3 * (time.perf_counter() - started))
