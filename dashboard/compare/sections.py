"""What can be looked at below the verdict: figures, agreement, curves, settings."""

from typing import cast

import streamlit as st

from dashboard.compare import curves as comparison_curves
from dashboard.compare import data, tables
from dashboard.compare import names as comparison
from dashboard.compare.curves import Across
from dashboard.ui import links, task_names, text
from dashboard.ui.markdown import plain
from db.analysis import differences
from db.analysis.comparison import LETTERS, Chosen
from db.analysis.paired_answers import Common
from db.registry import formats
from db.registry.metrics import Metric, known

_SHARE = Metric("share", "", "percent", "max", "")


def figures(found: Chosen) -> None:
    """Every figure of every run, with its interval and its difference from A."""
    table = tables.figures(found)
    st.table(table, border="horizontal", hide_index=True, alt=text.COMPARE_VIEWS["figures"])
    st.caption(text.COMPARE_FIGURES_HOW.format(best=tables.BEST))


def agreement(found: Chosen, common: Common) -> None:
    """How far the runs agree, and what they could do together."""
    told = data.agreed(found)
    best = max(float(share) for share in common.right.mean(axis=0))
    tiles = [
        (text.COMPARE_ALL_RIGHT, told.all_right, text.COMPARE_ALL_RIGHT_HELP, None),
        (text.COMPARE_ALL_WRONG, told.all_wrong, text.COMPARE_ALL_WRONG_HELP, None),
        (text.COMPARE_ORACLE, told.oracle, text.COMPARE_ORACLE_HELP, best),
        (text.COMPARE_MAJORITY, told.majority, text.COMPARE_MAJORITY_HELP, best),
    ]
    with st.container(horizontal=True):
        for label, value, explanation, beside in tiles:
            if value is not None:
                below = None if beside is None else text.COMPARE_SINGLE.format(score=formats.value(_SHARE, beside))
                st.metric(
                    label,
                    formats.value(_SHARE, value),
                    below,
                    delta_color="off",
                    delta_arrow="off",
                    help=explanation,
                    width=210,
                )
    letters = [LETTERS[place] for place in found.answering]
    st.table(tables.alike(told, letters).map(plain), border="horizontal", hide_index=True)
    how = text.COMPARE_AGREEMENT_TEXTS if found.texts else text.COMPARE_AGREEMENT_HOW
    st.caption(how.format(n=f"{len(common):,}"))


def settings(found: Chosen) -> None:
    """What differs between the runs' facts and recipes; on demand, what does not."""
    facts = differences.facts(found)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            text.COMPARE_SEARCH,
            key="setting",
            bind="query-params",
            icon=":material/search:",
            placeholder=text.COMPARE_SEARCH_HINT,
            width=320,
        )
        everything = st.toggle(text.COMPARE_ALL_SETTINGS, key="all", bind="query-params")
    differing = int(facts["differs"].sum())
    if not everything and not differing:
        st.write(text.COMPARE_ALL_SAME)
        return
    rows = tables.settings(facts, everything=everything, search=search)
    if rows.empty:
        st.write(text.COMPARE_NO_SETTING)
        return
    first, second = rows.columns[:2]
    # Streamlit remembers widths and order by the key; another set of runs has other columns.
    st.dataframe(
        rows,
        hide_index=True,
        key=f"settings-{'-'.join(found.ids())}",
        alt=text.COMPARE_VIEWS["settings"],
        height="content" if len(rows) <= 20 else 620,
        column_config={
            first: st.column_config.TextColumn(width=70),
            second: st.column_config.TextColumn(pinned=True, width=200),
            **{letter: st.column_config.TextColumn(width="medium") for letter in rows.columns[2:]},
        },
    )
    st.caption(text.COMPARE_SETTINGS_SHOWN.format(shown=len(rows), all=len(facts), differing=differing))


def curves(found: Chosen) -> None:
    """Curves of all runs over each other, one figure a series."""
    there = data.series(found.ids())
    if there.empty:
        st.write(text.COMPARE_NO_CURVES)
        return
    names = list(there["series"])
    default = comparison_curves.common_series(there)
    links.follow("series", links.some_of(names), default)
    st.session_state["series"] = [name for name in st.session_state["series"] if name in names]
    chosen = st.multiselect(text.COMPARE_SERIES, names, key="series", format_func=_series_name)
    links.keep("series", None if chosen == default else ",".join(chosen))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        links.follow("over", links.one_of(text.COMPARE_ACROSS_NAMES), "epoch")
        across = st.segmented_control(
            text.COMPARE_ACROSS,
            list(text.COMPARE_ACROSS_NAMES),
            key="over",
            required=True,
            format_func=lambda code: text.COMPARE_ACROSS_NAMES[code],
        )
        links.keep("over", None if across == "epoch" else across)
        weight = st.slider(
            text.COMPARE_SMOOTH,
            0.0,
            0.99,
            0.0,
            0.01,
            key="smooth",
            bind="query-params",
            width=260,
            help=text.COMPARE_SMOOTH_HELP,
        )
        log = st.toggle(text.COMPARE_LOG, key="log", bind="query-params")
    if not chosen:
        st.caption(text.COMPARE_NO_SERIES)
        return
    points = data.lines(found.ids(), tuple(sorted(chosen)))
    called = comparison.names(found.runs)
    columns = st.columns(2 if len(chosen) > 1 else 1, gap="medium")
    for place, name in enumerate(chosen):
        rows = points[points["series"] == name]
        column = columns[place % len(columns)]
        column.markdown(f"**{plain(_series_name(name))}**")
        percent = known(name.rpartition(" ")[2]).unit == "percent" or name.endswith("_accuracy")
        figure = comparison_curves.overlay(
            rows,
            found.ids(),
            called,
            across=cast(Across, across),
            smoothing=float(weight),
            log=log and not percent,
            axis=text.COMPARE_AXES[str(across)],
            percent=percent,
        )
        alt = text.COMPARE_CURVE_ALT.format(series=_series_name(name), count=rows["run_id"].nunique())
        column.plotly_chart(figure, key=f"curve-{name}", config={"displayModeBar": False}, alt=alt)
        missing = [
            letter
            for letter, run_id in zip(LETTERS, found.ids(), strict=False)
            if not rows.loc[rows["run_id"] == run_id, str(across)].notna().any()
        ]
        if missing:
            column.caption(text.COMPARE_WITHOUT.format(letters=", ".join(missing)))


def _series_name(name: str) -> str:
    """A member of an ensemble stands before its curve: ``bilstm-8k/1 train_loss``."""
    member, _, kind = name.rpartition(" ")
    told = text.CURVE_NAMES.get(kind) or task_names.metric(kind).label
    return f"{member} {told}".strip()
