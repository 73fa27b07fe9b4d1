"""The leaderboard: the answer in words, the trade-off, the table."""

import hashlib
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import ablation, answer, charts, data, learning, learning_charts, table, text, twins
from dashboard.components import guarded, plain
from db.ablation import TASK as ABLATION_TASK
from db.ablation import Ablation, verdict
from db.board import Board
from db.learning import Learning
from db.learning import verdict as pretraining
from db.metrics import Metric, known
from db.twins import CONTRASTS, PRETRAINING, Twins


def _choose_task(boards: pd.DataFrame) -> pd.Series:
    names = dict(zip(boards["task_id"], boards["name"], strict=True))
    full = boards.loc[~boards["mini"], "task_id"].tolist()
    mini = boards.loc[boards["mini"], "task_id"].tolist()
    # Not bound to the URL by Streamlit: it would write the label there, and a link must survive a new wording. A link
    # counts once, when it is new; after that the visitor's own choice does, also after the browser's way back.
    link = st.query_params.get("task")
    if link is not None and link in names and link != st.session_state.get("task_link"):
        st.session_state["task"] = link
    elif st.session_state.get("task") not in names:
        st.session_state["task"] = full[0]
    chosen = st.pills("Task", [*full, *mini], key="task", required=True, persist_state="session",
                      format_func=names.__getitem__, label_visibility="collapsed")  # fmt: skip
    st.session_state["task_link"] = chosen
    if chosen != link:
        st.query_params["task"] = str(chosen)
    st.query_params.pop("run", None)  # the way back from a run leaves it in the address
    return boards.set_index("task_id", drop=False).loc[chosen]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _headline(task: pd.Series, rows: pd.DataFrame, metric: Metric) -> None:
    st.title(plain(task["question"]))
    shown = f"{_count(task['runs'], 'run')} of {_count(task['variants'], 'variant')}"
    st.caption(f"{plain(task['scoring'])} {shown}.")
    if task["mini"]:
        st.warning(text.MINI_NOTE, icon=":material/experiment:")
    for sentence in answer.sentences(rows, metric, maximise=task["direction"] == "max") if len(rows) else []:
        kind, _, rest = sentence.partition(":")
        st.markdown(f"**{plain(kind)}:** {plain(rest)}")


def _filter(rows: pd.DataFrame) -> pd.DataFrame:
    """Draw the filters and return the rows that pass them; a row without parameters passes while the range is whole."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input("Search", key="search", bind="query-params", placeholder="Model, teacher, data set",
                               icon=":material/search:", width=260)  # fmt: skip
        families = st.multiselect("Family", sorted(rows["family"].unique()), key="family", bind="query-params",
                                  placeholder="All families", width=260)  # fmt: skip
        present = [source for source in text.SOURCES if (rows["source"] == source).any()]
        sources = st.pills("Source", present, selection_mode="multi", key="source", bind="query-params",
                           format_func=text.SOURCES.__getitem__, help=text.HELP["source"])  # fmt: skip
        size = st.selectbox("Parameters", list(SIZES), key="params", bind="query-params", width=190)
    if search:
        looked = rows[["model", "name", "family", "teacher", "dataset", "recipe"]].fillna("").agg(" ".join, axis=1)
        rows = rows[looked.str.contains(search, case=False, regex=False)]
    if families:
        rows = rows[rows["family"].isin(families)]
    if sources:
        rows = rows[rows["source"].isin(sources)]
    low, high = SIZES[size]
    if size != WHOLE:
        rows = rows[rows["params"].between(low, high, inclusive="left")]
    return rows


WHOLE = "Any size"
SIZES = {
    WHOLE: (0, 10**12),
    "Below 100k": (0, 10**5),
    "100k to 1M": (10**5, 10**6),
    "1M to 20M": (10**6, 2 * 10**7),
    "20M and more": (2 * 10**7, 10**12),
}


def _clear() -> None:
    st.session_state.update(search="", family=[], source=[], params=WHOLE)


def _choose_columns(metric: Metric, board: Board) -> list[table.Column]:
    offered = table.columns(metric, board.rows, board.figures)
    labels = {column.key: column.label for column in offered}
    # What a visitor chose stays from board to board; columns that the rows call for come and go with the rows.
    called_for = [column.key for column in offered if column.by_rows and column.shown]
    before = st.session_state.get("columns_called_for", called_for)
    if "columns" not in st.session_state:
        st.session_state["columns"] = [column.key for column in offered if column.shown]
    elif before != called_for:
        kept = [key for key in st.session_state["columns"] if key not in before or key in called_for]
        st.session_state["columns"] = [*kept, *(key for key in called_for if key not in before)]
    st.session_state["columns_called_for"] = called_for
    with st.popover("Columns", icon=":material/view_column:"):
        chosen = st.multiselect("Columns", list(labels), format_func=lambda key: labels[key], key="columns",
                                persist_state="session", label_visibility="collapsed")  # fmt: skip
    return [column for column in offered if column.key in chosen]


def _draw_tradeoff(rows: pd.DataFrame, metric: Metric, *facts: object, maximise: bool) -> None:
    sized = rows.dropna(subset=["params", "score"])
    if sized["params"].nunique() < 2:
        return  # one size: there is nothing to trade
    figure = data.once(
        lambda: charts.tradeoff(sized, metric, charts.family_colours(rows["family"].unique()), maximise=maximise),
        "tradeoff", *facts,
    )  # fmt: skip
    told = f"Parameters against {metric.label} for {len(sized)} rows, with the Pareto frontier"
    st.plotly_chart(figure, key="tradeoff", config={"displayModeBar": False}, alt=told)


def _draw_table(rows: pd.DataFrame, figures: pd.DataFrame, metric: Metric, chosen: list[table.Column]) -> None:
    drawn = table.frame(rows, figures, metric, chosen)
    # Streamlit hands back positions; the key changes with the rows, so a position never means another run.
    fingerprint = hashlib.sha256("".join(rows["run_id"]).encode()).hexdigest()[:12]
    click = f"open-{fingerprint}"
    st.dataframe(
        drawn, key=f"board-{fingerprint}", hide_index=True, column_config=table.config(metric, chosen, click),
        placeholder="–", height="content" if len(drawn) <= 25 else 760, alt=f"Leaderboard with {len(drawn)} rows",
    )  # fmt: skip
    clicked: Any = st.session_state.get(click)
    if clicked:
        st.switch_page("views/run.py", query_params={"run": rows["run_id"].iloc[clicked["row"]]})
    merged = (rows["seeds"].fillna(0) > 1).any()
    st.caption(f"{text.TABLE_HINT} {text.SEEDS_HINT}" if merged else text.TABLE_HINT)


def _draw_twins(name: str, found: list[Twins], metric: Metric, task_id: str) -> None:
    """Plain against distilled, or from scratch against pretrained; nothing where there are no twins."""
    if not found:
        return
    st.subheader(text.TWINS[name], anchor=name, help=text.HELP["paired"])
    st.caption(text.TWINS_HOW[name])
    points = twins.points(found, metric)
    left, right = st.columns([5, 6], gap="large")
    figure = data.once(
        lambda: charts.twins(points, metric, charts.family_colours(points["family"].tolist())), "twins", name, task_id
    )
    left.plotly_chart(figure, key=f"twins-{name}", config={"displayModeBar": False},
                      alt=f"{metric.label} of models with and without {name} at {len(found)} sizes")  # fmt: skip
    with right:
        st.table(twins.table(found, metric).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(" ".join(twins.remarks(found))))
        for one, label in zip(found, twins.labels(found), strict=True):
            pair = one.pairs[0]
            if pair.p is not None:
                st.page_link("views/compare.py", label=plain(f"{text.TWINS_EXAMPLES}: {label}"),
                             query_params={"first": pair.plain, "second": pair.treated},
                             icon=":material/compare_arrows:")  # fmt: skip


def _draw_ablation(found: Ablation) -> None:
    """Printed against measured differences; the commands where something is missing."""
    st.subheader(text.ABLATION, anchor="parts")
    st.caption(text.ABLATION_HOW)
    marks = ablation.points(found)
    left, right = st.columns([6, 5], gap="large")
    if not marks.empty:
        figure = charts.ablation(marks, charts.family_colours(marks["family"].tolist()))
        told = "Printed and measured differences when a part of the distillation is left out"
        left.plotly_chart(figure, key="ablation", config={"displayModeBar": False}, alt=told)
    with right:
        st.table(ablation.table(found).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(ablation.whole(found)))
    if len(found.measured) < len(found.differences):
        st.write(text.ABLATION_EMPTY if not found.measured else text.ABLATION_PARTLY)
        st.code(ablation.commands(), language="bash")


def _draw_learning(found: Learning, metric: Metric, colours: dict[str, str], *facts: object) -> None:
    """Scores over the size of the training set; nothing on a board without such runs."""
    if not found.lines:
        return
    st.subheader(text.LEARNING, anchor="examples", help=text.HELP["interval"])
    st.caption(text.LEARNING_HOW)
    points = learning.points(found, metric)
    levels = learning.levels(found)
    figure = data.once(lambda: learning_charts.learning(points, levels, metric, colours), "learning", *facts)
    left, right = st.columns([6, 5], gap="large")
    told = f"{metric.label} of {len(found.lines)} models over the number of training examples"
    left.plotly_chart(figure, key="learning", config={"displayModeBar": False}, alt=told)
    with right:
        st.table(learning.table(found, metric).map(plain), border="horizontal", hide_index=True)
        if learning.missing(found):
            st.write(text.LEARNING_ONE_SIZE if len(found.sizes) == 1 else text.LEARNING_PARTLY)
            st.code(learning.commands(), language="bash")


def _empty() -> None:
    st.subheader(text.EMPTY_BOARD)
    st.write(text.EMPTY_BOARD_HOW)
    st.code(text.EMPTY_BOARD_COMMANDS, language="bash")


def page() -> None:
    """Draw the page."""
    with guarded():
        task = _choose_task(data.boards())
    metric = known(str(task["metric"]))
    maximise = task["direction"] == "max"
    head, filters, controls = st.container(), st.container(), st.container(horizontal=True, vertical_alignment="center")
    if not task["runs"]:
        with head:
            _headline(task, pd.DataFrame(), metric)
            _empty()
        return
    # Drawn before the rows are read, because a link may hold it; it stands below them all the same.
    every = controls.toggle("Every run", key="every", bind="query-params", help=text.TERMS["Variant"])
    with guarded():
        board = data.leaderboard(str(task["task_id"]), every_run=every)
        rows = board.rows
        pairs = {contrast.name: data.twins_of(str(task["task_id"]), contrast) for contrast in CONTRASTS}
        growing = data.over_examples(str(task["task_id"]))
        parts = data.distillation_parts() if task["task_id"] == ABLATION_TASK else None
    with head:
        _headline(task, rows, metric)
        pretrained = pretraining(growing, metric)
        for name, found in pairs.items():
            if found and not (pretrained and name == PRETRAINING.name):  # which tells the same of all sizes
                st.markdown(f"**{text.TWINS[name]}:** {plain(twins.lead(found, metric))} [{text.TWINS_LINK}](#{name})")
        if parts and parts.measured:
            st.markdown(f"**Measured here:** {plain(verdict(parts))} [{text.ABLATION_LINK}](#parts)")
        if pretrained:
            title = text.TWINS[PRETRAINING.name]
            st.markdown(f"**{title}:** {plain(pretrained)} [{text.LEARNING_LINK}](#examples)")
        _draw_tradeoff(rows, metric, task["task_id"], every, maximise=maximise)
    with filters:
        kept = _filter(rows)
    with controls:
        chosen = _choose_columns(metric, board)
        st.caption(f"{len(kept)} of {len(rows)} rows")
    if kept.empty:
        st.subheader(text.NO_MATCH)
        st.write(text.NO_MATCH_HOW)
        st.button(text.CLEAR, on_click=_clear, icon=":material/filter_alt_off:")
    else:
        _draw_table(kept, board.figures.loc[kept.index], metric, chosen)
    for name, found in pairs.items():
        _draw_twins(name, found, metric, str(task["task_id"]))
    _draw_learning(growing, metric, charts.family_colours(rows["family"].unique()), task["task_id"], every)
    if parts:
        _draw_ablation(parts)


page()
