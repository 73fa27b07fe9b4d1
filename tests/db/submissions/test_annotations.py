"""Tags and notes by moderators: what is stored, what is refused, and what happens to them when the run changes."""

import json
from pathlib import Path

import pytest

from db import submissions
from db.base.clock import utc_now
from db.base.errors import NotFoundError
from db.base.problems import RefusedError
from db.bootstrap import integrity
from db.leaderboard.board import board as load_board
from db.leaderboard.filters import Filter, select
from db.runs import bundles, detail
from db.storage.changes import KEYS
from db.storage.store import Store
from db.submissions import annotations
from tests.factories.drafts import MINI, draft
from tests.factories.rows import contents
from tests.factories.runs import add_run, in_one_write

NOTE = "Odd loss at epoch 2.\n손실이 이상함 <b>"


def _shown(board: Store, run_id: str) -> tuple[list[str], str | None]:
    run = detail.run_detail(board, run_id).run
    assert (run["moderator_note"] is None) == (run["moderator_note_at"] is None)
    return run["tags"], run["moderator_note"]


def test_tags_and_a_note_are_stored_and_each_change_is_in_the_audit(board: Store) -> None:
    """Small letters in one normal form, each tag once; a change that changes nothing leaves no entry."""
    run_id = add_run(board, accuracy=0.8)
    started = utc_now()
    decomposed = "\u1100\u116a\u1106\u1169\u11a8-2026"
    assert submissions.annotate(board, run_id[:8], add=["Outlier", decomposed, "outlier "], by="me@example.org") == [
        "outlier",
        "과목-2026",
    ]
    submissions.annotate(board, run_id, note=" Odd loss at epoch 2.\r\n손실이 이상함 <b>")
    assert _shown(board, run_id) == (["outlier", "과목-2026"], NOTE)
    assert started <= detail.run_detail(board, run_id).run["moderator_note_at"] <= utc_now()
    submissions.annotate(board, run_id, add=["outlier"], remove=["absent"], note=NOTE)
    submissions.annotate(board, run_id, remove=["OUTLIER"], note="  ")
    assert _shown(board, run_id) == (["과목-2026"], None)
    entries = annotations.history(board, run_id)
    assert [json.loads(details) for details in entries["details"]] == [
        {"added": ["outlier", "과목-2026"], "by": "me@example.org"},
        {"note": NOTE},
        {"removed": ["outlier"], "note": ""},
    ]
    assert set(zip(entries["action"], entries["actor"], strict=True)) == {("annotated", "moderator")}
    assert integrity.check(board) == []
    assert annotations.tags_in_use(board) == ["과목-2026"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"add": [""]}, "is required"),
        ({"add": ["two words"]}, "may have letters, digits"),
        ({"add": ["-x"]}, "begins with a letter or a digit"),
        ({"add": ["a,b"]}, "may have letters, digits"),
        ({"add": ["tag\u200b"]}, "invisible character U\\+200B"),
        ({"add": ["\u3164"]}, "invisible character U\\+3164"),
        ({"add": ["a\u200db"]}, "may have letters, digits"),
        ({"add": ["\u043eutlier"]}, "looks like the Latin letter o"),
        ({"add": ["x" * 31]}, "31 characters; at most 30"),
        ({"add": [f"t{n}" for n in range(11)]}, "10 tags at most"),
        ({"add": ["fine"], "note": "x" * 2001}, "2,001 characters; at most 2,000"),
        ({"note": "a\u202eb"}, "invisible character U\\+202E"),
    ],
)
def test_what_cannot_be_stored_changes_nothing(board: Store, change: dict, message: str) -> None:
    run_id = add_run(board, accuracy=0.8)
    submissions.annotate(board, run_id, add=["kept"], note="kept")
    before = contents(board, "annotations", "submission_audit")
    with pytest.raises(RefusedError, match=message):
        submissions.annotate(board, run_id, **change)
    assert contents(board, "annotations", "submission_audit") == before


def test_an_unknown_run_has_no_tags(board: Store) -> None:
    with pytest.raises(NotFoundError):
        submissions.annotate(board, "no-such-run", add=["x"])


def test_a_row_of_several_seeds_has_the_tags_of_all_and_is_found_by_each(board: Store) -> None:
    """A failed seed counts too; a tag is matched whole."""
    with in_one_write(board) as store:
        seeds = [add_run(store, accuracy=0.8, seed=seed) for seed in range(3)]
        add_run(store, accuracy=0.7, name="Other", recipe_hash="other", dataset="other")
    submissions.annotate(board, seeds[0], add=["outlier"])
    submissions.annotate(board, seeds[2], add=["course-2026", "outlier"])
    shown = load_board(board, MINI, every_run=False)
    assert shown.rows["tags"].fillna("").tolist() == ["course-2026 outlier", ""]
    assert shown.members(0)["tags"].fillna("").tolist() == ["outlier", "", "course-2026 outlier"]
    for tags, expected in (
        (("outlier",), [0]),
        (("course", "out"), []),
        (("nothing", "Course-2026"), [0]),
        ((), [0, 1]),
    ):
        assert select(shown, Filter(tags=tags)).tolist() == expected
    every = load_board(board, MINI)
    assert every.rows["run_id"].iloc[select(every, Filter(tags=("course-2026",)))].tolist() == [seeds[2]]


def test_a_withdrawn_run_keeps_them_and_its_submission_shows_the_change(board: Store) -> None:
    submission = submissions.submit(board, [draft()]).submissions[0]
    run_id = submissions.accept(board, submission)
    submissions.annotate(board, run_id, add=["outlier"], note="Why?")
    submissions.withdraw(board, submission)
    assert _shown(board, run_id) == (["outlier"], "Why?")
    assert submissions.history(board, submission)["action"].tolist() == [
        "submitted",
        "accepted",
        "annotated",
        "withdrawn",
    ]


def test_no_bundle_carries_them_and_a_replaced_run_keeps_them(board: Store, tmp_path: Path) -> None:
    """What travels is the run; nothing that can be sent or journalled names the table."""
    run_id = add_run(board, accuracy=0.8)
    submissions.annotate(board, run_id, add=["outlier"], note="Ours alone.")
    bundles.export_runs(board, tmp_path / "run.zip")
    assert b"annotations" not in (tmp_path / "run.zip").read_bytes()
    assert "annotations" not in KEYS
    with board.transaction() as con:
        con.execute("UPDATE runs SET updated_at = updated_at - INTERVAL 1 DAY")
    assert bundles.import_runs(board, tmp_path / "run.zip").updated == 1
    assert _shown(board, run_id) == (["outlier"], "Ours alone.")
