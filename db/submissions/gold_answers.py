"""The right answers of a task's split: from the data that this installation has, else from a measured run."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import duckdb

from db.base.errors import FeatherboardError
from db.registry.tasks import Task
from db.runs import examples
from db.runs.examples import ExamplesError
from db.statistics import qa_scoring as answers
from db.storage.store import Store

_SAME_DATA = {"squad-deck": "squad"}
"""Tasks that ask for the answers of another one's split."""


class GoldsError(FeatherboardError):
    """The right answers of a split are not at hand; the message says what was looked at."""


@dataclass(frozen=True)
class Golds:
    """The right answers of a whole split.

    Attributes:
        answers: By example id: the label, or the packed answers, as the predictions table keeps them.
        source: Where they come from, as part of a sentence.
        run_id: The run whose predictions hold them; None where they come from a file.
    """

    answers: Mapping[str, str]
    source: str
    run_id: str | None = None


def find(store: Store, task: Task) -> Golds:
    """The right answers of a task's whole split.

    Args:
        store: The database, which is looked at where no file has them.
        task: Its current version.

    Raises:
        GoldsError: They are not here.
    """
    if task.split_size is None:
        raise GoldsError(f"{task.task_id} has no single split that could be scored again")
    file = examples.file_of(_SAME_DATA.get(task.task_id, task.task_id))
    told = f"there is no file of {task.dataset} in {examples.VARIABLE}"
    if file is not None:
        facts = file.stat()
        try:
            found = _of_file(task, file, facts.st_mtime_ns, facts.st_size)
        except ExamplesError as error:
            told = str(error)
        else:
            if len(found) == task.split_size:
                where = "the shipped corpus" if task.mini else file.name
                return Golds(found, f"{where} ({task.dataset}, {task.split})")
            told = f"{file.name} holds {len(found):,} of the {task.split_size:,} examples of {task.split}"
    with store.read() as con:
        of_run = _of_run(con, task)
    if of_run is None:
        raise GoldsError(f"{told}, and no measured run of {task.task_id} keeps the right answers")
    return of_run


@lru_cache(maxsize=4)
def _of_file(task: Task, file: Path, changed: int, size: int) -> dict[str, str]:
    """The last two say which state of the file was read."""
    read = examples.read(_SAME_DATA.get(task.task_id, task.task_id), file)
    labels = {str(number) for number in range(len(task.labels))}
    # Some pairs of MultiNLI have no label; they are no part of the split.
    return {name: one.gold for name, one in read.items() if one.gold is not None and (one.gold in labels or not labels)}


def _of_run(con: duckdb.DuckDBPyConnection, task: Task) -> Golds | None:
    """Of the newest measured run that keeps them for every example, texts and not what stands for them."""
    runs = con.execute(
        """
        SELECT r.run_id FROM runs r JOIN predictions p USING (run_id)
        WHERE r.task_id IN (SELECT unnest($tasks)) AND r.task_version = $version AND r.split = $split
          AND r.source = 'measured' AND r.status = 'finished'
          AND NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.run_id = r.run_id)
        GROUP BY r.run_id, r.created_at
        HAVING count(*) = $size AND count(DISTINCT p.example_id) = $size AND count(p.gold) = $size
        ORDER BY r.created_at DESC, r.run_id
        """,
        {
            "tasks": [task.task_id, _SAME_DATA.get(task.task_id, task.task_id)],
            "version": task.version,
            "split": task.split,
            "size": task.split_size,
        },
    ).fetchall()
    for (run_id,) in runs:
        rows = con.execute("SELECT example_id, gold FROM predictions WHERE run_id = ?", [run_id]).fetchall()
        if task.labels or _are_answers(rows[0][1]):
            return Golds(dict(rows), f"the predictions of run {run_id[:12]}", run_id)
    return None


def _are_answers(packed: str) -> bool:
    try:
        told = answers.unpack(packed)
    except ValueError:
        return False
    return bool(told) and not any(answers.is_withheld(one) for one in told)
