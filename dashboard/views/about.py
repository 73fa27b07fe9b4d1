"""About: what the terms mean, where the figures come from, which database this is."""

import streamlit as st

from dashboard.ui import cache
from dashboard.ui.i18n import _, translated
from dashboard.ui.labels import TERMS
from dashboard.ui.markdown import plain

st.title(_("What this board shows"))
st.markdown(
    _(
        "Featherboard compares small language models: the ones that fit a laptop or a Raspberry "
        "Pi. Every score has its uncertainty, every row its source, and cost is shown next to "
        "quality."
    )
)
st.subheader(_("Terms"))
for name, meaning in translated(TERMS).values():
    st.markdown(f"**{plain(name)}.** {plain(meaning)}")
st.subheader(_("Marks"))
st.markdown(
    _(
        "Colour is the family. A hollow circle is a reported figure, a filled one is measured, a "
        "diamond is submitted. The grey line is the Pareto frontier."
    )
)
st.subheader(_("This database"))
st.code(str(cache.store().path), language=None)
st.page_link("views/moderation.py", label=_("Moderation"), icon=":material/gavel:")
