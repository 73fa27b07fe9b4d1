"""State of a page in its address, as stable codes and not as labels in some language."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

Code = TypeVar("Code", bound=str)


def read_all(names: Iterable[str]) -> dict[str, list[str]]:
    """Return all values of some names that the address holds."""
    return {name: st.query_params.get_all(name) for name in names if name in st.query_params}


def write_all(values: Mapping[str, list[str]]) -> None:
    """Replace the address, keeping the language."""
    target = {**read_all(["lang"]), **values}
    if target != read_all(st.query_params):
        st.query_params.from_dict(target)


def follow(key: str, read: Callable[[str], Any], default: Any) -> None:
    """Give a widget its value before it is drawn: that of a new link, else what it had, else the address's.

    A link counts once, when it is new, which the browser's way back makes it too; after that the visitor's own choice
    does. A widget that was not drawn for a while has lost its value, and the address kept it.

    Args:
        key: Of the widget and of the address.
        read: Turns the address's text into a value; None where it has none.
        default: Where nothing says anything.
    """
    link, before = st.query_params.get(key), st.session_state.get(f"{key} link")
    if link is not None and (link != before or key not in st.session_state):
        value = read(link)
        st.session_state[key] = default if value is None else value
    elif key not in st.session_state or (link is None and before is not None):
        st.session_state[key] = default


def keep(key: str, written: str | None) -> None:
    """Write a widget's value into the address after it was drawn; None for the one that the plain address means."""
    st.session_state[f"{key} link"] = written
    if written is None:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != written:
        st.query_params[key] = written


def choice(
    key: str, label: str, options: Mapping[Code, str], usual: Code | None = None, *, pills: bool = False, **more: Any
) -> Code:
    """Draw a choice of one code, which the address carries where it is another than the usual one.

    Args:
        key: Of the widget and of the address.
        label: Of the widget.
        options: What each code is called.
        usual: The code that the plain address means; None for the first one.
        pills: Draw pills in place of a segmented control.
        more: Further options of the widget.
    """
    usual = next(iter(options)) if usual is None else usual
    follow(key, one_of(options), usual)
    if st.session_state[key] not in options:
        st.session_state[key] = usual
    widget: Callable[..., Code | None] = st.pills if pills else st.segmented_control
    labels = options.__getitem__
    chosen = widget(label, list(options), key=key, required=True, format_func=labels, **more) or usual
    keep(key, None if chosen == usual else chosen)
    return chosen


def one_of(options: Any) -> Callable[[str], str | None]:
    """Return a reader of a single code."""
    return lambda link: link if link in options else None


def some_of(options: Any) -> Callable[[str], list[str] | None]:
    """Return a reader of codes separated by commas; None where none of them is known."""
    return lambda link: [code for code in link.split(",") if code in options] or None
