"""About: what the terms mean, where the figures come from, which database this is."""

import streamlit as st

from dashboard.ui import cache, text
from dashboard.ui.markdown import plain

st.title(text.ABOUT_TITLE)
st.markdown(text.ABOUT_LEAD)
st.subheader(text.ABOUT_TERMS)
for name, meaning in text.TERMS.values():
    st.markdown(f"**{plain(name)}.** {plain(meaning)}")
st.subheader(text.ABOUT_MARKS)
st.markdown(text.ABOUT_MARKS_HOW)
st.subheader(text.ABOUT_DATABASE)
st.code(str(cache.store().path), language=None)
st.page_link("views/moderation.py", label=text.MODERATION, icon=":material/gavel:")
