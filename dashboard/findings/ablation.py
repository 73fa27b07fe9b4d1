"""Which part of a distillation matters most: the rows of the table, the sentences, the commands."""

import math

import pandas as pd

from dashboard.ui import phrases
from dashboard.ui.i18n import N_, NP_, _, ngettext, translated
from dashboard.ui.labels import ABLATION_KINDS
from db.analysis.ablation import PARTS, SCORED, WHOLE, Ablation, Difference, Part
from db.registry.formats import DASH

ABLATION_COLUMNS = (N_("Left out"), N_("Printed"), N_("Measured"), NP_("ablation columns", "Seeds"))
ABLATION_PARTS = {
    "minilm-l3-no-kl": (N_("Soft labels (KL)"), N_("the soft labels (KL)")),
    "minilm-l3-no-cosine": (N_("Hidden states (cosine)"), N_("the hidden states (cosine)")),
    "minilm-l3-no-mlm": (N_("Hidden words (MLM)"), N_("the hidden words (MLM)")),
    "minilm-l3-random": (N_("Teacher's weights at the start"), N_("the teacher's weights at the start")),
}

PRINTED, MEASURED = "DistilBERT", "DistilMiniLM"
"""Families of the printed and of the measured students."""


def points(found: Ablation) -> pd.DataFrame:
    """The marks of the figure: ``place, label, kind, family, value, spread, text``."""
    rows: list[tuple[int, str, str, str, float, float, str]] = []
    for place, one in enumerate(found.differences):
        name = _name(one.part)
        without = _("Without {part}").format(part=_inside(one.part))
        if one.printed is not None:
            rows.append(
                (
                    place,
                    name,
                    "printed",
                    PRINTED,
                    one.printed,
                    0.0,
                    f"{without}: {signed(one.printed)}, {_(ABLATION_KINDS['printed'])}",
                )
            )
        if one.by_seed:
            told = f"{without}: {_measured(one)}, {ngettext('{n} seed', '{n} seeds', len(one.by_seed))}"
            rows.append((place, name, "measured", MEASURED, one.mean, _or_none(one.spread), told))
        if len(one.by_seed) > 1:
            rows += [
                (
                    place,
                    name,
                    "one seed",
                    MEASURED,
                    value,
                    0.0,
                    f"{_('Seed {seed}').format(seed=seed)}: {signed(value)}",
                )
                for seed, value in one.by_seed.items()
            ]
    return pd.DataFrame(rows, columns=["place", "label", "kind", "family", "value", "spread", "text"])


def table(found: Ablation) -> pd.DataFrame:
    """One row a part, as text: printed difference, measured one with its spread, and each seed."""
    return pd.DataFrame(
        [
            (_name(one.part), DASH if one.printed is None else signed(one.printed), _measured(one), _seeds(one))
            for one in found.differences
        ],
        columns=list(translated(ABLATION_COLUMNS)),
    )


def whole(found: Ablation) -> str:
    """What the differences are differences from, in one sentence; nothing where nothing was measured."""
    if not found.whole:
        return ""
    mean = sum(found.whole.values()) / len(found.whole)
    return _("With all parts: {mean} on average over {seeds}.").format(
        mean=f"{mean:.2f}", seeds=ngettext("{n} seed", "{n} seeds", len(found.whole))
    )


def verdict(found: Ablation) -> str:
    """What matters most, here and in print, in one sentence or two; nothing where nothing was measured."""
    if not found.measured:
        return ""
    worst = min(found.measured, key=lambda one: one.mean)
    if worst.mean >= 0:
        told = _("Nothing that is left out costs anything here")
    else:
        told = _("Most is lost without {part}: {points} points {seeds}").format(
            part=_inside(worst.part),
            points=_measured(worst),
            seeds=ngettext("for one seed", "over {n} seeds", len(worst.by_seed)),
        )
    unclear = [_inside(one.part) for one in found.measured if not one.clear]
    rest = (
        " " + _("These seeds do not tell from nothing: {parts}.").format(parts=phrases.listed(unclear))
        if unclear
        else ""
    )
    return f"{told}{_printed_worst(found, worst)}.{rest}"


def signed(value: float) -> str:
    """Points with a sign; a true minus."""
    return f"{round(value, 2) + 0.0:+.2f}".replace("-", "\N{MINUS SIGN}")


def _printed_worst(found: Ablation, worst: Difference) -> str:
    printed = [(one.printed, one.part) for one in found.differences if one.printed is not None]
    if not printed:
        return ""
    value, part = min(printed, key=lambda one: one[0])
    same = worst.mean < 0 and part == worst.part
    told = (
        _("; the paper finds the same, {points}") if same else _("; in the paper most is lost without {part}, {points}")
    )
    return told.format(part=_inside(part), points=signed(value))


def _name(part: Part) -> str:
    return str(translated(ABLATION_PARTS).get(part.recipe, (part.name,))[0])


def _inside(part: Part) -> str:
    """The part as it is named inside a sentence."""
    return str(translated(ABLATION_PARTS).get(part.recipe, (part.name,))[-1])


def commands() -> str:
    """What measures all of it; DIR holds MultiNLI, SQuAD, and English text for the students, which come first."""
    students = [WHOLE, *(part.recipe for part in PARTS)]
    tuned = "\n".join(f"  featherboard sweep $student-{task} --data DIR --seeds 0,1,2" for task in SCORED)
    return f"for student in {' '.join(students[:3])} \\\n    {' '.join(students[3:])}; do\n{tuned}\ndone"


def _measured(one: Difference) -> str:
    if not one.by_seed:
        return DASH
    return signed(one.mean) if math.isnan(one.spread) else f"{signed(one.mean)} ± {one.spread:.2f}"


def _seeds(one: Difference) -> str:
    return ", ".join(signed(value) for value in one.by_seed.values()) or DASH


def _or_none(spread: float) -> float:
    return 0.0 if math.isnan(spread) else spread
