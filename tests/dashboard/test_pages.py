"""The pages, driven without a browser."""

import pytest

from db.bootstrap import create
from db.runs import detail
from db.runs.writer import MetricValue
from db.storage.store import Store
from tests import paths
from tests.dashboard.page_driver import Look, cards, open_page, plainly, words_of
from tests.dashboard.table_driver import choose_task, open_menu, payload, shown
from tests.factories.runs import add_run


def test_the_board_opens_on_the_first_task_with_its_answer(look: Look) -> None:
    """The question, the best row as a card, and the table; what is missing is an empty cell and never zero."""
    app = look("leaderboard")
    assert app.title[0].value.startswith("Is this Korean film review")
    assert cards(app)[0] == ("Best published", "90.63%", "KoELECTRA-Base-v3")
    rows = shown(app)
    assert rows["model"].tolist()[0] == "KoELECTRA-Base-v3"
    assert rows["score"].dropna().is_monotonic_decreasing
    bare = rows[rows["score"].isna()]
    assert bare["model"].tolist() == ["KoBiLSTM-Mini"]
    assert rows["latency_ms_p50"].isna().all()
    assert not (rows[["score", "params", "checkpoint_bytes"]] == 0).any().any()


@pytest.mark.parametrize(
    "task", ["squad-deck", "korquad-span", "distil-ablation", "inference-time", "glue", "mnli", "nothing"]
)
def test_every_board_opens_by_its_link(board: Store, look: Look, task: str) -> None:
    """A link with a task opens that board; to a task that does not exist, the first one."""
    app = look("leaderboard", task=task)
    names = dict(detail.boards(board)[["task_id", "question"]].itertuples(index=False))
    assert app.title[0].value.replace("\\", "") == names.get(task, names["nsmc"])


def test_filters_narrow_the_table_and_can_be_cleared(look: Look) -> None:
    """Search, family and size narrow the rows; when none is left, one button brings them back."""
    app = look("leaderboard")
    everything = len(shown(app))
    app.text_input(key="search").set_value("distilkobilstm").run()
    assert set(shown(app)["model"].str.split("-").str[0]) == {"DistilKoBiLSTM"}
    open_menu(app, "filters").selectbox(key="params-high").set_value(100_000.0).run()
    assert (shown(app)["params"] <= 100_000).all()
    app.text_input(key="search").set_value("no such model").run()
    assert "No row fits" in words_of(app)
    app.button(key="clear-all").click().run()
    assert len(shown(app)) == everything


def test_every_run_shows_more_rows_than_the_best_of_each_variant(look: Look) -> None:
    """The toggle turns the best of each variant into all printed rows; its state can be in the link."""
    app = look("leaderboard")
    best = len(shown(app))
    app.toggle(key="every").set_value(True).run()
    assert len(shown(app)) == 68 > best
    assert len(shown(look("leaderboard", every="true"))) == 68


def test_columns_can_be_chosen_and_stay_on_another_task(look: Look) -> None:
    """A column that is hidden at first is shown on demand; another task is a click away."""
    app = look("leaderboard")
    assert "citation" not in shown(app)
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*chosen.value, "citation", "acc85_step"]).run()
    cited = shown(app)["citation"]
    assert cited.str.contains("DistilKoBiLSTM, Hyperparameter_Acc", regex=False).any()
    assert not cited.str.contains("txt").any()
    choose_task(app, "squad-deck")
    assert not app.exception
    assert app.title[0].value.startswith("Where in the paragraph")
    assert "citation" in shown(app)
    assert "acc85_step" not in shown(app), "no run of this board has it"
    assert "acc85_step" in shown(choose_task(app, "nsmc"))


@pytest.mark.parametrize("page", ["leaderboard", "run", "tradeoffs"])
def test_without_a_database_the_command_that_makes_one_is_shown(page, tmp_path, monkeypatch):
    """No database is a state, not an error."""
    app = open_page(page, Store(tmp_path / "none.duckdb"), monkeypatch)
    assert "featherboard db init" in words_of(app)


def test_a_damaged_database_is_told_and_left_alone(tmp_path, monkeypatch):
    """A file that is no database is named, and not touched."""
    path = tmp_path / "damaged.duckdb"
    path.write_text("this is not a database")
    app = open_page("leaderboard", Store(path), monkeypatch)
    assert "cannot be read" in app.subheader[0].value
    assert path.read_text() == "this is not a database"
    assert "damaged\\.duckdb" in words_of(app)
    assert str(tmp_path) not in plainly(app)


def test_a_board_without_runs_says_what_fills_it_and_shows_new_ones_at_the_next_look(board: Store, look: Look) -> None:
    """A mini corpus is labelled, so that it is never taken for a benchmark."""
    app = look("leaderboard", task="reviews-ko-mini")
    assert "No run of this task yet" in words_of(app)
    assert "featherboard db import" in words_of(app)
    add_run(board, accuracy=0.6)
    app.run()
    assert len(shown(app)) == 1
    assert app.warning[0].value.startswith("Mini corpus")
    assert cards(app) == [("Best verified", "60.00%", "KoBiLSTM-Tiny")]


def test_initialise_is_what_the_pages_expect(tmp_path, monkeypatch):
    """A database made by `db init` alone opens on every page."""
    store = Store(tmp_path / "fresh.duckdb")
    create.initialise(store)
    for page in ("leaderboard", "run", "about"):
        open_page(page, store, monkeypatch)


def test_train_times_are_in_a_unit_that_shows_them(board: Store, look: Look) -> None:
    """A training of seconds is shown in seconds, hours of training in minutes."""
    add_run(board, accuracy=0.6)
    short = look("leaderboard", task="reviews-ko-mini")
    assert shown(short)["train_seconds"].tolist() == [3.2]
    long = look("leaderboard", task="nsmc")
    assert shown(long)["train_seconds"].max() == pytest.approx(161.5, abs=0.1)
    units = [
        {column["key"]: column["unit"] for column in payload(app)["columns"]}["train_seconds"] for app in (short, long)
    ]
    assert units == ["s", "min"]


def test_a_link_to_a_run_has_its_frame_from_the_first_visitor_on():
    """Streamlit takes a folder of that name for its older navigation until somebody has opened the board itself."""
    assert not (paths.APP.parent / "pages").exists()


def test_memory_is_a_column_where_it_was_measured(board: Store, look: Look) -> None:
    """In megabytes; a board without any has no such column until somebody asks."""
    task = "reviews-ko-mini"
    add_run(board, accuracy=0.6)
    assert "peak_memory_bytes" not in shown(look("leaderboard", task=task))
    add_run(board, MetricValue("peak_memory_bytes", 412e6), accuracy=0.9)
    app = look("leaderboard", task=task, every="true")
    assert shown(app)["peak_memory_bytes"].tolist()[0] == 412.0
