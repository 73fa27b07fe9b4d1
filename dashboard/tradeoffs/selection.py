"""What is chosen among the marks of the trade-off page: by keyboard in a table, and where it leads."""

import hashlib
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.tradeoffs import sentences
from dashboard.tradeoffs.figure_data import Picture
from dashboard.ui.i18n import _, pgettext
from dashboard.ui.markdown import page_link, plain

COMPARED = 6
"""Runs that can be compared at once."""


def fingerprint(shown: Picture) -> str:
    """Another one for other marks: a selection is positions, and must not outlive what it pointed to."""
    content = "".join([shown.x.key, shown.y.key, *shown.marks["run_id"]])
    return hashlib.sha256(content.encode()).hexdigest()[:12]


def table(shown: Picture) -> list[str]:
    """Draw the marks without a picture, for keyboards and readers; returns the runs that are ticked."""
    marks = shown.marks
    with st.expander(_("The marks as a table"), icon=":material/table_rows:"):
        st.caption(_("Rows ticked here count as selected when nothing is selected in the plot."))
        rows = pd.DataFrame(
            [
                (
                    row["model"],
                    sentences.score_told(shown, row),
                    shown.x.text(row["x"]),
                    _("yes") if row["front"] else "",
                    row["family"],
                    sentences.origin_told(row),
                )
                for _unused, row in marks.iterrows()
            ],
            columns=[_("Model"), shown.y.label, shown.x.label, _("On the frontier"), _("Family"), _("Source")],
        )
        event: Any = st.dataframe(
            rows,
            key=f"trade-rows-{fingerprint(shown)}",
            hide_index=True,
            on_select="rerun",
            height="content" if len(rows) <= 12 else 440,
            alt=_("The marks as a table"),
        )
    return [str(marks["run_id"].iloc[index]) for index in sorted(event["selection"]["rows"]) if index < len(marks)]


def panel(shown: Picture, chosen: Sequence[str]) -> None:
    """Draw where the chosen runs lead: one to its page, several to their comparison."""
    marks = shown.marks.set_index("run_id", drop=False)
    if len(chosen) == 1:
        row = marks.loc[chosen[0]]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(row['model'])}:** {plain(_facts(shown, row))}", width="content")
            page_link("run", pgettext("trade open", "Open the run"), run=chosen[0])
    elif chosen:
        few = len(chosen) <= COMPARED
        label = (_("Compare {count} runs") if few else _("Compare the best {most} of {count} runs")).format(
            count=len(chosen), most=COMPARED
        )
        page_link("compare", f"**{label}**", runs=",".join(chosen[:COMPARED]))
        for run_id in chosen[:COMPARED]:
            row = marks.loc[run_id]
            page_link("run", f"{plain(row['model'])}: {plain(_facts(shown, row))}", run=run_id)
        if not few:
            st.caption(_("And {count} more.").format(count=len(chosen) - COMPARED))


def _facts(shown: Picture, row: pd.Series) -> str:
    parts = (sentences.score_told(shown, row), sentences.costs_told(shown, row), sentences.origin_told(row))
    return ", ".join(parts)
