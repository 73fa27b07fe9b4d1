"""Which part of a distillation matters most: the rows of the table, the sentences, the commands."""

import math

import pandas as pd

from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _, ngettext, pgettext
from dashboard.ui.labels import ABLATION_KINDS
from db.analysis.findings.ablation import Ablation, Difference, Part, Study
from db.analysis.paired_tests import p_value
from db.registry import formats
from db.registry.formats import DASH

LEFT_OUT = {
    "distilbert-no-ce": ("no-kl", N_("Soft labels (KL)"), N_("the soft labels (KL)")),
    "distilbert-no-cos": ("no-cosine", N_("Hidden states (cosine)"), N_("the hidden states (cosine)")),
    "distilbert-no-mlm": ("no-mlm", N_("Masked language modelling (MLM)"), N_("masked language modelling (MLM)")),
    "distilbert-random-init": (
        "random",
        N_("Teacher's weights at the start"),
        N_("the teacher's weights at the start"),
    ),
}
"""By the printed model without it: the end of a recipe's name, the part in a table, the part within a sentence."""


def study(family: str, baseline: str, tasks: tuple[str, ...]) -> Study:
    """Return the ablation of DistilBERT's triple loss, and of the teacher's weights at the start, on a student."""
    parts = tuple(Part(f"{baseline}-{ending}", printed) for printed, (ending, _unused, _inside) in LEFT_OUT.items())
    return Study(family, baseline, parts, tasks, printed_task="distil-ablation")


ENGLISH_TEXT = study("DistilMiniLM", "minilm-l3", ("english-text",))
ENGLISH = study("DistilMiniLM", "minilm-l3", ("mnli", "squad"))
KOREAN_TEXT = study("DistilE5", "e5-l3", ("korean-text",))
STUDIES = (ENGLISH_TEXT, ENGLISH, KOREAN_TEXT)
PRINTED = "DistilBERT"
"""Family of the printed students."""


def title(study: Study) -> str:
    """Say which students are scored on what."""
    tasks = formatting.listed([task_names.name(task) for task in study.tasks])
    return _("{family} on {tasks}").format(family=study.family, tasks=tasks)


def points(ablation: Ablation, family: str) -> pd.DataFrame:
    """The marks of the figure: ``place, label, kind, family, value, spread, text``; measured ones are of a family."""
    rows: list[tuple[int, str, str, str, float, float, str]] = []
    for position, difference in enumerate(ablation.differences):
        name = _name(difference.part)
        without = _("Without {part}").format(part=_inside(difference.part))
        marks: list[tuple[str, str, float, float, str]] = []
        if difference.printed is not None:
            text = f"{without}: {formats.signed(difference.printed, 2)}, {_(ABLATION_KINDS['printed'])}"
            marks.append(("printed", PRINTED, difference.printed, 0.0, text))
        if difference.by_seed:
            text = f"{without}: {_measured(difference)}, {ngettext('{n} seed', '{n} seeds', len(difference.by_seed))}"
            spread = 0.0 if math.isnan(difference.spread) else difference.spread
            marks.append(("measured", family, difference.mean, spread, text))
        if len(difference.by_seed) > 1:
            for seed, value in difference.by_seed.items():
                text = f"{_('Seed {seed}').format(seed=seed)}: {formats.signed(value, 2)}"
                marks.append(("one seed", family, value, 0.0, text))
        rows += [(position, name, *mark) for mark in marks]
    return pd.DataFrame(rows, columns=["place", "label", "kind", "family", "value", "spread", "text"])


def table(ablation: Ablation) -> pd.DataFrame:
    """One row a part, as text: printed difference, measured one with its spread, and each seed."""
    seeds = pgettext("ablation columns", "Seeds")
    heads = [_("Left out"), _("Printed"), _("Measured"), seeds, _("Paired t-test, Holm")]
    return pd.DataFrame(
        [
            (
                _name(difference.part),
                DASH if difference.printed is None else formats.signed(difference.printed, 2),
                _measured(difference),
                _seeds(difference),
                DASH if math.isnan(difference.p) else p_value(difference.p),
            )
            for difference in ablation.differences
        ],
        columns=heads,
    )


def whole(ablation: Ablation) -> str:
    """What the differences are differences from, in one sentence; nothing where nothing was measured."""
    if not ablation.baseline:
        return ""
    mean = sum(ablation.baseline.values()) / len(ablation.baseline)
    return _("With all parts: {mean} on average over {seeds}.").format(
        mean=f"{mean:.2f}", seeds=ngettext("{n} seed", "{n} seeds", len(ablation.baseline))
    )


def verdict(ablation: Ablation) -> str:
    """What matters, here and in print, in one sentence or two; nothing where nothing was measured."""
    if not ablation.measured:
        return ""
    lost = [difference for difference in ablation.measured if difference.clear and difference.mean < 0]
    largest = min(lost or ablation.measured, key=lambda difference: difference.mean if lost else -abs(difference.mean))
    count = len(largest.by_seed)
    if not lost:
        sentence = ngettext(
            "One seed cannot tell the effect of any part from chance; the largest difference measured is {points} "
            "points, without {part}",
            "{n} seeds cannot tell the effect of any part from chance; the largest difference measured is {points} "
            "points, without {part}",
            count,
            part=_inside(largest.part),
            points=_measured(largest),
        )
        return f"{sentence}{_printed_worst(ablation, None)}."
    sentence = _("Most is lost without {part}: {points} points {seeds}, {p} by the paired t-test").format(
        part=_inside(largest.part),
        points=_measured(largest),
        seeds=ngettext("for one seed", "over {n} seeds", count),
        p=p_value(largest.p),
    )
    sentences = [f"{sentence}{_printed_worst(ablation, largest)}."]
    others = [
        _("{part} ({points}, {p})").format(part=_inside(part.part), points=_measured(part), p=p_value(part.p))
        for part in lost
        if part is not largest
    ]
    if others:
        sentences.append(_("Also significant: {parts}.").format(parts=formatting.listed(others)))
    unclear = [_inside(difference.part) for difference in ablation.measured if not difference.clear]
    if unclear:
        sentences.append(_("Not significant with these seeds: {parts}.").format(parts=formatting.listed(unclear)))
    return " ".join(sentences)


def _printed_worst(ablation: Ablation, worst: Difference | None) -> str:
    printed = [
        (difference.printed, difference.part) for difference in ablation.differences if difference.printed is not None
    ]
    if not printed:
        return ""
    value, part = min(printed, key=lambda difference: difference[0])
    same = worst is not None and part == worst.part
    template = (
        _("; the paper finds the same, {points}") if same else _("; in the paper most is lost without {part}, {points}")
    )
    return template.format(part=_inside(part), points=formats.signed(value, 2))


def _name(part: Part) -> str:
    return _(LEFT_OUT[part.printed][1])


def _inside(part: Part) -> str:
    """The part as it is named inside a sentence."""
    return _(LEFT_OUT[part.printed][2])


def commands(study: Study) -> str:
    """What measures all of it; DIR holds the data of its tasks, and text for the students, which come first."""
    students = study.students
    recipes = (study.recipe("$student", task) for task in study.tasks)
    tuned = "\n".join(f"  featherboard sweep {recipe} --data DIR --seeds 0,1,2" for recipe in recipes)
    return f"for student in {' '.join(students[:3])} \\\n    {' '.join(students[3:])}; do\n{tuned}\ndone"


def _measured(difference: Difference) -> str:
    if not difference.by_seed:
        return DASH
    return (
        formats.signed(difference.mean, 2)
        if math.isnan(difference.spread)
        else f"{formats.signed(difference.mean, 2)} ± {difference.spread:.2f}"
    )


def _seeds(difference: Difference) -> str:
    return ", ".join(formats.signed(value, 2) for value in difference.by_seed.values()) or DASH
