"""What waits, and the history of each row: for moderators alone."""

from collections.abc import Sequence

import pandas as pd

from db.storage.store import Store
from db.submissions import audit, moderator, records
from db.submissions.moderator import Tokens
from db.submissions.records import STATES, State, Submission

_CURVE_POINTS = 20_000


def queue(
    store: Store,
    *,
    token: str,
    states: Sequence[State] = ("waiting",),
    limit: int = 500,
    search: str = "",
    batch: str = "",
    tokens: Tokens = moderator.configured,
) -> pd.DataFrame:
    """Submissions in some states, the oldest first.

    Args:
        store: The database.
        token: The moderator's.
        states: Which; empty: all.
        limit: Rows at most.
        search: Words, each of which is part of the model's name, the task, the file's name or the reason, in whatever
            case, or the beginning of an id.
        batch: The id of what was handed in together; empty: all.
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
        WHERE state IN (SELECT unnest($states)) AND ($batch = '' OR batch_id = $batch)
          AND len(list_filter($words, lambda word:
              NOT (contains(lower(concat_ws(' ', model, task_id, filename, reason)), word)
                   OR starts_with(submission_id, word) OR starts_with(coalesce(run_id, ''), word)))) = 0
        ORDER BY created_at, batch_id, position LIMIT $rows
        """,
        {"states": list(states or STATES), "rows": limit, "batch": batch, "words": search.lower().split()[:20]},
    )


def counts(store: Store, *, token: str, tokens: Tokens = moderator.configured) -> dict[State, int]:
    """How many submissions there are in each state.

    Raises:
        ModerationError: This is no moderator.
    """
    moderator.require(token, tokens)
    found = store.query("SELECT state, count(*) AS rows FROM submissions GROUP BY state").set_index("state")["rows"]
    return {state: int(found.get(state, 0)) for state in STATES}


def answers(
    store: Store, submission_id: str, *, token: str, limit: int = 200, tokens: Tokens = moderator.configured
) -> pd.DataFrame:
    """The first predictions of a submission as they came: ``example_id, predicted, score``.

    Raises:
        ModerationError: This is no moderator.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        return records.predictions(con, records.resolve(con, submission_id), limit)


def points(
    store: Store, submission_id: str, *, token: str, limit: int = _CURVE_POINTS, tokens: Tokens = moderator.configured
) -> pd.DataFrame:
    """Points of a submission's curves: ``series, step, epoch, value``; of longer ones the first of every series.

    Raises:
        ModerationError: This is no moderator.
        NotFoundError: There is no such submission.
    """
    moderator.require(token, tokens)
    with store.read() as con:
        found = records.curves(con, records.resolve(con, submission_id))
    if len(found) <= limit:
        return found
    each = max(1, limit // found["series"].nunique())
    return found.groupby("series", sort=False).head(each).reset_index(drop=True)


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
