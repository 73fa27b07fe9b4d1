"""The filters of the leaderboard: one line of controls, the rarer ones in a popover, and what is active as chips."""

from collections.abc import Callable

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
    "tags": N_("Tags"),
    "params": N_("Parameters"),
    "latency_ms": N_("Latency"),
    "size_bytes": N_("Size on disk"),
}
BOARD_IS_VERIFIED = {1: N_("Verified"), 0: N_("Not verified")}
BOARD_ENDS = (N_("{field}, from"), N_("to"))

_OPEN = ""  # an end of a range that nothing limits
_MANY = ("families", "sources", "statuses", "devices", "datasets", "tags")


def search(view: View) -> None:
    """The words to look for."""
    if st.session_state.get("search") != view.filter.search:  # set by a chip; else it would undo what is being typed
        st.session_state["search"] = view.filter.search
    st.text_input(
        _("Search"),
        key="search",
        placeholder=_("Model, teacher, data set"),
        icon=":material/search:",
        width=250,
        label_visibility="collapsed",
        live=True,
        on_change=lambda: visit.change(search=st.session_state["search"][:200]),
    )


def popover(known: Facets, view: View) -> None:
    """All other filters, behind a button that tells how many are active."""
    active = len(chips(view)) - bool(view.filter.search)
    label = _("Filters: {n}").format(n=active) if active else _("Filters")
    with st.popover(label, icon=":material/filter_list:", key="filters", on_change="rerun") as menu:
        # Drawn while it is open alone: in a closed menu the browser keeps old values, and would send them after a chip
        # or a link has changed the view.
        if not menu.open:
            return
        with st.container(horizontal=True, gap="large"):
            _pills("sources", known.sources, view, translated(SOURCES))
            if len(known.verified) > 1 or view.filter.verified is not None:
                _verified(view)
        if len(known.statuses) > 1 or view.filter.statuses:
            _pills("statuses", known.statuses, view, translated(STATUS))
        with st.container(horizontal=True):
            for field in ("families", "datasets"):
                _names(field, getattr(known, field), view)
        with st.container(horizontal=True):
            for field in ("devices", "tags"):
                _names(field, getattr(known, field), view)
        for kind in KINDS:
            _range(kind.field, getattr(known, kind.field), view, kind.text)


def chips(view: View) -> list[tuple[str, View]]:
    """Return each active filter in words, and the view without it."""
    active: list[tuple[str, View]] = []
    if view.filter.search:
        active.append((f"“{view.filter.search}”", view.changed(search="")))
    for field in _MANY:
        values: tuple[str, ...] = getattr(view.filter, field)
        words = {"sources": translated(SOURCES), "statuses": translated(STATUS)}.get(field, {})
        for value in values:
            rest = tuple(other for other in values if other != value)
            active.append((words.get(value, value), view.changed(**{field: rest})))
    if view.filter.verified is not None:
        active.append((_(BOARD_IS_VERIFIED[view.filter.verified]), view.changed(verified=None)))
    for kind in KINDS:
        ends: Range = getattr(view.filter, kind.field)
        if ends != WHOLE:
            text = f"{_(BOARD_FIELDS[kind.field])} {cells.named_range(ends, kind.text)}"
            active.append((text, view.changed(**{kind.field: WHOLE})))
    return active


def draw_chips(view: View) -> None:
    """A button for each active filter, which takes it away."""
    active = chips(view)
    if not active:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="chips"):
        for index, (text, without) in enumerate(active):
            short = text if len(text) <= 40 else f"{text[:39]}…"
            st.button(
                plain(short),
                icon=":material/close:",
                key=f"chip-{index}",
                on_click=visit.show,
                icon_position="right",
                args=(without.changed(page=1),),
                help=plain(_("Remove this filter: {filter}").format(filter=text[:200])),
            )
        if len(active) > 1:
            st.button(_("Clear filters"), key="clear", type="tertiary", on_click=visit.show, args=(view.unfiltered(),))


def _pills(field: str, present: tuple[str, ...], view: View, labels: dict[str, str]) -> None:
    chosen: tuple[str, ...] = getattr(view.filter, field)
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
    chosen: tuple[str, ...] = getattr(view.filter, field)
    known = [*present, *(name for name in chosen if name not in present)]
    if len(known) < (1 if field == "tags" else 2) and not chosen:  # a row need not have a tag
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
    st.session_state["verified"] = None if view.filter.verified is None else int(view.filter.verified)
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


def _range(field: str, reach: Reach, view: View, text: Callable[[float], str]) -> None:
    """The least and the greatest value that pass, each from round numbers that are evenly spaced on a log scale."""
    ends: Range = getattr(view.filter, field)
    stops: list[float | str] = [_OPEN, *reach.stops(ends)]
    if len(stops) < 3 and ends == WHOLE:
        return

    labels = {stop: _("any") if isinstance(stop, str) else text(stop) for stop in stops}

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
