"""The hardest examples of a run: those that it gets wrong with the highest confidence."""

from dataclasses import dataclass

import pandas as pd

from db.runs.detail import resolve
from db.statistics import qa_scoring
from db.storage.store import Store

_BATCH = 2000


@dataclass(frozen=True)
class Hardest:
    """The wrong answers of a run, the most confident first.

    Attributes:
        examples: Columns ``example_id, gold, predicted, score``; ``score`` is the probability that the run gave its
            answer, ``gold`` as the predictions table keeps it.
        texts: Answers are texts, right where they equal a gold answer by the official rules of the language.
        withheld: Stand-ins replace the texts of the answers.
    """

    examples: pd.DataFrame
    texts: bool
    withheld: bool


def of_run(store: Store, run_id: str, limit: int = 20) -> Hardest:
    """List the wrong answers of a run, the most confident first, then by the example's id.

    Answers without a probability are left out.

    Raises:
        NotFoundError: There is no such run.
    """
    with store.read() as con:
        full = resolve(con, run_id)
        metric, language = con.execute(
            "SELECT t.metric, t.language FROM runs r LEFT JOIN tasks t ON t.task_id = r.task_id AND "
            "t.version = r.task_version WHERE r.run_id = ?",
            [full],
        ).fetchone() or (None, None)
        texts = metric in {"f1", "em"}
        # Whether a text is right cannot be decided in SQL: the rules decide, from the most confident answer on.
        wrong, limited = ("", "") if texts else ("AND gold IS DISTINCT FROM predicted", f"LIMIT {limit:d}")
        result = con.execute(
            "SELECT example_id, gold, predicted, score FROM predictions WHERE run_id = ? "  # noqa: S608 - constants and a number
            f"AND score IS NOT NULL AND gold IS NOT NULL {wrong} ORDER BY score DESC, example_id {limited}",
            [full],
        )
        if not texts:
            return Hardest(result.df(), texts=False, withheld=False)
        rules = qa_scoring.RULES.get(str(language))
        rows: list[tuple[str, str, str | None, float]] = []
        while rules and len(rows) < limit and (batch := result.fetchmany(_BATCH)):
            rows += [row for row in batch if qa_scoring.exactly(rules, row[2] or "", row[1]) is False]
    examples = pd.DataFrame(rows[:limit], columns=["example_id", "gold", "predicted", "score"])
    withheld = any(qa_scoring.is_withheld(answer) for answer in examples["predicted"].fillna(""))
    return Hardest(examples, texts=True, withheld=withheld)
