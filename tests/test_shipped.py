"""The measured runs that come with the project, and what the README says of them."""

import re
from pathlib import Path

import pytest

from db import queries, setup
from db.check import check
from db.stats import mcnemar
from db.store import Store

README = (Path(__file__).parent.parent / "README.md").read_text("utf-8")

pytestmark = pytest.mark.shipped


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A fresh database as `featherboard db init` makes it."""
    store = Store(tmp_path_factory.mktemp("shipped") / "featherboard.duckdb")
    setup.initialise(store)
    return store


def test_a_fresh_database_is_whole(shipped: Store) -> None:
    """Reported and shipped runs together pass the check."""
    assert check(shipped) == []


def test_making_it_twice_adds_nothing(shipped: Store) -> None:
    """A second `db init` finds every run there already."""
    again = setup.initialise(shipped)
    assert again.runs_after == again.runs_before


def test_shipped_runs_are_verified_with_curves_and_a_command(shipped: Store) -> None:
    """Each was scored again from all 50,000 predictions here, has curves, parameters and a command, and no host."""
    rows = queries.leaderboard(shipped, "nsmc")
    rows = rows[rows["source"] == "measured"]
    assert {"kobilstm-tiny", "distilkobilstm-tiny"} <= set(rows["model_id"])
    for run_id in rows["run_id"]:
        detail = queries.run_detail(shipped, run_id)
        assert detail.run["verified"], detail.run["name"]
        assert detail.run["command"].startswith("featherboard train ")
        assert detail.run["host"] is None
        assert {"train_loss", "validation_loss", "validation_accuracy"} <= set(detail.curves["series"])
        assert detail.confusion.to_numpy().sum() == 50_000


def test_the_readme_prints_the_shipped_figures(shipped: Store) -> None:
    """Every measured NSMC run is in the README's table with its own figures, and no other row is."""
    rows = queries.leaderboard(shipped, "nsmc")
    rows = rows[rows["source"] == "measured"]
    printed = re.findall(r"^\| `(\S+)` \| ([\d,]+) \| ([\d.]+) \(([\d.]+) to ([\d.]+)\) \|", README, re.MULTILINE)
    stored = [
        (row.recipe, f"{row.params:,}", *(f"{100 * value:.2f}" for value in (row.score, row.low, row.high)))
        for row in rows.itertuples()
    ]
    assert sorted(printed) == sorted(stored)


@pytest.mark.parametrize("size", ["mini", "tiny"])
def test_the_readme_prints_the_paired_test(shipped: Store, size: str) -> None:
    """The p-value of each distilled model against its plain twin is the one that the shipped predictions give."""
    rows = queries.leaderboard(shipped, "nsmc")
    ids = rows[rows["source"] == "measured"].set_index("model_id")["run_id"]
    found = queries.paired(shipped, ids[f"kobilstm-{size}"], ids[f"distilkobilstm-{size}"])
    assert f"p = {mcnemar(found.only_first, found.only_second):.2g})" in README
