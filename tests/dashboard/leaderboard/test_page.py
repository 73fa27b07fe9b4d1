"""The leaderboard as a visitor uses it, driven without a browser: filters, the address, views, states."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from db.leaderboard import saved_views
from db.storage import access
from db.storage.store import Store
from tests.dashboard.leaderboard.conftest import TASK, add_sizes, address_of
from tests.dashboard.page_driver import Look, cards, headings, plainly, words_of
from tests.dashboard.table_driver import click, open_menu, payload, shown, sort


def test_a_budget_is_one_click_and_rewrites_the_answer(board: Store, look: Look) -> None:
    """The best under a limit, as a card; a second limit of the same kind takes the place of the first."""
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    assert [(kind, model) for kind, _, model in cards(app)] == [("Best verified", "Model 3")]
    app.button_group(key="budget").set_value(["size_bytes-1e+06"]).run()
    assert cards(app)[0][::2] == ("Best verified, up to 1 MB", "Model 0")
    assert shown(app)["model"].tolist() == ["Model 0"]
    assert address_of(app) == {"task": [TASK], "bytes": ["..1000000"]}
    pills = app.button_group(key="budget")
    pills.set_value([*pills.value, "size_bytes-1e+07", "latency_ms-100"]).run()
    assert address_of(app) == {"task": [TASK], "bytes": ["..10000000"], "ms": ["..100"]}
    assert cards(app)[0][::2] == ("Best verified, up to 10 MB, up to 100 ms", "Model 1")
    app.button_group(key="budget").set_value([]).run()
    assert len(shown(app)) == 4


def test_filters_are_chips_that_can_be_taken_away(board: Store, look: Look) -> None:
    """One by one, or all at once; the address follows."""
    add_sizes(board)
    app = look(
        "leaderboard", task=TASK, q="model", family="KoBiLSTM", source="measured", verified="1", params="..100000"
    )
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
    assert "params" not in address_of(app)
    app.button(key="clear").click().run()
    assert address_of(app) == {"task": [TASK]}


def test_a_filter_that_nothing_has_is_told_and_can_be_taken_away(board: Store, look: Look) -> None:
    """A link from another database names a family that is not here."""
    add_sizes(board)
    app = look("leaderboard", task=TASK, family="Nowhere <b>", device="no such device", status="failed")
    assert "No row fits the filters." in headings(app)
    app.button(key="clear-all").click().run()
    assert len(shown(app)) == 4


def test_a_link_to_a_board_that_is_not_here_says_so(board: Store, look: Look) -> None:
    """The first board stands in for it, and whoever goes on reads no more of it."""
    add_sizes(board)
    app = look("leaderboard", task="nope*")
    assert [info.value.replace("\\", "") for info in app.info] == ["There is no board “nope*”; another one is shown."]
    assert address_of(app) == {}
    assert not app.run().info
    assert not look("leaderboard", task=TASK).info


def test_a_link_opens_the_same_table_for_somebody_else(board: Store, look: Look) -> None:
    """Everything that a visitor chose is in the address, and a new session takes it from there."""
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    app.toggle(key="every").set_value(True).run()
    app.text_input(key="search").set_value("MODEL").run()
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*(key for key in chosen.value if key != "dataset"), "device"]).run()
    sort(app, "params")
    address = address_of(app)
    assert address == {
        "task": [TASK],
        "every": ["1"],
        "q": ["MODEL"],
        "sort": ["params"],
        "col": ["device", "-dataset"],
    }
    other = look("leaderboard", **address)
    assert payload(other) == payload(app)
    assert other.text_input(key="search").value == "MODEL"


def test_a_new_link_counts_and_an_old_one_does_not(board: Store, look: Look) -> None:
    """The browser's way back changes the address: the page follows. Widgets change the page: the address follows."""
    add_sizes(board)
    app = look("leaderboard", task=TASK, q="Model 1")
    assert len(shown(app)) == 1
    app.text_input(key="search").set_value("").run()
    assert address_of(app) == {"task": [TASK]}
    app.query_params["q"] = "Model 2"
    app.run()
    assert shown(app)["model"].tolist() == ["Model 2"]
    assert app.text_input(key="search").value == "Model 2"


def test_the_way_back_from_a_run_finds_the_filters(board: Store, look: Look) -> None:
    """A click on a name opens the run; its link to the board brings back what was left."""
    add_sizes(board)
    app = look("leaderboard", task=TASK, q="Model", sort="params")
    row = payload(app)["rows"][0]
    click(app, "visit", {"run": row["id"]})
    assert app.title[0].value == "Model 0"
    app.query_params.clear()
    app.query_params["task"] = TASK
    app.switch_page("views/leaderboard.py").run()
    assert not app.exception
    assert address_of(app) == {"task": [TASK], "q": ["Model"], "sort": ["params"]}


def test_a_view_is_kept_by_name_opened_and_deleted(board: Store, look: Look) -> None:
    """Somebody else opens it with one click."""
    add_sizes(board)
    app = look("leaderboard", task=TASK, q="Model 1")
    open_menu(app, "views").text_input(key="view-name").set_value("Mine").run()
    app.button(key="view-save").click().run()
    assert not app.exception
    assert saved_views.saved(board, "leaderboard")[0].query == f"task={TASK}&q=Model+1"
    other = open_menu(look("leaderboard"), "views")
    next(button for button in other.button if button.key == "view-0").click().run()
    assert shown(other)["model"].tolist() == ["Model 1"]
    other.button(key="view-delete-0").click().run()
    assert saved_views.saved(board, "leaderboard") == []


def test_a_name_that_cannot_be_kept_is_told(board: Store, look: Look) -> None:
    """In words, beside the field, with the table as it was."""
    add_sizes(board)
    app = open_menu(look("leaderboard", task=TASK), "views")
    app.button(key="view-save").click().run()
    assert not app.exception
    assert "needs a name" in app.error[0].value
    assert len(shown(app)) == 4


def test_new_runs_are_a_quiet_line_until_somebody_asks(
    board: Store, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is on the screen stays; one click shows what came in."""
    add_sizes(board)
    app = look("leaderboard", task=TASK)
    assert "The database has changed since this was drawn." not in words_of(app)
    monkeypatch.setattr(Store, "generation", _counting())
    app.run()
    assert "The database has changed since this was drawn." in words_of(app)
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
    app = look("leaderboard")
    assert "The database cannot be read just now." in headings(app)
    assert message in plainly(app)


def test_a_locked_database_is_told(board: Store, look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds it for longer than a visitor waits."""
    monkeypatch.setattr("dashboard.ui.cache.WAIT_S", 0.05)

    @contextmanager
    def busy(*_: object, **__: object) -> Iterator[None]:
        raise access.BusyError
        yield

    monkeypatch.setattr(access, "locked", busy)
    app = look("leaderboard")
    assert "stayed in use by another process" in words_of(app)


def test_korean_is_korean_on_the_whole_board(board: Store, look: Look) -> None:
    """Headers, marks, controls and the answer; names and figures are data."""
    add_sizes(board)
    app = look("leaderboard", task=TASK, lang="ko")
    heads = [column["label"] for column in payload(app)["columns"]]
    assert heads[:4] == ["순위", "모델", "정확도", "파라미터"]
    assert app.button_group(key="budget").options[0] == "≤ 1 MB"
    assert cards(app)[0][::2] == ("검증된 것 중 최고", "Model 3")
    assert payload(app)["rows"][0]["href"].endswith("&lang=ko")
