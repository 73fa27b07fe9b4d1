"""Drafts from files: several files may describe one run, a person adds what no file says, and bundles hold runs."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from db.base.errors import BundleError
from db.base.problems import Code, RefusedError
from db.importers import metric_names
from db.importers.result import ImportedFile
from db.importers.tables import Cell
from db.registry import tasks
from db.runs import bundles
from db.runs.bundles import Imported, Incoming
from db.runs.bundles.importing import import_one
from db.runs.bundles.queue import ImportQueue
from db.storage import installation, untrusted
from db.storage.changes import Change
from db.storage.store import Store
from db.submissions.claim import GROUPS, Claim, flat, is_field, nested
from db.submissions.inbox import submit

_COUNTED = ("safetensors", "config")


@dataclass(frozen=True)
class Gathered:
    """What several files say together.

    Attributes:
        drafts: At least one.
        predictions: Of the only draft.
        curves: Of the only draft.
        unknown: Columns and keys that were not used, each with its file.
        left_out: The tasks of rows that were left out because there is no such board, one for each row.
        notes: One sentence each.
        origins: Of the drafts of a table, as ``ImportedFile`` has them.
    """

    drafts: tuple[dict[str, object], ...] = ({},)
    predictions: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None
    unknown: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: tuple[dict[str, Cell], ...] = ()

    def located(self, number: int, field: str) -> Cell | None:
        """Return the cell of a draft's field; None where it is from no table.

        Args:
            number: Of the draft, from 1.
            field: Such as ``metrics.accuracy``.
        """
        return self.origins[number - 1].get(field) if 0 < number <= len(self.origins) else None


@dataclass(frozen=True)
class Question:
    """Open values of one column, which one answer settles.

    Attributes:
        field: Of the claim, such as ``metrics.accuracy``.
        rows: The drafts, from 1.
        values: As they came, one for each draft.
        readings: What the values may mean: each a value for each draft.
        cells: Where they stand; empty where they are from no table.
    """

    field: str
    rows: tuple[int, ...]
    values: tuple[str, ...]
    readings: tuple[tuple[str, ...], ...]
    cells: tuple[Cell, ...]


def questions(gathered: Gathered) -> list[Question]:
    """Return what has to be answered before the drafts can be claims."""
    groups: dict[tuple[str, str, bool], list[tuple[int, str]]] = {}
    for number, draft in enumerate(gathered.drafts, start=1):
        for field, value in flat(draft).items():
            if isinstance(value, str) and metric_names.choices(field, value):
                cell = gathered.located(number, field)
                key = field, cell.column if cell else "", value.endswith(metric_names.DOUBT)
                groups.setdefault(key, []).append((number, value))
    result = []
    for (field, _column, _of_unit), open_values in groups.items():
        rows, values = zip(*open_values, strict=True)
        readings = zip(*(metric_names.choices(field, value) for value in values), strict=True)
        cells = (gathered.located(number, field) for number in rows)
        result.append(Question(field, rows, values, tuple(readings), tuple(cell for cell in cells if cell)))
    return result


def answered(gathered: Gathered, answers: Sequence[tuple[Question, int]]) -> Gathered:
    """Put readings into the drafts; an answer is a question with the index of a reading."""
    fields = [flat(draft) for draft in gathered.drafts]
    for question, index in answers:
        for number, value in zip(question.rows, question.readings[index], strict=True):
            fields[number - 1][question.field] = value
    return replace(gathered, drafts=tuple(map(nested, fields)))


def gather(files: Sequence[tuple[str, ImportedFile]]) -> Gathered:
    """Combine what files say: one may have many rows, else all of them describe one run.

    Args:
        files: The files' names, and what an importer read from them.

    Raises:
        RefusedError: It is not clear which row a file belongs to, or two files disagree.
    """
    many = [name for name, file in files if len(file.drafts) > 1]
    own: dict[str, object] = {}
    origin: dict[str, str] = {}
    for name, file in files:
        counted: dict[str, object] = {} if file.params is None else {"params": file.params}
        if counted and file.kind in _COUNTED:
            counted["params_source"] = file.kind
        for part in [counted] if len(file.drafts) > 1 else [*file.drafts, counted]:
            _add(own, origin, part, name)
    predictions = [(name, file.predictions) for name, file in files if file.predictions is not None]
    curves = [(name, file.curves) for name, file in files if file.curves is not None]
    if many and (len(many) > 1 or own or predictions or curves):
        other = next((name for name, _ in files if name != many[0]), many[0])
        raise RefusedError(Code.FILE_OF_MANY, file=many[0], other=other)
    if len(predictions) > 1:
        raise RefusedError(Code.TABLE_TWICE, file=predictions[0][0], other=predictions[1][0], table="predictions")
    table = next((file for name, file in files if name in many), None)
    rows = table.drafts if table else (own,)
    origins = table.origins if table else next((file.origins for _, file in files if file.origins), ())
    foreign = [index for index, row in enumerate(rows) if _is_foreign(row.get("task"))] if table else []
    foreign = [] if len(foreign) == len(rows) else foreign
    left_out = tuple(str(rows[index]["task"])[:60] for index in foreign)
    unused = (f"{many[0]}: rows of {task!r}" for task in dict.fromkeys(left_out))
    return Gathered(
        tuple(nested(flat(row)) for index, row in enumerate(rows) if index not in foreign),
        predictions[0][1] if predictions else None,
        pd.concat([table for _, table in curves], ignore_index=True) if curves else None,
        (*unused, *(f"{name}: {column}" for name, file in files for column in file.unknown)),
        left_out,
        tuple(f"{name}: {note}" for name, file in files for note in file.notes),
        tuple(origin for index, origin in enumerate(origins) if index not in foreign),
    )


def _is_foreign(task: object) -> bool:
    """Whether a row is of a data set without a board, and not of a board whose name is misspelled."""
    if not isinstance(task, str) or not task.strip() or tasks.by_name(task):
        return False
    return not difflib.get_close_matches(task.strip().lower(), tasks.task_ids(), n=1)


def _add(own: dict[str, object], origin: dict[str, str], part: Mapping[str, object], name: str) -> None:
    for field, value in flat(part).items():
        if field == "training.epochs" and (precise := _less_rounded(own.get(field), value)):
            own[field] = precise
        elif field in own and own[field] != value:
            texts = {"value": str(own[field])[:60], "other_value": str(value)[:60]}
            raise RefusedError(Code.FILES_DIFFER, file=origin[field], other=name, name=field, **texts)
        else:
            own[field], origin[field] = value, name


def _less_rounded(first: object, second: object) -> float | None:
    """Of two numbers of which one is the other, rounded to two decimals, the longer one; None where they are not.

    Older versions of the Hugging Face trainer round the epochs in ``all_results.json`` so, and not in its state.
    """
    if not isinstance(first, int | float) or not isinstance(second, int | float):
        return None
    pairs = ((first, second), (second, first))
    return next((float(longer) for longer, rounded in pairs if round(longer, 2) == rounded), None)


def prepared(drafts: Sequence[Mapping[str, object]], fields: Mapping[str, object]) -> list[dict[str, object]]:
    """Set fields in all drafts; they replace what a file says, but for the task that a file names.

    Args:
        drafts: Each with some fields of a claim.
        fields: Values by field; ``metrics.NAME`` and ``training.NAME`` name a part of one.

    Raises:
        RefusedError: There is no such field.
    """
    for field in fields:
        if not is_field(field):
            names = ", ".join(f"{name}.NAME" if name in GROUPS else name for name in Claim.model_fields)
            raise RefusedError(Code.NO_SUCH_FIELD, name=repr(field), fields=names)
    own = [flat(draft) for draft in drafts]
    return [nested({**draft, **fields, **({"task": draft["task"]} if draft.get("task") else {})}) for draft in own]


def receive_bundle(store: Store, content: bytes, sender: str, queue: ImportQueue | None = None) -> Imported:
    """Take in a bundle that another machine sent: measured runs at once, submitted ones as submissions.

    Args:
        store: The board.
        content: The whole bundle.
        sender: The name of the token that came with it.
        queue: Shared by all who receive bundles for this board at the same time.

    Raises:
        BundleError: It cannot be used; nothing was changed.
        LimitError: A limit on submissions is exceeded; nothing was changed.
        StoreBusyError: Others hold the database; nothing was changed.
    """

    def decoded() -> Incoming:
        source = "the bundle"
        batch = untrusted.unpack(content, bundles.KIND, source)
        # Runs that somebody claims wait for a moderator here too. They come first: what they lack refuses all.
        waiting = submit_bundle(store, batch, source, sender)
        signer = installation.signer(content, source)
        note = f"{waiting} submitted run(s) wait there for a moderator." if waiting else ""
        return Incoming(batch, source, signer, submitted=False, received_by=sender, note=note)

    return queue.add(decoded) if queue else import_one(store, decoded())


def submit_bundle(store: Store, unpacked: Sequence[Change], source: str, client: str) -> int:
    """Submit the submitted runs of a bundle from another machine; they wait here too, whoever accepted them there.

    Returns:
        How many runs were not here yet.

    Raises:
        BundleError: One of them is not a valid claim; nothing was changed.
        LimitError: A limit is exceeded.
    """
    batch = {change.table: change.rows for change in unpacked}
    known = "SELECT run_id FROM runs WHERE source = 'submitted'"
    try:
        runs = batch.get("runs", pd.DataFrame({"source": [], "run_id": []}))
        runs = runs[runs["source"] == "submitted"]
        if len(runs) and store.exists():
            runs = runs[~runs["run_id"].isin(store.query(known)["run_id"])]
        drafts = [_draft_of_run(batch, run) for run in runs.to_dict("records")]
        tables = {
            table: {
                number: rows
                for number, run_id in enumerate(runs["run_id"], start=1)
                if len(rows := _rows_of_run(batch, table, run_id))
            }
            for table in ("predictions", "curves")
        }
    except (KeyError, TypeError, ValueError) as error:
        raise BundleError(f"{source}: {error}; nothing was changed.") from error
    if not drafts:
        return 0
    receipt = submit(
        store,
        drafts,
        predictions=tables["predictions"],
        curves=tables["curves"],
        client=client,
        via="quack",
        skip_known=True,
    )
    if receipt.problems:
        raise BundleError(f"{source}: {receipt.problems[0]}; nothing was changed.")
    return len(receipt.submissions)


def _rows_of_run(batch: dict[str, pd.DataFrame], table: str, run_id: str) -> pd.DataFrame:
    rows = batch.get(table)
    return pd.DataFrame() if rows is None else rows[rows["run_id"] == run_id].reset_index(drop=True)


def _draft_of_run(batch: dict[str, pd.DataFrame], run: dict[str, Any]) -> dict[str, object]:
    """Turn a run of a board into a draft; whether it is verified is checked again here."""
    models = batch["models"]
    model: dict[str, Any] = models[models["model_id"] == run["model_id"]].iloc[0].to_dict()
    metrics = _rows_of_run(batch, "metrics", run["run_id"])
    counted = not pd.isna(model["params"])
    draft = {field: run[field] for field in ("dataset", "teacher", "seed", "train_seconds", "device", "notes")}
    draft |= {field: model[field] for field in ("family", "architecture", "link", "language", "licence")}
    draft |= {
        "task": run["task_id"],
        "model": model["name"],
        "params": model["params"] if counted else model["params_reported"],
        "params_source": "config" if counted else "typed",
        "checkpoint": None if run["citation"] == model["link"] else run["citation"],
    }
    known = {field: value for field, value in draft.items() if not pd.isna(value)}
    training = json.loads(run["recipe_json"]) if isinstance(run["recipe_json"], str) else {}
    return known | {"metrics": dict(zip(metrics["name"], metrics["value"], strict=True)), "training": training}
