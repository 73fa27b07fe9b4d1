"""``trainer_state.json`` of the Hugging Face trainer: its log becomes curves."""

from typing import Any

from db.importers import metric_names, values
from db.importers.benchmarks import splits
from db.importers.result import ImportedFile, curves_frame, listed
from db.importers.safe_json import FileError, quoted, shown

_POSITION = ("step", "epoch")
_SUMMED = ("train_loss", "train_runtime", "train_samples_per_second", "train_steps_per_second", "total_flos")
_TIMED = ("_runtime", "_samples_per_second", "_steps_per_second", "_jit_compilation_time")
_FACTS = {
    "num_train_epochs": "epochs",
    "max_steps": "max_steps",
    "train_batch_size": "batch_size",
    "total_flos": "total_flos",
}
_ENDLESS = 10**6
"""Epochs; a trainer that counts steps plans 2**63 - 1 of them."""
_USED = {*_FACTS, "log_history", "global_step", "epoch"}


def takes(data: Any) -> bool:
    """Whether a JSON value is one."""
    return isinstance(data, dict) and "log_history" in data


def read(name: str, data: dict[str, Any]) -> ImportedFile:
    """The curves of a training, and what is known of it as a whole.

    Raises:
        SubmissionError: The log is no list of objects, or holds no point.
    """
    history = data["log_history"]
    if not isinstance(history, list):
        raise FileError(name, "log_history", "it must be a list of objects, as the trainer writes it.")
    points: list[tuple[str, int, float, float]] = []
    whole: dict[str, Any] = {}
    unknown = [key for key in data if key not in _USED]
    stepless = lost = 0
    for number, entry in enumerate(history):
        if not isinstance(entry, dict):
            raise FileError(name, f"log_history[{number}]", "it must be an object, as the trainer writes it.")
        step, epoch = values.whole(entry.get("step")), values.number(entry.get("epoch"))
        whole.update((key, entry[key]) for key in _SUMMED if values.number(entry.get(key)) is not None)
        logged = [key for key in entry if key not in _POSITION and key not in _SUMMED and not key.endswith(_TIMED)]
        unknown += [key for key in entry if key.endswith(_TIMED) and key != "train_runtime"]
        lost += sum(entry[key] is None for key in logged)
        unknown += [key for key in logged if values.number(entry[key]) is None and entry[key] is not None]
        plotted = [(key[:120], entry[key]) for key in logged if values.number(entry[key]) is not None]
        if step is None:
            stepless += bool(plotted)
        else:
            points += [(key, step, float("nan") if epoch is None else epoch, float(value)) for key, value in plotted]
    curves, notes = curves_frame(points)
    if curves is None:
        raise FileError(name, "log_history", "no point with a step and a figure; the training logged nothing.")
    if stepless:
        notes.append(
            f"{stepless:,} of {len(history):,} entries of the log have no step and were left out of the curves."
        )
    if lost:
        notes.append(f"{lost:,} value(s) of the log are NaN or infinite and were left out.")
    notes += _last(points)
    return ImportedFile("trainer_state", (_draft(data, whole),), None, curves, None, listed(unknown), tuple(notes))


def _draft(data: dict[str, Any], whole: dict[str, Any]) -> dict[str, object]:
    draft: dict[str, object] = {}
    training = {fact: data[key] for key, fact in _FACTS.items() if (values.number(data.get(key)) or 0) > 0}
    planned, done = training.pop("epochs", None), values.number(data.get("epoch"))
    if done:
        training["epochs"] = done
    if planned is not None and planned < _ENDLESS and planned != done:
        training["epochs planned"] = planned
    if training:
        draft["training"] = training
    if "train_runtime" in whole:
        draft["train_seconds"] = whole["train_runtime"]
    if "train_loss" in whole:
        draft["metrics"] = {"train_loss": whole["train_loss"]}
    return draft


def _last(points: list[tuple[str, int, float, float]]) -> list[str]:
    """What the last evaluation said: no claim, for which checkpoint was kept is not in the file."""
    evaluated = {series: (step, value) for series, step, _, value in points if series.startswith("eval_")}
    if not evaluated:
        return []
    figures = ", ".join(
        f"{shown(series, 40)} {value:g} at step {step:,}" for series, (step, value) in list(evaluated.items())[:6]
    )
    return [f"The last evaluation had {figures}; a claim needs the figure of the checkpoint that was kept."]


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
_MOST_KEYS = 100
_SAMPLES = ("predict_samples", "test_samples", "eval_samples", "total")
EVALUATED = "examples evaluated"
"""A fact of a claim: how many examples its figures are of."""
_RESULT_FACTS = {"epoch": "epochs", "total_flos": "total_flos"}


_RESULT_USED = (*_RESULT_FACTS, "train_runtime")


def takes_results(data: Any) -> bool:
    """Whether a JSON value is one: an object with numbers under the trainer's names, or a metric of its own."""
    if not isinstance(data, dict):
        return False
    named = len(data) <= _MOST_KEYS and any(
        metric_names.is_figure(values.plain(data[key])) and metric_names.metric_of(str(key)) for key in data
    )
    named = named and not {"task", "model", "model_name"} & data.keys()
    return named or any(values.number(data.get(mark)) is not None for mark in _MARKS)


def read_results(name: str, data: dict[str, Any]) -> ImportedFile:
    """The run of such a file; it names neither task nor model.

    Raises:
        SubmissionError: There is no figure in it, or it is of the training split.
    """
    split = splits.of_object(data)
    if splits.is_training(split):
        raise FileError(name, "", f"the figures are of the split {quoted(str(split))}, which no board ranks.")
    metrics, unknown = metric_names.collect(
        (key, value) for key, value in data.items() if key not in (*_RESULT_USED, *_SAMPLES)
    )
    training = {fact: data[key] for key, fact in _RESULT_FACTS.items() if values.number(data.get(key)) is not None}
    seconds = values.number(data.get("train_runtime"))
    unknown += [key for key in _RESULT_USED if key in data and values.number(data[key]) is None]
    if not metrics:
        raise FileError(name, "", "no figure that is known here, such as eval_accuracy or eval_f1; add it to the file.")
    metrics, notes = metric_names.taken(metrics)
    samples = next((count for key in _SAMPLES if (count := values.whole(data.get(key), least=1))), None)
    if samples is not None:
        training[EVALUATED] = samples
        notes.append(f"The figures are of {samples:,} examples; a board ranks those of its whole split.")
    notes += metric_names.validation_note(data, metrics)
    if splits.is_validation(split):
        notes.append("The figures are of a validation split; a board ranks the split that it names.")
    draft: dict[str, object] = {"metrics": metrics}
    if training:
        draft["training"] = training
    if seconds is not None:
        draft["train_seconds"] = seconds
    notes.append("The file names neither task nor model; both must be chosen or typed.")
    return ImportedFile("all_results", (draft,), unknown=listed(unknown), notes=tuple(notes))
