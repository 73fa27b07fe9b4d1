"""Means over seeds on the page Compare, driven without a browser."""

import json

from db.storage.store import Store
from tests.dashboard.page_driver import Look, address_of, plainly
from tests.db.leaderboard.test_seed_groups import add_seeds
from tests.factories.runs import add_run


def _three_models(board: Store) -> list[str]:
    """The median seeds of two models, and a run without other seeds; best first."""
    lark = add_seeds(board, "Lark", (0.76, 0.75, 0.74))
    heron = add_seeds(board, "Heron", (0.65, 0.66))
    return [lark[1], heron[0], add_run(board, accuracy=0.6, name="Crow", seed=None)]


def test_the_best_models_are_compared_by_their_means_over_seeds(board: Store, look: Look) -> None:
    """Not three seeds of one model; every view keeps them, and the address names the means."""
    lark, heron, crow = _three_models(board)
    app = look("compare", board="reviews-ko-mini")
    assert app.button[0].label == f"Compare the best {3} models"
    app.button[0].click().run()
    assert not app.exception
    address = f"mean-{lark[:12]},mean-{heron[:12]},{crow[:12]}"
    assert address_of(app, "runs") == address
    assert app.title[0].value == f"{3} models side by side"
    words = plainly(app)
    assert "**A Lark, mean of 3 seeds** is best with 75.00% accuracy" in words
    assert "test of means over seeds, which allows for other seeds and other examples" in words
    for view in ("examples", "agreement", "curves", "settings", "figures"):
        app.button_group(key="view").set_value(view).run()
        assert not app.exception, view
        assert address_of(app, "runs") == address, view
        assert app.title[0].value == f"{3} models side by side"
    figures = app.table[-1].value.set_index("Figure").loc["Accuracy"]
    assert "**75\\.00%**" in figures.iloc[0]
    assert "± 1.00" in figures.iloc[0].replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")


def test_a_mean_can_be_chosen_beside_runs(board: Store, look: Look) -> None:
    """Means stand before the runs in the list."""
    _, heron, crow = _three_models(board)
    app = look("compare", board="reviews-ko-mini")
    offered = app.multiselect(key="compare_runs 1")
    assert [label.partition(":")[0] for label in offered.options[:2]] == [
        "Lark, mean of 3 seeds",
        "Heron, mean of 2 seeds",
    ]
    offered.set_value([crow, f"mean-{heron}"]).run()
    assert not app.exception
    assert address_of(app, "runs") == f"{crow[:12]},mean-{heron[:12]}"
    assert app.title[0].value.replace("\\", "") == "Crow against Heron, mean of 2 seeds"


def test_a_run_beside_the_mean_over_its_own_seeds_is_left_out_of_the_test(board: Store, look: Look) -> None:
    """The page says why, alone with its mean and beside another model, and which figures one of three seeds has."""
    lark, heron, _ = _three_models(board)
    words = "Not tested, because it is one of the seeds behind a mean beside it"
    app = look("compare", runs=f"{lark},mean-{lark}")
    assert words in app.info[0].value
    app = look("compare", runs=f"{lark},mean-{lark},mean-{heron}", view="figures")
    assert any(words in caption.value and "A Lark" in caption.value for caption in app.caption)
    assert "**B Lark, mean of 3 seeds**" in plainly(app)
    figures = app.table[-1].value.set_index("Figure")
    (mcc,) = [row for label, row in figures.iterrows() if "Matthews" in label or label.lower() == "mcc"]
    assert ":gray[1" in mcc.iloc[1]
    assert "3" in mcc.iloc[1]


def test_settings_and_curves_of_a_mean_are_those_of_its_seeds(board: Store, look: Look) -> None:
    lark, heron, _ = _three_models(board)
    app = look("compare", runs=f"mean-{lark},mean-{heron}", view="settings")
    rows = app.dataframe[0].value.set_index("Setting")
    assert rows.at["train.patience", "A"] == "by seed: 0, 1, 2"
    app = look("compare", runs=f"mean-{lark},mean-{heron}", view="curves")
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert [trace["name"] for trace in chart["data"]] == ["A", "B"]
