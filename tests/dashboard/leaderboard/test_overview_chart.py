"""The trade-off at a glance: which marks are drawn and which names are written."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dashboard.charts.label_placement import Box, LabelPosition, width
from dashboard.leaderboard import overview_chart
from db.registry.metrics import known

ACCURACY = known("accuracy")


def _board(params: list[float | None], score: list[float], direction: str = "max") -> SimpleNamespace:
    rows = pd.DataFrame({"params": pd.array(params, dtype="Int64"), "score": score})
    rows = rows.assign(
        model=[f"Model {index}" for index in rows.index],
        family="F",
        source="measured",
        low=rows["score"] - 0.01,
        high=rows["score"] + 0.01,
        seeds=1,
        spread=np.nan,
        ranked=True,
    )
    return SimpleNamespace(rows=rows, task={"direction": direction})


def test_the_frontier_is_that_of_the_rows_that_are_shown() -> None:
    """A filter that takes the best away makes others the best."""
    board = _board([100, 1000, 2000, None], [0.9, 0.8, 0.85, 0.95])
    whole = overview_chart.marks(board, np.array([3, 0, 2, 1]))  # type: ignore[arg-type]
    assert whole[whole["pareto"]]["model"].tolist() == ["Model 0"]
    some = overview_chart.marks(board, np.array([2, 1]))  # type: ignore[arg-type]
    assert set(some[some["pareto"]]["model"]) == {"Model 1", "Model 2"}


def test_less_is_better_where_it_is() -> None:
    """The frontier of errors goes down."""
    some = overview_chart.marks(_board([100, 1000], [0.9, 0.8], "min"), np.array([1, 0]))  # type: ignore[arg-type]
    assert some["pareto"].all()


def test_a_crowd_is_cut_to_the_frontier_and_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many marks are one stain; what nothing beats is always among them."""
    monkeypatch.setattr(overview_chart, "MAX_MARKS", 10)
    score = np.linspace(0.9, 0.5, 100)
    params = [1000 + index for index in range(99)] + [1]
    some = overview_chart.marks(_board(params, score.tolist()), np.arange(100))  # type: ignore[arg-type]
    assert some["model"].tolist() == [f"Model {index}" for index in [*range(9), 99]]


def test_names_meet_neither_names_nor_marks() -> None:
    """In a dense corner each has a place of its own; one that stands free has its name too."""
    score = [0.5, 0.501, 0.502, 0.9]
    shown = overview_chart.marks(_board([1000, 1010, 1020, 1_000_000], score), np.array([3, 2, 1, 0]))  # type: ignore[arg-type]
    figure = overview_chart.tradeoff(shown, ACCURACY, {}, ink="black")
    notes = {note.text: note for note in figure.layout.annotations}
    assert "Model 3" in notes
    # The other three marks lie within a pixel of each other.
    boxes = [
        LabelPosition(note.xanchor, note.yanchor, note.xshift, note.yshift).box(0, 0, width(name))
        for name, note in notes.items()
        if name != "Model 3"
    ]
    assert boxes
    for combination, other in combinations([*boxes, Box(-4, -4, 4, 4)], 2):
        apart = (
            combination.right <= other.left
            or other.right <= combination.left
            or combination.top <= other.bottom
            or other.top <= combination.bottom
        )
        assert apart, (combination, other)
    assert figure.layout.showlegend is False


def test_a_name_from_outside_is_text_in_the_figure() -> None:
    """Plotly reads a few tags."""
    board = _board([10, 20], [0.5, 0.6])
    board.rows["model"] = ["<b>x</b>", "y" * 1000]
    figure = overview_chart.tradeoff(overview_chart.marks(board, np.array([1, 0])), ACCURACY, {}, ink="black")  # type: ignore[arg-type]
    result = [note.text for note in figure.layout.annotations]
    result += [text for trace in figure.data for text in trace.text or ()]
    assert not any("<b>" in item for item in result)
    assert max(map(len, result)) < 200


def test_printed_rows_stand_beside_the_frontier() -> None:
    """A printed row that beats all others is not on the frontier; the caption says so, and what is missing."""
    board = _board([10, 20, None], [0.9, 0.8, 0.7])
    board.rows["ranked"] = [False, True, True]
    shown = overview_chart.marks(board, np.arange(3))  # type: ignore[arg-type]
    assert shown["pareto"].tolist() == [False, True]
    assert overview_chart.caption(board, np.arange(3)) == (  # type: ignore[arg-type]
        "The frontier is that of measured and submitted rows; printed rows stand beside it. "
        "Not in the figure, because their parameters are not known: 1 row."
    )
