"""Export, import, export is the identity for the board's files, as far as a claim carries what they hold."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.leaderboard import columns, export
from db import importers, submissions
from db.importers import spelling, values
from db.leaderboard.board import board
from db.registry.metrics import known
from db.storage.store import Store
from tests.factories.drafts import MINI
from tests.factories.examples import examples
from tests.factories.rows import with_tasks

pytestmark = pytest.mark.random

CLAIMED = ["model", "accuracy", "params", "train_seconds", "dataset", "family", "teacher", "seed", "device"]
CLAIMED += ["latency_ms_p50", "latency_ms_p95", "peak_memory_bytes", "perplexity", "train_examples"]
"""Columns that a claim carries; ranks, intervals and the source are made anew by each board."""


def _is_name(text: str) -> bool:
    """Whether a text can name something: it is taken as it is, and means neither nothing nor a summary of rows."""
    try:
        taken = values.required_text(text, 120) == text
    except ValueError:
        return False
    path = spelling.is_local_path(text) or text.startswith(("http:", "https:"))
    return taken and not path and not spelling.is_summary(text) and not values.is_missing(text)


NAME = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=20).filter(_is_name)
FORMULA = st.sampled_from(["=1+1", "-1", "+x", "@SUM(A1)", "'=1", "''-x", "'quoted'", '"', "a,b", "a;b", "1.5"])
SIZE = st.floats(0.001, 1e9)
ROW = st.fixed_dictionaries(
    {"model": NAME | FORMULA, "params": st.integers(1_000, 10**15)},
    optional={"family": NAME | FORMULA, "dataset": NAME, "teacher": NAME | FORMULA, "device": NAME}
    | {"seed": st.integers(-(2**63), 2**63 - 1), "train_seconds": st.floats(0, 1e7)},
)
METRICS = st.fixed_dictionaries(
    {"accuracy": st.floats(0, 1)},
    optional=dict.fromkeys(["latency_ms_p50", "latency_ms_p95", "perplexity"], SIZE)
    | dict.fromkeys(["peak_memory_bytes", "train_examples"], st.integers(1, 10**15)),
)
DRAFTS = st.lists(
    st.builds(lambda row, metrics: {"task": MINI, **row, "metrics": metrics}, ROW, METRICS),
    min_size=1,
    max_size=4,
    unique_by=lambda draft: values.required_text(draft["model"], 120),
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with tasks and no runs."""
    return with_tasks(Store(tmp_path_factory.mktemp("empty") / "board.duckdb")).path


def _filled(path: Path, empty: Path, drafts: list[dict[str, Any]]) -> Store:
    """A board with these rows."""
    store = Store(Path(shutil.copyfile(empty, path)))
    receipt = submissions.submit(store, drafts)
    assert not receipt.problems
    for submission in receipt.submissions:
        submissions.accept(store, submission)
    return store


def _exported(store: Store, kind: str) -> tuple[str, bytes, pd.DataFrame]:
    """All columns of a board: a file's name and content, and the values of a claim in it."""
    ranked, metric = board(store, MINI, every_run=True), known("accuracy")
    offered = columns.columns(ranked, metric)
    ending, _, make = export.files(ranked, np.arange(len(ranked.rows)), offered, metric)[kind]
    frame = export.values(ranked, np.arange(len(ranked.rows)), offered)
    return (
        f"board.{ending}",
        make(),
        frame[[name for name in CLAIMED if name in frame]].sort_values("model", ignore_index=True),
    )


@given(DRAFTS)
@examples(4, 200)
def test_a_board_made_from_its_own_export_exports_the_same(empty: Path, drafts: list[dict[str, Any]]) -> None:
    """Names of any letters, also those that a spreadsheet would run, and numbers to the last digit."""
    with tempfile.TemporaryDirectory() as folder:
        first = _filled(Path(folder) / "first.duckdb", empty, drafts)
        for kind in ("CSV", "Parquet", "JSON"):
            name, content, before = _exported(first, kind)
            read = [{"task": MINI, **draft} for draft in importers.read(name, content).drafts]
            _, _, after = _exported(_filled(Path(folder) / f"{kind}.duckdb", empty, read), kind)
            pd.testing.assert_frame_equal(after, before, check_exact=True, check_dtype=False, obj=kind)
