"""Submitted runs in a bundle from another machine: they wait here as well, whoever accepted them there."""

import json
from typing import Any

import pandas as pd

from db.base.errors import BundleError
from db.storage import changes
from db.storage.store import Store
from db.submissions.inbox import submit


def take(store: Store, content: bytes, where: str, client: str) -> int:
    """Hand in the submitted runs of a bundle that are not here yet; how many there were.

    Args:
        store: The board.
        content: Of the whole bundle.
        where: Names it in messages.
        client: Who sends it.

    Raises:
        BundleError: One of them is no claim; none was taken.
        LimitError: They are too many now.
    """
    batch = {change.table: change.rows for change in changes.unpack(content, "run bundle", where)}
    try:
        runs = batch.get("runs", pd.DataFrame({"source": [], "run_id": []}))
        runs = runs[runs["source"] == "submitted"]
        runs = runs[~runs["run_id"].isin(_here(store))]
        drafts = [_draft(batch, run) for run in runs.to_dict("records")]
        tables = {
            table: {
                number: rows
                for number, run_id in enumerate(runs["run_id"], start=1)
                if len(rows := _of(batch, table, run_id))
            }
            for table in ("predictions", "curves")
        }
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(f"{where}: {error}; nothing was changed.") from error
    if not drafts:
        return 0
    said, points = tables["predictions"], tables["curves"]
    receipt = submit(store, drafts, predictions=said, curves=points, client=client, via="quack", skip_known=True)
    if receipt.problems:
        raise BundleError(f"{where}: {receipt.problems[0]}; nothing was changed.")
    return len(receipt.submissions)


def _here(store: Store) -> list[str]:
    if not store.exists():
        return []
    return [str(run_id) for run_id in store.query("SELECT run_id FROM runs WHERE source = 'submitted'")["run_id"]]


def _of(batch: dict[str, pd.DataFrame], table: str, run_id: str) -> pd.DataFrame:
    rows = batch.get(table)
    if rows is None:
        return pd.DataFrame()
    return rows[rows["run_id"] == run_id].reset_index(drop=True)


def _draft(batch: dict[str, pd.DataFrame], run: dict[str, Any]) -> dict[str, object]:
    """A run of the board as a claim; what it says of being verified is found anew."""
    models = batch["models"]
    model: dict[str, Any] = models[models["model_id"] == run["model_id"]].iloc[0].to_dict()
    metrics = _of(batch, "metrics", run["run_id"])
    training = json.loads(run["recipe_json"]) if isinstance(run["recipe_json"], str) else {}
    counted = _known(model["params"])
    citation = _known(run["citation"])
    told = {
        "task": run["task_id"],
        "model": model["name"],
        "family": model["family"],
        "architecture": model["architecture"],
        "link": model["link"],
        "language": model["language"],
        "licence": model["licence"],
        "params": model["params_reported"] if counted is None else counted,
        "params_source": "typed" if counted is None else "config",
        "dataset": run["dataset"],
        "teacher": run["teacher"],
        "seed": run["seed"],
        "train_seconds": run["train_seconds"],
        "device": run["device"],
        "metrics": dict(zip(metrics["name"], metrics["value"], strict=True)),
        "training": training,
        "checkpoint": citation if citation != _known(model["link"]) else None,
        "notes": run["notes"],
    }
    return {field: value for field, value in told.items() if _known(value) is not None}


def _known(value: Any) -> Any:
    """A cell's value; None where it is missing."""
    return None if not isinstance(value, dict) and pd.isna(value) else value
