"""The filters of the leaderboard: one line of controls, the rarer ones in a popover, and what is active as chips."""

from collections.abc import Callable

import streamlit as st

from dashboard.leaderboard import cells, visit
from dashboard.leaderboard.budget import KINDS
from dashboard.leaderboard.facets import NAMED, RANGED, Facets, Reach
from dashboard.leaderboard.view_state import WHOLE, View
from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _, translated
from dashboard.ui.labels import BOARD_COLUMNS, HELP, SOURCES, STATUS
from dashboard.ui.markdown import plain
from db.leaderboard.filters import Range

BOARD_FIELDS = {
    **{field: BOARD_COLUMNS.get(column, "") for field, column in (NAMED | RANGED).items()},
    "tags": N_("Tags"),
    "size_bytes": N_("Size on disk"),
}
BOARD_IS_VERIFIED = {1: N_("Verified"), 0: N_("Not verified")}
BOARD_ENDS = (N_("{field}, from"), N_("to"))

_OPEN = ""  # an end of a range that nothing limits


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
            _pills("sources", known.names["sources"], view, translated(SOURCES))
            if len(known.verified) > 1 or view.filter.verified is not None:
                _verified(view)
        if len(known.names["statuses"]) > 1 or view.filter.statuses:
            _pills("statuses", known.names["statuses"], view, translated(STATUS))
        for pair in (("families", "datasets"), ("devices", "tags")):
            with st.container(horizontal=True):
                for field in pair:
                    _names(field, known.names[field], view)
        for kind in KINDS:
            _range(kind.field, known.reaches[kind.field], view, kind.text)


def chips(view: View) -> list[tuple[str, View]]:
    """Return each active filter in words, and the view without it."""
    active: list[tuple[str, View]] = []
    if view.filter.search:
        active.append((f"“{view.filter.search}”", view.changed(search="")))
    for field in NAMED:
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
            st.button(
                plain(formatting.cut(text, 40)),
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
    def take() -> None:
        code = st.session_state["verified"]
        visit.change(verified=None if code is None else bool(code))

    st.session_state["verified"] = None if view.filter.verified is None else int(view.filter.verified)
    st.pills(
        _(BOARD_COLUMNS["verified"]),
        [1, 0],
        key="verified",
        format_func=translated(BOARD_IS_VERIFIED).__getitem__,
        on_change=take,
        help=_(HELP["verified"]),
    )


def _take(field: str) -> None:
    visit.change(**{field: tuple(st.session_state[field])})


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
