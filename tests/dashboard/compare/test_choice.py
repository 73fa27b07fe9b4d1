"""Runs that are compared: chosen on the page or named in the address, unknown, too many, or of different tasks."""

import pytest

from db.storage.store import Store
from tests.dashboard.page_driver import Look, address_of, plainly, words_of
from tests.db.analysis.test_comparison import GOOD, POOR, QA, answering
from tests.factories.runs import add_run, add_runs, in_one_write


def test_without_runs_the_page_lets_choose(board: Store, look: Look) -> None:
    """First the board, then its runs, in the order of the choice; the address names them."""
    runs = add_runs(board, 0.6, 0.7, 0.65)
    app = look("compare")
    app.selectbox(key="board").set_value("reviews-ko-mini").run()
    assert address_of(app, "board") == "reviews-ko-mini"
    app.multiselect(key="compare_runs 1").set_value([runs[2]]).run()
    assert "One more run makes a comparison." in words_of(app)
    app.multiselect(key="compare_runs 1").set_value([runs[2], runs[0]]).run()
    assert not app.exception
    assert address_of(app, "runs") == f"{runs[2][:12]},{runs[0][:12]}"
    assert "seed 2 against KoBiLSTM-Tiny, seed 0" in app.title[0].value.replace("\\", "")
    app.multiselect(key="compare_runs 1").set_value([runs[0], runs[1], runs[2]]).run()
    assert app.title[0].value == f"{3} runs side by side"


def test_the_best_runs_are_one_click_away(board: Store, look: Look) -> None:
    for score in (0.6, 0.7, 0.65, 0.5):
        add_run(board, accuracy=score)
    app = look("compare", board="reviews-ko-mini")
    app.button[0].click().run()
    assert not app.exception
    assert app.title[0].value == f"{3} runs side by side"


def test_unknown_and_too_many_runs_are_told(board: Store, look: Look) -> None:
    """What is left is compared where it is enough; otherwise the page lets choose."""
    known = add_run(board, accuracy=0.6)
    app = look("compare", runs=f"nobody-at-all,{known}")
    assert "nobody-at-all" in plainly(app)
    assert app.title[0].value == "Choose two to six models or runs."
    with in_one_write(board) as store:
        six = [add_run(store, accuracy=0.7, name=f"M{i}") for i in range(6)]
    seven = ",".join([known, *six, "nobody-at-all"])
    app = look("compare", runs=seven)
    warnings = " ".join(warning.value for warning in app.warning)
    assert "Left out: M5" in warnings
    assert "nobody" in warnings
    assert app.title[0].value == f"{6} runs side by side"


@pytest.mark.parametrize("runs", [",,,", "'; DROP TABLE runs; --", "a" * 5000, ",".join(map(str, range(5000)))])
def test_any_address_is_answered(look: Look, runs: str) -> None:
    app = look("compare", runs=runs, view="nothing", group="?", page="-3", series="x,y", over="z", test="t")
    assert app.title[0].value == "Choose two to six models or runs."


def test_runs_of_different_tasks_are_not_compared(board: Store, look: Look) -> None:
    """It is said which belongs where, and the runs of one task are a click away."""
    runs = [add_run(board, accuracy=0.6), answering(board, GOOD, "a"), answering(board, POOR, "b")]
    app = look("compare", runs=",".join(runs))
    assert "different tasks" in app.error[0].value
    app.button(key=f"keep-{QA}").click().run()
    assert not app.exception
    assert address_of(app, "runs") == ",".join(run_id[:12] for run_id in runs[1:])
    assert "against" in app.title[0].value
