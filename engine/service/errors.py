"""Every error as one JSON object, and nothing of this machine in it."""

import logging
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from db.base.errors import BundleError, LimitError, ModerationError, NotFoundError, StoreError, SubmissionError
from engine.base.errors import DataError
from engine.inference.schemas import BusyError, LateError

_LOG = logging.getLogger("featherboard.service")

RETRY_S = 1
"""Seconds after which somebody who was sent away may come again: by then most answers are given."""

SIGN = r"[^\s\u0000-\u001f\u007f-\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]"
"""One sign that is to be seen: a text of blanks and control characters is an empty one."""

_PART = r"[^\s/\\'\"`,;:()<>]"
_PATH = re.compile(rf"(?<![\w/:.~])(?:(?:~[/\\]|[A-Za-z]:\\|\\\\)(?:{_PART}+[/\\])*|/(?:{_PART}+[/\\])+){_PART}*")
"""A place in a file system with at least one folder in it."""

_MEANT: tuple[tuple[type[Exception], int, str], ...] = (
    (BusyError, 429, "Too many answers are being computed or wait; try again in a moment."),
    (LateError, 504, "The answer did not come in time; nothing was kept."),
    (NotFoundError, 404, ""),
    (DataError, 422, ""),
    (LimitError, 429, ""),
    (SubmissionError, 422, ""),
    (BundleError, 422, ""),
    (ModerationError, 409, ""),
)
"""Errors that are the client's to know: what they are, their status, and a message where their own says too much."""

_CODES = {
    400: ("bad_request", "The request cannot be read."),
    401: ("unauthorized", "A token is needed, and the one that came is missing or wrong."),
    403: ("forbidden", "The token does not allow this."),
    404: ("not_found", "There is no such model, task, run or address; GET /docs describes what there is."),
    405: ("method_not_allowed", "This address takes another method."),
    408: ("too_slow", "The body did not come in time."),
    409: ("conflict", "The parts of the request do not go together, such as a model and a number format."),
    413: ("too_large", "The body is too large."),
    415: ("media_type", "The body is no application/json."),
    422: ("invalid", "The body or a parameter is not as described; `field` says which."),
    429: ("busy", "Too many requests are computed or wait; the header Retry-After says when to try again."),
    499: ("gone", "The client went away."),
    500: ("internal", "Something went wrong here; the log of the service says what."),
    503: ("unavailable", "The database or a model cannot be used at the moment."),
    504: ("timeout", "The answer did not come in time; nothing was kept."),
}


class Fault(BaseModel):
    """What went wrong."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(description="For programs: a word that stays the same.", examples=["invalid"])
    message: str = Field(description="For people: what was wrong, and what to do.")
    field: str | None = Field(None, description="Which part of the body or which parameter, such as items.3.question.")


class ErrorBody(BaseModel):
    """The body of every answer that is no success."""

    model_config = ConfigDict(extra="forbid")

    error: Fault


class ApiError(HTTPException):
    """An error that is meant for the client."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Say what went wrong.

        Args:
            status: The HTTP status.
            message: For people.
            code: For programs; None: that of the status.
            field: The part of the request that is wrong.
            headers: Of the answer.
        """
        super().__init__(status, message, headers)
        self.code, self.field = code or code_of(status), field


def code_of(status: int) -> str:
    """The word of a status."""
    return _CODES.get(status, ("error", ""))[0]


def answer(
    status: int,
    message: str,
    *,
    code: str | None = None,
    field: str | None = None,
    headers: dict[str, str] | None = None,
) -> JSONResponse:
    """An error as an answer; what the client wrote is cut and made harmless in it."""
    fault: dict[str, str] = {"code": code or code_of(status), "message": _clean(message, 500)}
    if field:
        fault["field"] = _clean(field, 200)
    extra = {"Retry-After": str(RETRY_S)} if status in {429, 503} else {}
    return JSONResponse({"error": fault}, status, headers={**extra, **(headers or {})})


def of(error: Exception) -> JSONResponse:
    """Any exception as an answer."""
    if isinstance(error, HTTPException):
        code, field = (error.code, error.field) if isinstance(error, ApiError) else (None, None)
        message = error.detail if isinstance(error, ApiError) else _CODES.get(error.status_code, ("", error.detail))[1]
        return answer(error.status_code, str(message), code=code, field=field, headers=dict(error.headers or {}))
    if isinstance(error, RequestValidationError):
        return _invalid(error.errors())
    for kind, status, message in _MEANT:
        if isinstance(error, kind):
            return answer(status, message or pathless(str(error)))
    if isinstance(error, StoreError):
        _LOG.warning("The database cannot be read: %s", error)
        message = "The board's database cannot be read at the moment; the log of the service says why."
        return answer(503, message, code="board_unavailable")
    _LOG.error("A request failed", exc_info=error)
    return answer(500, "Something went wrong here; the log of the service says what. Nothing was changed.")


def _invalid(errors: Sequence[Any]) -> JSONResponse:
    first: dict[str, Any] = dict(errors[0]) if errors else {}
    where = [str(part) for part in first.get("loc", ())]
    if first.get("type") == "json_invalid":
        return answer(422, "The body is no JSON.", code="invalid_json")
    blank = (first.get("ctx") or {}).get("pattern") == SIGN
    message = "Empty: it holds nothing that can be seen" if blank else str(first.get("msg", "Not as described"))
    message = message.rstrip(".")
    more = f" ({len(errors) - 1} more)" if len(errors) > 1 else ""
    return answer(422, f"{message}.{more}", field=".".join(where[1:]) or (where[0] if where else None))


def pathless(text: str) -> str:
    """A text in which every path is cut to its last part: folders of this machine are nobody's business."""
    return _PATH.sub(lambda match: "…/" + re.split(r"[/\\]", match.group().rstrip("/\\"))[-1], text)


def _clean(text: str, limit: int) -> str:
    """Short, and encodable: a client's key can hold half a character."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The documentation of errors, for a route or a router; those that any request can meet are always among them."""
    return {
        status: {"model": ErrorBody, "description": f"{HTTPStatus(status).phrase}: {_CODES[status][1]}"}
        for status in sorted({401, 404, 405, 408, 413, 415, 422, 500, *statuses})
    }


def install(app: FastAPI) -> None:
    """Let an application answer every error of its routes in our form."""

    async def handle(_: Request, error: Exception) -> JSONResponse:
        return of(error)

    for kind in (HTTPException, RequestValidationError, StoreError, *(kind for kind, _, _ in _MEANT)):
        app.add_exception_handler(kind, handle)
