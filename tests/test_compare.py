"""Two runs example by example, on the page and below it, and bundles that withhold the texts of answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard import comparison, text
from db import answers, exchange, setup
from db.compare import GROUPS, comparable, compare
from db.runs import MetricValue, ModelFacts, RunWriter
from db.store import Store
from db.twins import PRETRAINING, find, with_tests
from tests.boards import add_run, facts
from tests.test_dashboard import _open, _words

Look = Callable[..., AppTest]
QA = "qa-ko-mini"
GOLDS = (["서울", "서울시"], ["1988년"], ["한강"], ["바다"])
GOOD, POOR = ("《서울》", "1988년", "한강", ""), ("부산", "1988년", "강", "바다")


@pytest.fixture
def look(board: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Opens a page on the board."""
    return lambda page, **query: _open(page, board, monkeypatch, **query)


def _answering(store: Store, said: tuple[str, ...], init: str, **columns: Any) -> str:
    """A finished run of question answering."""
    model = ModelFacts(f"bert-{init}", f"Bert {init}", "Bert", "span", {"init": init}, 1000, "ko")
    told = {"task_id": QA, "model_id": model.model_id, "recipe_hash": init,
            "recipe_json": f'{{"model": {{"init": "{init}"}}}}', **columns}  # fmt: skip
    writer = RunWriter.start(store, model, facts(model.name, **told))
    rows = pd.DataFrame({"example_id": [f"q{i}" for i in range(4)], "gold": [answers.pack(one) for one in GOLDS],
                         "predicted": list(said), "score": 0.5})  # fmt: skip
    overlap = [answers.best(answers.KORQUAD, one, gold)[1] for one, gold in zip(said, GOLDS, strict=True)]
    writer.finish([MetricValue("f1", sum(overlap) / 4, 4)], train_seconds=1.0, predictions=rows)
    return writer.run_id


def test_answers_are_right_by_the_official_rules(board: Store) -> None:
    """Quotation marks do not count, any gold answer does, and nothing is no answer."""
    found = compare(board, _answering(board, GOOD, "pretrained"), _answering(board, POOR, "random"))
    assert found.examples.set_index("example_id")["group"].to_dict() == {
        "q0": "only_first", "q1": "both", "q2": "only_first", "q3": "only_second",
    }  # fmt: skip
    assert found.texts
    assert found.p == 1.0


def test_groups_hold_every_example_once(board: Store) -> None:
    found = compare(board, add_run(board, accuracy=0.6), add_run(board, accuracy=0.75, dataset_hash="other"))
    assert [found.count(group) for group in GROUPS] == [0, 30, 50, 120]
    assert not found.same_data


def test_only_runs_with_predictions_can_be_compared(board: Store) -> None:
    before = set(comparable(board)["run_id"])
    run_id = add_run(board, accuracy=0.6)
    assert set(comparable(board)["run_id"]) - before == {run_id}


def test_a_bundle_keeps_who_is_right_and_no_text(board: Store, tmp_path: Path) -> None:
    """The same groups, and the same test, on a board that got the runs without their texts; labels stay as they are."""
    runs = [_answering(board, POOR, "random"), _answering(board, GOOD, "pretrained")]
    labelled = add_run(board, accuracy=0.6)
    exchange.export_runs(board, tmp_path / "runs.zip", [*runs, labelled], withhold=True)
    other = Store(tmp_path / "other.duckdb")
    setup.initialise(other)
    exchange.import_runs(other, tmp_path / "runs.zip")
    kept = other.query("SELECT gold, predicted FROM predictions WHERE run_id IN (?, ?)", runs)
    told = " ".join([*kept["gold"], *kept["predicted"]])
    assert not any(word in told for word in ("서울", "1988", "한강", "바다", "부산"))
    here, there = compare(board, *runs), compare(other, *runs)
    assert here.examples["group"].tolist() == there.examples["group"].tolist()
    assert comparison.table(there, "only_second", ())["Gold"].tolist() == ["–", "–"]
    assert comparison.table(here, "only_second", ())["Gold"].tolist() == ["서울 / 서울시", "한강"]
    (twins,) = find(other, QA, PRETRAINING)
    assert with_tests(other, twins).pairs[0].p == 1.0
    verified = other.query("SELECT run_id FROM runs WHERE verified AND run_id IN (?, ?, ?)", [*runs, labelled])
    assert verified["run_id"].tolist() == [labelled]


@pytest.mark.parametrize("answer", ["", "withheld-", "withheld-xyz", "withheld-012345678"])
def test_what_is_no_stand_in_is_an_answer(answer: str) -> None:
    assert not answers.is_withheld(answer)
    assert answers.is_withheld(answers.withheld(answers.SQUAD, answer)) == bool(answer)


def test_the_page_says_who_is_better_and_opens_each_group(board: Store, look: Look) -> None:
    first, second = add_run(board, accuracy=0.6, seed=0), add_run(board, accuracy=0.75, seed=1)
    app = look("compare", first=first, second=second)
    assert not app.exception
    words = _words(app).replace("\\", "")
    assert "KoBiLSTM-Tiny, seed 0 against KoBiLSTM-Tiny, seed 1" in words
    assert "Of 200 common examples" in words
    assert "seed 1 is better (p < 0.0001, exact McNemar test)." in words
    assert "no such example" in words
    app.button_group(key="group").set_value("only_second").run()
    shown = app.dataframe[0].value
    assert len(shown) == 30
    assert set(shown["Gold"]) == {"negative", "positive"}


def test_runs_on_other_data_are_said_to_be_in_red(board: Store, look: Look) -> None:
    app = look("compare", first=add_run(board, accuracy=0.6), second=add_run(board, accuracy=0.7, dataset_hash="x"))
    assert [error.value for error in app.error] == [text.COMPARE_OTHER_DATA]


def test_texts_from_outside_are_no_markdown(board: Store, look: Look) -> None:
    app = look("compare", first=add_run(board, accuracy=0.6, name="**a** [b](c)"), second=add_run(board, accuracy=0.7))
    assert "\\*\\*a\\*\\*" in app.title[0].value


def test_without_runs_the_page_lets_choose_two(board: Store, look: Look) -> None:
    """First the board, then two of its runs; never one against itself."""
    runs = {add_run(board, accuracy=score, seed=seed) for seed, score in enumerate((0.6, 0.7))}
    app = look("compare")
    assert not app.exception
    app.selectbox(key="compare_board").set_value("reviews-ko-mini").run()
    first, second = app.selectbox(key="first-reviews-ko-mini"), app.selectbox(key="second-reviews-ko-mini")
    assert {first.value, second.value} == runs
    app.button[0].click().run()
    assert "against" in app.title[0].value


def test_an_unknown_run_is_told(board: Store, look: Look) -> None:
    app = look("compare", first="nobody-at-all", second=add_run(board, accuracy=0.6))
    assert not app.exception
    assert text.UNKNOWN_RUN_HOW in _words(app)


def test_a_board_without_predictions_says_how_to_get_some(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    setup.initialise(store)
    with store.transaction() as con:
        con.execute("DELETE FROM predictions")
    app = _open("compare", store, monkeypatch)
    assert not app.exception
    assert text.COMPARE_FEW in _words(app)


def test_twins_link_to_their_examples(board: Store, look: Look) -> None:
    runs = [_answering(board, POOR, "random"), _answering(board, GOOD, "pretrained")]
    app = look("leaderboard", task=QA)
    assert not app.exception
    links = [link for link in app.get("page_link") if text.TWINS_EXAMPLES in link.proto.label]
    assert len(links) == 1
    assert all(run_id in links[0].proto.query_string for run_id in runs)
