"""Scaling curves on their board: the answer, the figure, the table, and what to type where sizes are missing."""

from dataclasses import replace

import pytest

from dashboard.charts import contrasts
from dashboard.findings import data_scaling
from dashboard.findings.data_scaling import STUDIED
from dashboard.ui.theme import family_colours
from db.analysis.findings.data_scaling import by_pretraining, find
from db.registry.metrics import known
from db.storage.store import Store
from engine.recipes import loader
from tests.dashboard.page_driver import Look, headings, plainly, words_of
from tests.db.analysis.findings.test_data_scaling import BILSTM, SCRATCH, TUNED, add, add_fine_tuned, fill

ACCURACY = known("accuracy")


def _figure(board: Store) -> tuple[object, list[tuple[str, str, float]]]:
    result = find(board, "mnli", STUDIED)
    points, levels = data_scaling.points(result, ACCURACY), data_scaling.levels(result)
    families = [*points["family"], *(family for _, family, _ in levels if family)]
    return contrasts.learning(
        points, levels, ACCURACY, family_colours(("a board", family) for family in families)
    ), levels


def test_a_board_without_such_runs_shows_nothing(board: Store, look: Look) -> None:
    """Neither on its own board nor on another."""
    add(board, "minilm-l3-mnli", 6000, 41)
    for task in ("mnli", "nsmc"):
        app = look("leaderboard", task=task)
        assert "Effect of more training examples" not in headings(app)


def test_the_answer_the_figure_and_the_table(board: Store, look: Look) -> None:
    """One sentence above, a row a line below, no command once every line has two sizes."""
    fill(board)
    app = look("leaderboard", task="mnli")
    words = plainly(app)
    assert "**Effect of pretraining:** With 14,903 examples, pretrained weights bring +31.00 points" in words
    assert "Effect of more training examples" in headings(app)
    shown = app.table[0].value.replace({r"\\": ""}, regex=True)
    assert shown.columns.tolist() == ["Model", "1k", "3k", "14.9k", "Size not reported"]
    assert shown["Model"].tolist()[:3] == [f"Model {name}" for name in (TUNED, BILSTM, SCRATCH)]
    assert shown["1k"].iloc[0] == "60.0 ± 6.7"
    assert shown.iloc[3].tolist()[1:] == ["–", "–", "–", "55.0"]
    assert "featherboard sweep" not in words


def test_each_printed_row_stands_once(board: Store) -> None:
    """However many rows are printed."""
    fill(board)
    result = find(board, "mnli", STUDIED)
    row = result.printed[0]
    two = replace(result, printed=(row, replace(row, model="Another")))
    assert data_scaling.table(two, ACCURACY)["Model"].tolist()[3:] == [f"{row.model}, reported", "Another, reported"]


def test_one_size_tells_what_measures_the_others(board: Store, look: Look) -> None:
    """A point is no curve: the section says so, and what to type."""
    fill(board, (14903,))
    app = look("leaderboard", task="mnli")
    assert (
        "Only one size was measured so far, so growth is not known yet. These commands measure "
        "the others, on a folder DIR with MultiNLI:"
    ) in words_of(app)
    assert data_scaling.commands().splitlines()[0] in words_of(app)


def test_a_line_that_is_short_keeps_the_commands(board: Store, look: Look) -> None:
    """Two sizes of one recipe and one of another."""
    for size in (1000, 3000):
        add(board, TUNED, size, 60)
    add(board, BILSTM, 3000, 40)
    app = look("leaderboard", task="mnli")
    assert (
        "Not every line has two sizes yet. These commands do what is missing and skip what a sweep has done:"
    ) in words_of(app)


def test_the_marks_keep_their_meaning(board: Store) -> None:
    """Family is the colour, measured is a filled circle with its interval; levels are dotted."""
    fill(board)
    result = find(board, "mnli", STUDIED)
    marks = data_scaling.points(result, ACCURACY)
    assert set(marks["order"]) == {0}
    figure, levels = _figure(board)
    lines, flat = figure.data[: len(result.lines)], figure.data[len(result.lines) :]
    assert {line.marker.symbol for line in lines} == {"circle"}
    assert len({line.line.color for line in lines}) == len(lines)
    assert [line.name for line in flat] == [name for name, _, _ in levels]
    assert {line.line.dash for line in flat} == {"dot"}
    assert list(lines[0].x) == [1000, 3000, 14903]
    assert list(lines[0].y) == pytest.approx([60, 65, 70])
    assert all(width > 0 for width in lines[0].error_y.array)


def test_the_axis_names_the_sizes_that_were_measured(board: Store) -> None:
    """On a logarithmic scale, each as it is; a telephone has room for the legend below."""
    fill(board)
    add(board, TUNED, 15200, 71)
    figure, _ = _figure(board)
    assert figure.layout.xaxis.type == "log"
    assert list(figure.layout.xaxis.ticktext) == ["1k", "3k", "15.2k"], "14.9k would be written into its neighbour"
    assert (figure.layout.legend.orientation, figure.layout.legend.yanchor) == ("v", "top")
    assert figure.layout.legend.y < 0


def test_one_size_has_room_on_both_sides(board: Store) -> None:
    """The levels run from its left to its right."""
    fill(board, (3000,))
    figure, _ = _figure(board)
    assert figure.data[-1].x[0] < 3000 < figure.data[-1].x[1]


def test_two_lines_of_a_family_differ_in_their_dashes(board: Store) -> None:
    """Colour alone would not tell them apart."""
    for name in ("mine", "yours"):
        for size in (1000, 3000):
            add(board, name, size, 50 if name == "mine" else 40)
    figure, _ = _figure(board)
    assert figure.data[0].line.color == figure.data[1].line.color
    assert figure.data[0].line.dash != figure.data[1].line.dash


def test_the_commands_name_recipes_that_ship() -> None:
    """And values that they take."""
    commands = data_scaling.commands()
    for name in STUDIED:
        assert f"featherboard sweep {name} --grid data.examples=1000,3000 --data DIR" in commands
        assert f"featherboard train {name} --data DIR" in commands
        assert loader.load(name, ["data.examples=1000"]).task == "mnli"


def test_growth_with_pretraining_is_drawn_with_its_sentence(board: Store, look: Look) -> None:
    """On a linear scale, which has a place for random weights."""
    for tokens, percent in [(0, 40), (2_000_000, 55), (6_000_000, 60)]:
        add_fine_tuned(board, tokens, percent)
    app = look("leaderboard", task="mnli")
    sentence = "60.00% after 6M tokens of text, 40.00% from random weights."
    assert f"**Effect of more pretraining text:** Reader, 6000000 tokens: {sentence}" in plainly(app)
    assert "Effect of more pretraining text" in headings(app)
    marks = data_scaling.points(by_pretraining(board, "mnli"), ACCURACY, pretraining=True)
    assert marks["text"].iloc[1].startswith("Reader, 6000000 tokens, 2M tokens: 55.00%")
    axis = contrasts.learning(marks, [], ACCURACY, {}, pretraining=True).layout.xaxis
    assert (axis.type, list(axis.tickvals)) == ("linear", [0, 2_000_000, 6_000_000])
