"""The routes that take somebody's runs in and tell what became of them; deciding is not done here."""

import base64
import binascii
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import pandas as pd
from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse
from pydantic import Field, StringConstraints, model_validator

from db import importers, submissions
from db.base.errors import SubmissionError
from db.remote import MAX_BUNDLE_BYTES
from db.submissions import Receipt
from db.submissions.drafts import receive_bundle
from engine.inference.schemas import ApiModel
from engine.service import errors
from engine.service.errors import ErrorBody, Fault
from engine.service.limits import Deadline
from engine.service.schemas import RequestModel
from engine.service.settings import SEND_RUNS, Body
from engine.service.state import ServiceState

PATH, BUNDLES = "/v1/submissions", "/v1/bundles"
BODY = Body(most_bytes=70 * 1024 * 1024)
"""A file of the largest size, in base64."""
BUNDLE_BODY = Body(MAX_BUNDLE_BYTES, ("application/zip",), read_s=120.0, scope=SEND_RUNS)

MOST_DRAFTS = 200
MOST_FILES = 8

router = APIRouter(prefix="/v1", tags=["submissions"], responses=errors.responses(404, 429, 503, 504))

Secret = Annotated[
    str,
    Header(alias="Submission-Secret", min_length=1, max_length=200, pattern="^[!-~]+$", description="Of the receipt."),
]


class Prediction(RequestModel):
    """An answer to one example of the split."""

    example_id: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    predicted: Annotated[str, StringConstraints(max_length=10_000)] = Field(description="A label, or a text.")
    score: float | None = Field(None, ge=0, le=1, description="Its probability.")


class Point(RequestModel):
    """A point of a curve."""

    series: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    step: int = Field(ge=0, le=2**53)
    value: float
    epoch: float | None = None


class HandedFile(RequestModel):
    """A file that somebody has, such as all_results.json or a table of predictions; its content tells what it is."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    text: str | None = Field(None, description="Its content.")
    base64: str | None = Field(None, description="Its content, where it is no text.")

    @model_validator(mode="after")
    def _one_content(self) -> "HandedFile":
        if (self.text is None) == (self.base64 is None):
            raise ValueError("give text or base64, and not both")
        return self

    def content(self) -> bytes:
        """Its bytes.

        Raises:
            SubmissionError: It is no base64.
        """
        if self.text is not None:
            return self.text.encode()
        try:
            return base64.b64decode(self.base64 or "", validate=True)
        except (binascii.Error, ValueError):
            raise SubmissionError(f"{self.name}: this is not base64. Nothing was saved.") from None


class Handed(RequestModel):
    """Runs that somebody claims, as fields or as files; all of them are taken or none."""

    drafts: list[dict[str, Any]] = Field(
        default_factory=list,
        max_length=MOST_DRAFTS,
        description="Each with fields such as task, model, params, metrics, dataset, device, contact, notes.",
        examples=[[{"task": "nsmc", "model": "My model", "metrics": {"accuracy": 0.8784}}]],
    )
    predictions: list[Prediction] = Field(default_factory=list, description="Of the only draft.")
    curves: list[Point] = Field(default_factory=list, description="Of the only draft.")
    files: list[HandedFile] = Field(default_factory=list, max_length=MOST_FILES, description="Instead of drafts.")
    fields: dict[str, str | int | float | bool] = Field(
        alias="given",
        default_factory=dict,
        description="What no file says, by field, such as task; stands above what files say.",
    )


class Taken(ApiModel):
    """What was handed in waits for a moderator."""

    submissions: list[str] = Field(description="Ids, one a draft, in their order.")
    secret: str = Field(description="By which GET /v1/submissions/status tells what becomes of them; given this once.")
    unused: list[str] = Field(description="Columns and keys of the files that were not used.")
    notes: list[str] = Field(description="What a person should know of the files.")


class Row(ApiModel):
    """What became of one row."""

    submission: str = Field(validation_alias="submission_id")
    position: int
    task: str
    model: str
    state: str = Field(description="waiting, accepted, rejected, merged or withdrawn.")
    reason: str | None
    run: str | None = Field(validation_alias="run_id", description="The run that it became, or was merged into.")
    created_at: datetime = Field(description="UTC.")
    decided_at: datetime | None = Field(description="UTC.")


class Rows(ApiModel):
    """What became of all that was handed in together."""

    rows: list[Row]


@router.post("/submissions", status_code=202, response_model=Taken)
async def submit(request: Request, service: ServiceState, body: Handed) -> Any:
    """Hand runs in. They wait for a moderator; what can be checked is checked here and again before a decision."""

    def work(_: Deadline) -> Any:
        drafts, tables, unused, notes = _gathered(body)
        receipt = submissions.submit(
            service.store,
            drafts,
            **tables,
            client=request.client.host if request.client else "",
            via="api",
            filename=", ".join(file.name for file in body.files)[:255],
        )
        if receipt.problems:
            return _refused(receipt)
        return Taken(submissions=list(receipt.submissions), secret=receipt.secret, unused=unused, notes=notes)

    return await service.board_pool.do(request, work)


@router.get("/submissions/status")
async def became(request: Request, service: ServiceState, secret: Secret) -> Rows:
    """What became of what was handed in, by the secret of its receipt."""

    def work(_: Deadline) -> Rows:
        rows = submissions.status(service.store, secret)
        return Rows(rows=[Row.model_validate(row, from_attributes=True) for row in rows])

    return await service.board_pool.do(request, work)


class TakenBack(RequestModel):
    """A row that its submitter withdraws."""

    submission: Annotated[str, StringConstraints(min_length=1, max_length=64)] = Field(
        description="Its id, or the beginning of that."
    )


@router.post("/submissions/withdraw", status_code=204, responses=errors.responses(409))
async def withdraw(request: Request, service: ServiceState, secret: Secret, body: TakenBack) -> None:
    """Take a row back, from the queue or from the board, by the secret of its receipt."""
    await service.board_pool.do(request, lambda _: submissions.withdraw(service.store, body.submission, secret=secret))


class Received(ApiModel):
    """The runs of a bundle are in the board."""

    added: int = Field(description="Runs that are new here.")
    updated: int = Field(description="Runs that were replaced by a newer state.")
    unchanged: int = Field(description="Runs that were here already.")
    note: str = Field(description="What else the sender should know, such as runs that wait for a moderator.")
    refused: int = Field(0, description="Runs of somebody else, or of the package, that were left as they were.")


_ZIP = {
    "requestBody": {
        "required": True,
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.post("/bundles", openapi_extra=_ZIP, responses=errors.responses(403))
async def receive(request: Request, service: ServiceState) -> Received:
    """Take in a bundle of runs that `featherboard db export` or `db push` made; sending it twice changes nothing."""
    content, sender = await request.body(), request.user.display_name

    def work(_: Deadline) -> Received:
        return Received(**asdict(receive_bundle(service.store, content, sender, service.import_queue)))

    return await service.bundle_pool.do(request, work)


def _gathered(body: Handed) -> tuple[list[dict[str, object]], dict[str, Any], list[str], list[str]]:
    if body.files and (body.drafts or body.predictions or body.curves):
        raise SubmissionError("files: send files, or drafts with their tables, and not both. Nothing was saved.")
    if not body.files:
        drafts = submissions.prepared(body.drafts or [{}], body.fields)
        tables = {"predictions": _table(body.predictions), "curves": _table(body.curves)}
        return drafts, tables, [], []
    gathered = submissions.gather([(file.name, importers.read(file.name, file.content())) for file in body.files])
    tables = {"predictions": gathered.predictions, "curves": gathered.curves}
    return submissions.prepared(gathered.drafts, body.fields), tables, list(gathered.unknown), list(gathered.notes)


def _table(rows: list[Prediction] | list[Point]) -> pd.DataFrame | None:
    return pd.DataFrame([row.model_dump() for row in rows]) if rows else None


def _refused(receipt: Receipt) -> JSONResponse:
    """Answer with the first problem's field, and with every problem in the message."""
    first, more = receipt.problems[0], len(receipt.problems) - 5
    problems = "; ".join(str(problem) for problem in receipt.problems[:5])
    fault = Fault(
        code="not_taken",
        message=f"{problems}{f' ({more} more)' if more > 0 else ''}. Nothing was saved.",
        field=f"drafts.{first.draft - 1}.{first.field}" if first.draft else first.field,
    )
    return JSONResponse(ErrorBody(error=fault).model_dump(exclude_none=True), 422)
