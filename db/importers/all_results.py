"""``all_results.json`` of the Hugging Face example scripts: figures of one run, flat."""

from typing import Any

from db.importers import draft as found
from db.importers import figures, safe_json, values
from db.importers.draft import Found

_MARKS = (
    "train_runtime",
    "train_samples_per_second",
    "total_flos",
    "eval_samples_per_second",
    "eval_runtime",
    "predict_runtime",
    "test_runtime",
    "eval_loss",
    "train_loss",
)
_FACTS = {"epoch": "epochs", "total_flos": "total_flos"}


_USED = (*_FACTS, "train_runtime")


def takes(data: Any) -> bool:
    """Whether a JSON value is one: a flat object with figures under the trainer's names."""
    return isinstance(data, dict) and any(values.number(data.get(mark)) is not None for mark in _MARKS)


def read(name: str, data: dict[str, Any]) -> Found:
    """The run of such a file; it names neither task nor model.

    Raises:
        SubmissionError: There is no figure in it.
    """
    metrics, unknown = figures.collect((key, value) for key, value in data.items() if key not in _USED)
    training = {told: data[key] for key, told in _FACTS.items() if values.number(data.get(key)) is not None}
    seconds = values.number(data.get("train_runtime"))
    unknown += [key for key in _USED if key in data and values.number(data[key]) is None]
    if not metrics:
        raise safe_json.refuse(
            name, "", "no figure that is known here, such as eval_accuracy or eval_f1; add it to the file."
        )
    metrics, notes = figures.taken(metrics)
    draft: dict[str, object] = {"metrics": metrics}
    if training:
        draft["training"] = training
    if seconds is not None:
        draft["train_seconds"] = seconds
    notes.append("The file names neither task nor model; both must be chosen or typed.")
    return Found("all_results", (draft,), unknown=found.listed(unknown), notes=tuple(notes))
