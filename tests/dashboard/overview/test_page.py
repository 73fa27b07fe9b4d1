"""The overview as a visitor uses it, driven without a browser: facts, matrix, filters, old addresses."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.overview import state
from dashboard.overview.matrix import MEASURES
from db.leaderboard.overview import cells
from db.storage.store import Store
from tests.dashboard.page_driver import markup, open_page
from tests.factories.runs import add_twin


def names(app: AppTest) -> list[str]:
    """The models of the matrix, from the top."""
    return re.findall(r'class="name" data-value="([^"]*)"', markup(app))


def test_the_first_page_shows_what_the_board_is_and_all_models(board: Store, monkeypatch) -> None:
    """The title says what is compared; the best over the tasks comes first, linked to its run."""
    app = open_page("overview", board, monkeypatch)
    assert app.title[0].value == "Small language models, compared by quality and cost"
    assert names(app)[0] == "KoELECTRA-Base-v3"
    assert "BERT-base" in names(app)
    assert "run?run=" in markup(app)


def test_printed_figures_rank_only_on_request(board: Store, monkeypatch) -> None:
    """Once something was measured, printed rows are left out until the visitor asks for them."""
    add_twin(board, accuracy=0.70, distilled=False, task_id="nsmc", split="test")
    app = open_page("overview", board, monkeypatch)
    assert names(app) == ["KoBiLSTM-16"]
    app.button_group(key="from").set_value("printed").run()
    assert not app.exception
    assert {"KoELECTRA-Base-v3", "KoBiLSTM-16"} <= set(names(app))


def test_facts_come_from_the_database_and_are_left_out_without_one(board: Store, monkeypatch) -> None:
    """Reported rows alone hold no fact; a pair of measured models makes one."""
    app = open_page("overview", board, monkeypatch)
    assert 'class="card"' not in markup(app)
    for seed in (0, 1):
        add_twin(board, accuracy=0.70, distilled=False, seed=seed, task_id="nsmc", split="test")
        add_twin(board, accuracy=0.75, distilled=True, seed=seed, task_id="nsmc", split="test")
    app = open_page("overview", board, monkeypatch)
    assert "+5.0 points" in markup(app)


def test_filters_choose_tasks_models_and_order_and_are_in_the_address(board: Store, monkeypatch) -> None:
    """A language leaves its tasks; complete rows leave models with all of them."""
    app = open_page("overview", board, monkeypatch)
    app.button_group(key="in").set_value("ko").run()
    assert not app.exception
    assert "BERT-base" not in names(app)
    assert dict(app.query_params)["in"] in ("ko", ["ko"])
    app.button_group(key="by").set_value("rank").run()
    assert names(app)[0] == "KoELECTRA-Base-v3"
    app.button_group(key="in").set_value("en").run()
    app.toggle(key="whole").set_value(True).run()
    assert not app.exception
    assert names(app) or "No model fits" in app.subheader[0].value


def test_filters_that_no_model_fits_are_cleared_in_one_click(board: Store, monkeypatch) -> None:
    """No model has a score in every task: the page leads out of its filters, and the address follows."""
    app = open_page("overview", board, monkeypatch, whole="1", fits="1000000")
    assert app.subheader[0].value == "No model fits these filters."
    app.button(key="clear").click().run()
    assert not app.exception
    assert names(app)
    assert not app.toggle(key="whole").value
    assert not {"whole", "fits"} & set(app.query_params)


def test_wins_say_that_they_count_scores_and_not_ties() -> None:
    """A tie of the boards is a matter of tests and intervals; here only equal scores count half."""
    assert "Equal scores count half" in MEASURES["borda"][1]


def test_all_models_are_shown_on_request(board: Store, monkeypatch) -> None:
    """The first rows come with a button for the rest."""
    monkeypatch.setattr(state, "FIRST_ROWS", 3)
    app = open_page("overview", board, monkeypatch)
    first = len(names(app))
    assert first == 3
    label = next(button for button in app.button if "Show all" in button.label)
    label.click().run()
    assert len(names(app)) > first


@pytest.mark.parametrize("query", [{"task": "squad-deck"}, {"q": "distil", "sort": "-params"}])
def test_old_addresses_of_the_leaderboard_still_open_it(board: Store, monkeypatch, query) -> None:
    """The leaderboard was the first page; what was saved or sent opens it with its filters."""
    app = open_page("overview", board, monkeypatch, **query)
    assert app.title[0].value.startswith(("Where in the paragraph", "Is this Korean film review"))


def test_models_of_printed_figures_alone_are_counted_apart(board: Store, monkeypatch) -> None:
    """The matrix leaves them out at first, so the title says how many of the models they are."""
    app = open_page("overview", board, monkeypatch)
    printed = cells(board).rows["model"].nunique()
    assert f"{printed} models, " in app.markdown[0].value
    add_twin(board, accuracy=0.8, distilled=False, size=5)
    assert f"1 model and {printed} published ones, " in app.run().markdown[0].value
