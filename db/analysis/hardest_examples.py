"""The examples that a run gets wrong although it is sure: where reading pays most."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from db.runs.detail import resolve
from db.statistics import qa_scoring
from db.storage.store import Store

_TEXTS = ("f1", "em")
"""Metrics of boards on which answers are texts."""

_AT_ONCE = 2000


@dataclass(frozen=True)
class Hardest:
    """The wrong answers of a run, the most confident first.

    Attributes:
        examples: Columns ``example_id, gold, predicted, score``; ``score`` is the probability that the run gave its
            answer, ``gold`` as the predictions table keeps it.
        texts: Answers are texts, and right is what equals a gold answer by the official rules of the language.
        withheld: Something stands for the answers in place of their text.
    """

    examples: pd.DataFrame
    texts: bool
    withheld: bool


def of_run(store: Store, run_id: str, limit: int = 20) -> Hardest:
    """The wrong answers of a run, the most confident first; of equally confident ones by the example's id.

    Answers without a probability are left out: nothing says how sure the run was.

    Args:
        store: The database.
        run_id: A run's id, or its beginning.
        limit: Rows at most.

    Raises:
        NotFoundError: There is no such run.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        asked = con.execute(
            "SELECT t.metric, t.language FROM runs r LEFT JOIN tasks t ON t.task_id = r.task_id AND "
            "t.version = r.task_version WHERE r.run_id = ?",
            [full],
        ).fetchone()
        metric, language = asked or (None, None)
        if metric not in _TEXTS:
            rows = con.execute(
                "SELECT example_id, gold, predicted, score FROM predictions WHERE run_id = ? AND score IS NOT NULL "
                "AND gold IS NOT NULL AND gold IS DISTINCT FROM predicted ORDER BY score DESC, example_id LIMIT ?",
                [full, limit],
            ).df()
            return Hardest(rows, texts=False, withheld=False)
        rows = _wrong_texts(con, full, qa_scoring.RULES.get(str(language)), limit)
    withheld = any(qa_scoring.is_withheld(said) for said in rows["predicted"].fillna(""))
    return Hardest(rows, texts=True, withheld=withheld)


def _wrong_texts(con: Any, run_id: str, rules: qa_scoring.Rules | None, limit: int) -> pd.DataFrame:
    """Whether a text is right is no question for SQL: the rules are asked, from the most confident answer on."""
    result = con.execute(
        "SELECT example_id, gold, predicted, score FROM predictions WHERE run_id = ? AND score IS NOT NULL "
        "AND gold IS NOT NULL ORDER BY score DESC, example_id",
        [run_id],
    )
    names = ["example_id", "gold", "predicted", "score"]
    found: list[tuple[Any, ...]] = []
    for row in _rows(result) if rules else ():
        if qa_scoring.exactly(rules, row[2] or "", row[1]) is False:  # type: ignore[arg-type]
            found.append(row)
        if len(found) == limit:
            break
    return pd.DataFrame(found, columns=names)


def _rows(result: Any) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(_AT_ONCE):
        yield from rows
