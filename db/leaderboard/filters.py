"""Choosing and ordering the rows of a board, by whole columns: nothing here looks at one row after another."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from db.base.errors import NotFoundError

if TYPE_CHECKING:
    from db.leaderboard.board import Board

Range = tuple[float | None, float | None]
"""The least and the greatest value that pass, both included; None leaves an end open."""

SEARCHED = ("model", "name", "family", "teacher", "dataset", "recipe")

_BETWEEN = "\ue000"  # of the private use area: it composes with nothing and is no letter
_WHOLE: Range = (None, None)


@dataclass(frozen=True)
class Filter:
    """What a row must be; an empty field asks for nothing.

    Attributes:
        search: Words that must all occur somewhere in ``SEARCHED``, whatever their case and Unicode normal form.
        families: One of these.
        sources: One of these.
        statuses: One of these.
        verified: Only verified rows, or only others.
        devices: One of these, whole as the run has it.
        datasets: One of these, whole as the run has it.
        params: Parameters.
        latency_ms: Median time for one example.
        size_bytes: Of the checkpoint.
        tags: At least one of these, of any of the row's runs.
    """

    search: str = ""
    families: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    verified: bool | None = None
    devices: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    params: Range = _WHOLE
    latency_ms: Range = _WHOLE
    size_bytes: Range = _WHOLE
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Order:
    """A column of ``Board.rows`` or ``Board.figures`` to order by, its lowest value first unless ``descending``."""

    key: str
    descending: bool = False


def select(board: "Board", conditions: Filter) -> NDArray[np.intp]:
    """The positions of the rows that pass, in their order.

    A row that lacks a figure fails every range of it that has an end.
    """
    rows = board.rows
    passing = np.ones(len(rows), dtype=bool)
    for word in _folded(conditions.search).split():
        passing &= pc.match_substring(board.text, word).to_numpy(zero_copy_only=False)
    equal = {
        "family": conditions.families,
        "source": conditions.sources,
        "status": conditions.statuses,
        "device": conditions.devices,
        "dataset": conditions.datasets,
    }
    for column, values in equal.items():
        if values:
            passing &= rows[column].isin(values).to_numpy()
    if conditions.tags:
        spaced = pc.binary_join_element_wise("", pa.array(rows["tags"], pa.string()).fill_null(""), "", " ")
        passing &= np.any([pc.match_substring(spaced, f" {tag.lower()} ") for tag in conditions.tags], axis=0)
    if conditions.verified is not None:
        passing &= rows["verified"].to_numpy() == conditions.verified
    ranges = {
        "params": conditions.params,
        "latency_ms_p50": conditions.latency_ms,
        "checkpoint_bytes": conditions.size_bytes,
    }
    for column, (lowest, highest) in ranges.items():
        values = rows[column].to_numpy(dtype=float, na_value=np.nan)
        if lowest is not None:
            passing &= values >= lowest
        if highest is not None:
            passing &= values <= highest
    return np.flatnonzero(passing)


def ordered(board: "Board", positions: NDArray[np.intp], orders: Sequence[Order]) -> NDArray[np.intp]:
    """Positions by one or several columns; equal rows keep their order, missing values are last in both directions.

    Texts are ordered without regard to case, ranks by their numbers.

    Args:
        board: The board.
        positions: Of some of its rows.
        orders: The first one decides, the others decide among equal rows. Where ``rows`` and ``figures`` have a column
            of one name, it is that of ``rows``.

    Raises:
        NotFoundError: There is no such column.
    """
    for order in reversed(orders):  # each sort is stable, so the one that decides comes last
        codes = _codes(board, order.key)[positions]
        keys = np.where(codes < 0, np.iinfo(codes.dtype).max, -codes if order.descending else codes)
        positions = positions[np.argsort(keys, kind="stable")]
    return positions


def searchable(rows: pd.DataFrame) -> pa.Array:
    """The texts that a search looks at, one for each row, folded once for all searches."""
    texts = [pa.array(rows[column], pa.string()).fill_null("") for column in SEARCHED]
    return _all_folded(pc.binary_join_element_wise(*texts, " "))


def _all_folded(texts: pa.Array) -> pa.Array:
    """Many texts as one: a call for each of 100,000 would take as long as everything else together."""
    if not len(texts):
        return texts
    whole = _BETWEEN.join(pc.replace_substring(texts, _BETWEEN, " ").to_pylist())
    return pa.array(_folded(whole).split(_BETWEEN), pa.string())


def _folded(text: str) -> str:
    """Without case and in one normal form: Hangul typed on a Mac is the same as elsewhere."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _codes(board: "Board", key: str) -> NDArray[np.intp]:
    if key not in board.codes:
        board.codes[key] = _numbered(board, key)
    return board.codes[key]


def _numbered(board: "Board", key: str) -> NDArray[np.intp]:
    """A column as whole numbers of the same order, -1 where missing."""
    if key == "rank":
        ends, count = board.ranks.ends, len(board.ranks.ends) + 1
        definite = np.where(ends[:, 0] > 0, ends[:, 0] * count + ends[:, 1], -1)
        return np.where(board.ranks.about > 0, count**2 + board.ranks.about, definite)
    if key in board.rows:
        values = board.rows[key]
    elif key in board.figures:
        values = board.figures[key]
    else:
        raise NotFoundError(f"This board has no column {key!r} to order by.")
    if isinstance(values.dtype, pd.StringDtype):
        codes, texts = pd.factorize(values)
        places = pd.factorize(_all_folded(pa.array(texts, pa.string())).to_numpy(zero_copy_only=False), sort=True)[0]
        return np.where(codes < 0, -1, np.append(places, -1)[codes])
    return np.asarray(pd.factorize(values, sort=True)[0])
