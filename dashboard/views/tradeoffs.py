"""Trade-offs: cost against quality, what lies within a budget, and what to choose on the frontier."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.tradeoffs import budgets, controls, figure_data, selection
from dashboard.tradeoffs import chart as tradeoff_charts
from dashboard.tradeoffs import labels as tradeoff_labels
from dashboard.tradeoffs import sentences as tradeoff_words
from dashboard.tradeoffs.figure_data import Picture
from dashboard.tradeoffs.state import State
from dashboard.ui import cache as data
from dashboard.ui import task_names, task_picker
from dashboard.ui.export import csv
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP, HELP
from dashboard.ui.markdown import guarded, ink, no_runs, page_link, paper, plain, touched
from db.leaderboard.board import Board

_MEASURE = "featherboard evaluate RUN --keep --only-timings"
_PLOT = "trade_plot"

# On a telephone there is room for the names of few marks; see `tradeoff_labels.NARROW_LABELS`.
_FEW = "".join(f':not([data-index="{index}"])' for index in range(tradeoff_labels.NARROW_LABELS))
_STYLE = f"""<style>
@media (max-width: 640px) {{ .st-key-{_PLOT} .annotation{_FEW} {{ display: none; }} }}
</style>"""


def _answer(board: Board, shown: Picture, budget: Mapping[str, float], families: tuple[str, ...]) -> None:
    """What the picture says, in a sentence."""
    if budget:
        for lead, rest in budgets.sentences(board, budget, shown.y.key, families=families):
            st.markdown(f"**{plain(lead)}:** {plain(rest)}")
    elif shown.sizes > 1:
        st.markdown(f"**{plain(_('On the frontier'))}:** {plain(tradeoff_words.front_told(shown))}")


def _draw(shown: Picture, budget: Mapping[str, float], best: str | None, arrows: pd.DataFrame | None) -> list[str]:
    """Draw the figure and return the runs that are chosen in it, in the order of the marks."""
    colours = data.family_colours()
    figure = tradeoff_charts.tradeoff(
        shown, colours, budget=budget, best=best, arrows=arrows, ink=ink(), paper=paper(), fixed=touched()
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
    controls.follow_the_address(names, seen if seen in names else order[0])
    st.html(_STYLE)
    st.title(_("Which model gives the most for its cost?"))
    areas = _places()
    with areas["wrong"]:
        task_picker.warn_of_unknown(names)
    with areas["choices"]:
        task = str(controls.choose(_("Task"), "trade_task", order, names, width=260))
    st.set_page_config(page_title=f"{names[task]} · {_('Trade-offs')} · {APP}")
    if not tasks.set_index("task_id")["runs"][task]:
        with areas["answer"]:
            no_runs()
        controls.write_address(State(task))
        return
    with areas["options"]:
        families_at, size_at = (st.container(width="content") for _unused in range(2))
        every = st.toggle(_("Show all runs"), key="trade_every", help=_(HELP["variant"]), persist_state="session")
    with guarded():
        board = data.leaderboard(task, every_run=every)
    with areas["choices"]:
        cost, score = controls.axes(board, areas["more"])
    budget = controls.budget(board, score, areas)
    with families_at:
        families = controls.families(board)
    with size_at:
        size = controls.size(board, cost, score)
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
        page_link("leaderboard", _("To the leaderboard of this task"), task=task)
    x = None if cost == figure_data.first_cost(figure_data.costs(board, score)) else cost
    y = None if score == board.task["metric"] else score
    controls.write_address(State(task, x, y, size, budget, families, every, arrows))


page()
