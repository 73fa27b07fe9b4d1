"""Two to six runs side by side: who is best, can the data tell, and in what do they differ."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.compare import browse, choice, data, sections, tables
from dashboard.compare import names as comparison
from dashboard.compare.sections import COMPARE_VIEWS
from dashboard.ui import links, task_names
from dashboard.ui.i18n import _, translated
from dashboard.ui.labels import MINI_NOTE
from dashboard.ui.markdown import guarded, plain
from db.analysis.comparison import LETTERS, Chosen, Compared
from db.analysis.paired_tests import Verdict, measures


def _head(found: Chosen) -> None:
    facts = {"task_id": found.tasks[0], "name": found.runs["task"].iloc[0]}
    st.page_link(
        "views/leaderboard.py",
        label=plain(task_names.task(facts).name),
        icon=":material/arrow_back:",
        query_params={"task": found.tasks[0]},
    )
    called = comparison.names(found.runs)
    two = _("{first} against {second}").format(first=called[0], second=called[1])
    st.title(plain(two if len(found) == 2 else _("{count} runs side by side").format(count=len(found))))


def _warn(found: Chosen) -> None:
    lines = comparison.other_data(found)
    if lines:
        st.error(
            "  \n".join(
                [
                    _(
                        "These runs were not trained or scored on the same data: a difference between them is not "
                        "the models' alone."
                    ),
                    *lines,
                ]
            ),
            icon=":material/report:",
        )
    if found.runs["mini"].iloc[0]:
        st.warning(_(MINI_NOTE), icon=":material/experiment:")


def _compared(found: Chosen) -> Compared | None:
    """The runs on their common examples; what stands in the way is told."""
    if len(found.answering) < 2:
        st.info(
            _(
                "Fewer than two of these runs keep their predictions, so nothing can be tested on the same "
                "examples. An interval that overlaps another says little: paired tests see smaller "
                "differences."
            ),
            icon=":material/info:",
        )
        return None
    common = data.common(found)
    if not len(common):
        st.info(_("These runs have no scored example in common, so nothing can be tested."), icon=":material/info:")
        return None
    return Compared(found, found.answering, common)


def _verdict(compared: Compared, sentence: DeltaGenerator) -> Verdict:
    """Who is best, in one sentence above the runs, and what is to be known of the test below them."""
    found, common = compared.chosen, compared.common
    offered = measures(common)
    called = comparison.names(found.runs)
    if len(found) > 2:
        called = comparison.lettered(called)
    called = [called[place] for place in compared.places]
    measure = offered[0]
    if len(offered) > 1:
        links.follow("test", links.one_of(offered), offered[0])
        labels = {"overlap": task_names.metric("f1").label, "right": task_names.metric("em").label}
        measure = (
            st.segmented_control(
                _("What is tested"), list(offered), key="test", required=True, format_func=labels.__getitem__
            )
            or offered[0]
        )
        links.keep("test", None if measure == offered[0] else measure)
    told = data.verdict(found, measure)
    sentence.markdown(comparison.lead(told, called, texts=found.texts is not None))
    if len(called) == 2:
        sentence.caption(comparison.counts(compared, called))
    if common.withheld:
        st.caption(
            _(
                "F1 cannot be tested: at least one of these runs keeps which of its answers are right, and "
                "not their texts, which belong to the data set. The test of exact match stands."
            )
        )
    if len(compared.places) < len(found):
        everybody = comparison.lettered(comparison.names(found.runs))
        left = [everybody[place] for place in range(len(found)) if place not in compared.places]
        st.caption(
            _("Not tested, because no predictions are kept: {names}.").format(
                names=", ".join(plain(name) for name in left)
            )
        )
    return told


def _matrix(compared: Compared, told: Verdict) -> None:
    """Every two runs."""
    figure = comparison.figure(told.measure, texts=compared.chosen.texts is not None)
    with st.expander(_("Every two runs"), expanded=True, icon=":material/grid_on:"):
        st.table(
            tables.matrix(told, [LETTERS[place] for place in compared.places]),
            border="horizontal",
            hide_index=True,
            alt=_("Every two runs"),
        )
        st.caption(
            _(
                "The run of the row minus that of the column in points of {figure}, with the 95% interval; "
                "p is corrected by Holm for all {pairs} pairs together."
            ).format(figure=figure, pairs=len(told.pairs))
        )


def _choose_view(found: Chosen, *, examples: bool) -> str:
    views = [view for view in translated(COMPARE_VIEWS) if examples or view not in {"examples", "agreement"}]
    links.follow("view", links.one_of(views), views[0])
    if st.session_state["view"] not in views:
        st.session_state["view"] = views[0]
    view = st.segmented_control(
        _("What to look at"),
        views,
        key="view",
        required=True,
        label_visibility="collapsed",
        format_func=lambda code: _(COMPARE_VIEWS[code]),
    )
    links.keep("view", None if view == views[0] else view)
    return str(view)


def page() -> None:
    """Draw the page."""
    with guarded():
        found = choice.runs()
    _head(found)
    _warn(found)
    sentence = st.container()
    with guarded():
        choice.chips(found)
        with sentence:
            compared = _compared(found)
        told = None if compared is None else _verdict(compared, sentence)
        if compared is not None and told is not None and len(compared.places) > 2:
            _matrix(compared, told)
        view = _choose_view(found, examples=compared is not None)
        if view == "figures":
            sections.figures(found)
        elif view == "settings":
            sections.settings(found)
        elif view == "curves":
            sections.curves(found)
        elif compared is not None and view == "agreement":
            sections.agreement(found, compared.common)
        elif compared is not None:
            browse.draw(compared)


page()
