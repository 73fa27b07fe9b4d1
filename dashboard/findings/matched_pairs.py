"""Plain against distilled, pretrained against from scratch: points of the figure, rows of the table, sentences."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import pandas as pd

from dashboard.ui import phrases
from dashboard.ui.i18n import N_, _, translated
from db.analysis.matched_pairs import LEVEL, Twins, p_value
from db.registry import formats
from db.registry.metrics import Metric

TWINS_KINDS = {
    "plain": N_("plain"),
    "distilled": N_("distilled"),
    "from scratch": N_("from scratch"),
    "pretrained": N_("pretrained"),
}
TWINS_COLUMNS = (N_("Model"), N_("Difference"), N_("Paired test"))

_P_VALUE = re.compile(r"p ([=≤≥<]) ")


def labels(twins: Sequence[Twins]) -> list[str]:
    """What each pair is called: its plain model, or the treated one and its teacher where that is not unique."""
    often = Counter(one.plain for one in twins)
    return [
        one.plain
        if often[one.plain] == 1
        else _("{model} from {teacher}").format(model=one.treated, teacher=one.teacher)
        if one.teacher
        else one.treated
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
            said = f"{name}: {phrases.over_seeds(metric, told.mean, told.spread, told.n)}"
            rows.append(
                (place, label, one.params, treated, _(TWINS_KINDS[kind]), family, told.mean, told.low, told.high, said)
            )
    names = ["place", "label", "params", "treated", "kind", "family", "score", "low", "high", "text"]
    return pd.DataFrame(rows, columns=names)


def table(twins: Sequence[Twins], metric: Metric) -> pd.DataFrame:
    """One row a pair, as text: who, how much better, and what the paired tests say."""
    unit = phrases.difference_unit(metric)
    model, gain, test = translated(TWINS_COLUMNS)
    return pd.DataFrame(
        [
            (label, formats.difference(metric, one.gain), _P_VALUE.sub("p\u00a0\\1\u00a0", verdict(one)))
            for one, label in zip(twins, labels(twins), strict=True)
        ],
        columns=[model, f"{gain}, {unit}" if unit else gain, test],
    )


def lead(twins: Sequence[Twins], metric: Metric) -> str:
    """What the contrast brings, in one sentence."""
    total = len(twins)
    if total == 1:
        return f"{phrases.difference(metric, twins[0].gain)}. {verdict(twins[0])}"
    gains = sorted((one.gain for one in twins), reverse=metric.direction == "min")
    better, worse = (sum(one.settled == sign for one in twins) for sign in (1, -1))
    told = (
        _(
            "{low} to {high} over {n} sizes; at {better} of them better in every seed by the paired "
            "test, at {worse} worse."
        )
        if worse
        else _("{low} to {high} over {n} sizes; at {better} of them better in every seed by the paired test.")
    )
    return told.format(
        low=formats.difference(metric, gains[0]),
        high=phrases.difference(metric, gains[-1]),
        n=total,
        better=better or _("none"),
        worse=worse,
    )


def remarks(twins: Sequence[Twins]) -> list[str]:
    """Who taught whom, and where more than the distillation differs between two recipes."""
    teachers = sorted({one.teacher for one in twins if one.teacher})
    told = [_("Teacher: {teacher}.").format(teacher=teachers[0])] if len(teachers) == 1 else []
    if len(teachers) > 1:
        pairs = [_("{teacher} of {model}").format(teacher=one.teacher, model=one.treated) for one in twins]
        told.append(_("Teachers: {pairs}.").format(pairs="; ".join(pairs)))
    differing: dict[tuple[str, ...], list[str]] = {}
    for one, label in zip(twins, labels(twins), strict=True):
        if one.differs:
            differing.setdefault(one.differs, []).append(label)
    for settings, who in differing.items():
        named = _("At every size") if len(who) == len(twins) > 1 else ", ".join(who)
        told.append(
            _("{who}: the two recipes also differ in {settings}.").format(who=named, settings=", ".join(settings))
        )
    return told


def verdict(twins: Twins) -> str:
    """The paired tests of all seeds in one sentence.

    The tests of several seeds are told side by side and not joined into one: they share their examples.
    """
    total, name = len(twins.pairs), _(TWINS_KINDS[twins.contrast.treated])
    values = [pair.p for pair in twins.pairs if pair.p is not None]
    ahead = _seeds(sum(sign > 0 for sign in twins.signs), total)
    if len(values) < total:
        return _sentence(
            _("{name} ahead {ahead}; without common predictions there is no test."), name=name, ahead=ahead
        )
    if twins.settled:
        better = name if twins.settled > 0 else _(TWINS_KINDS[twins.contrast.plain])
        return _sentence(_("{name} better {ahead}, {p}."), name=better, ahead=_seeds(total, total), p=_at_most(values))
    clear = [sign for sign, p in zip(twins.signs, values, strict=True) if p < LEVEL]
    if not clear:
        told = (
            _("The one seed cannot tell them apart, {p}.")
            if total == 1
            else _("No seed can tell them apart: {name} ahead {ahead}, {p}.")
        )
        return _sentence(told, name=name, ahead=ahead, p=_at_least(values))
    told = (
        _("{name} ahead {ahead}, clearly better in {better}, clearly worse in {worse}; {p}.")
        if -1 in clear
        else _("{name} ahead {ahead}, clearly better in {better}; {p}.")
    )
    return _sentence(
        told, name=name, ahead=ahead, better=clear.count(1) or _("none"), worse=clear.count(-1), p=_range(values)
    )


def _sentence(template: str, **parts: object) -> str:
    told = template.format(**parts)
    return told[:1].upper() + told[1:]


def _seeds(number: int, total: int) -> str:
    return _("in {k} of {n} seeds").format(k=number, n=total) if total > 1 else _("in the one seed")


def _at_most(values: Sequence[float]) -> str:
    most = max(values)
    return p_value(most) if most < 0.0001 or len(values) == 1 else f"p ≤ {_rounded(most, math.ceil)}"


def _at_least(values: Sequence[float]) -> str:
    least = min(values)
    return p_value(least) if len(values) == 1 else f"p ≥ {_rounded(least, math.floor)}"


def _range(values: Sequence[float]) -> str:
    least, most = min(values), max(values)
    return _("p from {low} to {high}").format(
        low=_("below 0.0001") if least < 0.0001 else f"{least:.2g}", high=f"{most:.2g}"
    )


def _rounded(p: float, how: Callable[[float], int]) -> str:
    """Two digits, rounded so that the bound stays true."""
    digits = 1 - math.floor(math.log10(p))
    return f"{how(round(p * 10**digits, 6)) / 10**digits:.2g}"
