"""What can be looked at below the verdict: figures, agreement, curves, settings."""

import streamlit as st

from dashboard.compare import curves as comparison_curves
from dashboard.compare import data, tables
from dashboard.compare import names as comparison
from dashboard.compare.curves import Across
from dashboard.ui import task_names, url_state
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.labels import CURVE_NAMES
from dashboard.ui.markdown import chart, plain, table, two_a_row
from db.analysis import differences
from db.analysis.comparison import LETTERS, RunSelection
from db.analysis.paired_answers import PairedAnswers
from db.registry import formats
from db.registry.metrics import known

COMPARE_VIEWS = {
    "figures": N_("Metrics"),
    "examples": N_("Examples"),
    "agreement": N_("Agreement"),
    "curves": N_("Curves"),
    "settings": N_("Settings"),
}
COMPARE_ACROSS_NAMES: dict[Across, str] = {"step": N_("Step"), "epoch": N_("Epoch"), "wall_time": N_("Time")}


def figures(selection: RunSelection) -> None:
    """Every figure of every run, with its interval and its difference from A."""
    table(tables.figures(selection), _(COMPARE_VIEWS["figures"]))
    st.caption(
        _(
            "{best} marks the best of a row. Below a figure stands its 95% interval, and the difference "
            "from A: in points, as a number, or for costs as a ratio. A dash is a figure that nobody "
            "gave. Whether a difference is more than chance is told by the paired test above, not by "
            "this table."
        ).format(best=tables.BEST)
    )
    if selection.has_means:
        st.caption(_("A mean over seeds carries ± its standard deviation; costs are medians over the seeds."))


def agreement(selection: RunSelection, common: PairedAnswers) -> None:
    """How far the runs agree, and what they could do together."""
    result = data.agreed(selection)
    best = max(float(share) for share in common.right.mean(axis=0))
    alone = _("Best run alone: {score}").format(score=formats.value(comparison.SHARE, best))
    oracle = _("At least one run is right: what always choosing the right one among them would reach.")
    majority = _("The label that most runs give. Where labels tie, each counts for its part.")
    tiles = [
        (_("All right"), result.all_right, _("Common examples that every run answers right."), None),
        (_("All wrong"), result.all_wrong, _("Common examples that no run answers right."), None),
        (_("Oracle"), result.oracle, oracle, alone),
        (_("Majority vote"), result.majority, majority, alone),
    ]
    with st.container(horizontal=True):
        for label, value, explanation, below in tiles:
            if value is not None:
                shown = formats.value(comparison.SHARE, value)
                st.metric(label, shown, below, delta_color="off", delta_arrow="off", help=explanation, width=210)
    note_of_means(selection)
    letters = [LETTERS[index] for index in selection.answering]
    table(tables.alike(result, letters).map(plain))
    how = (
        _(
            "Shares of the {n} common examples. Two answers are the same where the official rules see "
            "no difference between them; right is exactly right."
        )
        if selection.texts
        else _(
            "Shares of the {n} common examples. Kappa is agreement beyond chance: 1 is always, 0 is "
            "what two runs with these habits would reach by guessing. The lower it is at equal scores, "
            "the more they have to gain from each other."
        )
    )
    st.caption(how.format(n=f"{len(common):,}"))


def note_of_means(selection: RunSelection) -> None:
    """Say whose answers are shown for a mean over seeds."""
    if selection.has_means:
        st.caption(_("Answers of a mean over seeds are those of its seed with the median score."))


def settings(selection: RunSelection) -> None:
    """What differs between the runs' facts and recipes; on demand, what does not."""
    facts = differences.facts(selection)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            _("Search settings"),
            key="setting",
            bind="query-params",
            icon=":material/search:",
            placeholder=_("Name or value"),
            width=320,
        )
        everything = st.toggle(_("Also what is the same"), key="all", bind="query-params")
    differing = int(facts["differs"].sum())
    if not everything and not differing:
        st.write(_("Nothing that is known of these runs differs."))
        return
    rows = tables.settings(facts, everything=everything, search=search)
    if rows.empty:
        st.write(_("No setting fits. Clear the search, or show what is the same too."))
        return
    first, second = rows.columns[:2]
    # Streamlit remembers widths and order by the key; another set of runs has other columns.
    st.dataframe(
        rows,
        hide_index=True,
        key=f"settings-{'-'.join(selection.ids())}",
        alt=_(COMPARE_VIEWS["settings"]),
        height="content" if len(rows) <= 20 else 620,
        column_config={
            first: st.column_config.TextColumn(width=70),
            second: st.column_config.TextColumn(pinned=True, width=200),
            **{letter: st.column_config.TextColumn(width="medium") for letter in rows.columns[2:]},
        },
    )
    st.caption(
        _("{shown} of {all} settings; {differing} differ.").format(shown=len(rows), all=len(facts), differing=differing)
    )


def curves(selection: RunSelection) -> None:
    """Curves of all runs over each other, one figure a series."""
    series = data.series(selection)
    if series.empty:
        st.write(_("None of these runs has curves: printed figures have none, and a training writes them as it goes."))
        return
    names = list(series["series"])
    default = comparison_curves.common_series(series)
    url_state.follow("series", url_state.some_of(names), default)
    st.session_state["series"] = [name for name in st.session_state["series"] if name in names]
    chosen = st.multiselect(_("Curves to draw"), names, key="series", format_func=_series_name)
    url_state.keep("series", None if chosen == default else ",".join(chosen))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        across = url_state.choice("over", _("Over"), translated(COMPARE_ACROSS_NAMES), "epoch")
        weight = st.slider(
            _("Smoothing"),
            0.0,
            0.99,
            0.0,
            0.01,
            key="smooth",
            bind="query-params",
            width=260,
            help=_(
                "Exponential moving average: the weight of what was before. The raw line stays beneath, "
                "pale. Curves of at most 40 points are not smoothed. Long ones are drawn by their highest "
                "and lowest points; what is smoothed then is the mean between them."
            ),
        )
        log = st.toggle(_("Logarithmic"), key="log", bind="query-params")
    if not chosen:
        st.caption(_("Choose a curve."))
        return
    points = data.lines(selection, tuple(sorted(chosen)))
    called = comparison.names(selection.runs)
    for column, name in two_a_row(chosen, whole=True):
        rows = points[points["series"] == name]
        column.markdown(f"**{plain(_series_name(name))}**")
        percent = known(name.rpartition(" ")[2]).unit == "percent" or name.endswith("_accuracy")
        figure = comparison_curves.overlay(
            rows,
            selection.ids(),
            called,
            across=across,
            smoothing=float(weight),
            log=log and not percent,
            axis=_("Seconds of training") if across == "wall_time" else _(COMPARE_ACROSS_NAMES[across]),
            percent=percent,
        )
        alt = _("{series} of {count} runs").format(series=_series_name(name), count=rows["run_id"].nunique())
        with column:
            chart(figure, f"curve-{name}", alt)
        missing = [
            letter
            for letter, run_id in zip(LETTERS, selection.ids(), strict=False)
            if not rows.loc[rows["run_id"] == run_id, across].notna().any()
        ]
        if missing:
            column.caption(
                _("Not in this figure, because it was not recorded: {letters}.").format(letters=", ".join(missing))
            )


def _series_name(name: str) -> str:
    """A member of an ensemble stands before its curve: ``bilstm-8k/1 train_loss``."""
    member, _unused, kind = name.rpartition(" ")
    label = translated(CURVE_NAMES).get(kind) or task_names.metric(kind).label
    return f"{member} {label}".strip()
