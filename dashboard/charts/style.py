"""What all figures share: a clear background with quiet axes, intervals, and labels of texts from outside."""

from html import escape
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from dashboard.ui.theme import CLEAR, GRID, TEALS
from db.registry.metrics import Metric


def styled(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Give a figure its height, background, margins and axes; ``layout`` adds to it or replaces a part."""
    legend = {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "title": None}
    usual = {"margin": {"l": 8, "r": 8, "t": 8, "b": 8}, "legend": legend, "hovermode": "closest"}
    figure.update_layout(**usual | {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR, "height": height} | layout)
    figure.update_xaxes(gridcolor=GRID, zeroline=False, automargin=True)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, automargin=True)
    return figure


def marker(colour: str, symbol: str, size: Any, **more: Any) -> dict[str, Any]:
    """Plotly's mark of a family's colour and a source's symbol; its outline shows where the symbol is hollow."""
    return {"color": colour, "symbol": symbol, "size": size, "line": {"width": 1.6, "color": colour}, **more}


def interval(
    rows: pd.DataFrame, factor: float, colour: str, *, of: str = "score", thickness: float = 1.4, width: int = 4
) -> dict[str, Any]:
    """Plotly's error bar from ``low`` to ``high`` around the column ``of``; none where they are missing."""
    return {
        "type": "data",
        "symmetric": False,
        "thickness": thickness,
        "width": width,
        "color": colour,
        "array": ((rows["high"] - rows[of]) * factor).fillna(0),
        "arrayminus": ((rows[of] - rows["low"]) * factor).fillna(0),
    }


def scaled(metric: Metric) -> tuple[float, str]:
    """What stored scores are multiplied by on an axis, and the title of that axis."""
    return (100.0, f"{metric.label} (%)") if metric.unit == "percent" else (1.0, metric.label)


def heatmap(shades: pd.DataFrame, texts: pd.DataFrame, ink: str, across: str, height: int, **options: Any) -> go.Figure:
    """Plot a table as cells, the highest the darkest, each with its text in the colour ``ink``; the first row on top.

    ``across`` is the title of the horizontal axis; ``options`` are further ones of Plotly's heat map.
    """
    cells = go.Heatmap(
        z=shades.to_numpy(),
        x=list(shades.columns),
        y=list(shades.index),
        text=texts.to_numpy(),
        texttemplate="%{text}",
        colorscale=TEALS,
        showscale=False,
        xgap=2,
        ygap=2,
        textfont={"color": ink},
        **options,
    )
    figure = go.Figure(cells)
    figure.update_xaxes(title=across, showgrid=False, type="category")
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category")
    return styled(figure, height)


def as_label(words: object) -> str:
    """Text from outside inside a Plotly label, which reads a few HTML tags."""
    return escape(str(words)[:80], quote=False)
