"""Plain against distilled, pretrained against from scratch: points of the figure, rows of the table, sentences."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import pandas as pd

from dashboard.ui import formatting
from dashboard.ui.i18n import N_, _
from db.analysis.findings.matched_pairs import MatchedPair
from db.analysis.paired_tests import p_value
from db.registry import formats
from db.registry.metrics import Metric
from db.statistics.significance import LEVEL

TWINS_KINDS = {
    "plain": N_("baseline"),
    "distilled": N_("distilled"),
    "from scratch": N_("from scratch"),
    "pretrained": N_("pretrained"),
}

_P_VALUE = re.compile(r"p ([=≤≥<]) ")


def labels(pairs: Sequence[MatchedPair]) -> list[str]:
    """What each pair is called: its plain model, or the treated one and its teacher where that is not unique."""
    often = Counter(pair.plain for pair in pairs)
    return [
        pair.plain
        if often[pair.plain] == 1
        else _("{model} from {teacher}").format(model=pair.treated, teacher=pair.teacher)
        if pair.teacher
        else pair.treated
        for pair in pairs
    ]


def points(pairs: Sequence[MatchedPair], metric: Metric) -> pd.DataFrame:
    """Two rows a pair, plain first: ``place, label, params, treated, kind, family, score, low, high, text``."""
    rows = []
    for position, (pair, label) in enumerate(zip(pairs, labels(pairs), strict=True)):
        both = (
            (False, pair.contrast.plain, pair.plain, pair.plain_family, pair.plain_summary),
            (True, pair.contrast.treated, pair.treated, pair.treated_family, pair.treated_summary),
        )
        for treated, kind, name, family, summary in both:
            text = f"{name}: {formatting.over_seeds(metric, summary.mean, summary.spread, summary.n)}"
            score = (summary.mean, summary.low, summary.high)
            rows.append((position, label, pair.params, treated, _(TWINS_KINDS[kind]), family, *score, text))
    names = ["place", "label", "params", "treated", "kind", "family", "score", "low", "high", "text"]
    return pd.DataFrame(rows, columns=names)


def table(pairs: Sequence[MatchedPair], metric: Metric) -> pd.DataFrame:
    """One row a pair, as text: who, how much better, and what the paired tests say."""
    unit = formatting.difference_unit(metric)
    gain = _("Difference")
    return pd.DataFrame(
        [
            (label, formats.difference(metric, pair.gain), _P_VALUE.sub("p\u00a0\\1\u00a0", verdict(pair)))
            for pair, label in zip(pairs, labels(pairs), strict=True)
        ],
        columns=[_("Model"), f"{gain}, {unit}" if unit else gain, _("Paired test")],
    )


def lead(pairs: Sequence[MatchedPair], metric: Metric) -> str:
    """What the contrast brings, in one sentence."""
    total = len(pairs)
    if total == 1:
        return f"{formatting.difference(metric, pairs[0].gain)}. {verdict(pairs[0])}"
    gains = sorted((pair.gain for pair in pairs), reverse=metric.direction == "min")
    better, worse = (sum(pair.settled == sign for pair in pairs) for sign in (1, -1))
    template = (
        _(
            "{low} to {high} over {n} sizes; at {better} of them better in every seed by the paired "
            "test, at {worse} worse."
        )
        if worse
        else _("{low} to {high} over {n} sizes; at {better} of them better in every seed by the paired test.")
    )
    return template.format(
        low=formats.difference(metric, gains[0]),
        high=formatting.difference(metric, gains[-1]),
        n=total,
        better=better or _("none"),
        worse=worse,
    )


def remarks(matched: Sequence[MatchedPair]) -> list[str]:
    """Who taught whom, and where more than the distillation differs between two recipes."""
    teachers = sorted({pair.teacher for pair in matched if pair.teacher})
    lines = [_("Teacher: {teacher}.").format(teacher=teachers[0])] if len(teachers) == 1 else []
    if len(teachers) > 1:
        pairs = [_("{teacher} of {model}").format(teacher=pair.teacher, model=pair.treated) for pair in matched]
        lines.append(_("Teachers: {pairs}.").format(pairs="; ".join(pairs)))
    differing: dict[tuple[str, ...], list[str]] = {}
    for pair, label in zip(matched, labels(matched), strict=True):
        if pair.differs:
            differing.setdefault(pair.differs, []).append(label)
    for settings, who in differing.items():
        named = _("At every size") if len(who) == len(matched) > 1 else ", ".join(who)
        lines.append(
            _("{who}: the two recipes also differ in {settings}.").format(who=named, settings=", ".join(settings))
        )
    return lines


def verdict(matched: MatchedPair) -> str:
    """The paired tests of all seeds in one sentence.

    The tests of several seeds are told side by side and not joined into one: they share their examples.
    """
    total, name = len(matched.pairs), _(TWINS_KINDS[matched.contrast.treated])
    values = [pair.p for pair in matched.pairs if pair.p is not None]
    ahead = _seeds(sum(sign > 0 for sign in matched.signs), total)
    if len(values) < total:
        return _sentence(
            _("{name} ahead {ahead}; no test, which takes predictions of both and a score for each example."),
            name=name,
            ahead=ahead,
        )
    if matched.settled:
        better = name if matched.settled > 0 else _(TWINS_KINDS[matched.contrast.plain])
        return _sentence(_("{name} better {ahead}, {p}."), name=better, ahead=_seeds(total, total), p=_at_most(values))
    clear = [sign for sign, p in zip(matched.signs, values, strict=True) if p < LEVEL]
    if not clear:
        template = (
            _("Not significant with one seed, {p}.")
            if total == 1
            else _("Not significant in any seed: {name} ahead {ahead}, {p}.")
        )
        return _sentence(template, name=name, ahead=ahead, p=_at_least(values))
    template = (
        _("{name} ahead {ahead}, clearly better in {better}, clearly worse in {worse}; {p}.")
        if -1 in clear
        else _("{name} ahead {ahead}, clearly better in {better}; {p}.")
    )
    return _sentence(
        template, name=name, ahead=ahead, better=clear.count(1) or _("none"), worse=clear.count(-1), p=_range(values)
    )


def _sentence(template: str, **parts: object) -> str:
    sentence = template.format(**parts)
    return sentence[:1].upper() + sentence[1:]


def _seeds(number: int, total: int) -> str:
    return _("in {k} of {n} seeds").format(k=number, n=total) if total > 1 else _("in the one seed")


def _at_most(values: Sequence[float]) -> str:
    largest = max(values)
    return p_value(largest) if largest < 0.0001 or len(values) == 1 else f"p ≤ {_rounded(largest, math.ceil)}"


def _at_least(values: Sequence[float]) -> str:
    least = min(values)
    return p_value(least) if len(values) == 1 else f"p ≥ {_rounded(least, math.floor)}"


def _range(values: Sequence[float]) -> str:
    least, largest = min(values), max(values)
    return _("p from {low} to {high}").format(
        low=_("below 0.0001") if least < 0.0001 else f"{least:.2g}", high=f"{largest:.2g}"
    )


def _rounded(p: float, how: Callable[[float], int]) -> str:
    """Two digits, rounded so that the bound stays true."""
    digits = 1 - math.floor(math.log10(p))
    return f"{how(round(p * 10**digits, 6)) / 10**digits:.2g}"
