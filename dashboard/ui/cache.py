"""Reading the store for the pages, cached until the database changes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar, cast

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard.ui import theme
from db.analysis import ablation, data_scaling, matched_pairs
from db.analysis import hardest_examples as wrong
from db.analysis import related_runs as related
from db.analysis.ablation import Ablation, Study
from db.analysis.data_scaling import DataScaling
from db.analysis.hardest_examples import Hardest
from db.analysis.matched_pairs import Contrast, MatchedPair
from db.analysis.related_runs import Relations
from db.base.errors import StoreMissingError
from db.base.paths import default_database
from db.leaderboard import models as db_models
from db.leaderboard import saved_views as db_views
from db.leaderboard.board import Board, board
from db.leaderboard.saved_views import SavedView
from db.runs import detail, examples, timings
from db.runs.detail import RunDetail
from db.runs.examples import Example
from db.storage.store import Store

T = TypeVar("T")

# A page waits less than a training does: a visitor who sees nothing for long leaves.
WAIT_S = 4.0


def store() -> Store:
    """The database that this server shows."""
    return Store(default_database(), wait_s=WAIT_S)


def cached(function: Callable[..., T]) -> Callable[..., T]:
    """Keep what a function reads. The state is in every key, so that a new run shows at the next look."""
    return st.cache_data(max_entries=64, show_spinner=False)(function)


def state_of(database: Store) -> str:
    """A text that changes with the database, and every minute while a run is running.

    A running run turns into an interrupted one by the passing of time alone. Without any, nothing is read again.
    """
    generation = database.generation()
    return f"{generation} {int(time.time() // 60)}" if _running(database.path, generation) else generation


@cached
def _running(path: Path, generation: str) -> bool:
    return bool(_boards(path, generation)["running"].any())


@cached
def _boards(path: Path, generation: str) -> pd.DataFrame:
    return detail.boards(Store(path, wait_s=WAIT_S))


@dataclass(frozen=True)
class _CachedBoard:
    """A board and the state of the database that it was read in."""

    path: Path
    state: str
    board: Board

    def holds(self) -> bool:
        """Whether it would be read the same again."""
        return self.state == state_of(Store(self.path, wait_s=WAIT_S))


# Shared by all visitors as it is, since nobody writes to it: a copy of 100,000 rows would be the most of what a look
# costs. A new state takes the place of the old one, so a training that writes every few seconds fills no memory.
@st.cache_resource(max_entries=32, show_spinner=False, validate=_CachedBoard.holds)
def _leaderboard(path: Path, task_id: str, every_run: bool, printed: bool) -> _CachedBoard:
    database = Store(path, wait_s=WAIT_S)
    state = state_of(database)
    return _CachedBoard(path, state, board(database, task_id, every_run=every_run, printed=printed))


@cached
def _run(path: Path, state: str, run_id: str) -> RunDetail:
    return detail.run_detail(Store(path, wait_s=WAIT_S), run_id)


@cached
def _slices(path: Path, state: str, run_id: str) -> pd.DataFrame:
    return detail.slices(Store(path, wait_s=WAIT_S), run_id)


@cached
def _relations(path: Path, state: str, run_id: str) -> Relations:
    return related.of_run(Store(path, wait_s=WAIT_S), run_id)


@cached
def _hardest(path: Path, state: str, run_id: str) -> Hardest:
    return wrong.of_run(Store(path, wait_s=WAIT_S), run_id)


@cached
def _newest(path: Path, state: str, limit: int) -> pd.DataFrame:
    return detail.runs(Store(path, wait_s=WAIT_S), limit)


# Pairs are immutable, so all visitors share them; a copy would have to be unpacked at every rerun.
@st.cache_resource(max_entries=64, show_spinner=False)
def _matched_pairs(path: Path, state: str, task_id: str, contrast: Contrast) -> list[MatchedPair]:
    return [_tested(path, untested) for untested in matched_pairs.find(Store(path, wait_s=WAIT_S), task_id, contrast)]


# Reads all predictions of its runs. Their state is in the key, so a training that writes every few seconds does not
# make every look at the board count them again.
@st.cache_data(max_entries=256, show_spinner=False)
def _tested(path: Path, untested: MatchedPair) -> MatchedPair:
    return matched_pairs.with_tests(Store(path, wait_s=WAIT_S), untested)


@cached
def _ablation(path: Path, state: str, study: Study) -> Ablation:
    return ablation.find(Store(path, wait_s=WAIT_S), study)


@st.cache_resource(max_entries=64, show_spinner=False)
def _data_scaling(path: Path, state: str, task_id: str, studied: tuple[str, ...]) -> DataScaling:
    return data_scaling.find(Store(path, wait_s=WAIT_S), task_id, studied)


@cached
def _device_timings(path: Path, state: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    database = Store(path, wait_s=WAIT_S)
    return timings.measured(database), timings.reported(database)


# Building the figures of a page takes longer than all the rest of it together.
@st.cache_resource(max_entries=64, show_spinner=False)
def _once(path: Path, state: str, facts: tuple[object, ...], _make: Callable[[], object]) -> object:
    return _make()


def once(make: Callable[[], T], *facts: object) -> T:
    """What stays the same at every look until the database changes, such as a figure: made once, and shared.

    Args:
        make: Makes it from what was read of the database; what it gives is not to be written to.
        facts: What it depends on beside the database, with a name of its own first.
    """
    database = store()
    return cast("T", _once(database.path, state_of(database), facts, make))


class _SharedFigure(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A figure that is finished: Streamlit takes its dictionary at every look, and making one is most of that."""

    @cached_property
    def _dictionary(self) -> dict[str, object]:
        made: dict[str, object] = super().to_dict()
        return made

    def to_dict(self) -> dict[str, object]:
        """Return the same dictionary each time; not to be written to."""
        return self._dictionary


def figure(make: Callable[[], go.Figure], *facts: object) -> go.Figure:
    """Make a figure; see ``once``."""
    return once(lambda: _SharedFigure(make()), "figure", *facts)


def boards() -> pd.DataFrame:
    """Every task with its number of runs; see ``db.runs.detail.boards``."""
    database = store()
    rows = _boards(database.path, database.generation())
    if rows.empty:  # made, but never filled
        raise StoreMissingError(f"The database {database.path} is empty.")
    return rows


def leaderboard(task_id: str, *, every_run: bool, printed: bool = False) -> Board:
    """A board, shared and not to be written to; see ``db.leaderboard.board``."""
    return _leaderboard(store().path, task_id, every_run, printed).board


@cached
def _families(path: Path, generation: str) -> list[tuple[str, str]]:
    return db_models.families(Store(path, wait_s=WAIT_S))


def family_colours(*more: tuple[str, str]) -> dict[str, str]:
    """The colour of each family on all pages; see ``theme.family_colours``.

    Args:
        more: Families that are on no board yet, as (board, family).
    """
    database = store()
    return theme.family_colours([*_families(database.path, database.generation()), *more])


def run(run_id: str) -> RunDetail:
    """One run; see ``db.runs.detail.run_detail``."""
    database = store()
    return _run(database.path, state_of(database), run_id)


def parts(run_id: str) -> pd.DataFrame:
    """Figures of parts of a run's split; see ``db.runs.detail.slices``."""
    database = store()
    return _slices(database.path, state_of(database), run_id)


def relations(run_id: str) -> Relations:
    """A run among the others of its board; see ``db.analysis.related_runs``."""
    database = store()
    return _relations(database.path, state_of(database), run_id)


def hardest(run_id: str) -> Hardest:
    """The wrong answers of which a run was surest; see ``db.analysis.hardest_examples``."""
    database = store()
    return _hardest(database.path, state_of(database), run_id)


def newest(limit: int) -> pd.DataFrame:
    """The newest runs; see ``db.runs.detail.runs``."""
    database = store()
    return _newest(database.path, state_of(database), limit)


def matched_pairs_of(task_id: str, contrast: Contrast) -> list[MatchedPair]:
    """The matched pairs of a board with their paired tests; see ``db.analysis.matched_pairs``."""
    database = store()
    return _matched_pairs(database.path, state_of(database), task_id, contrast)


def ablation_of(study: Study) -> Ablation:
    """What each part of a distillation brings; see ``db.analysis.ablation``."""
    database = store()
    return _ablation(database.path, state_of(database), study)


def data_scaling_of(task_id: str, studied: tuple[str, ...]) -> DataScaling:
    """The scores of a board over the size of the training set; see ``db.analysis.data_scaling``."""
    database = store()
    return _data_scaling(database.path, state_of(database), task_id, studied)


@cached
def _views(path: Path, generation: str, page: str) -> list[SavedView]:
    return db_views.saved(Store(path, wait_s=WAIT_S), page)


def views(page: str) -> list[SavedView]:
    """The views of a page that somebody kept by name; see ``db.leaderboard.saved_views``."""
    database = store()
    return _views(database.path, database.generation(), page)


def device_timings() -> tuple[pd.DataFrame, pd.DataFrame]:
    """What was measured and what documents print of models on machines; see ``db.runs.timings``."""
    database = store()
    return _device_timings(database.path, state_of(database))


@st.cache_resource(max_entries=4, show_spinner=False)
def _texts(task_id: str, file: Path, changed: int) -> dict[str, Example]:
    return examples.read(task_id, file)


def texts(task_id: str) -> tuple[dict[str, Example], Path | None]:
    """Return the texts of a task's examples and their file; nothing where the data set is not on this machine."""
    file = examples.file_of(task_id)
    return ({}, None) if file is None else (_texts(task_id, file, file.stat().st_mtime_ns), file)
