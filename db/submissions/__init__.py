"""Submissions: claims that wait until a moderator puts them on the board.

``submit`` takes everything in; ``status`` and ``withdraw`` serve whoever has the secret of a receipt. The rest is for
moderators: the moderation page checks their token before it calls.
"""

from db.base.problems import Flag, Problem
from db.submissions.annotations import annotate
from db.submissions.drafts import Gathered, Question, answered, gather, prepared, questions
from db.submissions.inbox import status, submit
from db.submissions.limits import Limits
from db.submissions.previews import (
    Difference,
    Preview,
    QueueSummary,
    difference,
    preview,
    summaries,
    verify_claim,
    with_score,
)
from db.submissions.records import Receipt, Status, Submission, answers, counts, history, points, queue, read
from db.submissions.review import accept, merge, reject, unverified, verify_run, withdraw

__all__ = [
    "Difference",
    "Flag",
    "Gathered",
    "Limits",
    "Preview",
    "Problem",
    "Question",
    "QueueSummary",
    "Receipt",
    "Status",
    "Submission",
    "accept",
    "annotate",
    "answered",
    "answers",
    "counts",
    "difference",
    "gather",
    "history",
    "merge",
    "points",
    "prepared",
    "preview",
    "questions",
    "queue",
    "read",
    "reject",
    "status",
    "submit",
    "summaries",
    "unverified",
    "verify_claim",
    "verify_run",
    "with_score",
    "withdraw",
]
