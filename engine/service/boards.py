"""The routes that read the board. None of them writes."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, Literal

import pandas as pd
from fastapi import APIRouter, Path, Query, Request, Response

from db.analysis import paired_tests
from db.analysis.comparison import MAX_RUNS, MIN_RUNS, ComparisonError, compare, other_data
from db.leaderboard.board import with_caveats
from db.leaderboard.filters import Order, ordered, select
from db.leaderboard.history import history
from db.runs import detail
from db.sharing import feed
from db.sharing.badge import badge
from engine.inference.schemas import ApiModel
from engine.service import board_schemas, errors
from engine.service.board_schemas import plain
from engine.service.errors import ApiError
from engine.service.limits import Deadline
from engine.service.state import Service, ServiceState

router = APIRouter(prefix="/v1", tags=["board"], responses=errors.responses(429, 503, 504))

RunId = Annotated[
    str, Path(pattern="^[0-9A-Za-z_-]{8,64}$", description="A run's id, or its beginning where that is unique.")
]
TaskId = Annotated[str, Path(pattern="^[a-z0-9-]{1,64}$", description="See GET /v1/tasks.")]
RunIds = Annotated[
    list[Annotated[str, Query(pattern="^[0-9A-Za-z_-]{8,64}$")]],
    Query(min_length=MIN_RUNS, max_length=MAX_RUNS, description="Ids of two to six runs of one task."),
]

_OWN = ("host", "pid", "heartbeat", "recipe_json")
"""Columns of a run that are this machine's own, or told elsewhere in the answer."""

MAX_AGE_S = 300
"""Seconds for which a copy may be shown without a new request."""

_SVG = "image/svg+xml"
# A badge that is opened as a page runs and fetches nothing, whatever the name of a model holds.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

Language = Annotated[Literal["en", "ko"], Query(description="Language of the words.")]
ModelName = Annotated[str, Path(max_length=200, description="The model's name on the board; it may contain slashes.")]


@router.get("/tasks")
async def tasks(request: Request, service: ServiceState) -> board_schemas.Tasks:
    """All tasks, in the order of the board's tabs."""

    def work(_: Deadline) -> board_schemas.Tasks:
        rows = detail.boards(service.store).drop(columns="position").to_dict("records")
        return board_schemas.Tasks(tasks=[board_schemas.TaskListed(**plain(row)) for row in rows])

    return await service.board_pool.do(request, work)


@router.get("/board/{task}")
async def board(
    request: Request, service: ServiceState, task: TaskId, query: Annotated[board_schemas.BoardQuery, Query()]
) -> board_schemas.BoardPage:
    """Rows of a task's board: best first, each with its interval, its rank and its costs."""

    def work(_: Deadline) -> board_schemas.BoardPage:
        table = service.board(task, every_run=query.every_run, printed=query.printed)
        places = select(table, query.as_filter())
        if query.order:
            places = ordered(table, places, [Order(query.order, query.descending)])
        some = places[query.offset : query.offset + query.limit]
        figures = table.figures.iloc[some].to_dict("records")
        partial = table.partial.iloc[some].to_dict("records")
        rows = with_caveats(table.rows.iloc[some]).to_dict("records")
        return board_schemas.BoardPage(
            task=_task(table.task),
            total=len(places),
            limit=query.limit,
            offset=query.offset,
            rows=[_row(*parts) for parts in zip(rows, figures, partial, strict=True)],
        )

    return await service.board_pool.do(request, work)


@router.get("/runs/{run_id}")
async def run(
    request: Request,
    service: ServiceState,
    run_id: RunId,
    curves: Annotated[bool, Query(description="Also give the curves of its training.")] = False,
) -> board_schemas.Run:
    """Everything about one run: figures, recipe, seeds, files; places on this machine are left out."""

    def work(_: Deadline) -> board_schemas.Run:
        details = detail.run_detail(service.store, run_id)
        points = details.curves[["series", "step", "epoch", "value"]].to_dict("records") if curves else None
        seeds = details.seeds.runs if details.seeds else details.siblings.iloc[:0]
        return board_schemas.Run(
            run=_facts(details.run),
            model=plain(details.model),
            task=_task(details.task),
            recipe=plain(details.recipe),
            metrics=[board_schemas.Metric(**plain(row)) for row in details.metrics.to_dict("records")],
            curves=None if points is None else [board_schemas.Point(**plain(row)) for row in points],
            artifacts=[
                board_schemas.Artifact(**plain(row))
                for row in details.artifacts.drop(columns="path").to_dict("records")
            ],
            seeds=_siblings(seeds),
            siblings=_siblings(details.siblings),
        )

    return await service.board_pool.do(request, work)


@router.get("/compare", responses=errors.responses(409))
async def compared(request: Request, service: ServiceState, run: RunIds) -> board_schemas.Comparison:
    """Two to six runs of one task on the examples that they share, told apart by paired tests."""

    def work(_: Deadline) -> board_schemas.Comparison:
        try:
            comparison = compare(service.store, run)
        except ComparisonError as error:
            raise ApiError(409, str(error), code="not_comparable", field="run") from None
        ids, common = comparison.chosen.ids(), comparison.common
        tested = enumerate(comparison.places) if common.numbers is None else ()
        shares = {ids[position]: float(common.right[:, column].mean()) for column, position in tested}
        several = len(comparison.places) > 1  # one run named twice is compared with nobody
        measures = paired_tests.measures(common) if several else ()
        verdicts = [paired_tests.verdict(common, measure) for measure in measures]
        answering = [ids[position] for position in comparison.places]
        return board_schemas.Comparison(
            task_id=comparison.chosen.tasks[0],
            examples=len(common),
            runs=[
                board_schemas.Compared(
                    **_only(board_schemas.Compared, plain(row)), right=shares.get(str(row["run_id"]))
                )
                for row in comparison.chosen.runs.to_dict("records")
            ],
            verdicts=[_measured(verdict, answering) for verdict in verdicts],
            other_data={
                kind: {str(plain(value)): [ids[position] for position in places] for value, places in values.items()}
                for kind, values in other_data(comparison.chosen).items()
            },
        )

    return await service.board_pool.do(request, work)


def _content(media_type: str, *statuses: int) -> dict[int | str, dict[str, Any]]:
    return {
        **errors.responses(*statuses),
        200: {"content": {media_type: {"schema": {"type": "string"}}}},
        304: {"description": "The copy with the ETag of If-None-Match is still right."},
    }


@router.get("/badges/{task}/{model:path}.svg", response_class=Response, responses=_content(_SVG, 429, 503, 504))
async def model_badge(
    request: Request, service: ServiceState, task: TaskId, model: ModelName, lang: Language = "en"
) -> Response:
    """A model's score on a board as an SVG picture for a README."""
    return await _cached(request, service, lambda _: badge(service.board(task, every_run=False), model, lang).svg, _SVG)


@router.get("/changes.atom", response_class=Response, responses=_content(feed.MEDIA_TYPE, 429, 503, 504))
async def changes(request: Request, service: ServiceState, lang: Language = "en") -> Response:
    """New, replaced and withdrawn runs and new best scores as an Atom feed, the newest first."""

    def work(_: Deadline) -> bytes:
        read = history(service.store)
        for column in ("name", "reason"):
            read.events[column] = read.events[column].map(errors.pathless, na_action="ignore")
        return feed.atom(read, lambda run, _: f"runs/{run}", "tasks", lang)

    return await _cached(request, service, work, feed.MEDIA_TYPE)


def _facts(run: dict[str, Any]) -> dict[str, Any]:
    facts = {key: value for key, value in run.items() if key not in _OWN}
    return dict(plain({**facts, "libraries": json.loads(run.get("libraries") or "{}")}))


def _task(facts: dict[str, Any]) -> board_schemas.Task:
    return board_schemas.Task(**_only(board_schemas.Task, plain(facts)))


def _row(row: dict[Any, Any], figures: dict[Any, Any], partial: dict[Any, Any]) -> board_schemas.Row:
    values = {name: value for name, value in plain(figures).items() if value is not None}
    some = {name: count for name, count in plain(partial).items() if count}
    facts = {**_only(board_schemas.Row, plain(row)), "tags": str(plain(row["tags"]) or "").split()}
    return board_schemas.Row(**facts, figures=values, partial=some)


def _only(kind: type[ApiModel], facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name in kind.model_fields}


def _siblings(runs: pd.DataFrame) -> list[board_schemas.Sibling]:
    rows = runs.reindex(columns=["run_id", "seed", "score"]).to_dict("records")
    return [board_schemas.Sibling(**plain(row)) for row in rows]


def _measured(verdict: paired_tests.Verdict, ids: list[str]) -> board_schemas.Measured:
    pairs = [
        board_schemas.Paired(
            **asdict(pair) | {"first": ids[pair.first], "second": ids[pair.second], "apart": pair.apart}
        )
        for pair in verdict.pairs
    ]
    return board_schemas.Measured(
        measure=verdict.measure, best=ids[verdict.best], even=[ids[pair] for pair in verdict.even], pairs=pairs
    )


async def _cached(
    request: Request, service: Service, work: Callable[[Deadline], str | bytes], media_type: str
) -> Response:
    """Answer with the content, or with 304 where the client has it; behind a token no shared cache may store it."""
    made = await service.board_pool.do(request, work)
    content = made.encode() if isinstance(made, str) else made
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {
        "ETag": tag,
        "Cache-Control": f"{'private' if service.settings.private else 'public'}, max-age={MAX_AGE_S}",
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
    }
    if tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)
