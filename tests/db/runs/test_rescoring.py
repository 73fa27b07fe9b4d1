"""Re-scoring a run from its per-example predictions."""

from typing import Any

import pandas as pd
import pytest

from db.registry import tasks
from db.registry.tasks import Task
from db.runs import gold_labels
from db.runs.rescoring import TOLERANCE, agrees, rescore, scores
from db.runs.writer import MetricValue, metrics_change
from db.statistics.qa_scoring import RULES, pack, unpack, withheld
from db.storage.changes import Change
from db.storage.store import Store
from tests.factories.rows import change, model_row, run_row, value_of, with_tasks

TASK, SIZE, RIGHT = "reviews-ko-mini", 200, 150
RUN = "run-00000001"


def _golds(task_id: str) -> pd.Series:
    """Gold labels of a mini corpus by example id."""
    task = tasks.by_id(task_id)
    file = gold_labels.file_of(task)
    assert file is not None
    return pd.Series(gold_labels.of_file(task, file))


def _predictions(count: int = SIZE, right: int = RIGHT) -> pd.DataFrame:
    """The first ``right`` are right; beyond the split its last example comes again under another id."""
    golds = _golds(TASK)
    ids = [*golds.index, *(f"extra-{n}" for n in range(count - SIZE))][:count]
    gold = pd.Series([golds.get(name, "1") for name in ids])
    predicted = gold.where(pd.Series(range(count)) < right, 1 - gold.astype(int)).astype(str)
    return pd.DataFrame({"run_id": RUN, "example_id": ids, "gold": gold, "predicted": predicted})


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
    assert agrees(tasks.by_id(TASK), _predictions(), {"accuracy": RIGHT / SIZE})


@pytest.mark.parametrize(("off", "verdict"), [(0.9, True), (-0.9, True), (1.1, False), (-1.1, False)])
def test_accuracy_must_agree_to_the_tolerance(store: Store, off: float, verdict: bool) -> None:
    """An accuracy that is rounded to the last printed digit passes, one that is off by more does not."""
    _write(store, _predictions(), RIGHT / SIZE + off * TOLERANCE)
    assert _verdict(store) is verdict


def _without_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Wrong answers withdrawn: the share among those given is 1."""
    return rows.assign(predicted=rows["predicted"].where(rows["predicted"] == rows["gold"]))


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


ENGLISH, KOREAN = tasks.by_id("qa-en-mini"), tasks.by_id("qa-ko-mini")


def _answers(task_id: str, right: int, other: str | None = "") -> pd.DataFrame:
    """The first ``right`` questions of a mini corpus answered rightly, the others with one text."""
    golds = _golds(task_id)
    predicted = [unpack(gold)[-1] if n < right else other for n, gold in enumerate(golds)]
    columns = {"run_id": RUN, "example_id": golds.index, "gold": golds.to_numpy()}
    return pd.DataFrame({**columns, "predicted": pd.Series(predicted, dtype=object)})


def _write_answers(store: Store, rows: pd.DataFrame, task: str, **claimed: float) -> None:
    with_tasks(store)
    store.write(
        [
            change("models", model_row()),
            change("runs", run_row(RUN, task_id=task, verified=True)),
            metrics_change(RUN, [MetricValue(name, value, 80) for name, value in claimed.items()]),
            Change("predictions", rows, "replace"),
        ]
    )


@pytest.mark.parametrize(("off", "verdict"), [(0, True), (0.9, True), (-0.9, True), (1.1, False), (-1.1, False)])
@pytest.mark.parametrize("other", ["", None])
def test_answers_are_scored_by_the_official_rules(store: Store, off: float, verdict: bool, other: str | None) -> None:
    """The mean F1 over all questions, an unanswered one counting nothing, must agree to the tolerance."""
    _write_answers(store, _answers("qa-en-mini", 40, other), "qa-en-mini", f1=0.5 + off * TOLERANCE, em=0.5)
    assert _verdict(store) is verdict


@pytest.mark.parametrize("task", [ENGLISH, KOREAN])
def test_exact_match_must_follow_as_well(task: Task) -> None:
    """A claim of one figure alone is enough; a wrong second one costs the badge."""
    rows = _answers(task.task_id, 60)
    assert agrees(task, rows, {"f1": 0.75})
    assert agrees(task, rows, {"f1": 0.75, "em": 0.75, "latency_ms_p50": 3.0})
    assert not agrees(task, rows, {"f1": 0.75, "em": 0.8})
    assert not agrees(task, rows, {"em": 0.75})


@pytest.mark.parametrize(
    "gold",
    ["red box", "1", "null", "[]", "{}", "[1]", '["red box"', "", "[" * 100_000, None],
    ids=["text", "number", "null", "none", "object", "numbers", "cut off", "empty", "deep", "missing"],
)
def test_gold_answers_that_are_none_are_not_verified(store: Store, gold: str | None) -> None:
    """A bundle may hold anything: one gold that is no list of answers, and nothing is verified, nor breaks."""
    rows = _answers("qa-en-mini", 80)
    rows["gold"] = rows["gold"].astype(object)
    rows.loc[3, "gold"] = gold
    assert not agrees(ENGLISH, rows, {"f1": 1.0})
    if gold is not None:  # the store takes none without a gold
        _write_answers(store, rows, "qa-en-mini", f1=1.0)
        assert not _verdict(store)


def test_all_questions_must_be_there_once(store: Store) -> None:
    """One missing, or one twice, is not the split, though the figure is right."""
    right = _answers("qa-en-mini", 80)
    for rows in (right[:79], pd.concat([right[:79], right[:1]])):
        assert not agrees(ENGLISH, rows, {"f1": 1.0})
    assert agrees(ENGLISH, right, {"f1": 1.0})
    _write_answers(store, right[:79], "qa-en-mini", f1=1.0)
    assert not _verdict(store)


def test_a_figure_that_nobody_scores_again_is_not_verified() -> None:
    """Of tasks whose figure does not follow from predictions."""
    rows = _answers("qa-en-mini", 80)
    assert not agrees(tasks.by_id("korquad-span"), rows, {"span_accuracy": 1.0})
    assert not agrees(tasks.by_id("glue"), rows, {"glue_score": 1.0})


@pytest.mark.parametrize("task", [ENGLISH, KOREAN])
def test_scores_beside_withheld_answers_are_a_claim(task: Task) -> None:
    """The digest is the same with texts and without; a badge needs the texts."""
    plain = _answers(task.task_id, 40, "nothing")
    rules = RULES[task.language]
    hidden = plain.assign(
        gold=plain["gold"].map(lambda gold: pack(withheld(rules, answer) for answer in unpack(gold))),
        predicted=plain["predicted"].map(lambda answer: withheld(rules, answer)),
    ).join(scores(task, plain))
    claimed = dict(hidden[["f1", "em"]].mean())
    assert agrees(task, plain, claimed)
    assert gold_labels.are_those(task, hidden)
    assert not agrees(task, hidden, claimed)
