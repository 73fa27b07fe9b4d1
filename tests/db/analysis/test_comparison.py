"""Runs on the same examples, below the page: who is right, what the tests say, bundles that withhold texts."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from db.analysis import agreement, comparison, paired_answers, paired_tests
from db.analysis.comparison import ComparisonError
from db.analysis.findings.matched_pairs import PRETRAINING, find, with_tests
from db.base.errors import NotFoundError
from db.bootstrap import create
from db.runs import bundles
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.statistics import correlation, qa_scoring
from db.statistics.qa_scoring import KORQUAD
from db.storage.store import Store
from tests.factories.runs import add_run, add_runs, facts

QA = "qa-ko-mini"
GOLDS = (["서울", "서울시"], ["1988년"], ["한강"], ["바다"])
GOOD, POOR = ("《서울》", "1988년", "한강", ""), ("부산", "1988년", "강", "바다")


def answering(store: Store, answers: tuple[str, ...], init: str, **columns: Any) -> str:
    """A finished run of question answering."""
    model = ModelFacts(f"bert-{init}", f"Bert {init}", "Bert", "span", {"init": init}, 1000, "ko")
    recipe = {
        "task_id": QA,
        "model_id": model.model_id,
        "recipe_hash": init,
        "recipe_json": f'{{"model": {{"init": "{init}"}}}}',
        **columns,
    }
    writer = RunWriter.start(store, model, facts(model.name, **recipe))
    rows = pd.DataFrame(
        {
            "example_id": [f"q{i}" for i in range(4)],
            "gold": [qa_scoring.pack(answer) for answer in GOLDS],
            "predicted": list(answers),
            "score": 0.5,
        }
    )
    overlap = [qa_scoring.best(KORQUAD, answer, gold)[1] for answer, gold in zip(answers, GOLDS, strict=True)]
    writer.finish([MetricValue("f1", sum(overlap) / 4, 4)], train_seconds=1.0, predictions=rows)
    return writer.run_id


def labelling(store: Store, answers: str, gold: str, **columns: Any) -> str:
    """A finished run that gives one digit an example; a blank is no answer."""
    model = ModelFacts("m", "M", "KoBiLSTM", "bilstm", {}, 10, "ko")
    writer = RunWriter.start(store, model, facts(f"M {answers}", model_id="m", **columns))
    rows = pd.DataFrame(
        {
            "example_id": [f"e{i}" for i in range(len(gold))],
            "gold": list(gold),
            "predicted": [None if label == " " else label for label in answers],
            "score": None,
        }
    )
    writer.finish([MetricValue("accuracy", 0.5, len(gold))], train_seconds=1.0, predictions=rows)
    return writer.run_id


def test_answers_are_right_by_the_official_rules(board: Store) -> None:
    """Quotation marks do not count, any gold answer does, and nothing is no answer."""
    compared = comparison.compare(board, [answering(board, GOOD, "pretrained"), answering(board, POOR, "random")])
    assert compared.common.ids.tolist() == ["q0", "q1", "q2", "q3"]
    assert compared.common.right.tolist() == [[True, False], [True, True], [True, False], [False, True]]
    assert compared.chosen.texts == "ko"


def test_f1_of_each_answer_is_that_of_its_official_rules(board: Store) -> None:
    """What the run's own F1 is the mean of."""
    runs = [answering(board, answers, init) for answers, init in ((GOOD, "pretrained"), (POOR, "random"))]
    compared = comparison.compare(board, runs).common
    assert compared.overlap is not None
    for run, answers in enumerate((GOOD, POOR)):
        expected = [qa_scoring.best(KORQUAD, answer, gold)[1] for answer, gold in zip(answers, GOLDS, strict=True)]
        assert compared.overlap[:, run].tolist() == expected
    assert paired_tests.measures(compared) == ("overlap", "right")
    verdict = paired_tests.verdict(compared, "overlap")
    assert verdict.scores == pytest.approx(tuple(compared.overlap.mean(axis=0)))
    assert verdict.pairs[0].difference == pytest.approx(verdict.scores[1] - verdict.scores[0])


def test_groups_hold_every_example_once(board: Store) -> None:
    compared = comparison.compare(
        board, [add_run(board, accuracy=0.6), add_run(board, accuracy=0.75, dataset_hash="other")]
    )
    groups = [compared.count([0], [1]), compared.count([1], [0]), compared.count([], [0, 1]), compared.count([0, 1])]
    assert groups == [0, 30, 50, 120]
    assert set(comparison.other_data(compared.chosen)) == {"content"}


def test_a_missing_answer_is_a_wrong_one_and_only_common_examples_count(board: Store) -> None:
    runs = [labelling(board, "0 10", "0010"), labelling(board, "01101", "00101")]
    compared = comparison.compare(board, runs).common
    assert compared.ids.tolist() == ["e0", "e1", "e2", "e3"]
    assert compared.right.tolist() == [[True, True], [False, False], [True, True], [True, True]]


def test_another_gold_answer_is_another_example(board: Store) -> None:
    compared = comparison.compare(board, [labelling(board, "0011", "0011"), labelling(board, "0011", "0010")]).common
    assert compared.ids.tolist() == ["e0", "e1", "e2"]


def test_the_order_is_that_of_the_request_and_beginnings_of_ids_do(board: Store) -> None:
    runs = [labelling(board, labels, "0011") for labels in ("0000", "0011", "0010")]
    chosen = comparison.choose(board, [runs[2][:8], runs[0], runs[2], "nobody-there", runs[1]])
    assert chosen.ids() == (runs[2], runs[0], runs[1])
    assert chosen.unknown == ("nobody-there",)
    assert chosen.runs["score"].tolist() == [0.5, 0.5, 0.5]


def test_what_cannot_be_compared_is_told_in_words(board: Store) -> None:
    """Too few, too many, another task, an unknown one, none with predictions."""
    runs = [labelling(board, "0011", "0011") for _ in range(7)]
    with pytest.raises(ComparisonError, match="7 were named"):
        comparison.compare(board, runs)
    with pytest.raises(ComparisonError, match="1 were named"):
        comparison.compare(board, runs[:1])
    with pytest.raises(ComparisonError, match="different tasks"):
        comparison.compare(board, [runs[0], answering(board, GOOD, "random")])
    with pytest.raises(NotFoundError, match="'nobody-there'"):
        comparison.compare(board, [runs[0], "nobody-there"])
    reported = board.query("SELECT run_id FROM runs WHERE task_id = 'nsmc' AND source = 'reported' LIMIT 2")["run_id"]
    with pytest.raises(NotFoundError, match="no scored example"):
        comparison.compare(board, reported.tolist())


def test_a_run_without_predictions_stands_aside(board: Store) -> None:
    """Its figures are there, and the others are tested without it."""
    runs = add_runs(board, 0.6, 0.7, 0.8, seed=0)
    with board.transaction() as con:
        con.execute("DELETE FROM predictions WHERE run_id = ?", [runs[1]])
    compared = comparison.compare(board, runs)
    assert compared.places == (0, 2)
    assert compared.common.right.shape == (200, 2)
    assert len(compared.chosen) == 3


def test_several_runs_are_parted_into_those_like_the_best_and_those_that_are_worse(board: Store) -> None:
    runs = add_runs(board, 0.6, 0.75, 0.74, 0.5, seed=0)
    verdict = paired_tests.verdict(comparison.compare(board, runs).common, "right")
    assert (verdict.best, verdict.even, verdict.worse) == (1, (2,), (0, 3))
    assert verdict.n == 200
    assert len(verdict.pairs) == 6
    assert verdict.pair(2, 1) == verdict.pair(1, 2)
    assert all(pair.corrected >= pair.p for pair in verdict.pairs)
    assert all(pair.low <= pair.difference <= pair.high for pair in verdict.pairs)


def test_equal_runs_have_a_best_and_nobody_is_worse(board: Store) -> None:
    verdict = paired_tests.verdict(comparison.compare(board, add_runs(board, 0.6, 0.6, 0.6, seed=0)).common, "right")
    assert (verdict.best, verdict.even, verdict.worse) == (0, (1, 2), ())
    assert {pair.corrected for pair in verdict.pairs} == {1.0}


def test_agreement_oracle_and_majority(board: Store) -> None:
    """Counted by hand: gold 001122; ties count for their part, a missing answer has no vote."""
    runs = [labelling(board, labels, "001122") for labels in ("001100", "011210", "0102  ")]
    compared = comparison.compare(board, runs)
    agreed = agreement.agreement(compared.common, None)
    assert agreed.all_right == pytest.approx(1 / 6)
    assert agreed.all_wrong == pytest.approx(2 / 6)
    assert agreed.oracle == pytest.approx(4 / 6)
    # Right, wrong, right, wrong (2 against 1), wrong, wrong.
    assert agreed.majority == pytest.approx(2 / 6)
    first = agreed.pairs[0]
    assert (first.first, first.second) == (0, 1)
    assert first.same == pytest.approx(3 / 6)
    assert first.both_right == pytest.approx(2 / 6)
    assert first.kappa is not None
    assert agreement.agreement(comparison.compare(board, runs[:2]).common, None).majority is None


def test_a_tie_of_the_majority_counts_for_its_part(board: Store) -> None:
    runs = [labelling(board, labels, "0") for labels in ("0", "1", "2")]
    assert agreement.agreement(comparison.compare(board, runs).common, None).majority == pytest.approx(1 / 3)


def test_answers_agree_where_the_rules_see_no_difference(board: Store) -> None:
    runs = [
        answering(board, ("서울", "1988년", "", "산"), "a"),
        answering(board, ("《서울》", "1989년", "", "산."), "b"),
    ]
    agreed = agreement.agreement(comparison.compare(board, runs).common, "ko")
    assert agreed.pairs[0].same == pytest.approx(2 / 4)
    assert agreed.pairs[0].kappa is None


def test_runs_that_can_be_chosen_are_found_by_words_of_their_names(board: Store) -> None:
    """Those that keep predictions first; the number without the limit is told."""
    run_id = add_run(board, accuracy=0.6, name="Tiny One", dataset="own reviews")
    rows, total = comparison.comparable(board, "reviews-ko-mini", "REVIEWS tiny")
    assert (rows["run_id"].tolist(), total) == ([run_id], 1)
    rows, total = comparison.comparable(board, "nsmc", limit=5)
    assert (len(rows), rows["answered"].any()) == (5, False)
    assert total == int((board.query("SELECT task_id FROM runs")["task_id"] == "nsmc").sum())
    assert comparison.comparable(board, "nothing")[1] == 0


def test_a_bundle_keeps_who_is_right_and_no_text(board: Store, tmp_path: Path) -> None:
    """The same test on a board that got the runs without their texts; labels stay as they are."""
    runs = [answering(board, POOR, "random"), answering(board, GOOD, "pretrained")]
    labelled = add_run(board, accuracy=0.6)
    bundles.export_runs(board, tmp_path / "runs.zip", [*runs, labelled], withhold=True)
    other = Store(tmp_path / "other.duckdb")
    create.initialise(other)
    bundles.import_runs(other, tmp_path / "runs.zip")
    saved = other.query("SELECT gold, predicted FROM predictions WHERE run_id IN (?, ?)", runs)
    text = " ".join([*saved["gold"], *saved["predicted"]])
    assert not any(word in text for word in ("서울", "1988", "한강", "바다", "부산"))
    original, withheld = (comparison.compare(store, runs).common for store in (board, other))
    assert np.array_equal(original.right, withheld.right)
    assert withheld.withheld
    assert paired_tests.measures(withheld) == ("overlap", "right")
    assert np.allclose(original.overlap, withheld.overlap)
    by_f1 = with_tests(board, find(board, QA, PRETRAINING)[0]).pairs[0].p
    assert find(other, QA, PRETRAINING) == [], "findings are of runs that were made here or came with the package"
    assert by_f1 == pytest.approx(paired_tests.verdict(original, "overlap").pairs[0].p)
    assert by_f1 == pytest.approx(paired_tests.verdict(withheld, "overlap").pairs[0].p)
    labels = other.query("SELECT DISTINCT predicted FROM predictions WHERE run_id = ? ORDER BY ALL", [labelled])
    assert labels["predicted"].tolist() == ["0", "1"]


def test_a_run_with_texts_is_compared_with_one_without(board: Store, tmp_path: Path) -> None:
    """Its answers are turned into stand-ins, so a shipped run and one's own have examples in common."""
    shipped = answering(board, GOOD, "pretrained")
    bundles.export_runs(board, tmp_path / "runs.zip", [shipped], withhold=True)
    other = Store(tmp_path / "other.duckdb")
    create.initialise(other)
    bundles.import_runs(other, tmp_path / "runs.zip")
    compared = comparison.compare(other, [shipped, answering(other, POOR, "random")]).common
    assert compared.right.tolist() == [[True, False], [True, True], [True, False], [False, True]]
    assert compared.overlap is not None
    assert (compared.overlap[compared.right] == 1).all()


@pytest.mark.parametrize("answer", ["", "withheld-", "withheld-xyz", "withheld-012345678"])
def test_what_is_no_stand_in_is_an_answer(answer: str) -> None:
    assert not qa_scoring.is_withheld(answer)
    assert qa_scoring.is_withheld(qa_scoring.withheld(qa_scoring.SQUAD, answer)) == bool(answer)


@pytest.mark.parametrize("metric", ["pearson", "spearman"])
def test_answers_that_are_numbers_are_tested_by_their_correlation(metric: str) -> None:
    """Nobody hits a number exactly; what is no number says nothing, and costs its run."""
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    close, far = gold + rng.normal(0, 0.3, 200), gold + rng.normal(0, 1.5, 200)
    rows = pd.DataFrame({"example_id": [f"{i}" for i in range(200)]})
    for index, answers in enumerate((close, far, np.where(np.arange(200) < 100, np.nan, close))):
        rows[f"gold_{index}"] = [correlation.as_text(number) for number in gold]
        rows[f"answer_{index}"] = [None if np.isnan(number) else correlation.as_text(number) for number in answers]
        rows[f"confidence_{index}"] = rows[f"f1_{index}"] = np.nan
    common = paired_answers.score(rows, None, metric)
    assert (len(common), common.right.any()) == (200, False)
    assert paired_tests.measures(common) == (metric,)
    verdict = paired_tests.verdict(common, paired_tests.measures(common)[0])
    assert verdict.scores[0] == pytest.approx(correlation.score(metric, gold, close)[0])
    assert (verdict.best, set(verdict.worse), verdict.even) == (0, {1, 2}, ())
    pair = verdict.pair(0, 1)
    assert pair.difference == pytest.approx(verdict.scores[1] - verdict.scores[0])
    assert pair.low < pair.difference < pair.high < 0
