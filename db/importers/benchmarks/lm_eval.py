"""Results of lm-evaluation-harness, and the samples that it logs: one claim for each task that has a board here."""

import re
from typing import Any

from db.importers import metric_names, values
from db.importers.formats.trainer import EVALUATED
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted, shown
from db.importers.tables import Table
from db.registry import tasks

_TASKS = {
    "mnli": ("mnli", ""),
    "mnli_matched": ("mnli", ""),
    "mnli_mismatch": ("mnli", "accuracy_mismatched"),
    "mnli_mismatched": ("mnli", "accuracy_mismatched"),
}
"""Tasks of theirs by ours; where their accuracy is another of our figures, which one."""
_USED = {"results", "config", "n-shot", "n-samples", "model_name"}
_SAMPLES = {"doc_id", "target", "resps", "filtered_resps"}
PART_OF_SPLIT = "part of the split"
"""The fact of a claim that says which part was scored."""

_TASK_OF_FILE = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT[\d.:-]+)?\.jsonl?")


def _task(theirs: str) -> tuple[str, str]:
    """Our task, and the metric that their accuracy is where that is another one; SQuAD 2 is another task."""
    name = theirs.strip().lower()
    known = tasks.by_name(name)
    return _TASKS.get(name) or (known.task_id if known else "", "")


def takes(data: Any) -> bool:
    """Whether a JSON value is such a file."""
    results = values.mapping(data).get("results")
    if (
        not isinstance(results, dict)
        or not results
        or not all(isinstance(figures, dict) for figures in results.values())
    ):
        return False
    return bool({"versions", "configs", "config", "n-shot", "git_hash"} & data.keys()) or any(
        "," in key for figures in results.values() for key in figures
    )


def read(name: str, data: dict[str, Any]) -> ImportedFile:
    """The claims of such a file.

    Raises:
        SubmissionError: None of its tasks has a board here.
    """
    about, notes = _about(data)
    drafts: dict[str, dict[str, Any]] = {}
    base = about.pop("training", {})
    unknown = [key for key in data if key not in _USED]
    for theirs, figured in data["results"].items():
        task, instead = _task(theirs)
        if not task:
            unknown.append(theirs)
            continue
        metrics, errors, left = _figures(figured, instead)
        unknown += [f"{theirs}: {key}" for key in left]
        draft = drafts.setdefault(task, {"task": task, **about, "metrics": {}, "training": {**base}})
        draft["metrics"].update(metrics)
        draft["training"].update(errors)
        notes += _seen(data, theirs, draft["training"])
    scored = [draft for draft in drafts.values() if draft["metrics"]]
    if not scored:
        present = ", ".join(shown(task, 40) for task in list(data["results"])[:8])
        raise FileError(name, "results", f"no figure of a task that has a board here; there are {present}.")
    for draft in scored:
        draft["metrics"], messages = metric_names.taken(draft["metrics"], draft["task"])
        notes += messages
        if not draft["training"]:
            del draft["training"]
    return ImportedFile("lm_eval", tuple(scored), unknown=listed(unknown), notes=tuple(notes))


def _about(data: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    config = values.mapping(data.get("config"))
    arguments = config.get("model_args")
    if isinstance(arguments, str):
        parts = (part.partition("=") for part in arguments[:2000].split(","))
        arguments = {key.strip(): value.strip() for key, _, value in parts}
    arguments = values.mapping(arguments)
    base = values.words(arguments.get("pretrained"), 120) or values.words(arguments.get("model"), 120)
    adapter = values.words(arguments.get("peft"), 120)
    model = adapter or values.words(data.get("model_name"), 120) or base
    about: dict[str, Any] = {"model": model} if model else {}
    notes = [] if model else ["The file does not name the model; it must be typed."]
    if adapter and base:
        about["training"] = {"base model": base}
        notes.append(f"The model is the adapter {quoted(adapter)}, not its base {quoted(base)}.")
    counted = values.whole(config.get("model_num_parameters"), least=1)
    if counted:
        about.update(params=counted, params_source="typed")
    device = values.words(config.get("device"), 120)
    if device:
        about["device"] = device
    return about, notes


def _figures(figured: dict[str, Any], instead: str) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Figures, their standard errors, and keys that were not used; of several filters "none" comes first."""
    metrics: dict[str, Any] = {}
    errors: dict[str, Any] = {}
    unknown = []
    names = sorted(figured, key=lambda key: key.partition(",")[2] not in ("", "none"))
    for key in names:
        plain, _, filtered = key.partition(",")
        stderr = plain.endswith("_stderr")
        metric = metric_names.metric_of(plain.removesuffix("_stderr"))
        metric = instead if instead and metric == "accuracy" else metric
        value = values.number(figured[key])
        if key in ("alias", "name", "sample_len"):
            continue
        if metric is None or value is None or (metric in metrics and not stderr):
            unknown.append(key)
        elif stderr:
            errors.setdefault(f"{metric} standard error", value)
        else:
            metrics[metric] = value
            if filtered not in ("", "none"):
                errors["filter"] = filtered[:60]
    return metrics, errors, unknown


def _seen(data: dict[str, Any], theirs: str, training: dict[str, Any]) -> list[str]:
    """Put the examples in the prompt among the facts, and report where a part of the split was scored."""
    config = values.mapping(data.get("config"))
    shots = values.whole(values.mapping(data.get("n-shot")).get(theirs, config.get("num_fewshot")))
    if shots is not None:
        training["examples in the prompt"] = shots
    samples = values.mapping(values.mapping(data.get("n-samples")).get(theirs))
    original, effective = values.whole(samples.get("original")), values.whole(samples.get("effective"))
    limit = values.number(config.get("limit"))
    if original is not None and effective is not None and effective < original:
        scored = f"{effective:,} of {original:,} examples"
        training[EVALUATED] = effective
    elif limit is not None and (original is None or effective is None):
        scored = f"at most {limit:g} examples" if limit >= 1 else f"a share of {limit:g} of its examples"
    else:
        return []
    training[PART_OF_SPLIT] = scored
    return [f"{quoted(theirs)} was scored on {scored}: not a whole split."]


def takes_samples(columns: tuple[str, ...], unread: tuple[str, ...]) -> bool:
    """Whether a table is of samples that the harness logged."""
    return {*columns, *unread} >= _SAMPLES


def read_samples(table: Table) -> ImportedFile:
    """The mean of each figure over the logged samples.

    Raises:
        SubmissionError: No sample has a figure that is known here.
    """
    unfiltered = _rows_of_first_filter(table)
    match = _TASK_OF_FILE.fullmatch(table.name)
    task, instead = _task(match[1]) if match else ("", "")
    metrics: dict[str, Any] = {}
    unknown = [*table.unread]
    for column in table.columns:
        metric = metric_names.metric_of(column)
        metric = instead if instead and metric == "accuracy" else metric
        cells = [values.number(table.column(column)[row]) for row in unfiltered]
        numbers = [cell for cell in cells if cell is not None]
        if metric and len(numbers) == len(unfiltered):
            metrics[metric] = sum(numbers) / len(numbers)
        elif column not in {*_SAMPLES, "filter"}:
            unknown.append(column)
    if not metrics:
        raise FileError(table.name, "", "no sample has a figure that is known here, such as acc or exact_match.")
    metrics, notes = metric_names.taken(metrics, task)
    draft: dict[str, Any] = {"metrics": metrics, "training": {EVALUATED: len(unfiltered)}}
    if task:
        draft["task"] = task
    notes.append(f"The figures are means over {len(unfiltered):,} logged samples.")
    notes.append(f"The samples do not name the model{'' if task else ' or the task'}; it must be typed.")
    return ImportedFile("lm_eval", (draft,), unknown=listed(unknown), notes=tuple(notes))


def _rows_of_first_filter(table: Table) -> list[int]:
    """Rows of one filter: each sample is logged once for each of them."""
    if "filter" not in table.columns:
        return list(range(len(table)))
    filters = table.column("filter")
    first = "none" if "none" in filters else filters[0]
    return [row for row, name in enumerate(filters) if name == first]
