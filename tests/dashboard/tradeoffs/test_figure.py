"""Trade-offs: marks, frontier, arrows, labels, and the file."""

import io
import math
from dataclasses import replace

import pandas as pd
import pytest

from dashboard.charts import axes, label_placement
from dashboard.tradeoffs import budgets, figure_data
from dashboard.tradeoffs import sentences as tradeoff_words
from dashboard.tradeoffs.state import State, read
from dashboard.ui import i18n
from dashboard.ui.export import csv
from db.runs.writer import MetricValue, ModelFacts
from tests.dashboard.tradeoffs.conftest import add_model, board_of, figure_of
from tests.dashboard.translation import korean
from tests.factories.runs import add_run


def test_the_frontier_holds_what_nothing_beats(filled):
    """By rising cost; a row without the cost is counted and not drawn."""
    shown = figure_data.picture(board_of(filled), "bytes", "accuracy")
    assert shown.front["model"].tolist() == ["Little", "Middle", "Large"]
    assert (len(shown.marks), shown.no_cost, shown.no_score) == (4, 1, 0)
    assert figure_data.picture(board_of(filled), "params", "accuracy").front["model"].tolist() == [
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
    table = board_of(board)
    assert figure_data.scores(table) == ["accuracy", "log_loss"]
    shown = figure_data.picture(table, "params", "log_loss")
    assert shown.front["model"].tolist() == ["A", "B"]
    assert shown.marks["model"].tolist()[0] == "B"
    assert shown.marks["low"].isna().all(), "an interval is known of the primary metric alone"
    assert "less is better" in figure_data.frame(shown)[1].title


def test_of_too_many_marks_the_frontier_and_the_best_are_drawn(filled):
    """And it is said how many were left out."""
    shown = figure_data.picture(board_of(filled), "params", "accuracy", limit=4)
    assert shown.marks["model"].tolist() == ["Large", "Unmeasured", "Middle", "Little"]
    assert shown.left_out == 1
    assert "4 of 5 marks" in tradeoff_words.notes(shown)


def test_one_mark_on_the_frontier_is_not_said_to_beat_printed_rows(filled):
    """Printed rows are drawn and have no part in the frontier; where there are none, nothing at all is better."""
    shown = figure_data.picture(board_of(filled), "params", "accuracy", families=["BiLSTM"])
    measured = shown.marks[shown.marks["model"] == "Large"]
    alone = replace(shown, marks=measured)
    assert "nothing scores better" in tradeoff_words.front_told(alone)
    printed = measured.assign(source="reported", ranked=False, front=False, y=0.99)
    with_printed = tradeoff_words.front_told(replace(shown, marks=pd.concat([printed, measured], ignore_index=True)))
    assert with_printed.endswith("no measured or submitted row scores better, and none that scores as well costs less.")


def test_an_arrow_leads_to_a_student_whose_teacher_is_on_the_plot(filled):
    """Named by model, run or recipe, in any case; a teacher that is not drawn has none."""
    add_model(filled, "Orphan", 5_000, 0.5, teacher="Somebody else")
    add_model(filled, "Folded", 6_000, 0.55, teacher=" LARGE ")
    shown = figure_data.picture(board_of(filled), "params", "accuracy")
    names = shown.marks["model"]
    links = [(names[row.teacher], names[row.student]) for row in figure_data.links(shown).itertuples()]
    assert links == [("Large", "Middle"), ("Large", "Folded")]
    figure = figure_of(shown, arrows=figure_data.links(shown))
    (trace,) = [trace for trace in figure.data if trace.marker.symbol == "arrow"]
    assert list(trace.x[:2]) == [2_000_000, 100_000]
    without = figure_data.picture(board_of(filled), "params", "accuracy", families=["KoBiLSTM"])
    assert figure_data.links(without).empty


def test_a_teacher_of_the_same_source_is_preferred(filled):
    """A printed row of the teacher's name is another model than the one that taught here."""
    shown = figure_data.picture(board_of(filled), "params", "accuracy")
    printed = shown.marks[shown.marks["model"] == "Large"].assign(source="reported", run_id="printed", y=0.99)
    both = replace(shown, marks=pd.concat([printed, shown.marks], ignore_index=True))
    (link,) = figure_data.links(both).itertuples()
    assert both.marks["source"][[link.teacher, link.student]].tolist() == ["measured", "measured"]


def test_korean_sentences_are_korean(filled, monkeypatch):
    """The same facts in the other language."""
    monkeypatch.setattr(i18n, "current_language", lambda: "ko")
    ((lead, rest),) = budgets.sentences(board_of(filled), {"bytes": 1e6}, "accuracy")
    assert lead == "디스크 1 MB 이하에서 가장 좋은 모델"
    assert rest.startswith("Middle, 정확도 80.00%, 디스크 400 kB (직접 측정, 검증됨).")
    shown = figure_data.picture(board_of(filled), "params", "accuracy")
    names = {trace.name for trace in figure_of(shown).data if trace.name}
    assert {korean("Measured", "sources"), korean("Pareto frontier; shaded: what it beats")} <= names


def test_the_figure_says_each_mark_once_and_carries_run_ids(filled):
    """Family is a colour, source a shape; a selection is read by run id, never by position."""
    shown = figure_data.picture(board_of(filled), "params", "accuracy")
    figure = figure_of(shown)
    legend = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert legend == ["BiLSTM", "KoBiLSTM", "Measured", "Pareto frontier; shaded: what it beats"]
    carried = [run for trace in figure.data if trace.customdata is not None for run in trace.customdata]
    assert sorted(carried) == sorted(shown.marks["run_id"])
    (front,) = [trace for trace in figure.data if trace.line.shape == "hv"]
    assert list(front.x) == sorted(front.x)
    assert figure.layout.dragmode == "pan", "in another mode a click on a mark is not told to the page"


def test_what_is_beyond_the_budget_is_shaded_and_faint(filled):
    """The limit of the axis is a line with its value; marks that are beyond any limit are pale, the best has a ring."""
    table = board_of(filled)
    budget = {"params": 150_000.0, "latency": 1.0}
    inside, _ = budgets.fits(table, budget)
    shown = figure_data.picture(table, "params", "accuracy", within=inside)
    figure = figure_of(shown, budget=budget, best=budgets.best(table, budget, "accuracy"))
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
    assert not figure_of(shown, budget={"params": 1e9}).layout.shapes, "a limit beyond the plot shades nothing"


def test_text_from_outside_is_no_markup_in_the_figure(board):
    """Names reach Plotly as text."""
    for number, params in enumerate((1000, 9000)):
        add_model(board, f"<b>x</b><script>{number}", params, 0.5 + number / 10)
    figure = figure_of(figure_data.picture(board_of(board), "params", "accuracy"))
    texts = [words for trace in figure.data if trace.text is not None for words in trace.text]
    texts += [note.text for note in figure.layout.annotations if note.text]
    assert any("&lt;script&gt;" in words for words in texts)
    assert not any("<script" in words for words in texts)


def test_labels_do_not_run_into_each_other(board):
    """At the width of a screen each name of the frontier has its place, and few have one on a telephone."""
    for number in range(6):
        add_model(board, f"KoBiLSTM-Number-{number}", 10_000 * 3**number, 0.5 + number / 20)
    shown = figure_data.picture(board_of(board), "params", "accuracy")
    notes = figure_of(shown).layout.annotations
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
    shown = figure_data.picture(board_of(filled), "params", "accuracy")
    again = pd.concat([shown.marks, shown.marks[shown.marks["model"] == "Middle"]], ignore_index=True)
    notes = [note.text for note in figure_of(replace(shown, marks=again)).layout.annotations if note.text]
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
    shown = figure_data.picture(board_of(filled), "params", "accuracy", "latency")
    sizes = {
        run: size
        for trace in figure_of(shown).data
        if trace.customdata is not None
        for run, size in zip(trace.customdata, trace.marker.size, strict=True)
    }
    by_name = {row.model: sizes[row.run_id] for row in shown.marks.itertuples()}
    assert by_name["Large"] > by_name["Middle"] > by_name["Little"] == by_name["Unmeasured"]
    assert "0.3 ms to 4 ms" in tradeoff_words.notes(shown)


def test_the_file_holds_what_is_plotted_and_no_formula(board):
    """A name that a spreadsheet would run has a quote in front; numbers stay numbers."""
    for number, name in enumerate(("=SUM(A1)", "+1", "@x", "-2", "plain")):
        add_model(board, name, 1000 * (number + 1), 0.5 + number / 20)
    shown = figure_data.picture(board_of(board), "params", "accuracy")
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


def test_a_figure_of_nothing_but_zero_is_no_cost(board):
    """A logarithmic axis has no place for it."""
    add_model(board, "A", 1000, 0.5, size=0.0)
    assert math.isnan(figure_data.values(board_of(board), "bytes")[0])
