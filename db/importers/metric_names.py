"""Names of figures as other tools write them, and percentages as fractions of 1."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from db.importers import values
from db.importers.safe_json import quoted
from db.registry.metrics import METRICS

_LONGEST = 80
_PREFIXES = ("eval", "test", "predict", "dev", "final", "metrics", "metric")
_VALIDATION = ("val", "valid", "validation")
_ALIASES = {
    "acc": "accuracy",
    "정확도": "accuracy",
    "accuracy_score": "accuracy",
    "정답률": "accuracy",
    "accuracy_mm": "accuracy_mismatched",
    "acc_mm": "accuracy_mismatched",
    "mm_accuracy": "accuracy_mismatched",
    "mm_acc": "accuracy_mismatched",
    "macro_f1": "macro_f1",
    "f1_macro": "macro_f1",
    "매크로_f1": "macro_f1",
    "exact_match": "em",
    "exact": "em",
    "완전_일치": "em",
    "정답_일치": "em",
    "f1_score": "f1",
    "f1_점수": "f1",
    "logloss": "log_loss",
    "nll": "log_loss",
    "검증_정확도": "validation_accuracy",
    "학습_손실": "train_loss",
    "training_loss": "train_loss",
    "평가_손실": "eval_loss",
    "mlm_accuracy": "masked_accuracy",
    "glue": "glue_score",
    "mlm_loss": "masked_loss",
    "latency_p50_ms": "latency_ms_p50",
    "latency_p95_ms": "latency_ms_p95",
    "latency_p99_ms": "latency_ms_p99",
    "train_samples": "train_examples",
}


def normal(name: str) -> str:
    """A name without its spelling: lower case, one underscore between its words."""
    return re.sub(r"[\W_]+", "_", name.lower()).strip("_")


def metric_of(name: str) -> str | None:
    """The key of ``db.registry.metrics.METRICS`` that a tool's name of a figure means, or None where it is not sure."""
    key = normal(name[:_LONGEST])
    metric = METRICS[key].name if key in METRICS else _ALIASES.get(key)
    if metric:
        return metric
    head, _, rest = key.partition("_")
    if rest and head in _PREFIXES:
        return metric_of(rest) if rest != "loss" else "eval_loss"
    if rest and head in _VALIDATION:
        return {"accuracy": "validation_accuracy", "eval_loss": "eval_loss"}.get(metric_of(f"eval_{rest}") or "")
    return None


def is_share(metric: str) -> bool:
    """Whether a metric is a fraction of 1."""
    return metric in METRICS and METRICS[metric].unit == "percent"


def fractions(metric: str, cells: Sequence[Any]) -> tuple[list[Any], str | None]:
    """The figures of one metric, percentages divided by 100, and a sentence that says so where any was.

    They are percentages if one of them lies above 1 and none above 100; then all are, 0.5 beside 87.84 too. Texts with
    a percent sign say themselves what they are and stay.
    """
    read = [values.plain(cell) for cell in cells]
    numbers = [float(cell) for cell in read if values.number(cell) is not None]
    if not is_share(metric) or not numbers or not 1 < max(numbers) <= 100 or min(numbers) < 0:
        return read, None
    made = [cell if values.number(cell) is None else values.hundredth(cell) for cell in read]
    first = next(index for index, cell in enumerate(read) if values.number(cell) is not None)
    how = "1 figure was" if len(numbers) == 1 else f"{len(numbers):,} figures were"
    return made, f"read as percentages; {how} divided by 100, {read[first]} became {made[first]!r}."


def collect(named: Iterable[tuple[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """Figures by their metrics, and the names that are none of them, have no number or come second.

    F1 here is the overlap of answers. Beside an accuracy and without an exact match it is that of classes, which is
    another figure.
    """
    metrics: dict[str, Any] = {}
    unknown = []
    sources: dict[str, str] = {}
    for name, value in named:
        metric = metric_of(name)
        if metric is None or metric in metrics or not _is_figure(value):
            unknown.append(name)
        else:
            metrics[metric], sources[metric] = value, name
    if of_classes(metrics):
        del metrics["f1"]
        unknown.append(sources["f1"])
    return metrics, unknown


def of_classes(metrics: Iterable[str]) -> bool:
    """Whether an F1 among these metrics is not that of answers."""
    names = set(metrics)
    return {"f1", "accuracy"} <= names and "em" not in names


def _is_figure(value: Any) -> bool:
    return values.number(value) is not None or (isinstance(value, str) and value.strip().endswith("%"))


def taken(metrics: dict[str, Any], name: str = "") -> tuple[dict[str, Any], list[str]]:
    """Figures of one run by their metrics, percentages divided by 100, and notes that say so.

    Exact match and F1 come from one scorer: if one of them is a percentage, both are.
    """
    made, notes = dict(metrics), []
    groups = [["em", "f1"], *([metric] for metric in metrics if metric not in {"em", "f1"})]
    for group in groups:
        present = [metric for metric in group if metric in metrics]
        if not present:
            continue
        cells, message = fractions(present[0], [metrics[metric] for metric in present])
        made.update(zip(present, cells, strict=True))
        if message:
            where = f" of {quoted(name)}" if name else ""
            notes.append(f"{' and '.join(present)}{where}: {message}")
    return made, notes
