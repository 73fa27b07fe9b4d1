"""Figures of what distillation, pretraining, their parts and more data bring: data in, a Plotly figure out."""

from collections.abc import Sequence
from html import escape

import pandas as pd
import plotly.graph_objects as go

from dashboard.charts.style import as_label, heatmap, interval, marker, scaled, styled
from dashboard.ui.i18n import N_, _
from dashboard.ui.labels import ABLATION_KINDS
from dashboard.ui.theme import GREY, GRID, SYMBOLS
from db.registry import formats
from db.registry.metrics import Metric

_DASHES = ("solid", "dash", "dot", "longdash")
TWINS_PLACES = {False: N_("upper"), True: N_("lower")}


def matched_pairs(points: pd.DataFrame, metric: Metric, colours: dict[str, str]) -> go.Figure:
    """Plain and treated variants of one shape on one line each, with intervals; the plain one is the upper dot."""
    figure = go.Figure()
    factor, title = scaled(metric)
    for (treated, kind, family), rows in points.groupby(["treated", "kind", "family"], sort=False):
        colour, aside = colours.get(family, GREY), 0.15 if treated else -0.15
        figure.add_scatter(
            x=rows["score"] * factor,
            y=rows["place"] + aside,
            mode="markers",
            name=f"{as_label(family)}, {kind} ({_(TWINS_PLACES[treated])})",
            marker={"color": colour, "symbol": SYMBOLS["measured"], "size": 9},
            # Two of one family have one colour; the paler one is the plain one.
            opacity=1.0 if treated or points["family"].nunique() > 1 else 0.5,
            error_x=interval(rows, factor, colour),
            text=[as_label(text) for text in rows["text"]],
            hovertemplate="%{text}<extra></extra>",
        )
    lines = points.drop_duplicates("place")
    ticks = [f"{as_label(row.label)}<br>{formats.short(row.params)}" for row in lines.itertuples()]
    figure.update_xaxes(title=title)
    return _lined(figure, lines, ticks, height=110 + 52 * len(lines))


def ablation(points: pd.DataFrame, colours: dict[str, str]) -> go.Figure:
    """What is lost without each part: the printed difference above, the measured one with its spread, seeds below."""
    figure = go.Figure()
    looks = {
        "printed": (-0.2, SYMBOLS["reported"], 10),
        "measured": (0.08, SYMBOLS["measured"], 10),
        "one seed": (0.29, "line-ns", 6),
    }
    for kind, (aside, symbol, size) in looks.items():
        rows = points[points["kind"] == kind]
        if rows.empty:
            continue
        family = str(rows["family"].iloc[0])
        colour = colours.get(family, GREY)
        figure.add_scatter(
            x=rows["value"],
            y=rows["place"] + aside,
            mode="markers",
            name=f"{as_label(family)}, {_(ABLATION_KINDS[kind])}",
            marker=marker(colour, symbol, size),
            error_x={
                "type": "data",
                "array": rows["spread"] if kind == "measured" else None,
                "thickness": 3,
                "width": 0,
                "color": colour,
            },
            text=[as_label(text) for text in rows["text"]],
            hovertemplate="%{text}<extra></extra>",
        )
    lines = points.drop_duplicates("place")
    figure.update_layout(showlegend=True)  # one kind of mark alone says too what it is
    figure.update_xaxes(title=_("Change when it is left out (points)"))
    figure.add_vline(x=0, line_width=1.2, line_color=GREY)
    return _lined(figure, lines, [as_label(words) for words in lines["label"]], height=130 + 56 * len(lines))


def settings(cells: pd.DataFrame, metric: Metric, *, across: str, ink: str) -> go.Figure:
    """Scores by two settings: one row a loss and temperature, one column a weight of the labels.

    The best cells are the darkest; ``across`` is the title of the horizontal axis.
    """
    scores, texts, hovers = (
        cells.pivot(index="row", columns="column", values=values).reindex(
            index=cells["row"].unique(), columns=sorted(cells["column"].unique(), key=float)
        )
        for values in ("score", "text", "hover")
    )
    return heatmap(
        scores.astype(float),
        texts.fillna(""),
        ink,
        across,
        height=90 + 40 * len(scores),
        customdata=hovers.fillna("").to_numpy(),
        hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
        reversescale=metric.direction == "min",
    )


def learning(
    points: pd.DataFrame,
    levels: Sequence[tuple[str, str, float]],
    metric: Metric,
    colours: dict[str, str],
    *,
    pretraining: bool = False,
) -> go.Figure:
    """Score over the number of training examples, on a logarithmic scale, with intervals; printed scores as levels.

    With ``pretraining`` over the tokens read before, on a linear scale, which has a place for none.
    """
    factor, title = scaled(metric)
    figure = go.Figure()
    for line, rows in points.groupby("line", sort=False):
        colour = colours.get(str(rows["family"].iloc[0]), GREY)
        figure.add_scatter(
            x=rows["size"],
            y=rows["score"] * factor,
            name=escape(str(line))[:60],
            mode="lines+markers",
            line={"color": colour, "width": 1.8, "dash": _DASHES[int(rows["order"].iloc[0]) % len(_DASHES)]},
            marker={"color": colour, "symbol": SYMBOLS["measured"], "size": 9},
            error_y=interval(rows, factor, colour),
            text=[escape(text) for text in rows["text"]],
            hovertemplate="%{text}<extra></extra>",
        )
    sizes = sorted({int(size) for size in points["size"]})
    low, high = sizes[0] / 1.3, sizes[-1] * 1.3  # a single size has room on both sides too
    for name, family, score in levels:
        figure.add_scatter(
            x=[low, high],
            y=[score * factor] * 2,
            name=escape(name)[:60],
            mode="lines",
            line={"color": colours.get(family, GREY), "width": 1.2, "dash": "dot"},
            hovertemplate=f"{escape(name)}: {formats.value(metric, score)}<extra></extra>",
        )
    # Below the axis and in one column: names of models are long, and a telephone is 390 pixels wide.
    legend = {"orientation": "v", "yanchor": "top", "y": -0.2, "x": 0, "title": None}
    styled(figure, 380 + 20 * len(figure.data), legend=legend, showlegend=True)
    ticks: list[int] = []
    for size in reversed(sizes):  # of two that would write into each other the larger one is named
        if not ticks or size < ticks[0] / 1.35:
            ticks.insert(0, size)
    figure.update_xaxes(
        title=_("Pretraining tokens") if pretraining else _("Training examples (log)"),
        type="linear" if pretraining else "log",
        tickvals=ticks,
        minor={"ticks": ""},
        ticktext=[formats.short(tick) for tick in ticks],
        tickangle=0,
    )
    figure.update_yaxes(title=title)
    return figure


def _lined(figure: go.Figure, lines: pd.DataFrame, ticks: list[str], height: int) -> go.Figure:
    """One line a row of ``lines``, the first on top, with a rule between two."""
    styled(figure, height)
    figure.update_yaxes(tickvals=lines["place"], ticktext=ticks, range=[len(lines) - 0.5, -0.5], showgrid=False)
    for position in range(1, len(lines)):
        figure.add_hline(y=position - 0.5, line_width=1, line_color=GRID)
    return figure
