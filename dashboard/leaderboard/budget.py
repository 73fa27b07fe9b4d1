"""The budget: limits of size and time of a model, one click each, under the answer."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard.leaderboard import cells, visit
from dashboard.leaderboard.facets import Facets, Reach
from dashboard.leaderboard.view_state import WHOLE, View
from dashboard.ui.i18n import _
from db.leaderboard.board import Filter
from db.registry import formats
from db.registry.metrics import known

KEY = "budget"


@dataclass(frozen=True)
class Kind:
    """One cost that can have a limit: a field of the view and the facets, limits in the stored unit, their words."""

    field: str
    limits: tuple[float, ...]
    text: Callable[[float], str]


def _milliseconds(value: float) -> str:
    return formats.value(known("latency_ms_p50"), value)


def _parameters(value: float) -> str:
    return _("{n} parameters").format(n=formats.short(value))


SIZE = Kind("size_bytes", (1e5, 1e6, 1e7, 1e8, 1e9), formats.size)
PARAMS = Kind("params", (1e5, 1e6, 1e7, 1e8, 1e9), _parameters)
LATENCY = Kind("latency_ms", (1.0, 10.0, 100.0, 1000.0), _milliseconds)
KINDS = (SIZE, PARAMS, LATENCY)


def offered(known_values: Facets) -> dict[str, tuple[Kind, float]]:
    """The limits that tell something of a board, by code: some row keeps each, and one is enough that all keep.

    Sizes where some row has one, else parameters.
    """
    weight = SIZE if known_values.reaches[SIZE.field].known else PARAMS
    return {
        f"{kind.field}-{limit:g}": (kind, limit)
        for kind in (weight, LATENCY)
        for limit in _useful(known_values.reaches[kind.field], kind.limits)
    }


def _useful(reach: Reach, limits: tuple[float, ...]) -> list[float]:
    if not reach.known:
        return []
    possible = [limit for limit in limits if limit >= reach.low]
    wide = [limit for limit in possible if limit >= reach.high]
    return [limit for limit in possible if limit < reach.high] + wide[:1]


def limits_text(rows: Filter) -> str:
    """Word the limits of a filter, such as ``up to 1 MB, up to 10 ms``; empty where it has none."""
    limits = [(kind, getattr(rows, kind.field)) for kind in KINDS]
    return ", ".join(cells.named_range(ends, kind.text) for kind, ends in limits if ends != WHOLE)


def draw(known_values: Facets, view: View) -> None:
    """The limits as pills, at most one of each kind."""
    choices = offered(known_values)
    if not choices:
        return
    labels = {code: f"≤ {kind.text(limit)}" for code, (kind, limit) in choices.items()}
    st.session_state[KEY] = active = [
        code for code, (kind, limit) in choices.items() if getattr(view.filter, kind.field) == (None, limit)
    ]

    def changed() -> None:
        chosen = [code for code in st.session_state[KEY] if code in choices]
        new = [code for code in chosen if code not in active]
        limits = {choices[code][0].field: WHOLE for code in active if code not in chosen}
        limits |= {choices[code][0].field: (None, choices[code][1]) for code in new}
        visit.change(**limits)

    st.pills(
        _("Size and latency budget"),
        list(choices),
        selection_mode="multi",
        key=KEY,
        on_change=changed,
        format_func=labels.__getitem__,
        help=_(
            "Keeps the models whose size on disk and time for one example are both known and within "
            "the limit. The answer above is then the best of them."
        ),
    )
