"""The leaderboard's table as a component of the page: what goes to the browser, and what comes back from it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from dashboard.leaderboard import cells
from dashboard.leaderboard.columns import Column
from dashboard.leaderboard.view_state import View
from dashboard.markup import templates
from dashboard.ui import formatting, theme
from dashboard.ui.formatting import Scale
from dashboard.ui.i18n import _, pgettext, translated
from dashboard.ui.labels import HELP, SOURCES
from db.leaderboard.board import Board, Order
from db.leaderboard.seed_groups import MEAN
from db.registry.metrics import Metric

KEY = "board"
PAGE = 100
"""Rows of a page; no more go to the browser at once."""

_COMPONENT = templates.component("table", "board_table", "board")


def mount(
    payload: dict[str, Any], *, on_sort: Callable[[], None], on_expand: Callable[[], None], on_visit: Callable[[], None]
) -> None:
    """Draw the table. What was clicked is told by ``clicked`` inside the callbacks."""
    _COMPONENT(key=KEY, data=payload, on_sort_change=on_sort, on_expand_change=on_expand, on_visit_change=on_visit)


def clicked(event: str) -> Any:
    """What came with a click; for callbacks. None where the page was left before the click arrived."""
    return st.session_state[KEY].get(event) if KEY in st.session_state else None


def payload(
    board: Board,
    columns: list[Column],
    orders: tuple[Order, ...],
    positions: NDArray[np.intp],
    view: View,
    metric: Metric,
    colours: dict[str, str],
    arrived: dict[int, int],
) -> dict[str, Any]:
    """What the browser draws: one page of rows, each cell as text.

    ``orders`` are of ``columns.shown_order``, ``arrived`` of ``db.leaderboard.history.arrivals``.
    """
    opened = {position: board.members(position) for position in positions.tolist() if is_open(board, position, view)}
    shared = _scale(board, positions, opened)
    drawn_columns = [cells.column(board, column, positions, metric, shared) for column in columns]
    rows: list[dict[str, Any]] = []
    for index, (position, row) in enumerate(
        zip(positions.tolist(), board.rows.iloc[positions].itertuples(index=False), strict=True)
    ):
        seeds = _behind(board, position)
        rows.append(
            {
                "id": row.run_id,
                "compared": f"{MEAN}{row.run_id}" if pd.notna(row.seeds) and row.seeds > 1 else row.run_id,
                "name": row.model,
                "href": templates.link("run", run=row.run_id),
                "sub": False,
                "seeds": seeds,
                "open": position in opened,
                "pareto": bool(row.pareto),
                "shape": theme.SYMBOLS[row.source],
                "colour": colours.get(row.family, theme.GREY),
                "from": f"{row.family}, {_(SOURCES[row.source])}",
                "others": cells.others(int(row.others)),
                "caveat": cells.caveat(row),
                "tags": cells.tags(row.tags),
                "open_label": _("The {n} seeds of {model}").format(n=seeds, model=row.model) if seeds > 1 else "",
                "arrived": arrived.get(position, 0),
                "cells": [made[index] for made in drawn_columns],
            }
        )
        if position in opened:
            rows += _members(opened[position], columns, metric, shared)
    return {
        "board": f"{board.task['task_id']}",
        "page": f"{view.page} {view.sort} {view.filter}",
        "lang": st.query_params.get("lang"),
        "columns": _heads(columns, orders),
        "keys": len(orders),
        "rows": rows,
        "arrivals": sorted(arrived.values()),
        "words": _words(),
        "caption": _("Leaderboard, {n} rows").format(n=len(positions)),
        "legend": [[theme.SYMBOLS[source], label] for source, label in translated(SOURCES).items()],
    }


def is_open(board: Board, position: int, view: View) -> bool:
    """Whether the seeds of a row are shown."""
    if not view.opened or _behind(board, position) < 2:
        return False
    run_id = str(board.rows["run_id"].iat[position])
    return any(run_id.startswith(start) for start in view.opened)


def _behind(board: Board, position: int) -> int:
    return int(board.starts[position + 1] - board.starts[position])


def _scale(board: Board, positions: NDArray[np.intp], opened: dict[int, pd.DataFrame]) -> Scale:
    shown = [
        board.rows.iloc[positions][["low", "score", "high"]],
        *(frame[["low", "score", "high"]] for frame in opened.values()),
    ]
    ends = np.concatenate([frame.to_numpy(dtype=float) for frame in shown])
    ends = ends[~np.isnan(ends[:, 1])]
    return formatting.scale(ends[:, 0], ends[:, 1], ends[:, 2])


def _heads(columns: list[Column], orders: tuple[Order, ...]) -> list[dict[str, Any]]:
    places = {order.key: (number, order) for number, order in enumerate(orders, 1)}
    return [
        {"key": column.key, "label": column.label, "unit": column.unit, "type": column.type, "help": column.help}
        | _direction(*places.get(column.key, (0, None)))
        for column in columns
    ]


def _direction(number: int, order: Order | None) -> dict[str, Any]:
    if order is None:
        return {"sorted": None, "place": 0}
    return {"sorted": "descending" if order.descending else "ascending", "place": number}


def _members(runs: pd.DataFrame, columns: list[Column], metric: Metric, shared: Scale) -> list[dict[str, Any]]:
    """The runs behind a row, as rows below it; what only the row tells is left empty."""
    rows = []
    for run in runs.to_dict("records"):
        score, low, high, seed = (formatting.number(run[name]) for name in ("score", "low", "high", "seed"))
        member_cells: list[Any] = []
        for column in columns:
            made: Any = None
            if column.type == "score":
                made = cells.score_cell(metric, column, shared, score, low, high)
            elif column.key == "device":
                made = ["" if pd.isna(run["device"]) else run["device"]]
            elif column.key == "status":
                made = [formatting.status(run["status"], run["heartbeat"])]
            elif column.key == "seed":
                made = [cells.number(column, seed)]
            member_cells.append(made)
        name = run["name"] if math.isnan(seed) else _("Seed {seed}").format(seed=int(seed))
        rows.append(
            {
                "id": run["run_id"],
                "name": name,
                "href": templates.link("run", run=run["run_id"]),
                "sub": True,
                "seeds": 1,
                "others": [],
                "caveat": "",
                "tags": cells.tags(run["tags"]),
                "open": False,
                "pareto": False,
                "cells": member_cells,
            }
        )
    return rows


def _words() -> dict[str, str]:
    return {
        "missing": _("Not reported"),
        "new": pgettext("since a visit", "new"),
        "new_help": _("Came since your last visit with this browser"),
        "news": _("New since your last visit: {n}"),
        "verified": _("verified"),
        "verified_help": _(HELP["verified"]),
        "caveat": _("with a caveat"),
        "pareto": _("On the Pareto frontier: no ranked row of this board is as small and scores higher"),
        "pareto_name": _("Pareto frontier"),
        "key": _("sort key"),
        "select": _("Select"),
        "chosen": _("{n} selected"),
        "compare": _("Compare {n} runs"),
        "open": _("Open"),
        "model": _("All scores of this model"),
        "clear": _("Clear selection"),
        "too_many": _("Six runs at most can be compared."),
        "one_more": _("Select another one to compare."),
        "hint": _("A header sorts; with Shift it adds a further key."),
    }
