"""Which part of a distillation matters most: the rows of the table, the sentences, the commands."""

import math

import pandas as pd

from db.ablation import PARTS, SCORED, WHOLE, Ablation, Difference
from db.ablation import points as signed
from db.formats import DASH

PRINTED, MEASURED = "DistilBERT", "DistilMiniLM"
"""Families of the printed and of the measured students."""


def points(found: Ablation) -> pd.DataFrame:
    """The marks of the figure: ``place, label, kind, family, value, spread, text``."""
    rows: list[tuple[int, str, str, str, float, float, str]] = []
    for place, one in enumerate(found.differences):
        without = f"Without the {one.part.name[0].lower()}{one.part.name[1:]}"
        if one.printed is not None:
            rows.append((place, one.part.name, "printed", PRINTED, one.printed, 0.0,
                         f"{without}: {signed(one.printed)}, printed"))  # fmt: skip
        if one.by_seed:
            told = f"{without}: {_measured(one)}, {_count(len(one.by_seed), 'seed')}"
            rows.append((place, one.part.name, "measured", MEASURED, one.mean, _or_none(one.spread), told))
        if len(one.by_seed) > 1:
            rows += [(place, one.part.name, "one seed", MEASURED, value, 0.0, f"Seed {seed}: {signed(value)}")
                     for seed, value in one.by_seed.items()]  # fmt: skip
    return pd.DataFrame(rows, columns=["place", "label", "kind", "family", "value", "spread", "text"])


def table(found: Ablation) -> pd.DataFrame:
    """One row a part, as text: printed difference, measured one with its spread, and each seed."""
    return pd.DataFrame(
        [(one.part.name, DASH if one.printed is None else signed(one.printed), _measured(one), _seeds(one))
         for one in found.differences],
        columns=["Left out", "Printed", "Measured", "Seeds"],
    )  # fmt: skip


def whole(found: Ablation) -> str:
    """What the differences are differences from, in one sentence; nothing where nothing was measured."""
    if not found.whole:
        return ""
    mean = sum(found.whole.values()) / len(found.whole)
    return f"With all parts: {mean:.2f} on average over {_count(len(found.whole), 'seed')}."


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


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
