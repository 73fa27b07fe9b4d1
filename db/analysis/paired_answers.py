"""Answers of several runs to the same examples: who is right on each, and how many examples that makes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.statistics import correlation, qa_scoring
from db.statistics.qa_scoring import Rules


class Counts(NamedTuple):
    """Common examples of two runs, those that both answer right, and those that only one does."""

    n: int
    both: int
    only_first: int
    only_second: int


@dataclass(frozen=True)
class Numbers:
    """Answers that are numbers, which nobody hits exactly.

    Attributes:
        metric: The correlation that scores them; see ``db.statistics.correlation``.
        gold: Shape (examples,).
        answers: Shape (examples, runs); what is no number is the mean of the others.
    """

    metric: str
    gold: NDArray[np.float64]
    answers: NDArray[np.float64]


@dataclass(frozen=True)
class PairedAnswers:
    """The examples that several runs answered, by example id.

    Attributes:
        ids: Shape (examples,), texts.
        gold: Shape (examples,), as the predictions table keeps it.
        answers: One column a run, 0, 1, ... in their order; categories, missing where a run gave no answer.
        confidence: Shape (examples, runs), the probability that the run gives its answer; NaN where unknown.
        right: Shape (examples, runs); a missing answer is a wrong one.
        overlap: Shape (examples, runs), F1 of text answers; None for labels, and where texts are withheld without it.
        withheld: Stand-ins were compared, because a run came without the texts of its answers.
        numbers: Of a task whose answers are numbers; nobody is right then.
    """

    ids: NDArray[np.object_]
    gold: NDArray[np.object_]
    answers: pd.DataFrame
    confidence: NDArray[np.float32]
    right: NDArray[np.bool_]
    overlap: NDArray[np.float64] | None = None
    withheld: bool = False
    numbers: Numbers | None = None

    def __len__(self) -> int:
        return len(self.ids)


def count_pairs(con: duckdb.DuckDBPyConnection, pairs: Sequence[tuple[str, str]]) -> list[Counts]:
    """Count the common examples of pairs of runs that predict labels; a missing answer counts as wrong.

    Args:
        con: An open connection.
        pairs: Whole run ids, first and second.

    Returns:
        One a pair, in the order given; zeros where the two have no example in common.
    """
    con.register(
        "pairs", pd.DataFrame(list(pairs), columns=["first", "second"], dtype="str").reset_index(names="position")
    )
    rows = con.execute(  # all pairs in one pass
        """
        SELECT count(c.position), coalesce(count_if(a AND b), 0), coalesce(count_if(a AND NOT b), 0),
               coalesce(count_if(b AND NOT a), 0)
        FROM pairs p
        LEFT JOIN (
            SELECT q.position, coalesce(x.gold = x.predicted, false) AS a, coalesce(y.gold = y.predicted, false) AS b
            FROM pairs q
            JOIN predictions x ON x.run_id = q.first
            JOIN predictions y ON y.run_id = q.second AND y.example_id = x.example_id AND y.gold = x.gold
        ) c USING (position)
        GROUP BY p.position ORDER BY p.position
        """
    ).fetchall()
    return [Counts(*map(int, row)) for row in rows]


def read(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str], *, texts: bool = False) -> pd.DataFrame:
    """Read the answers of runs to the examples that all of them answered, by example id.

    Args:
        con: An open connection.
        run_ids: Whole ids, at least one, each once.
        texts: Answers are texts: their gold answers need not be equal, because a run may keep stand-ins.

    Returns:
        ``example_id``, and for each run by its index ``gold_0, answer_0, confidence_0, f1_0, gold_1, ...``.
    """
    runs = range(len(run_ids))
    columns = ", ".join(
        f"p{i}.gold AS gold_{i}, p{i}.predicted AS answer_{i}, p{i}.score AS confidence_{i}, p{i}.f1 AS f1_{i}"
        for i in runs
    )
    joins = " ".join(
        f"JOIN predictions p{i} ON p{i}.run_id = ${i + 1} AND p{i}.example_id = p0.example_id"
        + ("" if texts else f" AND p{i}.gold = p0.gold")
        for i in runs[1:]
    )
    return con.execute(
        f"SELECT p0.example_id, {columns} FROM predictions p0 {joins} WHERE p0.run_id = $1 AND p0.gold IS NOT NULL "  # noqa: S608 - numbers alone
        "ORDER BY p0.example_id",
        list(run_ids),
    ).df()


def score(rows: pd.DataFrame, language: str | None, metric: str = "accuracy") -> PairedAnswers:
    """Decide who is right on each example.

    Args:
        rows: Of ``read``.
        language: Of text answers: right is what equals a gold answer by its official rules. None for labels.
        metric: Of the task.

    Returns:
        Every example of ``rows``. Of text answers those without a gold answer, or with another one in another run, are
        left out, and all of a language without rules.
    """
    runs = range(sum(name.startswith("answer_") for name in rows.columns))
    rules = qa_scoring.RULES.get(language or "")
    if language is not None and rules is None:
        rows = rows.iloc[:0]
    withheld, f1 = False, None
    if rules is None or rows.empty:
        golds = rows["gold_0"]
        answers = rows[[f"answer_{i}" for i in runs]].set_axis(runs, axis=1)
        right = [(answers[i] == golds).fillna(False).astype(bool) for i in runs]
    else:
        stand_ins = [bool(rows[f"gold_{i}"].map(qa_scoring.is_stand_in).any()) for i in runs]
        withheld = any(stand_ins)
        hide = [withheld and not stand_in for stand_in in stand_ins]
        packed = pd.DataFrame({i: _golds(rows[f"gold_{i}"], rules, hide=hide[i]) for i in runs})
        comparable = packed.notna().all(axis=1) & packed.eq(packed[0], axis=0).all(axis=1)
        rows, golds = rows[comparable], packed.loc[comparable, 0]
        answers = pd.DataFrame({i: rows[f"answer_{i}"] for i in runs})
        stored = rows[[f"f1_{i}" for i in runs]].to_numpy(dtype=np.float64, copy=True)
        for i in runs:
            if hide[i]:
                stored[:, i] = _scores(answers[i], rows[f"gold_{i}"], rules, overlap=True)[1]
                answers[i] = answers[i].fillna("").map(lambda answer: qa_scoring.withheld(rules, answer))
        from_store = withheld and not np.isnan(stored).any()
        scored = [_scores(answers[i], golds, rules, overlap=not withheld) for i in runs]
        right = [matches for matches, _ in scored]
        f1 = np.column_stack([overlaps for _, overlaps in scored]) if not withheld else stored if from_store else None
    return PairedAnswers(
        rows["example_id"].to_numpy(dtype=object),
        golds.to_numpy(dtype=object),
        answers.astype("category").reset_index(drop=True),
        rows[[f"confidence_{i}" for i in runs]].to_numpy(dtype=np.float32),
        np.column_stack(right).reshape(-1, len(runs)),
        f1,
        withheld,
        _numbers(rows, runs, metric) if metric in correlation.SCORES else None,
    )


def _numbers(rows: pd.DataFrame, runs: Sequence[int], metric: str) -> Numbers:
    columns = [correlation.as_numbers(rows[f"answer_{i}"].fillna("")) for i in runs]
    return Numbers(metric, correlation.as_numbers(rows["gold_0"]), np.column_stack(columns))


def _golds(column: pd.Series, rules: Rules, *, hide: bool) -> pd.Series:
    """Packed gold answers, or their stand-ins; missing where there are none."""
    shown: dict[str, str | None] = {}
    for packed in column.dropna().unique():
        try:
            golds = qa_scoring.unpack(packed)
        except ValueError:
            golds = []
        if golds:
            shown[packed] = qa_scoring.pack(qa_scoring.withheld(rules, gold) for gold in golds) if hide else packed
    return column.map(shown)


def _scores(
    answers: pd.Series, golds: pd.Series, rules: Rules, *, overlap: bool
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether each answer is exactly right, and its F1 (zeros without ``overlap``)."""
    right = np.zeros(len(answers), dtype=bool)
    overlaps = np.zeros(len(answers))
    unpacked = {packed: qa_scoring.unpack(packed) for packed in golds.unique()}
    for index, (answer, packed) in enumerate(zip(answers.fillna(""), golds, strict=True)):
        right[index] = any(rules.exact(answer, gold) for gold in unpacked[packed])
        if overlap:
            # Equal answers overlap wholly, unless nothing of them is left to compare.
            equal = right[index] and rules.normal(answer) != ""
            overlaps[index] = 1.0 if equal else max(rules.overlap(answer, gold) for gold in unpacked[packed])
    return right, overlaps
