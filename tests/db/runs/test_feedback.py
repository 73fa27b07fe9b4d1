"""Answers that somebody reported as wrong: what is kept and what is refused."""

import math
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from db.base.errors import BundleError
from db.runs import bundles, feedback
from db.runs.feedback import Case, FeedbackError
from db.storage import journal, migrations
from db.storage.changes import Change, pack, unpack
from db.storage.store import Store
from tests.factories import database_processes as processes
from tests.factories.feedback import CONTEXT, HEADLINE, PAIR, QA, REVIEW
from tests.factories.rows import value_of, whole_run, write_older


def _row(store: Store) -> dict[str, Any]:
    (row,) = feedback.cases(store).to_dict("records")
    return {name: None if pd.isna(value) else value for name, value in row.items()}


@pytest.mark.parametrize("case", [QA, REVIEW, PAIR, HEADLINE], ids=lambda case: case.kind)
def test_a_report_is_kept_with_every_field(store: Store, case: Case) -> None:
    """What is read back is the case, its id, and when it was reported."""
    own = feedback.keep(store, case)
    row = _row(store)
    assert row.pop("feedback_id") == own
    assert row.pop("created_at") is not None
    assert Case(**row) == case


def test_the_same_report_twice_is_one(store: Store) -> None:
    """Whoever presses twice reports once; a probability that differs in its last digits is no other report."""
    own = feedback.keep(store, QA)
    assert feedback.keep(store, replace(QA, probability=0.7500001)) == own
    assert feedback.keep(store, replace(QA, comment="look")) != own
    assert feedback.keep(store, replace(QA, model="other")) != own
    assert len(feedback.cases(store)) == 3


def test_reports_are_listed_by_kind_oldest_first(store: Store) -> None:
    """One kind, or all; none is an empty table with the same columns."""
    ids = [feedback.keep(store, case) for case in (PAIR, QA, REVIEW)]
    assert feedback.cases(store)["feedback_id"].tolist() == ids
    assert feedback.cases(store, "qa")["feedback_id"].tolist() == [ids[1]]
    assert feedback.forget(store, ids[:2]) == 2
    assert feedback.forget(store, ids[:2]) == 0
    assert feedback.cases(store, "qa").empty
    assert list(feedback.cases(store, "qa").columns) == list(feedback.cases(store).columns)
    assert feedback.cases(store)["feedback_id"].tolist() == ids[2:]


@pytest.mark.parametrize(("about", "start"), [(None, 11), (0, 11), (11, 11), (29, 11), (30, 48), (48, 48), (51, 48)])
def test_the_right_answer_is_placed_where_it_was_meant(store: Store, about: int | None, start: int) -> None:
    """Of two places the nearest one; without a hint the first."""
    feedback.keep(store, replace(QA, right_start=about))
    assert _row(store)["right_start"] == start


def test_a_right_answer_is_taken_as_the_context_writes_it(store: Store) -> None:
    """Blanks around it and another normal form (Hangul typed on a Mac) are no difference."""
    decomposed = unicodedata.normalize("NFD", "수도는 서울이다.")
    question = replace(QA, context=decomposed, answer="", answer_start=None, right_start=None)
    feedback.keep(store, replace(question, right_answer=" 서울 "))
    row = _row(store)
    assert row["right_answer"] == unicodedata.normalize("NFD", "서울")
    assert decomposed[row["right_start"] :].startswith(row["right_answer"])


def test_not_knowing_and_not_answerable_are_two_things(store: Store) -> None:
    """The first has no right answer, the second an empty one; neither has a place."""
    unknown = feedback.keep(store, replace(QA, right_answer=None, right_start=3))
    nothing = feedback.keep(store, replace(QA, right_answer=None, right_start=3, unanswerable=True))
    assert feedback.keep(store, replace(QA, right_answer="", right_start=None, unanswerable=True)) == nothing
    rows = feedback.cases(store).set_index("feedback_id")
    assert pd.isna(rows.loc[unknown, "right_answer"])
    assert not rows.loc[unknown, "unanswerable"]
    assert rows.loc[nothing, "right_answer"] == ""
    assert rows.loc[nothing, "unanswerable"]
    assert rows["right_start"].isna().all()


BAD = [
    (replace(QA, kind="poem"), "kind is 'poem'"),  # type: ignore[arg-type]
    (replace(QA, model=" "), "model is empty"),
    (replace(QA, model="m" * 1_001), "model has 1,001 characters"),
    (replace(QA, context="x" * 100_001), "context has 100,001 characters; 100,000 is the most"),
    (replace(QA, question="x" * 1_001), "question has 1,001 characters; 1,000 is the most"),
    (replace(QA, comment="x" * 2_001), "comment has 2,001 characters; 2,000 is the most"),
    (replace(QA, question=None), "question is empty"),
    (replace(QA, context=" \n"), "context is empty"),
    (replace(QA, text="a review"), "text has no place in a report of qa"),
    (replace(QA, right_answer="green"), "right answer 'green' does not stand in the context"),
    (replace(QA, right_answer=""), "right answer is empty"),
    (replace(QA, right_answer="  "), "right answer is empty"),
    (replace(QA, unanswerable=True), "right answer is given"),
    (replace(QA, right_start=-1), "place of the right answer is -1"),
    (replace(QA, right_start=len(CONTEXT)), "place of the right answer is 52"),
    (replace(QA, answer_start=28), "model's answer does not stand at character 28"),
    (replace(QA, answer_start=-25), "model's answer does not stand at character -25"),
    (replace(QA, checkpoint="A" * 64), "checkpoint is no SHA-256"),
    (replace(QA, probability=math.nan), "probability is nan"),
    (replace(QA, probability=1.01), "probability is 1.01"),
    (replace(QA, comment="half \ud83d"), "comment holds half a character"),
    (replace(QA, context=CONTEXT + "\udc00"), "context holds half a character"),
    (replace(QA, answer="\ud83d"), "model's answer holds half a character"),
    (replace(REVIEW, right_answer="neutral"), "right answer is 'neutral'; it is one of negative, positive"),
    (replace(REVIEW, answer="1"), "model's answer is '1'"),
    (replace(REVIEW, text=None), "text is empty"),
    (replace(REVIEW, premise="a"), "premise has no place in a report of sentiment"),
    (replace(REVIEW, unanswerable=True), "unanswerable has no meaning"),
    (replace(REVIEW, answer_start=0), "place of an answer has no meaning"),
    (replace(PAIR, hypothesis=""), "hypothesis is empty"),
    (replace(PAIR, right_answer=""), "right answer is ''"),
]


@pytest.mark.parametrize(("case", "message"), BAD, ids=[message for _, message in BAD])
def test_a_wrong_field_is_named_and_nothing_is_kept(store: Store, case: Case, message: str) -> None:
    """In one line for people, before anything is opened."""
    with pytest.raises(FeedbackError, match=rf"^The {message}.*Nothing was kept") as error:
        feedback.keep(store, case)
    assert "\n" not in str(error.value)
    assert not store.exists()


def test_the_number_of_reports_is_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is refused with what to do; one that is here already is not one more."""
    monkeypatch.setattr(feedback, "MAX_REPORTS", 2)
    for case in (QA, REVIEW):
        feedback.keep(store, case)
    with pytest.raises(FeedbackError, match=r"2 reports are kept.*Nothing was kept.*export feedback FILE --forget"):
        feedback.keep(store, PAIR)
    feedback.keep(store, QA)
    assert set(feedback.cases(store)["kind"]) == {"qa", "sentiment"}


def test_a_report_to_a_busy_database_waits_in_the_journal(board: Store) -> None:
    """It is taken in by the next write, with missing values and all, and is the same row as without the detour."""
    busy = Store(board.path, wait_s=0.2)
    unknown = replace(QA, right_answer=None, right_start=None, answer_start=None, run_id=None)
    with processes.held(board.path):
        ids = [feedback.keep(busy, case) for case in (unknown, REVIEW)]
        assert len(journal.waiting(board.path)) == 1
    ids.append(feedback.keep(board, PAIR))
    cases = feedback.cases(board)
    assert cases["feedback_id"].tolist() == ids
    assert [feedback.keep(board, case) for case in (unknown, REVIEW, PAIR)] == ids
    unchanged = cases.drop(columns="created_at")
    pd.testing.assert_frame_equal(feedback.cases(board).drop(columns="created_at"), unchanged)


def test_no_bundle_carries_reports(board: Store, tmp_path: Path) -> None:
    """Neither out of an installation nor into one."""
    board.write(whole_run("run-00000001"))
    feedback.keep(board, QA)
    content, _ = bundles.bundle(board)
    assert b"feedback" not in content
    rows = feedback.cases(board)
    batch = [*unpack(content, "run bundle", "test"), Change("feedback", rows)]
    other = Store(tmp_path / "other.duckdb")
    other.migrate()
    assert bundles.import_bytes(other, pack(batch, "run bundle"), "test").added == 1
    assert feedback.cases(other).empty
    with pytest.raises(BundleError, match="holds no runs"):
        bundles.import_bytes(other, pack(batch[-1:], "run bundle"), "test")


def test_a_database_of_the_version_before_takes_reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first report brings it up to date, with its runs as they were."""
    old = Store(tmp_path / "old.duckdb")
    steps = migrations.steps()
    with monkeypatch.context() as before:
        before.setattr(migrations, "steps", lambda: steps[:4])
        write_older(old, whole_run("run-00000001"))
    feedback.keep(old, REVIEW)
    assert len(feedback.cases(old)) == 1
    assert value_of(old, "SELECT count(*) FROM runs") == 1
