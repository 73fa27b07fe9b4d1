"""Which examples each run gets right, as bits beside its predictions: what paired tests of a whole board read."""

from dataclasses import dataclass
from functools import cached_property

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_PACKED = """
    SELECT run_id, md5(string_agg(concat(example_id, chr(31), gold), chr(30) ORDER BY example_id)), count(*),
           string_agg(CASE WHEN gold = predicted THEN '1' ELSE '0' END, '' ORDER BY example_id)::BIT::BLOB
    FROM predictions SEMI JOIN incoming USING (run_id) GROUP BY run_id
    HAVING count(gold) = count(*) AND NOT bool_or(starts_with(gold, '["')) AND count(*) = count(DISTINCT example_id)
"""
"""As migration 0007 fills the table. Answers cut from texts are scored by rules that SQL does not have: no rows."""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Runs on the same examples.

    Attributes:
        runs: Positions in the ids that were asked for, shape (runs,).
        n: Number of examples.
        both: Examples that the row's run and the column's both get right, shape (runs, runs); the diagonal counts those
            that one gets right.
    """

    runs: NDArray[np.intp]
    n: int
    both: NDArray[np.float64]

    @cached_property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of being right over the examples, shape (runs, runs)."""
        share = self.both.diagonal() / self.n
        covariance: NDArray[np.float64] = (self.both / self.n - np.outer(share, share)) * self.n / max(1, self.n - 1)
        return covariance


def refresh(con: duckdb.DuckDBPyConnection) -> None:
    """Pack the predictions of the runs in the view ``incoming`` again, inside the caller's transaction."""
    con.execute("DELETE FROM outcomes WHERE run_id IN (SELECT run_id FROM incoming)")
    con.execute(f"INSERT INTO outcomes {_PACKED}")


def read(con: duckdb.DuckDBPyConnection, run_ids: pa.Array) -> list[Outcomes]:
    """Count for every two runs on the same examples how many both get right; one result for each set of examples."""
    con.register("listed", pa.table({"run_id": run_ids, "position": np.arange(len(run_ids))}))
    rows = con.execute(
        "SELECT examples, n, list(position ORDER BY position), list(correct ORDER BY position) "
        "FROM outcomes JOIN listed USING (run_id) GROUP BY ALL ORDER BY min(position)"
    ).fetchall()
    con.unregister("listed")
    return [Outcomes(np.array(runs, dtype=np.intp), n, _both(correct)) for _, n, runs, correct in rows]


def _both(packed: list[bytes]) -> NDArray[np.float64]:
    width = -(-len(packed[0]) // 8) * 8
    words = np.frombuffer(b"".join(bits.rjust(width, b"\0") for bits in packed), dtype=np.uint64)
    words = words.reshape(len(packed), -1)
    return np.array([np.bitwise_count(words & run).sum(axis=1) for run in words], dtype=np.float64)
