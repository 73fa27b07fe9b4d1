"""Tasks by the names that data sets have elsewhere."""

from db.importers.metric_names import normal
from db.registry import tasks

_NAMES = {
    "nsmc": "nsmc",
    "squad": "squad",
    "squad_v1": "squad",
    "squad_v1_1": "squad",
    "squad_1_1": "squad",
    "korquad": "korquad",
    "squad_kor_v1": "korquad",
    "korquad_v1": "korquad",
    "korquad_v1_0": "korquad",
    "korquad_1_0": "korquad",
    "multi_nli": "mnli",
    "mnli": "mnli",
    "multinli": "mnli",
    "glue_mnli": "mnli",
    "imdb": "imdb",
}


def task_of(name: str) -> str | None:
    """The task that a name means in any spelling (``NSMC``, ``KorQuAD 1.0``, ``nyu-mll/multi_nli``), or None."""
    key = normal(name[:100].rpartition("/")[2])
    own = {normal(task_id): task_id for task_id in tasks.task_ids()}
    return own.get(key) or _NAMES.get(key)
