"""Words beside marks that do not run into each other: where each can stand, in pixels."""

import unicodedata
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import NDArray

_HEIGHT, _LATIN, _WIDE = 15.0, 6.7, 12.5
"""Pixels of a line of text of size 12, and of a letter: Latin ones, and those that stand in a square."""

_GAP = 8.0


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True)
class LabelPosition:
    """Where a label stands from its mark: which of its corners or sides is next to it, and how far off."""

    xanchor: str
    yanchor: str
    dx: float
    dy: float

    def box(self, x: float, y: float, width: float) -> Box:
        """The rectangle of a label of some width."""
        across = {"right": -width, "left": 0.0, "center": -width / 2}[self.xanchor]
        up = {"bottom": 0.0, "top": -_HEIGHT, "middle": -_HEIGHT / 2}[self.yanchor]
        left, bottom = x + self.dx + across, y + self.dy + up
        return Box(left, bottom, left + width, bottom + _HEIGHT)


# Up and to the left of the frontier there is no mark, so that comes first; higher up is for marks with an interval.
_UPWARDS = (
    *(LabelPosition("right", "bottom", -4, up) for up in (6, 14)),
    LabelPosition("center", "bottom", 0, _GAP + 1),
    LabelPosition("right", "middle", -_GAP, 0),
    LabelPosition("left", "bottom", 4, 6),
    LabelPosition("left", "middle", _GAP, 0),
    *(LabelPosition("center", "bottom", 0, up) for up in (18, 27, 36)),
    LabelPosition("left", "bottom", 4, 14),
    *(LabelPosition(side, "top", aside, -down) for down in (6, 14) for side, aside in (("left", 4), ("right", -4))),
    *(LabelPosition("center", "top", 0, -down) for down in (9, 18, 27, 36)),
)
_DOWNWARDS = tuple(
    LabelPosition(
        position.xanchor, {"bottom": "top", "top": "bottom"}.get(position.yanchor, "middle"), position.dx, -position.dy
    )
    for position in _UPWARDS
)


def width(words: str) -> float:
    """About how many pixels a text takes."""
    return sum(_WIDE if unicodedata.east_asian_width(letter) in "WF" else _LATIN for letter in words)


@dataclass(frozen=True, eq=False)
class Plane:
    """A plot of some size in pixels, from its lower left corner.

    Attributes:
        points: The marks that get a name, shape (marks, 2).
        obstacles: What must not be written over, shape (rectangles, 4): left, bottom, right and top.
        size: Width and height.
    """

    points: NDArray[np.float64]
    obstacles: NDArray[np.float64]
    size: tuple[float, float]

    def box(self, number: int, position: LabelPosition, words: str) -> Box:
        """The rectangle of the label of a mark."""
        x, y = self.points[number].tolist()
        return position.box(x, y, width(words))

    def free(self, box: Box) -> bool:
        """Whether a rectangle is inside and meets no obstacle."""
        left, bottom, right, top = self.obstacles.T
        met = (box.left < right) & (left < box.right) & (box.bottom < top) & (bottom < box.top)
        inside = box.left >= 0 and box.bottom >= 0 and box.right <= self.size[0] and box.top <= self.size[1]
        return inside and not met.any()

    def taken(self, *boxes: Box) -> "Plane":
        """The same with more obstacles."""
        more = np.array([astuple(box) for box in boxes]).reshape(-1, 4)
        return replace(self, obstacles=np.vstack([self.obstacles, more]))


def placed(
    planes: Sequence[Plane],
    words: Sequence[str],
    numbers: Sequence[int],
    *,
    upwards: bool = True,
    limit: int | None = None,
) -> dict[int, LabelPosition]:
    """Where labels can stand, each at one place that is free in every plane, clear of the labels before it.

    Args:
        planes: The same marks in plots of different sizes.
        words: What is written at each mark.
        numbers: Which marks get a label, the most important one first.
        upwards: The better side is above.
        limit: Labels at most.
    """
    positions: dict[int, LabelPosition] = {}
    for number in numbers:
        if len(positions) == limit:
            break
        for position in _UPWARDS if upwards else _DOWNWARDS:
            boxes = [plane.box(number, position, words[number]) for plane in planes]
            if all(plane.free(box) for plane, box in zip(planes, boxes, strict=True)):
                positions[number] = position
                planes = [plane.taken(box) for plane, box in zip(planes, boxes, strict=True)]
                break
    return positions
