"""What distillation brings: a distilled variant beside the plain one of the same shape, trained on the same data."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pandas as pd

from db import pairs, seeds, stats
from db.seeds import Summary
from db.store import Store

LEVEL = 0.05
"""Below this p-value a paired test tells two runs apart."""

# A paired test counts examples answered right; only this metric is the share of them.
_TESTED_METRIC = "accuracy"

# What a recipe says of itself, and the distillation, which is what is asked about.
_NO_SETTING = {"name", "model_id", "label", "family", "summary", "seed", "distill"}


@dataclass(frozen=True)
class SeedPair:
    """A plain and a distilled run of one seed.

    Attributes:
        seed: Of both.
        plain: The plain run's id.
        distilled: The distilled run's id.
        plain_score: In the metric's stored unit.
        distilled_score: Likewise.
        p: Of the exact McNemar test on the examples that both answered; None before ``with_tests``, or where they have
            none in common.
    """

    seed: int
    plain: str
    distilled: str
    plain_score: float
    distilled_score: float
    p: float | None = None


@dataclass(frozen=True)
class Twins:
    """A plain variant and its distilled twin, over the seeds that both have.

    Attributes:
        plain: The plain model's name.
        distilled: The distilled model's name.
        plain_family: Its family.
        distilled_family: Its family.
        teacher: Whose outputs the distilled one learned from.
        params: Of each of the two.
        metric: The primary metric of their board.
        maximise: Whether more of it is better.
        pairs: One a seed, by seed.
        plain_summary: The plain scores over these seeds.
        distilled_summary: The distilled ones.
        differs: Settings outside the distillation in which the recipes differ, such as ``train.epochs``.
        changed: When one of the runs was last written.
    """

    plain: str
    distilled: str
    plain_family: str
    distilled_family: str
    teacher: str
    params: int
    metric: str
    maximise: bool
    pairs: tuple[SeedPair, ...]
    plain_summary: Summary
    distilled_summary: Summary
    differs: tuple[str, ...]
    changed: datetime

    @property
    def gain(self) -> float:
        """The mean of distilled minus plain over the seeds, in the metric's stored unit."""
        return self.distilled_summary.mean - self.plain_summary.mean

    @property
    def settled(self) -> int:
        """1 where the distilled run is better at every seed by the paired test, -1 where the plain one is, else 0."""
        signs = {_sign(self, pair) if pair.p is not None and pair.p < LEVEL else 0 for pair in self.pairs}
        return signs.pop() if len(signs) == 1 else 0


def find(store: Store, task_id: str) -> list[Twins]:
    """The twins among the finished measured runs of a task's current version, the smallest first; not yet tested.

    A distilled run names its teacher. Its twin was trained on the same data without one, and has the same architecture,
    configuration and number of parameters. Of several distilled recipes of one variant the one with the best validation
    score counts; of several plain ones the one whose settings differ least, then the one that shares most seeds. A
    seed counts once, by its newest run.
    """
    rows = store.query(
        """
        SELECT r.run_id, r.recipe_hash, r.recipe_json, r.seed, r.dataset_hash, r.split, r.teacher, r.created_at,
               r.updated_at, r.model_id, m.name, m.family, m.architecture, m.config, m.params, t.metric, t.direction,
               p.value AS score, p.low, p.high, v.value AS validation
        FROM runs r
        JOIN models m USING (model_id)
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        LEFT JOIN metrics v ON v.run_id = r.run_id AND v.name = 'validation_' || t.metric
        WHERE r.task_id = $task AND r.task_version = (SELECT max(version) FROM tasks WHERE task_id = $task)
          AND r.source = 'measured' AND r.status = 'finished' AND m.params IS NOT NULL
          AND r.seed IS NOT NULL AND r.recipe_hash IS NOT NULL AND r.dataset_hash IS NOT NULL
        ORDER BY m.params, m.name, r.created_at DESC, r.run_id
        """,
        {"task": task_id},
    )
    rows = rows.drop_duplicates(["model_id", "recipe_hash", "dataset_hash", "split", "seed"])
    shapes = [
        json.dumps([row.architecture, row.params, json.loads(row.config), row.dataset_hash, row.split], sort_keys=True)
        for row in rows.itertuples()
    ]
    rows = rows.assign(shape=shapes)
    found: list[Twins] = []
    for _, alike in rows.groupby("shape", sort=False):
        plain = [recipe for _, recipe in alike[alike["teacher"].isna()].groupby("recipe_hash", sort=False)]
        for _, variant in alike[alike["teacher"].notna()].groupby("model_id", sort=False):
            distilled = _chosen(variant)
            beside = [recipe for recipe in plain if recipe["seed"].isin(distilled["seed"]).any()]
            if beside:
                found.append(_twins(min(beside, key=lambda recipe: _distance(recipe, distilled)), distilled))
    return found


def with_tests(store: Store, twins: Twins) -> Twins:
    """The same twins with the paired test of each seed, read in one short burst."""
    if twins.metric != _TESTED_METRIC:
        return twins
    with store.read() as con:
        counts = pairs.counted(con, [(pair.plain, pair.distilled) for pair in twins.pairs])
    told = [
        replace(pair, p=stats.mcnemar(int(row.only_first), int(row.only_second)) if row.n else None)
        for pair, row in zip(twins.pairs, counts.itertuples(), strict=True)
    ]
    return replace(twins, pairs=tuple(told))


def verdict(twins: Twins) -> str:
    """The paired tests of all seeds in one sentence.

    The tests of several seeds are told side by side and not joined into one: they share their examples.
    """
    total = len(twins.pairs)
    signs = [_sign(twins, pair) for pair in twins.pairs]
    ahead = f"in {sum(sign > 0 for sign in signs)} of {total} seeds" if total > 1 else "in the one seed"
    values = [pair.p for pair in twins.pairs if pair.p is not None]
    if len(values) < total:
        return f"Distilled ahead {ahead}; without common predictions there is no test."
    clear = [sign for sign, p in zip(signs, values, strict=True) if p < LEVEL]
    if twins.settled:
        better = "Distilled" if twins.settled > 0 else "Plain"
        return f"{better} better {f'in {total} of {total} seeds' if total > 1 else ahead}, {_at_most(values)}."
    if not clear:
        if total == 1:
            return f"The one seed cannot tell them apart, {_at_least(values)}."
        return f"No seed can tell them apart: distilled ahead {ahead}, {_at_least(values)}."
    told = f"clearly better in {clear.count(1)}" if 1 in clear else "clearly better in none"
    worse = f", clearly worse in {clear.count(-1)}" if -1 in clear else ""
    return f"Distilled ahead {ahead}, {told}{worse}; {_range(values)}."


def p_value(p: float) -> str:
    """A p-value to two digits: ``p = 0.00035``, ``p < 0.0001``."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def _at_most(values: Sequence[float]) -> str:
    most = max(values)
    return p_value(most) if most < 0.0001 or len(values) == 1 else f"p ≤ {_rounded(most, math.ceil)}"


def _at_least(values: Sequence[float]) -> str:
    least = min(values)
    return p_value(least) if len(values) == 1 else f"p ≥ {_rounded(least, math.floor)}"


def _range(values: Sequence[float]) -> str:
    least, most = min(values), max(values)
    return f"p from {'below 0.0001' if least < 0.0001 else f'{least:.2g}'} to {most:.2g}"


def _rounded(p: float, how: Any) -> str:
    """Two digits, rounded so that the bound stays true."""
    digits = 1 - math.floor(math.log10(p))
    return f"{how(round(p * 10**digits, 6)) / 10**digits:.2g}"


def _sign(twins: Twins, pair: SeedPair) -> int:
    difference = (pair.distilled_score - pair.plain_score) * (1 if twins.maximise else -1)
    return (difference > 0) - (difference < 0)


def _chosen(variant: pd.DataFrame) -> pd.DataFrame:
    """The runs of the recipe with the best mean validation score; the newest where no recipe has one."""
    recipes = [recipe for _, recipe in variant.groupby("recipe_hash", sort=False)]
    sign = 1 if variant["direction"].iloc[0] == "max" else -1
    return max(recipes, key=lambda recipe: (_or_least(sign * recipe["validation"].mean()), recipe["created_at"].max()))


def _or_least(number: float) -> float:
    return -math.inf if math.isnan(number) else float(number)


def _distance(plain: pd.DataFrame, distilled: pd.DataFrame) -> tuple[int, int, str]:
    shared = int(plain["seed"].isin(distilled["seed"]).sum())
    return len(_differing(plain, distilled)), -shared, str(plain["recipe_hash"].iloc[0])


def _differing(plain: pd.DataFrame, distilled: pd.DataFrame) -> tuple[str, ...]:
    one, other = (_settings(recipe["recipe_json"].iloc[0]) for recipe in (plain, distilled))
    return tuple(sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key)))


def _settings(recipe: object) -> dict[str, Any]:
    parsed = json.loads(recipe) if isinstance(recipe, str) else {}
    flat: dict[str, Any] = {}
    for key, value in (parsed if isinstance(parsed, dict) else {}).items():
        if key not in _NO_SETTING:
            flat |= (
                {f"{key}.{name}": inner for name, inner in value.items()} if isinstance(value, dict) else {key: value}
            )
    return flat


def _twins(plain: pd.DataFrame, distilled: pd.DataFrame) -> Twins:
    both = plain.merge(distilled, on="seed", suffixes=("_plain", "_distilled")).sort_values("seed")
    ours, theirs = (recipe[recipe["seed"].isin(both["seed"])].sort_values("seed") for recipe in (plain, distilled))
    one, other = ours.iloc[0], theirs.iloc[0]
    return Twins(
        plain=one["name"], distilled=other["name"], plain_family=one["family"], distilled_family=other["family"],
        teacher=other["teacher"], params=int(one["params"]), metric=one["metric"],
        maximise=one["direction"] == "max",
        pairs=tuple(
            SeedPair(int(row.seed), row.run_id_plain, row.run_id_distilled, row.score_plain, row.score_distilled)
            for row in both.itertuples()
        ),
        plain_summary=seeds.summarise(ours), distilled_summary=seeds.summarise(theirs),
        differs=_differing(plain, distilled), changed=max(ours["updated_at"].max(), theirs["updated_at"].max()),
    )  # fmt: skip
