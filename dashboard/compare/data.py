"""Reading the store for the page of the comparison."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard.ui.cache import WAIT_S, current, leaderboard, store
from db.analysis import agreement, comparison, paired_tests
from db.analysis.agreement import Agreement
from db.analysis.comparison import RunSelection
from db.analysis.paired_answers import PairedAnswers
from db.analysis.paired_tests import Measure, Verdict
from db.leaderboard import seed_groups
from db.runs import curves
from db.storage.store import Store

_WHOLE = 100_000
"""Points of a line that are read where lines are averaged."""

# What is computed from predictions is kept by its runs and when they were last written, and not by
# the generation: a training that writes every few seconds does not make 300,000 answers be read again. It is shared
# and not copied, because nobody changes it.
_Key = tuple[Path, tuple[str, ...], tuple[str, ...], str | None, str]


@st.cache_resource(max_entries=8, show_spinner=False)
def _common(key: _Key) -> PairedAnswers:
    path, run_ids, _, language, metric = key
    return comparison.common(Store(path, wait_s=WAIT_S), run_ids, language, metric)


@st.cache_resource(max_entries=32, show_spinner=False)
def _verdict(key: _Key, measure: Measure) -> Verdict:
    return paired_tests.verdict(_common(key), measure)


@st.cache_resource(max_entries=32, show_spinner=False)
def _verdict_of_means(path: Path, members: tuple[tuple[str, ...], ...], changed: tuple[str, ...]) -> Verdict | None:
    with Store(path, wait_s=WAIT_S).read() as con:
        return paired_tests.verdict_of_means(con, members)


@st.cache_resource(max_entries=16, show_spinner=False)
def _agreement(key: _Key) -> Agreement:
    return agreement.agreement(_common(key), key[3])


_series, _lines = current(curves.series), current(curves.lines)
comparable = current(comparison.comparable)
chosen = current(comparison.choose)


def _key(runs: RunSelection) -> _Key:
    shown = runs.representatives()
    ids = [shown[index] for index in runs.answering]
    written = tuple(f"{runs.parts.at[run_id, 'updated_at']}" for run_id in ids)
    return store().path, tuple(ids), written, runs.texts, runs.metric


def common(runs: RunSelection) -> PairedAnswers:
    """The examples that all runs with predictions share; of a mean the answers of the seed with the median score."""
    return _common(_key(runs))


def verdict(runs: RunSelection, measure: Measure) -> Verdict:
    """Who of them is best; see ``db.analysis.paired_tests``."""
    return _verdict(_key(runs), measure)


def verdict_of_means(runs: RunSelection) -> Verdict | None:
    """Who of them is best, where some are means over seeds; see ``db.analysis.paired_tests``."""
    members = tuple(runs.members[index] for index in runs.answering)
    changed = tuple(f"{runs.parts.at[run_id, 'updated_at']}" for of_mean in members for run_id in of_mean)
    return _verdict_of_means(store().path, members, changed)


@current
def best_models(database: Store, task_id: str, limit: int) -> tuple[str, ...]:
    """The best models of a board; see ``db.leaderboard.seed_groups``."""
    return seed_groups.best_models(database, leaderboard(task_id, every_run=False), limit)


def agreed(runs: RunSelection) -> Agreement:
    """How far they agree; see ``db.analysis.agreement``."""
    return _agreement(_key(runs))


def series(runs: RunSelection) -> pd.DataFrame:
    """Which curves runs have; see ``db.runs.curves``."""
    return _series(_flat(runs.members))


def lines(runs: RunSelection, names: tuple[str, ...]) -> pd.DataFrame:
    """Some curves of some runs; see ``db.runs.curves``. The curve of a mean is the mean of those of its seeds."""
    # Thinned curves of several seeds have few steps in common.
    limit = _WHOLE if runs.has_means else curves.MAX_POINTS
    points = _lines(_flat(runs.members), names, limit)
    if not runs.has_means:
        return points
    return pd.concat(
        [
            _mean_lines(points[points["run_id"].isin(ids)], key, ids)
            for key, ids in zip(runs.ids(), runs.members, strict=True)
        ]
    )


def _mean_lines(points: pd.DataFrame, key: str, members: Sequence[str]) -> pd.DataFrame:
    """Average the curves of some seeds over the steps that all of them have."""
    if len(members) == 1:
        return points
    steps = points.groupby(["series", "step"], sort=True)
    means = steps[["epoch", "wall_time", "value", "mean"]].mean()[steps.size() == len(members)]
    return means.reset_index().assign(run_id=key)


def _flat(members: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(run_id for runs in members for run_id in runs))
