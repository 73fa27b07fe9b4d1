"""The board. Run it with ``featherboard serve``."""

from pathlib import Path

import streamlit as st

from dashboard import text

_HERE = Path(__file__).parent

# Streamlit leaves a fifth of the first screen empty above the page; the answer belongs there.
_STYLE = "<style>.stMainBlockContainer { padding-top: 5rem; padding-bottom: 3rem; max-width: 1500px; }</style>"

st.set_page_config(page_title=text.APP, page_icon=":material/leaderboard:", layout="wide")
st.logo(str(_HERE / "assets" / "mark.svg"), size="large")

st.html(_STYLE)
# Not in a folder "pages": Streamlit takes that for its older kind of navigation until the first visitor has been here,
# and whoever opens a link to a run first would see the page without its frame.
page = st.navigation(
    [
        st.Page(
            "views/leaderboard.py", title=text.LEADERBOARD, icon=":material/leaderboard:", url_path="", default=True
        ),
        st.Page("views/run.py", title=text.RUN, icon=":material/science:", url_path="run"),
        st.Page("views/compare.py", title=text.COMPARE, icon=":material/compare_arrows:", url_path="compare"),
        st.Page("views/devices.py", title=text.DEVICES, icon=":material/memory:", url_path="devices"),
        st.Page("views/about.py", title=text.ABOUT, icon=":material/info:", url_path="about"),
    ],
    position="top",
)
page.run()
