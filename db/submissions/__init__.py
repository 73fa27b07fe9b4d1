"""Submissions: claims that wait until a moderator lets them onto the board.

``submit`` takes everything in. ``status`` and ``withdraw`` are for who holds the secret, ``queue``, ``counts``,
``glances``, ``read``, ``answers``, ``points``, ``difference``, ``history`` and the decisions for who holds the
moderator's token, which every one of them checks.
"""

from db.submissions.drafts import Gathered, gather, prepared
from db.submissions.inbox import status, submit
from db.submissions.limits import Limits
from db.submissions.moderator import configured
from db.submissions.previews import Difference, Glance, Preview, difference, glances, on_board, preview, verify_claim
from db.submissions.queue import answers, counts, history, points, queue, read
from db.submissions.records import Problem, Receipt, Status, Submission
from db.submissions.reverification import unverified, verify_run
from db.submissions.review import accept, merge, reject, withdraw

__all__ = [
    "Difference",
    "Gathered",
    "Glance",
    "Limits",
    "Preview",
    "Problem",
    "Receipt",
    "Status",
    "Submission",
    "accept",
    "answers",
    "configured",
    "counts",
    "difference",
    "gather",
    "glances",
    "history",
    "merge",
    "on_board",
    "points",
    "prepared",
    "preview",
    "queue",
    "read",
    "reject",
    "status",
    "submit",
    "unverified",
    "verify_claim",
    "verify_run",
    "withdraw",
]
