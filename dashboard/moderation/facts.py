"""What a submission says of itself, all of it as text: nothing of it is markup, and no link of it is followed."""

import pandas as pd
import streamlit as st

from dashboard.ui import formatting, text
from dashboard.ui.markdown import plain
from db.submissions import Submission

_LONGEST = 200


def draw(submission: Submission) -> None:
    """Draw the facts, then the further ones of the training, then the notes."""
    st.subheader(text.MODERATE_FACTS, anchor=False)
    claim = submission.claim
    given = claim.model_dump(exclude={"metrics", "training", "notes", "task", "params_source"})
    given |= {
        "params": _params(submission),
        "filename": submission.filename,
        "submission": submission.status.submission_id,
        "train_seconds": None if claim.train_seconds is None else formatting.duration(claim.train_seconds),
    }
    known = [name for name in text.MODERATE_FIELDS if given.get(name) not in (None, "")]
    rows = [(text.MODERATE_FIELDS[name], given[name]) for name in known]
    rows += [(name, value) for name, value in claim.training.items()]
    cells = [(plain(name), plain(formatting.cut(value, _LONGEST))) for name, value in rows]
    st.table(pd.DataFrame(cells), border="horizontal", hide_index=True, hide_header=True, alt=text.MODERATE_FACTS)
    if claim.notes:
        st.markdown(f"**{text.MODERATE_NOTES}**")
        st.code(claim.notes, language=None, wrap_lines=True, height=220 if len(claim.notes) > 600 else "content")


def _params(submission: Submission) -> str | None:
    claim = submission.claim
    if claim.params is None:
        return None
    source = text.MODERATE_PARAMS_FROM.get(claim.params_source or "typed", "")
    return f"{claim.params:,} ({source})"
