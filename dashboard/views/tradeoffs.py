"""Trade-offs: cost against quality, what lies within a budget, and what to choose on the frontier."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.tradeoffs import budgets, figure_data, selection
from dashboard.tradeoffs import chart as tradeoff_charts
from dashboard.tradeoffs import labels as tradeoff_labels
from dashboard.tradeoffs import sentences as tradeoff_words
from dashboard.tradeoffs.figure_data import Picture
from dashboard.tradeoffs.state import NAMES, State, read
from dashboard.ui import cache as data
from dashboard.ui import task_names, url_state
from dashboard.ui.export import csv
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP, EMPTY_BOARD_HOW, HELP
from dashboard.ui.markdown import guarded, ink, paper, plain, touched
from db.leaderboard.board import Board

_MEASURE = "featherboard evaluate RUN --keep --only-timings"
_PLOT = "trade_plot"

# On a telephone there is room for the names of few marks; see `tradeoff_labels.NARROW_LABELS`.
_FEW = "".join(f':not([data-index="{index}"])' for index in range(tradeoff_labels.NARROW_LABELS))
_STYLE = f"""<style>
@media (max-width: 640px) {{ .st-key-{_PLOT} .annotation{_FEW} {{ display: none; }} }}
</style>"""


def _follow_the_address(names: Mapping[str, str], first: str) -> None:
    """Take the choices of an address that is new; one that names no task leaves them as they were."""
    requested = read(url_state.read_all(NAMES))
    state = st.session_state
    if requested is not None and requested.task in names and requested.address() != state.get("trade_address"):
        state["trade_task"] = requested.task
        state["trade_x"], state["trade_y"], state["trade_size"] = requested.x, requested.y, requested.size or ""
        for cost in figure_data.COSTS:
            limit = requested.budget.get(cost)
            state[f"trade_max_{cost}"] = None if limit is None else budgets.written(cost, limit)
        state["trade_families"], state["trade_every"] = list(requested.families), requested.every
        state["trade_arrows"] = requested.arrows
        # What a link sets must be seen.
        state["trade_open"] = bool(requested.address().keys() - {"task", "x"})
    elif state.get("trade_task") not in names:
        state["trade_task"] = first


def _write_address(state: State) -> None:
    address = st.session_state["trade_address"] = state.address()
    url_state.write_all({name: [value] if isinstance(value, str) else value for name, value in address.items()})


def _choose(label: str, key: str, options: list[Any], labels: Mapping[Any, str], **more: Any) -> Any:
    """One of several; a choice that is not offered any more becomes the first."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0]
    return st.selectbox(label, options, key=key, format_func=labels.__getitem__, persist_state="session", **more)


def _axes(board: Board, more: Any) -> tuple[str, str]:
    """Draw the choice of cost, and of score among the further options; return their keys."""
    scores = figure_data.scores(board)
    if st.session_state.get("trade_y") not in scores:
        st.session_state["trade_y"] = scores[0]
    offered = figure_data.costs(board, st.session_state["trade_y"])
    if st.session_state.get("trade_x") not in offered:
        st.session_state["trade_x"] = figure_data.first_cost(offered)
    rows = len(board.rows)
    cost_labels = {
        cost: _("{label} ({count} of {rows} rows)").format(
            label=figure_data.quantity(cost).label, count=count, rows=rows
        )
        for cost, count in offered.items()
    }
    labels = {name: figure_data.quantity(name).label for name in scores}
    cost = _choose(_("Cost"), "trade_x", list(offered), cost_labels, width=260)
    with more:
        score = _choose(_("Score"), "trade_y", scores, labels, width=230)
    return str(cost), str(score)


def _size(board: Board, cost: str, score: str) -> str | None:
    """Draw the choice of what the size of a mark stands for."""
    third = [*figure_data.costs(board, score), *figure_data.scores(board)]
    names = {"": _("All the same")} | {
        key: figure_data.quantity(key).label for key in third if key not in (cost, score, figure_data.COSTS[cost])
    }
    return str(_choose(_("Size of marks"), "trade_size", list(names), names, width=190)) or None


def _budget(board: Board, score: str, areas: Mapping[str, Any]) -> dict[str, float]:
    """Draw a field for each cost that some row has, and return the limits."""
    limits: dict[str, float] = {}
    wrong: list[str] = []
    with areas["limits"].container(horizontal=True, vertical_alignment="bottom"):
        for cost, count in figure_data.costs(board, score).items():
            if not count:
                continue
            example = budgets.PRESETS[cost][2]
            label = _("{label}, at most").format(label=figure_data.quantity(cost).label)
            typed = st.selectbox(
                label,
                budgets.PRESETS[cost],
                index=None,
                key=f"trade_max_{cost}",
                accept_new_options=True,
                placeholder=_("Any"),
                persist_state="session",
                width=165,
                help=_(
                    "Choose an amount or type one with its unit, such as {example}. A row without the figure "
                    "does not fit."
                ).format(example=example),
            )
            if not typed:
                continue
            limit = budgets.amount(cost, typed)
            if limit is None:
                wrong.append(
                    _("{typed} is no amount. Type a number and its unit, such as {example}.").format(
                        typed=typed[:40], example=example
                    )
                )
            else:
                limits[cost] = limit
    for message in wrong:
        areas["wrong"].warning(plain(message), icon=":material/edit:")
    return limits


def _answer(board: Board, shown: Picture, budget: Mapping[str, float], families: tuple[str, ...]) -> None:
    """What the picture says, in a sentence."""
    if budget:
        for lead, rest in budgets.sentences(board, budget, shown.y.key, families=families):
            st.markdown(f"**{plain(lead)}:** {plain(rest)}")
    elif shown.sizes > 1:
        st.markdown(f"**{plain(_('On the frontier'))}:** {plain(tradeoff_words.front_told(shown))}")


def _draw(shown: Picture, budget: Mapping[str, float], best: str | None, arrows: pd.DataFrame | None) -> list[str]:
    """Draw the figure and return the runs that are chosen in it, in the order of the marks."""
    figure = tradeoff_charts.tradeoff(
        shown, budget=budget, best=best, arrows=arrows, ink=ink(), paper=paper(), fixed=touched()
    )
    names = ", ".join(shown.front["model"].head(12))
    alt = _("{cost} against {score} for {count} rows. On the Pareto frontier, from the cheapest: {names}.").format(
        cost=shown.x.label, score=shown.y.label, count=len(shown.marks), names=names
    )
    with st.container(key=_PLOT):
        event: Any = st.plotly_chart(
            figure,
            key=f"trade-{selection.fingerprint(shown)}",
            on_select="rerun",
            alt=alt,
            selection_mode=("points", "box", "lasso"),
            config={
                "displaylogo": False,
                "displayModeBar": True,
                "scrollZoom": False,
                "toImageButtonOptions": {
                    "format": "svg",
                    "filename": "featherboard-tradeoffs",
                    "width": 1400,
                    "height": tradeoff_charts.HEIGHT + 60,
                    "scale": 2,
                },
            },
        )
    chosen = {_run_of(point.get("customdata")) for point in event["selection"]["points"]}
    return [run_id for run_id in shown.marks["run_id"] if run_id in chosen]


def _run_of(data: Any) -> str | None:
    """The run of a selected mark; a mark of the ring or of an arrow has none."""
    while isinstance(data, (list, tuple)) and data:
        data = data[0]
    return data if isinstance(data, str) else None


def _draw_nothing(shown: Picture, families: tuple[str, ...]) -> None:
    """Why there is no figure, and what would make one."""
    if len(shown.marks):
        st.subheader(_("There is nothing to trade here."), anchor=False)
        value = shown.x.text(float(shown.marks["x"].iloc[0]))
        st.write(
            plain(
                _("{cost}: {value} in every row that has both figures. Choose another cost.").format(
                    cost=shown.x.label, value=value
                )
            )
        )
        return
    st.subheader(
        plain(_("No row has both figures: {cost} and {score}.").format(cost=shown.x.label, score=shown.y.label)),
        anchor=False,
    )
    if families:
        st.write(_("No row of these families has both figures."))
    elif shown.x.key == "params":
        st.write(_("Parameters are counted when a model is trained or measured here. Choose another cost."))
    elif shown.x.key == "time":
        st.write(_("Train time is kept when a model is trained here."))
    else:
        st.write(
            plain(
                _(
                    "{cost} is not known of any row with this score. This command measures a run and keeps what "
                    "it costs:"
                ).format(cost=shown.x.label)
            )
        )
        st.code(_MEASURE, language="bash")


def _families(board: Board) -> tuple[str, ...]:
    present = sorted(board.rows["family"].unique())
    st.session_state["trade_families"] = [
        family for family in st.session_state.get("trade_families", []) if family in present
    ]
    return tuple(
        st.multiselect(
            _("Families"),
            present,
            key="trade_families",
            width=300,
            persist_state="session",
            placeholder=_("All families"),
        )
    )


def _figure(shown: Picture, budget: Mapping[str, float], best: str | None, areas: dict[str, Any], name: str) -> bool:
    """Draw the figure, its switches and what is chosen in it; returns whether the visitor wants arrows."""
    links = figure_data.links(shown)
    arrows = False
    with areas["options"]:
        if len(links):
            arrows = st.toggle(
                _("Teachers and students"),
                key="trade_arrows",
                help=_("An arrow leads from a teacher to its student where both are in the plot."),
                persist_state="session",
            )
    with areas["save"]:
        table = csv(figure_data.table(shown, budget=bool(budget)))
        st.download_button(
            "CSV",
            table,
            name,
            "text/csv",
            key="trade_csv",
            on_click="ignore",
            icon=":material/download:",
            help=_("Save what is plotted as a table"),
        )
    with areas["figure"]:
        chosen = _draw(shown, budget, best, links if arrows else None)
        st.caption(plain(tradeoff_words.notes(shown)))
    with areas["rest"]:
        ticked = selection.table(shown)
    with areas["chosen"]:
        selection.panel(shown, chosen or ticked)
    return arrows


def _empty_task() -> None:
    st.subheader(_("No run of this task yet."), anchor=False)
    st.write(_(EMPTY_BOARD_HOW))
    st.code("featherboard list recipes\nfeatherboard db import BUNDLE.zip", language="bash")


def _places() -> dict[str, Any]:
    """The parts of the page from top to bottom; they are filled in another order, since some need what others ask."""
    choices = st.container(horizontal=True, vertical_alignment="bottom")
    limits = st.expander(
        _("More options"), icon=":material/tune:", key="trade_more", expanded=st.session_state.get("trade_open", False)
    )
    return {
        "choices": choices,
        "more": limits.container(horizontal=True, vertical_alignment="bottom"),
        "limits": limits.container(),
        "options": limits.container(horizontal=True, vertical_alignment="bottom"),
        "wrong": st.container(),
        "answer": st.container(),
        "figure": st.container(),
        "chosen": st.container(),
        "save": st.container(),
        "rest": st.container(),
    }


def page() -> None:
    """Draw the page."""
    with guarded():
        tasks = data.boards()
    names = {str(row["task_id"]): task_names.task(row).name for row in tasks.to_dict("records")}
    order = [*tasks.loc[~tasks["mini"], "task_id"], *tasks.loc[tasks["mini"], "task_id"]]
    seen = st.session_state.get("task")  # on the leaderboard
    _follow_the_address(names, seen if seen in names else order[0])
    st.html(_STYLE)
    st.title(_("Which model gives the most for its cost?"))
    areas = _places()
    with areas["choices"]:
        task = str(_choose(_("Task"), "trade_task", order, names, width=260))
    st.set_page_config(page_title=f"{names[task]} · {_('Trade-offs')} · {APP}")
    if not tasks.set_index("task_id")["runs"][task]:
        with areas["answer"]:
            _empty_task()
        _write_address(State(task))
        return
    with areas["options"]:
        families_at, size_at = (st.container(width="content") for _unused in range(2))
        every = st.toggle(_("Show all runs"), key="trade_every", help=_(HELP["variant"]), persist_state="session")
    with guarded():
        board = data.leaderboard(task, every_run=every)
    with areas["choices"]:
        cost, score = _axes(board, areas["more"])
    budget = _budget(board, score, areas)
    with families_at:
        families = _families(board)
    with size_at:
        size = _size(board, cost, score)
    inside = budgets.fits(board, budget)[0] if budget else None
    shown = figure_data.picture(board, cost, score, size, families=families, within=inside)
    with areas["answer"]:
        _answer(board, shown, budget, families)
    arrows = False
    if shown.sizes > 1:
        best = budgets.best(board, budget, score, families=families) if budget else None
        arrows = _figure(shown, budget, best, areas, f"featherboard-{task}-tradeoffs.csv")
    else:
        with areas["figure"]:
            _draw_nothing(shown, families)
    with areas["rest"]:
        st.page_link(
            "views/leaderboard.py",
            label=_("To the leaderboard of this task"),
            icon=":material/leaderboard:",
            query_params={"task": task},
        )
    x = None if cost == figure_data.first_cost(figure_data.costs(board, score)) else cost
    y = None if score == board.task["metric"] else score
    _write_address(State(task, x, y, size, budget, families, every, arrows))


page()
