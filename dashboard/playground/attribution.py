"""What a verdict hangs on, as marks in the text and in words: each part was left out, and the model asked again."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dashboard.playground import rendering
from dashboard.ui.i18n import N_, _, translated

TRY_LABELS = {
    "negative": N_("Negative"),
    "positive": N_("Positive"),
    "entailment": N_("Entailment"),
    "neutral": N_("Neutral"),
    "contradiction": N_("Contradiction"),
}
PAIR_LEGEND = {
    "for": N_("speaks for the verdict: without it, the probability falls"),
    "against": N_("speaks against it: without it, the probability rises"),
    "turns": N_("turns the verdict: without it, the model says something else"),
}


if TYPE_CHECKING:
    from engine.inference.schemas import Attribution, Verdict

LEAST = 0.01
"""What the probability moves at least for a part to be marked."""

_FULL = 0.5
"""What gives a mark its full colour. The same in every card, so that the cards can be compared."""

_TOLD = 3
_LONG = 40
"""Characters of a part that is told in words."""


def counts(unit: "Attribution") -> bool:
    """Whether a part is worth a mark."""
    return abs(unit.weight) >= LEAST or unit.turns is not None


def strength(weight: float) -> float:
    """How deep the colour of a part is, 0 to 1. The root keeps small weights visible beside large ones."""
    return min(1.0, math.sqrt(abs(weight) / _FULL))


def blocks(
    labels: Sequence[str], texts: Sequence[str], verdict: "Verdict", units: "Sequence[Attribution]"
) -> list[rendering.Block]:
    """The texts with their marks, and the parts that matter most in words.

    Args:
        labels: What the texts are called.
        texts: Those of the verdict.
        verdict: What was said of them.
        units: What their parts do for it.
    """
    found: list[rendering.Block] = []
    for part, words in enumerate(texts):
        marks = [
            rendering.Mark(one.start, one.end, _kind(one), strength(one.weight), moved(verdict, one))
            for one in units
            if one.part == part and counts(one)
        ]
        found.append(rendering.weighed(labels[part], words, marks, named=len(texts) > 1))
    most = _most(texts, units)
    if most:
        found.append(
            rendering.effects(
                _("What matters most: probability of {label}").format(label=_(TRY_LABELS[verdict.label])),
                [_row(labels, texts, verdict, one) for one in most],
            )
        )
    else:
        found.append(rendering.note(_("No single part moves the probability by as much as one point.")))
    return found


def _most(texts: Sequence[str], units: "Sequence[Attribution]") -> "list[Attribution]":
    """The parts that matter most: those that turn the verdict before others; a word that stands there twice, once."""
    found: dict[tuple[int, str], Attribution] = {}
    for one in sorted(filter(counts, units), key=lambda one: (one.turns is None, -abs(one.weight))):
        found.setdefault((one.part, texts[one.part][one.start : one.end]), one)
    return list(found.values())[:_TOLD]


def _kind(unit: "Attribution") -> str:
    side = "for" if unit.weight >= 0 else "against"
    return side if unit.turns is None else f"{side} turns"


def moved(verdict: "Verdict", unit: "Attribution") -> str:
    """What the verdict's probability becomes without a part, and what the verdict does."""
    template = "{label} {change}" if unit.turns is None else _("{label} {change}, turns to {other}")
    return template.format(
        label=_(TRY_LABELS[verdict.label]),
        change=_change(verdict, unit),
        other=translated(TRY_LABELS).get(unit.turns or "", ""),
    )


def _change(verdict: "Verdict", unit: "Attribution") -> str:
    before = verdict.probabilities[verdict.label]
    return f"{rendering.percent(before)} → {rendering.percent(min(1.0, max(0.0, before - unit.weight)))}"


def _row(
    labels: Sequence[str], texts: Sequence[str], verdict: "Verdict", unit: "Attribution"
) -> tuple[str, str, str, str, str, str]:
    words = texts[unit.part][unit.start : unit.end]
    before, _unused, after = _("without “{part}”").partition("{part}")
    if len(texts) > 1:
        after += f" ({labels[unit.part]})"
    shown = words if len(words) <= _LONG else f"{words[:_LONG]}…"
    turns = _(TRY_LABELS[unit.turns]) if unit.turns else ""
    return before, shown, after, _change(verdict, unit), turns, moved(verdict, unit)


def legend(units: "Sequence[Attribution]") -> list[rendering.Block]:
    """What the marks that there are mean; nothing where there are none."""
    marked = [one for one in units if counts(one)]
    there = {
        "for": any(one.weight >= 0 for one in marked),
        "against": any(one.weight < 0 for one in marked),
        "turns": any(one.turns is not None for one in marked),
    }
    rows = [(name, _("word"), _(PAIR_LEGEND[name])) for name, shown in there.items() if shown]
    return (
        [
            rendering.legend(rows),
            rendering.note(
                _(
                    "Each part is left out once and the model reads the rest. The deeper the colour, the more "
                    "the probability moves; parts that move it by less than one point are not marked."
                )
            ),
        ]
        if rows
        else []
    )


def facts(texts: Sequence[str], units: "Sequence[Attribution]") -> list[dict[str, Any]]:
    """The weights for programs. Places count characters (code points)."""
    return [
        {
            "part": one.part,
            "start": one.start,
            "end": one.end,
            "text": texts[one.part][one.start : one.end],
            "weight": round(one.weight, 6),
            "turns": one.turns,
        }
        for one in units
    ]
