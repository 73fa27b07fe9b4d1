"""Results of lm-evaluation-harness: one claim for each task that has a board here."""

from typing import Any

from db.importers import metric_names, values
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted, shown

_TASKS = {
    "mnli": ("mnli", ""),
    "mnli_matched": ("mnli", ""),
    "mnli_mismatch": ("mnli", "accuracy_mismatched"),
    "mnli_mismatched": ("mnli", "accuracy_mismatched"),
    "squad": ("squad", ""),
    "squad_v1": ("squad", ""),
    "korquad": ("korquad", ""),
    "korquad_v1": ("korquad", ""),
    "nsmc": ("nsmc", ""),
    "imdb": ("imdb", ""),
}
"""Our task of each of theirs; where their accuracy is another of our figures, which one. SQuAD 2 is another task."""
_USED = {"results", "config", "n-shot", "n-samples", "model_name"}


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
    unknown = [key for key in data if key not in _USED]
    for theirs, figured in data["results"].items():
        task, instead = _TASKS.get(theirs.strip().lower(), ("", ""))
        if not task:
            unknown.append(theirs)
            continue
        metrics, errors, left = _figures(figured, instead)
        unknown += [f"{theirs}: {key}" for key in left]
        draft = drafts.setdefault(task, {"task": task, **about, "metrics": {}, "training": {}})
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
    model = values.words(data.get("model_name"), 120)
    if not model and isinstance(arguments, dict):
        model = values.words(arguments.get("pretrained"), 120)
    if not model and isinstance(arguments, str):
        parts = (part.partition("=") for part in arguments[:2000].split(","))
        model = next((value for key, _, value in parts if key.strip() in ("pretrained", "model")), None)
    about: dict[str, Any] = {}
    if model and model.strip():
        about["model"] = model.strip()[:120]
    counted = values.whole(config.get("model_num_parameters"), least=1)
    if counted:
        about.update(params=counted, params_source="typed")
    device = values.words(config.get("device"), 120)
    if device:
        about["device"] = device
    return about, [] if "model" in about else ["The file does not name the model; it must be typed."]


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
    """Put the examples in the prompt among the facts, and tell where a part of the split was scored."""
    shots = values.whole(values.mapping(data.get("n-shot")).get(theirs))
    if shots is not None:
        training["examples in the prompt"] = shots
    samples = values.mapping(values.mapping(data.get("n-samples")).get(theirs))
    original, effective = values.whole(samples.get("original")), values.whole(samples.get("effective"))
    if original is None or effective is None or effective >= original:
        return []
    return [f"{quoted(theirs)} was scored on {effective:,} of {original:,} examples: not a whole split."]
