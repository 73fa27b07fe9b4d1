"""Handing in: what is taken, what is refused, what its submitter sees."""

from datetime import timedelta
from typing import Any

import pandas as pd
import pytest

from db import submissions
from db.base.clock import utc_now
from db.base.errors import LimitError, NotFoundError, SubmissionError
from db.runs import bundles
from db.storage.store import Store
from db.submissions import Limits, limits, tables
from tests.factories.drafts import MINI, curve, draft, make_predictions
from tests.factories.rows import contents, value_of

_TABLES = ("submissions", "submission_predictions", "submission_curves", "submission_audit")


def _count(store: Store) -> int:
    return int(value_of(store, "SELECT count(*) FROM submissions"))


def test_what_is_handed_in_waits_and_is_no_run(board: Store) -> None:
    """It is in tables of its own; runs, models and their figures are what they were."""
    before = contents(board)
    receipt = submissions.submit(
        board, [draft()], predictions=make_predictions(board, 175), curves=curve(0.5, 0.25), client="me"
    )
    assert receipt.accepted
    (status,) = submissions.status(board, receipt.secret)
    assert (status.state, status.reason, status.run_id, status.task) == ("waiting", None, None, MINI)
    assert status.submission_id == receipt.submissions[0]
    assert contents(board) == before
    assert value_of(board, "SELECT count(*) FROM submission_predictions") == 200
    assert value_of(board, "SELECT count(*) FROM submission_curves") == 2


def test_all_drafts_are_taken_or_none(board: Store) -> None:
    """A problem names the number of its draft and the field."""
    receipt = submissions.submit(board, [draft(), draft(seed="x"), draft(metrics={"accuracy": 87.5})])
    assert [(problem.draft, problem.field) for problem in receipt.problems] == [(2, "seed"), (3, "metrics.accuracy")]
    assert str(receipt.problems[1]).startswith("row 3, metrics.accuracy: must be a fraction of 1")
    assert (receipt.submissions, receipt.secret, _count(board)) == ((), "", 0)
    assert len(submissions.submit(board, [draft(seed=n) for n in range(23)]).submissions) == 23


def test_one_secret_opens_the_rows_that_came_together(board: Store) -> None:
    """In their order, and no others; only hashes of secret and client are kept."""
    first = submissions.submit(board, [draft(seed=n) for n in (5, 3)], client="10.20.30.40")
    second = submissions.submit(board, [draft(seed=9)], client="10.20.30.40")
    assert [submission.submission_id for submission in submissions.status(board, first.secret)] == list(
        first.submissions
    )
    assert [submission.submission_id for submission in submissions.status(board, second.secret)] == list(
        second.submissions
    )
    text = repr(contents(board, *_TABLES, "submission_salts"))
    assert first.secret not in text
    assert "10.20.30.40" not in text
    for wrong in ("", first.secret[:-1], "%", "\ud800", "x" * 10_000):
        with pytest.raises(NotFoundError, match="belongs to no submission"):
            submissions.status(board, wrong)


@pytest.mark.parametrize("drafts", [[], {}, "drafts", None, [draft()] * 501, 3])
def test_what_is_no_list_of_rows_is_told(board: Store, drafts: Any) -> None:
    receipt = submissions.submit(board, drafts)
    assert [(problem.draft, problem.field) for problem in receipt.problems] == [(0, "drafts")]
    assert _count(board) == 0


_GOOD = pd.DataFrame({"example_id": ["a", "b"], "predicted": ["1", None], "score": [0.5, None]})


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (_GOOD.drop(columns="predicted"), "predictions"),
        (_GOOD[:0], "predictions"),
        ("a,1", "predictions"),
        (pd.concat([_GOOD, _GOOD[["score"]]], axis=1), "predictions"),
        (_GOOD.assign(example_id=["a", ""]), "predictions.example_id"),
        (_GOOD.assign(example_id=["a", None]), "predictions.example_id"),
        (_GOOD.assign(example_id=[1.5, 2]), "predictions.example_id"),
        (_GOOD.assign(predicted=["a", "\0"]), "predictions.predicted"),
        (_GOOD.assign(predicted=pd.Series(["a", "\ud800"], dtype=object)), "predictions.predicted"),
        (_GOOD.assign(predicted=["a", "x" * 3000]), "predictions.predicted"),
        (_GOOD.assign(predicted=[["a"], ["b"]]), "predictions.predicted"),
        (_GOOD.assign(score=[0.5, 1.5]), "predictions.score"),
        (_GOOD.assign(score=[0.5, float("inf")]), "predictions.score"),
        (_GOOD.assign(score=[True, "0.5"]), "predictions.score"),
        (curve(1.0, float("nan")), "curves.value"),
        (curve(1.0, float("inf")), "curves.value"),
        (curve(1.0).assign(step=-1), "curves.step"),
        (curve(1.0).assign(step=0.5), "curves.step"),
        (curve(1.0).assign(step=1e300), "curves.step"),
        (curve(1.0).assign(series=""), "curves.series"),
        (curve(1.0).assign(epoch=-1.0), "curves.epoch"),
        (curve(1.0).drop(columns="step"), "curves"),
    ],
    ids=range(22),
)
def test_a_table_that_cannot_be_used_is_told_with_its_row(board: Store, wrong: Any, field: str) -> None:
    """Predictions and curves; the problem names the column."""
    receipt = submissions.submit(board, [draft()], **{field.partition(".")[0]: wrong})
    assert [(problem.draft, problem.field) for problem in receipt.problems] == [(1, field)]
    assert _count(board) == 0


def test_a_table_of_too_many_characters_is_refused(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is copied."""
    monkeypatch.setattr(tables, "MAX_COLUMN", 1_000_000)
    wide = pd.DataFrame({"example_id": [f"e{n}" for n in range(1001)], "predicted": "x" * 1000})
    receipt = submissions.submit(board, [draft()], predictions=wide)
    assert str(receipt.problems[0]) == "row 1, predictions.predicted: have more than 1 million characters"


def test_labels_and_ids_may_be_numbers(board: Store) -> None:
    """As tables have them; a missing answer stays missing."""
    answers = pd.DataFrame({"example_id": [1, 2, 3], "predicted": [1.0, 0.0, None]})
    receipt = submissions.submit(board, [draft()], predictions=answers)
    rows = board.query("SELECT example_id, predicted, score FROM submission_predictions ORDER BY 1")
    assert receipt.accepted
    assert rows["example_id"].tolist() == ["1", "2", "3"]
    assert rows["predicted"].fillna("none").tolist() == ["1", "0", "none"]
    assert rows["score"].isna().all()


def test_of_a_step_that_comes_twice_the_later_value_stays(board: Store) -> None:
    submissions.submit(board, [draft()], curves=pd.concat([curve(1.0, 2.0), curve(3.0)]))
    assert board.query("SELECT value FROM submission_curves ORDER BY step")["value"].tolist() == [3.0, 2.0]


def test_predictions_belong_to_one_row(board: Store) -> None:
    """Of several rows it must be said to which."""
    rows = [draft(seed=1), draft(seed=2)]
    assert submissions.submit(board, rows, predictions=_GOOD).problems[0].field == "predictions"
    assert submissions.submit(board, rows, predictions={3: _GOOD}).problems[0].field == "predictions"
    receipt = submissions.submit(board, rows, predictions={2: _GOOD})
    ids = board.query("SELECT DISTINCT submission_id FROM submission_predictions")["submission_id"].tolist()
    assert ids == [receipt.submissions[1]]


def test_the_same_is_not_taken_twice(board: Store) -> None:
    """Neither within one list nor by a second click; somebody else may claim the same, which a moderator sees."""
    twice = submissions.submit(board, [draft(), draft(seed=1), draft()])
    assert [(problem.draft, problem.english()) for problem in twice.problems] == [(3, "is the same as row 1")]
    submissions.submit(board, [draft()], client="me")
    with pytest.raises(SubmissionError, match="already sent this; it waits as"):
        submissions.submit(board, [draft()], client="me")
    assert submissions.submit(board, [draft()], client="you").accepted
    assert submissions.submit(board, [draft()], client="you", skip_known=True) == submissions.Receipt()
    assert _count(board) == 2


def test_a_client_hands_in_so_many_in_an_hour(board: Store) -> None:
    """A list is one submission; others are not held back, and an hour later nobody is."""
    few = Limits(per_hour=2, rows_per_day=5)
    submissions.submit(board, [draft(seed=1), draft(seed=2)], client="me", limited_by=few)
    submissions.submit(board, [draft(seed=3)], client="me", limited_by=few)
    with pytest.raises(LimitError, match="sent 2 submissions within an hour, and the limit is 2"):
        submissions.submit(board, [draft(seed=4)], client="me", limited_by=few)
    assert submissions.submit(board, [draft(seed=4)], client="you", limited_by=few).accepted
    assert submissions.submit(board, [draft(seed=5)], via="cli", limited_by=few).accepted
    with board.transaction() as con:
        con.execute("UPDATE submissions SET created_at = created_at - INTERVAL 61 MINUTE")
    with pytest.raises(LimitError, match="sent 3 rows within a day; with these 3 it would be more than the limit of 5"):
        submissions.submit(board, [draft(seed=n) for n in (6, 7, 8)], client="me", limited_by=few)
    assert submissions.submit(board, [draft(seed=6), draft(seed=7)], client="me", limited_by=few).accepted
    assert _count(board) == 7


def test_limits_hold_over_midnight_and_old_salts_are_forgotten(board: Store) -> None:
    """A hash without its salt tells nothing of the client any more."""
    limit = Limits(per_hour=1)
    submissions.submit(board, [draft()], client="me", limited_by=limit)
    with board.transaction() as con:
        con.execute("UPDATE submission_salts SET day = ?", [utc_now().date() - timedelta(days=1)])
    with pytest.raises(LimitError):
        submissions.submit(board, [draft(seed=1)], client="me", limited_by=limit)
    with board.transaction() as con:
        con.execute("UPDATE submission_salts SET day = ?", [utc_now().date() - timedelta(days=2)])
        limits.client_hash(con, "me")
        assert con.execute("SELECT count(*) FROM submission_salts").fetchone() == (1,)


def test_the_queue_has_room_for_so_much(board: Store) -> None:
    """What was decided makes room; 0 takes a limit away."""
    wide = pd.DataFrame({"example_id": [f"{n:05d}" for n in range(6000)], "predicted": "x" * 100})
    small = Limits(waiting_mb=1)
    submissions.submit(board, [draft(seed=1)], predictions=wide, limited_by=small)
    with pytest.raises(LimitError, match=r"The queue is full: 0\.\d MB are waiting"):
        submissions.submit(board, [draft(seed=2)], predictions=wide, via="cli", limited_by=small)
    assert submissions.submit(board, [draft(seed=2)], predictions=wide, limited_by=Limits(waiting_mb=0)).accepted


def test_limits_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert limits.from_environment() == Limits(10, 200, 500)
    monkeypatch.setenv("FEATHERBOARD_SUBMISSIONS_PER_HOUR", "3")
    assert limits.from_environment() == Limits(3, 200, 500)
    for wrong in ("-1", "many", "1e3", "٣"):
        monkeypatch.setenv("FEATHERBOARD_SUBMISSIONS_WAITING_MB", wrong)
        with pytest.raises(LimitError, match="FEATHERBOARD_SUBMISSIONS_WAITING_MB must be a whole number"):
            limits.from_environment()


def test_a_busy_database_takes_nothing_and_says_so(board: Store) -> None:
    """A submission is never spooled: what is acknowledged is in the database."""
    from db.base.errors import StoreBusyError

    with board.transaction(), pytest.raises(StoreBusyError):
        submissions.submit(Store(board.path, wait_s=0.05), [draft()])
    assert _count(board) == 0


def test_nothing_of_what_waits_is_in_a_bundle(board: Store) -> None:
    """Exports read runs alone."""
    submissions.submit(board, [draft(contact="me@example.org", notes="private so far")])
    with pytest.raises(NotFoundError, match="no measured or submitted run"):
        bundles.bundle(board)


def test_a_wrong_file_name_is_told(board: Store) -> None:
    assert submissions.submit(board, [draft()], filename="a\x00b").problems[0].field == "filename"
    assert submissions.submit(board, [draft()], filename="../../x.csv").accepted  # a name is a text, never a path


def test_predictions_give_the_score_that_nobody_claims(board: Store) -> None:
    """A draft without its task's metric gets what its predictions give, and is verified by them."""
    bare = {"task": MINI, "model": "Featherweight"}
    receipt = submissions.submit(board, [bare], predictions=make_predictions(board, 150))
    taken = submissions.difference(board, receipt.submissions[0])
    assert taken.submission.claim.metrics == {"accuracy": 0.75}
    assert taken.report.state == "verified"
    scored, report = submissions.with_score(board, draft(), make_predictions(board, 150))
    assert scored == draft(), "what is claimed stands"
    assert report.state == "no predictions"


@pytest.mark.parametrize(
    ("task", "ids", "reason"),
    [(MINI, ["x1", "x2"], "200 have no answer, 2 are not of this split"), ("nsmc", ["1", "2"], "Not checkable here")],
)
def test_predictions_that_give_no_score_leave_it_missing(board: Store, task: str, ids: list[str], reason: str) -> None:
    """Of another split, or without gold labels here: no score of 0%, and a sentence that says why."""
    answers = pd.DataFrame({"example_id": ids, "predicted": ["0", "1"]})
    bare = {"task": task, "model": "Featherweight"}
    scored, report = submissions.with_score(board, bare, answers)
    assert scored == bare
    assert reason in report.sentence()
    assert submissions.submit(board, [bare], predictions=answers).problems[0].field == "metrics"
