"""The YAML head of a model card: what it says of the model, and the figures of its ``model-index``."""

import re
from typing import Any

from db.importers import metric_names, safe_yaml, values
from db.importers.benchmarks import splits
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError
from db.registry import tasks

_HEAD = re.compile(r"---[ \t]*\r?\n(.*?)(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_SEVERAL = ("language", "datasets", "license")
_USED = {*_SEVERAL, "model-index", "base_model"}
_UNSCORED = "No result of the card is a metric that is known here, on a test split; none was taken."
_MISMATCHED = re.compile(r"(?i)mis[\s_-]*match|[\W_]mm\b")
_SECOND = re.compile(r"(?i)quad[\W_]*v?[\W_]*2")
"""SQuAD 2 and KorQuAD 2 are other tasks than the first ones."""
_NAMELESS = {"", "generator", "imagefolder", "csv", "json", "text", "parquet", "pandas", "arrow", "custom", "unknown"}
"""What trainers write for a data set that has no name."""


def split_head(words: str) -> str | None:
    """The YAML between the two lines of dashes that a Markdown file begins with, or None."""
    head = _HEAD.match(words)
    return head[1] if head else None


def from_card(name: str, words: str) -> ImportedFile:
    """A model card in Markdown; what stands below its head is not looked at.

    Raises:
        SubmissionError: It has no head, or the head says nothing that is known.
    """
    head = split_head(words)
    if head is None:
        message = (
            "the card has no YAML head, which begins and ends with a line of three dashes; add one with a model-index."
        )
        raise FileError(name, "line 1", message)
    return read(name, safe_yaml.yaml_value(name, head, first_line=2))


def takes(data: Any) -> bool:
    """Whether a YAML or JSON value is such a head."""
    return isinstance(data, dict) and bool({"model-index", "license", "language", "datasets"} & data.keys())


def takes_json(data: Any) -> bool:
    """Whether a JSON value is such a head; a licence alone is a claim's field too."""
    return isinstance(data, dict) and "model-index" in data


def read(name: str, data: Any) -> ImportedFile:
    """The claims of a head: one for each model, task and split.

    Raises:
        SubmissionError: The model-index is not as hubs have it, or there is nothing that is known.
    """
    if not takes(data):
        raise FileError(name, "", "no head of a model card: there is neither model-index nor license nor language.")
    about = _about(data)
    notes: list[str] = []
    unknown = [key for key in data if key not in _USED]
    drafts: list[dict[str, Any]] = []
    for number, model in enumerate(_listed(name, data, "model-index", "model-index")):
        location = f"model-index[{number}]"
        results = _listed(name, model, "results", f"{location}.results")
        model_name = values.words(model.get("name"), 120)
        first = len(drafts)
        for index, result in enumerate(results):
            made, left = _result(name, f"{location}.results[{index}]", result)
            unknown += left
            twice = _add(drafts, first, {**about, **({"model": model_name} if model_name else {}), **made})
            notes += [f"{location}.results[{index}] gives a figure again: a row of its own, to be named."] * twice
    if not drafts:
        notes.append(
            _UNSCORED if data.get("model-index") else "The card has no model-index: it says nothing of scores."
        )
        drafts = [about] if about else []
    for draft in drafts:
        if "metrics" in draft:
            draft["metrics"], messages = metric_names.taken(draft["metrics"], str(draft.get("task", "")))
            notes += messages
            if draft.get("task") not in tasks.task_ids():
                notes.append(
                    "A result is of a data set without a board here; its task must be chosen or the row left out."
                )
    if not drafts:
        message = _UNSCORED if data.get("model-index") else "the head names neither model, language nor data set."
        raise FileError(name, "model-index" if data.get("model-index") else "", message)
    return ImportedFile("model_index", tuple(drafts), unknown=listed(unknown), notes=tuple(dict.fromkeys(notes)))


def _about(data: dict[str, Any]) -> dict[str, Any]:
    about: dict[str, Any] = {}
    for key, field in (("license", "licence"), ("language", "language"), ("datasets", "dataset")):
        value = data.get(key)
        several = [item for item in (value if isinstance(value, list) else [value]) if values.words(item)]
        if several:
            about[field] = ", ".join(str(item).strip() for item in several[:10])[:200]
    base = data.get("base_model")
    base = base[0] if isinstance(base, list) and base else base
    if values.words(base):
        about["training"] = {"base model": values.words(base, 120)}
    return about


def _listed(name: str, owner: dict[str, Any], key: str, location: str) -> list[dict[str, Any]]:
    value = owner.get(key)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise FileError(name, location, "it must be a list of mappings, as model hubs have it.")
    return value


def _result(name: str, location: str, result: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Task and figures of one result, and names that were not used."""
    dataset = values.mapping(result.get("dataset"))
    names = [str(dataset[key])[:100] for key in ("type", "name", "config", "split") if values.words(dataset.get(key))]
    task = _task(dataset)
    mismatched = task == "mnli" and any(_MISMATCHED.search(part) for part in names)
    named, elsewhere = [], []
    for number, figure in enumerate(_listed(name, result, "metrics", f"{location}.metrics")):
        label = values.words(figure.get("type")) or values.words(figure.get("name")) or f"metrics[{number}]"
        value = figure.get("value")
        if splits.is_other(splits.in_name(figure.get("name") or ""), task):
            elsewhere.append(str(figure["name"])[:60])
            continue
        # Some cards have the figure as a text.
        named.append((label, values.plain(value) if isinstance(value, str) else value))
    metrics, left = metric_names.collect(named)
    unknown = [f"{location}: {part}" for part in (*left, *elsewhere)]
    split = str(dataset.get("split") or "").strip().lower()
    if splits.is_other(split, task):
        return {"metrics": {}}, [*unknown, *(f"{location}: {metric} on the split {split}" for metric in metrics)]
    if mismatched and "accuracy" in metrics:
        metrics = {
            "accuracy_mismatched" if metric == "accuracy" else metric: value for metric, value in metrics.items()
        }
    made: dict[str, Any] = {"metrics": metrics}
    foreign = next((label for label in names if metric_names.normal(label) not in _NAMELESS), "")
    if task:
        made["task"] = task
    elif foreign:
        labels = (values.words(dataset.get(key)) for key in ("type", "name", "config"))
        made["task"] = " ".join(dict.fromkeys(label for label in labels if label and label != "default"))[:60]
        unknown.append(f"data set {foreign}")
    return made, unknown


def _task(dataset: dict[str, Any]) -> str | None:
    """Our task of a data set as a hub names it: ``nyu-mll/glue`` with the configuration ``mnli``, say."""
    texts = [str(dataset.get(key) or "")[:100] for key in ("type", "name", "config")]
    names = [metric_names.normal(text.rpartition("/")[2]) for text in texts]
    # MTEB trains a probe on embeddings, which is another task than its data set's.
    if any(_SECOND.search(text) or text.lower().startswith("mteb") for text in texts):
        return None
    if names[0] == "glue" or names[1].startswith("glue"):
        labels = names[2:] if names[2] not in ("", "default") else names
        return "mnli" if any("mnli" in label for label in labels) else None
    known = (task for label in names if label and (task := tasks.by_name(label)))
    return next((task.task_id for task in known), None)


def _add(drafts: list[dict[str, Any]], first: int, made: dict[str, Any]) -> bool:
    """Join results of one model on one task, unless they give one figure twice: return whether they do."""
    if not made["metrics"]:
        return False
    same = [draft for draft in drafts[first:] if draft.get("task") == made.get("task")]
    for draft in same:
        if draft.get("task") == made.get("task") is not None and not draft["metrics"].keys() & made["metrics"].keys():
            draft["metrics"] = {**draft["metrics"], **made["metrics"]}
            return False
    if same and "model" in made:
        made = {**made, "model": f"{made['model'][:110]} ({len(same) + 1})"}
    drafts.append(made)
    return bool(same)
