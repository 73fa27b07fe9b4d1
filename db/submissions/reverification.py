"""Verifying runs that are on the board already: the right answers may have come later."""

import duckdb
import pandas as pd

from db.base.clock import utc_now
from db.base.errors import FeatherboardError, NotFoundError
from db.registry import tasks
from db.runs.detail import resolve
from db.runs.writer import metrics_change
from db.storage import changes
from db.storage.changes import Change
from db.storage.store import Store
from db.submissions import claim_values, previews, records, review, rows
from db.submissions.verification import Report


def unverified(store: Store) -> list[str]:
    """Submitted runs on the board with predictions and without the badge, the oldest first."""
    found = store.query(
        "SELECT run_id FROM runs r WHERE source = 'submitted' AND NOT verified "
        "AND EXISTS (SELECT 1 FROM predictions p WHERE p.run_id = r.run_id) "
        "AND NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.run_id = r.run_id) ORDER BY created_at, run_id"
    )
    return [str(run_id) for run_id in found["run_id"]]


def verify_run(store: Store, run_id: str) -> Report:
    """Score a submitted run's predictions anew, and let its badge, figures and caveat say what was found.

    Args:
        store: The database.
        run_id: A run's id, or its beginning.

    Raises:
        NotFoundError: There is no such run.
        FeatherboardError: It was not submitted; nothing was changed.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        run = con.execute("SELECT source, task_id, task_version FROM runs WHERE run_id = ?", [full]).fetchone()
        source, task_id, version = run or (None, None, None)
        if source != "submitted":
            raise FeatherboardError(
                f"Run {full[:12]} is {source}, and only submitted runs are verified here: a measured one is scored "
                "where it is made, a reported one has no predictions. Nothing was changed."
            )
        task = next((one for one in tasks.TASKS if (one.task_id, one.version) == (task_id, version)), None)
        if task is None:
            raise NotFoundError(f"Run {full[:12]} is of an older version of {task_id}. Nothing was changed.")
        submission_id, said, claimed, decimals = _handed_in(con, full)
    report, right = previews.examined(store, task.task_id, said, claimed, decimals, full)
    if report.state in {"no predictions", "no golds"}:
        return report  # nothing new is known
    told = pd.DataFrame(
        [{"run_id": full, "verified": report.verified, "caveat": report.caveat(), "updated_at": utc_now()}]
    )
    batch = [Change("runs", told, "update"), metrics_change(full, rows.figures_of(task, claimed, report))]
    if report.scores:
        batch.append(rows.predictions(task, full, said, None if right is None else right.answers))
    with store.transaction() as con:
        for change in batch:
            changes.apply(con, change)
        if submission_id:
            review.note(con, submission_id, report)
    return report


def _handed_in(
    con: duckdb.DuckDBPyConnection, run_id: str
) -> tuple[str | None, pd.DataFrame, dict[str, float], dict[str, int]]:
    """What was claimed and predicted: as it was handed in here, else as the run has it, which came in a bundle."""
    found = con.execute(
        "SELECT submission_id FROM submissions WHERE run_id = ? AND state = 'accepted'", [run_id]
    ).fetchone()
    if found:
        one = records.one(con, found[0])
        said = records.predictions(con, found[0])
        return str(found[0]), said, dict(one.claim.metrics), dict(one.decimals)
    said = con.execute(
        "SELECT example_id, predicted, score FROM predictions WHERE run_id = ? ORDER BY rowid", [run_id]
    ).df()
    metrics = dict(con.execute("SELECT name, value FROM metrics WHERE run_id = ?", [run_id]).fetchall())
    return None, said, metrics, {name: claim_values.decimals(value) for name, value in metrics.items()}
