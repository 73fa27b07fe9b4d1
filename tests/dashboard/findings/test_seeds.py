"""What the pages say of several seeds and of plain and distilled twins, driven without a browser."""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.charts import contrasts
from dashboard.findings import matched_pairs
from dashboard.leaderboard import overview_chart
from dashboard.ui.theme import family_colours
from db.analysis.findings.matched_pairs import find, with_tests
from db.leaderboard.board import board as board_of
from db.registry.metrics import known
from db.storage.store import Store
from tests.dashboard.page_driver import Look, cards, headings, markup, plainly, words_of
from tests.dashboard.table_driver import choose_task, open_menu, shown
from tests.factories.runs import add_run, add_runs, add_twin, in_one_write

TASK = "reviews-ko-mini"


def _add_pairs(board: Store) -> None:
    with in_one_write(board) as store:
        for size, gain in ((16, 0.15), (32, 0.01)):
            for seed in (0, 1):
                add_twin(store, accuracy=0.6, distilled=False, size=size, seed=seed)
                add_twin(store, accuracy=0.6 + gain, distilled=True, size=size, seed=seed)


def test_seeds_are_one_row_until_every_run_is_asked_for(board: Store, look: Look) -> None:
    """One row with the mean, the number of seeds and the spread; the switch shows each seed alone."""
    add_runs(board, 0.60, 0.66, 0.63)
    app = look("leaderboard", task=TASK)
    (row,) = shown(app).to_dict("records")
    assert (row["score"], row["seeds"], row["spread"]) == (pytest.approx(63.0), 3, pytest.approx(3.0))
    assert cards(app)[0][1] == "63.00%"
    assert "<span>± 3.00 over 3 seeds</span>" in markup(app)
    assert "A score over several seeds is their mean; its name opens the seed with the median score." in words_of(app)
    app.toggle(key="every").set_value(True).run()
    assert not app.exception
    assert shown(app)["score"].tolist() == [66.0, 63.0, 60.0]
    assert "seeds" not in shown(app)


def test_the_range_of_the_seeds_is_a_column_on_demand(board: Store, look: Look) -> None:
    """Lowest and highest seed are told in words where somebody asks."""
    add_runs(board, 0.60, 0.66, 0.63)
    app = look("leaderboard", task=TASK)
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*chosen.value, "range"]).run()
    assert shown(app)["range"].tolist() == ["60.00% to 66.00%"]


def test_the_columns_of_seeds_come_and_go_with_the_board(board: Store, look: Look) -> None:
    """From a board without seeds to one with them and back, beside a column that the visitor chose."""
    add_runs(board, 0.60, 0.66, 0.63)
    app = look("leaderboard", task="squad")
    chosen = open_menu(app, "choose-columns").button_group(key="columns")
    chosen.set_value([*chosen.value, "citation"]).run()
    choose_task(app, TASK)
    assert not app.exception
    assert {"seeds", "spread", "citation"} <= set(shown(app).columns)
    assert not app.warning[1:], "one warning is the board's own: it is a mini corpus"
    choose_task(app, "squad")
    assert "citation" in shown(app)
    assert not {"seeds", "spread"} & set(shown(app).columns)


def test_a_board_of_printed_rows_has_no_column_of_seeds(look: Look) -> None:
    """Reported rows have no seeds, and nothing is said of any."""
    app = look("leaderboard", task="squad")
    assert not {"seeds", "spread"} & set(shown(app).columns)
    assert "A score over several seeds is their mean; its name opens the seed with the median score." not in words_of(
        app
    )


def test_a_run_leads_to_its_sibling_seeds(board: Store, look: Look) -> None:
    """Mean, spread and every seed with its score; the median one and this one are named, the others are links."""
    runs = add_runs(board, 0.60, 0.66, 0.63)
    app = look("run", run=runs[0])
    words = plainly(app)
    assert "Sibling seeds" in headings(app)
    assert "63.00% ± 3.00 over 3 seeds, from 60.00% to 66.00%" in words
    assert "Seed 0: 60.00%, this run" in words
    links = {link.proto.label.replace("\\", ""): link.proto.query_string for link in app.get("page_link")}
    assert {"Seed 1: 66.00%", "Seed 2: 63.00% (median)"} <= set(links)
    assert runs[2] in links["Seed 2: 63.00% (median)"]
    assert "Other runs of this variant" not in headings(app)


def test_what_distillation_brings_is_shown_where_there_are_twins(board: Store, look: Look) -> None:
    """One sentence above, one figure, and the paired test of each size in words."""
    _add_pairs(board)
    app = look("leaderboard", task=TASK)
    assert "Effect of distillation" in headings(app)
    words = plainly(app)
    assert "+1.00 to +15.00 points over 2 sizes; at 1 of them better in every seed by the paired test." in words
    shown = app.table[0].value.replace({r"\\": "", "\u00a0": " "}, regex=True)
    assert shown["Model"].tolist() == ["KoBiLSTM-16", "KoBiLSTM-32"]
    assert shown["Difference, points"].tolist() == ["+15.00", "+1.00"]
    assert shown["Paired test"].tolist() == [
        "Distilled better in 2 of 2 seeds, p < 0.0001.",
        "Not significant in any seed: distilled ahead in 2 of 2 seeds, p ≥ 0.5.",
    ]
    app.text_input(key="search").set_value("no such model").run()
    assert "Effect of distillation" in headings(app)


def test_a_run_alone_says_nothing_of_seeds_and_distillation(board: Store, look: Look) -> None:
    """One seed has no siblings, and a board without twins has no such section."""
    run_id = add_run(board, accuracy=0.6)
    assert "Sibling seeds" not in headings(look("run", run=run_id))
    app = look("leaderboard", task=TASK)
    assert "Effect of distillation" not in headings(app)
    assert "Effect of distillation" not in words_of(app)


def test_the_figure_has_one_line_a_size_with_two_dots(board: Store) -> None:
    """Plain is the upper dot of its size's line, distilled the lower; both have their family's colour and interval."""
    _add_pairs(board)
    pairs = [with_tests(board, pair) for pair in find(board, TASK)]
    points = matched_pairs.points(pairs, known("accuracy"))
    colours = family_colours(("a board", family) for family in points["family"])
    plain, distilled = contrasts.matched_pairs(points, known("accuracy"), colours).data
    assert list(plain.x) == pytest.approx([60, 60])
    assert list(distilled.x) == pytest.approx([75, 61])
    assert (plain.y < distilled.y).all()
    assert (plain.marker.color, distilled.marker.color) == (colours["KoBiLSTM"], colours["DistilKoBiLSTM"])
    assert all(length > 0 for length in (*plain.error_x.array, *distilled.error_x.arrayminus))


def test_twins_of_one_plain_model_are_told_apart(board: Store) -> None:
    """Two distilled variants beside one plain one are named with their teachers."""
    _add_pairs(board)
    first, other = find(board, TASK)
    assert matched_pairs.labels([first, other]) == ["KoBiLSTM-16", "KoBiLSTM-32"]
    assert matched_pairs.labels([first, first]) == ["DistilKoBiLSTM-16 from KoBiLSTM-Large"] * 2
    assert matched_pairs.remarks([first]) == ["Teacher: KoBiLSTM-Large."]


def test_what_differs_at_every_size_is_said_once(board: Store) -> None:
    """The same remark is not repeated for each pair; one that holds for a pair alone names it."""
    _add_pairs(board)
    first, other = find(board, TASK)
    both = [replace(pair, differs=("train.epochs",)) for pair in (first, other)]
    assert matched_pairs.remarks(both)[-1] == "At every size: the two recipes also differ in train.epochs."
    assert matched_pairs.remarks([first, both[1]])[-1] == "KoBiLSTM-32: the two recipes also differ in train.epochs."


def test_a_point_of_the_tradeoff_says_over_how_many_seeds(board: Store) -> None:
    """The hover text of a mean is a mean."""
    add_runs(board, 0.60, 0.66, 0.63)
    whole = board_of(board, TASK, every_run=False)
    figure = overview_chart.tradeoff(overview_chart.marks(whole, np.array([0])), known("accuracy"), {}, ink="black")
    assert "63.00% ± 3.00 over 3 seeds" in figure.data[-1].text[0]
