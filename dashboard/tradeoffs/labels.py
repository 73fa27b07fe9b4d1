"""Names beside the marks of the frontier in the trade-off figure, where they fit on a wide and on a narrow screen."""

import math
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.charts import label_placement
from dashboard.charts.axes import Axis
from dashboard.charts.label_placement import LabelPosition, Plane
from dashboard.charts.style import as_label
from dashboard.tradeoffs import sentences
from dashboard.tradeoffs.figure_data import Picture
from dashboard.ui import formatting
from dashboard.ui.i18n import _

_WIDE, _NARROW = (1280.0, 400.0), (290.0, 330.0)
"""Width and height that the plot has about in a window of 1400 pixels and of 390, for the labels."""

NARROW_LABELS = 3
"""Labels on a telephone: the first annotations of the figure; the page's style hides the others there."""

_LABELS = 30  # of the frontier; more would be tried for nothing


def annotations(
    shown: Picture, axes: tuple[Axis, Axis], ink: str, *, arrows: pd.DataFrame | None = None, limit: float | None = None
) -> list[dict[str, Any]]:
    """The names of the frontier's marks; those with room on a telephone first, in ``NARROW_LABELS`` places.

    ``arrows`` and ``limit``, where the budget of the horizontal axis ends, are there where they are drawn.
    """
    # Several runs of one model are on the frontier together: the best one has the name.
    front = shown.front.sort_values("y", ascending=not shown.maximise, kind="stable").drop_duplicates("model")
    front = front.sort_values("x", kind="stable")
    words = [formatting.cut(model, 42) for model in front["model"]]
    solid = [Plane(_pixels(front, axes, size), _solid(shown, axes, size), size) for size in (_WIDE, _NARROW)]
    clear = [
        replace(plane, obstacles=np.vstack([plane.obstacles, _lines(shown, axes, plane.size, arrows, limit)]))
        for plane in solid
    ]
    order = _importance(len(front))
    narrow = label_placement.placed(clear, words, order, upwards=shown.maximise, limit=NARROW_LABELS)
    if not narrow:  # lines lie close together there: one name may stand on them
        narrow = label_placement.placed([clear[0], solid[1]], words, order, upwards=shown.maximise, limit=1)
    positions = dict(narrow)
    # The rest for wide screens alone; what finds no place there is tried again with lines running through it.
    for plane in (clear[0], solid[0]):
        taken = plane.taken(*(plane.box(number, position, words[number]) for number, position in positions.items()))
        rest = [number for number in order if number not in positions]
        positions |= label_placement.placed([taken], words, rest, upwards=shown.maximise)
    hidden: list[dict[str, Any]] = [{"visible": False}] * (NARROW_LABELS - len(narrow))
    return hidden + [
        _annotation(front.iloc[number], words[number], position, axes[1], ink) for number, position in positions.items()
    ]


def _annotation(row: pd.Series, words: str, position: LabelPosition, y: Axis, ink: str) -> dict[str, Any]:
    score = row["y"] * y.factor
    return {
        "x": math.log10(row["x"]),
        "y": math.log10(score) if y.log else score,
        "text": escape(words),
        "showarrow": False,
        "xanchor": position.xanchor,
        "yanchor": position.yanchor,
        "xshift": position.dx,
        "yshift": position.dy,
        "font": {"color": ink, "size": 12},
        "borderpad": 0,
    }


def _importance(count: int) -> list[int]:
    """Of a frontier by rising cost, the best mark, the cheapest one, then the others from the middle outwards."""
    last = count - 1
    middle = sorted(range(1, last), key=lambda index: abs(index - last / 2))
    return list(dict.fromkeys([last, 0, *middle]))[:_LABELS]


def _pixels(
    marks: pd.DataFrame, axes: tuple[Axis, Axis], size: tuple[float, float], column: str = "y"
) -> NDArray[np.float64]:
    """Shape (marks, 2), from the lower left corner."""
    x, y = axes
    across = [x.share(cost) * size[0] for cost in marks["x"]]
    up = [y.share(score * y.factor) * size[1] for score in marks[column]]
    return np.array([across, up]).T.reshape(-1, 2)


def _solid(shown: Picture, axes: tuple[Axis, Axis], size: tuple[float, float]) -> NDArray[np.float64]:
    """The rectangles of the marks and of their intervals."""
    points = _pixels(shown.marks, axes, size)
    known = shown.marks.dropna(subset=["low", "high"])
    padding = np.array([2.0, 0.0])
    ends = [_pixels(known, axes, size, end) for end in ("low", "high")]
    return np.vstack([np.hstack([points - 5, points + 5]), np.hstack([ends[0] - padding, ends[1] + padding])])


def _lines(
    shown: Picture, axes: tuple[Axis, Axis], size: tuple[float, float], arrows: pd.DataFrame | None, limit: float | None
) -> NDArray[np.float64]:
    """Small rectangles along the frontier, the arrows and the limit."""
    points = _pixels(shown.front, axes, size)
    (left, start), (right, end) = points[:-1].T, points[1:].T
    boxes = [
        np.array([left, start - 1, right, start + 1]).T,
        np.array([right - 1, np.minimum(start, end), right + 1, np.maximum(start, end)]).T,
    ]
    if arrows is not None and len(arrows):
        marks = _pixels(shown.marks, axes, size)
        teachers, students = (marks[arrows[side].to_numpy()] for side in ("teacher", "student"))
        along = np.linspace(0, 1, 120)[:, None, None]
        points = (teachers + along * (students - teachers)).reshape(-1, 2)
        boxes.append(np.hstack([points - 3, points + 3]))
    if limit is not None:
        across = axes[0].share(limit) * size[0]
        boxes.append(np.array([[across - 1, 0, across + 1, size[1]]]))
    return np.vstack(boxes)


def hover(shown: Picture, row: pd.Series) -> str:
    """What a mark says under the pointer: its figures, family, source, data and teacher."""
    lines = [
        f"<b>{as_label(row['model'])}</b>",
        f"{escape(shown.y.label)} {escape(sentences.score_told(shown, row))}",
        f"{escape(shown.x.label)} {escape(shown.x.text(row['x']))}",
    ]
    if shown.size is not None and pd.notna(row["weight"]):
        lines.append(f"{escape(shown.size.label)} {escape(shown.size.text(row['weight']))}")
    lines.append(f"{as_label(row['family'])}; {escape(sentences.origin_told(row))}")
    lines += [
        f"{name} {as_label(row[key])}"
        for key, name in (("dataset", _("Trained on")), ("teacher", _("Teacher")))
        if pd.notna(row[key])
    ]
    return "<br>".join(lines)
