"""Figures: a data frame in, a Plotly figure out. Nothing here knows Streamlit or the database."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from dashboard.look import CLEAR, DASHES, GRID, OKABE_ITO, TEALS


def curves(
    points: pd.DataFrame, series: Sequence[str], labels: dict[str, str], *, title: str, percent: bool
) -> go.Figure:
    """Series of one run over epochs.

    Args:
        points: Columns ``series, step, epoch, value``.
        series: Which series, in the order of the legend.
        labels: What each is called.
        title: Of the vertical axis.
        percent: Values are fractions that are shown in percent.
    """
    figure = go.Figure()
    factor = 100.0 if percent else 1.0
    for place, name in enumerate(series):
        rows = points[points["series"] == name]
        figure.add_trace(
            go.Scatter(
                x=rows["epoch"], y=rows["value"] * factor, name=labels.get(name, _shown(name)),
                mode="lines+markers" if len(rows) <= 60 else "lines",
                line={"color": OKABE_ITO[place % len(OKABE_ITO)], "width": 1.8, "dash": DASHES[place % 3]},
                marker={"size": 5},
                hovertemplate=f"{labels.get(name, _shown(name))} %{{y:.4g}} at epoch %{{x:.2f}}<extra></extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(title="Epoch", rangemode="tozero")
    figure.update_yaxes(title=title + (" (%)" if percent else ""))
    return _styled(figure, height=300)


def confusion(table: pd.DataFrame, names: dict[str, str], *, ink: str) -> go.Figure:
    """Gold labels (rows) against predicted ones (columns), counts with the share of each row, written in ``ink``."""
    shares = table.div(table.sum(axis=1).clip(lower=1), axis=0)
    text = [[f"{count:,.0f}<br>{share:.1%}" for count, share in zip(counts, row, strict=True)]
            for counts, row in zip(table.to_numpy(), shares.to_numpy(), strict=True)]  # fmt: skip
    figure = go.Figure(
        go.Heatmap(
            z=shares.to_numpy(), x=[names.get(label, _shown(label)) for label in table.columns],
            y=[names.get(label, _shown(label)) for label in table.index],
            text=text, texttemplate="%{text}", colorscale=TEALS, showscale=False, zmin=0, zmax=1, xgap=2, ygap=2,
            hovertemplate="%{y}, predicted %{x}: %{text}<extra></extra>", textfont={"color": ink},
        )
    )  # fmt: skip
    figure.update_xaxes(title="Predicted", showgrid=False, type="category")
    figure.update_yaxes(title="Gold", autorange="reversed", showgrid=False, type="category")
    return _styled(figure, height=260)


def _shown(words: str) -> str:
    """Text from outside inside a Plotly label, which reads a few HTML tags."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")[:80]


def _styled(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        height=height, margin={"l": 8, "r": 8, "t": 8, "b": 8}, paper_bgcolor=CLEAR, plot_bgcolor=CLEAR,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "title": None}, hovermode="closest",
    )  # fmt: skip
    figure.update_xaxes(gridcolor=GRID, zeroline=False, automargin=True)
    figure.update_yaxes(gridcolor=GRID, zeroline=False, automargin=True)
    return figure
