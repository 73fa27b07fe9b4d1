"""What scorers print: lines of names and numbers, Python's dictionaries, and the reports of scikit-learn."""

import re
from typing import Any

from db.importers import metric_names, safe_yaml, values
from db.importers.safe_json import FileError, shown

_PAIR = re.compile(r"(?:eval |test )?\s*([^=:]{1,80}?)\s*[=:]\s*([-+]?[\d.,eE+-]{1,40}\s*%?)\s*")
_RULER = re.compile(r"[*=#\s-]*(?:\*{3,}|={3,}|-{3,})[\w\s*=-]*")
_REPORT = re.compile(r"\s*(accuracy|macro avg|micro avg|weighted avg)\s+([\d.\s]+)")
_MARKS = {"HasAns_f1", "NoAns_f1", "HasAns_exact", "NoAns_exact", "best_f1_thresh", "best_exact_thresh"}


def of_text(name: str, words: str) -> dict[str, Any] | None:
    """The figures of a text; None where it is something else.

    Raises:
        SubmissionError: It has names and numbers alone, and none of the names is a metric.
    """
    stripped = words.strip()
    if re.match(r"\{\s*'", stripped) and len(stripped) < 10_000:
        try:
            value = safe_yaml.yaml_value("", stripped)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None
    if "precision" in words and "f1-score" in words and "macro avg" in words:
        return _of_report(words)
    lines = [line for line in words.splitlines() if line.strip() and not _RULER.fullmatch(line)]
    pairs = [_PAIR.fullmatch(line) for line in lines[:1000]]
    if not lines or len(lines) > 1000 or not all(pairs):
        return None
    figures = {pair[1]: values.plain(pair[2]) for pair in pairs if pair}
    if not of_second_squad(figures) and not any(map(metric_names.metric_of, figures)):
        present = ", ".join(shown(key, 40) for key in list(figures)[:8])
        raise FileError(name, "", f"no figure that is known here, such as accuracy or exact_match; it has {present}.")
    return figures


def _of_report(words: str) -> dict[str, Any]:
    """Accuracy and macro-F1 of scikit-learn's ``classification_report``."""
    made: dict[str, Any] = {}
    for line in words.splitlines():
        match = _REPORT.fullmatch(line)
        numbers = match[2].split() if match else []
        if match and match[1] == "accuracy" and len(numbers) == 2:
            made |= {"accuracy": values.plain(numbers[0]), "total": values.plain(numbers[1])}
        elif match and match[1] == "macro avg" and len(numbers) == 4:
            made["macro_f1"] = values.plain(numbers[2])
    return made


def flattened(data: Any) -> Any:
    """Figures that lie a level deeper, as scikit-learn, or a script that parts splits, writes them; else the value."""
    if not isinstance(data, dict):
        return data
    macro = data.get("macro avg")
    if isinstance(macro, dict) and "f1-score" in macro:
        report = {"accuracy": data.get("accuracy"), "macro_f1": macro["f1-score"], "total": macro.get("support")}
        return {key: value for key, value in report.items() if value is not None}
    groups = {key: part for key, part in data.items() if key in _GROUPS and isinstance(part, dict)}
    if not groups or len(groups) < len(data):
        return data
    made: dict[str, Any] = {}
    for key, part in groups.items():
        made.update((name if key in _PLAIN else f"{key}_{name}", value) for name, value in part.items())
    known = any(metric_names.is_figure(value) and metric_names.metric_of(key) for key, value in made.items())
    return made if known else data


_PLAIN = ("metrics", "results", "scores")
_GROUPS = (*_PLAIN, "test", "eval", "validation", "val", "dev", "train", "predict")


def of_second_squad(data: Any) -> bool:
    """Whether figures are of SQuAD 2, in which some questions have no answer: another task than SQuAD 1.1."""
    return isinstance(data, dict) and bool(_MARKS & data.keys())
