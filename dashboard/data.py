"""Reading the store for the pages, cached until the database changes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import pandas as pd
import streamlit as st

from db import ablation, compare, learning, queries, slices, timings, twins
from db import views as db_views
from db.ablation import Ablation
from db.board import Board, board
from db.compare import Compared
from db.errors import StoreMissingError
from db.learning import Learning
from db.paths import default_database
from db.queries import RunDetail
from db.store import Store
from db.twins import Contrast, Twins
from db.views import SavedView

T = TypeVar("T")

# A page waits less than a training does: a visitor who sees nothing for long leaves.
_WAIT_S = 4.0


def store() -> Store:
    """The database that this server shows."""
    return Store(default_database(), wait_s=_WAIT_S)


# The state is in every key, so that a new run shows at the next look.
def _cached(function: Callable[..., T]) -> Callable[..., T]:
    return st.cache_data(max_entries=64, show_spinner=False)(function)


def _state(here: Store) -> str:
    """A text that changes with the database, and every minute while a run is running.

    A running run turns into an interrupted one by the passing of time alone. Without any, nothing is read again.
    """
    generation = here.generation()
    return f"{generation} {int(time.time() // 60)}" if _running(here.path, generation) else generation


@_cached
def _running(path: Path, generation: str) -> bool:
    return bool(_boards(path, generation)["running"].any())


@_cached
def _boards(path: Path, generation: str) -> pd.DataFrame:
    return queries.boards(Store(path, wait_s=_WAIT_S))


@dataclass(frozen=True)
class _Kept:
    """A board and the state of the database that it was read in."""

    path: Path
    state: str
    board: Board

    def holds(self) -> bool:
        """Whether it would be read the same again."""
        return self.state == _state(Store(self.path, wait_s=_WAIT_S))


# Shared by all visitors as it is, since nobody writes to it: a copy of 100,000 rows would be the most of what a look
# costs. A new state takes the place of the old one, so a training that writes every few seconds fills no memory.
@st.cache_resource(max_entries=32, show_spinner=False, validate=_Kept.holds)
def _leaderboard(path: Path, task_id: str, every_run: bool) -> _Kept:
    here = Store(path, wait_s=_WAIT_S)
    state = _state(here)
    return _Kept(path, state, board(here, task_id, every_run=every_run))


@_cached
def _run(path: Path, state: str, run_id: str) -> RunDetail:
    return queries.run_detail(Store(path, wait_s=_WAIT_S), run_id)


@_cached
def _slices(path: Path, state: str, run_id: str) -> pd.DataFrame:
    return slices.of_run(Store(path, wait_s=_WAIT_S), run_id)


@_cached
def _newest(path: Path, state: str, limit: int) -> pd.DataFrame:
    return queries.runs(Store(path, wait_s=_WAIT_S), limit)


# Twins cannot be changed, so all visitors share them as they are; a copy would have to be unpacked at every look.
@st.cache_resource(max_entries=64, show_spinner=False)
def _twins(path: Path, state: str, task_id: str, contrast: Contrast) -> list[Twins]:
    return [_tested(path, untested) for untested in twins.find(Store(path, wait_s=_WAIT_S), task_id, contrast)]


# Reads all predictions of its runs. Their state is in the key, so a training that writes every few seconds does not
# make every look at the board count them again.
@st.cache_data(max_entries=256, show_spinner=False)
def _tested(path: Path, untested: Twins) -> Twins:
    return twins.with_tests(Store(path, wait_s=_WAIT_S), untested)


@_cached
def _comparable(path: Path, state: str) -> pd.DataFrame:
    return compare.comparable(Store(path, wait_s=_WAIT_S))


@_cached
def _compared(path: Path, state: str, first: str, second: str) -> Compared:
    return compare.compare(Store(path, wait_s=_WAIT_S), first, second)


@_cached
def _ablation(path: Path, state: str) -> Ablation:
    return ablation.find(Store(path, wait_s=_WAIT_S))


@st.cache_resource(max_entries=64, show_spinner=False)
def _learning(path: Path, state: str, task_id: str) -> Learning:
    return learning.find(Store(path, wait_s=_WAIT_S), task_id)


@_cached
def _device_timings(path: Path, state: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    here = Store(path, wait_s=_WAIT_S)
    return timings.measured(here), timings.reported(here)


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
    here = store()
    return cast("T", _once(here.path, _state(here), facts, make))


def boards() -> pd.DataFrame:
    """Every task with its number of runs; see ``db.queries.boards``."""
    here = store()
    found = _boards(here.path, here.generation())
    if found.empty:  # made, but never filled
        raise StoreMissingError(f"The database {here.path} is empty.")
    return found


def leaderboard(task_id: str, *, every_run: bool) -> Board:
    """A board, shared and not to be written to; see ``db.board``."""
    return _leaderboard(store().path, task_id, every_run).board


def run(run_id: str) -> RunDetail:
    """One run; see ``db.queries.run_detail``."""
    here = store()
    return _run(here.path, _state(here), run_id)


def parts(run_id: str) -> pd.DataFrame:
    """Figures of parts of a run's split; see ``db.slices``."""
    here = store()
    return _slices(here.path, _state(here), run_id)


def newest(limit: int) -> pd.DataFrame:
    """The newest runs; see ``db.queries.runs``."""
    here = store()
    return _newest(here.path, _state(here), limit)


def twins_of(task_id: str, contrast: Contrast) -> list[Twins]:
    """The twins of a board with their paired tests; see ``db.twins``."""
    here = store()
    return _twins(here.path, _state(here), task_id, contrast)


def comparable() -> pd.DataFrame:
    """Runs that can be compared example by example; see ``db.compare``."""
    here = store()
    return _comparable(here.path, _state(here))


def compared(first: str, second: str) -> Compared:
    """Two runs, example by example; see ``db.compare``."""
    here = store()
    return _compared(here.path, _state(here), first, second)


def distillation_parts() -> Ablation:
    """What each part of a distillation brings; see ``db.ablation``."""
    here = store()
    return _ablation(here.path, _state(here))


def over_examples(task_id: str) -> Learning:
    """The scores of a board over the size of the training set; see ``db.learning``."""
    here = store()
    return _learning(here.path, _state(here), task_id)


@_cached
def _views(path: Path, generation: str, page: str) -> list[SavedView]:
    return db_views.saved(Store(path, wait_s=_WAIT_S), page)


def views(page: str) -> list[SavedView]:
    """The views of a page that somebody kept by name; see ``db.views``."""
    here = store()
    return _views(here.path, here.generation(), page)


def device_timings() -> tuple[pd.DataFrame, pd.DataFrame]:
    """What was measured and what documents print of models on machines; see ``db.timings``."""
    here = store()
    return _device_timings(here.path, _state(here))
