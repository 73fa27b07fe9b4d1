"""The trade-off page without a browser: choices, links, and what it says where there is nothing."""

import pytest

from tests.dashboard.page_driver import open_page, plainly
from tests.dashboard.tradeoffs.conftest import TASK, add_model, plotted


def test_the_page_opens_with_the_frontier_in_words(look):
    """Title, one sentence, one figure."""
    app = look()
    assert app.title[0].value == "Which model gives the most for its cost?"
    assert (
        "**On the frontier:** 4 of 5 rows, from Little (10k parameters, 70.00%) to Large (2M parameters, 90.00%)."
        in plainly(app)
    )
    assert app.query_params["task"] in (TASK, [TASK])
    assert "On the Pareto frontier, from the cheapest: Little, Middle" in app.get("plotly_chart")[0].proto.alt


def test_a_budget_is_two_choices_away(look):
    """A limit that was chosen is told, drawn and in the address."""
    app = look()
    app.selectbox(key="trade_max_bytes").set_value("1 MB").run()
    assert "**Best with at most 1 MB on disk:** Middle, accuracy 80.00%" in plainly(app)
    assert app.query_params["bytes"] in ("..1000000", ["..1000000"])
    app.selectbox(key="trade_x").set_value("bytes").run()
    assert plotted(app)["layout"]["shapes"][1]["label"]["text"] == "at most 1 MB"
    typed = look(ms="0.0025")
    assert typed.selectbox(key="trade_max_latency").value == "0.0025 ms"
    assert "No row. The nearest is Little with 0.3 ms an example." in plainly(typed)


def test_a_link_opens_its_state(look):
    """Cost, score, limits, families, every run and arrows come from the address."""
    app = look(x="latency", bytes="..500000", every="1", family="KoBiLSTM", size="bytes")
    assert app.selectbox(key="trade_x").value == "latency"
    assert app.selectbox(key="trade_max_bytes").value == "500 kB"
    assert app.selectbox(key="trade_size").value == "bytes"
    assert app.toggle(key="trade_every").value is True
    assert app.multiselect(key="trade_families").value == ["KoBiLSTM"]
    assert "Best with at most 500 kB on disk" in plainly(app)
    shown = {name: app.query_params[name] for name in app.query_params}
    assert set(shown) == {"task", "x", "size", "bytes", "family", "every"}


def test_arrows_are_drawn_on_request_and_the_address_says_so(look):
    """They cross the figure, so it begins without them."""
    app = look()
    assert "arrow" not in [trace.get("marker", {}).get("symbol") for trace in plotted(app)["data"]]
    app.toggle(key="trade_arrows").set_value(True).run()
    assert "arrow" in [trace.get("marker", {}).get("symbol") for trace in plotted(app)["data"]]
    assert app.query_params["arrows"] in ("1", ["1"])


@pytest.mark.parametrize(("query", "opened"), [({}, False), ({"x": "bytes"}, False), ({"params": "..1000000"}, True)])
def test_two_choices_come_first_and_what_a_link_sets_is_seen(look, query, opened):
    """Task and cost are above the figure; the rest is folded unless the address uses it."""
    app = look(**query)
    (more,) = [part for part in app.expander if part.label == "More options"]
    assert more.proto.expanded is opened
    folded = {choice.key for choice in more.selectbox}
    assert {choice.key for choice in app.selectbox} - folded == {"trade_task", "trade_x"}


def test_chosen_rows_lead_to_their_run_or_their_comparison(look):
    """The table stands in for the marks where there is no mouse."""
    app = look()
    key = next(frame.key for frame in app.dataframe if frame.key.startswith("trade-rows-"))
    app.session_state[key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()
    assert "**Large:** 90.00% (" in plainly(app)
    app.session_state[key] = {"selection": {"rows": [0, 2], "columns": [], "cells": []}}
    app.run()
    assert not app.exception
    links = [link.proto for link in app.get("page_link")]
    (compare,) = [link for link in links if "Compare 2 runs" in link.label]
    assert compare.query_string.startswith("runs=")
    assert compare.query_string.count("%2C") == 1


def test_an_unknown_task_or_metric_in_the_link_is_no_error(look):
    """What does not exist falls back to what the page takes by itself."""
    for query in ({"task": "nothing"}, {"y": "nothing"}, {"size": "nothing"}, {"family": "Nobody"}, {"x": "nothing"}):
        look(**query)


def test_an_unknown_task_in_the_link_is_named(look):
    """The page says that it shows another board."""
    assert [info.value for info in look(task="nothing").info] == [
        "There is no board “nothing”; another one is shown\\."
    ]
    assert not look().info


def test_a_task_without_runs_names_the_commands(board, monkeypatch):
    """As the leaderboard does."""
    app = open_page("tradeoffs", board, monkeypatch, task="qa-ko-mini")
    assert "No run of this task yet" in plainly(app)
    assert "featherboard db import" in plainly(app)


def test_a_cost_that_nobody_measured_names_what_measures_it(board, monkeypatch):
    """With the option that keeps the figure."""
    add_model(board, "A", 1000, 0.5)
    app = open_page("tradeoffs", board, monkeypatch, task=TASK, x="latency")
    assert "No row has both figures: Latency and Accuracy" in plainly(app)
    assert "featherboard evaluate RUN --keep --only-timings" in plainly(app)


def test_models_that_nobody_counted_have_no_figure(board, monkeypatch):
    """The page says when parameters are counted."""
    add_model(board, "A", None, 0.5)
    assert "Parameters are counted" in plainly(open_page("tradeoffs", board, monkeypatch, task=TASK))


def test_one_size_is_nothing_to_trade(board, monkeypatch):
    """Two rows of one size have no frontier worth a figure."""
    add_model(board, "A", 1000, 0.5)
    add_model(board, "B", 1000, 0.6)
    app = open_page("tradeoffs", board, monkeypatch, task=TASK)
    assert "There is nothing to trade here." in plainly(app)
    assert "Parameters: 1k in every row" in plainly(app)
    assert not app.get("plotly_chart")


@pytest.mark.parametrize("task", ["nsmc", "squad", "squad-deck", "mnli", "glue", "inference-time", "distil-ablation"])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_board_opens_in_both_languages(board, monkeypatch, task, lang):
    """With what documents print alone."""
    open_page("tradeoffs", board, monkeypatch, task=task, lang=lang)
