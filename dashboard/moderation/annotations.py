"""Tags and the note that moderators wrote beside a run, on its page; moderators can change them there."""

import streamlit as st

from dashboard.moderation import detail as submission_detail
from dashboard.moderation import sign_in
from dashboard.moderation.client import ModerationClient
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError
from db.runs.detail import RunDetail
from db.submissions.annotations import MAX_NOTE, MAX_TAGS, annotate, history, tags_in_use


def draw(detail: RunDetail) -> None:
    """Draw the tags, for a moderator the button that opens the fields, and the note."""
    client, run = sign_in.current(), detail.run
    if run["tags"] or client:
        with st.container(horizontal=True, vertical_alignment="center"):
            for tag in run["tags"]:
                st.badge(plain(tag), icon=":material/sell:", color="gray", help=_("Tag by a moderator of this board"))
            if client:
                _menu(client, detail)
    if run["moderator_note"]:
        head = _("Note of a moderator, {when}").format(when=f"{run['moderator_note_at']:%Y-%m-%d}")
        lines = "  \n".join(map(plain, run["moderator_note"].split("\n")))
        st.info(f"**{head}**  \n{lines}", icon=":material/notes:")


def _menu(client: ModerationClient, detail: RunDetail) -> None:
    run_id, before, written = str(detail.run["run_id"]), detail.run["tags"], detail.run["moderator_note"] or ""
    with st.popover(
        _("Tags and note"), icon=":material/sell:", key="annotations", type="tertiary", on_change="rerun"
    ) as menu:
        if not menu.open:
            return
        state = f"{run_id} {before} {written}"  # fields begin anew with what somebody stored
        with st.form(f"annotate {state}", border=False):
            tags = st.multiselect(
                _("Tags"),
                sorted({*tags_in_use(client.store), *before}),
                before,
                max_selections=MAX_TAGS,
                accept_new_options=True,
                placeholder=_("Letters, digits, - and _"),
                key=f"annotation tags {state}",
            )
            note = st.text_area(_("Note"), written, max_chars=MAX_NOTE, key=f"annotation note {state}")
            pressed = st.form_submit_button(_("Save"), icon=":material/check:", key="annotate")
        if pressed:
            add, remove = [tag for tag in tags if tag not in before], [tag for tag in before if tag not in tags]
            try:
                new = note if note != written else None
                annotate(client.store, run_id, add=add, remove=remove, note=new, by=client.by)
            except FeatherboardError as error:
                st.error(plain(error), icon=":material/error:")
            else:
                st.rerun()
        for entry in history(client.store, run_id).iloc[::-1].itertuples():
            st.caption(plain(f"{entry.done_at:%Y-%m-%d %H:%M} UTC. {submission_detail.details(entry.details)}"))
