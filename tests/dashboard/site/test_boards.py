"""The published boards: all of them, with what tells their rows and marks apart."""

import re
from pathlib import Path

import pytest

from dashboard.site.build import publish
from db.storage.store import Store
from tests.factories.rows import change, model_row, run_row, with_tasks


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model measured on two data sets and one submitted, a larger one that is printed, and a board of speeds."""
    folder = tmp_path_factory.mktemp("boards")
    store = with_tasks(Store(folder / "board.duckdb"))
    rows = [
        ("a", "Measured", "nsmc", "measured", {"dataset": "all reviews"}, "accuracy", 0.88),
        ("b", "Measured", "nsmc", "measured", {"dataset": "half of them"}, "accuracy", 0.86),
        ("c", "Submitted", "nsmc", "submitted", {}, "accuracy", 0.85),
        ("d", "Printed", "nsmc", "reported", {}, "accuracy", 0.90),
        ("e", "Measured", "device-speed", "measured", {"name": "Measured, int8"}, "latency_ms_p50", 21.0),
        ("f", "Fast", "device-speed", "measured", {}, "latency_ms_p50", 9.0),
    ]
    sizes = {"Measured": 20_000, "Submitted": 10_000, "Printed": 90_000, "Fast": 5_000}
    store.write(
        [
            change("models", *(model_row(name, name=name, params=params) for name, params in sizes.items())),
            change(
                "runs",
                *(
                    run_row(key * 32, model_id=name, task_id=task, source=source, recipe_hash="r", **facts)
                    for key, name, task, source, facts, _, _ in rows
                ),
            ),
            change(
                "metrics",
                *(
                    {"run_id": key * 32, "name": metric, "value": value, "n": 5000, "low": None, "high": None}
                    for key, *_, metric, value in rows
                ),
            ),
        ]
    )
    publish(store, folder / "site")
    return folder / "site"


def test_the_frontier_is_not_said_to_beat_printed_rows(site: Path) -> None:
    """Printed rows stand beside the line; each figure that has some says so."""
    note = "The frontier is that of measured and submitted rows; printed rows stand beside it."
    assert note in (site / "leaderboard/nsmc.html").read_text("utf-8")
    assert note not in (site / "leaderboard/device-speed.html").read_text("utf-8")
    assert "joins measured and submitted models that" in (site / "tradeoffs/index.html").read_text("utf-8")


def test_boards_of_costs_are_published_too(site: Path) -> None:
    """The least is first there; a model without a score of quality has no page, and its name no link."""
    page = (site / "leaderboard/device-speed.html").read_text("utf-8")
    assert re.findall(r'<th scope="row".*?</span>(.*?)</span>', page) == [
        "Fast",
        '<a href="../model/measured.html">Measured</a>',
    ]
    assert page.count('aria-sort="ascending"') == 1
    assert "../leaderboard/device-speed.html" in (site / "tradeoffs/index.html").read_text("utf-8")
    assert "2 models and 1 published one, 1 task, 6 runs" in (site / "index.html").read_text("utf-8")
    assert (site / "data/device-speed.json").is_file()


def test_rows_of_one_model_differ_by_what_it_was_trained_on(site: Path) -> None:
    """The column is on the page as it is in the app."""
    page = (site / "leaderboard/nsmc.html").read_text("utf-8")
    assert "Trained on" in page
    assert re.findall(r'<td class="text wrap">([^<]*)</td>', page) == ["nsmc", "all reviews", "half of them", "nsmc"]


def test_the_mark_of_a_row_has_the_shape_of_its_source(site: Path) -> None:
    """As in the figure and its legend: measured rows are filled, submitted ones diamonds, printed ones hollow."""
    page = (site / "leaderboard/nsmc.html").read_text("utf-8")
    rows = re.findall(r'<span class="family ([^"]*)".*?>([^<>]*)</a>', page)
    measured = ("circle", "Measured")
    assert rows == [("circle-open", "Printed"), measured, measured, ("diamond", "Submitted")]
    assert ".family.circle-open { background: none; }" in (site / "assets/site.css").read_text("utf-8")
