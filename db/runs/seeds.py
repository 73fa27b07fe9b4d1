"""Runs of one recipe that differ in their seed alone: one row, with a mean and a spread.

Taking the best seed by its test score would be a choice made on the test set, so a recipe's score is the mean over its
seeds, and so is that of submitted runs that name their seeds. Printed rows are never averaged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from db.statistics.seed_means import half_widths
from db.storage import outcomes
from db.storage.outcomes import Outcomes

SAME = ["source", "owner", "model_id", "recipe_hash", "dataset", "dataset_hash", "split", "processor"]
_Z = 1.959964

_PARTS = ("mean", "spread", "least", "most", "low", "high")


@dataclass(frozen=True)
class Summary:
    """A score over seeds, in the metric's stored unit.

    Attributes:
        n: Seeds with a score.
        mean: Mean over them.
        spread: Sample standard deviation over them; NaN for one seed.
        lowest: The lowest score.
        highest: The highest score.
        low: Lower end of the mean's 95% interval, NaN where unknown.
        high: Upper end.
    """

    n: int
    mean: float
    spread: float
    lowest: float
    highest: float
    low: float
    high: float


@dataclass(frozen=True)
class Seeds:
    """The seeds of one run's recipe on its data.

    Attributes:
        runs: One row a seed, by seed: ``run_id, seed, status, score``; the newest finished run of each seed, or its
            newest run where none has finished.
        summary: Over the finished ones; None where fewer than two have a score.
        middle: The run that stands for all on the leaderboard; None likewise.
    """

    runs: pd.DataFrame
    summary: Summary | None
    middle: str | None


def summarise(rows: pd.DataFrame, examples: float = np.nan) -> Summary:
    """Mean, spread and interval of scores that belong to different seeds.

    The interval holds both kinds of variance, of seeds and of examples; see ``db.statistics.seed_means``.

    Args:
        rows: At least one, columns ``score, low, high``.
        examples: Of ``example_variance``; where it is NaN the seeds' own intervals stand in for it.
    """
    summary = summaries(rows.assign(group=0, examples=examples), "group").iloc[0]
    mean, spread, least, highest, low, high = (float(summary[part]) for part in _PARTS)
    return Summary(int(summary["n"]), mean, spread, least, highest, low, high)


def example_variance(con: duckdb.DuckDBPyConnection, run_ids: Sequence[str]) -> float:
    """Variance of the mean score of some seeds that comes from the choice of the examples.

    Returns:
        NaN where they are fewer than two, or have no scored predictions on the same examples.
    """
    sets = outcomes.read(con, pa.array(run_ids)) if len(run_ids) > 1 else []
    return (
        shared_variance(sets[0], np.ones(len(run_ids)))
        if len(sets) == 1 and len(sets[0].runs) == len(run_ids)
        else np.nan
    )


def with_predictions(con: duckdb.DuckDBPyConnection, summary: Summary, run_ids: Sequence[str]) -> Summary:
    """Return a summary whose interval uses what the predictions of its runs share, where they have some."""
    examples = example_variance(con, run_ids)
    if np.isnan(examples) or np.isnan(summary.low):
        return summary
    half = float(half_widths(summary.spread, summary.n, examples))
    return replace(summary, low=summary.mean - half, high=summary.mean + half)


def shared_variance(outcome_set: Outcomes, chosen: NDArray[np.float64]) -> float:
    """The mean covariance of two of the chosen runs over the examples, by the number of the examples."""
    covariance = outcome_set.covariance
    count = chosen.sum()
    between = chosen @ covariance @ chosen - chosen @ covariance.diagonal()
    return max(0.0, float(between / (count * (count - 1)))) / outcome_set.n


def middle(rows: pd.DataFrame) -> pd.Series:
    """The row with the median score; of two in the middle the lower one, of equal ones the lower seed."""
    return middles(rows.assign(group=0), "group").iloc[0]


def of_run(
    runs: pd.DataFrame, run_id: str, examples: Callable[[Sequence[str]], float] = lambda _: np.nan
) -> Seeds | None:
    """The seeds of one run's recipe.

    Args:
        runs: The run and others of its model and task: ``run_id, owner, model_id, recipe_hash, dataset_hash, split,
            device, source, status, seed, created_at, score, low, high``.
        run_id: The run; it must be among them.
        examples: Gives the ``example_variance`` of some runs.

    Returns:
        None where the run has no seed, is a printed one, or has no other seed beside it.
    """
    runs = runs.assign(processor=processors(runs["device"]))
    own = runs.loc[runs["run_id"] == run_id].iloc[0]
    if not _has_seeds(runs.loc[runs["run_id"] == run_id]).all():
        return None
    alike = runs[SAME].fillna("") == own[SAME].fillna("")
    same = runs[alike.all(axis=1) & runs["seed"].notna()]
    finished = newest(same[comparable(same)], ["seed"])
    waiting = newest(same[~same["seed"].isin(finished["seed"])], ["seed"])
    shown = pd.concat([finished, waiting]).sort_values("seed")
    if len(shown) < 2:
        return None
    several = len(finished) > 1
    return Seeds(
        runs=shown[["run_id", "seed", "status", "score"]].reset_index(drop=True),
        summary=summarise(finished, examples(finished["run_id"].tolist())) if several else None,
        middle=str(middle(finished)["run_id"]) if several else None,
    )


def processor(device: object) -> str:
    """The kind of processor that a run's device is: ``cpu``, or a GPU's name. A CPU is told with its threads."""
    named = "" if pd.isna(device) else str(device)
    return "cpu" if "thread" in named else named


def processors(devices: pd.Series) -> pd.Series:
    """The kind of processor of each device; see ``processor``."""
    codes, kinds = pd.factorize(devices)  # a board of 100,000 runs knows few devices
    named = np.array([processor(kind) for kind in kinds] + [""], dtype=object)
    return pd.Series(named[codes], index=devices.index)


def _has_seeds(rows: pd.DataFrame) -> pd.Series:
    """Whether runs name a seed and all that other seeds must share: a recipe and its data, if they were made here."""
    recipe = rows[["recipe_hash", "dataset_hash"]].notna().all(axis=1)
    ours = (rows["source"] == "measured") & recipe
    return rows["seed"].notna() & (ours | (rows["source"] == "submitted"))


def comparable(rows: pd.DataFrame) -> pd.Series:
    """Whether runs may be averaged with others that differ in their seed alone."""
    return _has_seeds(rows) & rows["score"].notna() & (rows["status"] == "finished")


def newest(rows: pd.DataFrame, of_each: list[str]) -> pd.DataFrame:
    """The newest of the rows that are equal in some columns."""
    repeated = rows.duplicated(of_each, keep=False)
    if not repeated.any():
        return rows
    ordered = rows[repeated].sort_values(["created_at", "run_id"], ascending=False, kind="stable")
    return pd.concat([rows[~repeated], ordered.drop_duplicates(of_each)])


def summaries(rows: pd.DataFrame, group: str) -> pd.DataFrame:
    """The parts of ``Summary`` per group, and ``error``; an interval needs both ends of every seed.

    Args:
        rows: Columns ``score, low, high, examples``; ``examples`` is NaN or the variance from the examples.
        group: The column of the groups.
    """
    rows = rows.astype({"score": float, "low": float, "high": float})
    groups = rows.assign(within=((rows["high"] - rows["low"]) / (2 * _Z)) ** 2).groupby(group)
    summaries = groups["score"].agg(n="size", mean="mean", spread="std", least="min", most="max")
    whole = groups[["low", "high"]].count().eq(summaries["n"], axis=0).all(axis=1)
    examples = groups["examples"].first().fillna(groups["within"].mean()).where(whole)
    several = summaries["n"] > 1
    half = pd.Series(np.nan, index=summaries.index)
    half[several] = half_widths(summaries["spread"][several], summaries["n"][several], examples[several])
    ends = groups[["low", "high"]].mean().where(whole)
    ends["low"] = (summaries["mean"] - half).where(several, ends["low"])
    ends["high"] = (summaries["mean"] + half).where(several, ends["high"])
    return summaries.join(ends).assign(error=np.sqrt(examples).where(several))


def middles(rows: pd.DataFrame, group: str) -> pd.DataFrame:
    """The row of ``middle`` of each group."""
    ordered = rows.sort_values([group, "score", "seed"], kind="stable")
    groups = ordered.groupby(group)
    return ordered[groups.cumcount() == (groups[group].transform("size") - 1) // 2]
