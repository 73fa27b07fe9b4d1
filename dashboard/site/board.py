"""A board as one static table: the rows and columns of the leaderboard, with values that a browser can sort by."""

from collections.abc import Mapping

import numpy as np
from markupsafe import Markup

from dashboard.leaderboard import cells, columns
from dashboard.leaderboard.columns import Column as BoardColumn
from dashboard.markup import tables
from dashboard.markup.tables import Cell, Column, Row
from dashboard.site.links import Links
from dashboard.ui import formatting, theme
from dashboard.ui.i18n import _
from dashboard.ui.labels import SOURCES
from db.leaderboard.board import Board
from db.registry.metrics import Metric

_RIGHT = {"rank", "score", "number"}


def draw(board: Board, metric: Metric, link: Links, colours: Mapping[str, str]) -> Markup:
    """Draw all rows of a board, best first."""
    shown = [column for column in columns.columns(board, metric) if column.shown]
    rest = [column for column in shown if column.type != "model" and column.key != "train_seconds"]
    positions = np.arange(len(board.rows))
    ends = board.rows[["low", "score", "high"]].to_numpy(dtype=float)
    ends = ends[~np.isnan(ends[:, 1])]
    scale = formatting.scale(ends[:, 0], ends[:, 1], ends[:, 2])
    texts = [cells.column(board, column, positions, metric, scale) for column in rest]
    keys = [_keys(board, column) for column in rest]
    rows = []
    for position, row in enumerate(board.rows.itertuples()):
        name = Cell(
            str(row.model),
            str(row.model),
            css="name",
            href=link("model", name=row.model) if row.model in link.models else "",
            colour=colours.get(row.family, theme.GREY),
            mark=f"{row.family}, {_(SOURCES[row.source])}",
            shape=theme.SYMBOLS[row.source],
            caveat=cells.caveat(row),
            below=" ".join(cells.others(int(row.others))[:1]),
            tags=cells.tags(row.tags),
        )
        rows.append(
            Row(
                name,
                [
                    _cell(column, text[position], key[position])
                    for column, text, key in zip(rest, texts, keys, strict=True)
                ],
            )
        )
    heads = [Column(_("Model"), "name text", "ascending")]
    heads += [
        Column(
            column.label,
            "number" if column.type in _RIGHT else "text",
            "descending" if column.falling else "ascending",
            column.unit,
            column.help,
            ("descending" if column.falling else "ascending") if column.type == "score" else "",
        )
        for column in rest
    ]
    caption = _("Leaderboard, {n} rows").format(n=len(rows))
    return tables.render(caption, heads, rows, app=False, css="tall")


def _keys(board: Board, column: BoardColumn) -> list[float | str]:
    """What a column is sorted by: the numbers behind it, else its texts."""
    if column.type == "rank":
        first = board.ranks.ends[:, 0].astype(float)
        return [float(value) if value else float("nan") for value in first]
    values = board.rows[column.by] if column.by in board.rows else board.figures.get(column.by)
    if values is None or column.type not in {"score", "number"}:
        return [""] * len(board.rows)
    return [float(value) for value in formatting.floats(values)]


def _cell(column: BoardColumn, content: list[object], key: float | str) -> Cell:
    text = str(content[0]) if content else ""
    if column.type == "source":
        return Cell(text, css="text", verified=bool(content[1]))
    if column.type == "score" and len(content) > 1:
        low, value, high = (round(position / 10, 1) for position in content[1])  # type: ignore[attr-defined]
        return Cell(text, key, "score plain", title=str(content[2]), ends=(low, value, high))
    css = "number" if column.type in _RIGHT else "text wrap" if column.key == "dataset" else "text"
    title = str(content[1]) if column.type == "rank" and len(content) > 1 else ""
    return Cell(text, key if column.type in _RIGHT else text, css, title=title)
