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


def examples(con: duckdb.DuckDBPyConnection, first: str, second: str, language: str | None) -> pd.DataFrame:
    """The common examples of two runs, and who is right on each; a missing answer is a wrong one.

    Args:
        con: An open connection.
        first: A whole run id.
        second: Another.
        language: Of answers that are texts: right is what equals a gold answer by its official rules. None: labels.

    Returns:
        One row an example, by id: ``example_id, gold, first, second, first_right, second_right``. Of answers that are
        texts those are left out whose gold is none, and all of a language without rules.
    """
    rows = con.execute(
        """
        SELECT x.example_id, x.gold, x.predicted AS first, y.predicted AS second
        FROM predictions x JOIN predictions y ON y.example_id = x.example_id AND y.gold = x.gold
        WHERE x.run_id = ? AND y.run_id = ? ORDER BY x.example_id
        """,
        [first, second],
    ).df()
    rules = answers.RULES.get(language or "")
    for said in ("first", "second"):
        if language is None:
            rows[f"{said}_right"] = (rows[said] == rows["gold"]).fillna(False).astype(bool)
        else:
            given = zip(rows[said].fillna(""), rows["gold"], strict=True)
            rows[f"{said}_right"] = [answers.exactly(rules, one, gold) if rules else None for one, gold in given]
    return rows[rows[["first_right", "second_right"]].notna().all(axis=1)].reset_index(drop=True)


def exact(con: duckdb.DuckDBPyConnection, first: str, second: str, language: str) -> Counts:
    """What ``counted`` counts, of two runs whose answers are texts; see ``examples``."""
    found = examples(con, first, second, language)
    one, other = (found[f"{said}_right"].astype(bool) for said in ("first", "second"))
    return Counts(len(found), int((one & other).sum()), int((one & ~other).sum()), int((other & ~one).sum()))
