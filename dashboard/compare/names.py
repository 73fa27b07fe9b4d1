"""Runs beside each other, in words: what they are called, who is best, in what their data differ."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, NP_, _
from dashboard.ui.labels import SOURCES
from dashboard.ui.markdown import plain
from db.analysis import comparison
from db.analysis.comparison import LETTERS, RunSelection
from db.analysis.paired_tests import Measure, Pair, Verdict, p_value
from db.leaderboard.seed_groups import MEAN
from db.registry import formats
from db.registry.metrics import CORRELATIONS, Metric, known

COMPARE_OTHER = {
    "trained": N_("Trained on: {values}."),
    "content": N_("The data bear one name, but their content differs, by its hash: {values}."),
    "scored": N_("Scored on: {values}."),
}
COMPARE_MEASURES = {"right": N_("accuracy"), "exact": N_("exact match"), "overlap": NP_("compare measures", "F1")}
"""Of a correlation the name of its metric."""
COMPARE_TESTS = {
    "right": N_("exact McNemar test"),
    "overlap": N_("paired bootstrap, 10,000 resamples"),
    "means": N_("test of means over seeds, which allows for other seeds and other examples"),
}
COMPARE_BEST = {
    "all": N_("{best} is best with {score} {figure}, significantly better than all others: {worse}{even}."),
    "some": N_(
        "{best} scores highest with {score} {figure}, but not significantly above {even}. Significantly worse: {worse}."
    ),
    "none": N_("{best} scores highest with {score} {figure}, but not significantly: {even}{worse}."),
}
COMPARE_COUNTS = {
    "labels": N_("Of {n} common examples {first} answers {right} right and {second} {other}."),
    "texts": N_("Of {n} common examples {first} answers {right} exactly right and {second} {other}."),
}

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Of runs by their place, from the palette of Okabe and Ito: neighbours differ in brightness too."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Of their lines."""

_STROKES = ((26, 0), (7, 3), (2, 3), (7, 3, 2, 3), (11, 4), (11, 3, 2, 3))
"""What each is in pixels: line, gap, line, gap."""

SHARE = Metric("share", "", "percent", "max", "")
"""Stands for a share that is no metric."""

_NAME_LIMIT = 60


def mark(index: int) -> str:
    """The mark of a run as HTML: its letter on its colour and a piece of its line; nothing of it is outside text."""
    ink = "#FFFFFF" if index == 0 else "#1C1B19"
    return (
        '<span style="display:inline-flex;align-items:center;gap:.4rem;line-height:1.4rem">'
        f'<span style="background:{COLOURS[index]};color:{ink};border-radius:.3rem;min-width:1.4rem;'
        f'text-align:center;font-weight:650">{LETTERS[index]}</span>'
        f'<span style="flex:none;width:26px;height:3px;background:{_stroke(index)}">&nbsp;</span></span>'
    )


def _stroke(index: int) -> str:
    """A run's line as a CSS background."""
    stops, position = [], 0
    for number, length in enumerate(_STROKES[index]):
        stops.append(f"{'transparent' if number % 2 else COLOURS[index]} {position}px {position + length}px")
        position += length
    return f"repeating-linear-gradient(90deg,{','.join(stops)})"


def names(runs: pd.DataFrame) -> list[str]:
    """What runs are called, with their seeds, or the beginning of their ids, where some share a name."""
    labels = [_titled(name, seeds) for name, seeds in zip(runs["name"], runs["seeds"], strict=True)]
    seeds = ["" if pd.isna(seed) else f", {_('seed {seed}').format(seed=int(seed))}" for seed in runs["seed"]]
    for more in (seeds, [f", {run_id.removeprefix(MEAN)[:8]}" for run_id in runs["run_id"]]):
        often = pd.Series(labels).duplicated(keep=False)
        labels = [name + (extra if again else "") for name, extra, again in zip(labels, more, often, strict=True)]
    return labels


def _titled(name: str, seeds: int) -> str:
    name = formatting.cut(name, _NAME_LIMIT)
    return name if seeds < 2 else _("{name}, mean of {n} seeds").format(name=name, n=seeds)


def lettered(names: Sequence[str]) -> list[str]:
    """Names with the letters of their runs."""
    return [f"{letter} {name}" for letter, name in zip(LETTERS, names, strict=False)]


def offered(row: Any, metric: Metric) -> str:
    """A run in the list of those that can be chosen."""
    if row.get("seeds", 1) > 1:
        return f"{_titled(row['name'], int(row['seeds']))}{_of_source(row)}: {formatting.value(metric, row['score'])}"
    seed = "" if pd.isna(row["seed"]) else f", {_('seed {seed}').format(seed=int(row['seed']))}"
    answered = "" if row["answered"] else f" ({_('no predictions')})"
    return f"{_titled(row['name'], 1)}{seed}{_of_source(row)}: {formatting.value(metric, row['score'])}{answered}"


def _of_source(row: Any) -> str:
    return "" if row["source"] == "measured" else f", {_(SOURCES[row['source']])}"


def points(share: float) -> str:
    """A difference of shares in points, with its sign, a true minus."""
    return formats.signed(100 * share, 2)


def spread(metric: Metric, value: float) -> str:
    """The standard deviation over seeds, in points where the metric is in percent."""
    return f"± {formatting.width(metric, value)}"


def between(low: str, high: str) -> str:
    """The ends of an interval, in any language."""
    return f"[{low}, {high}]"


def figure(measure: Measure, *, texts: bool) -> str:
    """What is tested, in the middle of a sentence; of answers that are texts, right is exactly right."""
    if measure in CORRELATIONS:
        return task_names.metric(measure).label
    return str(_(COMPARE_MEASURES["exact" if texts and measure == "right" else measure]))


def in_points(measure: Measure, *, texts: bool) -> str:
    """The same behind a number of points, which are hundredths."""
    return figure(measure, texts=texts) + (" × 100" if measure in CORRELATIONS else "")


def lead(verdict: Verdict, called: Sequence[str], *, texts: bool = False) -> str:
    """Who is best, and whether the data can tell, as Markdown: one sentence, and one about the test.

    Names have the letters of their runs where there are more than two; ``texts`` says that answers are texts.
    """
    safe = [f"**{plain(name)}**" for name in called]
    measured = figure(verdict.measure, texts=texts)
    if len(called) == 2:
        return f"{_two(verdict, safe, in_points(verdict.measure, texts=texts))} {_how(verdict, called)}"
    best, score = safe[verdict.best], _score(verdict)
    facts = {
        "best": best,
        "figure": measured,
        "score": score,
        "even": _list(safe, verdict.even),
        "worse": _list(safe, verdict.worse),
    }
    kind = "all" if not verdict.even else "none" if not verdict.worse else "some"
    return f"{_(COMPARE_BEST[kind]).format(**facts)} {_how(verdict, called)}"


def _score(verdict: Verdict) -> str:
    metric = known(verdict.measure) if verdict.measure in CORRELATIONS else SHARE
    return formatting.value(metric, verdict.scores[verdict.best])


def _two(verdict: Verdict, safe: Sequence[str], measured: str) -> str:
    pair = verdict.pairs[0]
    if pair.difference == 0 and pair.p == 1:
        return _("{first} and {second} are level: they get the same {figure} on every common example.").format(
            first=safe[0], second=safe[1], figure=measured
        )
    worst = 1 - verdict.best
    sign = 1 if verdict.best == 1 else -1
    ends = sorted((sign * pair.low, sign * pair.high))
    facts = {
        "best": safe[verdict.best],
        "other": safe[worst],
        "figure": measured,
        "difference": points(sign * pair.difference),
        "low": points(ends[0]),
        "high": points(ends[1]),
    }
    return (
        _("{best} is better than {other}: {difference} points of {figure} (95% interval {low} to {high}).")
        if verdict.worse
        else _(
            "{best} and {other} do not differ significantly: {difference} points of {figure} (95% "
            "interval {low} to {high})."
        )
    ).format(**facts)


def _how(verdict: Verdict, called: Sequence[str]) -> str:
    facts = {
        "n": f"{verdict.n:,}",
        "test": _(COMPARE_TESTS["means" if verdict.means else "right" if verdict.measure == "right" else "overlap"]),
        "pairs": len(verdict.pairs),
    }
    if len(called) == 2:
        return _("On {n} common examples; {test}, {p}.").format(p=plain(p_value(verdict.pairs[0].p)), **facts)
    return _(
        "On {n} common examples; {test}, with Holm's correction because {pairs} pairs are looked at together."
    ).format(**facts)


def _list(safe: Sequence[str], places: Sequence[int]) -> str:
    return ", ".join(safe[index] for index in places)


def counts(compared: comparison.Comparison, called: Sequence[str]) -> str:
    """How many of the common examples two runs answer right, as Markdown."""
    total = len(compared.common)
    first, second = (int(count) for count in compared.common.right.sum(axis=0))
    kind = "texts" if compared.chosen.texts else "labels"
    return _(COMPARE_COUNTS[kind]).format(
        n=f"{total:,}", first=plain(called[0]), second=plain(called[1]), right=f"{first:,}", other=f"{second:,}"
    )


def verdict_of(pair: Pair) -> str:
    """What one test says of two runs."""
    return str(_("significant") if pair.apart else _("not significant"))


def other_data(chosen: RunSelection) -> list[str]:
    """Exactly in what the data of runs differ, one line of Markdown each; nothing where they do not."""
    lines = []
    for kind, values in comparison.other_data(chosen).items():
        listed = []
        for value, runs in values.items():
            label = plain(str(value)[:12] if kind == "content" else value)
            listed.append(f"{label} ({', '.join(LETTERS[run] for run in runs)})")
        lines.append(_(COMPARE_OTHER[kind]).format(values="; ".join(listed)))
    return lines
