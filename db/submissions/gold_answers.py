"""The gold labels of a task's split: from the data sets of this installation, else from a verified run."""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from db.base.errors import FeatherboardError
from db.base.problems import Code, Message
from db.registry.tasks import Task
from db.runs import examples, gold_labels
from db.runs.examples import ExamplesError
from db.statistics import qa_scoring
from db.storage.store import Store


class GoldLabelsError(FeatherboardError):
    """The gold labels of a split are not available; the message lists what was tried."""

    def __init__(self, message: Message) -> None:
        """Keep the code beside the sentence."""
        super().__init__(str(message))
        self.message = message


@dataclass(frozen=True)
class GoldLabels:
    """The gold labels of a whole split.

    Attributes:
        answers: By example id: the label, or the packed answers, as the predictions table stores them.
        source: Where they come from.
        run_id: The run whose predictions hold them; None where they come from a file.
    """

    answers: Mapping[str, str]
    source: Message
    run_id: str | None = None


def load(store: Store, task: Task) -> GoldLabels:
    """Read the gold labels of a task's whole split; the database is searched where no file has them.

    Raises:
        GoldLabelsError: They are not available.
    """
    if task.split_size is None:
        raise GoldLabelsError(Message(Code.NO_SPLIT, {"task": task.task_id}))
    file = gold_labels.file_of(task)
    params: dict[str, object] = {"task": task.task_id, "dataset": task.dataset, "split": task.split}
    missing = Message(Code.NO_GOLD_FILE, params | {"variable": examples.VARIABLE})
    if file is not None:
        params |= {"file": file.name}
        try:
            labels = gold_labels.of_file(task, file)
        except ExamplesError as error:
            missing = Message(Code.GOLD_FILE_UNREADABLE, params | {"error": str(error)})
        else:
            expected = task.gold_digest
            if len(labels) == task.split_size and expected in {None, gold_labels.digest(task, labels)}:
                return GoldLabels(labels, Message(Code.GOLD_SHIPPED if task.mini else Code.GOLD_FILE, params))
            sizes = {"count": len(labels), "size": task.split_size}
            code = Code.GOLD_FILE_DIFFERS if len(labels) == task.split_size else Code.GOLD_FILE_PARTIAL
            missing = Message(code, params | sizes)
    with store.read() as con:
        of_run = _of_run(con, task)
    if of_run is None:
        raise GoldLabelsError(missing)
    return of_run


def _of_run(con: duckdb.DuckDBPyConnection, task: Task) -> GoldLabels | None:
    """Read them from the newest verified run that has them for every example, with their texts.

    Its badge means that they are those of the data; any other run may hold invented ones.
    """
    runs = con.execute(
        """
        SELECT r.run_id FROM runs r JOIN predictions p USING (run_id)
        WHERE r.task_id IN (SELECT unnest($tasks)) AND r.task_version = $version AND r.split = $split
          AND r.verified AND r.status = 'finished'
          AND NOT EXISTS (SELECT 1 FROM withdrawals w WHERE w.run_id = r.run_id)
        GROUP BY r.run_id, r.created_at
        HAVING count(*) = $size AND count(DISTINCT p.example_id) = $size AND count(p.gold) = $size
        ORDER BY r.created_at DESC, r.run_id
        """,
        {"tasks": gold_labels.sharing(task), "version": task.version, "split": task.split, "size": task.split_size},
    ).fetchall()
    for (run_id,) in runs:
        rows = con.execute("SELECT example_id, gold FROM predictions WHERE run_id = ?", [run_id]).df()
        if gold_labels.are_those(task, rows) and (task.labels or task.regression or _has_texts(rows["gold"].iloc[0])):
            labels = dict(zip(rows["example_id"], rows["gold"], strict=True))
            return GoldLabels(labels, Message(Code.GOLD_RUN, {"run": run_id[:12]}), run_id)
    return None


def _has_texts(packed: str) -> bool:
    try:
        answers = qa_scoring.unpack(packed)
    except ValueError:
        return False
    return bool(answers) and not any(qa_scoring.is_withheld(answer) for answer in answers)
