"""Re-scoring a run from its per-example predictions."""

from typing import Any

import pandas as pd
import pytest

from db.runs.rescoring import TOLERANCE, agrees, rescore
from db.runs.writer import MetricValue, metrics_change
from db.statistics.qa_scoring import pack
from db.storage.changes import Change
from db.storage.store import Store
from tests.factories.rows import change, model_row, run_row, value_of, with_tasks

TASK, SIZE, RIGHT = "reviews-ko-mini", 200, 150
RUN = "run-00000001"


def _predictions(count: int = SIZE, right: int = RIGHT) -> pd.DataFrame:
    number = pd.Series(range(count))
    return pd.DataFrame(
        {
            "run_id": RUN,
            "example_id": number.astype(str),
            "gold": "1",
            "predicted": (number < right).astype(int).astype(str),
        }
    )


def _write(store: Store, predictions: pd.DataFrame, accuracy: float = RIGHT / SIZE, **columns: Any) -> None:
    with_tasks(store)
    store.write(
        [
            change("models", model_row()),
            change("runs", run_row(RUN, **{"task_id": TASK, **columns})),
            metrics_change(RUN, [MetricValue("accuracy", accuracy, SIZE)]),
            Change("predictions", predictions, "replace"),
        ]
    )


def _verdict(store: Store) -> bool:
    with store.transaction() as con:
        rescore(con, [RUN])
    return bool(value_of(store, "SELECT verified FROM runs"))


def test_run_whose_predictions_give_its_accuracy_is_verified(store: Store) -> None:
    """All examples once and the right share: verified, in memory as in the store."""
    _write(store, _predictions())
    assert _verdict(store)
    assert agrees(_predictions(), RIGHT / SIZE, SIZE)


@pytest.mark.parametrize(("off", "verdict"), [(0.9, True), (-0.9, True), (1.1, False), (-1.1, False)])
def test_accuracy_must_agree_to_the_tolerance(store: Store, off: float, verdict: bool) -> None:
    """An accuracy that is rounded to the last printed digit passes, one that is off by more does not."""
    _write(store, _predictions(), RIGHT / SIZE + off * TOLERANCE)
    assert _verdict(store) is verdict


def _without_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Wrong answers withdrawn: the share among those given is 1."""
    return rows.assign(predicted=rows["predicted"].where(rows["predicted"] == "1"))


@pytest.mark.parametrize(
    ("rows", "accuracy"),
    [
        (_predictions(SIZE - 1), RIGHT / (SIZE - 1)),
        (_predictions(SIZE + 1), RIGHT / (SIZE + 1)),
        (pd.concat([_predictions(SIZE - 1), _predictions(1)]), RIGHT / SIZE),
        (_predictions(0), 0.0),
        (_without_answers(_predictions()), 1.0),
    ],
    ids=["one missing", "one too many", "one twice", "none", "unanswered ones left out"],
)
def test_incomplete_predictions_are_not_verified(store: Store, rows: pd.DataFrame, accuracy: float) -> None:
    """A run that does not predict every example exactly once is not verified, whatever its share."""
    _write(store, rows, accuracy)
    assert not _verdict(store)


def test_unanswered_example_counts_as_wrong(store: Store) -> None:
    """A run that leaves examples unanswered is verified with the share among all examples."""
    _write(store, _without_answers(_predictions()), RIGHT / SIZE)
    assert _verdict(store)


def test_failed_verification_takes_the_badge_away(store: Store) -> None:
    """A run that was verified and whose figure no longer agrees loses the badge."""
    _write(store, _predictions(), accuracy=0.99, verified=True)
    assert not _verdict(store)


def test_task_without_a_split_size_cannot_be_verified(store: Store) -> None:
    """Where the number of examples is not known, nothing is verified."""
    _write(store, _predictions(), task_id="glue")
    assert not _verdict(store)


def test_only_the_named_runs_are_scored_again(store: Store) -> None:
    """A run that is not named keeps its badge as it is."""
    _write(store, _predictions())
    with store.transaction() as con:
        rescore(con, ["nobody"])
    assert not value_of(store, "SELECT verified FROM runs")


QUESTIONS = 80
"""Questions of the test split of the mini corpora of question answering."""


def _answers(predicted: list[str | None], golds: list[list[str]] | None = None) -> pd.DataFrame:
    gold = [pack(answer) for answer in golds or [["the red box"]] * len(predicted)]
    return pd.DataFrame(
        {
            "run_id": RUN,
            "example_id": [f"q{i}" for i in range(len(predicted))],
            "gold": gold,
            "predicted": pd.Series(predicted, dtype=object),
        }
    )


# "Red box." equals the gold answer; "red" has precision 1 and recall 1/2 without the article; the rest is wrong.
_PREDICTED: list[str | None] = ["Red box."] * 40 + ["red"] * 20 + ["blue"] * 10 + [""] * 5 + [None] * 5
_F1 = (40 + 20 * 2 / 3) / QUESTIONS


def _write_answers(store: Store, rows: pd.DataFrame, f1: float, task: str = "qa-en-mini", **columns: Any) -> None:
    with_tasks(store)
    store.write(
        [
            change("models", model_row()),
            change("runs", run_row(RUN, **{"task_id": task, **columns})),
            metrics_change(RUN, [MetricValue("f1", f1, QUESTIONS), MetricValue("em", 0.5, QUESTIONS)]),
            Change("predictions", rows, "replace"),
        ]
    )


@pytest.mark.parametrize(("off", "verdict"), [(0, True), (0.9, True), (-0.9, True), (1.1, False), (-1.1, False)])
def test_answers_are_scored_by_the_official_rules(store: Store, off: float, verdict: bool) -> None:
    """The mean F1 over all questions, an unanswered one counting nothing, must agree to the tolerance."""
    claim = _F1 + off * TOLERANCE
    _write_answers(store, _answers(_PREDICTED), claim, verified=not verdict)
    assert _verdict(store) is verdict
    assert agrees(_answers(_PREDICTED), claim, QUESTIONS, metric="f1") is verdict


def test_the_best_of_several_gold_answers_counts(store: Store) -> None:
    """Whatever its place in the list."""
    golds = [["blue", "a cup", "the red box"]] * QUESTIONS
    _write_answers(store, _answers(["Red box."] * 60 + ["cup"] * 10 + ["x"] * 10, golds), 70 / 80)
    assert _verdict(store)


def test_each_language_has_its_own_rules(store: Store) -> None:
    """Characters of Korean answers are compared, words of English ones: the same predictions, another figure."""
    rows = _answers(["서울특별시"] * QUESTIONS, [["서울"]] * QUESTIONS)
    korean = 2 * (2 / 5) / (2 / 5 + 1)
    _write_answers(store, rows, korean, "qa-ko-mini")
    assert _verdict(store)
    assert agrees(rows, korean, QUESTIONS, metric="f1", language="ko")
    assert agrees(rows, 0.0, QUESTIONS, metric="f1", language="en")
    assert not agrees(rows, korean, QUESTIONS, metric="f1", language="en")
    assert not agrees(rows, korean, QUESTIONS, metric="f1", language="fr")


@pytest.mark.parametrize(
    "gold",
    ["red box", "1", "null", "[]", "{}", "[1]", '["red box"', "", "[" * 100_000, None],
    ids=["text", "number", "null", "none", "object", "numbers", "cut off", "empty", "deep", "missing"],
)
def test_gold_answers_that_are_none_are_not_verified(store: Store, gold: str | None) -> None:
    """A bundle may hold anything: one gold that is no list of answers, and nothing is verified, nor breaks."""
    rows = _answers(["red box"] * QUESTIONS, [["red box"]] * QUESTIONS)
    rows["gold"] = rows["gold"].astype(object)
    rows.loc[3, "gold"] = gold
    assert not agrees(rows, 1.0, QUESTIONS, metric="f1")
    if gold is not None:  # the store takes none without a gold
        _write_answers(store, rows, 1.0, verified=True)
        assert not _verdict(store)


def test_all_questions_must_be_there_once(store: Store) -> None:
    """One missing, one too many or one twice is not the split, though the figure is right."""
    right = _answers(["red box"] * (QUESTIONS + 1))
    twice = pd.concat([right[: QUESTIONS - 1], right[:1]])
    for rows in (right[: QUESTIONS - 1], right, twice):
        assert not agrees(rows, 1.0, QUESTIONS, metric="f1")
    assert agrees(right[:QUESTIONS], 1.0, QUESTIONS, metric="f1")
    _write_answers(store, right[: QUESTIONS - 1], 1.0)
    assert not _verdict(store)


def test_a_figure_that_nobody_scores_again_is_not_verified() -> None:
    """Neither exact match nor the deck's rule: only what a task is ranked by."""
    rows = _answers(["red box"] * QUESTIONS)
    for metric in ("em", "f1_seed", "span_accuracy", "nothing"):
        assert not agrees(rows, 1.0, QUESTIONS, metric=metric)
