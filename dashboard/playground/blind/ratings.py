"""The table of ratings that visitors' votes make."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.markup import tables, templates
from dashboard.markup.tables import Cell, Column, Row
from dashboard.ui import cache
from dashboard.ui.i18n import _, ngettext
from db import votes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.playground.engine_bridge import ModelRef, TaskType


def draw(kind: "TaskType", offered: "Sequence[ModelRef]") -> None:
    """Draw the table of one kind of models, with links to the runs of those ``offered`` here."""
    st.subheader(_("Votes"), anchor="votes")
    rated = cache.once(lambda: votes.ratings(cache.store(), kind), "votes", kind)
    count = int(rated["votes"].sum()) // 2
    if not count:
        st.caption(_("No votes yet. Yours is the first."))
        return
    st.caption(
        _(
            "What visitors of this board prefer, not a measurement: Bradley-Terry ratings from {votes}, with 95% "
            "intervals by bootstrap. A tie counts as half a win for both, also where both are wrong."
        ).format(votes=ngettext("{n} vote", "{n} votes", count))
    )
    runs = {ref.name: ref.run_id for ref in offered if ref.run_id}
    low, high = np.nanmin(rated["low"]), np.nanmax(rated["high"])
    rows = [_row(row, runs.get(row.model), (float(low), float(high))) for row in rated.itertuples()]
    templates.mount(f"votes_{kind}", tables.render(_("Votes"), _columns(), rows, app=True, css="roomy"))


def _columns() -> list[Column]:
    return [
        Column(_("Model"), "name text", "ascending"),
        Column(_("Rating"), "score", sorted="descending", help=_("1000 is average; 400 more are odds of 10 to 1.")),
        Column(_("Rank"), "number", "ascending", help=_("A range where the votes cannot separate models.")),
        Column(_("Votes"), "number"),
        Column(_("Won"), "number"),
        Column(_("Equally good"), "number"),
        Column(_("Both wrong"), "number"),
    ]


def _row(row: Any, run: str | None, ends: tuple[float, float]) -> Row:
    href = templates.link("run", run=run) if run else ""
    name = Cell(row.model, css="name", title=row.model, href=href, page="run" if run else "")
    rating, rank = Cell("", float("nan"), "score", title=_("Votes do not connect it with the others")), Cell("")
    if not pd.isna(row.rating):
        title = _("95% interval {low} to {high}").format(low=f"{row.low:.0f}", high=f"{row.high:.0f}")
        marks = tables.shares((row.low, row.rating, row.high), *ends)
        rating = Cell(f"{row.rating:.0f}", row.rating, "score", title=title, ends=marks)
        rank = Cell(str(row.first) if row.first == row.last else f"{row.first}–{row.last}", row.first)
    counts = [Cell(f"{value:,}", value) for value in (row.votes, row.wins, row.ties, row.wrong)]
    return Row(name, [rating, rank, *counts])
