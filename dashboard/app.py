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
page = st.navigation(
    [
        st.Page(
            "pages/leaderboard.py", title=text.LEADERBOARD, icon=":material/leaderboard:", url_path="", default=True
        ),
        st.Page("pages/run.py", title=text.RUN, icon=":material/science:", url_path="run"),
        st.Page("pages/about.py", title=text.ABOUT, icon=":material/info:", url_path="about"),
    ],
    position="top",
)
page.run()
