"""Runs on the same examples: who answers what right, and how much of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.statistics import qa_scoring
from db.statistics.qa_scoring import Rules


class Counts(NamedTuple):
    """Common examples of two runs, those that both answer right, and those that only one does."""

    n: int
    both: int
    only_first: int
    only_second: int


@dataclass(frozen=True)
class Common:
    """The examples that several runs answered, by example id.

    Attributes:
        ids: Shape (examples,), texts.
        gold: Shape (examples,), as the predictions table keeps it.
        said: One column a run, 0, 1, ... in their order; categories, missing where a run gave no answer.
        sure: Shape (examples, runs), the probability that the run gives its answer; NaN where unknown.
        right: Shape (examples, runs); a missing answer is a wrong one.
        overlap: Shape (examples, runs), F1 of answers that are texts; None of labels and where texts are withheld.
        withheld: Stand-ins were compared, because a run came without the texts of its answers.
    """

    ids: NDArray[np.object_]
    gold: NDArray[np.object_]
    said: pd.DataFrame
    sure: NDArray[np.float32]
    right: NDArray[np.bool_]
    overlap: NDArray[np.float64] | None = None
    withheld: bool = False

    def __len__(self) -> int:
        return len(self.ids)


def counted(con: duckdb.DuckDBPyConnection, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Count the common examples of pairs of runs, all pairs in one pass.

    Args:
        con: An open connection.
        pairs: Whole run ids, first and second.

    Returns:
        One row a pair, in the order given: ``first, second, n, both, only_first, only_second``; zeros where the two
        have no example in common. An answer that is missing counts as wrong.
    """
    con.register(
        "pairs", pd.DataFrame(list(pairs), columns=["first", "second"], dtype="str").reset_index(names="place")
    )
    return con.execute(
        """
        SELECT p.first, p.second, count(c.pair) AS n, coalesce(count_if(a AND b), 0) AS "both",
               coalesce(count_if(a AND NOT b), 0) AS only_first, coalesce(count_if(b AND NOT a), 0) AS only_second
        FROM pairs p
        LEFT JOIN (
            SELECT q.place AS pair, coalesce(x.gold = x.predicted, false) AS a,
                   coalesce(y.gold = y.predicted, false) AS b
            FROM pairs q
            JOIN predictions x ON x.run_id = q.first
            JOIN predictions y ON y.run_id = q.second AND y.example_id = x.example_id AND y.gold = x.gold
        ) c ON c.pair = p.place
        GROUP BY p.place, p.first, p.second ORDER BY p.place
        """
    ).df()


def read(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str], *, texts: bool = False) -> pd.DataFrame:
    """The answers of runs to the examples that all of them answered, by example id.

    Args:
        con: An open connection.
        run_ids: Whole ids, at least one, each once.
        texts: Answers are texts: of those the gold answers need not be equal, because a run may keep stand-ins.

    Returns:
        ``example_id``, and for each run by its place ``gold_0, said_0, sure_0, gold_1, ...``.
    """
    places = range(len(run_ids))
    columns = ", ".join(f"p{i}.gold AS gold_{i}, p{i}.predicted AS said_{i}, p{i}.score AS sure_{i}" for i in places)
    same = "" if texts else "AND p{i}.gold = p0.gold"
    joins = " ".join(
        f"JOIN predictions p{i} ON p{i}.run_id = ${i + 1} AND p{i}.example_id = p0.example_id {same.format(i=i)}"
        for i in places[1:]
    )
    return con.execute(
        f"SELECT p0.example_id, {columns} FROM predictions p0 {joins} WHERE p0.run_id = $1 AND p0.gold IS NOT NULL "  # noqa: S608 - numbers alone
        "ORDER BY p0.example_id",
        list(run_ids),
    ).df()


def judged(rows: pd.DataFrame, language: str | None, *, overlap: bool = True) -> Common:
    """Who is right on each example.

    Args:
        rows: Of ``read``.
        language: Of answers that are texts: right is what equals a gold answer by its official rules. None: labels.
        overlap: F1 of answers that are texts is wanted too.

    Returns:
        Every example of ``rows``. Of answers that are texts those are left out whose gold is none, or is another in
        another run, and all of a language without rules.
    """
    runs = sum(name.startswith("said_") for name in rows.columns)
    if language is None:
        said = rows[[f"said_{i}" for i in range(runs)]].set_axis(range(runs), axis=1)
        right = np.column_stack([(said[i] == rows["gold_0"]).fillna(False).astype(bool) for i in range(runs)])
        return _common(rows, rows["gold_0"], said, right)
    rules = qa_scoring.RULES.get(language)
    if rules is None or rows.empty:
        return judged(rows.iloc[:0], None)
    withheld = [bool(rows[f"gold_{i}"].map(_stands_in).any()) for i in range(runs)]
    hide = any(withheld)
    golds = pd.DataFrame({i: _golds(rows[f"gold_{i}"], rules, hide=hide and not withheld[i]) for i in range(runs)})
    kept = golds.notna().all(axis=1) & golds.eq(golds[0], axis=0).all(axis=1)
    rows, golds = rows[kept], golds[kept]
    said = pd.DataFrame({i: rows[f"said_{i}"] for i in range(runs)})
    if hide:
        said = pd.DataFrame({i: _answers(said[i], rules, hide=not withheld[i]) for i in range(runs)})
    scored = [_scores(said[i], golds[0], rules, overlap=overlap and not hide) for i in range(runs)]
    return _common(
        rows,
        golds[0],
        said,
        np.column_stack([one for one, _ in scored]),
        np.column_stack([part for _, part in scored]) if overlap and not hide else None,
        hide,
    )


def _common(
    rows: pd.DataFrame,
    gold: pd.Series,
    said: pd.DataFrame,
    right: NDArray[np.bool_],
    overlap: NDArray[np.float64] | None = None,
    withheld: bool = False,
) -> Common:
    sure = rows[[f"sure_{i}" for i in range(said.shape[1])]].to_numpy(dtype=np.float32)
    return Common(
        rows["example_id"].to_numpy(dtype=object),
        gold.to_numpy(dtype=object),
        said.astype("category").reset_index(drop=True),
        sure,
        right.reshape(-1, said.shape[1]),
        overlap,
        withheld,
    )


def _stands_in(packed: object) -> bool:
    """Whether gold answers are stand-ins; cheap, because it is asked of every one."""
    return isinstance(packed, str) and packed.startswith('["withheld-')


def _golds(column: pd.Series, rules: Rules, *, hide: bool) -> pd.Series:
    """Packed gold answers, or their stand-ins; missing where there are none."""
    told: dict[str, str | None] = {}
    for packed in column.dropna().unique():
        try:
            golds = qa_scoring.unpack(packed)
        except ValueError:
            golds = []
        shown = qa_scoring.pack(qa_scoring.withheld(rules, one) for one in golds) if hide else packed
        told[packed] = shown if golds else None
    return column.map(told)


def _answers(column: pd.Series, rules: Rules, *, hide: bool) -> pd.Series:
    return column.fillna("").map(lambda one: qa_scoring.withheld(rules, one)) if hide else column


def _scores(
    said: pd.Series, golds: pd.Series, rules: Rules, *, overlap: bool
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each answer is exactly right, and its F1 (zeros where that is not wanted)."""
    right = np.zeros(len(said), dtype=bool)
    parts = np.zeros(len(said))
    unpacked = {packed: qa_scoring.unpack(packed) for packed in golds.unique()}
    for place, (given, packed) in enumerate(zip(said.fillna(""), golds, strict=True)):
        known = unpacked[packed]
        right[place] = any(rules.exact(given, gold) for gold in known)
        # Equal answers overlap wholly, unless nothing of them is left to compare.
        whole = right[place] and rules.normal(given) != ""
        if overlap:
            parts[place] = 1.0 if whole else max(rules.overlap(given, gold) for gold in known)
    return right, parts


def exact(con: duckdb.DuckDBPyConnection, first: str, second: str, language: str) -> Counts:
    """What ``counted`` counts, of two runs whose answers are texts; see ``judged``."""
    found = judged(read(con, [first, second], texts=True), language, overlap=False)
    one, other = found.right[:, 0], found.right[:, 1]
    return Counts(len(found), int((one & other).sum()), int((one & ~other).sum()), int((other & ~one).sum()))
