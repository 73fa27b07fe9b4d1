"""The pages, driven without a browser."""

import json
from datetime import timedelta

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui.theme import GREY, OKABE_ITO, family_colours
from db.base.clock import utc_now
from db.bootstrap import create
from db.registry.metrics import known
from db.runs import detail
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.storage.changes import Change
from db.storage.store import Store
from tests import paths
from tests.dashboard.table_driver import choose_task, open_menu, payload, shown
from tests.factories.runs import add_run, facts, leaderboard

APP = paths.APP


def _open(page: str, board: Store, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    app = AppTest.from_file(str(APP), default_timeout=300)
    if page != "overview":  # which is where one arrives
        app.switch_page(f"views/{page}.py")
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def _words(app: AppTest) -> str:
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.warning, app.info, app.code)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def test_the_board_opens_on_the_first_task_with_its_answer(board, monkeypatch):
    """The first page shows the question, the best row in words and the table, without an exception."""
    app = _open("leaderboard", board, monkeypatch)
    assert not app.exception
    assert app.title[0].value.startswith("Is this Korean film review")
    assert "Best published" in _words(app)
    rows = shown(app)
    assert rows["model"].tolist()[0] == "KoELECTRA-Base-v3"
    assert rows["score"].dropna().is_monotonic_decreasing


def test_a_missing_figure_is_missing_and_never_zero(board, monkeypatch):
    """Rows without a figure carry an empty cell, in the score and in the costs."""
    rows = shown(_open("leaderboard", board, monkeypatch))
    bare = rows[rows["score"].isna()]
    assert bare["model"].tolist() == ["KoBiLSTM-Mini"]
    assert rows["latency_ms_p50"].isna().all()
    assert not (rows[["score", "params", "checkpoint_bytes"]] == 0).any().any()


@pytest.mark.parametrize("task", ["squad-deck", "korquad-span", "distil-ablation", "inference-time", "glue", "mnli"])
def test_every_board_opens_by_its_link(board, monkeypatch, task):
    """A link with a task opens that board."""
    app = _open("leaderboard", board, monkeypatch, task=task)
    assert not app.exception
    names = dict(detail.boards(board)[["task_id", "question"]].itertuples(index=False))
    assert app.title[0].value.replace("\\", "") == names[task]


def test_an_unknown_task_in_the_link_opens_the_first_board(board, monkeypatch):
    """A link to a task that does not exist is no error."""
    app = _open("leaderboard", board, monkeypatch, task="nothing")
    assert not app.exception
    assert app.title[0].value.startswith("Is this Korean film review")


def test_a_board_without_runs_says_what_will_be_here(board, monkeypatch):
    """An empty board names the commands that fill it."""
    app = _open("leaderboard", board, monkeypatch, task="qa-ko-mini")
    assert not app.exception
    assert "No run of this task yet" in _words(app)
    assert "featherboard db import" in _words(app)


def test_filters_narrow_the_table_and_can_be_cleared(board, monkeypatch):
    """Search, family and size narrow the rows; when none is left, one button brings them back."""
    app = _open("leaderboard", board, monkeypatch)
    everything = len(shown(app))
    app.text_input(key="search").set_value("distilkobilstm").run()
    assert set(shown(app)["model"].str.split("-").str[0]) == {"DistilKoBiLSTM"}
    open_menu(app, "filters").selectbox(key="params-high").set_value(100_000.0).run()
    assert (shown(app)["params"] <= 100_000).all()
    app.text_input(key="search").set_value("no such model").run()
    assert "No row fits" in _words(app)
    app.button(key="clear-all").click().run()
    assert len(shown(app)) == everything


def test_every_run_shows_more_rows_than_the_best_of_each_variant(board, monkeypatch):
    """The toggle turns the best of each variant into all printed rows."""
    app = _open("leaderboard", board, monkeypatch)
    best = len(shown(app))
    app.toggle(key="every").set_value(True).run()
    assert len(shown(app)) == 68 > best


def test_a_link_can_hold_every_run(board, monkeypatch):
    """The toggle's state is in the link, and the first look already obeys it."""
    app = _open("leaderboard", board, monkeypatch, every="true")
    assert len(shown(app)) == 68


def test_another_task_is_a_click_away(board, monkeypatch):
    """Changing the task keeps the page working, with columns that were chosen before."""
    app = _open("leaderboard", board, monkeypatch)
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*chosen.value, "citation", "acc85_step"]).run()
    choose_task(app, "squad-deck")
    assert not app.exception
    assert app.title[0].value.startswith("Where in the paragraph")
    assert "citation" in shown(app)
    assert "acc85_step" not in shown(app), "no run of this board has it"
    assert "acc85_step" in shown(choose_task(app, "nsmc"))


def test_columns_can_be_chosen(board, monkeypatch):
    """A column that is hidden at first is shown on demand."""
    app = _open("leaderboard", board, monkeypatch)
    assert "citation" not in shown(app)
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*chosen.value, "citation"]).run()
    cited = shown(app)["citation"]
    assert cited.str.contains("DistilKoBiLSTM, Hyperparameter_Acc", regex=False).any()
    assert not cited.str.contains("txt").any()


def test_a_mini_board_is_labelled(board, monkeypatch):
    """A mini corpus is never taken for a benchmark."""
    add_run(board, accuracy=0.6)
    app = _open("leaderboard", board, monkeypatch, task="reviews-ko-mini")
    assert not app.exception
    assert app.warning[0].value.startswith("Mini corpus")
    assert "Best verified" in _words(app)


def test_a_measured_run_shows_everything(board, monkeypatch):
    """Score with interval, parameters, curves, confusion, device and the command that reproduces it."""
    run_id = add_run(board, accuracy=0.6)
    app = _open("run", board, monkeypatch, run=run_id)
    assert not app.exception
    words = _words(app)
    assert "featherboard train kobilstm-tiny --seed 0" in words
    tiles = {metric.label: metric.value for metric in app.metric}
    assert tiles["Accuracy"] == "60.00%"
    assert tiles["Parameters"] == "27,394"
    assert tiles["Size on disk"] == "–"
    assert len(app.get("plotly_chart")) == 4


def test_pretraining_and_the_members_of_an_ensemble_have_their_curves(board, monkeypatch):
    """A pretraining's loss has a figure of its own, and a member's curve stands in the figure of its kind."""
    run_id = add_run(board, accuracy=0.6)
    writer = RunWriter(board, run_id)
    writer.point("pretrain_loss", 1, 4.2, epoch=1.0, wall_time=1.0)
    writer.point("bilstm/1 train_loss", 1, 0.7, epoch=1.0, wall_time=1.0)
    writer.beat(force=True)
    app = _open("run", board, monkeypatch, run=run_id)
    assert not app.exception
    shown = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    names = [[trace.get("name") for trace in chart["data"]] for chart in shown]
    assert any({"Training loss", "bilstm/1 Training loss", "Validation loss"} == set(some) for some in names), names
    assert ["Pretraining loss"] in names


def test_a_reported_run_shows_its_citation_and_its_contradiction(board, monkeypatch):
    """The caveat stands beside the figure; the document is a title with its link, its file a fact further down."""
    rows = leaderboard(board, "nsmc")
    printed = rows[(rows["name"] == "DistilKoBiLSTM-Mini") & rows["citation"].str.startswith("000")]
    run_id = printed["run_id"].iloc[0]
    app = _open("run", board, monkeypatch, run=run_id)
    assert not app.exception
    assert any("change places" in warning.value for warning in app.warning)
    facts = app.table[0].value.to_numpy().tolist()
    assert facts[0][1].endswith("](https://github.com/gyunggyung/DistilKoBiLSTM)")
    assert ["Cited\N{NO-BREAK SPACE}file", "000\\_06aba4b165819136\\.txt"] in facts


@pytest.mark.parametrize("kind", ["task_id", pytest.param("task_id, model_id", marks=pytest.mark.slow)])
def test_every_reported_run_opens(board, monkeypatch, kind):
    """No printed row breaks the page: one of each task, and in the slow tests one of each model too."""
    ids = board.query(f"SELECT min(run_id) AS run_id FROM runs GROUP BY {kind}")["run_id"]
    assert len(ids)
    for run_id in ids:
        assert not _open("run", board, monkeypatch, run=run_id).exception, run_id


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script> **bold** [x](http://y) $a$ :red[x] `c`", "한국어 عربى 🙂 " * 20, "x" * 10_000]
)
def test_text_from_outside_is_shown_as_text(board, monkeypatch, name):
    """A model's name is never read as Markdown, HTML or a formula."""
    run_id = add_run(board, accuracy=0.6, name=name)
    app = _open("run", board, monkeypatch, run=run_id)
    assert not app.exception
    for special in ("<script>", "**bold**", "[x](", "$a$", ":red[", "`c`"):
        assert special not in app.title[0].value
    assert not _open("leaderboard", board, monkeypatch, task="reviews-ko-mini").exception


def test_a_run_without_any_figure_opens(board, monkeypatch):
    """A diverged run has no metrics; the page says so."""
    writer = RunWriter.start(board, ModelFacts("m", "M", "F", "bilstm", {}, None), facts())
    writer.finish([MetricValue("accuracy", float("nan"))], train_seconds=1.0)
    app = _open("run", board, monkeypatch, run=writer.run_id)
    assert not app.exception
    assert "No figure was recorded" in _words(app)
    assert not _open("leaderboard", board, monkeypatch, task="reviews-ko-mini").exception


def test_a_dead_run_says_how_to_go_on(board, monkeypatch):
    """A running run whose heartbeat stopped is shown as interrupted, with the command that resumes it."""
    writer = RunWriter.start(board, ModelFacts("m", "M", "F", "bilstm", {}, 10), facts())
    late = utc_now() - timedelta(hours=1)
    board.write([Change("runs", pd.DataFrame([{"run_id": writer.run_id, "heartbeat": late}]), "update")])
    app = _open("run", board, monkeypatch, run=writer.run_id)
    assert f"featherboard train --resume {writer.run_id[:12]}" in " ".join(code.value for code in app.code)


def test_a_live_run_is_followed(board, monkeypatch):
    """A running run says so and shows the points that it has."""
    writer = RunWriter.start(board, ModelFacts("m", "M", "F", "bilstm", {}, 10), facts())
    writer.point("train_loss", 1, 0.7, epoch=0.1, wall_time=1.0)
    writer.beat(force=True)
    app = _open("run", board, monkeypatch, run=writer.run_id)
    assert not app.exception
    assert "Running now" in _words(app)


def test_an_unknown_run_is_told(board, monkeypatch):
    """A link to a run of another database is answered in words."""
    app = _open("run", board, monkeypatch, run="0123456789abcdef")
    assert not app.exception
    assert app.subheader[0].value == "There is no run or board like this here."
    assert "0123456789abcdef" in _words(app)


def test_without_a_run_the_page_offers_the_newest(board, monkeypatch):
    """The run page without a run is no dead end."""
    add_run(board, accuracy=0.6)
    app = _open("run", board, monkeypatch)
    assert not app.exception
    assert app.title[0].value == "Choose a run."


@pytest.mark.parametrize("page", ["leaderboard", "run"])
def test_without_a_database_the_command_that_makes_one_is_shown(page, tmp_path, monkeypatch):
    """No database is a state, not an error."""
    app = _open(page, Store(tmp_path / "none.duckdb"), monkeypatch)
    assert not app.exception
    assert "featherboard db init" in _words(app)


def test_a_damaged_database_is_told_and_left_alone(tmp_path, monkeypatch):
    """A file that is no database is named, and not touched."""
    path = tmp_path / "damaged.duckdb"
    path.write_text("this is not a database")
    app = _open("leaderboard", Store(path), monkeypatch)
    assert not app.exception
    assert "cannot be read" in app.subheader[0].value
    assert path.read_text() == "this is not a database"
    assert "damaged\\.duckdb" in _words(app)
    assert str(tmp_path) not in _words(app).replace("\\", "")


def test_new_runs_show_at_the_next_look(board, monkeypatch):
    """A board that was open sees a run that came in later."""
    app = _open("leaderboard", board, monkeypatch, task="reviews-ko-mini")
    assert "No run of this task yet" in _words(app)
    add_run(board, accuracy=0.6)
    app.run()
    assert len(shown(app)) == 1


def test_initialise_is_what_the_pages_expect(tmp_path, monkeypatch):
    """A database made by `db init` alone opens on every page."""
    store = Store(tmp_path / "fresh.duckdb")
    create.initialise(store)
    for page in ("leaderboard", "run", "about"):
        assert not _open(page, store, monkeypatch).exception


def test_the_answer_names_a_much_smaller_model_within_one_point():
    """The second sentence names the smallest model that is at least twice as small and loses at most a point."""
    from dashboard.leaderboard import answer

    rows = pd.DataFrame(
        [
            ("a", "Big", 0.880, 0.877, 0.883, 400_000, 0.5, True, "measured"),
            ("b", "Middle", 0.875, 0.872, 0.878, 150_000, 0.4, True, "measured"),
            ("c", "Little", 0.871, 0.868, 0.874, 27_000, 0.3, True, "measured"),
            ("d", "Least", 0.850, 0.847, 0.853, 10_000, 0.2, True, "measured"),
        ],
        columns=["run_id", "model", "score", "low", "high", "params", "latency_ms_p50", "verified", "source"],
    ).assign(seeds=1, spread=float("nan"))
    sentences = answer.sentences(rows, known("accuracy"), maximise=True)
    assert sentences[0] == "Best verified: Big, 88.00% (87.70 to 88.30), 400k parameters, 0.5 ms."
    assert sentences[1].startswith("Within one point and 15 times smaller: Little")
    several = answer.sentences(rows.assign(seeds=3, spread=0.0006), known("accuracy"), maximise=True)
    assert several[0].startswith("Best verified: Big, 88.00% ± 0.06 over 3 seeds (95% interval 87.70 to 88.30), 400k")
    claimed = rows.iloc[[0]].assign(run_id="z", model="Claim", score=0.9, verified=False, source="reported")
    both = answer.sentences(pd.concat([claimed, rows]), known("accuracy"), maximise=True)
    assert [sentence.split(":")[0] for sentence in both] == [
        "Best verified",
        "Within one point and 15 times smaller",
        "Best published",
    ]
    unverified = answer.sentences(pd.concat([claimed, rows.assign(verified=False)]), known("accuracy"), maximise=True)
    assert [sentence.split(":")[0] for sentence in unverified] == [
        "Best measured",
        "Within one point and 15 times smaller",
        "Best published",
    ]


def test_the_pareto_frontier_is_what_nothing_beats():
    """A row is on the frontier if no cheaper or equal row scores as well."""
    from db.statistics.pareto import pareto

    cost, score = [1, 2, 2, 3, 4], [0.5, 0.4, 0.6, 0.6, 0.9]
    assert pareto(cost, score) == [0, 2, 4]
    assert pareto(cost, [-value for value in score], maximise=False) == [0, 2, 4]


def test_families_of_a_board_differ_and_the_ninth_is_grey():
    """Eight families of one board have a colour of their own; families of different boards may share one."""
    colours = family_colours([*(("nsmc", f"family {letter}") for letter in "abcdefghi"), ("mnli", "elsewhere")])
    assert list(colours.values())[:8] == list(OKABE_ITO)
    assert colours["family i"] == GREY
    assert colours["elsewhere"] in OKABE_ITO


def test_a_family_has_one_colour_on_every_board_and_known_ones_keep_theirs():
    """Another family that comes later changes none; it differs from all with which it shares a board."""
    boards = [("squad", "MiniLM"), ("squad", "BERT"), ("mnli", "MiniLM"), ("mnli", "BiLSTM"), ("nsmc", "KoBiLSTM")]
    before = family_colours(boards)
    assert before["MiniLM"] not in {before["BERT"], before["BiLSTM"]}
    after = family_colours([*boards, ("mnli", "new"), ("squad", "DistilBERT")])
    assert {family: after[family] for family in before} == before
    assert after["new"] not in {after["MiniLM"], after["BiLSTM"]}
    assert before["KoBiLSTM"] == OKABE_ITO[0]


def test_train_times_are_in_a_unit_that_shows_them(board, monkeypatch):
    """A training of seconds is shown in seconds, hours of training in minutes."""
    add_run(board, accuracy=0.6)
    short = _open("leaderboard", board, monkeypatch, task="reviews-ko-mini")
    assert shown(short)["train_seconds"].tolist() == [3.2]
    long = _open("leaderboard", board, monkeypatch, task="nsmc")
    assert shown(long)["train_seconds"].max() == pytest.approx(161.5, abs=0.1)
    units = [
        {column["key"]: column["unit"] for column in payload(app)["columns"]}["train_seconds"] for app in (short, long)
    ]
    assert units == ["s", "min"]


def test_a_link_to_a_run_has_its_frame_from_the_first_visitor_on():
    """Streamlit takes a folder of that name for its older navigation until somebody has opened the board itself."""
    assert not (APP.parent / "pages").exists()


def test_memory_is_a_column_where_it_was_measured(board, monkeypatch):
    """In megabytes; a board without any has no such column until somebody asks."""
    task = "reviews-ko-mini"
    add_run(board, accuracy=0.6)
    assert "peak_memory_bytes" not in shown(_open("leaderboard", board, monkeypatch, task=task))
    add_run(board, MetricValue("peak_memory_bytes", 412e6), accuracy=0.9)
    app = _open("leaderboard", board, monkeypatch, task=task, every="true")
    assert shown(app)["peak_memory_bytes"].tolist()[0] == 412.0
