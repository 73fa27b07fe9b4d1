"""Matched pairs: what a teacher or pretraining adds, against the baseline of the same shape, data and seeds."""

import json
from dataclasses import dataclass, replace
from datetime import datetime

import pandas as pd

from db.analysis import paired_answers, paired_tests, recipe_settings
from db.analysis.recipe_settings import LATEST_VERSION, REPEATABLE, SCORED_RUNS
from db.runs import seeds
from db.runs.seeds import Summary
from db.statistics import significance
from db.storage.store import Store


@dataclass(frozen=True)
class Contrast:
    """What the treated run of a pair has and the baseline lacks.

    Attributes:
        name: The treatment.
        plain: Label of a run without it.
        treated: Label of a run with it.
    """

    name: str
    plain: str
    treated: str


DISTILLATION = Contrast("distillation", "plain", "distilled")
PRETRAINING = Contrast("pretraining", "from scratch", "pretrained")
CONTRASTS = (DISTILLATION, PRETRAINING)


@dataclass(frozen=True)
class SeedPair:
    """A baseline run and a treated run of one seed.

    Attributes:
        seed: Of both.
        plain: Id of the baseline run.
        treated: Id of the treated run.
        plain_score: In the metric's stored unit.
        treated_score: Likewise.
        p: Of the exact McNemar test on their common examples, of text answers the paired bootstrap of their F1; None
            before ``with_tests``, or where they have no example in common.
    """

    seed: int
    plain: str
    treated: str
    plain_score: float
    treated_score: float
    p: float | None = None


@dataclass(frozen=True)
class MatchedPair:
    """A baseline model and its treated counterpart, over the seeds that both have.

    Attributes:
        contrast: The treatment.
        plain: Name of the baseline model.
        treated: Name of the treated model.
        plain_family: Family of the baseline model.
        treated_family: Family of the treated model.
        teacher: Teacher of a distilled model.
        params: Parameters of each of the two.
        metric: Primary metric of their board.
        language: Language of their board.
        maximise: Whether more of the metric is better.
        pairs: One a seed, by seed.
        plain_summary: Baseline scores over these seeds.
        treated_summary: Treated scores over these seeds.
        differs: Settings beside the treatment in which the recipes differ, such as ``train.epochs``.
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
        """The mean of treated minus baseline over the seeds, in the metric's stored unit."""
        return self.treated_summary.mean - self.plain_summary.mean

    @property
    def settled(self) -> int:
        """1 where the treated run is better at every seed by the paired test, -1 where the baseline is, else 0."""
        signs = {
            sign if pair.p is not None and pair.p < significance.LEVEL else 0
            for sign, pair in zip(self.signs, self.pairs, strict=True)
        }
        return signs.pop() if len(signs) == 1 else 0

    @property
    def signs(self) -> tuple[int, ...]:
        """For each seed 1 where the treated run has the better score, -1 where the baseline has, else 0."""
        direction = 1 if self.maximise else -1
        differences = [(pair.treated_score - pair.plain_score) * direction for pair in self.pairs]
        return tuple((difference > 0) - (difference < 0) for difference in differences)


# Whether a run had the treatment; NULL where it can be neither half of a pair. The cheap test for the setting's name
# comes first: reading 100,000 recipes as JSON would take most of the time.
_TREATED = {
    "distillation": "(teacher IS NOT NULL)",
    "pretraining": """(CASE WHEN teacher IS NULL AND contains(recipe_json, '"init"')
        THEN CASE json_extract_string(recipe_json, '$.model.init')
             WHEN 'pretrained' THEN true WHEN 'random' THEN false END END)""",
}
_TEACHING = ("teacher", "teacher_seed", "temperature", "loss", "loss_rate")
_SETTINGS = (*(f"distill.{key}" for key in _TEACHING), "model.init")
"""Settings of the treatments themselves; further texts that a teacher labels are none."""


def find(store: Store, task_id: str, contrast: Contrast = DISTILLATION) -> list[MatchedPair]:
    """Find the pairs among the finished measured runs of a task's current version, the smallest first, untested.

    A distilled run names its teacher; a pretrained one started from weights, its baseline from random ones, and neither
    has a teacher. Both halves were trained on the same data and have the same architecture, configuration and number of
    parameters. Of several treated recipes of one variant the one with the best validation score counts; of several
    baselines the one whose settings differ least, then the one that shares most seeds. A seed counts once, by its
    newest run.
    """
    # Of 100,000 runs few share their shape with one of the other kind; only those are read with their recipes.
    rows = store.query(
        f"""
        WITH candidates AS (
            SELECT *, {_TREATED[contrast.name]} AS is_treated FROM ({SCORED_RUNS})
            WHERE task_id = $task AND {LATEST_VERSION} AND {REPEATABLE} AND params IS NOT NULL
              AND recipe_hash IS NOT NULL AND dataset_hash IS NOT NULL
        ), shapes AS (
            SELECT architecture, params, dataset_hash, split FROM candidates
            GROUP BY ALL HAVING bool_or(is_treated) AND bool_or(NOT is_treated)
        )
        SELECT c.run_id, recipe_hash, recipe_json, seed, dataset_hash, split, teacher, created_at, updated_at, model_id,
               model, family, architecture, config, params, metric, direction, language, is_treated AS treated,
               score, c.low, c.high, v.value AS validation, a.value AS validation_accuracy
        FROM candidates c
        SEMI JOIN shapes USING (architecture, params, dataset_hash, split)
        LEFT JOIN metrics v ON v.run_id = c.run_id AND v.name = 'validation_' || c.metric
        LEFT JOIN metrics a ON a.run_id = c.run_id AND a.name = 'validation_accuracy'
        WHERE is_treated IS NOT NULL
        ORDER BY params, model, created_at DESC, c.run_id
        """,  # noqa: S608 - constants
        {"task": task_id},
    )
    rows = rows.drop_duplicates(["model_id", "recipe_hash", "dataset_hash", "split", "seed"])
    shapes = rows["config"].map({config: _shape(config) for config in rows["config"].unique()})
    pairs: list[MatchedPair] = []
    for _, alike in rows.groupby(["architecture", "params", shapes, "dataset_hash", "split"], sort=False):
        plain, treated = alike[~alike["treated"]], alike[alike["treated"]]
        for _, variant in treated.groupby("model_id", sort=False):
            best = _best_by_validation(variant)
            sharing = plain.loc[plain["seed"].isin(best["seed"]), "recipe_hash"]
            if len(sharing):
                nearest = _nearest(plain[plain["recipe_hash"].isin(sharing)], best)
                pairs.append(_matched_pair(contrast, nearest, best))
    return _with_intervals(store, pairs)


def _with_intervals(store: Store, pairs: list[MatchedPair]) -> list[MatchedPair]:
    """Summaries whose intervals know what the seeds' predictions share, from one short burst."""
    if not any(len(pair.pairs) > 1 for pair in pairs):
        return pairs
    with store.read() as con:
        return [
            replace(
                pair,
                plain_summary=seeds.with_predictions(con, pair.plain_summary, [run.plain for run in pair.pairs]),
                treated_summary=seeds.with_predictions(con, pair.treated_summary, [run.treated for run in pair.pairs]),
            )
            for pair in pairs
        ]


def with_tests(store: Store, pair: MatchedPair) -> MatchedPair:
    """Add the paired test of each seed, from predictions read in one short burst."""
    ids = [(seed.plain, seed.treated) for seed in pair.pairs]
    if pair.metric == "accuracy":
        with store.read() as con:
            counts = paired_answers.count_pairs(con, ids)
        values = [significance.mcnemar(count.only_first, count.only_second) if count.n else None for count in counts]
    elif pair.metric == "f1":
        with store.read() as con:
            answers = [paired_answers.score(paired_answers.read(con, runs, texts=True), pair.language) for runs in ids]
        # By the F1 of each answer, as the board's figure is, where it is known.
        values = [
            paired_tests.verdict(of_seed, paired_tests.measures(of_seed)[0]).pairs[0].p if len(of_seed) else None
            for of_seed in answers
        ]
    else:
        return pair
    tested = tuple(replace(seed, p=p) for seed, p in zip(pair.pairs, values, strict=True))
    return replace(pair, pairs=tested)


def _shape(config: str) -> str:
    """The listed configuration without the initialisation; equal texts for equal shapes."""
    listed = {key: value for key, value in json.loads(config).items() if key != "init"}
    return json.dumps(listed, sort_keys=True)


def _best_by_validation(variant: pd.DataFrame) -> pd.DataFrame:
    """The runs of the recipe that ``merging.best_recipes`` would keep, by the means over its runs."""
    sign = 1 if variant["direction"].iloc[0] == "max" else -1
    recipes = variant.groupby("recipe_hash", sort=False).agg(
        {"validation": "mean", "validation_accuracy": "mean", "created_at": "max"}
    )
    recipes["validation"] *= sign
    best = recipes.sort_values(list(recipes.columns), ascending=False, kind="stable").index[0]
    return variant[variant["recipe_hash"] == best]


def _nearest(plain: pd.DataFrame, treated: pd.DataFrame) -> pd.DataFrame:
    """The baseline runs of the recipe whose settings differ least, then of the one that shares most seeds."""
    shared = plain["seed"].isin(treated["seed"]).groupby(plain["recipe_hash"]).sum()
    recipes = plain.drop_duplicates("recipe_hash").set_index("recipe_hash")["recipe_json"]
    target = treated["recipe_json"].iloc[0]
    nearest = min(recipes.index, key=lambda name: (len(_differing(recipes[name], target)), -shared[name], name))
    return plain[plain["recipe_hash"] == nearest]


def _differing(recipe: object, other: object) -> tuple[str, ...]:
    """The settings in which two recipes differ."""
    first, second = (
        {key: value for key, value in settings.items() if value or not key.startswith("distill")}  # unset is as absent
        for settings in (recipe_settings.flat(stored, without=_SETTINGS) for stored in (recipe, other))
    )
    return tuple(sorted(key for key in first.keys() | second.keys() if first.get(key) != second.get(key)))


def _matched_pair(contrast: Contrast, plain: pd.DataFrame, treated: pd.DataFrame) -> MatchedPair:
    both = plain.merge(treated, on="seed", suffixes=("_plain", "_treated")).sort_values("seed")
    shared_plain, shared_treated = (
        runs[runs["seed"].isin(both["seed"])].sort_values("seed") for runs in (plain, treated)
    )
    first, second = shared_plain.iloc[0], shared_treated.iloc[0]
    return MatchedPair(
        contrast=contrast,
        plain=first["model"],
        treated=second["model"],
        plain_family=first["family"],
        treated_family=second["family"],
        teacher=None if pd.isna(second["teacher"]) else second["teacher"],
        params=int(first["params"]),
        metric=first["metric"],
        language=first["language"],
        maximise=first["direction"] == "max",
        pairs=tuple(
            SeedPair(int(row.seed), row.run_id_plain, row.run_id_treated, row.score_plain, row.score_treated)
            for row in both.itertuples()
        ),
        plain_summary=seeds.summarise(shared_plain),
        treated_summary=seeds.summarise(shared_treated),
        differs=_differing(plain["recipe_json"].iloc[0], treated["recipe_json"].iloc[0]),
        changed=max(shared_plain["updated_at"].max(), shared_treated["updated_at"].max()),
    )
