"""One submission: what it says, what can be checked of it, and what becomes of it."""

import json

import streamlit as st

from dashboard.moderation import actions, batches, evidence, queue, url_state
from dashboard.moderation.client import ModerationClient
from dashboard.moderation.evidence import MODERATE_STATES
from dashboard.moderation.queue import MODERATE_VIA
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, NP_, _, translated
from dashboard.ui.labels import CLAIM_FIELDS, MINI_NOTE
from dashboard.ui.markdown import plain, table
from dashboard.ui.messages import sentence
from db import submissions
from db.registry import formats, tasks
from db.submissions import Difference, Submission

MODERATE_ACTORS = {
    "moderator": N_("Moderator"),
    "submitter": N_("Submitter"),
    "system": NP_("moderate actors", "Featherboard"),
}
MODERATE_ACTIONS = {
    "submitted": N_("submitted"),
    "accepted": N_("accepted"),
    "rejected": N_("rejected"),
    "merged": N_("merged"),
    "withdrawn": N_("withdrawn"),
    "verified": N_("verified again"),
    "annotated": N_("tags or note changed"),
}
MODERATE_DETAILS = {
    "by": N_("By: {told}"),
    "reason": N_("Reason: {told}"),
    "run_id": N_("Run: {told}"),
    "merged_into": N_("Into: {told}"),
    "verification": "{told}",
    "predictions": N_("Predictions: {told}"),
    "added": N_("Tags added: {told}"),
    "removed": N_("Tags removed: {told}"),
    "note": N_("Note: {told}"),
}

MODERATE_FIELDS = {
    **{name: CLAIM_FIELDS[name] for name in ("model", "family", "architecture", "params", "language", "licence")},
    "dataset": N_("Training data"),
    **{name: CLAIM_FIELDS[name] for name in ("teacher", "seed", "train_seconds", "device", "link", "checkpoint")},
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
_TITLE = 72
_ID = 12


def draw(client: ModerationClient, submission_id: str) -> None:
    """Draw the sheet."""
    with st.spinner(_("Looking at predictions")):
        difference = client.read(submissions.difference, submission_id)
    _way(client, difference)
    _head(difference)
    for flag in difference.flags:
        st.warning(plain(sentence(flag)), icon=":material/flag:")
    left, right = st.columns([19, 12], gap="large")
    with right:
        actions.draw(client, difference)
        _facts(difference.submission)
    with left:
        if difference.submission.status.state == "waiting":
            evidence.draw_preview(difference)
        evidence.draw_report(difference)
        evidence.draw_existing(difference)
        evidence.draw_curves(client, difference)
        evidence.draw_answers(client, difference)
        _draw_history(client, difference)


def _way(client: ModerationClient, difference: Difference) -> None:
    """Back to the list, and to the rows beside this one."""
    ids, own = queue.listed(client), difference.submission.status.submission_id
    position = ids.index(own) if own in ids else None
    with st.container(horizontal=True, vertical_alignment="center", key="way"):
        url_state.button(_("Queue"), "back", ":material/arrow_back:", None, type="tertiary")
        st.space("stretch")
        if position is not None:
            st.caption(_("{place} of {n}").format(place=position + 1, n=len(ids)), width="content")
        for step, icon, label in (
            (-1, ":material/keyboard_arrow_up:", _("Previous")),
            (1, ":material/keyboard_arrow_down:", _("Next")),
        ):
            other = position + step if position is not None else -1
            target = ids[other] if 0 <= other < len(ids) else None
            url_state.button(label, f"step {step}", icon, target, type="tertiary", disabled=target is None)


def _head(difference: Difference) -> None:
    status, submission = difference.submission.status, difference.submission
    st.title(plain(formatting.cut(status.model, _TITLE)), anchor=False)
    task = tasks.by_id(status.task)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(_(MODERATE_STATES[status.state]), color="primary" if status.state == "waiting" else "gray")
        st.badge(plain(task_names.name(task.task_id)), color="gray")
        if task.mini:
            st.badge(_("mini"), color="yellow", help=_(MINI_NOTE))
        via = _(MODERATE_VIA[submission.via])
        st.caption(
            _("Received {when} UTC, {via}").format(when=f"{status.created_at:%Y-%m-%d %H:%M}", via=via), width="content"
        )
        if submission.filename or status.position > 1:
            st.caption(plain(batches.place_of(submission.filename, status.position)), width="content")


def _draw_history(client: ModerationClient, difference: Difference) -> None:
    """Everything that was done with it, oldest first."""
    st.subheader(_("What was done with it"), anchor=False)
    rows = [
        (
            f"{row['done_at']:%Y-%m-%d %H:%M:%S}",
            translated(MODERATE_ACTORS).get(row["actor"], row["actor"]),
            translated(MODERATE_ACTIONS).get(row["action"], row["action"]),
            details(row["details"]),
        )
        for row in client.read(submissions.history, difference.submission.status.submission_id).to_dict("records")
    ]
    evidence.text_table((_("When, UTC"), _("Who"), _("What"), _("Details")), rows, _("What was done with it"))


def details(packed: str) -> str:
    """What the audit keeps of a step, as far as it is for people."""
    record = json.loads(packed)
    record |= {key: ", ".join(record[key]) for key in ("added", "removed") if key in record}
    parts = [
        form.format(told=str(record[key])[:_ID] if key in {"run_id", "merged_into"} else str(record[key]).rstrip("."))
        for key, form in translated(MODERATE_DETAILS).items()
        if record.get(key)
    ]
    if record.get("note") == "":
        parts.append(_("Note removed"))
    return ". ".join(parts) or formats.DASH


def _facts(submission: Submission) -> None:
    """What a submission says of itself, all of it as text: nothing of it is markup, and no link of it is followed."""
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
    table(cells, _("What it says of itself"), heads=False)
    if claim.notes:
        st.markdown(f"**{_('Notes')}**")
        st.code(claim.notes, language=None, wrap_lines=True, height=220 if len(claim.notes) > 600 else "content")


def _params(submission: Submission) -> str | None:
    claim = submission.claim
    if claim.params is None:
        return None
    source = translated(MODERATE_PARAMS_FROM).get(claim.params_source or "typed", "")
    return f"{claim.params:,} ({source})"
