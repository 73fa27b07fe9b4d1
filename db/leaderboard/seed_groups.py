"""Means over the seeds of one recipe as rows of a comparison, beside single runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from db.leaderboard.board import Board
from db.leaderboard.merging import AVERAGED
from db.registry.metrics import known
from db.runs import seeds
from db.runs.seeds import Summary
from db.runs.status import ON_BOARD
from db.storage import ownership
from db.storage.store import Store

MEAN = "mean-"
"""Before the id of a run it names the mean over the seeds of that run."""


@dataclass(frozen=True)
class SeedGroup:
    """What is compared as one: a run, or the seeds of its recipe.

    Attributes:
        key: The run's id; of a mean ``MEAN`` and the id of the seed with the median score.
        members: Ids of the runs.
        summary: Of a mean; None for a run.
    """

    key: str
    members: tuple[str, ...]
    summary: Summary | None = None

    @classmethod
    def single(cls, run_id: str) -> "SeedGroup":
        """A run alone."""
        return cls(run_id, (run_id,))


def group(con: duckdb.DuckDBPyConnection, run_id: str) -> SeedGroup:
    """Find the finished seeds of a run's recipe, as the board joins them; the run alone where there is no other."""
    alike = con.execute(
        f"""
        SELECT r.run_id, r.model_id, r.recipe_hash, r.dataset, r.dataset_hash, r.split, r.device, r.source, r.status,
               r.seed, r.created_at, p.value AS score, p.low, p.high, {ownership.OWNER}
        FROM runs r
        JOIN runs own ON own.run_id = ? AND own.model_id = r.model_id AND own.task_id = r.task_id
            AND own.task_version = r.task_version AND own.recipe_hash IS NOT DISTINCT FROM r.recipe_hash
        LEFT JOIN tasks t ON t.task_id = r.task_id AND t.version = r.task_version
        LEFT JOIN metrics p ON p.run_id = r.run_id AND p.name = t.metric
        WHERE r.run_id = own.run_id OR {ON_BOARD}
        """,  # noqa: S608 - constants
        [run_id],
    ).df()
    joined = seeds.of_run(alike, run_id, lambda members: seeds.example_variance(con, members))
    if joined is None or joined.summary is None:
        return SeedGroup.single(run_id)
    scored = joined.runs[(joined.runs["status"] == "finished") & joined.runs["score"].notna()]
    return SeedGroup(f"{MEAN}{joined.middle}", tuple(scored["run_id"]), joined.summary)


def rows(parts: pd.DataFrame, groups: Sequence[SeedGroup]) -> pd.DataFrame:
    """Make one row a group; see ``comparison.RunSelection.runs``."""
    made = parts.loc[[group.key.removeprefix(MEAN) for group in groups]].reset_index(drop=True)
    made = made.assign(seeds=[len(group.members) for group in groups], spread=np.nan)
    made["seed"] = made["seed"].astype("Int64").mask(made["seeds"] > 1)
    for index, group in enumerate(groups):
        if group.summary is not None:
            runs, summary = parts.loc[list(group.members)], group.summary
            columns: dict[str, Any] = {
                "run_id": group.key,
                "name": made.at[index, "model"],
                "score": summary.mean,
                "low": summary.low,
                "high": summary.high,
                "spread": summary.spread,
                "answered": bool(runs["answered"].all()),
                "verified": bool(runs["verified"].all()),
                "train_seconds": runs["train_seconds"].median(),
                "updated_at": runs["updated_at"].max(),
            }
            for name, value in columns.items():
                made.at[index, name] = value
    return made


def metrics(stored: pd.DataFrame, groups: Sequence[SeedGroup], parts: pd.DataFrame) -> pd.DataFrame:
    """Join the metrics of seeds: means of qualities that every seed has (NaN where some have it), medians of costs.

    Args:
        stored: ``run_id, name, value, n, low, high`` of all runs.
        groups: What is compared.
        parts: Their runs by id, with the ``metric`` of their task.

    Returns:
        ``run_id, name, value, n, low, high, spread, some`` by the keys of the groups. The interval of a mean is known
        for the task's metric alone; ``some`` is how many seeds have the metric where not all have it, else 0.
    """
    single = {run_id for group in groups if group.summary is None for run_id in group.members}
    joined = [stored[stored["run_id"].isin(single)].assign(spread=np.nan, some=0)]
    for group in groups:
        if group.summary is None:
            continue
        primary = parts.at[group.members[0], "metric"]
        lines = []
        for name, values in stored[stored["run_id"].isin(group.members)].groupby("name"):
            averaged = known(str(name)).unit in AVERAGED
            some = len(values) if len(values) < len(group.members) else 0
            lines.append(
                {
                    "run_id": group.key,
                    "name": name,
                    "value": (np.nan if some else values["value"].mean()) if averaged else values["value"].median(),
                    "n": values["n"].iloc[0] if values["n"].nunique(dropna=False) == 1 else np.nan,
                    "low": group.summary.low if name == primary else np.nan,
                    "high": group.summary.high if name == primary else np.nan,
                    "spread": values["value"].std() if averaged and not some else np.nan,
                    "some": some,
                }
            )
        joined.append(pd.DataFrame(lines, columns=joined[0].columns))
    return pd.concat([frame for frame in joined if len(frame)] or joined, ignore_index=True)


def of_board(shown: Board) -> pd.DataFrame:
    """List the means of a board, best first: ``run_id`` (the key), ``model, source, dataset, score, seeds``."""
    several = shown.rows[shown.rows["seeds"].fillna(0) > 1]
    columns = several[["run_id", "model", "source", "dataset", "score", "seeds"]]
    return columns.assign(run_id=MEAN + columns["run_id"].astype(str)).reset_index(drop=True)


def best_models(store: Store, shown: Board, limit: int) -> tuple[str, ...]:
    """Choose the best models of a board whose predictions are kept, each by its mean over seeds where it has several.

    Returns:
        Keys as ``comparison.choose`` takes them, best first.
    """
    stored = store.query(
        "SELECT DISTINCT run_id FROM predictions SEMI JOIN (SELECT run_id FROM runs WHERE task_id = ?) USING (run_id)",
        [shown.task["task_id"]],
    )
    answered = set(stored["run_id"])
    chosen: dict[str, str] = {}
    for position, row in enumerate(shown.rows.itertuples()):
        members = shown.members(position)
        scored = members[(members["status"] == "finished") & members["score"].notna()]
        if row.model in chosen or not len(scored) or not set(scored["run_id"]) <= answered:
            continue
        chosen[row.model] = f"{MEAN}{row.run_id}" if len(scored) > 1 else str(row.run_id)
        if len(chosen) == limit:
            break
    return tuple(chosen.values())
