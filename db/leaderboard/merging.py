"""The rows of a board: every run alone, or the seeds of one recipe together and one recipe a model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.registry.metrics import known
from db.runs import seeds
from db.storage.outcomes import Outcomes

# Qualities are averaged. Costs are not: one seed that was timed on a busy machine would move a mean.
AVERAGED = ("percent", "plain")
VARIANT = ["model_id", "source", "owner", "dataset"]
"""What the rows of one variant share."""

_FAILED = ("failed", "diverged", "interrupted")

_MERGED = ["run_id", "created_at", "seed", "score", "low", "high", "n", "train_seconds", "verified", "choice"]
"""What is read of the runs that are merged, beside ``seeds.SAME``."""


@dataclass(frozen=True)
class MergedRows:
    """The rows of a board, and behind which of them each run is.

    Attributes:
        rows: The runs' columns (of several, ``choice`` is the highest) with ``seeds`` (how many have a score; missing
            where a row has none), ``failed`` (seeds that gave none), ``spread`` (standard deviation), ``least``,
            ``most`` and ``error`` (standard error of a mean from the examples; NaN for one run); ``seed`` and ``n`` are
            whole numbers that may be missing.
        figures: Every metric of the rows, with their index. A quality that only some seeds have is NaN.
        partial: Likewise: how many seeds have the figure where it is some but not all, else 0.
        row_of: The position in ``rows`` of every run; -1 where a newer run of the same seed counts instead.
    """

    rows: pd.DataFrame
    figures: pd.DataFrame
    partial: pd.DataFrame
    row_of: NDArray[np.intp]


def unmerged(rows: pd.DataFrame, figures: pd.DataFrame) -> MergedRows:
    """Every run alone; see ``merged``."""
    alone = pd.Series(1, index=rows.index, dtype="Int64").where(seeds.comparable(rows))
    whole = {name: rows[name].astype("Int64") for name in ("seed", "n")}
    failed = pd.Series(0, index=rows.index, dtype="Int64")
    alone_rows = rows.assign(
        **whole, seeds=alone, failed=failed, spread=np.nan, least=np.nan, most=np.nan, error=np.nan
    )
    partial = pd.DataFrame(np.zeros(figures.shape, dtype=np.int16), index=figures.index, columns=figures.columns)
    return MergedRows(alone_rows, figures, partial, np.arange(len(rows)))


def merged(rows: pd.DataFrame, figures: pd.DataFrame, sets: Sequence[Outcomes] = ()) -> MergedRows:
    """Merge finished runs that differ in their seed alone into one row.

    They share source, installation, model, recipe, training data, split and kind of processor (every CPU is one kind,
    since the processor moves a score far less than a seed does; a GPU is its own, since its timings belong to no
    CPU's). A seed that was trained twice counts once, by its newest run. Seeds that failed are counted and are behind
    the row too.
    Every other row stays as it is.

    A merged row is the run of ``middle``, at its position, with the figures of all: ``score, low, high`` of
    ``summarise``, other qualities as means, costs as medians, verified where every seed is, and no ``seed``.

    Args:
        rows: The runs of a board, numbered from 0; columns as ``db.leaderboard.board.Board.rows``.
        figures: A column for every metric, NaN where a run has none; the same index.
        sets: What runs get right, by position in ``rows``; only where the score is the share of right answers.
    """
    alone = unmerged(rows, figures)
    comparable = seeds.comparable(rows)
    if not comparable.any():
        return alone
    keyed = alone.rows.assign(processor=seeds.processors(rows["device"]))
    keyed = keyed[keyed.columns.intersection([*seeds.SAME, *_MERGED])]
    failures = keyed[rows["status"].isin(_FAILED) & (rows["source"] == "measured") & rows["seed"].notna()]
    grouped = pd.concat([keyed[comparable], failures])
    grouped["group"] = grouped.groupby(seeds.SAME, sort=False, dropna=False).ngroup()
    inside, failures = grouped[comparable[grouped.index]], grouped[~comparable[grouped.index]]
    newest = seeds.newest(inside, ["group", "seed"])
    stands = np.arange(len(rows))  # the run that represents each
    stands[inside.index.difference(newest.index)] = -1
    several = newest[newest.duplicated("group", keep=False)]
    middles = newest
    if len(several):
        middles = pd.concat([seeds.middles(several, "group"), newest[~newest.index.isin(several.index)]])
    representative = pd.Series(middles.index, index=middles["group"])
    stands[several.index] = representative[several["group"]]
    failures = failures[failures["group"].isin(middles["group"])]
    if len(failures):
        finished = pd.MultiIndex.from_frame(newest[["group", "seed"]])
        missing = ~pd.MultiIndex.from_frame(failures[["group", "seed"]]).isin(finished)
        stands[failures.index] = -1
        failures = seeds.newest(failures[missing], ["group", "seed"])
        stands[failures.index] = representative[failures["group"]]
    representatives = np.flatnonzero(stands == np.arange(len(rows)))
    row_of = np.where(stands < 0, -1, np.searchsorted(representatives, stands))
    merged_rows, merged_figures, partial = (
        frame.iloc[representatives].reset_index(drop=True) for frame in (alone.rows, figures, alone.partial)
    )
    if len(failures):
        counts = failures.groupby("group").size()
        merged_rows.loc[row_of[representative[counts.index]], "failed"] = counts.to_numpy()
    if len(several):
        several = several.assign(examples=_example_variances(several["group"], sets))
        own = middles[middles["group"].isin(several["group"])]
        positions, groups = row_of[own.index], own["group"]
        columns, means, present = _together(several, figures.loc[several.index])
        for name, values in columns.items():
            merged_rows.loc[positions, name] = values[groups].astype(merged_rows[name].dtype).array
        merged_rows.loc[positions, "seed"] = pd.NA
        merged_figures.loc[positions] = means.loc[groups].to_numpy()
        partial.loc[positions] = present.loc[groups].to_numpy(dtype=np.int16)
    return MergedRows(merged_rows, merged_figures, partial, row_of)


def _example_variances(groups: pd.Series, sets: Sequence[Outcomes]) -> pd.Series:
    """``example_variance`` of the group of each run; NaN where not all of a group have outcomes."""
    variances = pd.Series(np.nan, index=groups.index)
    for outcome_set in sets:
        members = groups.reindex(outcome_set.runs)
        for _, chosen in members.dropna().groupby(members):
            if len(chosen) == (groups == chosen.iloc[0]).sum():
                variances[chosen.index] = seeds.shared_variance(
                    outcome_set, np.isin(outcome_set.runs, chosen.index).astype(float)
                )
    return variances


def united_tags(row_of: NDArray[np.intp], tags: pd.Series, count: int) -> pd.Series:
    """The tags of all runs behind each of ``count`` rows; few runs of a board have any."""
    united = pd.Series(pd.NA, index=range(count), dtype=tags.dtype)
    tagged = np.flatnonzero(tags.notna().to_numpy() & (row_of >= 0))
    for position, texts in tags.iloc[tagged].groupby(row_of[tagged]):
        united[position] = " ".join(sorted(set(" ".join(texts).split())))
    return united


def best_recipes(rows: pd.DataFrame, figures: pd.DataFrame, metric: str, sign: float) -> NDArray[np.intp]:
    """One row of each model, source, installation and data set.

    Of several recipes of one variant that were measured, the one with the best validation score stays, since the test
    score is no ground to choose by: that of the primary metric, else the validation accuracy, which every family
    stores; without validation scores, and of submitted rows, the newest. Printed rows are taken by their score.

    Args:
        rows: Of ``merged``, best score first.
        figures: Of the same rows, in their order.
        metric: The primary metric.
        sign: 1 where more is better, else -1.

    Returns:
        The positions of the rows kept, in the order given.
    """
    ours = ((rows["source"] == "measured") & (rows["status"] == "finished")).to_numpy()
    chosen, accuracy = (
        np.where(ours, figures[name], np.nan) if name in figures else np.full(len(rows), np.nan)
        for name in (f"validation_{metric}", "validation_accuracy")
    )
    newest = rows["created_at"].rank(method="dense").where(rows["source"] != "reported").to_numpy(dtype=float)
    order = np.lexsort((-newest, -accuracy, -sign * chosen))  # NaN comes last, in the order of the rows
    variants = rows.groupby(VARIANT, sort=False, dropna=False).ngroup().to_numpy()
    _, first = np.unique(variants[order], return_index=True)
    return np.sort(order[first])


def _together(rows: pd.DataFrame, figures: pd.DataFrame) -> tuple[dict[str, pd.Series], pd.DataFrame, pd.DataFrame]:
    """What merged rows have in place of their middle run's, by ``group``: columns, figures, seeds that have each.

    The counts are 0 where all seeds or none have the figure.
    """
    summaries = seeds.summaries(rows, "group")
    groups = rows.groupby("group")
    columns = {
        "score": summaries["mean"],
        "low": summaries["low"],
        "high": summaries["high"],
        "seeds": summaries["n"],
        "spread": summaries["spread"],
        "error": summaries["error"],
        "least": summaries["least"],
        "most": summaries["most"],
        "n": groups["n"].first().where(groups["n"].nunique(dropna=False) == 1),
        "train_seconds": groups["train_seconds"].median(),
        "verified": groups["verified"].all(),
        **({"choice": groups["choice"].max()} if "choice" in rows else {}),
    }
    averaged = [name for name in figures if known(str(name)).unit in AVERAGED]
    of_groups = figures.groupby(rows["group"].to_numpy())
    together = of_groups.median()
    present = of_groups.count()
    partial = present.where(present.lt(summaries["n"], axis=0), 0)
    together[averaged] = of_groups[averaged].mean().where(partial[averaged] == 0)
    return columns, together, partial
