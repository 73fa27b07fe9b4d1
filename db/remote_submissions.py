"""Submit runs to the board of another machine, where they wait for its moderator."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
import pandas as pd

from db import remote
from db.base.errors import RemoteError
from db.remote import Target


@dataclass(frozen=True)
class RemoteReceipt:
    """What another board answers.

    Attributes:
        submissions: Ids, one a draft.
        secret: Shows what becomes of them.
    """

    submissions: tuple[str, ...]
    secret: str


def submit(
    target: Target,
    drafts: Sequence[Mapping[str, object]],
    *,
    predictions: pd.DataFrame | None = None,
    curves: pd.DataFrame | None = None,
) -> RemoteReceipt:
    """Submit drafts to another board, as ``db.submissions.submit`` does to this one; all are taken or none.

    Raises:
        RemoteError: They were not taken, or no answer came.
    """
    body = {
        "drafts": [{name: _plain(value) for name, value in draft.items()} for draft in drafts],
        "predictions": _rows(predictions, ("example_id", "predicted", "score")),
        "curves": _rows(curves, ("series", "step", "value", "epoch")),
    }
    answer = _ask(
        target,
        lambda client: client.post("v1/submissions", json=body),
        "If it arrived all the same, submitting it again is refused.",
    )
    try:
        return RemoteReceipt(tuple(answer["submissions"]), answer["secret"])
    except (KeyError, TypeError):
        raise _foreign(target) from None


def status(target: Target, secret: str) -> list[dict[str, Any]]:
    """Ask what became of the rows of a secret: ``submission, position, task, model, state, reason, run``.

    Raises:
        RemoteError: The secret belongs to no submission there, or no answer came.
    """
    headers = {"Submission-Secret": secret}
    answer = _ask(target, lambda client: client.get("v1/submissions/status", headers=headers), "Try again later.")
    try:
        return list(answer["rows"])
    except (KeyError, TypeError):
        raise _foreign(target) from None


def take_back(target: Target, submission_id: str, secret: str) -> None:
    """Withdraw a row of a secret, from the queue or from the board.

    Raises:
        RemoteError: There is no such row of the secret, it can no longer be withdrawn, or no answer came.
    """
    body, headers = {"submission": submission_id}, {"Submission-Secret": secret}
    _ask(
        target,
        lambda client: client.post("v1/submissions/withdraw", json=body, headers=headers),
        "It may be withdrawn all the same; `--status` shows it.",
    )


def _ask(target: Target, call: Callable[[httpx.Client], httpx.Response], if_lost: str) -> dict[str, Any]:
    """The answer to one request, empty where it has none.

    Nothing is sent twice by itself, since a submission that came twice is two.
    """
    with remote.client(target, content_type="application/json") as client:
        try:
            response = call(client)
        except httpx.ConnectError as error:
            raise RemoteError(f"{target.url}: no answer ({error}). Nothing was saved; try again later.") from None
        except httpx.TransportError as error:
            raise RemoteError(f"{target.url}: no answer ({error}). {if_lost}") from None
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise RemoteError(f"{target.url} takes submissions with a token alone. {remote.message(response)}")
    if response.is_error:
        raise RemoteError(f"{target.url}: {remote.message(response)}")
    if response.status_code == httpx.codes.NO_CONTENT:
        return {}
    try:
        answer = response.json()
    except ValueError:
        raise _foreign(target) from None
    return dict(answer) if isinstance(answer, dict) else {}


def _foreign(target: Target) -> RemoteError:
    return RemoteError(f"{target.url} does not answer as `featherboard serve-api` does; look at the address.")


def _rows(table: pd.DataFrame | None, columns: Sequence[str]) -> list[dict[str, Any]]:
    """Rows as JSON, missing values left out."""
    if table is None:
        return []
    rows = table[[name for name in columns if name in table]].to_dict("records")
    return [{name: _plain(value) for name, value in row.items() if pd.notna(value)} for row in rows]


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if value is None or isinstance(value, str | bool | int | float | list):
        return value
    return value.item() if hasattr(value, "item") else str(value)
