"""Results of MTEB, one file for each model and task, in its older and its newer layout.

MTEB freezes a model and trains a small probe on its embeddings, so that ``ImdbClassification`` is another task than the
data set that it is made of.
"""

from typing import Any

from db.importers import metric_names, values
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted, shown

_COST = {"evaluation_time", "kg_co2_emissions"}


def takes(data: Any) -> bool:
    """Whether a JSON value is such a file."""
    facts = values.mapping(data)
    return "mteb_version" in facts and bool({"task_name", "mteb_dataset_name"} & facts.keys())


def read(name: str, data: dict[str, Any]) -> ImportedFile:
    """The claim of the test split.

    Raises:
        SubmissionError: It has no scores on a test split, or those of several subsets.
    """
    task = values.words(data.get("task_name"), 60) or values.words(data.get("mteb_dataset_name"), 60) or ""
    splits = values.mapping(data.get("scores")) or {key: part for key, part in data.items() if isinstance(part, dict)}
    if "test" not in splits:
        raise FileError(name, "", f"no scores on a test split; there are {', '.join(map(shown, splits)) or 'none'}.")
    subsets = splits["test"] if isinstance(splits["test"], list) else [splits["test"]]
    if len(subsets) != 1 or not isinstance(subsets[0], dict):
        present = ", ".join(shown(values.mapping(subset).get("hf_subset"), 40) for subset in subsets[:20])
        raise FileError(name, "test", f"scores of {len(subsets)} subsets ({present}); leave the one that is claimed.")
    scores = {key: score for key, score in subsets[0].items() if key not in _COST and values.number(score) is not None}
    main = scores.pop("main_score", None)
    metrics, unknown = metric_names.collect(scores.items())
    if not metrics:
        raise FileError(name, "test", f"no figure that is known here; there are {', '.join(map(shown, scores))}.")
    unknown += [f"split {split}" for split in splits if split != "test"]
    named = [key for key, score in scores.items() if score == main and metric_names.metric_of(key)]
    notes = [f"MTEB ranks this task by {quoted(named[0])}."] if main is not None and named else []
    notes.append(
        f"MTEB trains a probe on the model's embeddings: {quoted(task)} is another task than the data set. The file "
        "does not name the model."
    )
    draft: dict[str, object] = {"task": f"MTEB {task}"[:60], "metrics": metrics}
    return ImportedFile("benchmark", (draft,), unknown=listed(unknown), notes=tuple(notes))
