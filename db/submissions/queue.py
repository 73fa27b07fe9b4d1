"""What waits, and the history of each row: for moderators alone."""

from collections.abc import Sequence

import pandas as pd

from db.store import Store
from db.submissions import audit, moderator, records
from db.submissions.moderator import Tokens
from db.submissions.records import STATES, State, Submission


def queue(
    store: Store,
    *,
    token: str,
    states: Sequence[State] = ("waiting",),
    limit: int = 500,
    tokens: Tokens = moderator.configured,
) -> pd.DataFrame:
    """Submissions in some states, the oldest first.

    Args:
        store: The database.
        token: The moderator's.
        states: Which; empty: all.
        limit: Rows at most.
        tokens: Gives the token that is expected.

    Returns:
        ``submission_id, batch_id, position, task_id, model, state, reason, run_id, merged_into, via, filename, claim``
        (JSON), ``predictions`` (how many), ``created_at, decided_at``.

    Raises:
        ModerationError: This is no moderator.
    """
    moderator.require(token, tokens)
    return store.query(
        """
        SELECT submission_id, batch_id, position, task_id, model, state, reason, run_id, merged_into, via, filename,
               claim, coalesce(p.predictions, 0) AS predictions, created_at, decided_at
        FROM submissions LEFT JOIN (SELECT submission_id, count(*) AS predictions FROM submission_predictions GROUP BY
                                    ALL) p USING (submission_id)
        WHERE state IN (SELECT unnest($states)) ORDER BY created_at, batch_id, position LIMIT $rows
        """,
        {"states": list(states or STATES), "rows": limit},
    )


def read(store: Store, submission_id: str, *, token: str, tokens: Tokens = moderator.configured) -> Submission:
    """One submission, with its contact.

    Raises:
        ModerationError: This is no moderator.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        return records.one(con, submission_id)


def history(store: Store, submission_id: str, *, token: str, tokens: Tokens = moderator.configured) -> pd.DataFrame:
    """What was done with one submission, oldest first: ``action, actor, details`` (JSON) and ``done_at``.

    Raises:
        ModerationError: This is no moderator.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        return audit.of(con, records.resolve(con, submission_id))
