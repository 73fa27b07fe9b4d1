"""Which parts of a text a verdict depends on, as marks and in words: each part was left out once."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dashboard.playground import rendering, state
from dashboard.ui.i18n import N_, _

if TYPE_CHECKING:
    from engine.inference.schemas import Attribution, Verdict

LEGEND = {
    "for": N_("supports the label: without it, the probability falls"),
    "against": N_("opposes the label: without it, the probability rises"),
    "turns": N_("flips the label: without it, the model predicts another one"),
}
MIN_WEIGHT = 0.01
"""Change of the probability from which a part is marked."""

_FULL = 0.5
"""Weight with the full colour; the same in every card, so that cards can be compared."""

_LISTED, _MAX_CHARS = 3, 40
"""Parts that are listed in words, and characters of each."""


def _counts(part: "Attribution") -> bool:
    return abs(part.weight) >= MIN_WEIGHT or part.turns is not None


def blocks(
    labels: Sequence[str], texts: Sequence[str], verdict: "Verdict", parts: "Sequence[Attribution]"
) -> list[rendering.Block]:
    """Return the texts with their marks, and the parts that matter most in words."""
    result: list[rendering.Block] = []
    for index, text in enumerate(texts):
        marks = [
            # The root keeps small weights visible beside large ones.
            rendering.Mark(
                part.start, part.end, _kind(part), min(1.0, math.sqrt(abs(part.weight) / _FULL)), _effect(verdict, part)
            )
            for part in parts
            if part.part == index and _counts(part)
        ]
        result.append(rendering.weighted(labels[index], text, marks, named=len(texts) > 1))
    largest = _largest(texts, parts)
    if not largest:
        return [*result, rendering.note(_("No single part changes the probability by one point or more."))]
    title = _("Word importance: probability of {label}").format(label=state.label_name(verdict.label))
    return [*result, rendering.effects(title, [_row(labels, texts, verdict, part) for part in largest])]


def _largest(texts: Sequence[str], parts: "Sequence[Attribution]") -> "list[Attribution]":
    """Return the parts that matter most: those that flip the label first, and a repeated word once."""
    result: dict[tuple[int, str], Attribution] = {}
    for part in sorted(filter(_counts, parts), key=lambda part: (part.turns is None, -abs(part.weight))):
        result.setdefault((part.part, texts[part.part][part.start : part.end]), part)
    return list(result.values())[:_LISTED]


def _kind(part: "Attribution") -> str:
    side = "for" if part.weight >= 0 else "against"
    return side if part.turns is None else f"{side} turns"


def _effect(verdict: "Verdict", part: "Attribution") -> str:
    template = "{label} {change}" if part.turns is None else _("{label} {change}, becomes {other}")
    other = state.label_name(part.turns) if part.turns else ""
    return template.format(label=state.label_name(verdict.label), change=_change(verdict, part), other=other)


def _change(verdict: "Verdict", part: "Attribution") -> str:
    before = verdict.probabilities[verdict.label]
    return f"{rendering.percent(before)} → {rendering.percent(min(1.0, max(0.0, before - part.weight)))}"


def _row(labels: Sequence[str], texts: Sequence[str], verdict: "Verdict", part: "Attribution") -> dict[str, str]:
    text = texts[part.part][part.start : part.end]
    before, _placeholder, after = _("without “{part}”").partition("{part}")
    return {
        "before": before,
        "t": text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}…",
        "after": f"{after} ({labels[part.part]})" if len(texts) > 1 else after,
        "value": _change(verdict, part),
        "turns": state.label_name(part.turns) if part.turns else "",
        "title": _effect(verdict, part),
    }


def legend(parts: "Sequence[Attribution]") -> list[rendering.Block]:
    """Return the meaning of the marks of some parts; nothing where none is marked."""
    kinds = " ".join(_kind(part) for part in parts if _counts(part)).split()
    rows = [(name, _("word"), _(meaning)) for name, meaning in LEGEND.items() if name in kinds]
    if not rows:
        return []
    explanation = _(
        "Each part is left out once and the model reads the rest. The deeper the colour, the more the "
        "probability changes; parts that change it by less than one point are not marked."
    )
    return [rendering.legend(rows), rendering.note(explanation)]


def as_facts(texts: Sequence[str], parts: "Sequence[Attribution]") -> list[dict[str, Any]]:
    """Return the weights for programs. Positions count characters (code points)."""
    return [
        {
            "part": part.part,
            "start": part.start,
            "end": part.end,
            "text": texts[part.part][part.start : part.end],
            "weight": round(part.weight, 6),
            "turns": part.turns,
        }
        for part in parts
    ]
