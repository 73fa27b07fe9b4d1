"""The board. Run it with ``featherboard serve``."""

from pathlib import Path

import streamlit as st

from dashboard.ui import language, text, theme

_HERE = Path(__file__).parent

st.set_page_config(page_title=text.APP, page_icon=str(_HERE / "assets" / "icon.svg"), layout="wide")
language.settle()
st.logo(str(_HERE / "assets" / "mark.svg"), size="large")
st.html(theme.FRAME)
# Not in a folder "pages": Streamlit takes that for its older kind of navigation until the first visitor has been here,
# and whoever opens a link to a run first would see the page without its frame.
page = st.navigation(
    [
        st.Page(
            "views/leaderboard.py", title=text.LEADERBOARD, icon=":material/leaderboard:", url_path="", default=True
        ),
        st.Page("views/tradeoffs.py", title=text.TRADEOFFS, icon=":material/scatter_plot:", url_path="tradeoffs"),
        st.Page("views/compare.py", title=text.COMPARE, icon=":material/compare_arrows:", url_path="compare"),
        st.Page("views/playground.py", title=text.PLAYGROUND, icon=":material/play_circle:", url_path="playground"),
        st.Page("views/submit.py", title=text.SUBMIT, icon=":material/upload_file:", url_path="submit"),
        st.Page("views/run.py", title=text.RUN, icon=":material/science:", url_path="run"),
        st.Page("views/devices.py", title=text.DEVICES, icon=":material/memory:", url_path="devices"),
        st.Page("views/about.py", title=text.ABOUT, icon=":material/info:", url_path="about"),
        st.Page(
            "views/moderation.py",
            title=text.MODERATION,
            icon=":material/gavel:",
            url_path="moderation",
            visibility="hidden",
        ),
    ],
    position="top",
)
language.switch()
page.run()
