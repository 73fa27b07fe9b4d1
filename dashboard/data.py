"""Reading the store for the pages, cached until the database changes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pandas as pd
import streamlit as st

from db import ablation, agreement, compare, examples, learning, overlay, queries, slices, timings, twins, verdicts
from db import hardest as wrong
from db import relations as related
from db import views as db_views
from db.ablation import Ablation
from db.agreement import Agreement
from db.board import Board, board
from db.compare import Chosen
from db.errors import StoreMissingError
from db.examples import Example
from db.hardest import Hardest
from db.learning import Learning
from db.pairs import Common
from db.paths import default_database
from db.queries import RunDetail
from db.relations import Relations
from db.store import Store
from db.twins import Contrast, Twins
from db.verdicts import Measure, Verdict
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
    running = _boards(here.path, generation)["running"].any()
    return f"{generation} {int(time.time() // 60)}" if running else generation


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
def _relations(path: Path, generation: str, run_id: str) -> Relations:
    return related.of_run(Store(path, wait_s=_WAIT_S), run_id)


@_cached
def _hardest(path: Path, generation: str, run_id: str) -> Hardest:
    return wrong.of_run(Store(path, wait_s=_WAIT_S), run_id)


@_cached
def _newest(path: Path, state: str, limit: int) -> pd.DataFrame:
    return queries.runs(Store(path, wait_s=_WAIT_S), limit)


@_cached
def _twins(path: Path, state: str, task_id: str, contrast: Contrast) -> list[Twins]:
    return twins.find(Store(path, wait_s=_WAIT_S), task_id, contrast)


# Reads all predictions of its runs. Their state is in the key, so a training that writes every few seconds does not
# make every look at the board count them again.
@st.cache_data(max_entries=256, show_spinner=False)
def _tested(path: Path, untested: Twins) -> Twins:
    return twins.with_tests(Store(path, wait_s=_WAIT_S), untested)


@_cached
def _ablation(path: Path, state: str) -> Ablation:
    return ablation.find(Store(path, wait_s=_WAIT_S))


@_cached
def _learning(path: Path, state: str, task_id: str) -> Learning:
    return learning.find(Store(path, wait_s=_WAIT_S), task_id)


@_cached
def _device_timings(path: Path, state: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    here = Store(path, wait_s=_WAIT_S)
    return timings.measured(here), timings.reported(here)


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


def relations(run_id: str) -> Relations:
    """A run among the others of its board; see ``db.relations``."""
    here = store()
    return _relations(here.path, here.generation(), run_id)


def hardest(run_id: str) -> Hardest:
    """The wrong answers of which a run was surest; see ``db.hardest``."""
    here = store()
    return _hardest(here.path, here.generation(), run_id)


def newest(limit: int) -> pd.DataFrame:
    """The newest runs; see ``db.queries.runs``."""
    here = store()
    return _newest(here.path, _state(here), limit)


def twins_of(task_id: str, contrast: Contrast) -> list[Twins]:
    """The twins of a board with their paired tests; see ``db.twins``."""
    here = store()
    return [_tested(here.path, untested) for untested in _twins(here.path, _state(here), task_id, contrast)]


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


# The page Compare. What is computed from predictions is kept by its runs and when they were last written, and not by
# the generation: a training that writes every few seconds does not make 300,000 answers be read again. It is shared
# and not copied, because nobody changes it.
_Key = tuple[Path, tuple[str, ...], tuple[str, ...], str | None]


@_cached
def _comparable(path: Path, generation: str, task_id: str, search: str, limit: int) -> tuple[pd.DataFrame, int]:
    return compare.comparable(Store(path, wait_s=_WAIT_S), task_id, search, limit)


@_cached
def _chosen(path: Path, generation: str, wanted: tuple[str, ...]) -> Chosen:
    return compare.choose(Store(path, wait_s=_WAIT_S), wanted)


@st.cache_resource(max_entries=8, show_spinner=False)
def _common(key: _Key) -> Common:
    path, run_ids, _, language = key
    return compare.common(Store(path, wait_s=_WAIT_S), run_ids, language)


@st.cache_resource(max_entries=32, show_spinner=False)
def _verdict(key: _Key, measure: Measure) -> Verdict:
    return verdicts.verdict(_common(key), measure)


@st.cache_resource(max_entries=16, show_spinner=False)
def _agreement(key: _Key) -> Agreement:
    return agreement.agreement(_common(key), key[3])


@_cached
def _series(path: Path, generation: str, run_ids: tuple[str, ...]) -> pd.DataFrame:
    return overlay.series(Store(path, wait_s=_WAIT_S), run_ids)


@_cached
def _lines(path: Path, generation: str, run_ids: tuple[str, ...], names: tuple[str, ...]) -> pd.DataFrame:
    return overlay.lines(Store(path, wait_s=_WAIT_S), run_ids, names)


@st.cache_resource(max_entries=4, show_spinner=False)
def _texts(task_id: str, file: Path, changed: int) -> dict[str, Example]:
    return examples.read(task_id, file)


def comparable(task_id: str, search: str, limit: int) -> tuple[pd.DataFrame, int]:
    """Runs of a task that can be compared, and how many there are in all; see ``db.compare``."""
    here = store()
    return _comparable(here.path, here.generation(), task_id, search, limit)


def chosen(wanted: tuple[str, ...]) -> Chosen:
    """The runs of some ids; see ``db.compare``."""
    here = store()
    return _chosen(here.path, here.generation(), wanted)


def _key(runs: Chosen) -> _Key:
    told = runs.runs[runs.runs["answered"]]
    return (store().path, tuple(told["run_id"]), tuple(f"{at}" for at in told["updated_at"]), runs.texts)


def common(runs: Chosen) -> Common:
    """The examples that all runs with predictions share; see ``db.compare``."""
    return _common(_key(runs))


def verdict(runs: Chosen, measure: Measure) -> Verdict:
    """Who of them is best; see ``db.verdicts``."""
    return _verdict(_key(runs), measure)


def agreed(runs: Chosen) -> Agreement:
    """How far they agree; see ``db.agreement``."""
    return _agreement(_key(runs))


def series(run_ids: tuple[str, ...]) -> pd.DataFrame:
    """Which curves runs have; see ``db.overlay``."""
    here = store()
    return _series(here.path, here.generation(), run_ids)


def lines(run_ids: tuple[str, ...], names: tuple[str, ...]) -> pd.DataFrame:
    """Some curves of some runs; see ``db.overlay``."""
    here = store()
    return _lines(here.path, here.generation(), run_ids, names)


def texts(task_id: str) -> tuple[dict[str, Example], Path | None]:
    """The texts of a task's examples, and the file that they are from; nothing where they are not at hand."""
    file = examples.file_of(task_id)
    return ({}, None) if file is None else (_texts(task_id, file, file.stat().st_mtime_ns), file)
