"""What a submission says of itself, all of it as text: nothing of it is markup, and no link of it is followed."""

import pandas as pd
import streamlit as st

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.markdown import plain
from db.submissions import Submission

MODERATE_FIELDS = {
    "model": N_("Model"),
    "family": N_("Family"),
    "architecture": N_("Architecture"),
    "params": N_("Parameters"),
    "language": N_("Language"),
    "licence": N_("Licence"),
    "dataset": N_("Training data"),
    "teacher": N_("Teacher"),
    "seed": N_("Seed"),
    "train_seconds": N_("Training time"),
    "device": N_("Device"),
    "link": N_("Link"),
    "checkpoint": N_("Checkpoint"),
    "contact": N_("Contact (for moderators alone)"),
    "filename": N_("File"),
    "submission": N_("Submission"),
}
MODERATE_PARAMS_FROM = {
    "typed": N_("typed"),
    "safetensors": N_("counted from safetensors"),
    "config": N_("counted from a config"),
}

_LONGEST = 200


def draw(submission: Submission) -> None:
    """Draw the facts, then the further ones of the training, then the notes."""
    st.subheader(_("What it says of itself"), anchor=False)
    claim = submission.claim
    values = claim.model_dump(exclude={"metrics", "training", "notes", "task", "params_source"})
    values |= {
        "params": _params(submission),
        "filename": submission.filename,
        "submission": submission.status.submission_id,
        "train_seconds": None if claim.train_seconds is None else formatting.duration(claim.train_seconds),
    }
    known = [name for name in translated(MODERATE_FIELDS) if values.get(name) not in (None, "")]
    rows = [(_(MODERATE_FIELDS[name]), values[name]) for name in known]
    rows += [(name, value) for name, value in claim.training.items()]
    cells = [(plain(name), plain(formatting.cut(value, _LONGEST))) for name, value in rows]
    st.table(
        pd.DataFrame(cells), border="horizontal", hide_index=True, hide_header=True, alt=_("What it says of itself")
    )
    if claim.notes:
        st.markdown(f"**{_('Notes')}**")
        st.code(claim.notes, language=None, wrap_lines=True, height=220 if len(claim.notes) > 600 else "content")


def _params(submission: Submission) -> str | None:
    claim = submission.claim
    if claim.params is None:
        return None
    source = translated(MODERATE_PARAMS_FROM).get(claim.params_source or "typed", "")
    return f"{claim.params:,} ({source})"
