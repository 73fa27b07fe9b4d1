"""What a moderator looks at before a decision, and a submitter before handing in."""

from typing import Any

import pandas as pd
import pytest

from db import submissions
from db.bootstrap import integrity
from db.importers.benchmarks.lm_eval import PART_OF_SPLIT
from db.importers.formats.trainer import EVALUATED
from db.runs import detail as queries
from db.runs.writer import ModelFacts
from db.statistics import qa_scoring
from db.statistics.intervals import wilson
from db.storage.store import Store
from db.submissions.claim import Claim, check
from tests.factories.drafts import MINI, answers, draft, make_predictions
from tests.factories.rows import value_of
from tests.factories.runs import add_run, leaderboard


def test_a_moderator_sees_the_row_beside_those_of_the_same_model(board: Store) -> None:
    """Where it would stand, what differs, what its predictions say; the contact as well."""
    better = add_run(board, accuracy=0.99, name="Other")
    same = ModelFacts("w", "featherweight ", "KoBiLSTM", "bilstm", {}, 27_394, "ko")
    worse = add_run(board, accuracy=0.55, name=same.name, model=same)
    receipt = submissions.submit(
        board, [draft(params=27_394, contact="me@example.org")], predictions=make_predictions(board, 175)
    )
    result = submissions.difference(board, receipt.submissions[0])
    assert result.submission.claim.contact == "me@example.org"
    assert (result.preview.rank, result.preview.rows) == ("2", 3)
    assert result.preview.above is not None
    assert result.preview.below is not None
    assert (result.preview.above["run_id"], result.preview.below["run_id"]) == (better, worse)
    assert result.report.verified
    (row,) = result.existing.to_dict("records")
    assert (row["run_id"], row["same_params"]) == (worse, True)
    assert row["score_difference"] == pytest.approx(0.325)
    assert result.flags == ()


def test_a_preview_counts_ties_as_the_board_does(board: Store) -> None:
    """The rank before is the rank after, and so is the row."""
    for accuracy in (0.9, 0.87, 0.86, 0.5):
        add_run(board, accuracy=accuracy, name=f"at {accuracy}", recipe_hash=str(accuracy), seed=1)
    claim = submissions.read(board, submissions.submit(board, [draft()]).submissions[0]).claim
    (before,) = submissions.preview(board, [claim], every_run=True)
    submissions.accept(board, submissions.queue(board)["submission_id"][0])
    row = leaderboard(board, MINI).set_index("model").loc["Featherweight"]
    assert before.rank == row["rank"] == "1-4"
    assert before.rows == 5
    for name in ("score", "low", "high", "n", "source", "dataset", "family"):
        assert before.row[name] == row[name], name


@pytest.mark.parametrize(("task", "metric"), [("reviews-ko-mini", "accuracy"), ("qa-en-mini", "f1")])
def test_a_preview_is_compared_by_its_predictions_as_on_the_board(board: Store, task: str, metric: str) -> None:
    """Intervals overlap; of the same examples the new row has all that the others have right, and more."""
    known = answers(board, task)

    def submitted(name: str, share: float) -> str:
        right = round(share * len(known))
        texts = [qa_scoring.unpack(gold)[0] if gold.startswith("[") else gold for gold in known.values()]
        predicted = [text if number < right else "7" for number, text in enumerate(texts)]
        rows = pd.DataFrame({"example_id": list(known), "predicted": predicted, "score": None})
        fields = draft(task=task, model=name, metrics={metric: right / len(known)})
        return submissions.submit(board, [fields], predictions=rows, client=name).submissions[0]

    for share in (0.6, 0.5):
        submissions.accept(board, submitted(f"at {share}", share))
    receipt = submitted("new", 0.7)
    shown = submissions.difference(board, receipt).preview
    submissions.accept(board, receipt)
    rows = leaderboard(board, task, every_run=False).set_index("model")
    assert shown.rank == rows.loc["new", "rank"] == "1"
    assert rows.loc["at 0.6", "high"] > shown.row["low"]


def _agrees(store: Store, shown: submissions.Preview, task: str = MINI) -> None:
    """The row is on the board as it was previewed, and so are its neighbours."""
    rows = leaderboard(store, task, every_run=False)
    (position,) = rows.index[rows["model"] == shown.row["model"]]
    row = rows.loc[position]
    assert (shown.rank, shown.rows) == (row["rank"], int((rows["rank"] != "").sum()))
    for name in ("score", "low", "high", "n", "seeds", "verified", "source", "dataset", "name"):
        expected = None if pd.isna(row[name]) else row[name]
        assert shown.row[name] == (pytest.approx(expected) if isinstance(expected, float) else expected), name
    for neighbour, index in ((shown.above, position - 1), (shown.below, position + 1)):
        assert (neighbour or {}).get("model") == (rows.loc[index, "model"] if index in rows.index else None)


@pytest.mark.parametrize("predicted", [False, True], ids=["figures", "predictions"])
def test_seeds_of_one_variant_are_previewed_as_their_mean(board: Store, predicted: bool) -> None:
    """Each further seed moves the mean and the rank of one row, before its acceptance as after it."""
    for right in (180, 150, 120):
        submitted = [draft(model=f"at {right}", metrics={"accuracy": right / 200})]
        receipt = submissions.submit(board, submitted, predictions=make_predictions(board, right), client=str(right))
        submissions.accept(board, receipt.submissions[0])
    means = []
    for seed, right in enumerate((190, 140, 100)):
        fields = draft(seed=seed, metrics={"accuracy": right / 200})
        answered = make_predictions(board, right) if predicted else None
        receipt = submissions.submit(board, [fields], predictions=answered, client=f"seed {seed}")
        shown = submissions.difference(board, receipt.submissions[0]).preview
        submissions.accept(board, receipt.submissions[0])
        _agrees(board, shown)
        means.append(shown.row["score"])
    assert means == pytest.approx([0.95, 0.825, 430 / 600])
    assert shown.row["seeds"] == 3


def test_seeds_of_one_file_are_previewed_together(board: Store) -> None:
    """The rows of a file show the row that they make, and a model of another variant its own."""
    add_run(board, accuracy=0.8, name="Other")
    fields = [draft(seed=seed, metrics={"accuracy": 0.7 + seed / 10}) for seed in range(3)]
    fields.append(draft(model="Alone", metrics={"accuracy": 0.6}))
    receipt = submissions.submit(board, fields)
    claims = [submissions.read(board, submission).claim for submission in receipt.submissions]
    shown = submissions.preview(board, claims)
    for submission in receipt.submissions:
        submissions.accept(board, submission)
    assert [preview.row["seeds"] for preview in shown] == [3, 3, 3, None]
    for preview in shown:
        _agrees(board, preview)


def test_a_newer_row_of_a_variant_takes_the_place_of_the_older(board: Store) -> None:
    """A model handed in again has one row: the newest, in the preview as on the board."""
    add_run(board, accuracy=0.8, name="Other")
    for accuracy in (0.9, 0.7):
        receipt = submissions.submit(board, [draft(metrics={"accuracy": accuracy})], client=str(accuracy))
        shown = submissions.difference(board, receipt.submissions[0]).preview
        submissions.accept(board, receipt.submissions[0])
        _agrees(board, shown)
        assert shown.row["score"] == accuracy


def test_a_first_row_of_ones_own_is_not_ranked_among_printed_ones(board: Store) -> None:
    """Printed rows are ranked where there are no others alone; the preview knows it."""
    fields = draft(task="korquad", metrics={"f1": 0.9, "em": 0.8})
    receipt = submissions.submit(board, [fields])
    shown = submissions.difference(board, receipt.submissions[0]).preview
    submissions.accept(board, receipt.submissions[0])
    _agrees(board, shown, "korquad")


@pytest.mark.parametrize(
    ("training", "n", "rank"),
    [
        ({}, 200, "1"),
        ({EVALUATED: 20}, 20, "1"),
        ({EVALUATED: 20, PART_OF_SPLIT: "20 of 200 examples"}, 20, "1"),
        ({EVALUATED: 9_999}, 200, "1"),
        ({PART_OF_SPLIT: "a share of 0.1 of its examples"}, None, "~1"),
    ],
)
def test_an_interval_follows_from_the_examples_that_were_scored(
    board: Store, training: dict[str, Any], n: int | None, rank: str
) -> None:
    """Not from those of the whole split; where nobody says how many there were, the rank is a guess."""
    claim = check(draft(training=training))
    assert isinstance(claim, Claim)
    (shown,) = submissions.preview(board, [claim])
    assert shown.row["n"] == n
    assert shown.rank == rank
    if n is None:
        assert shown.row["low"] is None
    else:
        ends = wilson(round(0.875 * n), n)
        assert (shown.row["low"], shown.row["high"]) == pytest.approx((ends.low, ends.high))


def test_rows_that_say_the_same_are_pointed_at(board: Store) -> None:
    """The same row, the same answers, the answers of a run, the right answers themselves."""
    right = make_predictions(board, 200)
    first = submissions.submit(board, [draft(metrics={"accuracy": 1})], predictions=right, client="a")
    second = submissions.submit(board, [draft(metrics={"accuracy": 1})], predictions=right, client="b")
    third = submissions.submit(board, [draft(metrics={"accuracy": 1}, seed=1)], predictions=right[::-1], client="c")

    def flags(receipt: submissions.Receipt) -> str:
        return " ".join(str(flag) for flag in submissions.difference(board, receipt.submissions[0]).flags)

    assert "equal the gold labels on every example" in flags(first)
    assert f"It is the same as submission {first.submissions[0][:12]}, which is waiting." in flags(second)
    assert f"exactly those of submission {first.submissions[0][:12]}" in flags(third)
    run_id = submissions.accept(board, first.submissions[0])
    assert f"Its predictions are exactly those of run {run_id[:12]}." in flags(third)
    assert "exactly those of run" not in flags(first)
    caveat = queries.run_detail(board, run_id).run["caveat"]
    assert caveat == "Its predictions equal the gold labels on every example."
    almost = make_predictions(board, 199)
    fourth = submissions.submit(board, [draft(metrics={"accuracy": 0.995})], predictions=almost, client="d")
    assert flags(fourth) == ""


def test_predictions_of_a_run_keep_each_example_once(board: Store) -> None:
    """Twice and foreign ones are counted, told beside the figure, and stay with the submission."""
    known = answers(board)
    predicted = pd.concat(
        [
            make_predictions(board, 175)[:150],
            make_predictions(board, 175)[:3],
            pd.DataFrame({"example_id": ["x1", "x2"], "predicted": "1"}),
        ]
    )
    receipt = submissions.submit(board, [draft()], predictions=predicted)
    run_id = submissions.accept(board, receipt.submissions[0])
    detail = queries.run_detail(board, run_id)
    assert not detail.run["verified"]
    assert "50 have no answer, 2 are not of this split, 3 come more than once" in detail.run["caveat"]
    assert detail.metrics["value"].tolist() == [0.875]
    ids = board.query("SELECT example_id FROM predictions WHERE run_id = ?", [run_id])["example_id"]
    assert ids.tolist() == list(known)[:150]
    assert value_of(board, "SELECT count(*) FROM submission_predictions") == 155
    assert integrity.check(board) == []


def test_verifying_again_keeps_how_many_examples_were_scored(board: Store) -> None:
    """Predictions of a part cannot verify a score on a part, and give it no interval of the whole split."""
    part = make_predictions(board, 18).head(20)
    receipt = submissions.submit(board, [draft(metrics={"accuracy": 0.9}, training={EVALUATED: 20})], predictions=part)
    run_id = submissions.accept(board, receipt.submissions[0])
    query = "SELECT n, low, high FROM metrics WHERE name = 'accuracy' AND run_id = ?"
    before = board.query(query, [run_id])
    assert not submissions.verify_run(board, run_id).verified
    after = board.query(query, [run_id])
    assert before["n"].tolist() == [20]
    pd.testing.assert_frame_equal(before, after)
