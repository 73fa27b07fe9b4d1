"""Two to six runs side by side: who is best, can the data tell, and in what do they differ."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.compare import browse, choice, data, sections, tables
from dashboard.compare import names as comparison
from dashboard.compare.sections import COMPARE_VIEWS
from dashboard.ui import task_names, url_state
from dashboard.ui.i18n import _, translated
from dashboard.ui.labels import MINI_NOTE
from dashboard.ui.markdown import guarded, page_link, plain, table
from db.analysis.comparison import LETTERS, Comparison, RunSelection, choice_caveats
from db.analysis.paired_tests import Verdict, measures


def _head(selection: RunSelection) -> None:
    label = plain(task_names.name(selection.tasks[0], selection.runs["task"].iloc[0]))
    page_link("leaderboard", label, icon=":material/arrow_back:", task=selection.tasks[0])
    called = comparison.names(selection.runs)
    two = _("{first} against {second}").format(first=called[0], second=called[1])
    several = _("{count} models side by side") if selection.has_means else _("{count} runs side by side")
    st.title(plain(two if len(selection) == 2 else several.format(count=len(selection))))


def _warn(selection: RunSelection) -> None:
    lines = comparison.other_data(selection)
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
    if selection.runs["mini"].iloc[0]:
        st.warning(_(MINI_NOTE), icon=":material/experiment:")
    called = comparison.lettered(comparison.names(selection.runs))
    for text, indices in choice_caveats(selection).items():
        names = ", ".join(plain(called[index]) for index in indices)
        st.warning(f"{names}: {_(text)}", icon=":material/report:")


def _compared(selection: RunSelection) -> Comparison | None:
    """The runs on their common examples; what stands in the way is told."""
    if len(selection.answering) < 2 and selection.inside_means:
        st.info(_of_its_own_mean(selection), icon=":material/info:")
        return None
    if len(selection.answering) < 2:
        st.info(
            _(
                "Fewer than two of these runs keep their predictions, so nothing can be tested on the same "
                "examples. An interval that overlaps another says little: paired tests see smaller "
                "differences."
            ),
            icon=":material/info:",
        )
        return None
    common = data.common(selection)
    if not len(common):
        st.info(_("These runs have no scored example in common, so nothing can be tested."), icon=":material/info:")
        return None
    return Comparison(selection, selection.answering, common)


def _of_its_own_mean(selection: RunSelection) -> str:
    """Say which runs are not tested because they are seeds of a mean beside them."""
    everybody = comparison.lettered(comparison.names(selection.runs))
    return _(
        "Not tested, because it is one of the seeds behind a mean beside it, so a difference would not be one of "
        "models: {names}. Compare the mean with other models, or the run with another run."
    ).format(names=", ".join(plain(everybody[index]) for index in selection.inside_means))


def _verdict(compared: Comparison, sentence: DeltaGenerator) -> Verdict | None:
    """Who is best, in one sentence above the runs, and what is to be known of the test below them."""
    selection, common = compared.chosen, compared.common
    of_means = data.verdict_of_means(selection) if selection.has_means else None
    if selection.has_means and of_means is None:
        st.info(
            _("Correlations of means over seeds are not tested; compare single runs.")
            if common.numbers is not None
            else _("The seeds were not all scored on the same examples, so nothing can be tested.")
        )
        return None
    offered = measures(common) if of_means is None else (of_means.measure,)
    called = comparison.names(selection.runs)
    if len(selection) > 2:
        called = comparison.lettered(called)
    called = [called[index] for index in compared.places]
    measure = offered[0]
    if len(offered) > 1:
        labels = {"overlap": task_names.metric("f1").label, "right": task_names.metric("em").label}
        measure = url_state.choice("test", _("What is tested"), {code: labels[code] for code in offered})
    result = of_means or data.verdict(selection, measure)
    sentence.markdown(comparison.lead(result, called, texts=selection.texts is not None))
    if len(called) == 2 and of_means is None and common.numbers is None:
        sentence.caption(comparison.counts(compared, called))
    if of_means is None and common.withheld and common.overlap is None:
        st.caption(
            _(
                "F1 cannot be tested: at least one of these runs keeps which of its answers are right, and "
                "not their texts, which belong to the data set. The test of exact match stands."
            )
        )
    if len(compared.places) < len(selection):
        everybody = comparison.lettered(comparison.names(selection.runs))
        apart = {*compared.places, *selection.inside_means}
        left = [everybody[index] for index in range(len(selection)) if index not in apart]
        if left:
            st.caption(
                _("Not tested, because no predictions are kept: {names}.").format(
                    names=", ".join(plain(name) for name in left)
                )
            )
        if selection.inside_means:
            st.caption(_of_its_own_mean(selection))
    return result


def _matrix(compared: Comparison, verdict: Verdict) -> None:
    """Every two runs."""
    figure = comparison.in_points(verdict.measure, texts=compared.chosen.texts is not None)
    with st.expander(_("Pairwise tests"), expanded=True, icon=":material/grid_on:"):
        table(tables.matrix(verdict, [LETTERS[index] for index in compared.places]), _("Pairwise tests"))
        st.caption(
            _(
                "The run of the row minus that of the column in points of {figure}, with the 95% interval; "
                "p is corrected by Holm for all {pairs} pairs together."
            ).format(figure=figure, pairs=len(verdict.pairs))
        )


def _choose_view(*, examples: bool) -> str:
    views = translated(COMPARE_VIEWS)
    if not examples:
        del views["examples"], views["agreement"]
    return url_state.choice("view", _("What to look at"), views, label_visibility="collapsed")


def page() -> None:
    """Draw the page."""
    with guarded():
        selection = choice.runs()
    _head(selection)
    sentence = st.container()
    with guarded():
        choice.chips(selection)
        _warn(selection)
        with sentence:
            compared = _compared(selection)
        verdict = None if compared is None else _verdict(compared, sentence)
        if compared is not None and verdict is not None and len(compared.places) > 2:
            _matrix(compared, verdict)
        view = _choose_view(examples=compared is not None and compared.common.numbers is None)
        if view == "figures":
            sections.figures(selection)
        elif view == "settings":
            sections.settings(selection)
        elif view == "curves":
            sections.curves(selection)
        elif compared is not None and view == "agreement":
            sections.agreement(selection, compared.common)
        elif compared is not None:
            sections.note_of_means(selection)
            browse.draw(compared)


page()
