"""The routes that read the board. None of them writes."""

import json
from typing import Annotated, Any

import pandas as pd
from fastapi import APIRouter, Depends, Path, Query, Request

from db.analysis import paired_tests
from db.analysis.comparison import MAX_RUNS, MIN_RUNS, ComparisonError, compare, other_data
from db.leaderboard.filters import Order, ordered, select
from db.runs import detail
from engine.inference.schemas import ApiModel
from engine.service import board_schemas, errors, state
from engine.service.board_schemas import plain
from engine.service.errors import ApiError
from engine.service.limits import Deadline
from engine.service.state import Service

router = APIRouter(prefix="/v1", tags=["board"], responses=errors.responses(429, 503, 504))

Here = Annotated[Service, Depends(state.of)]
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


@router.get("/tasks")
async def tasks(request: Request, here: Here) -> board_schemas.Tasks:
    """All tasks, in the order of the board's tabs."""

    def work(_: Deadline) -> board_schemas.Tasks:
        rows = detail.boards(here.store).drop(columns="position").to_dict("records")
        return board_schemas.Tasks(tasks=[board_schemas.TaskListed(**plain(row)) for row in rows])

    return await here.reading.do(request, work)


@router.get("/board/{task}")
async def board(
    request: Request, here: Here, task: TaskId, wanted: Annotated[board_schemas.BoardQuery, Query()]
) -> board_schemas.BoardPage:
    """Rows of a task's board: best first, each with its interval, its rank and its costs."""

    def work(_: Deadline) -> board_schemas.BoardPage:
        found = here.board(task, every_run=wanted.every_run, printed=wanted.printed)
        places = select(found, wanted.as_filter())
        if wanted.order:
            places = ordered(found, places, [Order(wanted.order, wanted.descending)])
        some = places[wanted.offset : wanted.offset + wanted.limit]
        figures = found.figures.iloc[some].to_dict("records")
        rows = found.rows.iloc[some].to_dict("records")
        return board_schemas.BoardPage(
            task=_task(found.task),
            total=len(places),
            limit=wanted.limit,
            offset=wanted.offset,
            rows=[_row(row, told) for row, told in zip(rows, figures, strict=True)],
        )

    return await here.reading.do(request, work)


@router.get("/runs/{run_id}")
async def run(
    request: Request,
    here: Here,
    run_id: RunId,
    curves: Annotated[bool, Query(description="Also give the curves of its training.")] = False,
) -> board_schemas.Run:
    """Everything about one run: figures, recipe, seeds, files; places on this machine are left out."""

    def work(_: Deadline) -> board_schemas.Run:
        found = detail.run_detail(here.store, run_id)
        points = found.curves[["series", "step", "epoch", "value"]].to_dict("records") if curves else None
        seeds = found.seeds.runs if found.seeds else found.siblings.iloc[:0]
        return board_schemas.Run(
            run=_facts(found.run),
            model=plain(found.model),
            task=_task(found.task),
            recipe=plain(found.recipe),
            metrics=[board_schemas.Metric(**plain(one)) for one in found.metrics.to_dict("records")],
            curves=None if points is None else [board_schemas.Point(**plain(one)) for one in points],
            artifacts=[
                board_schemas.Artifact(**plain(one)) for one in found.artifacts.drop(columns="path").to_dict("records")
            ],
            seeds=_siblings(seeds),
            siblings=_siblings(found.siblings),
        )

    return await here.reading.do(request, work)


@router.get("/compare", responses=errors.responses(409))
async def compared(request: Request, here: Here, run: RunIds) -> board_schemas.Comparison:
    """Two to six runs of one task on the examples that they share, told apart by paired tests."""

    def work(_: Deadline) -> board_schemas.Comparison:
        try:
            found = compare(here.store, run)
        except ComparisonError as error:
            raise ApiError(409, str(error), code="not_comparable", field="run") from None
        ids, common = found.chosen.ids(), found.common
        shares = {ids[place]: float(common.right[:, column].mean()) for column, place in enumerate(found.places)}
        several = len(found.places) > 1  # one run named twice is compared with nobody
        told = [paired_tests.verdict(common, measure) for measure in paired_tests.measures(common)] if several else []
        answering = [ids[place] for place in found.places]
        return board_schemas.Comparison(
            task_id=found.chosen.tasks[0],
            examples=len(common),
            runs=[
                board_schemas.Compared(
                    **_only(board_schemas.Compared, plain(row)), right=shares.get(str(row["run_id"]))
                )
                for row in found.chosen.runs.to_dict("records")
            ],
            verdicts=[_measured(one, answering) for one in told],
            other_data={
                kind: {str(plain(value)): [ids[place] for place in places] for value, places in values.items()}
                for kind, values in other_data(found.chosen).items()
            },
        )

    return await here.reading.do(request, work)


def _facts(run: dict[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in run.items() if key not in _OWN}
    return dict(plain({**told, "libraries": json.loads(run.get("libraries") or "{}")}))


def _task(facts: dict[str, Any]) -> board_schemas.Task:
    return board_schemas.Task(**_only(board_schemas.Task, plain(facts)))


def _row(row: dict[Any, Any], figures: dict[Any, Any]) -> board_schemas.Row:
    told = {name: value for name, value in plain(figures).items() if value is not None}
    return board_schemas.Row(**_only(board_schemas.Row, plain(row)), figures=told)


def _only(kind: type[ApiModel], facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name in kind.model_fields}


def _siblings(runs: pd.DataFrame) -> list[board_schemas.Sibling]:
    rows = runs.reindex(columns=["run_id", "seed", "score"]).to_dict("records")
    return [board_schemas.Sibling(**plain(row)) for row in rows]


def _measured(told: paired_tests.Verdict, ids: list[str]) -> board_schemas.Measured:
    pairs = [
        board_schemas.Paired(
            first=ids[one.first],
            second=ids[one.second],
            difference=one.difference,
            low=one.low,
            high=one.high,
            p=one.p,
            corrected=one.corrected,
            apart=one.apart,
        )
        for one in told.pairs
    ]
    return board_schemas.Measured(
        measure=told.measure, best=ids[told.best], even=[ids[one] for one in told.even], pairs=pairs
    )
