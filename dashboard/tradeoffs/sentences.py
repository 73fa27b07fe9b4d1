"""The sentences of the trade-off page: a mark, the frontier, what is missing."""

import pandas as pd

from dashboard.tradeoffs.figure_data import Picture
from dashboard.tradeoffs.quantities import COSTS, TRADE_COSTS, quantity
from dashboard.ui.i18n import _
from dashboard.ui.labels import SOURCES


def cost_label(key: str, amount: str) -> str:
    """Word an amount of a cost: ``391k parameters``, ``1.6 MB on disk``."""
    return _(TRADE_COSTS[key].amount).format(value=amount)


def cost_sentence(key: str, value: float) -> str:
    """Word a stored value of a cost."""
    return cost_label(key, quantity(key).text(value))


def inside(label: str) -> str:
    """A label inside a sentence: ``accuracy``, but ``F1`` and ``GLUE score``."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def score_told(shown: Picture, row: pd.Series) -> str:
    """A mark's score with its interval and its seeds."""
    text = shown.y.text(row["y"])
    if pd.notna(row["low"]) and pd.notna(row["high"]):
        ends = (shown.y.text(row[end]).removesuffix("%") for end in ("low", "high"))
        text += " (" + _("{low} to {high}").format(**dict(zip(("low", "high"), ends, strict=True))) + ")"
    several = pd.notna(row["seeds"]) and row["seeds"] > 1
    return f"{text}, {_('mean of {count} seeds').format(count=int(row['seeds']))}" if several else text


def costs_told(shown: Picture, row: pd.Series) -> str:
    """A mark's cost, and its third figure where there is one."""
    text = cost_sentence(shown.x.key, row["x"])
    if shown.size is None or pd.isna(row["weight"]):
        return text
    third = shown.size
    more = (
        cost_sentence(third.key, row["weight"])
        if third.key in COSTS
        else f"{inside(third.label)} {third.text(row['weight'])}"
    )
    return f"{text}, {more}"


def front_told(shown: Picture) -> str:
    """From where to where the frontier goes, in a sentence."""
    front = shown.front
    first, last = front.iloc[0], front.iloc[-1]
    facts = [f"{cost_sentence(shown.x.key, row['x'])}, {shown.y.text(row['y'])}" for row in (first, last)]
    names = {"first": first["model"], "last": last["model"], "first_facts": facts[0], "last_facts": facts[1]}
    if len(front) == 1:
        text = (
            _("{first} alone ({first_facts}): nothing scores better, and nothing that scores as well costs less.")
            if shown.marks["ranked"].all()
            else _(
                "{first} alone ({first_facts}): no measured or submitted row scores better, and none that scores as "
                "well costs less."
            )
        )
        return str(text).format(**names)
    return str(_("{count} of {rows} rows, from {first} ({first_facts}) to {last} ({last_facts}).")).format(
        count=len(front), rows=len(shown.marks) + shown.left_out, **names
    )


def machines(shown: Picture) -> int:
    """On how many machines the cost was measured; 0 where it depends on none."""
    return int(shown.marks["device"].nunique()) if shown.x.key in ("latency", "memory", "time") else 0


def origin_told(row: pd.Series) -> str:
    """Where a mark comes from: its source, and whether it is verified."""
    source = _(SOURCES[row["source"]]).lower()
    return f"{source}, {_('verified')}" if row["verified"] else source


def notes(shown: Picture) -> str:
    """What can be done with the figure, and what is not in it."""
    lines = [
        _(
            "Click a mark to see its run. Shift adds marks to compare, and the tools above the plot "
            "draw a box or a loop around them."
        )
    ]
    if not shown.marks["ranked"].all():
        lines.append(_("The frontier is that of measured and submitted rows; printed rows stand beside it."))
    gaps = ((shown.x, shown.no_cost), (shown.y, shown.no_score))
    missing = ", ".join(f"{gap.label} ({count})" for gap, count in gaps if count)
    if missing:
        lines.append(_("Not in the plot, because a figure is missing: {missing}.").format(missing=missing))
    if shown.left_out:
        marks = len(shown.marks)
        lines.append(
            _("Drawn are the frontier and the best of the others, {drawn} of {count} marks.").format(
                drawn=marks, count=marks + shown.left_out
            )
        )
    if machines(shown) > 1:
        lines.append(
            _("Measured on {count} different machines: such figures cannot be compared closely.").format(
                count=machines(shown)
            )
        )
    weights = shown.marks["weight"].dropna()
    if shown.size is not None and len(weights):
        ends = {"low": shown.size.text(weights.min()), "high": shown.size.text(weights.max())}
        lines.append(
            _("Size of marks: {label}, {low} to {high}; the smallest also where it is missing.").format(
                label=shown.size.label, **ends
            )
        )
    return " ".join(lines)
