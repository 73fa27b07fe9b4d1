"""Reading the store for the page of the comparison."""

from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard.ui.cache import WAIT_S, cached, state_of, store
from db.analysis import agreement, comparison, paired_tests
from db.analysis.agreement import Agreement
from db.analysis.comparison import RunSelection
from db.analysis.paired_answers import PairedAnswers
from db.analysis.paired_tests import Measure, Verdict
from db.runs import curves
from db.storage.store import Store

# What is computed from predictions is kept by its runs and when they were last written, and not by
# the generation: a training that writes every few seconds does not make 300,000 answers be read again. It is shared
# and not copied, because nobody changes it.
_Key = tuple[Path, tuple[str, ...], tuple[str, ...], str | None]


@cached
def _comparable(path: Path, state: str, task_id: str, search: str, limit: int) -> tuple[pd.DataFrame, int]:
    return comparison.comparable(Store(path, wait_s=WAIT_S), task_id, search, limit)


@cached
def _chosen(path: Path, state: str, run_ids: tuple[str, ...]) -> RunSelection:
    return comparison.choose(Store(path, wait_s=WAIT_S), run_ids)


@st.cache_resource(max_entries=8, show_spinner=False)
def _common(key: _Key) -> PairedAnswers:
    path, run_ids, _, language = key
    return comparison.common(Store(path, wait_s=WAIT_S), run_ids, language)


@st.cache_resource(max_entries=32, show_spinner=False)
def _verdict(key: _Key, measure: Measure) -> Verdict:
    return paired_tests.verdict(_common(key), measure)


@st.cache_resource(max_entries=16, show_spinner=False)
def _agreement(key: _Key) -> Agreement:
    return agreement.agreement(_common(key), key[3])


@cached
def _series(path: Path, state: str, run_ids: tuple[str, ...]) -> pd.DataFrame:
    return curves.series(Store(path, wait_s=WAIT_S), run_ids)


@cached
def _lines(path: Path, state: str, run_ids: tuple[str, ...], names: tuple[str, ...]) -> pd.DataFrame:
    return curves.lines(Store(path, wait_s=WAIT_S), run_ids, names)


def comparable(task_id: str, search: str, limit: int) -> tuple[pd.DataFrame, int]:
    """Runs of a task that can be compared, and how many there are in all; see ``db.analysis.comparison``."""
    database = store()
    return _comparable(database.path, state_of(database), task_id, search, limit)


def chosen(run_ids: tuple[str, ...]) -> RunSelection:
    """The runs of some ids; see ``db.analysis.comparison``."""
    database = store()
    return _chosen(database.path, state_of(database), run_ids)


def _key(runs: RunSelection) -> _Key:
    answering = runs.runs[runs.runs["answered"]]
    return (
        store().path,
        tuple(answering["run_id"]),
        tuple(f"{changed}" for changed in answering["updated_at"]),
        runs.texts,
    )


def common(runs: RunSelection) -> PairedAnswers:
    """The examples that all runs with predictions share; see ``db.analysis.comparison``."""
    return _common(_key(runs))


def verdict(runs: RunSelection, measure: Measure) -> Verdict:
    """Who of them is best; see ``db.analysis.paired_tests``."""
    return _verdict(_key(runs), measure)


def agreed(runs: RunSelection) -> Agreement:
    """How far they agree; see ``db.analysis.agreement``."""
    return _agreement(_key(runs))


def series(run_ids: tuple[str, ...]) -> pd.DataFrame:
    """Which curves runs have; see ``db.runs.curves``."""
    database = store()
    return _series(database.path, state_of(database), run_ids)


def lines(run_ids: tuple[str, ...], names: tuple[str, ...]) -> pd.DataFrame:
    """Some curves of some runs; see ``db.runs.curves``."""
    database = store()
    return _lines(database.path, state_of(database), run_ids, names)
