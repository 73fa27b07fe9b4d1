"""Predictions that somebody hands in, held against the right answers and the claim."""

import pandas as pd
import pytest

from db import submissions
from db.base.errors import FeatherboardError, NotFoundError
from db.base.problems import Code, Message
from db.bootstrap import create
from db.registry import tasks
from db.runs import bundles, examples
from db.runs import detail as queries
from db.statistics import qa_scoring as rules
from db.storage.store import Store
from db.submissions import verification
from db.submissions.gold_answers import GoldLabels
from db.submissions.verification import examine, tolerance
from tests.factories.drafts import MINI, answers, draft, make_predictions
from tests.factories.rows import value_of
from tests.factories.runs import add_run

SENTIMENT = tasks.by_id(MINI)
ENGLISH = tasks.by_id("qa-en-mini")
_SOURCE = Message(Code.GOLD_RUN, {"run": "test"})


def _golds(count: int = 10) -> GoldLabels:
    return GoldLabels({f"e{n}": str(n % 2) for n in range(count)}, _SOURCE)


def _predictions(right: int, count: int = 10) -> pd.DataFrame:
    labels = [str(n % 2) if n < right else str(1 - n % 2) for n in range(count)]
    return pd.DataFrame({"example_id": [f"e{n}" for n in range(count)], "predicted": labels})


def test_a_whole_split_that_gives_the_claim_is_verified() -> None:
    """Whatever the order of the examples."""
    report = examine(SENTIMENT, _golds(), _predictions(7)[::-1], {"accuracy": 0.7}, {"accuracy": 1})
    assert report.verified
    assert (report.split, report.rows, report.matched) == (10, 10, 10)
    assert (report.missing, report.foreign, report.duplicated) == (0, 0, 0)
    assert report.scores[0].computed == 0.7
    assert report.caveat() is None
    assert (
        report.sentence()
        == "Verified: all 10 examples, scored with the predictions of run test: Accuracy 70.00% claimed, 70.00% found."
    )


@pytest.mark.parametrize(
    ("rows", "counts"),
    [
        (_predictions(7)[:9], (9, 1, 0, 0)),
        (pd.concat([_predictions(7), _predictions(7)[:2]]), (10, 0, 0, 2)),
        (pd.concat([_predictions(7), pd.DataFrame({"example_id": ["x", "x", "y"], "predicted": "1"})]), (10, 0, 2, 1)),
        (_predictions(7).assign(example_id=[f"E{n}" for n in range(10)]), (0, 10, 10, 0)),
    ],
    ids=["missing", "twice", "foreign", "all foreign"],
)
def test_what_is_missing_foreign_or_twice_is_counted(rows: pd.DataFrame, counts: tuple[int, ...]) -> None:
    """Then it is not the split, though the figure may be right; a missing answer counts as wrong."""
    report = examine(SENTIMENT, _golds(), rows, {"accuracy": 0.7}, {})
    assert report.state == "incomplete"
    assert (report.matched, report.missing, report.foreign, report.duplicated) == counts
    assert report.caveat() == report.sentence()


def test_of_an_example_that_comes_twice_the_first_answer_is_scored() -> None:
    second = _predictions(7)[:1].assign(predicted="1")
    assert examine(SENTIMENT, _golds(), pd.concat([_predictions(7), second]), {}, {}).scores[0].computed == 0.7


def test_a_score_of_labels_that_is_claimed_beside_the_own_is_computed_too() -> None:
    """The badge stands for all figures that the predictions give; the own one comes first."""
    report = examine(SENTIMENT, _golds(), _predictions(7), {"accuracy": 0.7, "macro_f1": 0.99}, {})
    assert [score.name for score in report.scores] == ["accuracy", "macro_f1"]
    assert report.state == "disagrees"
    right = {"accuracy": 0.7, "macro_f1": report.scores[1].computed}
    assert examine(SENTIMENT, _golds(), _predictions(7), right, {}).verified


@pytest.mark.parametrize(
    ("claimed", "decimals", "agrees"),
    [
        (0.8784, 4, True),
        (0.8785, 4, True),
        (0.8786, 4, False),
        (0.878, 3, True),
        (0.879, 3, False),
        (0.88, 2, True),
        (0.87, 2, False),
        (0.9, 1, False),
        (0.87845, 8, True),
        (0.878, None, False),
    ],
)
def test_a_claim_agrees_within_the_rounding_of_how_it_was_written(
    claimed: float, decimals: int | None, agrees: bool
) -> None:
    """Half a unit of its last digit, no less than the fourth decimal, and never more than half a point."""
    report = examine(
        SENTIMENT,
        _golds(20_000),
        _predictions(17_569, 20_000),
        {"accuracy": claimed},
        {} if decimals is None else {"accuracy": decimals},
    )
    assert report.scores[0].computed == 0.87845
    assert report.verified is agrees
    assert (report.state == "disagrees") is not agrees


def test_the_tolerance_has_two_ends() -> None:
    decimals = (None, 0, 1, 2, 3, 4, 9, 400)
    assert [*map(tolerance, decimals)] == [5e-5, 0.005, 0.005, 0.005, 5e-4, 5e-5, 5e-5, 5e-5]


def test_a_disagreement_shows_both_numbers() -> None:
    report = examine(SENTIMENT, _golds(), _predictions(7), {"accuracy": 0.9}, {"accuracy": 4})
    assert report.caveat() == (
        "The predictions do not give what is claimed: Accuracy 90.00% claimed, 70.00% found, "
        "scored with the predictions of run test."
    )
    report = examine(SENTIMENT, _golds(20_000), _predictions(17_569, 20_000), {"accuracy": 0.878395}, {"accuracy": 6})
    assert "0.878395 claimed, 0.87845 found" in report.sentence()


@pytest.mark.parametrize(
    "names", ["negative|positive", "LABEL_0|LABEL_1", "0.0|1.0", " 0|1 ", "Negative|POSITIVE", "00|01"]
)
def test_labels_may_be_called_by_their_names(names: str) -> None:
    by_label = dict(zip("01", names.split("|"), strict=True))
    rows = _predictions(7).assign(predicted=lambda frame: frame["predicted"].map(by_label))
    assert examine(SENTIMENT, _golds(), rows, {"accuracy": 0.7}, {}).verified


def test_inference_has_its_own_names() -> None:
    """Entailment, neutral and contradiction are 0, 1 and 2."""
    labels = verification.labelled(
        tasks.by_id("mnli"), pd.Series(["entailment", "Neutral", "contradiction", None, "x"])
    )
    assert labels.fillna("none").tolist() == ["0", "1", "2", "none", "x"]


def _questions() -> tuple[GoldLabels, pd.DataFrame]:
    gold = GoldLabels({f"q{n}": rules.pack(["the red box", "box"]) for n in range(4)}, _SOURCE)
    # F1 of 1, 1, 0 and 2/3; exact 1, 1, 0, 0.
    return gold, pd.DataFrame({"example_id": list(gold.answers), "predicted": ["Red box.", "box", None, "red"]})


def test_answers_are_scored_by_the_rules_of_their_language() -> None:
    """F1 decides, and exact match that is claimed must agree as well."""
    gold, rows = _questions()
    f1 = (1 + 1 + 0 + 2 / 3) / 4
    report = examine(ENGLISH, gold, rows, {"f1": f1, "em": 0.5}, {"f1": 16, "em": 1})
    assert report.verified
    assert [score.name for score in report.scores] == ["f1", "em"]
    assert report.scores[0].interval.low < f1 < report.scores[0].interval.high
    report = examine(ENGLISH, gold, rows, {"f1": f1, "em": 0.75}, {"f1": 16, "em": 2})
    assert report.state == "disagrees"
    assert "Exact match 75.00% claimed, 50.00% found" in report.sentence()


def test_the_deck_has_its_own_rule() -> None:
    """One gold answer, sets of lower-cased words."""
    gold, rows = _questions()
    report = examine(tasks.by_id("squad-deck"), gold, rows, {"f1_seed": 0.25}, {})
    assert [score.name for score in report.scores] == ["f1_seed", "em_seed"]
    # "Red box." shares "red" with "the red box": 2 * (1/2 * 1/3) / (5/6) = 0.4; "box" and "red" 2 * (1/3) / (4/3).
    assert report.scores[0].computed == pytest.approx((0.4 + 0.5 + 0 + 0.5) / 4)
    assert report.scores[1].computed == 0


@pytest.mark.parametrize(("metric", "value"), [("macro_f1", (12 / 14 + 4 / 6) / 2), ("mcc", 0.6123724)])
def test_scores_of_all_examples_together_are_computed_again(metric: str, value: float) -> None:
    """Two of ten answers are wrong, and both of them are one label."""
    task = SENTIMENT.model_copy(update={"metric": metric})
    gold = GoldLabels({f"e{n}": str(int(n < 4)) for n in range(10)}, _SOURCE)
    answers = [str(int(n < 2)) for n in range(10)]
    rows = pd.DataFrame({"example_id": list(gold.answers), "predicted": answers})
    report = examine(task, gold, rows, {metric: round(value, 4)}, {metric: 4})
    assert report.verified
    assert [score.name for score in report.scores] == [metric, "accuracy"]
    assert report.scores[0].computed == pytest.approx(value)


def test_withheld_answers_and_other_metrics_are_not_scored() -> None:
    gold, rows = _questions()
    hidden = rows.assign(predicted=rules.withheld(rules.SQUAD, "box"))
    assert examine(ENGLISH, gold, hidden, {"f1": 1.0}, {}).state == "unscored"
    assert examine(tasks.by_id("english-text-mini"), gold, rows, {}, {}).state == "unscored"


def _accepted(board: Store, **fields: object) -> str:
    receipt = submissions.submit(board, [draft(**fields)], predictions=make_predictions(board, 175))
    return submissions.accept(board, receipt.submissions[0])


def test_a_run_is_verified_later_when_the_answers_come(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then it stands there unverified, without right answers."""
    predicted = make_predictions(board, 175)
    places = examples._SPLITS
    monkeypatch.setattr(examples, "_SPLITS", {})
    receipt = submissions.submit(board, [draft(metrics={"accuracy": "87.5%"})], predictions=predicted)
    run_id = submissions.accept(board, receipt.submissions[0])
    assert not queries.run_detail(board, run_id).run["verified"]
    assert value_of(board, "SELECT count(gold) FROM predictions WHERE run_id = ?", run_id) == 0
    assert submissions.verify_run(board, run_id).state == "no golds"
    assert submissions.unverified(board) == [run_id]
    monkeypatch.setattr(examples, "_SPLITS", places)
    assert submissions.verify_run(board, run_id[:12]).verified
    assert queries.run_detail(board, run_id).run["verified"]
    assert value_of(board, "SELECT count(gold) FROM predictions WHERE run_id = ?", run_id) == 200
    assert submissions.unverified(board) == []
    assert submissions.history(board, receipt.submissions[0])["action"].tolist()[-1] == "verified"


def test_the_figure_of_a_verified_run_is_what_was_found(board: Store) -> None:
    """Rounded claims become exact ones; one that disagrees stays, with both numbers beside it."""
    exact = _accepted(board, metrics={"accuracy": "88%"})
    assert queries.run_detail(board, exact).metrics["value"].tolist() == [0.875]
    wrong = _accepted(board, metrics={"accuracy": "91.3%"})
    detail = queries.run_detail(board, wrong)
    assert detail.metrics["value"].tolist() == [0.913]
    assert not detail.run["verified"]
    assert "Accuracy 91.30% claimed, 87.50% found" in detail.run["caveat"]


def test_a_verified_run_travels_with_its_badge(board: Store, store: Store) -> None:
    """Another board scores it again from what the bundle holds; later it can be verified there anew."""
    run_id = _accepted(board)
    content, _ = bundles.bundle(board)
    create.initialise(store)
    bundles.import_bytes(store, content, "a test")
    assert value_of(store, "SELECT verified FROM runs WHERE run_id = ?", run_id)
    assert submissions.verify_run(store, run_id).verified


def test_a_bundle_without_texts_can_be_made_of_runs_without_right_answers(
    board: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers are withheld, and a right answer that nobody knows stays unknown."""
    known = answers(board, "qa-en-mini")
    rows = pd.DataFrame({"example_id": list(known), "predicted": "a box"})
    monkeypatch.setattr(examples, "_SPLITS", {})
    receipt = submissions.submit(board, [draft(task="qa-en-mini", metrics={"f1": 0.5})], predictions=rows, curves=None)
    submissions.accept(board, receipt.submissions[0])
    content, _ = bundles.bundle(board, withhold=True)
    tables = {table.table: table.rows for table in bundles.changes.unpack(content, "run bundle", "a test")}[
        "predictions"
    ]
    assert tables["gold"].isna().all()
    assert tables["predicted"].str.startswith("withheld-").all()


def test_only_submitted_runs_are_verified_here(board: Store) -> None:
    with pytest.raises(FeatherboardError, match="is measured, and only submitted runs"):
        submissions.verify_run(board, add_run(board, accuracy=0.5))
    with pytest.raises(NotFoundError):
        submissions.verify_run(board, "nobody-at-all")


def test_a_form_can_verify_before_anything_is_handed_in(board: Store) -> None:
    claim = submissions.read(board, submissions.submit(board, [draft()]).submissions[0]).claim
    assert submissions.verify_claim(board, claim, make_predictions(board, 175)).verified
    report = submissions.verify_claim(board, claim, make_predictions(board, 175).drop(columns="predicted"))
    assert report.sentence() == "Not verified: predictions: lack the column predicted."
    assert value_of(board, "SELECT count(*) FROM submission_predictions") == 0
