"""The choices of the trade-off page, which its address carries: task, axes, sizes, families and budget."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.tradeoffs import budgets, figure_data, quantities
from dashboard.tradeoffs.state import NAMES, State, read
from dashboard.ui import url_state
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.leaderboard.board import Board


def follow_the_address(names: Mapping[str, str], first: str) -> None:
    """Take the choices of an address that is new; one that names no task leaves them as they were."""
    requested = read(url_state.read_all(NAMES))
    state = st.session_state
    if requested is not None and requested.task in names and requested.address() != state.get("trade_address"):
        state["trade_task"] = requested.task
        state["trade_x"], state["trade_y"], state["trade_size"] = requested.x, requested.y, requested.size or ""
        for cost in quantities.COSTS:
            limit = requested.budget.get(cost)
            state[f"trade_max_{cost}"] = None if limit is None else budgets.written(cost, limit)
        state["trade_families"], state["trade_every"] = list(requested.families), requested.every
        state["trade_arrows"] = requested.arrows
        # What a link sets must be seen.
        state["trade_open"] = bool(requested.address().keys() - {"task", "x"})
    elif state.get("trade_task") not in names:
        state["trade_task"] = first


def write_address(state: State) -> None:
    """Put the choices into the address."""
    address = st.session_state["trade_address"] = state.address()
    url_state.write_all({name: [value] if isinstance(value, str) else value for name, value in address.items()})


def choose(label: str, key: str, options: list[Any], labels: Mapping[Any, str], **more: Any) -> Any:
    """One of several; a choice that is not offered any more becomes the first."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = options[0]
    return st.selectbox(label, options, key=key, format_func=labels.__getitem__, persist_state="session", **more)


def axes(board: Board, more: Any) -> tuple[str, str]:
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
            label=quantities.quantity(cost).label, count=count, rows=rows
        )
        for cost, count in offered.items()
    }
    labels = {name: quantities.quantity(name).label for name in scores}
    cost = choose(_("Cost"), "trade_x", list(offered), cost_labels, width=260)
    with more:
        score = choose(_("Score"), "trade_y", scores, labels, width=230)
    return str(cost), str(score)


def size(board: Board, cost: str, score: str) -> str | None:
    """Draw the choice of what the size of a mark stands for."""
    third = [*figure_data.costs(board, score), *figure_data.scores(board)]
    names = {"": _("All the same")} | {
        key: quantities.quantity(key).label for key in third if key not in (cost, score, quantities.COSTS[cost])
    }
    return str(choose(_("Size of marks"), "trade_size", list(names), names, width=190)) or None


def budget(board: Board, score: str, areas: Mapping[str, Any]) -> dict[str, float]:
    """Draw a field for each cost that some row has, and return the limits."""
    limits: dict[str, float] = {}
    wrong: list[str] = []
    with areas["limits"].container(horizontal=True, vertical_alignment="bottom"):
        for cost, count in figure_data.costs(board, score).items():
            if not count:
                continue
            example = budgets.PRESETS[cost][2]
            label = _("{label}, at most").format(label=quantities.quantity(cost).label)
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


def families(board: Board) -> tuple[str, ...]:
    """Draw the choice of families, and return it."""
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
