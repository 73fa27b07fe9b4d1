"""Two runs on the same examples: who answers what right."""

from collections.abc import Sequence

import duckdb
import pandas as pd


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
