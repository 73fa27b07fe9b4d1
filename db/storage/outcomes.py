"""Which examples each run gets right, as bits beside its predictions: what paired tests of a whole board read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

_STORED = "predictions SEMI JOIN incoming USING (run_id)"

_PACKED = """
    SELECT run_id, md5(string_agg(concat(example_id, chr(31), gold), chr(30) ORDER BY example_id)), count(*),
           string_agg(CASE WHEN gold = predicted THEN '1' ELSE '0' END, '' ORDER BY example_id)::BIT::BLOB
    FROM {source} SEMI JOIN (
        SELECT run_id FROM {source} GROUP BY run_id
        HAVING count(gold) = count(*) AND NOT bool_or(starts_with(gold, '["') OR contains(gold, '.'))
    ) USING (run_id)
    GROUP BY run_id HAVING count(*) = count(DISTINCT example_id)
"""
"""As migration 0007 fills the table, for labels; other runs are left out first, for packing is what takes time.

A gold number has a point: it is not hit exactly, so there is no right or wrong to pack.
"""

_ANSWERS = """
    SELECT run_id, 'answers ' || md5(string_agg(example_id, chr(30) ORDER BY example_id)), count(*),
           string_agg(CASE WHEN em > 0 THEN '1' ELSE '0' END, '' ORDER BY example_id)::BIT::BLOB,
           list(f1 ORDER BY example_id)
    FROM {source} SEMI JOIN (
        SELECT run_id FROM {source} GROUP BY run_id
        HAVING count(f1) = count(*) AND count(em) = count(*) AND bool_and(starts_with(gold, '["'))
    ) USING (run_id)
    GROUP BY run_id HAVING count(*) = count(DISTINCT example_id)
"""
"""Answers cut from texts; the rules that score them are not SQL's, so their scores must be stored with them."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Runs on the same examples.

    Attributes:
        runs: Positions in the ids that were asked for, shape (runs,).
        n: Number of examples.
        both: Sum over the examples of the product of two runs' scores, shape (runs, runs): of labels the examples that
            both get right, and on the diagonal those that one gets right.
        totals: Sum of the scores of each run, shape (runs,); None for labels, whose diagonal it is.
    """

    runs: NDArray[np.intp]
    n: int
    both: NDArray[np.float64]
    totals: NDArray[np.float64] | None = None

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of two runs' scores over the examples, shape (runs, runs)."""
        share = (self.both.diagonal() if self.totals is None else self.totals) / self.n
        covariance: NDArray[np.float64] = (self.both / self.n - np.outer(share, share)) * self.n / max(1, self.n - 1)
        return covariance


def refresh(con: duckdb.DuckDBPyConnection, *, answers: bool = True) -> None:
    """Pack the predictions of the runs in the view ``incoming`` again, inside the caller's transaction.

    Args:
        con: An open connection.
        answers: Some of them may be answers with stored scores.
    """
    con.execute("DELETE FROM outcomes WHERE run_id IN (SELECT run_id FROM incoming)")
    con.execute(f"INSERT INTO outcomes (run_id, examples, n, correct) {_PACKED.format(source=_STORED)}")
    if answers:
        con.execute(f"INSERT INTO outcomes (run_id, examples, n, correct, f1) {_ANSWERS.format(source=_STORED)}")


def unlike_predictions(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the runs whose outcomes are not those of their predictions."""
    computed = (
        f"SELECT *, NULL::FLOAT[] FROM ({_PACKED.format(source='predictions')}) "  # noqa: S608 - our own queries
        f"UNION ALL {_ANSWERS.format(source='predictions')}"
    ).replace("SEMI JOIN incoming USING (run_id)", "")
    differing = f"(({computed}) EXCEPT (FROM outcomes)) UNION ((FROM outcomes) EXCEPT ({computed}))"
    return [row[0] for row in con.execute(f"SELECT DISTINCT run_id FROM ({differing}) ORDER BY ALL").fetchall()]  # noqa: S608


def read(
    con: duckdb.DuckDBPyConnection, run_ids: Sequence[str] | pa.Array, unstored: pd.DataFrame | None = None
) -> list[Outcomes]:
    """Count for every two runs on the same examples how many both get right; one result for each set of examples.

    Args:
        con: An open connection.
        run_ids: The runs.
        unstored: Predictions of runs that are not in the database, columns ``run_id, example_id, gold, predicted, f1,
            em``.
    """
    listed = pa.array(run_ids, pa.string())
    table = "outcomes"
    if unstored is not None:
        con.register("unstored", pa.Table.from_pandas(unstored, preserve_index=False))
        labels, answers = (query.format(source="unstored") for query in (_PACKED, _ANSWERS))
        stored = "SELECT run_id, examples, n, correct, f1 FROM outcomes"
        table = f"({stored} UNION ALL SELECT *, NULL FROM ({labels}) UNION ALL {answers})"  # noqa: S608 - our own queries
    con.register("listed", pa.table({"run_id": listed, "position": np.arange(len(listed))}))
    rows = con.execute(
        "SELECT n, list(position ORDER BY position), list(correct ORDER BY position) FILTER (f1 IS NULL) "  # noqa: S608
        f"FROM {table} JOIN listed USING (run_id) GROUP BY examples, n ORDER BY min(position)"
    ).fetchall()
    sets = [
        Outcomes(np.array(runs, dtype=np.intp), n, _both(correct)) if correct else _of_answers(con, table, runs, n)
        for n, runs, correct in rows
    ]
    con.unregister("listed")
    con.unregister("unstored")
    return sets


def _of_answers(con: duckdb.DuckDBPyConnection, table: str, positions: list[int], n: int) -> Outcomes:
    """Outcomes of text answers, of runs at some positions of the view ``listed``."""
    scores = con.execute(
        f"SELECT unnest(f1) AS f1 FROM (SELECT f1 FROM {table} JOIN listed USING (run_id) "  # noqa: S608
        "WHERE position IN (SELECT unnest(?)) ORDER BY position)",
        [positions],
    ).fetchnumpy()["f1"]
    matrix = np.asarray(scores, dtype=np.float64).reshape(len(positions), n)
    return Outcomes(np.array(positions, dtype=np.intp), n, matrix @ matrix.T, matrix.sum(axis=1))


def _both(packed: list[bytes]) -> NDArray[np.float64]:
    width = -(-len(packed[0]) // 8) * 8
    words = np.frombuffer(b"".join(bits.rjust(width, b"\0") for bits in packed), dtype=np.uint64)
    words = words.reshape(len(packed), -1)
    return np.array([np.bitwise_count(words & run).sum(axis=1) for run in words], dtype=np.float64)
