"""Two runs example by example: what they are called, what the test says, the rows of the table."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from db import answers, formats
from db.compare import Compared
from db.metrics import known
from db.twins import LEVEL, p_value


def names(found: Compared) -> tuple[str, str]:
    """What the two runs are called; with their seeds, or the beginning of their ids, where they share a name."""
    first, second = found.first, found.second
    if first["name"] != second["name"]:
        return str(first["name"]), str(second["name"])
    if pd.notna(first["seed"]) and pd.notna(second["seed"]) and first["seed"] != second["seed"]:
        return f"{first['name']}, seed {int(first['seed'])}", f"{second['name']}, seed {int(second['seed'])}"
    return f"{first['name']}, {first['run_id'][:8]}", f"{second['name']}, {second['run_id'][:8]}"


def lead(found: Compared) -> str:
    """Who answers more right, and whether that is more than chance, in two sentences."""
    total, both = len(found.examples), found.count("both")
    ahead, behind = found.count("only_first"), found.count("only_second")
    (first, second), exactly = names(found), "exactly right" if found.texts else "right"
    told = f"Of {total:,} common examples {first} answers {both + ahead:,} {exactly}, {second} {both + behind:,}."
    if ahead == behind == 0:
        return f"{told} They are right on the same ones."
    better = first if ahead > behind else second
    chance = f"{p_value(found.p)}, exact McNemar test"
    if found.p < LEVEL:
        return f"{told} {better} is better ({chance})."
    return f"{told} The data cannot tell them apart ({chance})."


def table(found: Compared, group: str, labels: Sequence[str]) -> pd.DataFrame:
    """The examples of a group as text: id, gold answer, both answers.

    Args:
        found: The comparison.
        group: One of ``db.compare.GROUPS``.
        labels: Names of the task's classes; empty where answers are texts.
    """
    rows = found.examples[found.examples["group"] == group]
    first, second = names(found)
    if first == second:  # one run against itself: a table needs two columns
        second = f"{second} (again)"
    return pd.DataFrame(
        {
            "Example": rows["example_id"].tolist(),
            "Gold": [gold(value, labels) for value in rows["gold"]],
            first: [answer(value, labels) for value in rows["first"]],
            second: [answer(value, labels) for value in rows["second"]],
        }
    )


def scores(found: Compared) -> list[tuple[str, str]]:
    """Each run's name and score on its board."""
    metric = known(str(found.first["metric"]))
    both = zip(names(found), (found.first, found.second), strict=True)
    return [(name, f"{metric.label} {formats.value(metric, facts['score'])}") for name, facts in both]


def gold(value: str, labels: Sequence[str]) -> str:
    """A gold answer as a reader sees it: a class by its name, of several answers all, a withheld one as a dash."""
    try:
        told = answers.unpack(value)
    except ValueError:
        return answer(value, labels)
    return " / ".join(dict.fromkeys(answer(one, labels) for one in told))


def answer(value: Any, labels: Sequence[str]) -> str:
    """An answer as a reader sees it; a dash where there is none or its text is withheld."""
    if pd.isna(value) or value == "" or answers.is_withheld(str(value)):
        return formats.DASH
    place = str(value)
    return labels[int(place)] if place.isdecimal() and int(place) < len(labels) else place
