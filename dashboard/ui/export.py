"""Tables as files: CSV, Parquet, JSON, Markdown and LaTeX."""

import io
import json
import math
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from db.importers import spelling

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


def csv(frame: pd.DataFrame) -> bytes:
    """UTF-8 with the mark by which spreadsheets know it; no cell of text and no header can run as a formula."""
    safe = pd.DataFrame({spelling.inert(str(name)): _inert_all(frame[name]) for name in frame})
    return str(safe.to_csv(index=False, lineterminator="\r\n")).encode("utf-8-sig")


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
    lines = [[_markdown(str(name)) for name in frame], ["---:" if number else ":---" for number in right]]
    lines += [[_markdown(str(value)) for value in row] for row in frame.itertuples(index=False)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).encode()


def latex(frame: pd.DataFrame, right: Sequence[bool]) -> bytes:
    """A table in the style of the booktabs package; what LaTeX reads as a command is escaped."""
    lines = [" & ".join(_latex(str(value)) for value in row) + r" \\" for row in frame.itertuples(index=False)]
    head = " & ".join(_latex(str(name)) for name in frame) + r" \\"
    kinds = "".join("r" if number else "l" for number in right)
    table = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *lines, r"\bottomrule", r"\end{tabular}"]
    return ("\n".join(table) + "\n").encode()


def _inert_all(values: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        return values
    return values.map(spelling.inert, na_action="ignore")


def _plain(value: object) -> object:
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))
