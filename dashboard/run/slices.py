"""Where a run fails: its figures on parts of the split, as rows of a table and a sentence."""

import re

import pandas as pd

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, NP_, _, ngettext, translated
from db.registry import formats

RUN_METRIC_COLUMNS = (N_("Metric"), N_("Value"), N_("95% interval"), NP_("run metric columns", "Examples"))
RUN_FACETS = {
    "question word": N_("question word"),
    "answer length": N_("answer length"),
    "text length": N_("text length"),
    "genre": N_("genre"),
}

_RANGE = re.compile(r"(\d+) to (\d+) words")
_OVER = re.compile(r"over (\d+) words")
_WORDS = re.compile(r"(\d+) words?")


def lead(parts: pd.DataFrame) -> str:
    """The weakest and the strongest part that the data can tell apart, in one sentence; empty where there are none."""
    clear = []
    for (facet, _unused), rows in parts.groupby(["facet", "name"], sort=False):
        low = rows.loc[rows["value"].idxmin()]
        high = rows.loc[rows["value"].idxmax()]
        if pd.notna(low["high"]) and pd.notna(high["low"]) and low["high"] < high["low"]:
            clear.append((float(high["value"] - low["value"]), str(facet), low, high))
    if not clear:
        return ""
    _unused, facet, low, high = max(clear, key=lambda part: part[0])
    metric = task_names.metric(str(low["name"]))
    return _("By {facet}: {low} on “{weak}”, {high} on “{strong}”.").format(
        facet=facet_name(facet),
        low=formatting.value(metric, low["value"]),
        weak=part_name(str(low["part"])),
        high=formatting.value(metric, high["value"]),
        strong=part_name(str(high["part"])),
    )


def table(parts: pd.DataFrame, facet: str) -> pd.DataFrame:
    """One row a part of one facet, weakest first, as text; columns are the part, the figure, its interval, examples.

    Of several figures the first counts: two cannot stand in one column.
    """
    rows = parts[parts["facet"] == facet]
    rows = rows[rows["name"] == rows["name"].iloc[0]].sort_values(["value", "part"])
    metric = task_names.metric(str(rows["name"].iloc[0]))
    named, (*_unused, interval, examples) = facet_name(facet), translated(RUN_METRIC_COLUMNS)
    return pd.DataFrame(
        {
            named[:1].upper() + named[1:]: [part_name(str(part)) for part in rows["part"]],
            metric.label: [formatting.value(metric, value) for value in rows["value"]],
            interval: [
                formatting.interval(metric, low, high) or formats.DASH
                for low, high in zip(rows["low"], rows["high"], strict=True)
            ],
            examples: [f"{count:,}" for count in rows["n"]],
        }
    )


def facet_name(facet: str) -> str:
    """What parts are told apart by, in the visitor's language where it is the engine's own: ``genre, mismatched``."""
    first, comma, rest = facet.partition(",")
    return translated(RUN_FACETS).get(first, first) + comma + rest


def part_name(part: str) -> str:
    """A part in the visitor's language where it is one of the engine's own: ``76 to 100 words``, ``other``."""
    if part == "other":
        return _("other")
    if match := _RANGE.fullmatch(part):
        return _("{low} to {high} words").format(low=match[1], high=match[2])
    if match := _OVER.fullmatch(part):
        return _("over {low} words").format(low=match[1])
    if match := _WORDS.fullmatch(part):
        return ngettext("{n} word", "{n} words", 1 if match[1] == "1" else 2, n=match[1])
    return part
