"""Runs of one recipe that differ in their seed alone: told as one row, with a mean and a spread.

Taking the best seed by its test score would be a choice made on the test set, so a recipe's score is the mean over its
seeds. Only measured runs have seeds in this sense; printed rows are never averaged.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.registry.metrics import known

_SAME = ["model_id", "recipe_hash", "dataset_hash", "split", "processor"]

# Qualities are averaged. Costs are not: one seed that was timed on a busy machine would move a mean.
_AVERAGED = ("percent", "plain")

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


def summarise(rows: pd.DataFrame) -> Summary:
    """Mean, spread and interval of scores that belong to different seeds.

    The interval's ends are the means of the seeds' own ends. For shares that is Wilson's interval around the mean score
    with the same number of examples (his ends are close to straight lines over the range of a few seeds), and it holds
    for metrics whose interval is another. It does not narrow with more seeds: they are scored on the same examples,
    so their numbers of examples do not add up. It says how far another test set would move the mean; what the seed does
    is told by the spread.

    Args:
        rows: At least one, columns ``score, low, high``.
    """
    summary = _summaries(rows.assign(group=0), "group").iloc[0]
    mean, spread, least, highest, low, high = (float(summary[part]) for part in _PARTS)
    return Summary(int(summary["n"]), mean, spread, least, highest, low, high)


def middle(rows: pd.DataFrame) -> pd.Series:
    """The row with the median score; of two in the middle the lower one, of equal ones the lower seed."""
    return _middles(rows.assign(group=0), "group").iloc[0]


@dataclass(frozen=True)
class MergedRows:
    """The rows of a board, and in which of them each run is told.

    Attributes:
        rows: The runs' columns with ``seeds`` (how many; missing where a row has none), ``spread`` (standard
            deviation), ``least`` and ``most``; ``seed`` and ``n`` are whole numbers that may be missing.
        figures: Every metric of the rows, with their index.
        row_of: The position in ``rows`` of every run; -1 where a newer run of the same seed counts instead.
    """

    rows: pd.DataFrame
    figures: pd.DataFrame
    row_of: NDArray[np.intp]


def unmerged(rows: pd.DataFrame, figures: pd.DataFrame) -> MergedRows:
    """Every run alone; see ``merged``."""
    alone = pd.Series(1, index=rows.index, dtype="Int64").where(_comparable(rows))
    whole = {name: rows[name].astype("Int64") for name in ("seed", "n")}
    alone_rows = rows.assign(**whole, seeds=alone, spread=np.nan, least=np.nan, most=np.nan)
    return MergedRows(alone_rows, figures, np.arange(len(rows)))


def merged(rows: pd.DataFrame, figures: pd.DataFrame) -> MergedRows:
    """Finished measured runs that differ in their seed alone become one row.

    They share model, recipe, training data, split and kind of processor (every CPU is one kind, since the processor
    moves a score far less than a seed does; a GPU is its own, since its timings belong to no CPU's). A seed that
    was trained twice counts once, by its newest run. Every other row stays as it is.

    A merged row is the run of ``middle``, at its place, with the figures of all: ``score, low, high`` of ``summarise``,
    other qualities as means, costs as medians, verified where every seed is, and no ``seed``.

    Args:
        rows: The runs of a board, numbered from 0; columns as ``db.leaderboard.board.Board.rows``.
        figures: A column for every metric, NaN where a run has none; the same index.
    """
    alone = unmerged(rows, figures)
    inside = alone.rows[_comparable(rows)]
    recipes = inside.assign(processor=_processors(inside["device"])).groupby(_SAME, sort=False).ngroup()
    newest = _newest(inside.assign(group=recipes), ["group", "seed"])
    stands = np.arange(len(rows))  # which run each is told by
    stands[inside.index.difference(newest.index)] = -1
    several = newest[newest.duplicated("group", keep=False)]
    middles = _middles(several, "group")
    stands[several.index] = pd.Series(middles.index, index=middles["group"])[several["group"]]
    representatives = np.flatnonzero(stands == np.arange(len(rows)))
    row_of = np.where(stands < 0, -1, np.searchsorted(representatives, stands))
    merged_rows, told_figures = (frame.iloc[representatives].reset_index(drop=True) for frame in (alone.rows, figures))
    if len(middles):
        places, groups = row_of[middles.index], middles["group"]
        columns, means = _together(several, figures.loc[several.index])
        for name, values in columns.items():
            merged_rows.loc[places, name] = values[groups].astype(merged_rows[name].dtype).array
        merged_rows.loc[places, "seed"] = pd.NA
        told_figures.loc[places] = means.loc[groups].to_numpy()
    return MergedRows(merged_rows, told_figures, row_of)


def best_recipes(rows: pd.DataFrame, figures: pd.DataFrame, metric: str, sign: float) -> NDArray[np.intp]:
    """One row of each model, source and data set.

    Of several recipes of one variant that were measured, the one with the best validation score stays, since the test
    score is no ground to choose by. Rows without a validation score, printed ones say, are taken by their score.

    Args:
        rows: Of ``merged``, best score first.
        figures: Of the same rows, in their order.
        metric: The primary metric.
        sign: 1 where more is better, else -1.

    Returns:
        The positions of the rows kept, in the order given.
    """
    chosen = np.full(len(rows), np.nan)
    if f"validation_{metric}" in figures:
        ours = (rows["source"] == "measured") & (rows["status"] == "finished")
        chosen = np.where(ours, sign * figures[f"validation_{metric}"], np.nan)
    order = np.argsort(-chosen, kind="stable")  # those without one stay behind in their order
    variants = rows.groupby(["model_id", "source", "dataset"], sort=False).ngroup().to_numpy()
    _, first = np.unique(variants[order], return_index=True)
    return np.sort(order[first])


def of_run(runs: pd.DataFrame, run_id: str) -> Seeds | None:
    """The seeds of one run's recipe.

    Args:
        runs: The run and others of its model and task: ``run_id, model_id, recipe_hash, dataset_hash, split, device,
            source, status, seed, created_at, score, low, high``.
        run_id: The run; it must be among them.

    Returns:
        None where the run is not a measured one with a recipe, or has no other seed beside it.
    """
    runs = runs.assign(processor=runs["device"].map(processor))
    own = runs.loc[runs["run_id"] == run_id].iloc[0]
    if own["source"] != "measured" or pd.isna(own["recipe_hash"]) or pd.isna(own["dataset_hash"]):
        return None
    same = runs[(runs[["source", *_SAME]] == own[["source", *_SAME]]).all(axis=1) & runs["seed"].notna()]
    finished = _newest(same[_comparable(same)], ["seed"])
    waiting = _newest(same[~same["seed"].isin(finished["seed"])], ["seed"])
    shown = pd.concat([finished, waiting]).sort_values("seed")
    if len(shown) < 2:
        return None
    several = len(finished) > 1
    return Seeds(
        runs=shown[["run_id", "seed", "status", "score"]].reset_index(drop=True),
        summary=summarise(finished) if several else None,
        middle=str(middle(finished)["run_id"]) if several else None,
    )


def processor(device: object) -> str:
    """The kind of processor that a run's device is: ``cpu``, or a GPU's name. A CPU is told with its threads."""
    named = "" if pd.isna(device) else str(device)
    return "cpu" if "thread" in named else named


def _processors(devices: pd.Series) -> pd.Series:
    codes, kinds = pd.factorize(devices)  # a board of 100,000 runs knows few devices
    named = np.array([processor(kind) for kind in kinds] + [""], dtype=object)
    return pd.Series(named[codes], index=devices.index)


def _comparable(rows: pd.DataFrame) -> pd.Series:
    known_facts = rows[["seed", "recipe_hash", "dataset_hash", "score"]].notna().all(axis=1)
    return known_facts & (rows["source"] == "measured") & (rows["status"] == "finished")


def _newest(rows: pd.DataFrame, of_each: list[str]) -> pd.DataFrame:
    repeated = rows.duplicated(of_each, keep=False)
    ordered = rows[repeated].sort_values(["created_at", "run_id"], ascending=False, kind="stable")
    return pd.concat([rows[~repeated], ordered.drop_duplicates(of_each)])


def _summaries(rows: pd.DataFrame, group: str) -> pd.DataFrame:
    """The parts of ``Summary`` per group; an interval needs both ends of every seed."""
    groups = rows.astype({"score": float, "low": float, "high": float}).groupby(group)
    summaries = groups["score"].agg(n="size", mean="mean", spread="std", least="min", most="max")
    whole = groups[["low", "high"]].count().eq(summaries["n"], axis=0).all(axis=1)
    return summaries.join(groups[["low", "high"]].mean().where(whole))


def _middles(rows: pd.DataFrame, group: str) -> pd.DataFrame:
    ordered = rows.sort_values([group, "score", "seed"], kind="stable")
    groups = ordered.groupby(group)
    return ordered[groups.cumcount() == (groups[group].transform("size") - 1) // 2]


def _together(rows: pd.DataFrame, figures: pd.DataFrame) -> tuple[dict[str, pd.Series], pd.DataFrame]:
    """What merged rows have in place of their middle run's, by ``group``: the columns, and all figures."""
    summaries = _summaries(rows, "group")
    groups = rows.groupby("group")
    columns = {
        "score": summaries["mean"],
        "low": summaries["low"],
        "high": summaries["high"],
        "seeds": summaries["n"],
        "spread": summaries["spread"],
        "least": summaries["least"],
        "most": summaries["most"],
        "n": groups["n"].first().where(groups["n"].nunique(dropna=False) == 1),
        "train_seconds": groups["train_seconds"].median(),
        "verified": groups["verified"].all(),
    }
    averaged = [name for name in figures if known(str(name)).unit in _AVERAGED]
    of_groups = figures.groupby(rows["group"].to_numpy())
    together = of_groups.median()
    together[averaged] = of_groups[averaged].mean()
    return columns, together
