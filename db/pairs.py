"""Two runs on the same examples: who answers what right."""

from collections.abc import Sequence
from typing import NamedTuple

import duckdb
import pandas as pd

from db import answers


class Counts(NamedTuple):
    """Common examples of two runs, those that both answer right, and those that only one does."""

    n: int
    both: int
    only_first: int
    only_second: int


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


def exact(con: duckdb.DuckDBPyConnection, first: str, second: str, language: str) -> Counts:
    """The same for two runs whose answers are texts: right is what equals a gold answer by the official rules.

    Args:
        con: An open connection.
        first: A whole run id.
        second: Another.
        language: Whose rules compare answers; one without rules has no example to compare.
    """
    rules = answers.RULES.get(language)
    if rules is None:
        return Counts(0, 0, 0, 0)
    rows = con.execute(
        """
        SELECT x.gold, coalesce(x.predicted, ''), coalesce(y.predicted, '')
        FROM predictions x
        JOIN predictions y ON y.example_id = x.example_id AND y.gold = x.gold
        WHERE x.run_id = ? AND y.run_id = ?
        """,
        [first, second],
    ).fetchall()
    verdicts = [[answers.exactly(rules, one, gold) for one in said] for gold, *said in rows]
    verdicts = [verdict for verdict in verdicts if None not in verdict]  # a label, and no answers
    both = sum(all(one) for one in verdicts)
    ahead, behind = (sum(bool(one[place]) for one in verdicts) - both for place in (0, 1))
    return Counts(len(verdicts), both, ahead, behind)
