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
page = st.navigation(
    [
        st.Page("views/overview.py", title=_("Overview"), icon=":material/grid_view:", url_path="", default=True),
        st.Page("views/leaderboard.py", title=_("Leaderboard"), icon=":material/leaderboard:", url_path="leaderboard"),
        st.Page("views/tradeoffs.py", title=_("Trade-offs"), icon=":material/scatter_plot:", url_path="tradeoffs"),
        st.Page("views/compare.py", title=_("Compare"), icon=":material/compare_arrows:", url_path="compare"),
        st.Page("views/playground.py", title=_("Playground"), icon=":material/play_circle:", url_path="playground"),
        st.Page("views/submit.py", title=_("Submit"), icon=":material/upload_file:", url_path="submit"),
        st.Page("views/run.py", title=_("Run"), icon=":material/science:", url_path="run"),
        st.Page(
            "views/model.py", title=_("Model"), icon=":material/model_training:", url_path="model", visibility="hidden"
        ),
        st.Page("views/devices.py", title=_("Devices"), icon=":material/memory:", url_path="devices"),
        st.Page("views/about.py", title=_("About"), icon=":material/info:", url_path="about"),
        st.Page(
            "views/changes.py",
            title=_("What changed"),
            icon=":material/history:",
            url_path="changes",
            visibility="hidden",
        ),
        st.Page(
            "views/moderation.py",
            title=_("Moderation"),
            icon=":material/gavel:",
            url_path="moderation",
            # A provider leads back to the first page: whoever logged in there finds the queue from any page.
            visibility="visible" if token.moderator() else "hidden",
        ),
    ],
    position="top",
)
# Pages that show one thing replace it by the name of the thing.
st.set_page_config(page_title=f"{page.title} · {APP}")
i18n.language_switch()
page.run()
