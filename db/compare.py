"""Two runs example by example: who answers what right."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from db import pairs, stats
from db.errors import NotFoundError
from db.queries import resolve
from db.store import Store

GROUPS = ("only_first", "only_second", "neither", "both")
"""What an example can be, the telling ones first."""

_FACTS = """
    SELECT r.run_id, r.name, r.seed, r.source, r.task_id, r.dataset_hash, r.split, t.metric, t.language,
           p.value AS score
    FROM runs r
    LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
    LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
"""


@dataclass(frozen=True)
class Compared:
    """Two runs on their common examples.

    Attributes:
        first: ``run_id, name, seed, source, task_id, dataset_hash, split, metric, language, score``.
        second: The same of the other.
        examples: ``example_id, gold, first, second, group`` by example; ``group`` is one of ``GROUPS``, ``gold`` as the
            predictions table keeps it.
    """

    first: dict[str, Any]
    second: dict[str, Any]
    examples: pd.DataFrame

    def count(self, group: str) -> int:
        """Examples of a group."""
        return int((self.examples["group"] == group).sum())

    @property
    def p(self) -> float:
        """Of the exact McNemar test."""
        return stats.mcnemar(self.count("only_first"), self.count("only_second"))

    @property
    def same_data(self) -> bool:
        """Both were trained and scored on the same data."""
        return all(self.first[fact] == self.second[fact] for fact in ("dataset_hash", "split"))

    @property
    def texts(self) -> bool:
        """Their answers are texts, and right is what equals a gold answer by the official rules."""
        return bool(self.first["metric"] == "f1")


def compare(store: Store, first: str, second: str) -> Compared:
    """Compare two runs on the examples that both answered; a missing answer is a wrong one.

    Args:
        store: The database.
        first: A run's id, or its beginning.
        second: Another's.

    Raises:
        NotFoundError: One of them does not exist, or they have no scored example of the same task in common.
    """
    with store.read() as con:
        ids = [resolve(con, run_id) for run_id in (first, second)]
        one, other = (
            con.execute(f"{_FACTS} WHERE r.run_id = ?", [run_id]).df().to_dict("records")[0] for run_id in ids
        )
        found = pairs.examples(con, ids[0], ids[1], str(one["language"]) if one["metric"] == "f1" else None)
    if found.empty or one["task_id"] != other["task_id"]:
        raise NotFoundError(f"{one['name']} and {other['name']} have no scored example of the same task in common.")
    names = {(True, False): GROUPS[0], (False, True): GROUPS[1], (False, False): GROUPS[2], (True, True): GROUPS[3]}
    groups = [names[pair] for pair in zip(found.pop("first_right"), found.pop("second_right"), strict=True)]
    return Compared(one, other, found.assign(group=groups))


def comparable(store: Store) -> pd.DataFrame:
    """Runs with predictions: ``run_id, name, seed, source, task_id, score``, the best of each task first."""
    return store.query(
        f"""
        {_FACTS}
        WHERE r.run_id IN (SELECT DISTINCT run_id FROM predictions)
        ORDER BY r.task_id, p.value DESC NULLS LAST, r.run_id
        """  # noqa: S608 - a constant of this module
    )[["run_id", "name", "seed", "source", "task_id", "score"]]
