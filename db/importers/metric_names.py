"""Names of figures as other tools write them, and percentages as fractions of 1."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from db.importers import spelling, values
from db.importers.safe_json import quoted
from db.registry.metrics import BOUNDED, METRICS

_LONGEST = 80
_SPREAD = re.compile(r"±|\+/?-")
"""In the name of a column of spreads, which is no column of the metric beside it."""
_PREFIXES = ("eval", "test", "predict", "dev", "final", "metrics", "metric")
_VALIDATION = ("val", "valid", "validation")
_SPELLINGS = {
    "accuracy": "acc accuracy_score 정확도 정답률",
    "accuracy_mismatched": "accuracy_mm acc_mm mm_accuracy mm_acc",
    "macro_f1": "f1_macro 매크로_f1",
    "em": "exact_match exact 완전_일치 정답_일치",
    "f1": "f1_score f1_점수",
    "mcc": "matthews_correlation matthews_corrcoef",
    "pearson": "pearsonr pearson_correlation",
    "spearman": "spearmanr spearman_correlation",
    "perplexity": "ppl 혼란도",
    "log_loss": "logloss nll",
    "validation_accuracy": "검증_정확도",
    "train_loss": "training_loss 학습_손실",
    "eval_loss": "평가_손실",
    "masked_accuracy": "mlm_accuracy",
    "masked_loss": "mlm_loss",
    "glue_score": "glue",
    "latency_ms_p50": "latency_p50_ms latency_p50",
    "latency_ms_p95": "latency_p95_ms latency_p95",
    "latency_ms_p99": "latency_p99_ms latency_p99",
    "train_examples": "train_samples",
}
_ALIASES = {alias: metric for metric, aliases in _SPELLINGS.items() for alias in aliases.split()}


def normal(name: str) -> str:
    """A name without its spelling: lower case, one underscore between its words."""
    return re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKC", name).lower()).strip("_")


def metric_of(name: str) -> str | None:
    """The key of ``db.registry.metrics.METRICS`` that a tool's name of a figure means, or None where it is not sure."""
    if _SPREAD.search(name[:_LONGEST]):
        return None
    key = normal(spelling.split_unit(name[:_LONGEST])[0])
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


def fractions(metric: str, cells: Sequence[Any], unit: str = "") -> tuple[list[Any], str | None]:
    """The values of one metric in its stored unit, and a sentence that says what was converted.

    The unit belongs to the whole column. Shares are percentages if the header says so, or if all of them lie above 1
    and none above 100. Where some lie above 1 and some do not, those that do not are left open: ``0.9 %?`` is what a
    person must decide. Texts with a percent sign say themselves what they are and stay.
    """
    read = [values.plain(cell) for cell in cells]
    if metric in METRICS and METRICS[metric].unit == "plain" and any(map(_is_open, cells)):
        read = [f"{cell} {QUESTION}" if _is_open(cell) else plain for cell, plain in zip(cells, read, strict=True)]
        return read, "1,234 may be a number of thousands or have a decimal comma; write a point in its place."
    numbers = [float(cell) for cell in read if values.number(cell) is not None]
    if not numbers:
        return read, None
    if not is_share(metric) and metric not in BOUNDED:
        return _scaled(metric, read, unit)
    percent = unit == spelling.PERCENT
    signed = any(isinstance(cell, str) and cell.endswith(spelling.PERCENT) for cell in read)
    # A value that no percentage can have is refused later; it says nothing of the unit of the others.
    least = 0 if is_share(metric) else -100
    possible = [number for number in numbers if least <= number <= 100]
    if not possible or not (percent or signed or max(map(abs, possible)) > 1):
        return read, None
    made = [
        cell
        if values.number(cell) is None or cell not in possible
        else values.hundredth(cell)
        if percent or abs(cell) > 1 or cell == 0
        else f"{cell:g} {DOUBT}"
        for cell in read
    ]
    converted = [
        index for index, cell in enumerate(made) if read[index] in possible and values.number(cell) is not None
    ]
    doubtful = [cell for cell in made if isinstance(cell, str) and cell.endswith(DOUBT)]
    message = ""
    if converted:
        how = "1 figure was" if len(converted) == 1 else f"{len(converted):,} figures were"
        first = converted[0]
        message = f"read as percentages; {how} divided by 100, {read[first]} became {made[first]!r}. "
    if doubtful:
        message += (
            f"{', '.join(doubtful[:5])}: beside percentages, a number up to 1 may be a share or a percentage; write "
            "it with a percent sign, or as a fraction in a column of fractions."
        )
    return made, message.strip() or None


QUESTION = "?"
"""Ends a value that is open; no field takes it before somebody has decided."""
DOUBT = f"%{QUESTION}"
"""Ends a value whose unit is open."""
_OPEN = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_OPEN_VALUE = re.compile(r"(\S+) %?\?")
_APART = 0.2


def _is_open(cell: Any) -> bool:
    """Whether a cell may be a number of thousands, or have a decimal comma."""
    return isinstance(cell, str) and bool(_OPEN.fullmatch(cell.strip()))


def choices(field: str, value: Any) -> tuple[str, ...]:
    """What an open value of a field may mean, each as the field takes it; empty where the value is not open."""
    match = _OPEN_VALUE.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        return ()
    body = match[1]
    if value.endswith(DOUBT):
        return f"{body}%", body
    return (
        tuple(body + scale for scale in "kMB") if field == "params" else (body.replace(",", ""), body.replace(",", "."))
    )


def doubt_pair(metrics: dict[str, Any]) -> str | None:
    """Leave an exact match open that was read as less than 1% because F1 is a percentage, and return why.

    Beside an F1 of 80% it is rather a fraction.
    """
    em, f1 = metrics.get("em"), metrics.get("f1")
    if not isinstance(em, float) or not isinstance(f1, float) or not (0 < em <= 0.01 and f1 >= _APART):
        return None
    metrics["em"] = f"{em * 100:g} {DOUBT}"
    return f"{metrics['em']}: an exact match of up to 1 beside an F1 of {f1:.1%} may be a share or a percentage."


def paired_unit(columns: Mapping[str, Sequence[Any]]) -> str:
    """The unit of exact match and F1, which one scorer writes: percentages if all of either one lie above 1."""
    for cells in columns.values():
        numbers = [float(cell) for cell in map(values.plain, cells) if values.number(cell) is not None]
        if numbers and min(number for number in numbers) > 1 and max(numbers) <= 100:
            return spelling.PERCENT
    return ""


def _scaled(metric: str, cells: list[Any], unit: str) -> tuple[list[Any], str | None]:
    """Convert durations and sizes whose header names another unit than the metric's."""
    stored = METRICS[metric].unit if metric in METRICS else ""
    tables = {"s": (spelling.SECONDS, 1.0), "ms": (spelling.SECONDS, 1e-3), "bytes": (spelling.BYTES, 1.0)}
    tables["count"] = (spelling.COUNTS, 1.0)
    units, base = tables.get(stored, ({}, 1.0))
    if unit not in units or units[unit] == base:
        return cells, None
    made = [cell if values.number(cell) is None else round(cell * units[unit] / base, 9) for cell in cells]
    return made, f"converted from {unit} to {stored}."


def collect(named: Iterable[tuple[str, Any]]) -> tuple[dict[str, Any], list[str]]:
    """Figures by their metrics, and the names that are none of them, have no number or come second.

    What was evaluated on the test split comes before what may be of the validation split: ``eval_accuracy`` beside
    ``test_accuracy`` is none. F1 here is the overlap of answers. Beside an accuracy and without an exact match it is
    that of classes, which is another metric.
    """
    metrics: dict[str, Any] = {}
    unknown = []
    sources: dict[str, str] = {}
    pairs = [(name, values.plain(value)) for name, value in named]
    passed_over = of_validation_beside_test(name for name, value in pairs if is_figure(value))
    for name, value in sorted(pairs, key=lambda pair: of_validation(pair[0])):
        metric = metric_of(name)
        unit = spelling.split_unit(name[:_LONGEST])[1]
        if metric is None or metric in metrics or not is_figure(value) or name in passed_over:
            unknown.append(name)
        else:
            metrics[metric] = fractions(metric, [value], unit)[0][0] if unit else value
            sources[metric] = name
    if of_classes(metrics):
        del metrics["f1"]
        unknown.append(sources["f1"])
    return metrics, unknown


def of_validation(name: str) -> int:
    """Order names: of the test split, of no split, of what is a validation split where a test split is there too."""
    head = normal(name[:_LONGEST]).partition("_")[0]
    return 0 if head in {"test", "predict"} else 2 if head in {"eval", "dev"} else 1


def of_validation_beside_test(names: Iterable[str]) -> set[str]:
    """Names of scores that are of a validation split, because others of these scores are of a test split.

    ``eval_accuracy`` beside ``test_f1`` says nothing of the test, though no accuracy stands beside it.
    """
    scores = [name for name in names if is_share(metric_of(name) or "")]
    tested = any(of_validation(name) == 0 for name in scores)
    return {name for name in scores if tested and of_validation(name) == 2}


def validation_note(names: Iterable[str], metrics: Iterable[str]) -> list[str]:
    """A sentence where scores may be those of a validation split."""
    scores = {metric for metric in metrics if is_share(metric) and metric != "validation_accuracy"}
    named = [name for name in names if of_validation(name) == 2 and metric_of(name) in scores]
    tested = [name for name in names if of_validation(name) == 0 and metric_of(name) in scores]
    if not named or tested:
        return []
    return [f"{quoted(named[0])} may be of a validation split; a board ranks the split that it names."]


def of_classes(metrics: Iterable[str]) -> bool:
    """Whether an F1 among these metrics is not that of answers."""
    names = set(metrics)
    return {"f1", "accuracy"} <= names and "em" not in names


def is_figure(value: Any) -> bool:
    """Whether a value is a number, a percentage, or one that is open."""
    return values.number(value) is not None or (isinstance(value, str) and value.strip().endswith(("%", QUESTION)))


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
        cells = [metrics[metric] for metric in present]
        unit = spelling.PERCENT if any((values.number(values.plain(cell)) or 0) > 1 for cell in cells) else ""
        cells, message = fractions(present[0], cells, unit)
        made.update(zip(present, cells, strict=True))
        if message:
            where = f" of {quoted(name)}" if name else ""
            notes.append(f"{' and '.join(present)}{where}: {message}")
            doubt = doubt_pair(made) if group == ["em", "f1"] else None
            notes += [doubt] if doubt else []
    return made, notes
