"""What the leaderboard shows, as a file: all rows that pass the filters, in their order, with the chosen columns.

CSV, Parquet and JSON carry the stored values for programs, under the names of the columns. Markdown and LaTeX carry
what is seen, for documents.
"""

import io
import json
import math
import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.charts.interval_scale import Scale
from dashboard.leaderboard import cells
from dashboard.leaderboard.columns import Column
from dashboard.ui.i18n import _
from dashboard.ui.labels import VERIFIED_MARK
from db.leaderboard.board import Board
from db.registry.formats import DASH
from db.registry.metrics import Metric

# A cell that begins so is a formula to a spreadsheet, which runs it: a name from outside must not be able to.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]|<>~$&:])")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "✓": r"\checkmark{}",
    "–": "--",
    "−": r"$-$",
    "±": r"$\pm$",
}


def values(board: Board, at: NDArray[np.intp], columns: Sequence[Column]) -> pd.DataFrame:
    """The stored values: a row each, the run's id first, shares as fractions of 1, sizes in bytes.

    A score has its interval beside it, and a rank is two numbers, which no spreadsheet takes for a date.
    """
    rows = board.rows.iloc[at]
    made: dict[str, object] = {"run_id": rows["run_id"].to_numpy()}
    for column in columns:
        if column.key == "rank":
            made |= {"rank": _ranks(board, at, 0), "rank_last": _ranks(board, at, 1)}
        elif column.key == "score":
            made |= {
                str(board.task["metric"]): rows["score"].to_numpy(),
                "low": rows["low"].to_numpy(),
                "high": rows["high"].to_numpy(),
            }
        elif column.key == "range":
            made |= {"least": rows["least"].to_numpy(), "most": rows["most"].to_numpy()}
        elif column.key == "source":
            made |= {"source": rows["source"].to_numpy(), "verified": rows["verified"].to_numpy()}
        elif column.key in rows:
            made[column.key] = rows[column.key].array
        elif column.key in board.figures:
            made[column.key] = board.figures[column.key].iloc[at].to_numpy()
    return pd.DataFrame(made)


def seen(board: Board, at: NDArray[np.intp], columns: Sequence[Column], metric: Metric) -> pd.DataFrame:
    """The cells as they are read, headers with their units; a missing figure is a dash."""
    shared = Scale(0.0, 0.0)
    made: dict[str, list[str]] = {}
    for column in columns:
        made_cells = cells.column(board, column, at, metric, shared)
        head = f"{column.label} ({column.unit})" if column.unit else column.label
        if column.type == "model":
            made[head] = board.rows["model"].iloc[at].astype(str).tolist()
        elif column.type == "score":
            made[head] = [cell[0] or DASH for cell in made_cells]
            made[_("95% interval")] = _intervals(board, at, column)
        elif column.type == "source":
            made[head] = [f"{told} {VERIFIED_MARK}" if verified else told for told, verified in made_cells]
        else:
            empty = "" if column.type == "tick" else DASH
            made[head] = [str(cell[0]) or empty for cell in made_cells]
    return pd.DataFrame(made)


def csv(frame: pd.DataFrame) -> bytes:
    """UTF-8 with the mark by which spreadsheets know it; no cell of text and no header can run as a formula."""
    safe = pd.DataFrame({_inert(str(name)): _inert_all(frame[name]) for name in frame})
    told: str = safe.to_csv(index=False, lineterminator="\r\n")
    return told.encode("utf-8-sig")


def parquet(frame: pd.DataFrame) -> bytes:
    """Typed and small, for programs."""
    held = io.BytesIO()
    frame.to_parquet(held, index=False)
    return held.getvalue()


def as_json(frame: pd.DataFrame) -> bytes:
    """A list of objects; a missing figure is null."""
    rows = [{name: _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]
    return json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False).encode()


def markdown(frame: pd.DataFrame, right: Sequence[bool]) -> bytes:
    """A table that shows every character as it is."""
    lines = [[_markdown(str(name)) for name in frame], ["---:" if one else ":---" for one in right]]
    lines += [[_markdown(str(value)) for value in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode()


def latex(frame: pd.DataFrame, right: Sequence[bool]) -> bytes:
    """A table in the style of the booktabs package; what LaTeX reads as a command is escaped."""
    lines = [" & ".join(_latex(str(value)) for value in row) + r" \\" for row in frame.itertuples(index=False)]
    head = " & ".join(_latex(str(name)) for name in frame) + r" \\"
    kinds = "".join("r" if one else "l" for one in right)
    told = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
    return ("\n".join(told) + "\n").encode()


def files(
    board: Board, at: NDArray[np.intp], columns: Sequence[Column], metric: Metric
) -> dict[str, tuple[str, str, Callable[[], bytes]]]:
    """Each kind of file as (ending, media type, what makes it); nothing is made before somebody asks."""
    drawn = [column for column in columns for _unused in range(2 if column.type == "score" else 1)]
    right = [column.type in {"number", "rank", "score"} for column in drawn]
    return {
        "CSV": ("csv", "text/csv", lambda: csv(values(board, at, columns))),
        "Parquet": ("parquet", "application/vnd.apache.parquet", lambda: parquet(values(board, at, columns))),
        "JSON": ("json", "application/json", lambda: as_json(values(board, at, columns))),
        "Markdown": ("md", "text/markdown", lambda: markdown(seen(board, at, columns, metric), right)),
        "LaTeX": ("tex", "application/x-tex", lambda: latex(seen(board, at, columns, metric), right)),
    }


def _ranks(board: Board, at: NDArray[np.intp], end: int) -> pd.Series:
    rank = pd.Series(board.rank[at, end], dtype="Int64")
    return rank.mask(rank == 0)


def _intervals(board: Board, at: NDArray[np.intp], column: Column) -> list[str]:
    ends = board.rows[["low", "high"]].iloc[at].to_numpy(dtype=float).tolist()
    return [
        DASH
        if math.isnan(low)
        else _("{low} to {high}").format(low=cells.number(column, low), high=cells.number(column, high))
        for low, high in ends
    ]


def _inert(told: str) -> str:
    return f"'{told}" if told.startswith(_FORMULA) else told


def _inert_all(values: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return values
    return values.map(_inert, na_action="ignore")


def _plain(value: object) -> object:
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _markdown(told: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(told.split()))


def _latex(told: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(told.split()))
