"""Seeds that failed, figures that one of three seeds has, further runs: every page, file and service says the same."""

from pathlib import Path

import numpy as np
import pytest

from dashboard.leaderboard import cells, columns, export
from dashboard.model import content
from dashboard.site import board as site_board
from dashboard.site.links import Links
from dashboard.ui import formatting
from db.leaderboard.board import Board, board
from db.leaderboard.history import history
from db.registry.metrics import known
from db.registry.validation_split import CHOSEN_BY_SEED
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.sharing import feed
from db.storage.store import Store
from tests.db.leaderboard.test_models import read
from tests.factories.rows import with_tasks
from tests.factories.runs import add_run, facts

TASK, ACCURACY = "reviews-ko-mini", known("accuracy")
EARLIER = '{"train": {"epochs": 3, "validation_fraction": 0.05}, "seed": 0}'


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Three seeds of a recipe, one with a latency and a macro-F1; a fourth that diverged; a run of other settings."""
    store = with_tasks(Store(tmp_path_factory.mktemp("seeds") / "board.duckdb"))
    for seed, score in enumerate((0.70, 0.74, 0.75)):
        more = [MetricValue("macro_f1", 0.7), MetricValue("latency_ms_p50", 2.0)] if seed == 1 else []
        add_run(store, *more, MetricValue("validation_accuracy", 0.8), accuracy=score, seed=seed, recipe_json=EARLIER)
    row = store.query("SELECT model_id, name, family, architecture, params FROM models").iloc[0]
    model = ModelFacts(row["model_id"], row["name"], row["family"], row["architecture"], {}, int(row["params"]))
    writer = RunWriter.start(store, model, facts(seed=3, model_id=model.model_id))
    writer.finish([MetricValue("accuracy", float("nan"))], train_seconds=1.0)
    add_run(store, MetricValue("validation_accuracy", 0.7), accuracy=0.9, recipe_hash="other")
    return store


@pytest.fixture(scope="module")
def shown(store: Store) -> Board:
    """The board, one row a variant."""
    return board(store, TASK, every_run=False)


def _text(shown: Board, key: str) -> str:
    (column,) = [column for column in columns.columns(shown, ACCURACY) if column.key == key]
    scale = formatting.scale(np.zeros(1), np.zeros(1), np.ones(1))
    return str(cells.column(shown, column, np.arange(1), ACCURACY, scale)[0][0])


def test_the_leaderboard(shown: Board) -> None:
    """Three of four seeds; one of three has the figure; one further run; a caveat."""
    row = shown.rows.iloc[0]
    assert (_text(shown, "seeds"), _text(shown, "macro_f1")) == ("3 of 4", "1 of 3")
    assert _text(shown, "latency_ms_p50").endswith("(1 of 3)")
    assert cells.others(int(row["others"]))[0] == "+1 run"
    assert cells.caveat(row) == CHOSEN_BY_SEED


def test_the_published_board(store: Store, shown: Board) -> None:
    """As the page."""
    html = str(site_board.draw(shown, ACCURACY, Links(1, {}, {}), {}))
    for text in ("3 of 4", "(1 of 3)", "+1 run", f'title="{CHOSEN_BY_SEED}"'):
        assert text in html, text


def test_the_page_of_the_model(store: Store, shown: Board) -> None:
    """Seeds with those that failed, further runs, and how many seeds have a latency."""
    model = read(store, shown.rows["model"].iloc[0])
    assert model is not None
    html = str(content.render(model, Links(1, {}, {}), app=False))
    for text in ("3 of 4", "1 of 3", "+1 run"):
        assert text in html, text


def test_files_for_programs(shown: Board) -> None:
    """Numbers of seeds stand in columns of their own; a quality of one seed is missing."""
    values = export.values(shown, np.arange(1), columns.columns(shown, ACCURACY)).iloc[0]
    assert (values["seeds"], values["seeds_failed"]) == (3, 1)
    assert (values["latency_ms_p50"], values["latency_ms_p50_seeds"]) == (2.0, 1)
    assert np.isnan(values["macro_f1"])
    assert values["macro_f1_seeds"] == 1
    assert shown.to_pandas()["caveat"].iloc[0] == CHOSEN_BY_SEED


def test_the_feed_names_the_seed(store: Store, tmp_path: Path) -> None:
    """A single run is no mean, so a new best says which seed it is."""
    text = feed.atom(history(store), lambda run, _: run, "home").decode()
    assert "(seed 1), 74.00%" in text
    assert "(시드 1)" in feed.atom(history(store), lambda run, _: run, "home", "ko").decode()
