"""What a teacher or a pretraining brings: a variant that had it beside the plain one of the same shape and data."""

import json
import math
from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from db.analysis import paired_answers as pairs
from db.analysis import recipe_settings
from db.runs import seeds
from db.runs.seeds import Summary
from db.statistics import significance
from db.storage.store import Store

LEVEL = 0.05
"""Below this p-value a paired test tells two runs apart."""

_ASKED = ("distill", "model.init")
"""The settings that are asked about."""


@dataclass(frozen=True)
class Contrast:
    """What one of two alike variants had and the other had not.

    Attributes:
        name: Of what it had.
        plain: What the one without it is called.
        treated: What the one with it is called.
    """

    name: str
    plain: str
    treated: str


DISTILLATION = Contrast("distillation", "plain", "distilled")
PRETRAINING = Contrast("pretraining", "from scratch", "pretrained")
CONTRASTS = (DISTILLATION, PRETRAINING)


@dataclass(frozen=True)
class SeedPair:
    """A plain and a treated run of one seed.

    Attributes:
        seed: Of both.
        plain: The plain run's id.
        treated: The other one's id.
        plain_score: In the metric's stored unit.
        treated_score: Likewise.
        p: Of the exact McNemar test on the examples that both answered; None before ``with_tests``, or where they have
            none in common. An answer that is a text is right where it is exactly right.
    """

    seed: int
    plain: str
    treated: str
    plain_score: float
    treated_score: float
    p: float | None = None


@dataclass(frozen=True)
class Twins:
    """A plain variant and its treated twin, over the seeds that both have.

    Attributes:
        contrast: What the twin had.
        plain: The plain model's name.
        treated: The twin's name.
        plain_family: Its family.
        treated_family: Its family.
        teacher: Whose outputs a distilled twin learned from.
        params: Of each of the two.
        metric: The primary metric of their board.
        language: Of their board.
        maximise: Whether more of it is better.
        pairs: One a seed, by seed.
        plain_summary: The plain scores over these seeds.
        treated_summary: The twin's.
        differs: Settings outside the contrast in which the recipes differ, such as ``train.epochs``.
        changed: When one of the runs was last written.
    """

    contrast: Contrast
    plain: str
    treated: str
    plain_family: str
    treated_family: str
    teacher: str | None
    params: int
    metric: str
    language: str
    maximise: bool
    pairs: tuple[SeedPair, ...]
    plain_summary: Summary
    treated_summary: Summary
    differs: tuple[str, ...]
    changed: datetime

    @property
    def gain(self) -> float:
        """The mean of treated minus plain over the seeds, in the metric's stored unit."""
        return self.treated_summary.mean - self.plain_summary.mean

    @property
    def settled(self) -> int:
        """1 where the treated run is better at every seed by the paired test, -1 where the plain one is, else 0."""
        signs = {
            sign if pair.p is not None and pair.p < LEVEL else 0
            for sign, pair in zip(self.signs, self.pairs, strict=True)
        }
        return signs.pop() if len(signs) == 1 else 0

    @property
    def signs(self) -> tuple[int, ...]:
        """For each pair 1 where the treated run has the better score, -1 where the plain one has, else 0."""
        return tuple(_sign(self, pair) for pair in self.pairs)


# Runs that can be one of two twins. Of 100,000 runs few share their shape with one of the other kind; only those are
# read with their recipes.
_WANTED = """
    r.task_id = $task AND r.task_version = (SELECT max(version) FROM tasks WHERE task_id = $task)
    AND r.source = 'measured' AND r.status = 'finished' AND m.params IS NOT NULL
    AND r.seed IS NOT NULL AND r.recipe_hash IS NOT NULL AND r.dataset_hash IS NOT NULL
"""

# Whether a run had what is asked about; NULL where it is no twin at all.
_TREATED = {
    "distillation": "(r.teacher IS NOT NULL)",
    "pretraining": """(CASE WHEN r.teacher IS NULL AND contains(r.recipe_json, '"init"')
        THEN CASE json_extract_string(r.recipe_json, '$.model.init')
             WHEN 'pretrained' THEN true WHEN 'random' THEN false END END)""",
}


def find(store: Store, task_id: str, contrast: Contrast = DISTILLATION) -> list[Twins]:
    """The twins among the finished measured runs of a task's current version, the smallest first; not yet tested.

    A distilled run names its teacher; a pretrained one started from weights, its twin from random ones, and neither has
    a teacher. Twins were trained on the same data and have the same architecture, configuration and number of
    parameters. Of several treated recipes of one variant the one with the best validation score counts; of several
    plain ones the one whose settings differ least, then the one that shares most seeds. A seed counts once, by its
    newest run.
    """
    treated = _TREATED[contrast.name]
    rows = store.query(
        f"""
        WITH alike AS (
            SELECT m.architecture, m.params, r.dataset_hash, r.split FROM runs r JOIN models m USING (model_id)
            WHERE {_WANTED} GROUP BY ALL HAVING bool_or({treated}) AND bool_or(NOT {treated})
        )
        SELECT r.run_id, r.recipe_hash, r.recipe_json, r.seed, r.dataset_hash, r.split, r.teacher, r.created_at,
               r.updated_at, r.model_id, m.name, m.family, m.architecture, m.config, m.params, t.metric, t.direction,
               t.language, {treated} AS treated, p.value AS score, p.low, p.high, v.value AS validation
        FROM runs r
        JOIN models m USING (model_id)
        JOIN alike USING (architecture, params, dataset_hash, split)
        JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        LEFT JOIN metrics v ON v.run_id = r.run_id AND v.name = 'validation_' || t.metric
        WHERE {_WANTED} AND {treated} IS NOT NULL
        ORDER BY m.params, m.name, r.created_at DESC, r.run_id
        """,  # noqa: S608 - the interpolated texts are constants of this module
        {"task": task_id},
    )
    rows = rows.drop_duplicates(["model_id", "recipe_hash", "dataset_hash", "split", "seed"])
    shapes = rows["config"].map({config: _shape(config) for config in rows["config"].unique()})
    found: list[Twins] = []
    for _, alike in rows.groupby(["architecture", "params", shapes, "dataset_hash", "split"], sort=False):
        plain, having = alike[~alike["treated"]], alike[alike["treated"]]
        for _, variant in having.groupby("model_id", sort=False):
            chosen = _chosen(variant)
            beside = plain.loc[plain["seed"].isin(chosen["seed"]), "recipe_hash"]
            if len(beside):
                nearest = _nearest(plain[plain["recipe_hash"].isin(beside)], chosen)
                found.append(_twins(contrast, nearest, chosen))
    return found


def _shape(config: str) -> str:
    """What the board lists of a model, without what it started from; the same text for the same shape."""
    listed = {key: value for key, value in json.loads(config).items() if key != "init"}
    return json.dumps(listed, sort_keys=True)


def with_tests(store: Store, twins: Twins) -> Twins:
    """The same twins with the paired test of each seed, read in one short burst."""
    both = [(pair.plain, pair.treated) for pair in twins.pairs]
    with store.read() as con:
        if twins.metric == "accuracy":
            counts = [
                pairs.Counts(int(row.n), int(row.both), int(row.only_first), int(row.only_second))
                for row in pairs.counted(con, both).itertuples()
            ]
        elif twins.metric == "f1":  # of answers: what is counted is whether they are exactly right
            counts = [pairs.exact(con, *ids, twins.language) for ids in both]
        else:  # no share of examples that are right
            return twins
    told = [
        replace(pair, p=significance.mcnemar(row.only_first, row.only_second) if row.n else None)
        for pair, row in zip(twins.pairs, counts, strict=True)
    ]
    return replace(twins, pairs=tuple(told))


def p_value(p: float) -> str:
    """A p-value to two digits: ``p = 0.00035``, ``p < 0.0001``."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def _sign(twins: Twins, pair: SeedPair) -> int:
    difference = (pair.treated_score - pair.plain_score) * (1 if twins.maximise else -1)
    return (difference > 0) - (difference < 0)


def _chosen(variant: pd.DataFrame) -> pd.DataFrame:
    """The runs of the recipe with the best mean validation score; the newest where no recipe has one."""
    sign = 1 if variant["direction"].iloc[0] == "max" else -1
    recipes = variant.groupby("recipe_hash", sort=False).agg({"validation": "mean", "created_at": "max"})
    recipes["validation"] = (sign * recipes["validation"]).fillna(-math.inf)
    best = recipes.sort_values(["validation", "created_at"], ascending=False, kind="stable").index[0]
    return variant[variant["recipe_hash"] == best]


def _nearest(plain: pd.DataFrame, treated: pd.DataFrame) -> pd.DataFrame:
    """The runs of the recipe whose settings differ least, then of the one that shares most seeds."""
    shared = plain["seed"].isin(treated["seed"]).groupby(plain["recipe_hash"]).sum()
    recipes = plain.drop_duplicates("recipe_hash").set_index("recipe_hash")["recipe_json"]
    wanted = treated["recipe_json"].iloc[0]
    nearest = min(recipes.index, key=lambda name: (len(_differing(recipes[name], wanted)), -shared[name], name))
    return plain[plain["recipe_hash"] == nearest]


def _differing(one: object, other: object) -> tuple[str, ...]:
    """The settings in which two recipes differ."""
    first, second = (recipe_settings.flat(recipe, without=_ASKED) for recipe in (one, other))
    return tuple(sorted(key for key in first.keys() | second.keys() if first.get(key) != second.get(key)))


def _twins(contrast: Contrast, plain: pd.DataFrame, treated: pd.DataFrame) -> Twins:
    both = plain.merge(treated, on="seed", suffixes=("_plain", "_treated")).sort_values("seed")
    ours, theirs = (recipe[recipe["seed"].isin(both["seed"])].sort_values("seed") for recipe in (plain, treated))
    one, other = ours.iloc[0], theirs.iloc[0]
    return Twins(
        contrast=contrast,
        plain=one["name"],
        treated=other["name"],
        plain_family=one["family"],
        treated_family=other["family"],
        teacher=None if pd.isna(other["teacher"]) else other["teacher"],
        params=int(one["params"]),
        metric=one["metric"],
        language=one["language"],
        maximise=one["direction"] == "max",
        pairs=tuple(
            SeedPair(int(row.seed), row.run_id_plain, row.run_id_treated, row.score_plain, row.score_treated)
            for row in both.itertuples()
        ),
        plain_summary=seeds.summarise(ours),
        treated_summary=seeds.summarise(theirs),
        differs=_differing(plain["recipe_json"].iloc[0], treated["recipe_json"].iloc[0]),
        changed=max(ours["updated_at"].max(), theirs["updated_at"].max()),
    )
