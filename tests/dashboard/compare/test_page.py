"""The page Compare, driven without a browser: what a visitor reads, and what stands in the address."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from db.runs.examples import Example
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.storage.store import Store
from tests.dashboard.page_driver import Look, address_of, plainly, words_of
from tests.db.analysis.test_comparison import GOOD, POOR, QA, answering
from tests.factories.runs import add_run, add_runs, facts


def _three(board: Store, **more: Any) -> str:
    """The address of three runs: A worst, B best, C beside B."""
    return ",".join(add_runs(board, 0.6, 0.75, 0.74, **more))


def test_two_runs_are_told_apart_in_one_sentence(board: Store, look: Look) -> None:
    first, second = add_runs(board, 0.6, 0.75)
    app = look("compare", runs=f"{first[:8]},{second}")
    words = plainly(app)
    assert "KoBiLSTM-Tiny, seed 0 against KoBiLSTM-Tiny, seed 1" in words
    assert "**KoBiLSTM-Tiny, seed 1** is better than **KoBiLSTM-Tiny, seed 0**: +15.00 points of accuracy" in words
    assert "On 200 common examples; exact McNemar test, p < 0.0001." in words
    assert "answers 120 right and KoBiLSTM-Tiny, seed 1 150" in words
    marks = [html.proto.body for html in app.get("html")]
    assert sum(">A<" in mark or ">B<" in mark for mark in marks) == 2


def test_the_same_two_models_are_level(board: Store, look: Look) -> None:
    app = look("compare", runs=",".join(add_runs(board, 0.6, 0.6)))
    assert "are level" in plainly(app)


def test_several_runs_are_told_with_a_matrix(board: Store, look: Look) -> None:
    app = look("compare", runs=_three(board))
    words = plainly(app)
    assert "**B KoBiLSTM-Tiny, seed 1** scores highest with 75.00% accuracy" in words
    assert "not significantly above **C KoBiLSTM-Tiny, seed 2**" in words
    assert "Significantly worse: **A KoBiLSTM-Tiny, seed 0**" in words
    assert "3 pairs" in words
    matrix = app.table[0].value
    assert matrix.shape == (2, 3)
    assert not app.error, "their data are the same"


def test_the_page_speaks_korean(board: Store, look: Look) -> None:
    runs = _three(board)
    for view in ("figures", "examples", "agreement", "curves", "settings"):
        app = look("compare", runs=runs, lang="ko", view=view)
        assert "유의하지 않은" in words_of(app)


def test_an_older_link_is_rewritten_and_opens_the_examples(board: Store, look: Look) -> None:
    """The leaderboard's twins link so; each group is a click away and stays in the address."""
    first, second = add_runs(board, 0.6, 0.75)
    app = look("compare", first=first, second=second)
    assert address_of(app, "runs") == f"{first},{second}"
    assert address_of(app, "first") is None
    assert "There is no such example." in words_of(app)
    app.button_group(key="group").set_value("only_second").run()
    assert address_of(app, "group") == "only_second"
    shown = app.dataframe[0].value
    assert len(shown) == 30
    assert set(shown["Gold label"]) == {"negative", "positive"}
    assert set(shown["B"].str[0]) == {"✓"}


def test_examples_of_several_runs_are_filtered_by_who_is_right(board: Store, look: Look) -> None:
    """The address holds who must be right and wrong; pages hold fifty."""
    app = look("compare", runs=_three(board), view="examples", right="B", wrong="A")
    assert len(app.dataframe[0].value) == 30
    app.button_group(key="want-C").set_value("wrong").run()
    assert not app.exception
    assert len(app.dataframe[0].value) == 2
    assert (address_of(app, "right"), address_of(app, "wrong")) == ("B", "A,C")
    for letter in "ABC":
        app.button_group(key=f"want-{letter}").set_value("any").run()
    assert len(app.dataframe[0].value) == 50
    assert "{count} of {n} common examples ({share}).".format(count="200", n="200", share="100.0%") in words_of(app)


def test_a_page_and_an_example_of_the_address_areopened(board: Store, look: Look) -> None:
    """A page beyond the last one is the first."""
    runs, right = _three(board), sorted(f"e{i}" for i in range(120))
    app = look("compare", runs=runs, view="examples", right="A,B,C", wrong="-", page="2", example=right[60])
    assert app.dataframe[0].value["Example"].tolist() == right[50:100]
    assert f"**Example {right[60]}**" in plainly(app)
    app = look("compare", runs=runs, view="examples", right="A,B,C", wrong="-", page="99")
    assert app.dataframe[0].value["Example"].tolist() == right[:50]


def test_an_example_shows_its_text_where_it_is_at_hand(
    board: Store, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shipped corpora hold other ids than these runs, which is told; where a file fits, its text is shown."""
    runs = _three(board)
    app = look("compare", runs=runs, view="examples", right="B", wrong="A")
    assert ("{file} does not hold this example, or holds another one under its id; its text is not shown.").format(
        file="test.jsonl"
    ) in plainly(app)
    texts = {f"e{i}": Example({"document": f"**text** {i}"}, str(i % 2)) for i in range(200)}
    monkeypatch.setattr("dashboard.ui.cache._texts", lambda *_: texts)
    app = look("compare", runs=runs, view="examples", right="B", wrong="A")
    assert "\\*\\*text\\*\\* 120" in words_of(app)
    assert app.dataframe[0].value["Text"].iloc[0] == "**text** 120"


def test_without_the_texts_it_is_said_what_brings_them(board: Store, look: Look, monkeypatch) -> None:
    monkeypatch.delenv("FEATHERBOARD_DATA", raising=False)
    app = look("compare", runs=_three(board, task_id="nsmc"), view="examples", right="B", wrong="A")
    assert "FEATHERBOARD_DATA=DIR featherboard serve" in words_of(app)


def test_answers_that_are_texts_are_tested_by_f1_and_by_exact_match(board: Store, look: Look) -> None:
    runs = ",".join([answering(board, POOR, "random"), answering(board, GOOD, "pretrained")])
    app = look("compare", runs=runs)
    assert "paired bootstrap, 10,000 resamples" in plainly(app)
    assert "points of F1" in plainly(app)
    app.button_group(key="test").set_value("right").run()
    assert "points of exact match" in plainly(app)
    assert address_of(app, "test") == "right"
    app.button_group(key="view").set_value("agreement").run()
    assert not app.exception
    assert (
        "Shares of the {n} common examples. Two answers are the same where the official rules see "
        "no difference between them; right is exactly right."
    ).format(n="4") in words_of(app)


def test_agreement_tells_what_the_runs_could_do_together(board: Store, look: Look) -> None:
    app = look("compare", runs=_three(board), view="agreement")
    tiles = {metric.label: metric.value for metric in app.metric}
    assert tiles == {"All right": "60.00%", "All wrong": "25.00%", "Oracle": "75.00%", "Majority vote": "74.00%"}


def test_curves_are_drawn_over_each_other(board: Store, look: Look) -> None:
    """One figure a series with a line a run; the choice of curves, axis, smoothing and scale is in the address."""
    app = look("compare", runs=_three(board), view="curves")
    charts = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert len(charts) == 3
    assert [trace["name"] for trace in charts[0]["data"]] == ["A", "B", "C"]
    assert len({trace["line"]["dash"] for trace in charts[0]["data"]}) == 3
    app = look(
        "compare", runs=_three(board), view="curves", series="learning_rate", over="wall_time", log="true", smooth="0.5"
    )
    (chart,) = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert chart["layout"]["xaxis"]["title"]["text"] == "Seconds of training"
    assert chart["layout"]["yaxis"]["type"] == "log"
    app.multiselect(key="series").set_value([]).run()
    assert "Choose a curve." in words_of(app)


def test_settings_show_what_differs_and_all_on_demand(board: Store, look: Look) -> None:
    app = look("compare", runs=_three(board), view="settings")
    shown = app.dataframe[0].value["Setting"].tolist()
    assert "Seed" in shown
    assert "Family" not in shown
    few = len(app.dataframe[0].value)
    app.toggle(key="all").set_value(True).run()
    assert len(app.dataframe[0].value) > few
    app.text_input(key="setting").set_value("no such setting").run()
    assert "No setting fits. Clear the search, or show what is the same too." in words_of(app)


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ({"dataset": "more reviews"}, "Trained on: reviews-ko-mini (A); more reviews (B)."),
        ({"dataset_hash": "ffffffffffffffff"}, "their content differs, by its hash"),
        ({"split": "other half"}, "Scored on: "),
    ],
)
def test_other_data_are_said_to_be_in_red(board: Store, look: Look, columns: dict[str, str], line: str) -> None:
    """What exactly differs is named."""
    app = look("compare", runs=",".join([add_run(board, accuracy=0.6), add_run(board, accuracy=0.7, **columns)]))
    (error,) = app.error
    assert (
        "These runs were not trained or scored on the same data: a difference between them is not the models' alone."
    ) in error.value
    assert line in error.value.replace("\\", "")


def test_texts_from_outside_are_no_markdown(board: Store, look: Look) -> None:
    runs = [add_run(board, accuracy=0.6, name="**a** [b](c)"), add_run(board, accuracy=0.7, name="<img src=x>")]
    for view in ("figures", "examples", "agreement", "curves", "settings"):
        app = look("compare", runs=",".join(runs), view=view)
        assert "\\*\\*a\\*\\*" in app.title[0].value
        assert not any("img src" in html.proto.body for html in app.get("html"))


def test_printed_runs_are_compared_by_their_figures_alone(board: Store, look: Look) -> None:
    """Nothing can be tested without predictions, and the page says so; a measured run beside them changes nothing."""
    runs = board.query(
        "SELECT run_id FROM runs WHERE task_id = 'nsmc' AND source = 'reported' AND dataset = 'nsmc' "
        "ORDER BY run_id LIMIT 2"
    )["run_id"].tolist()
    app = look("compare", runs=",".join(runs), view="examples")
    assert (
        "Fewer than two of these runs keep their predictions, so nothing can be tested on the same "
        "examples. An interval that overlaps another says little: paired tests see smaller "
        "differences."
    ) in words_of(app)
    assert len(app.table) == 1
    assert app.button_group(key="view").options == ["Metrics", "Curves", "Settings"]
    app.button_group(key="view").set_value("curves").run()
    assert (
        "None of these runs has curves: printed figures have none, and a training writes them as it goes."
    ) in words_of(app)


def test_a_board_without_predictions_says_how_to_get_some(board: Store, look: Look) -> None:
    app = look("compare")
    assert "Fewer than two runs of this board keep their predictions." in words_of(app)


def test_twins_link_to_their_examples(board: Store, look: Look) -> None:
    runs = [answering(board, POOR, "random"), answering(board, GOOD, "pretrained")]
    app = look("leaderboard", task=QA)
    links = [link for link in app.get("page_link") if "Who answers what right" in link.proto.label]
    assert len(links) == 1
    assert all(run_id in links[0].proto.query_string for run_id in runs)


def test_six_runs_of_fifty_thousand_examples_stay_quick(board: Store, look: Look) -> None:
    """Counted in processor time of this process, so that a busy machine does not decide."""
    import time

    from db.analysis import agreement, comparison, paired_tests

    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, 50_000)
    model = ModelFacts("m", "M", "KoBiLSTM", "bilstm", {}, 10, "ko")
    runs = []
    for index in range(6):
        writer = RunWriter.start(board, model, facts(f"M{index}", model_id="m", task_id="nsmc"))
        predicted = np.where(rng.random(50_000) < 0.8 + index / 100, gold, 1 - gold)
        rows = pd.DataFrame(
            {
                "example_id": [str(i) for i in range(50_000)],
                "gold": gold.astype(str),
                "predicted": predicted.astype(str),
                "score": rng.random(50_000),
            }
        )
        writer.finish([MetricValue("accuracy", 0.8, 50_000)], train_seconds=1.0, predictions=rows)
        runs.append(writer.run_id)
    begun = time.process_time()
    compared = comparison.compare(board, runs)
    verdict = paired_tests.verdict(compared.common, "right")
    agreement.agreement(compared.common, None)
    assert time.process_time() - begun < 4
    assert verdict.n == 50_000
    assert verdict.best == 5
