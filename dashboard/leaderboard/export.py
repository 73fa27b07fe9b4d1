"""What the leaderboard shows, as a file: all rows that pass the filters, in their order, with the chosen columns.

CSV, Parquet and JSON carry the stored values for programs, under the names of the columns. Markdown and LaTeX carry
what is seen, for documents.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.leaderboard import cells
from dashboard.leaderboard.columns import Column
from dashboard.ui.export import as_json, csv, latex, markdown, parquet
from dashboard.ui.formatting import Scale
from dashboard.ui.i18n import _
from dashboard.ui.labels import VERIFIED_MARK
from db.leaderboard.board import Board
from db.registry.formats import DASH
from db.registry.metrics import Metric


def values(board: Board, positions: NDArray[np.intp], columns: Sequence[Column]) -> pd.DataFrame:
    """The stored values: a row each, the run's id first, shares as fractions of 1, sizes in bytes.

    A score has its interval beside it, and a rank is two numbers, which no spreadsheet takes for a date.
    """
    rows = board.rows.iloc[positions]
    stored = {
        "model": ("model", "tags") if rows["tags"].notna().any() else ("model",),
        "range": ("least", "most"),
        "source": ("source", "verified"),
    }
    made: dict[str, object] = {"run_id": rows["run_id"].to_numpy()}
    for column in columns:
        if column.key == "rank":
            made |= {"rank": _ranks(board, positions, 0), "rank_last": _ranks(board, positions, 1)}
        elif column.key == "score":
            made |= {
                str(board.task["metric"]): rows["score"].array,
                "low": rows["low"].array,
                "high": rows["high"].array,
            }
        elif column.key == "seeds":
            made |= {"seeds": rows["seeds"].array, "seeds_failed": rows["failed"].array}
        elif column.key in board.figures and column.key not in rows:
            made[column.key] = board.figures[column.key].iloc[positions].to_numpy()
        else:
            made |= {name: rows[name].array for name in stored.get(column.key, (column.key,)) if name in rows}
        some = board.partial[column.key].iloc[positions].to_numpy() if column.key in board.partial else np.zeros(1)
        if some.any():  # of a row whose seeds do not all have the figure
            made[f"{column.key}_seeds"] = pd.array(some, dtype="Int64")
    return pd.DataFrame(made)


def seen(board: Board, positions: NDArray[np.intp], columns: Sequence[Column], metric: Metric) -> pd.DataFrame:
    """The cells as they are read, headers with their units; a missing figure is a dash."""
    shared = Scale(0.0, 0.0)
    made: dict[str, list[str]] = {}
    for column in columns:
        made_cells = cells.column(board, column, positions, metric, shared)
        head = f"{column.label} ({column.unit})" if column.unit else column.label
        if column.type == "model":
            made[head] = board.rows["model"].iloc[positions].astype(str).tolist()
        elif column.type == "score":
            made[head] = [cell[0] or DASH for cell in made_cells]
            made[_("95% interval")] = _intervals(board, positions, column)
        elif column.type == "source":
            made[head] = [f"{source} {VERIFIED_MARK}" if verified else source for source, verified in made_cells]
        else:
            empty = "" if column.type == "tick" else DASH
            made[head] = [str(cell[0]) or empty for cell in made_cells]
    return pd.DataFrame(made)


def files(
    board: Board, positions: NDArray[np.intp], columns: Sequence[Column], metric: Metric
) -> dict[str, tuple[str, str, Callable[[], bytes]]]:
    """Each kind of file as (ending, media type, what makes it); nothing is made before somebody asks."""
    cells_of = [column for column in columns for _unused in range(2 if column.type == "score" else 1)]
    right = [column.type in {"number", "rank", "score"} for column in cells_of]
    return {
        "CSV": ("csv", "text/csv", lambda: csv(values(board, positions, columns))),
        "Parquet": ("parquet", "application/vnd.apache.parquet", lambda: parquet(values(board, positions, columns))),
        "JSON": ("json", "application/json", lambda: as_json(values(board, positions, columns))),
        "Markdown": ("md", "text/markdown", lambda: markdown(seen(board, positions, columns, metric), right)),
        "LaTeX": ("tex", "application/x-tex", lambda: latex(seen(board, positions, columns, metric), right)),
    }


def _ranks(board: Board, positions: NDArray[np.intp], end: int) -> pd.Series:
    rank = pd.Series(board.ranks.ends[positions, end], dtype="Int64")
    return rank.mask(rank == 0)


def _intervals(board: Board, positions: NDArray[np.intp], column: Column) -> list[str]:
    ends = board.rows[["low", "high"]].iloc[positions].to_numpy(dtype=float).tolist()
    return [
        DASH
        if math.isnan(low)
        else _("{low} to {high}").format(low=cells.number(column, low), high=cells.number(column, high))
        for low, high in ends
    ]
