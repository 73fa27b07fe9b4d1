"""The trade-off page: marks, frontier, arrows, budgets in words, the address, and the page without a browser."""

import io
import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.charts import axes, label_placement
from dashboard.tradeoffs import budgets, figure_data
from dashboard.tradeoffs import chart as tradeoff_charts
from dashboard.tradeoffs import sentences as tradeoff_words
from dashboard.tradeoffs.state import State, read
from dashboard.ui import i18n
from dashboard.ui.export import csv
from db.leaderboard.board import Board
from db.leaderboard.board import board as read_board
from db.runs.writer import MetricValue, ModelFacts
from db.storage.store import Store
from tests.dashboard.test_pages import _open, _words
from tests.dashboard.translation import korean
from tests.factories.runs import add_run

TASK = "reviews-ko-mini"
Look = Callable[..., AppTest]


def _add(
    store: Store,
    name: str,
    params: int | None,
    accuracy: float,
    *,
    size: float | None = None,
    ms: float | None = None,
    family: str = "KoBiLSTM",
    **columns: object,
) -> str:
    more = [MetricValue("checkpoint_bytes", size)] if size is not None else []
    more += [MetricValue("latency_ms_p50", ms)] if ms else []
    model = ModelFacts(name, name, family, "bilstm", {"hidden_dim": 16}, params, "ko")
    return add_run(store, *more, accuracy=accuracy, name=name, model=model, recipe_hash=name, **columns)


@pytest.fixture(scope="module")
def template(_initialised: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sizes, of which the third is beaten by a smaller one, and a run whose size nobody measured."""
    store = Store(Path(shutil.copyfile(_initialised, tmp_path_factory.mktemp("tradeoffs") / "board.duckdb")))
    _add(store, "Little", 10_000, 0.70, size=50e3, ms=0.3)
    _add(store, "Middle", 100_000, 0.80, size=400e3, ms=0.9, teacher="Large")
    _add(store, "Waste", 200_000, 0.75, size=900e3, ms=2.0, family="BiLSTM")
    _add(store, "Large", 2_000_000, 0.90, size=8e6, ms=4.0, family="BiLSTM")
    _add(store, "Unmeasured", 150_000, 0.85)
    return store.path


@pytest.fixture
def filled(template: Path, tmp_path: Path) -> Store:
    """A copy of it, so a test may change it."""
    return Store(Path(shutil.copyfile(template, tmp_path / "filled.duckdb")))


@pytest.fixture
def look(filled: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Opens the page on the filled board."""
    return lambda **query: _open("tradeoffs", filled, monkeypatch, **{"task": TASK, **query})


def _board(store: Store, task: str = TASK, *, every: bool = False) -> Board:
    return read_board(store, task, every_run=every)


def _figure(shown: figure_data.Picture, **more: object) -> object:
    options = {"budget": {}, "best": None, "arrows": None, "ink": "#000000", "paper": "#FFFFFF", **more}
    return tradeoff_charts.tradeoff(shown, **options)


def _spec(app: AppTest) -> dict:
    (chart,) = app.get("plotly_chart")
    return json.loads(chart.proto.spec)


def _text(app: AppTest) -> str:
    return _words(app).replace("\\", "")


def test_the_frontier_holds_what_nothing_beats(filled):
    """By rising cost; a row without the cost is counted and not drawn."""
    shown = figure_data.picture(_board(filled), "bytes", "accuracy")
    assert shown.front["model"].tolist() == ["Little", "Middle", "Large"]
    assert (len(shown.marks), shown.no_cost, shown.no_score) == (4, 1, 0)
    assert figure_data.picture(_board(filled), "params", "accuracy").front["model"].tolist() == [
        "Little",
        "Middle",
        "Unmeasured",
        "Large",
    ]


def test_any_metric_can_be_the_score_in_its_own_direction(board):
    """Of a loss less is better; the primary metric comes first, and how a timing was made is no score."""
    for name, params, loss in (("A", 1000, 0.9), ("B", 2000, 0.4), ("C", 3000, 0.6)):
        model = ModelFacts(name, name, "F", "bilstm", {}, params, "ko")
        add_run(
            board,
            MetricValue("log_loss", loss),
            MetricValue("latency_threads", 1),
            accuracy=0.5,
            name=name,
            model=model,
            recipe_hash=name,
        )
    table = _board(board)
    assert figure_data.scores(table) == ["accuracy", "log_loss"]
    shown = figure_data.picture(table, "params", "log_loss")
    assert shown.front["model"].tolist() == ["A", "B"]
    assert shown.marks["model"].tolist()[0] == "B"
    assert shown.marks["low"].isna().all(), "an interval is known of the primary metric alone"
    assert "less is better" in figure_data.frame(shown)[1].title


def test_of_too_many_marks_the_frontier_and_the_best_are_drawn(filled):
    """And it is said how many were left out."""
    shown = figure_data.picture(_board(filled), "params", "accuracy", limit=4)
    assert shown.marks["model"].tolist() == ["Large", "Unmeasured", "Middle", "Little"]
    assert shown.left_out == 1
    assert "4 of 5 marks" in tradeoff_words.notes(shown)


def test_an_arrow_leads_to_a_student_whose_teacher_is_on_the_plot(filled):
    """Named by model, run or recipe, in any case; a teacher that is not drawn has none."""
    _add(filled, "Orphan", 5_000, 0.5, teacher="Somebody else")
    _add(filled, "Folded", 6_000, 0.55, teacher=" LARGE ")
    shown = figure_data.picture(_board(filled), "params", "accuracy")
    names = shown.marks["model"]
    links = [(names[row.teacher], names[row.student]) for row in figure_data.links(shown).itertuples()]
    assert links == [("Large", "Middle"), ("Large", "Folded")]
    figure = _figure(shown, arrows=figure_data.links(shown))
    (trace,) = [trace for trace in figure.data if trace.marker.symbol == "arrow"]
    assert list(trace.x[:2]) == [2_000_000, 100_000]
    without = figure_data.picture(_board(filled), "params", "accuracy", families=["KoBiLSTM"])
    assert figure_data.links(without).empty


def test_a_teacher_of_the_same_source_is_preferred(filled):
    """A printed row of the teacher's name is another model than the one that taught here."""
    shown = figure_data.picture(_board(filled), "params", "accuracy")
    printed = shown.marks[shown.marks["model"] == "Large"].assign(source="reported", run_id="printed", y=0.99)
    both = replace(shown, marks=pd.concat([printed, shown.marks], ignore_index=True))
    (link,) = figure_data.links(both).itertuples()
    assert both.marks["source"][[link.teacher, link.student]].tolist() == ["measured", "measured"]


@pytest.mark.parametrize(
    ("cost", "typed", "stored"),
    [
        ("bytes", "2 MB", 2e6),
        ("bytes", "1.6mb", 1.6e6),
        ("bytes", "64 KiB", 65536),
        ("params", "1,000,000", 1e6),
        ("params", "300k", 3e5),
        ("params", "100만", 1e6),
        ("latency", "20", 20),
        ("latency", "1.5 s", 1500),
        ("latency", "0.5밀리초", 0.5),
        ("time", "10 min", 600),
        ("time", "2시간", 7200),
        ("memory", "1 GB", 1e9),
        ("bytes", "2", None),
        ("bytes", "2 ms", None),
        ("latency", "-3 ms", None),
        ("latency", "0 ms", None),
        ("params", "many", None),
        ("params", "", None),
        ("params", "1" * 400, None),
        ("bytes", "1e3 kB", None),
    ],
)
def test_amounts_are_read_as_people_type_them(cost, typed, stored):
    """A number with a unit of the cost; what cannot be meant is no amount."""
    assert budgets.amount(cost, typed) == (None if stored is None else pytest.approx(stored))


@pytest.mark.parametrize("cost", list(figure_data.COSTS))
def test_an_amount_is_written_as_it_is_read(cost):
    """So that a link and the field of the page say the same."""
    for value in (1.0, 12.5, 999.0, 1000.0, 1_654_321.0, 3600.0, 5e8, 7.25e9):
        assert budgets.amount(cost, budgets.written(cost, value)) == value, budgets.written(cost, value)
    for preset in budgets.PRESETS[cost]:
        assert budgets.written(cost, budgets.amount(cost, preset)) == preset


def test_the_best_within_a_budget_is_told_in_one_sentence(filled):
    """With its score, its costs, where it comes from, and how many rows could not be judged."""
    table = _board(filled)
    assert budgets.sentences(table, {"bytes": 1e6, "latency": 1.0}, "accuracy") == [
        (
            "Best with at most 1 MB on disk and at most 1 ms an example",
            "Middle, accuracy 80.00%, 400 kB on disk, 0.9 ms an example (measured, verified). "
            "1 of 5 rows lack such a figure and were not considered.",
        )
    ]
    assert budgets.best(table, {"bytes": 1e6}, "accuracy") == table.rows.set_index("model")["run_id"]["Middle"]


def test_a_better_row_that_is_not_verified_is_followed_by_the_best_verified_one(board):
    """On the first board the printed rows lead, and a figure that we vouch for stands beside."""
    model = ModelFacts("m", "Ours", "KoBiLSTM", "bilstm", {}, 50_000, "ko")
    add_run(board, accuracy=0.8, name="Ours", model=model, task_id="nsmc", dataset="nsmc")
    sentences = budgets.sentences(_board(board, "nsmc"), {"params": 1e6}, "accuracy")
    assert [lead for lead, _ in sentences] == ["Best with at most 1M parameters", "Best verified"]
    assert "(reported)" in sentences[0][1]
    assert sentences[1][1].startswith("Ours, accuracy 80.00%, 50k parameters (measured, verified)")


def test_where_nothing_fits_the_nearest_is_named(filled):
    """Or that the limits cannot be had together."""
    table = _board(filled)
    assert budgets.sentences(table, {"bytes": 20e3}, "accuracy")[0][1].startswith(
        "No row. The nearest is Little with 50 kB on disk."
    )
    assert budgets.best(table, {"bytes": 20e3}, "accuracy") is None
    both = budgets.sentences(table, {"params": 15e3, "latency": 0.1}, "accuracy")
    assert both[0][1].startswith("No row. The nearest is Little with 0.3 ms an example")


def test_korean_sentences_are_korean(filled, monkeypatch):
    """The same facts in the other language."""
    monkeypatch.setattr(i18n, "current_language", lambda: "ko")
    ((lead, rest),) = budgets.sentences(_board(filled), {"bytes": 1e6}, "accuracy")
    assert lead == "디스크 1 MB 이하에서 가장 좋은 모델"
    assert rest.startswith("Middle, 정확도 80.00%, 디스크 400 kB (직접 측정, 검증됨).")
    shown = figure_data.picture(_board(filled), "params", "accuracy")
    names = {trace.name for trace in _figure(shown).data if trace.name}
    assert {korean("Measured", "sources"), korean("Pareto frontier; shaded: what it beats")} <= names


def test_the_figure_says_each_mark_once_and_carries_run_ids(filled):
    """Family is a colour, source a shape; a selection is read by run id, never by position."""
    shown = figure_data.picture(_board(filled), "params", "accuracy")
    figure = _figure(shown)
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == ["BiLSTM", "KoBiLSTM", "Measured", "Pareto frontier; shaded: what it beats"]
    carried = [run for trace in figure.data if trace.customdata is not None for run in trace.customdata]
    assert sorted(carried) == sorted(shown.marks["run_id"])
    (front,) = [trace for trace in figure.data if trace.line.shape == "hv"]
    assert list(front.x) == sorted(front.x)
    assert figure.layout.dragmode == "pan", "in another mode a click on a mark is not told to the page"


def test_what_is_beyond_the_budget_is_shaded_and_faint(filled):
    """The limit of the axis is a line with its value; marks that are beyond any limit are pale, the best has a ring."""
    table = _board(filled)
    budget = {"params": 150_000.0, "latency": 1.0}
    inside, _ = budgets.fits(table, budget)
    shown = figure_data.picture(table, "params", "accuracy", within=inside)
    figure = _figure(shown, budget=budget, best=budgets.best(table, budget, "accuracy"))
    area, line = figure.layout.shapes
    assert (area.x0, line.x0, line.label.text) == (150_000, 150_000, "at most 150k")
    strong = {
        run
        for trace in figure.data
        if trace.customdata is not None and trace.marker.opacity == 1
        for run in trace.customdata
    }
    assert strong == set(table.rows.loc[table.rows["model"].isin(["Little", "Middle"]), "run_id"])
    (ring,) = [trace for trace in figure.data if isinstance(trace.marker.size, int) and trace.marker.size > 20]
    assert list(ring.x) == [100_000]
    assert "Beyond the budget, or not known" in [trace.name for trace in figure.data]
    assert not _figure(shown, budget={"params": 1e9}).layout.shapes, "a limit beyond the plot shades nothing"


def test_text_from_outside_is_no_markup_in_the_figure(board):
    """Names reach Plotly as text."""
    for number, params in enumerate((1000, 9000)):
        _add(board, f"<b>x</b><script>{number}", params, 0.5 + number / 10)
    figure = _figure(figure_data.picture(_board(board), "params", "accuracy"))
    texts = [words for trace in figure.data if trace.text is not None for words in trace.text]
    texts += [note.text for note in figure.layout.annotations if note.text]
    assert any("&lt;script&gt;" in words for words in texts)
    assert not any("<script" in words for words in texts)


def test_labels_do_not_run_into_each_other(board):
    """At the width of a screen each name of the frontier has its place, and few have one on a telephone."""
    for number in range(6):
        _add(board, f"KoBiLSTM-Number-{number}", 10_000 * 3**number, 0.5 + number / 20)
    shown = figure_data.picture(_board(board), "params", "accuracy")
    notes = _figure(shown).layout.annotations
    first, rest = notes[:3], notes[3:]
    assert sum(note.text is not None for note in first) > 0
    labels = [note for note in (*first, *rest) if note.text]
    assert len(labels) == 6
    x, y = figure_data.frame(shown)
    boxes = [
        label_placement.LabelPosition(note.xanchor, note.yanchor, note.xshift, note.yshift).box(
            x.share(10**note.x) * 1280, y.share(note.y) * 400, label_placement.width(note.text)
        )
        for note in labels
    ]
    for index, box in enumerate(boxes):
        for other in boxes[index + 1 :]:
            assert (
                box.left >= other.right
                or other.left >= box.right
                or box.bottom >= other.top
                or (other.bottom >= box.top)
            )


def test_runs_of_one_model_on_the_frontier_have_its_name_once(filled):
    """Of equal rows all are on the frontier."""
    shown = figure_data.picture(_board(filled), "params", "accuracy")
    again = pd.concat([shown.marks, shown.marks[shown.marks["model"] == "Middle"]], ignore_index=True)
    notes = [note.text for note in _figure(replace(shown, marks=again)).layout.annotations if note.text]
    assert sorted(notes) == ["Large", "Little", "Middle", "Unmeasured"]


@pytest.mark.parametrize(
    ("low", "high", "unit", "options"),
    [
        (27e3, 109e6, None, {"dtick": 1, "tickformat": "~s", "ticksuffix": ""}),
        (177e3, 7e6, "bytes", {"dtick": "D2", "tickformat": "~s", "ticksuffix": "B"}),
        (0.3, 3.9, "ms", {"dtick": "D2", "tickformat": ",~r", "ticksuffix": " ms"}),
        (71, 9691, "s", {"ticktext": "10 min"}),
        (1, 1e12, None, {"dtick": 2}),
    ],
)
def test_ticks_are_round_numbers_few_enough_for_a_telephone(low, high, unit, options):
    """Never the minor ticks 2 to 9; times in the units of a clock; a short range leaves the steps to Plotly."""
    ticks = axes.log_ticks(low, high, unit)
    assert all(value in ticks[name] if name == "ticktext" else ticks[name] == value for name, value in options.items())
    assert "dtick" not in axes.log_ticks(10e6, 13e6)


def test_sizes_follow_the_third_figure(filled):
    """The largest value is the largest mark, and a missing one the smallest."""
    shown = figure_data.picture(_board(filled), "params", "accuracy", "latency")
    sizes = {
        run: size
        for trace in _figure(shown).data
        if trace.customdata is not None
        for run, size in zip(trace.customdata, trace.marker.size, strict=True)
    }
    by_name = {row.model: sizes[row.run_id] for row in shown.marks.itertuples()}
    assert by_name["Large"] > by_name["Middle"] > by_name["Little"] == by_name["Unmeasured"]
    assert "0.3 ms to 4 ms" in tradeoff_words.notes(shown)


def test_the_file_holds_what_is_plotted_and_no_formula(board):
    """A name that a spreadsheet would run has a quote in front; numbers stay numbers."""
    for number, name in enumerate(("=SUM(A1)", "+1", "@x", "-2", "plain")):
        _add(board, name, 1000 * (number + 1), 0.5 + number / 20)
    shown = figure_data.picture(_board(board), "params", "accuracy")
    written = csv(figure_data.table(shown, budget=False))
    assert written.startswith(b"\xef\xbb\xbf")
    rows = pd.read_csv(io.BytesIO(written))
    assert rows["model"].tolist() == ["plain", "'-2", "'@x", "'+1", "'=SUM(A1)"]
    assert rows["params"].tolist() == [5000, 4000, 3000, 2000, 1000]
    assert rows["run_id"].tolist() == shown.marks["run_id"].tolist()
    assert csv(pd.DataFrame({"=cmd": [-1.5]})).decode("utf-8-sig").split() == ["'=cmd", "-1.5"]


def test_an_address_is_read_as_it_was_written():
    """Every choice comes back; what makes no sense counts as not said."""
    state = State("nsmc", "bytes", "macro_f1", "latency", {"params": 1e6, "latency": 0.25}, ("A b", "C"), True, False)
    parameters = {name: [value] if isinstance(value, str) else value for name, value in state.address().items()}
    assert read(parameters) == state
    assert State("nsmc").address() == {"task": "nsmc"}
    assert read({"x": ["bytes"]}) is None, "an address without a task says nothing of the page"
    odd = {"task": ["nsmc"], "x": ["weight"], "bytes": ["nan"], "ms": ["-3"], "params": ["..x"], "every": ["maybe"]}
    assert read(odd) == State("nsmc")
    assert read({"task": ["nsmc"], "bytes": ["2000000"]}).budget == {"bytes": 2e6}


def test_the_page_opens_with_the_frontier_in_words(look):
    """Title, one sentence, one figure."""
    app = look()
    assert not app.exception
    assert app.title[0].value == "Which model gives the most for its cost?"
    assert (
        "**On the frontier:** 4 of 5 rows, from Little (10k parameters, 70.00%) to Large (2M parameters, 90.00%)."
        in _text(app)
    )
    assert app.query_params["task"] in (TASK, [TASK])
    assert "On the Pareto frontier, from the cheapest: Little, Middle" in app.get("plotly_chart")[0].proto.alt


def test_a_budget_is_two_choices_away(look):
    """A limit that was chosen is told, drawn and in the address."""
    app = look()
    app.selectbox(key="trade_max_bytes").set_value("1 MB").run()
    assert "**Best with at most 1 MB on disk:** Middle, accuracy 80.00%" in _text(app)
    assert app.query_params["bytes"] in ("..1000000", ["..1000000"])
    app.selectbox(key="trade_x").set_value("bytes").run()
    assert _spec(app)["layout"]["shapes"][1]["label"]["text"] == "at most 1 MB"
    typed = look(ms="0.0025")
    assert typed.selectbox(key="trade_max_latency").value == "0.0025 ms"
    assert "No row. The nearest is Little with 0.3 ms an example." in _text(typed)


def test_a_link_opens_its_state(look):
    """Cost, score, limits, families, every run and arrows come from the address."""
    app = look(x="latency", bytes="..500000", every="1", family="KoBiLSTM", size="bytes")
    assert not app.exception
    assert app.selectbox(key="trade_x").value == "latency"
    assert app.selectbox(key="trade_max_bytes").value == "500 kB"
    assert app.selectbox(key="trade_size").value == "bytes"
    assert app.toggle(key="trade_every").value is True
    assert app.multiselect(key="trade_families").value == ["KoBiLSTM"]
    assert "Best with at most 500 kB on disk" in _text(app)
    shown = {name: app.query_params[name] for name in app.query_params}
    assert set(shown) == {"task", "x", "size", "bytes", "family", "every"}


def test_the_arrows_can_be_turned_off_and_the_address_says_so(look):
    """They are drawn while they are few."""
    app = look()
    symbols = [trace.get("marker", {}).get("symbol") for trace in _spec(app)["data"]]
    assert "arrow" in symbols
    app.toggle(key="trade_arrows_False").set_value(False).run()
    assert "arrow" not in [trace.get("marker", {}).get("symbol") for trace in _spec(app)["data"]]
    assert app.query_params["arrows"] in ("0", ["0"])


def test_many_arrows_wait_to_be_asked_for(board, monkeypatch):
    """On the board of all printed runs there are dozens of students."""
    app = _open("tradeoffs", board, monkeypatch, task="nsmc", every="1")
    assert not app.exception
    model = ModelFacts("t", "Teacher", "F", "bilstm", {}, 5_000_000, "ko")
    add_run(board, accuracy=0.9, name="Teacher", model=model, recipe_hash="t")
    for number in range(figure_data.MANY_LINKS + 1):
        _add(board, f"S{number}", 1000 + number, 0.5, teacher="Teacher")
    app = _open("tradeoffs", board, monkeypatch, task=TASK)
    assert app.toggle(key="trade_arrows_True").value is False


def test_chosen_rows_lead_to_their_run_or_their_comparison(look):
    """The table stands in for the marks where there is no mouse."""
    app = look()
    key = next(frame.key for frame in app.dataframe if frame.key.startswith("trade-rows-"))
    app.session_state[key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    app.run()
    assert "**Large:** 90.00% (" in _text(app)
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
        assert not look(**query).exception, query


def test_a_task_without_runs_names_the_commands(board, monkeypatch):
    """As the leaderboard does."""
    app = _open("tradeoffs", board, monkeypatch, task="qa-ko-mini")
    assert not app.exception
    assert "No run of this task yet" in _text(app)
    assert "featherboard db import" in _text(app)


def test_a_cost_that_nobody_measured_names_what_measures_it(board, monkeypatch):
    """With the option that keeps the figure."""
    _add(board, "A", 1000, 0.5)
    app = _open("tradeoffs", board, monkeypatch, task=TASK, x="latency")
    assert not app.exception
    assert "No row has both figures: Latency and Accuracy" in _text(app)
    assert "featherboard evaluate RUN --keep --only-timings" in _text(app)


def test_models_that_nobody_counted_have_no_figure(board, monkeypatch):
    """The page says when parameters are counted."""
    _add(board, "A", None, 0.5)
    assert "Parameters are counted" in _text(_open("tradeoffs", board, monkeypatch, task=TASK))


def test_one_size_is_nothing_to_trade(board, monkeypatch):
    """Two rows of one size have no frontier worth a figure."""
    _add(board, "A", 1000, 0.5)
    _add(board, "B", 1000, 0.6)
    app = _open("tradeoffs", board, monkeypatch, task=TASK)
    assert not app.exception
    assert "There is nothing to trade here." in _text(app)
    assert "Parameters: 1k in every row" in _text(app)
    assert not app.get("plotly_chart")


def test_without_a_database_the_command_that_makes_one_is_shown(tmp_path, monkeypatch):
    """No database is a state, not an error."""
    app = _open("tradeoffs", Store(tmp_path / "none.duckdb"), monkeypatch)
    assert not app.exception
    assert "featherboard db init" in _text(app)


@pytest.mark.parametrize("task", ["nsmc", "squad", "squad-deck", "mnli", "glue", "inference-time", "distil-ablation"])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_board_opens_in_both_languages(board, monkeypatch, task, lang):
    """With what documents print alone."""
    app = _open("tradeoffs", board, monkeypatch, task=task, lang=lang)
    assert not app.exception


def test_a_figure_of_nothing_but_zero_is_no_cost(board):
    """A logarithmic axis has no place for it."""
    _add(board, "A", 1000, 0.5, size=0.0)
    assert math.isnan(figure_data.values(_board(board), "bytes")[0])
