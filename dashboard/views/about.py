"""About: what the terms mean, where the figures come from, which database this is."""

import streamlit as st

from dashboard import data, text
from dashboard.components import plain

st.title("What this board shows")
st.markdown(
    "Featherboard compares small language models: the ones that fit a laptop or a Raspberry Pi. Every score carries "
    "its uncertainty, every row says where it comes from, and cost stands beside quality."
)
st.subheader("Terms")
for term, meaning in text.TERMS.items():
    st.markdown(f"**{plain(term)}.** {plain(meaning)}")
st.subheader("Marks")
st.markdown(
    "Colour is the family. A hollow circle is a reported figure, a filled one is measured, a diamond is submitted. The "
    "grey line is the Pareto frontier."
)
st.subheader("This database")
st.code(str(data.store().path), language=None)
