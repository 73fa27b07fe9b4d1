"""What a moderator sees and decides, and what becomes of a row on the board."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from db import submissions
from db.base import audit
from db.base.errors import ModerationError, NotFoundError, SubmissionError
from db.bootstrap import integrity
from db.runs import bundles, model_card
from db.runs import detail as queries
from db.storage.store import Store
from tests.factories.drafts import MINI, curve, draft, make_predictions
from tests.factories.rows import contents, value_of
from tests.factories.runs import add_run, leaderboard


def _submit(board: Store, **fields: Any) -> submissions.Receipt:
    receipt = submissions.submit(board, [draft(**fields)], client="me")
    assert receipt.accepted, receipt.problems
    return receipt


_CALLS: dict[str, Callable[..., Any]] = {
    "accept": submissions.accept,
    "reject": lambda board, submission: submissions.reject(board, submission, "no"),
    "withdraw": submissions.withdraw,
}


def test_an_accepted_row_stands_on_the_board(board: Store) -> None:
    """Model, run, figures with intervals, curves and predictions come together; the contact stays behind."""
    fields = {
        "params": "27,394",
        "params_source": "config",
        "family": "BiLSTM",
        "training": {"lr": 0.1},
        "seed": 7,
        "train_seconds": "00:49:15",
        "contact": "me@example.org",
        "link": "https://example.org/m",
        "checkpoint": "https://example.org/w",
        "notes": "two\nlines",
    }
    receipt = submissions.submit(
        board, [draft(**fields)], predictions=make_predictions(board, 175), curves=curve(0.5, 0.25)
    )
    run_id = submissions.accept(board, receipt.submissions[0][:12])
    (status,) = submissions.status(board, receipt.secret)
    assert (status.state, status.run_id) == ("accepted", run_id)
    detail = queries.run_detail(board, run_id)
    assert (detail.run["source"], detail.run["status"], detail.run["verified"]) == ("submitted", "finished", True)
    assert (detail.run["seed"], detail.run["train_seconds"], detail.recipe) == (7, 2955, {"lr": 0.1})
    assert detail.run["citation"] == "https://example.org/w"
    facts = {name: detail.model[name] for name in ("params", "family", "link")}
    assert facts == {"params": 27_394, "family": "BiLSTM", "link": "https://example.org/m"}
    assert detail.metrics[["name", "value", "n"]].to_numpy().tolist() == [["accuracy", 0.875, 200]]
    assert detail.metrics["low"][0] < 0.875 < detail.metrics["high"][0]
    assert value_of(board, "SELECT count(*) FROM predictions WHERE run_id = ? AND gold IS NOT NULL", run_id) == 200
    assert detail.curves["value"].tolist() == [0.5, 0.25]
    assert leaderboard(board, MINI)["run_id"].tolist() == [run_id]
    assert integrity.check(board) == []
    assert "example.org/m" in repr(contents(board))
    assert "me@example.org" not in repr(contents(board))
    content, count = bundles.bundle(board)
    assert count == 1
    packed = repr([change.rows.to_dict() for change in bundles.changes.unpack(content, "run bundle", "")])
    assert "me@example.org" not in packed
    assert receipt.secret not in packed


def test_typed_parameters_stay_somebodys_word(board: Store) -> None:
    run_id = submissions.accept(board, _submit(board, params="391,170").submissions[0])
    model = queries.run_detail(board, run_id).model
    assert (model["params"], model["params_reported"]) == (None, 391_170)


def test_rows_of_one_model_share_it_and_never_another_ones(board: Store) -> None:
    """A name that is on the board already does not make the claim part of that model."""
    add_run(board, accuracy=0.8, name="Featherweight")
    first, second, third = (
        submissions.accept(board, _submit(board, seed=n, params=params).submissions[0])
        for n, params in ((1, 10), (2, 10), (3, 11))
    )
    models = board.query("SELECT run_id, model_id FROM runs WHERE source = 'submitted'").set_index("run_id")["model_id"]
    assert models[first] == models[second] != models[third]
    assert models.str.startswith("submitted-").all()


def test_a_rejection_needs_a_reason_that_its_submitter_reads(board: Store) -> None:
    receipt = _submit(board)
    for empty in ("", "  \n"):
        with pytest.raises(ModerationError, match="needs a reason"):
            submissions.reject(board, receipt.submissions[0], empty)
    with pytest.raises(SubmissionError, match="The reason contains the invisible character"):
        submissions.reject(board, receipt.submissions[0], "a\x00")
    submissions.reject(board, receipt.submissions[0], "Not this split.")
    (status,) = submissions.status(board, receipt.secret)
    assert (status.state, status.reason) == ("rejected", "Not this split.")
    assert leaderboard(board, MINI).empty


def test_a_decision_is_made_once(board: Store) -> None:
    """What was decided cannot be decided again, and nothing of it is lost."""
    submission_id = _submit(board).submissions[0]
    submissions.reject(board, submission_id, "No.")
    for call in ("accept", "reject", "withdraw"):
        with pytest.raises(ModerationError, match="is rejected, and only one that is"):
            _CALLS[call](board, submission_id)
    with pytest.raises(NotFoundError, match="no submission"):
        submissions.accept(board, "nobody")
    with pytest.raises(NotFoundError, match="no submission"):
        submissions.accept(board, submission_id[:7])
    assert value_of(board, "SELECT count(*) FROM submissions") == 1


def test_a_duplicate_is_merged_into_a_run_or_a_submission(board: Store) -> None:
    """Its submitter is led there; of different tasks, into itself or into one that is gone it cannot be."""
    run_id = add_run(board, accuracy=0.8)
    first, second, third = (_submit(board, seed=n) for n in range(3))
    other = _submit(board, task="nli-en-mini")
    first_id, two, three = (receipt.submissions[0] for receipt in (first, second, third))
    submissions.merge(board, first_id, run_id[:12], reason="The same run.")
    (status,) = submissions.status(board, first.secret)
    assert (status.state, status.run_id, status.reason) == ("merged", run_id, "The same run.")
    submissions.merge(board, two, three)
    (status,) = submissions.status(board, second.secret)
    assert (status.state, status.merged_into, status.run_id) == ("merged", three, None)
    for into, message in ((three, "into itself"), (other.submissions[0], "different tasks"), (two, "is merged")):
        with pytest.raises(ModerationError, match=message):
            submissions.merge(board, three, into)
    with pytest.raises(NotFoundError, match="no submission and no run"):
        submissions.merge(board, three, "no-such-thing")
    accepted = submissions.accept(board, three)
    submissions.merge(board, three, run_id)
    assert accepted not in leaderboard(board, MINI)["run_id"].tolist()


@pytest.mark.parametrize("by", ["submitter", "moderator"])
def test_a_row_can_be_taken_back_before_and_after(board: Store, by: str) -> None:
    """The run leaves the board and every list, and stays in the database."""
    receipt = _submit(board)
    sender = {} if by == "moderator" else {"secret": receipt.secret}
    submissions.withdraw(board, receipt.submissions[0], **sender)
    assert submissions.status(board, receipt.secret)[0].state == "withdrawn"
    receipt = _submit(board, seed=1)
    run_id = submissions.accept(board, receipt.submissions[0])
    other_run = add_run(board, accuracy=0.8)
    sender = {} if by == "moderator" else {"secret": receipt.secret}
    submissions.withdraw(board, receipt.submissions[0], reason="A mistake.", **sender)
    assert leaderboard(board, MINI)["run_id"].tolist() == [other_run]
    assert run_id not in queries.runs(board)["run_id"].tolist()
    assert queries.boards(board).set_index("task_id").loc[MINI, "runs"] == 1
    detail = queries.run_detail(board, run_id)
    assert (detail.run["withdrawn"], detail.run["withdrawn_at"] is not None) == ("A mistake.", True)
    assert "withdrawn and is no longer on the board: A mistake" in model_card.card(detail)
    assert bundles.bundle(board)[1] == 1
    with pytest.raises(NotFoundError, match="was withdrawn and is not given on"):
        bundles.bundle(board, [run_id])
    assert integrity.check(board) == []


def test_a_secret_takes_back_only_its_own(board: Store) -> None:
    mine, theirs = _submit(board), submissions.submit(board, [draft(seed=1)], client="you")
    for secret in (theirs.secret, "", "x", "\ud800"):
        with pytest.raises(NotFoundError, match="belongs to no such submission"):
            submissions.withdraw(board, mine.submissions[0], secret=secret)
    with pytest.raises(NotFoundError, match="belongs to no such submission"):
        submissions.withdraw(board, "", secret=mine.secret)
    assert submissions.status(board, mine.secret)[0].state == "waiting"


def test_every_decision_is_in_the_audit_and_a_change_of_it_shows(board: Store) -> None:
    """Who touches a row, or takes one out, breaks the chain of seals; the check of the database says which."""
    receipt = _submit(board)
    submissions.accept(board, receipt.submissions[0])
    submissions.withdraw(board, receipt.submissions[0], secret=receipt.secret, reason="Mine.")
    events = submissions.history(board, receipt.submissions[0])
    assert events[["action", "actor"]].to_numpy().tolist() == [
        ["submitted", "submitter"],
        ["accepted", "moderator"],
        ["withdrawn", "submitter"],
    ]
    assert json.loads(events["details"][2])["reason"] == "Mine."
    assert integrity.check(board) == []
    with board.transaction() as con:
        con.execute("UPDATE submission_audit SET actor = 'moderator' WHERE entry = 3")
        assert audit.broken(con) == 3
        con.execute("DELETE FROM submission_audit WHERE entry = 2")
    assert "submission_audit: row 2 is not the one that was written" in integrity.check(board)


def test_the_queue_is_searched_and_counted(board: Store) -> None:
    """Every word must be found; what was handed in together can be looked at alone; no pattern is read into a word."""
    together = submissions.submit(
        board, [draft(model="Alpha 100%", seed=1), draft(model="Beta", seed=2)], filename="table.csv"
    )
    _submit(board, model="Gamma")
    submissions.reject(board, together.submissions[1], "No predictions.")

    def models(**options: Any) -> list[str]:
        return submissions.queue(board, states=(), **options)["model"].tolist()

    assert models(search="alpha TABLE") == ["Alpha 100%"]
    assert models(search="predictions") == ["Beta"]
    assert models(search=together.submissions[0][:10]) == ["Alpha 100%"]
    assert (models(search="100%"), models(search="a_p"), models(search="alpha beta")) == (["Alpha 100%"], [], [])
    batch = submissions.read(board, together.submissions[0]).batch_id
    assert models(batch=batch) == ["Alpha 100%", "Beta"]
    assert submissions.counts(board) == {"waiting": 2, "accepted": 0, "rejected": 1, "merged": 0, "withdrawn": 0}


def test_what_came_with_a_row_is_seen_in_parts(board: Store) -> None:
    """A glance says of predictions what the whole look says; long tables are cut."""
    receipt = submissions.submit(
        board,
        [draft(metrics={"accuracy": 1.0})],
        predictions=make_predictions(board, 200),
        curves=curve(0.5, 0.25, 0.125),
    )
    submission_id = receipt.submissions[0]
    summary = submissions.summaries(board, [submission_id])[submission_id]
    whole = submissions.difference(board, submission_id)
    assert (summary.state, summary.flags) == (whole.report.state, whole.flags)
    assert summary.flags[0].code == "equals_gold"
    assert len(submissions.answers(board, submission_id, limit=7)) == 7
    assert submissions.points(board, submission_id)["value"].tolist() == [0.5, 0.25, 0.125]
    assert submissions.points(board, submission_id, limit=2)["value"].tolist() == [0.5, 0.25]
