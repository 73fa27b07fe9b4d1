"""The leaderboard as a visitor uses it, driven without a browser: sorting, filters, the address, views, states."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.leaderboard import table
from db.leaderboard import saved_views
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.storage import access
from db.storage.store import Store
from tests.dashboard.table_driver import click, open_menu, payload, shown, sort
from tests.dashboard.test_pages import _open, _words
from tests.factories.runs import add_run, add_runs, facts, in_one_write

TASK = "reviews-ko-mini"
Look = Callable[..., AppTest]


@pytest.fixture
def look(board: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Opens the leaderboard."""
    return lambda **query: _open("leaderboard", board, monkeypatch, **query)


def _sized(board: Store) -> None:
    """Three models that differ in size and time, the largest the best, and one whose costs nobody gave."""
    with in_one_write(board) as store:
        for index, (size, time) in enumerate([(5e5, 0.5), (5e6, 5.0), (5e7, 50.0), (None, None)]):
            costs = (
                [MetricValue("checkpoint_bytes", size), MetricValue("latency_ms_p50", time)] if size and time else []
            )
            model = ModelFacts(f"m{index}", f"Model {index}", "KoBiLSTM", "bilstm", {}, 10 ** (index + 3), "ko")
            add_run(store, *costs, accuracy=0.6 + index / 20, name=model.name, model=model, recipe_hash=f"r{index}")


def _address(app: AppTest) -> dict[str, list[str]]:
    parameters = {name: value if isinstance(value, list) else [value] for name, value in dict(app.query_params).items()}
    return {name: values for name, values in parameters.items() if name != "lang"}


def test_headers_sort_by_several_columns_with_missing_figures_last(board: Store, look: Look) -> None:
    """First the better way, then the other, then the board's own; with Shift a further key; each is in the address."""
    _sized(board)
    app = look(task=TASK)
    names = ["Model 3", "Model 2", "Model 1", "Model 0"]
    assert shown(app)["model"].tolist() == names
    for order, expected in (
        (["Model 0", "Model 1", "Model 2", "Model 3"], "latency_ms_p50"),
        (["Model 2", "Model 1", "Model 0", "Model 3"], "-latency_ms_p50"),
    ):
        sort(app, "latency_ms_p50")
        assert shown(app)["model"].tolist() == order, "what nobody gave is last both ways"
        assert _address(app)["sort"] == [expected]
    sort(app, "latency_ms_p50")
    assert shown(app)["model"].tolist() == names
    assert "sort" not in _address(app)
    sort(app, "source")
    sort(app, "params", add=True)
    assert _address(app)["sort"] == ["source", "params"]
    assert shown(app)["model"].tolist() == names[::-1]
    heads = {
        column["key"]: (column["sorted"], column["place"]) for column in payload(app)["columns"] if column["sorted"]
    }
    assert heads == {"source": ("ascending", 1), "params": ("ascending", 2)}


def test_a_budget_is_one_click_and_rewrites_the_answer(board: Store, look: Look) -> None:
    """The best under a limit, in words; a second limit of the same kind takes the place of the first."""
    _sized(board)
    app = look(task=TASK)
    assert "**Best verified:** Model 3" in _words(app).replace("\\", "")
    app.button_group(key="budget").set_value(["size_bytes-1e+06"]).run()
    assert "**Best verified, up to 1 MB:** Model 0" in _words(app).replace("\\", "")
    assert shown(app)["model"].tolist() == ["Model 0"]
    assert _address(app) == {"task": [TASK], "bytes": ["..1000000"]}
    pills = app.button_group(key="budget")
    pills.set_value([*pills.value, "size_bytes-1e+07", "latency_ms-100"]).run()
    assert _address(app) == {"task": [TASK], "bytes": ["..10000000"], "ms": ["..100"]}
    assert "**Best verified, up to 10 MB, up to 100 ms:** Model 1" in _words(app).replace("\\", "")
    app.button_group(key="budget").set_value([]).run()
    assert len(shown(app)) == 4


def test_filters_are_chips_that_can_be_taken_away(board: Store, look: Look) -> None:
    """One by one, or all at once; the address follows."""
    _sized(board)
    app = look(task=TASK, q="model", family="KoBiLSTM", source="measured", verified="1", params="..100000")
    assert shown(app)["model"].tolist() == ["Model 2", "Model 1", "Model 0"]
    chips = [button for button in app.button if button.key.startswith("chip-")]
    assert [chip.label.replace("\\", "") for chip in chips] == [
        "“model”",
        "KoBiLSTM",
        "Measured",
        "Verified",
        "Parameters up to 100k parameters",
    ]
    chips[-1].click().run()
    assert len(shown(app)) == 4
    assert "params" not in _address(app)
    app.button(key="clear").click().run()
    assert _address(app) == {"task": [TASK]}


def test_a_filter_that_nothing_has_is_told_and_can_be_taken_away(board: Store, look: Look) -> None:
    """A link from another database names a family that is not here."""
    _sized(board)
    app = look(task=TASK, family="Nowhere <b>", device="no such device", status="failed")
    assert not app.exception
    assert "No row fits the filters." in [heading.value for heading in app.subheader]
    app.button(key="clear-all").click().run()
    assert len(shown(app)) == 4


def test_a_link_opens_the_same_table_for_somebody_else(board: Store, look: Look) -> None:
    """Everything that a visitor chose is in the address, and a new session takes it from there."""
    _sized(board)
    app = look(task=TASK)
    app.toggle(key="every").set_value(True).run()
    app.text_input(key="search").set_value("MODEL").run()
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*(key for key in chosen.value if key != "dataset"), "device"]).run()
    sort(app, "params")
    address = _address(app)
    assert address == {
        "task": [TASK],
        "every": ["1"],
        "q": ["MODEL"],
        "sort": ["params"],
        "col": ["device", "-dataset"],
    }
    other = look(**address)
    assert payload(other) == payload(app)
    assert other.text_input(key="search").value == "MODEL"


def test_a_new_link_counts_and_an_old_one_does_not(board: Store, look: Look) -> None:
    """The browser's way back changes the address: the page follows. Widgets change the page: the address follows."""
    _sized(board)
    app = look(task=TASK, q="Model 1")
    assert len(shown(app)) == 1
    app.text_input(key="search").set_value("").run()
    assert _address(app) == {"task": [TASK]}
    app.query_params["q"] = "Model 2"
    app.run()
    assert shown(app)["model"].tolist() == ["Model 2"]
    assert app.text_input(key="search").value == "Model 2"


def test_the_way_back_from_a_run_finds_the_filters(board: Store, look: Look) -> None:
    """A click on a name opens the run; its link to the board brings back what was left."""
    _sized(board)
    app = look(task=TASK, q="Model", sort="params")
    row = payload(app)["rows"][0]
    click(app, "visit", {"run": row["id"]})
    assert app.title[0].value == "Model 0"
    app.query_params.clear()
    app.query_params["task"] = TASK
    app.switch_page("views/leaderboard.py").run()
    assert not app.exception
    assert _address(app) == {"task": [TASK], "q": ["Model"], "sort": ["params"]}


def test_selected_runs_are_compared(board: Store, look: Look) -> None:
    """Their ids, and not their places, go to the page that compares."""
    _sized(board)
    app = look(task=TASK)
    ids = [row["id"] for row in payload(app)["rows"]][:3]
    click(app, "visit", {"runs": ids})
    assert not app.exception
    assert _address(app)["runs"] == [",".join(ids)]


def test_a_row_of_several_seeds_shows_them(board: Store, look: Look) -> None:
    """Each seed has a row with its score, and a link to its run; closed again, they are gone."""
    ids = add_runs(board, 0.60, 0.66, 0.63)
    app = look(task=TASK)
    (row,) = payload(app)["rows"]
    assert (row["seeds"], row["open"]) == (3, False)
    click(app, "expand", row["id"])
    rows = payload(app)["rows"]
    assert [row["name"] for row in rows[1:]] == ["Seed 0", "Seed 1", "Seed 2"]
    assert [row["id"] for row in rows[1:]] == ids
    assert shown(app)["score"].tolist() == [63.0, 60.0, 66.0, 63.0]
    assert rows[2]["href"] == f"run?run={ids[1]}"
    assert _address(app)["open"] == [row["id"][:8]]
    click(app, "expand", row["id"])
    assert len(payload(app)["rows"]) == 1
    assert "open" not in _address(app)


def test_only_one_page_goes_to_the_browser(board: Store, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number is in the address; a page beyond the last is the last; other rows begin at the first."""
    monkeypatch.setattr(table, "PAGE", 2)
    monkeypatch.setattr("dashboard.leaderboard.toolbar.PAGE", 2)
    _sized(board)
    app = look(task=TASK)
    app.query_params["page"] = "9"
    app.run()
    assert shown(app)["model"].tolist() == ["Model 1", "Model 0"]
    assert _address(app)["page"] == ["2"]
    sort(app, "params")
    assert shown(app)["model"].tolist() == ["Model 0", "Model 1"]
    assert "page" not in _address(app)


def test_intervals_of_a_page_share_one_scale(board: Store, look: Look) -> None:
    """From the lowest end to the highest; a score without an interval is a dot."""
    _sized(board)
    rows = payload(look(task=TASK))["rows"]
    column = [item["key"] for item in payload(look(task=TASK))["columns"]].index("score")
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
    app = look(task=TASK)
    assert not app.exception
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
    add_run(board, accuracy=0.6)
    app = look(task=TASK)
    assert not app.exception
    rows = shown(app)
    assert rows["model"].tolist()[0] == "KoBiLSTM-Tiny"
    assert rows["score"].isna().tolist() == [False, True, True, True]
    assert set(rows["status"]) == {"Finished", "Diverged", "Running"}
    sort(app, "score")
    assert shown(app)["model"].tolist()[0] == "KoBiLSTM-Tiny"


def test_a_view_is_kept_by_name_opened_and_deleted(board: Store, look: Look) -> None:
    """Somebody else opens it with one click."""
    _sized(board)
    app = look(task=TASK, q="Model 1")
    open_menu(app, "views").text_input(key="view-name").set_value("Mine").run()
    app.button(key="view-save").click().run()
    assert not app.exception
    assert saved_views.saved(board, "leaderboard")[0].query == f"task={TASK}&q=Model+1"
    other = open_menu(look(), "views")
    next(button for button in other.button if button.key == "view-0").click().run()
    assert shown(other)["model"].tolist() == ["Model 1"]
    other.button(key="view-delete-0").click().run()
    assert saved_views.saved(board, "leaderboard") == []


def test_a_name_that_cannot_be_kept_is_told(board: Store, look: Look) -> None:
    """In words, beside the field, with the table as it was."""
    _sized(board)
    app = open_menu(look(task=TASK), "views")
    app.button(key="view-save").click().run()
    assert not app.exception
    assert "needs a name" in app.error[0].value
    assert len(shown(app)) == 4


def test_new_runs_are_a_quiet_line_until_somebody_asks(
    board: Store, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the screen stays; one click shows what came in."""
    _sized(board)
    app = look(task=TASK)
    assert "The database has changed since this was drawn." not in _words(app)
    monkeypatch.setattr(Store, "generation", _counting())
    app.run()
    assert "The database has changed since this was drawn." in _words(app)
    app.button(key="show-newer").click().run()
    assert not app.exception


def _counting() -> Callable[[Store], str]:
    """A database that changes at every look."""
    looks = iter(range(10_000))
    return lambda store: str(next(looks))


def _older(path: Path) -> None:
    store = Store(path)
    with store.transaction() as con:
        con.execute("DELETE FROM schema_migrations WHERE number = 4")


def _newer(path: Path) -> None:
    store = Store(path)
    with store.transaction() as con:
        con.execute("INSERT INTO schema_migrations VALUES (9999, '9999_future.sql', now()::TIMESTAMP)")


@pytest.mark.parametrize(("change", "message"), [(_older, "older layout"), (_newer, "newer Featherboard")])
def test_a_database_of_another_version_is_told(
    board: Store, look: Look, change: Callable[[Path], None], message: str
) -> None:
    """What happened, that the rows are safe, and what to do."""
    change(board.path)
    app = look()
    assert not app.exception
    assert "The database cannot be read just now." in [heading.value for heading in app.subheader]
    assert message in _words(app).replace("\\", "")


def test_a_locked_database_is_told(board: Store, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds it for longer than a visitor waits."""
    monkeypatch.setattr("dashboard.ui.cache.WAIT_S", 0.05)

    @contextmanager
    def busy(*_: object, **__: object) -> Iterator[None]:
        raise access.BusyError
        yield

    monkeypatch.setattr(access, "locked", busy)
    app = look()
    assert not app.exception
    assert "stayed in use by another process" in _words(app)


def test_korean_is_korean_on_the_whole_board(board: Store, look: Look) -> None:
    """Headers, marks, controls and the answer; names and figures are data."""
    _sized(board)
    app = look(task=TASK, lang="ko")
    assert not app.exception
    heads = [column["label"] for column in payload(app)["columns"]]
    assert heads[:4] == ["순위", "모델", "정확도", "파라미터"]
    assert app.button_group(key="budget").options[0] == "≤ 1 MB"
    assert "**검증된 것 중 최고:** Model 3" in _words(app).replace("\\", "")
    assert payload(app)["rows"][0]["href"].endswith("&lang=ko")


def test_a_click_that_is_faster_than_the_address_counts(board: Store, look: Look) -> None:
    """The browser sends the next click with the address from before the last one: the click is what was meant."""
    _sized(board)
    app = look(task=TASK)
    sort(app, "params")
    app.query_params.clear()
    app.query_params["task"] = TASK
    sort(app, "params")
    assert _address(app)["sort"] == ["-params"]
