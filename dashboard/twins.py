"""Plain against distilled, pretrained against from scratch: points of the figure, rows of the table, sentences."""

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from db import formats
from db.metrics import Metric
from db.twins import Twins, verdict

_P_VALUE = re.compile(r"p ([=≤≥<]) ")


def labels(twins: Sequence[Twins]) -> list[str]:
    """What each pair is called: its plain model, or the treated one and its teacher where that is not unique."""
    often = Counter(one.plain for one in twins)
    return [
        one.plain if often[one.plain] == 1 else f"{one.treated} from {one.teacher}" if one.teacher else one.treated
        for one in twins
    ]


def points(twins: Sequence[Twins], metric: Metric) -> pd.DataFrame:
    """Two rows a pair, plain first: ``place, label, params, treated, kind, family, score, low, high, text``."""
    rows = []
    for place, (one, label) in enumerate(zip(twins, labels(twins), strict=True)):
        both = (
            (False, one.contrast.plain, one.plain, one.plain_family, one.plain_summary),
            (True, one.contrast.treated, one.treated, one.treated_family, one.treated_summary),
        )
        for treated, kind, name, family, told in both:
            said = formats.over_seeds(metric, told.mean, told.spread, told.n)
            rows.append(
                (place, label, one.params, treated, kind, family, told.mean, told.low, told.high, f"{name}: {said}")
            )
    names = ["place", "label", "params", "treated", "kind", "family", "score", "low", "high", "text"]
    return pd.DataFrame(rows, columns=names)


def table(twins: Sequence[Twins], metric: Metric) -> pd.DataFrame:
    """One row a pair, as text: who, how much better, and what the paired tests say."""
    unit = formats.difference_unit(metric)
    return pd.DataFrame(
        [
            (label, formats.difference(metric, one.gain), _P_VALUE.sub("p\u00a0\\1\u00a0", verdict(one)))
            for one, label in zip(twins, labels(twins), strict=True)
        ],
        columns=["Model", f"Difference, {unit}" if unit else "Difference", "Paired test"],
    )


def lead(twins: Sequence[Twins], metric: Metric) -> str:
    """What the contrast brings, in one sentence."""
    total, unit = len(twins), formats.difference_unit(metric)
    if total == 1:
        return f"{formats.difference(metric, twins[0].gain)} {unit}".rstrip() + f". {verdict(twins[0])}"
    gains = sorted((one.gain for one in twins), reverse=metric.direction == "min")
    ends = f"{formats.difference(metric, gains[0])} to {formats.difference(metric, gains[-1])} {unit}".rstrip()
    better, worse = (sum(one.settled == sign for one in twins) for sign in (1, -1))
    lost = f", at {worse} worse" if worse else ""
    at = f"{better or 'none'} of them"
    return f"{ends} over {total} sizes; at {at} better in every seed by the paired test{lost}."


def remarks(twins: Sequence[Twins]) -> list[str]:
    """Who taught whom, and where more than the distillation differs between two recipes."""
    teachers = sorted({one.teacher for one in twins if one.teacher})
    told = [f"Teacher: {teachers[0]}."] if len(teachers) == 1 else []
    if len(teachers) > 1:
        told.append("Teachers: " + "; ".join(f"{one.teacher} of {one.treated}" for one in twins) + ".")
    differing: dict[tuple[str, ...], list[str]] = {}
    for one, label in zip(twins, labels(twins), strict=True):
        if one.differs:
            differing.setdefault(one.differs, []).append(label)
    for settings, who in differing.items():
        named = "At every size" if len(who) == len(twins) > 1 else ", ".join(who)
        told.append(f"{named}: the two recipes also differ in {', '.join(settings)}.")
    return told
