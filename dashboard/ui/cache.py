"""Reading the store for the pages, cached until the database changes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dashboard.ui import theme
from db.analysis import hardest_examples as wrong
from db.analysis import related_runs as related
from db.analysis.findings import ablation, data_scaling, distillation_settings, matched_pairs
from db.analysis.findings.data_scaling import DataScaling
from db.analysis.findings.distillation_settings import Grid
from db.analysis.findings.matched_pairs import Contrast, MatchedPair
from db.base.errors import StoreMissingError
from db.base.paths import default_database
from db.leaderboard import models as db_models
from db.leaderboard import saved_views
from db.leaderboard.board import Board, board
from db.runs import detail, examples, timings
from db.runs.examples import Example
from db.storage.store import Store

P = ParamSpec("P")
T = TypeVar("T")

# A page waits less than a training does: a visitor who sees nothing for long leaves.
WAIT_S = 4.0


def store() -> Store:
    """The database that this server shows."""
    return Store(default_database(), wait_s=WAIT_S)


@st.cache_data(max_entries=256, show_spinner=False)
def _copied(path: Path, state: str, call: tuple[object, ...], _read: Callable[[], object]) -> object:
    return _read()


def current(read: Callable[Concatenate[Store, P], T]) -> Callable[P, T]:
    """Make a function of the database that is shown out of one of any: it reads once for each state of it.

    The state is in every key, so that a new run shows at the next look; each caller gets a copy.
    """

    @wraps(read)
    def cached(*arguments: P.args, **options: P.kwargs) -> T:
        database = store()
        call = (read.__module__, read.__qualname__, arguments, sorted(options.items()))
        made = _copied(database.path, state_of(database), call, lambda: read(database, *arguments, **options))
        return cast("T", made)

    return cached


def state_of(database: Store) -> str:
    """A text that changes with the database, and every minute while a run is running.

    A running run turns into an interrupted one by the passing of time alone. Without any, nothing is read again.
    """
    generation = database.generation()
    running = _copied(
        database.path, generation, ("running",), lambda: bool(_boards(database, generation)["running"].any())
    )
    return f"{generation} {int(time.time() // 60)}" if running else generation


def _boards(database: Store, generation: str) -> pd.DataFrame:
    return cast("pd.DataFrame", _copied(database.path, generation, ("boards",), lambda: detail.boards(database)))


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


# Reads all predictions of its runs. Their state is in the key, so a training that writes every few seconds does not
# make every look at the board count them again.
@st.cache_data(max_entries=256, show_spinner=False)
def _tested(path: Path, untested: MatchedPair) -> MatchedPair:
    return matched_pairs.with_tests(Store(path, wait_s=WAIT_S), untested)


# Building the figures of a page takes longer than all the rest of it together.
@st.cache_resource(max_entries=192, show_spinner=False)
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
    rows = _boards(database, database.generation())
    if rows.empty:  # made, but never filled
        raise StoreMissingError(f"The database {database.path} is empty.")
    return rows


def leaderboard(task_id: str, *, every_run: bool, printed: bool = False) -> Board:
    """A board, shared and not to be written to; see ``db.leaderboard.board``."""
    return _leaderboard(store().path, task_id, every_run, printed).board


_families = current(db_models.families)


def family_colours(*more: tuple[str, str]) -> dict[str, str]:
    """The colour of each family on all pages; see ``theme.family_colours``.

    ``more`` are families that are on no board yet, as (board, family).
    """
    return theme.family_colours([*_families(), *more])


run = current(detail.run_detail)
parts = current(detail.slices)
newest = current(detail.runs)
relations = current(related.of_run)
hardest = current(wrong.of_run)
ablation_of = current(ablation.find)
views = current(saved_views.saved)


def matched_pairs_of(task_id: str, contrast: Contrast) -> list[MatchedPair]:
    """The matched pairs of a board with their paired tests; see ``db.analysis.findings.matched_pairs``."""
    path = store().path
    return once(
        lambda: [_tested(path, untested) for untested in matched_pairs.find(store(), task_id, contrast)],
        "matched pairs",
        task_id,
        contrast,
    )


def data_scaling_of(task_id: str, studied: tuple[str, ...]) -> DataScaling:
    """The scores of a board over the size of the training set; see ``db.analysis.findings.data_scaling``."""
    return once(lambda: data_scaling.find(store(), task_id, studied), "data scaling", task_id, studied)


def pretraining_scaling_of(task_id: str) -> DataScaling:
    """The scores of a board over the tokens of pretraining; see ``db.analysis.findings.data_scaling``."""
    return once(lambda: data_scaling.by_pretraining(store(), task_id), "pretraining scaling", task_id)


def distillation_grids_of(task_id: str) -> tuple[Grid, ...]:
    """The settings of a board's distillations; see ``db.analysis.findings.distillation_settings``."""
    return once(lambda: distillation_settings.find(store(), task_id), "distillation settings", task_id)


@current
def device_timings(database: Store) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What was measured and what documents print of models on machines; see ``db.runs.timings``."""
    return timings.measured(database), timings.reported(database)


@st.cache_resource(max_entries=4, show_spinner=False)
def _texts(task_id: str, file: Path, changed: int) -> dict[str, Example]:
    return examples.read(task_id, file)


def texts(task_id: str) -> tuple[dict[str, Example], Path | None]:
    """Return the texts of a task's examples and their file; nothing where the data set is not on this machine."""
    file = examples.file_of(task_id)
    return ({}, None) if file is None else (_texts(task_id, file, file.stat().st_mtime_ns), file)
