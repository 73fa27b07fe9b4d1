"""A board with four sizes of model, and what tests of its trade-offs read off it."""

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.tradeoffs import chart as tradeoff_charts
from dashboard.tradeoffs import figure_data
from dashboard.ui import theme
from db.leaderboard.board import Board
from db.leaderboard.board import board as read_board
from db.runs.writer import MetricValue, ModelFacts
from db.storage.store import Store
from tests.dashboard.page_driver import Look, open_page
from tests.factories.runs import add_run, in_one_write

TASK = "reviews-ko-mini"


def add_model(
    store: Store,
    name: str,
    params: int | None,
    accuracy: float,
    *,
    size: float | None = None,
    ms: float | None = None,
    family: str = "KoBiLSTM",
    **columns: object,
) -> str:
    more = [MetricValue("checkpoint_bytes", size)] if size is not None else []
    more += [MetricValue("latency_ms_p50", ms)] if ms else []
    model = ModelFacts(name, name, family, "bilstm", {"hidden_dim": 16}, params, "ko")
    return add_run(store, *more, accuracy=accuracy, name=name, model=model, recipe_hash=name, **columns)


@pytest.fixture(scope="module")
def template(shared_board: Store) -> Path:
    """Four sizes, of which the third is beaten by a smaller one, and a run whose size nobody measured."""
    with in_one_write(shared_board) as store:
        add_model(store, "Little", 10_000, 0.70, size=50e3, ms=0.3)
        add_model(store, "Middle", 100_000, 0.80, size=400e3, ms=0.9, teacher="Large")
        add_model(store, "Waste", 200_000, 0.75, size=900e3, ms=2.0, family="BiLSTM")
        add_model(store, "Large", 2_000_000, 0.90, size=8e6, ms=4.0, family="BiLSTM")
        add_model(store, "Unmeasured", 150_000, 0.85)
    return shared_board.path


@pytest.fixture
def filled(template: Path, tmp_path: Path) -> Store:
    """A copy of it, so a test may change it."""
    return Store(Path(shutil.copyfile(template, tmp_path / "filled.duckdb")))


@pytest.fixture
def look(filled: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Opens the page on the filled board."""
    return lambda **query: open_page("tradeoffs", filled, monkeypatch, **{"task": TASK, **query})


def board_of(store: Store, task: str = TASK, *, every: bool = False) -> Board:
    return read_board(store, task, every_run=every)


def figure_of(shown: figure_data.Picture, **more: object) -> object:
    options = {"budget": {}, "best": None, "arrows": None, "ink": "#000000", "paper": "#FFFFFF", **more}
    colours = theme.family_colours((TASK, family) for family in shown.marks["family"])
    return tradeoff_charts.tradeoff(shown, colours, **options)


def plotted(app: AppTest) -> dict:
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)
