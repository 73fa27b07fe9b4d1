"""What the overview shows: language, size, source and order, as codes in the address."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from dashboard.overview.matrix import MEASURES
from dashboard.ui import url_state
from dashboard.ui.i18n import N_, _
from db.leaderboard.overview import Cells, Order, Overview, ordered, overview
from db.registry import formats

LANGUAGES = {"ko": N_("Korean"), "en": N_("English")}
SIZES = (1e6, 1e7, 1e8, 1e9)
ORIGINS = {"printed": N_("With printed figures"), "verified": N_("Verified")}
"""Rows that take part: printed ones as well, or verified ones alone; otherwise measured and submitted ones."""
FIRST_ROWS = 25
"""Models that are shown before the visitor asks for all."""

_FILTERS = ("in", "fits", "from", "whole")
CODES = ("in", "fits", "from", "by", "whole", "rows")


@dataclass(frozen=True)
class View:
    """One state of the overview.

    Attributes:
        language: Of the tasks; None for all.
        size: The largest size on disk, in bytes.
        origin: A key of ``ORIGINS``.
        by: The order.
        whole: Only models with a score in every task that is shown.
    """

    language: str | None = None
    size: float | None = None
    origin: str | None = None
    by: Order = "borda"
    whole: bool = False


def choose(read: Cells) -> View:
    """Draw the filters and return what they say."""
    known = set(read.tasks.loc[~read.tasks["mini"], "language"])
    sizes = {f"{size:.0f}": size for size in SIZES}
    with st.container(horizontal=True, vertical_alignment="bottom", key="overview_filters"):
        languages = [code for code in LANGUAGES if code in known]
        language = _pill("in", _("Language"), languages, {code: _(LANGUAGES[code]) for code in languages})
        size = _pill("fits", _("Size on disk"), list(sizes), {k: f"≤ {formats.size(v)}" for k, v in sizes.items()})
        origin = _pill("from", _("Source"), list(ORIGINS), {code: _(label) for code, label in ORIGINS.items()})
        by = url_state.choice("by", _("Order"), {code: _(label) for code, (label, _unused) in MEASURES.items()})
        url_state.follow("whole", lambda text: text == "1", False)
        whole = st.toggle(_("Complete rows only"), key="whole", help=_("Models with a score in every task shown."))
        url_state.keep("whole", "1" if whole else None)
    return View(language, sizes[size] if size else None, origin, by, whole)


def clear() -> None:
    """Take all filters away; for callbacks."""
    for key in _FILTERS:
        st.query_params.pop(key, None)
        st.session_state.pop(key, None)


def _pill(key: str, label: str, options: list[str], labels: dict[str, str]) -> str | None:
    url_state.follow(key, url_state.one_of(options), None)
    chosen = st.pills(label, options, key=key, format_func=labels.__getitem__)
    url_state.keep(key, chosen)
    return chosen


def compute(read: Cells, view: View, first_language: str) -> Overview:
    """Compare the models that a view shows, in its order; tasks of the visitor's language come first."""
    return arrange(compare(read, view.language, view.origin), view, first_language)


def compare(read: Cells, language: str | None, origin: str | None) -> Overview:
    """Compare all models over the tasks and sources of a view.

    Mini corpora are shown where there is nothing else. As on the boards, a printed figure ranks beside measured ones
    only when the visitor asks.
    """
    tasks = read.tasks[~read.tasks["mini"]] if (~read.tasks["mini"]).any() else read.tasks
    if not read.rows["task_id"].isin(tasks["task_id"]).any():
        tasks = read.tasks
    if language:
        tasks = tasks[tasks["language"] == language]
    # Where everything is printed, a page without it would be empty.
    unprinted = read.rows["source"] != "reported"
    own = ("measured", "submitted") if read.rows["task_id"][unprinted].isin(tasks["task_id"]).any() else ()
    sources = () if origin == "printed" else own
    return overview(read, tasks["task_id"].tolist(), sources=sources, verified=origin == "verified")


def arrange(shown: Overview, view: View, first_language: str) -> Overview:
    """Put the models of a comparison into the order of a view, without those that it leaves out."""
    rows = ordered(shown, view.by)
    keep = np.ones(len(rows), dtype=bool)
    if view.size is not None:
        keep &= shown.models["checkpoint_bytes"].to_numpy(dtype=float)[rows] <= view.size
    if view.whole:
        keep &= shown.models["tasks"].to_numpy()[rows] == len(shown.tasks)
    return shown.take(rows[keep]).by_coverage(first_language if view.language is None else view.language)
