"""The board. Run it with ``featherboard serve``."""

from pathlib import Path

import streamlit as st

from dashboard.moderation import token
from dashboard.ui import i18n, theme
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP

_FOLDER = Path(__file__).parent

st.set_page_config(page_icon=str(_FOLDER / "assets" / "icon.svg"), layout="wide")
i18n.settle_language()
st.logo(str(_FOLDER / "assets" / "mark.svg"), size="large")
st.html(theme.FRAME)
if i18n.current_language() != i18n.DEFAULT:
    size = f"{st.get_option('server.maxUploadSize')} MB"
    st.html(theme.UPLOAD % (_("Upload"), _("{size} per file").format(size=size)))
st.html(theme.EMBED_LINK, unsafe_allow_javascript=True)
if st.context.is_embedded:
    st.html(theme.EMBEDDED)
# Not in a folder "pages": Streamlit takes that for its older kind of navigation until the first visitor has been here,
# and whoever opens a link to a run first would see the page without its frame.
pages = {
    "overview": _("Overview"),
    "leaderboard": _("Leaderboard"),
    "tradeoffs": _("Trade-offs"),
    "compare": _("Compare"),
    "playground": _("Playground"),
    "submit": _("Submit"),
    "run": _("Run"),
    "model": _("Model"),
    "devices": _("Devices"),
    "about": _("About"),
    "changes": _("What changed"),
    "moderation": _("Moderation"),
}
# A provider leads back to the first page: whoever logged in there finds the queue from any page.
hidden = {"model", "changes"} if token.moderator() else {"model", "changes", "moderation"}
page = st.navigation(
    [
        st.Page(
            f"views/{name}.py",
            title=title,
            icon=theme.ICONS[name],
            url_path="" if name == "overview" else name,
            default=name == "overview",
            visibility="hidden" if name in hidden else "visible",
        )
        for name, title in pages.items()
    ],
    position="top",
)
# Pages that show one thing replace it by the name of the thing.
st.set_page_config(page_title=f"{page.title} · {APP}")
i18n.language_switch()
page.run()
