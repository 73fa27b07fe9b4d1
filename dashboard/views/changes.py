"""What changed: new, replaced and withdrawn runs and new best scores, the newest first."""

import streamlit as st

from dashboard.markup import templates
from dashboard.overview import changes
from dashboard.ui import cache
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP
from dashboard.ui.markdown import guarded
from db.leaderboard.history import history


def page() -> None:
    """Draw the page."""
    templates.leave()
    st.set_page_config(page_title=f"{_('What changed')} · {APP}")
    with guarded():
        cache.boards()
        read = cache.once(lambda: history(cache.store()), "history")
    st.title(_("What changed"), anchor=False)
    st.markdown(changes.lead())
    templates.mount("changes", changes.render(read, templates.link, app=True))
    st.caption(_("Also as an Atom feed: `/v1/changes.atom` of the HTTP service, `feed.xml` of the published site."))


page()
