"""Tables of runs beside each other: figures and tests as Markdown, settings and agreement as text."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from dashboard.compare import names as comparison
from dashboard.ui import formatting
from dashboard.ui import task_names as words
from dashboard.ui.i18n import N_, NP_, _, pgettext, translated
from dashboard.ui.labels import BOARD_COLUMNS
from dashboard.ui.markdown import cited_title, plain
from db.analysis.agreement import Agreement
from db.analysis.comparison import LETTERS, RunSelection
from db.analysis.paired_tests import Verdict, p_value
from db.registry import formats
from db.registry.metrics import Metric, known

COMPARE_GROUP_OF = {"run": N_("run"), "model": N_("model"), "recipe": N_("recipe")}
COMPARE_FACTS = {
    **{name: BOARD_COLUMNS[name] for name in ("source", "verified", "status", "dataset", "teacher", "device")},
    **{name: BOARD_COLUMNS[name] for name in ("citation", "model", "family")},
    "name": N_("Name"),
    "seed": N_("Seed"),
    "dataset_hash": N_("Hash of the data"),
    "split": N_("Scored on"),
    "task_version": N_("Version of the task"),
    "train_seconds": N_("Train time"),
    "code_version": N_("Version of Featherboard"),
    "created_at": N_("Begun (UTC)"),
    "finished_at": N_("Finished (UTC)"),
    "recipe": N_("Recipe"),
    "recipe_hash": N_("Hash of the recipe"),
    "command": N_("Command"),
    "caveat": N_("Caveat"),
    "notes": NP_("compare facts", "Notes"),
    "architecture": N_("Architecture"),
    "params": NP_("compare params", "Parameters"),
    "params_reported": N_("Parameters as printed"),
}

BEST = "★"
"""Marks the best figure of a row, beside its weight."""

# What no run is better for having more or less of.
_NEUTRAL = {
    "train_examples",
    "pretraining_tokens",
    "best_epoch",
    "latency_threads",
    "latency_load",
    "accuracy_majority",
    "unk_rate",
}
# Figures that a reader asks for first, after the task's own.
_FIRST = {name: index for index, name in enumerate(("em", "f1", "macro_f1", "accuracy", "log_loss"))}
_COST = 1
_PARTS = ("value", "low", "high", "spread", "some")
_RATIOS = {"ms", "s", "bytes", "count", "per_s", "joules", "usd"}


def figures(chosen: RunSelection) -> pd.DataFrame:
    """One row a metric that a run has, the task's own first, then qualities, costs, and the rest, as Markdown.

    Returns:
        The metric's label, and a column for each run by its letter: the value, its interval, the difference from A.
    """
    values = chosen.metrics.pivot_table(index="name", columns="run_id", values=list(_PARTS), aggfunc="first")
    names = _order(list(values.index), str(chosen.runs["metric"].iloc[0]))
    rows = []
    for name in names:
        ends = [tuple(_value(values, name, part, run_id) for part in _PARTS) for run_id in chosen.ids()]
        rows.append((plain(words.metric(name).label), *_cells(words.metric(name), ends, chosen.runs["seeds"])))
    costs: list[tuple[str, ...]] = []
    for key, label, metric in (
        ("params", pgettext("compare params", "Parameters"), known("checkpoint_bytes")),
        ("train_seconds", _("Train time"), known("inference_s")),
    ):
        ends = [(float(value), *[np.nan] * 4) for value in chosen.runs[key].astype(float)]
        if not all(np.isnan(value) for value, *_unused in ends):
            unit = Metric(key, label, "count" if key == "params" else metric.unit, "min", "")
            costs.append((label, *_cells(unit, ends, chosen.runs["seeds"])))
    quality = sum(_kind(name) < _COST for name in names)
    heads = [f"{letter} {plain(name)}" for letter, name in zip(LETTERS, comparison.names(chosen.runs), strict=False)]
    return pd.DataFrame([*rows[:quality], *costs, *rows[quality:]], columns=[_("Figure"), *heads])


def _value(values: pd.DataFrame, name: str, part: str, run_id: str) -> float:
    return float(values.loc[name, (part, run_id)]) if (part, run_id) in values.columns else float("nan")


def _order(names: Sequence[str], primary: str) -> list[str]:
    return sorted(names, key=lambda name: (name != primary, _kind(name), _FIRST.get(name, len(_FIRST)), name))


def _kind(name: str) -> int:
    """Qualities, then costs, then what belongs to neither."""
    return _COST + 1 if name in _NEUTRAL else 0 if known(name).unit in {"percent", "points", "plain"} else _COST


def _cells(metric: Metric, intervals: Sequence[tuple[float, ...]], seeds: Sequence[int]) -> list[str]:
    """The best one is marked as far as the figures that are shown differ."""
    shown = ["" if np.isnan(value) else formatting.value(metric, value) for value, *_unused in intervals]
    values = [value for value, *_unused in intervals if not np.isnan(value)]
    best = ""
    if metric.name not in _NEUTRAL and len({text for text in shown if text}) > 1:
        best = formatting.value(metric, max(values) if metric.direction == "max" else min(values))
    first = intervals[0][0]
    return [
        _cell(metric, ends, first if index else np.nan, count, best=best)
        for index, (ends, count) in enumerate(zip(intervals, seeds, strict=True))
    ]


def _cell(metric: Metric, ends: tuple[float, ...], base: float, seeds: int, *, best: str) -> str:
    value, low, high, spread, some = ends
    share = _whole(_("{count} of {all}").format(count=int(some), all=seeds)) if some > 0 else ""
    if np.isnan(value):
        return f":gray[{share or formats.DASH}]"
    shown = formatting.value(metric, value)
    parts = [f"**{plain(shown)}** {BEST}" if shown == best else plain(shown)]
    if not np.isnan(spread):
        parts[0] += f" :small[{_whole(comparison.spread(metric, spread))}]"
    if share:
        parts[0] += f" :small[({share})]"
    if not np.isnan(low) and not np.isnan(high):
        parts.append(f":small[:gray[{_whole(_between(metric, low, high))}]]")
    if not np.isnan(base) and metric.name not in _NEUTRAL:
        parts.append(f":small[{_whole(_difference(metric, value, base))}]")
    return "  \n".join(parts)


def _whole(words: str) -> str:
    """Escaped, and never broken into two lines."""
    return plain(words).replace(" ", "\N{NO-BREAK SPACE}")


def _between(metric: Metric, low: float, high: float) -> str:
    return comparison.between(formatting.value(metric, low), formatting.value(metric, high))


def _difference(metric: Metric, value: float, base: float) -> str:
    """From A: in points, as a number, or for what is counted as a ratio."""
    if metric.unit in _RATIOS:
        ratio = value / base if base else np.nan
        return formats.DASH if np.isnan(ratio) else f"× {ratio:.2f}" if 0.01 <= ratio < 100 else f"× {ratio:.3g}"
    text = comparison.points(value - base) if metric.unit == "percent" else formats.difference(metric, value - base)
    return f"{text} {_('points')}" if metric.unit == "percent" else text


def matrix(verdict: Verdict, letters: Sequence[str]) -> pd.DataFrame:
    """The run of the row minus that of the column for every two runs, with the corrected p-value and what it says."""
    rows = []
    for second in range(1, len(letters)):
        cells = []
        for first in range(len(letters) - 1):
            if first >= second:
                cells.append("")
                continue
            pair = verdict.pair(first, second)
            ends = _whole(comparison.between(comparison.points(pair.low), comparison.points(pair.high)))
            test = f"{_whole(p_value(pair.corrected))}, {plain(comparison.verdict_of(pair))}"
            size = plain(comparison.points(pair.difference))
            cells.append(f"**{size}** :small[:gray[{ends}]]  \n:small[{test}]")
        rows.append((letters[second], *cells))
    return pd.DataFrame(rows, columns=[_("Row minus column"), *letters[:-1]])


def settings(facts: pd.DataFrame, *, everything: bool, search: str = "") -> pd.DataFrame:
    """What differs between runs, or all that is known of them, as text.

    Returns:
        Where a setting comes from, its name, and a column for each run by its letter.
    """
    runs = [column for column in facts.columns if isinstance(column, int)]
    rows = facts if everything else facts[facts["differs"]]
    looked = search.strip().casefold()
    labels = [translated(COMPARE_FACTS).get(key, key) for key in rows["key"]]
    shown = pd.DataFrame(
        {
            _("Of"): [_(COMPARE_GROUP_OF[group]) for group in rows["group"]],
            _("Setting"): labels,
            **{
                LETTERS[run]: [_setting(key, value) for key, value in zip(rows["key"], rows[run], strict=True)]
                for run in runs
            },
        }
    )
    if not looked:
        return shown
    matching = [
        any(looked in str(cell).casefold() for cell in row)
        for row in zip(rows["key"], *(shown[column] for column in shown), strict=True)
    ]
    return shown[matching].reset_index(drop=True)


def _setting(key: str, value: object) -> str:
    if isinstance(value, tuple):
        return _("by seed: {values}").format(values=", ".join(_setting(key, part or None) for part in value))
    if not isinstance(value, str):
        return formats.DASH
    if key == "train_seconds":
        return formatting.duration(float(value))
    return cited_title(value) if key == "citation" else str(formatting.stored(value))


def alike(agreement: Agreement, letters: Sequence[str]) -> pd.DataFrame:
    """Every two runs: how often they give the same answer, are right or wrong together, and their kappa."""
    rows = [
        (
            f"{letters[pair.first]}, {letters[pair.second]}",
            f"{pair.same:.1%}",
            f"{pair.both_right:.1%}",
            f"{pair.both_wrong:.1%}",
            *(() if pair.kappa is None else (_kappa(pair.kappa),)),
        )
        for pair in agreement.pairs
    ]
    heads = [_("Runs"), _("Same answer"), _("Both right"), _("Both wrong")]
    return pd.DataFrame(rows, columns=[*heads, *([_("Cohen's kappa")] if rows and len(rows[0]) > 4 else [])])


def _kappa(value: float) -> str:
    return formats.DASH if np.isnan(value) else f"{value:.3f}".replace("-", "\N{MINUS SIGN}")
