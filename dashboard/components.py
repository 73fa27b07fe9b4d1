"""Small parts that the pages share: text from outside, errors, empty states, interval pictures."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dashboard import text
from dashboard.look import ACCENT
from db.errors import FeatherboardError, NotFoundError, StoreMissingError

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")


def plain(words: object) -> str:
    """Text from outside as Markdown that shows exactly its characters, in one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(words).split()))


def dark() -> bool:
    """Whether the visitor's theme is dark."""
    return st.context.theme.type == "dark"


def ink() -> str:
    """The theme's text colour, for figures that choose their own."""
    return "#ECEAE4" if dark() else "#1C1B19"


def paper() -> str:
    """The theme's background, for figures that are saved: transparent ones cannot be read on another background."""
    return "#141413" if dark() else "#FCFBF8"


def touched() -> bool:
    """Whether the visitor has a telephone, where a finger on a figure wants to scroll the page."""
    return "Mobi" in st.context.headers.get("User-Agent", "")


@contextmanager
def guarded() -> Iterator[None]:
    """Show errors of the store as a person needs them: what happened, what is safe, what to do."""
    try:
        yield
    except StoreMissingError:
        st.subheader(text.NO_DATABASE)
        st.write(text.NO_DATABASE_HOW)
        st.code("featherboard db init", language="bash")
        st.stop()
    except NotFoundError as error:
        st.subheader(text.NOT_FOUND, anchor=False)
        st.write(text.UNKNOWN_RUN_HOW)
        st.caption(plain(error))
        st.stop()
    except FeatherboardError as error:
        st.subheader(text.STORE_TROUBLE, anchor=False)
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind.__name__ in text.STORE_ERRORS]
        st.write(text.STORE_ERRORS[kinds[0]])
        st.caption(plain(error))
        st.button(text.RELOAD, icon=":material/refresh:")
        st.stop()


def interval_images(
    values: NDArray[np.float64], lows: NDArray[np.float64], highs: NDArray[np.float64], *, width: int = 150
) -> list[str | None]:
    """One picture per row: a dot with its interval, all on one scale, as SVG data URIs; None without a value."""
    known = ~np.isnan(values)
    if not known.any():
        return [None] * len(values)
    left = np.where(np.isnan(lows), values, lows)
    right = np.where(np.isnan(highs), values, highs)
    low, high = float(np.nanmin(left)), float(np.nanmax(right))
    span = (high - low) or 1.0
    pad = 12

    def place(value: float) -> float:
        return pad + (value - low) / span * (width - 2 * pad)

    pictures: list[str | None] = []
    for ok, value, start, end in zip(known, values, left, right, strict=True):
        if not ok:
            pictures.append(None)
            continue
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="22" viewBox="0 0 {width} 22">'
            f'<line x1="{pad}" x2="{width - pad}" y1="11" y2="11" stroke="#8a867c" stroke-opacity=".25"/>'
            f'<line x1="{place(start):.1f}" x2="{place(end):.1f}" y1="11" y2="11" stroke="{ACCENT}" stroke-width="3" '
            f'stroke-opacity=".55" stroke-linecap="round"/>'
            f'<circle cx="{place(value):.1f}" cy="11" r="4" fill="{ACCENT}"/></svg>'
        )
        pictures.append("data:image/svg+xml;utf8," + quote(svg))
    return pictures
