"""Moderation: what waits for a decision. Without the moderator's token or login nothing of it is read or shown."""

import streamlit as st

from dashboard.moderation import detail, queue, sign_in, url_state
from dashboard.moderation.client import ModerationClient
from dashboard.moderation.url_state import Notice
from dashboard.ui.i18n import _
from dashboard.ui.markdown import guarded, plain
from db.base.errors import NotFoundError


def _say(notice: Notice) -> None:
    if notice.kind == "done":
        st.success(notice.words, icon=":material/check:")
        return
    st.error(notice.words, icon=":material/error:")
    if notice.cause:
        st.caption(notice.cause)
    if notice.written:
        st.caption(_("What you had written:"))
        st.code(notice.written, language=None, wrap_lines=True)


def _list(client: ModerationClient) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.title(_("Moderation"), anchor=False, width="content")
        st.space("stretch")
        st.button(_("Leave"), icon=":material/logout:", type="tertiary", key="moderator leave", on_click=sign_in.leave)
    for notice in url_state.take_notices():
        _say(notice)
    queue.draw(client)


def _details(client: ModerationClient, submission_id: str) -> None:
    for notice in url_state.take_notices():
        _say(notice)
    try:
        detail.draw(client, submission_id)
    except NotFoundError as error:
        st.title(_("Moderation"), anchor=False)
        st.warning(_("Nothing here matches."), icon=":material/search_off:")
        st.caption(plain(error))
        url_state.button(_("Queue"), "back", ":material/arrow_back:", None)


def page() -> None:
    """Draw the page."""
    with guarded():
        head = st.container()
        client = sign_in.enter()
        if client is None:
            head.title(_("Moderation"), anchor=False)
            head.markdown(_("Submissions wait here until a moderator accepts them. Nothing is ever deleted."))
            return
        if url_state.opened():
            _details(client, url_state.opened())
        else:
            _list(client)


page()
