"""The rows of the leaderboard: sorted, paged, opened by seed, and what is in their cells."""

import pytest

from dashboard.leaderboard import table
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.storage.store import Store
from tests.dashboard.leaderboard.conftest import TASK, add_sizes, address_of
from tests.dashboard.page_driver import Look
from tests.dashboard.table_driver import click, payload, shown, sort
from tests.factories.runs import add_run, add_runs, facts


def test_headers_sort_by_several_columns_with_missing_figures_last(board: Store, look: Look) -> None:
    """First the better way, then the other, then the board's own; with Shift a further key; each is in the address."""
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    names = ["Model 3", "Model 2", "Model 1", "Model 0"]
    assert shown(app)["model"].tolist() == names
    for order, expected in (
        (["Model 0", "Model 1", "Model 2", "Model 3"], "latency_ms_p50"),
        (["Model 2", "Model 1", "Model 0", "Model 3"], "-latency_ms_p50"),
    ):
        sort(app, "latency_ms_p50")
        assert shown(app)["model"].tolist() == order, "what nobody gave is last both ways"
        assert address_of(app)["sort"] == [expected]
    sort(app, "latency_ms_p50")
    assert shown(app)["model"].tolist() == names
    assert "sort" not in address_of(app)
    sort(app, "source")
    sort(app, "params", add=True)
    assert address_of(app)["sort"] == ["source", "params"]
    assert shown(app)["model"].tolist() == names[::-1]
    heads = {
        column["key"]: (column["sorted"], column["place"]) for column in payload(app)["columns"] if column["sorted"]
    }
    assert heads == {"source": ("ascending", 1), "params": ("ascending", 2)}


def test_selected_runs_are_compared(board: Store, look: Look) -> None:
    """Their ids, and not their places, go to the page that compares."""
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    ids = [row["id"] for row in payload(app)["rows"]][:3]
    click(app, "visit", {"runs": ids})
    assert not app.exception
    assert address_of(app)["runs"] == [",".join(ids)]


def test_a_row_of_several_seeds_shows_them(board: Store, look: Look) -> None:
    """Each seed has a row with its score, and a link to its run; closed again, they are gone."""
    ids = add_runs(board, 0.60, 0.66, 0.63)
    app = look("leaderboard", task=TASK)
    (row,) = payload(app)["rows"]
    assert (row["seeds"], row["open"]) == (3, False)
    click(app, "expand", row["id"])
    rows = payload(app)["rows"]
    assert [row["name"] for row in rows[1:]] == ["Seed 0", "Seed 1", "Seed 2"]
    assert [row["id"] for row in rows[1:]] == ids
    assert shown(app)["score"].tolist() == [63.0, 60.0, 66.0, 63.0]
    assert rows[2]["href"] == f"run?run={ids[1]}"
    assert address_of(app)["open"] == [row["id"][:8]]
    click(app, "expand", row["id"])
    assert len(payload(app)["rows"]) == 1
    assert "open" not in address_of(app)


def test_only_one_page_goes_to_the_browser(board: Store, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number is in the address; a page beyond the last is the last; other rows begin at the first."""
    monkeypatch.setattr(table, "PAGE", 2)
    monkeypatch.setattr("dashboard.leaderboard.toolbar.PAGE", 2)
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    app.query_params["page"] = "9"
    app.run()
    assert shown(app)["model"].tolist() == ["Model 1", "Model 0"]
    assert address_of(app)["page"] == ["2"]
    sort(app, "params")
    assert shown(app)["model"].tolist() == ["Model 0", "Model 1"]
    assert "page" not in address_of(app)


def test_intervals_of_a_page_share_one_scale(board: Store, look: Look) -> None:
    """From the lowest end to the highest; a score without an interval is a dot."""
    add_sizes(board)
    rows = payload(look("leaderboard", task=TASK))["rows"]
    column = [item["key"] for item in payload(look("leaderboard", task=TASK))["columns"]].index("score")
    places = [row["cells"][column][1] for row in rows]
    assert max(high for _, _, high in places) == 1000
    assert min(low for low, _, _ in places) == 0
    assert all(low < middle < high for low, middle, high in places)
    assert rows[0]["cells"][column][2].startswith("95% interval 68")


def test_names_from_outside_reach_the_browser_as_they_are(board: Store, look: Look) -> None:
    """Markup, right-to-left script, emoji and ten thousand letters are texts; two runs may share one."""
    names = ["<img src=x onerror=alert(1)> **b** $x$ [a](b)", "한국어 عربى 🙂 ", "x" * 10_000, "Twin", "Twin"]
    for index, name in enumerate(names):
        model = ModelFacts(f"m{index}", name, name[:40], "bilstm", {}, 1000 + index, "ko")
        add_run(board, accuracy=0.9 - index / 50, name=name, model=model, recipe_hash=f"r{index}", dataset=name[:60])
    app = look("leaderboard", task=TASK)
    assert [row["name"] for row in payload(app)["rows"]] == names
    assert len({row["id"] for row in payload(app)["rows"]}) == 5
    for element in (*app.markdown, *app.caption):
        assert "<img" not in element.value.replace("\\<", ""), "escaped, it is text"


def test_runs_without_figures_have_dashes(board: Store, look: Look) -> None:
    """A diverged run, one that is running and one with a single other metric stand below, and sort last."""
    for index, (name, score) in enumerate([("Diverged", float("nan")), ("Other", None)]):
        model = ModelFacts(f"n{index}", name, "F", "bilstm", {}, None)
        writer = RunWriter.start(board, model, facts(name, model_id=f"n{index}"))
        writer.finish(
            [MetricValue("accuracy", score)] if score is not None else [MetricValue("log_loss", 0.5)], train_seconds=1.0
        )
    RunWriter.start(board, ModelFacts("n9", "Running", "F", "bilstm", {}, 5), facts("Running", model_id="n9"))
    look("leaderboard", task=TASK)
    add_run(board, accuracy=0.6)
    app = look("leaderboard", task=TASK)
    rows = shown(app)
    assert rows["model"].tolist()[0] == "KoBiLSTM-Tiny"
    assert rows["score"].isna().tolist() == [False, True, True, True]
    assert set(rows["status"]) == {"Finished", "Diverged", "Running"}
    sort(app, "score")
    assert shown(app)["model"].tolist()[0] == "KoBiLSTM-Tiny"


def test_a_click_that_is_faster_than_the_address_counts(board: Store, look: Look) -> None:
    """The browser sends the next click with the address from before the last one: the click is what was meant."""
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    sort(app, "params")
    app.query_params.clear()
    app.query_params["task"] = TASK
    sort(app, "params")
    assert address_of(app)["sort"] == ["-params"]
