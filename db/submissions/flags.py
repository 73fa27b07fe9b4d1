"""What a moderator should look at twice: answers, or a whole row, that somebody else handed in already."""

import duckdb
import pandas as pd

from db.registry import tasks
from db.registry.tasks import Task
from db.statistics import qa_scoring
from db.statistics.qa_scoring import RULES
from db.submissions.records import Submission
from db.submissions.verification import labelled


def same_answers(con: duckdb.DuckDBPyConnection, task: Task, said: pd.DataFrame, own_run: str | None) -> list[str]:
    """The runs of a task that give exactly these answers to exactly these examples.

    A run that keeps only what stands for its answers is compared by that.

    Args:
        con: An open connection.
        task: Whose runs.
        said: Columns ``example_id, predicted``.
        own_run: The run that these are the predictions of; None where there is none yet.
    """
    mine = said.drop_duplicates("example_id")
    told = labelled(task, mine["predicted"]).fillna("")
    rules = None if task.labels else RULES.get(task.language)
    hidden = told if rules is None else told.map(lambda one: qa_scoring.withheld(rules, one))
    con.register("mine", pd.DataFrame({"example_id": mine["example_id"], "told": told, "hidden": hidden}))
    rows = con.execute(
        """
        SELECT p.run_id FROM predictions p JOIN runs r USING (run_id) LEFT JOIN mine m USING (example_id)
        WHERE r.task_id = ? AND r.run_id IS DISTINCT FROM ?
        GROUP BY p.run_id
        HAVING count(*) = ? AND bool_and(coalesce(coalesce(p.predicted, '') IN (m.told, m.hidden), false))
        ORDER BY p.run_id
        """,
        [task.task_id, own_run, len(mine)],
    ).fetchall()
    con.unregister("mine")
    return [str(run_id) for (run_id,) in rows]


def of_answers(con: duckdb.DuckDBPyConnection, task: Task, said: pd.DataFrame, own_run: str | None) -> list[str]:
    """One sentence where other runs give the same answers."""
    same = same_answers(con, task, said, own_run)
    more = f" and of {len(same) - 1} more" if len(same) > 1 else ""
    return [f"Its predictions are exactly those of run {same[0][:12]}{more}."] if same else []


def of_submission(con: duckdb.DuckDBPyConnection, submission: Submission) -> list[str]:
    """One sentence each for other submissions that say the same, or give the same answers."""
    told = []
    own = submission.status.submission_id
    for column, value, what in (
        ("digest", submission.digest, "It is the same as submission {0}, which is {1}."),
        ("answers_hash", submission.answers_hash, "Its predictions are exactly those of submission {0}, which is {1}."),
    ):
        other = con.execute(
            f"SELECT submission_id, state FROM submissions WHERE {column} = ? AND task_id = ? AND submission_id <> ? "  # noqa: S608 - our own names
            "ORDER BY created_at, submission_id LIMIT 1",
            [value, tasks.by_id(submission.claim.task).task_id, own],
        ).fetchone()
        if other:
            told.append(what.format(str(other[0])[:12], other[1]))
            break  # the same row has the same predictions
    return told
