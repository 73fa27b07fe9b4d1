"""The filters of the leaderboard: one line of controls, the rarer ones in a popover, and what is active as chips."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from dashboard.leaderboard import cells, visit
from dashboard.leaderboard.budget import KINDS
from dashboard.leaderboard.facets import Facets, Reach
from dashboard.leaderboard.view_state import WHOLE, View
from dashboard.ui.i18n import N_, NP_, _, translated
from dashboard.ui.labels import HELP, SOURCES, STATUS
from dashboard.ui.markdown import plain
from db.leaderboard.filters import Range

BOARD_FIELDS = {
    "families": N_("Family"),
    "sources": N_("Source"),
    "statuses": N_("Status"),
    "verified": NP_("board fields", "Verified"),
    "devices": N_("Device"),
    "datasets": N_("Trained on"),
    "params": N_("Parameters"),
    "latency_ms": N_("Latency"),
    "size_bytes": N_("Size on disk"),
}
BOARD_IS_VERIFIED = {1: N_("Verified"), 0: N_("Not verified")}
BOARD_ENDS = (N_("{field}, from"), N_("to"))

_OPEN = ""  # an end of a range that nothing limits
_MANY = ("families", "sources", "statuses", "devices", "datasets")


def search(view: View) -> None:
    """The words to look for."""
    st.session_state["search"] = view.search
    st.text_input(
        _("Search"),
        key="search",
        placeholder=_("Model, teacher, data set"),
        icon=":material/search:",
        width=250,
        label_visibility="collapsed",
        on_change=lambda: visit.change(search=st.session_state["search"][:200]),
    )


def popover(found: Facets, view: View) -> None:
    """All other filters, behind a button that tells how many are active."""
    active = len(chips(view)) - bool(view.search)
    label = _("Filters: {n}").format(n=active) if active else _("Filters")
    with st.popover(label, icon=":material/filter_list:", key="filters"):
        with st.container(horizontal=True, gap="large"):
            _pills("sources", found.sources, view, translated(SOURCES))
            if len(found.verified) > 1 or view.verified is not None:
                _verified(view)
        if len(found.statuses) > 1 or view.statuses:
            _pills("statuses", found.statuses, view, translated(STATUS))
        with st.container(horizontal=True):
            for field in ("families", "datasets"):
                _names(field, getattr(found, field), view)
        _names("devices", found.devices, view)
        for kind in KINDS:
            _range(kind.field, getattr(found, kind.field), view, kind.told)


def chips(view: View) -> list[tuple[str, View]]:
    """Each active filter in words, and the view without it."""
    found: list[tuple[str, View]] = []
    if view.search:
        found.append((f"“{view.search}”", replace(view, search="")))
    for field in _MANY:
        values: tuple[str, ...] = getattr(view, field)
        words = {"sources": translated(SOURCES), "statuses": translated(STATUS)}.get(field, {})
        for value in values:
            rest = tuple(one for one in values if one != value)
            found.append((words.get(value, value), replace(view, **{field: rest})))  # type: ignore[arg-type]
    if view.verified is not None:
        found.append((_(BOARD_IS_VERIFIED[view.verified]), replace(view, verified=None)))
    for kind in KINDS:
        ends: Range = getattr(view, kind.field)
        if ends != WHOLE:
            told = f"{_(BOARD_FIELDS[kind.field])} {cells.named_range(ends, kind.told)}"
            found.append((told, replace(view, **{kind.field: WHOLE})))  # type: ignore[arg-type]
    return found


def draw_chips(view: View) -> None:
    """A button for each active filter, which takes it away."""
    active = chips(view)
    if not active:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chips"):
        for place, (told, without) in enumerate(active):
            short = told if len(told) <= 40 else f"{told[:39]}…"
            st.button(
                plain(short),
                icon=":material/close:",
                key=f"chip-{place}",
                on_click=visit.show,
                icon_position="right",
                args=(replace(without, page=1),),
                help=plain(_("Remove this filter: {filter}").format(filter=told[:200])),
            )
        if len(active) > 1:
            st.button(_("Clear filters"), key="clear", type="tertiary", on_click=visit.show, args=(view.unfiltered(),))


def _pills(field: str, present: tuple[str, ...], view: View, labels: dict[str, str]) -> None:
    chosen: tuple[str, ...] = getattr(view, field)
    known = [name for name in labels if name in present or name in chosen]
    st.session_state[field] = [name for name in chosen if name in known]
    st.pills(
        _(BOARD_FIELDS[field]),
        known,
        selection_mode="multi",
        key=field,
        on_change=_take,
        args=(field,),
        format_func=labels.__getitem__,
    )


def _names(field: str, present: tuple[str, ...], view: View) -> None:
    chosen: tuple[str, ...] = getattr(view, field)
    known = [*present, *(name for name in chosen if name not in present)]
    if len(known) < 2 and not chosen:
        return
    st.session_state[field] = list(chosen)
    st.multiselect(
        _(BOARD_FIELDS[field]),
        known,
        key=field,
        placeholder=_("All"),
        on_change=_take,
        args=(field,),
        format_func=lambda name: name[:80],
    )


def _verified(view: View) -> None:
    st.session_state["verified"] = None if view.verified is None else int(view.verified)
    st.pills(
        _(BOARD_FIELDS["verified"]),
        [1, 0],
        key="verified",
        format_func=translated(BOARD_IS_VERIFIED).__getitem__,
        on_change=_take_verified,
        help=_(HELP["verified"]),
    )


def _take(field: str) -> None:
    visit.change(**{field: tuple(st.session_state[field])})


def _take_verified() -> None:
    code = st.session_state["verified"]
    visit.change(verified=None if code is None else bool(code))


def _range(field: str, reach: Reach, view: View, told: Callable[[float], str]) -> None:
    """The least and the greatest value that pass, each from round numbers that are evenly spaced on a log scale."""
    ends: Range = getattr(view, field)
    stops: list[float | str] = [_OPEN, *reach.stops(ends)]
    if len(stops) < 3 and ends == WHOLE:
        return

    labels = {stop: _("any") if isinstance(stop, str) else told(stop) for stop in stops}

    def changed() -> None:
        chosen = (st.session_state[f"{field}-{end}"] for end in ("low", "high"))
        low, high = (None if end == _OPEN else end for end in chosen)
        visit.change(**{field: (high, low) if low is not None and high is not None and low > high else (low, high)})

    with st.container(horizontal=True):
        for end, label, value in zip(("low", "high"), translated(BOARD_ENDS), ends, strict=True):
            st.session_state[f"{field}-{end}"] = _OPEN if value is None else value
            st.selectbox(
                label.format(field=_(BOARD_FIELDS[field])),
                stops,
                key=f"{field}-{end}",
                format_func=labels.__getitem__,
                on_change=changed,
            )
