"""The commands by which runs are handed in, verified and decided on."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from dashboard.moderation import token
from db import importers, submissions
from db.base.errors import FeatherboardError, NotFoundError, SubmissionError
from db.base.paths import default_database
from db.importers import ImportedFile
from db.runs import detail
from db.storage.store import Store
from db.submissions import drafts
from db.submissions.drafts import gather, prepared
from engine.cli.app import app
from tests.factories.drafts import MINI, TOKEN, curve, draft, make_predictions
from tests.factories.runs import add_run, leaderboard


def _file(*rows: dict[str, Any], kind: str = "table", **more: Any) -> ImportedFile:
    """What an importer reads."""
    return ImportedFile(kind, rows, **more)


@pytest.fixture
def store(board: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The user's own board, with a moderator."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    monkeypatch.setenv(token.VARIABLE, TOKEN)
    assert default_database() == board.path.resolve()
    return board


def _run(*words: str, text: str = "") -> str:
    """What a command prints; errors of ours are raised."""
    done = CliRunner().invoke(app, list(words), input=text, catch_exceptions=True, env={"COLUMNS": "400"})
    if isinstance(done.exception, FeatherboardError):
        raise done.exception
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


_MINE = ("--set", f"task={MINI}", "--set", "model=Featherweight")


def test_a_row_goes_from_the_command_line_to_the_board(store: Store) -> None:
    """Handed in, listed, looked at, accepted, seen by its submitter, taken back."""
    output = _run(
        "submit",
        *_MINE,
        "--set",
        "metrics.accuracy=87.5%",
        "--set",
        "training.lr=0.001",
        "--set",
        "contact=me@example.org",
    )
    secret = output.rsplit("this once: ", 1)[1].strip()
    (status,) = submissions.status(store, secret)
    listed = _run("moderate", "list")
    assert status.submission_id[:12] in listed
    assert "87.50%" in listed
    add_run(store, accuracy=0.8, name="Featherweight")
    shown = _run("moderate", "show", status.submission_id[:8])
    for text in ("me@example.org", "training.lr", "it would rank 1-2 of 2 rows", "no predictions", "+7.50"):
        assert text in shown
    assert "is on the board as run" in _run("moderate", "accept", status.submission_id)
    assert "submitted" in leaderboard(store, MINI)["source"].tolist()
    assert "accepted" in _run("submit", "--status", text=secret + "\n")
    assert "withdrawn" in _run("submit", "--take-back", status.submission_id[:12], text=secret + "\n")
    assert leaderboard(store, MINI)["source"].tolist() == ["measured"]
    assert "withdrawn" in _run("moderate", "list", "--state", "all")


def test_predictions_alone_are_enough(store: Store, tmp_path: Path) -> None:
    """Their score is the row's; where they give none, the reason stands above the refusal."""
    file = tmp_path / "predictions.csv"
    make_predictions(store, 150).to_csv(file, index=False)
    shown = _run("submit", str(file), *_MINE, "--dry-run")
    assert "Verified: all 200 examples" in shown
    assert "75.00%" in shown
    assert "wait for a moderator" in _run("submit", str(file), *_MINE)
    file.write_text("example_id,predicted\nx,1\n", "utf-8")
    for words in ((), ("--dry-run",)):
        done = CliRunner().invoke(app, ["submit", str(file), *_MINE, *words], env={"COLUMNS": "400"})
        assert "200 have no answer, 1 are not of this split" in done.output
        assert isinstance(done.exception, SubmissionError)


def test_a_dry_run_shows_the_score_of_each_row(store: Store, tmp_path: Path) -> None:
    """Of two runs of one model the board shows the newer one, and the other is not shown as having its score."""
    file = tmp_path / "two.csv"
    file.write_text(f"model,task,accuracy\nA,{MINI},0.8712\nA,{MINI},0.52\n", "utf-8")
    lines = [line.split() for line in _run("submit", str(file), "--dry-run").splitlines() if MINI in line]
    assert [line[2] for line in lines] == ["87.12%", "52.00%"]
    assert "52.00%, a newer run" in " ".join(lines[0])


def test_tags_and_notes_have_their_commands(store: Store) -> None:
    run_id = add_run(store, accuracy=0.8)
    assert "course-2026, outlier" in _run("moderate", "tag", run_id[:8], "Outlier", "course-2026")
    assert "outlier" not in _run("moderate", "untag", run_id, "outlier")
    _run("moderate", "note", run_id, "Timed on a busy machine.")
    run = detail.run_detail(store, run_id).run
    assert (run["tags"], run["moderator_note"]) == (["course-2026"], "Timed on a busy machine.")
    assert "no note" in _run("moderate", "note", run_id, "")
    with pytest.raises(FeatherboardError, match="begins with a letter"):
        _run("moderate", "tag", run_id, "--", "-1")


def test_decisions_have_their_commands(store: Store) -> None:
    ids = [submissions.submit(store, [draft(seed=n)], via="cli").submissions[0] for n in range(3)]
    _run("moderate", "reject", ids[0], "--reason", "Not this split.")
    _run("moderate", "merge", ids[1], ids[2], "--reason", "Twice.")
    _run("moderate", "withdraw", ids[2])
    queue = submissions.queue(store, states=()).set_index("submission_id")
    assert queue["state"].loc[ids].tolist() == ["rejected", "merged", "withdrawn"]
    assert queue["reason"].loc[ids[:2]].tolist() == ["Not this split.", "Twice."]
    with pytest.raises(FeatherboardError, match="There is no state 'lost'"):
        _run("moderate", "list", "--state", "lost")


def test_what_came_together_is_decided_together(store: Store) -> None:
    """A table of many rows is one decision; what was decided before stays."""
    ids = submissions.submit(store, [draft(seed=n) for n in range(4)], via="cli").submissions
    other = submissions.submit(store, [draft(seed=9)], via="cli").submissions[0]
    _run("moderate", "reject", ids[0], "--reason", "No.")
    output = _run("moderate", "accept", ids[2], "--together")
    assert output.count("is on the board as run") == 3
    states = submissions.queue(store, states=()).set_index("submission_id")["state"]
    assert states.loc[[*ids, other]].tolist() == ["rejected", "accepted", "accepted", "accepted", "waiting"]
    with pytest.raises(FeatherboardError, match=r"is waiting\. Nothing was changed"):
        _run("moderate", "reject", ids[0], "--reason", "No.", "--together")


def test_whoever_can_open_the_database_decides(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token is for the page; on the machine itself nobody would be asked but the file's own owner."""
    monkeypatch.delenv(token.VARIABLE)
    (submission_id,) = submissions.submit(store, [draft()], via="cli").submissions
    assert submission_id[:12] in _run("moderate", "list")
    _run("moderate", "accept", submission_id)
    assert submissions.history(store, submission_id)["actor"].tolist() == ["submitter", "moderator"]


def test_what_is_wrong_is_listed_and_nothing_is_taken(store: Store) -> None:
    done = CliRunner().invoke(
        app, ["submit", *_MINE, "--set", "metrics.accuracy=87.5", "--set", "seed=x"], env={"COLUMNS": "400"}
    )
    assert isinstance(done.exception, SubmissionError)
    assert "correct the 2 problem(s) above. Nothing was saved." in str(done.exception)
    assert 'row 1, metrics.accuracy: must be a fraction of 1: write 87.5% as 0.875 or "87.5%"' in done.output
    for words, message in (
        (("--set", "colour=red"), "no field 'colour'"),
        (("--set", "model"), "is not a pair"),
        (("--set", "metrics=1"), "no field 'metrics'"),
        (("--set", "model.x=1"), "no field"),
        (("nowhere.csv",), "There is no file nowhere.csv"),
    ):
        with pytest.raises(SubmissionError, match=message):
            _run("submit", *words)
    assert submissions.queue(store).empty


def test_a_look_hands_nothing_in(store: Store) -> None:
    add_run(store, accuracy=0.99)
    output = _run("submit", *_MINE, "--set", "metrics.accuracy=0.5", "--dry-run")
    assert "2 of 2" in output
    assert "Nothing was submitted." in output
    assert submissions.queue(store).empty


def test_verify_says_what_it_found(store: Store) -> None:
    assert "No submitted run" in _run("verify", "--all")
    submission_id = submissions.submit(
        store, [draft(metrics={"accuracy": 0.9})], predictions=make_predictions(store, 175)
    ).submissions[0]
    run_id = submissions.accept(store, submission_id)
    assert "Accuracy 90.00% claimed, 87.50% found" in _run("verify", run_id[:12])
    assert "0 of 1 run(s) are verified now." in _run("verify", "--all")
    for words in ((), ("x", "--all")):
        with pytest.raises(FeatherboardError, match="Name one run, or --all"):
            _run("verify", *words)
    with pytest.raises(NotFoundError):
        _run("verify", "nobody-at-all")


def test_files_go_through_the_importers(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the meaning of columns as it was said, else as it looks; what was not used is listed."""
    seen: list[tuple[str, object]] = []

    def read(name: str, content: bytes, mapping: dict[str, str] | None = None) -> ImportedFile:
        seen.append((name, mapping))
        if name == "preds.csv":
            return _file(kind="predictions", predictions=make_predictions(store, 175))
        return _file(draft(), unknown=("colour",), notes=("2 rows were empty.",))

    monkeypatch.setattr(importers, "LIMIT_BYTES", 1000)
    monkeypatch.setattr(importers, "read", read)
    monkeypatch.setattr(importers, "columns", lambda name, content: [("Acc", ["1"]), ("id", ["a"])])
    monkeypatch.setattr(importers, "guess", lambda columns: {"id": "example_id", "Acc": "metrics.f1"})
    for name in ("rows.csv", "preds.csv"):
        (tmp_path / name).write_text("x", "utf-8")
    files = [str(tmp_path / name) for name in ("rows.csv", "preds.csv")]
    output = _run("submit", *files, "--map", "Acc=metrics.accuracy", "--map", "other=notes")
    assert seen == [
        ("rows.csv", {"id": "example_id", "Acc": "metrics.accuracy"}),
        ("preds.csv", {"id": "example_id", "Acc": "metrics.accuracy"}),
    ]
    assert "Not used: rows.csv: colour" in output
    assert "rows.csv: 2 rows were empty." in output
    (row,) = submissions.queue(store).to_dict("records")
    assert (row["filename"], row["predictions"], row["via"]) == ("rows.csv, preds.csv", 200, "cli")
    (tmp_path / "big.csv").write_bytes(b"x" * 1001)
    with pytest.raises(SubmissionError, match=r"are read\. Nothing was saved"):
        _run("submit", str(tmp_path / "big.csv"))


def test_several_files_tell_of_one_run() -> None:
    """Figures, curves, counted parameters and predictions are put together."""
    gathered = gather(
        [
            ("all_results.json", _file({"metrics": {"accuracy": 0.5}, "train_seconds": 3})),
            ("trainer_state.json", _file({"metrics": {"eval_loss": 0.5}}, kind="trainer_state", curves=curve(1.0))),
            ("model.safetensors", _file(kind="safetensors", params=100)),
            ("preds.csv", _file(kind="predictions", predictions=pd.DataFrame({"example_id": ["a"]}), notes=("One.",))),
        ]
    )
    assert prepared(gathered.drafts, {"task": "nsmc", "metrics.accuracy": "60%"}) == [
        {
            "metrics": {"accuracy": "60%", "eval_loss": 0.5},
            "train_seconds": 3,
            "params": 100,
            "params_source": "safetensors",
            "task": "nsmc",
        }
    ]
    assert gathered.predictions is not None
    assert gathered.curves is not None
    assert gathered.notes == ("preds.csv: One.",)


def test_a_table_of_many_rows_stands_alone() -> None:
    many = _file({"model": "a"}, {"model": "b"})
    assert [draft["model"] for draft in gather([("rows.csv", many)]).drafts] == ["a", "b"]
    with pytest.raises(SubmissionError, match=r"rows\.csv has several rows.*preds\.csv belongs to"):
        gather([("rows.csv", many), ("preds.csv", _file(predictions=pd.DataFrame({"example_id": ["a"]})))])
    with pytest.raises(SubmissionError, match=r"a\.json and b\.json disagree about seed: 1 and 2"):
        gather([("a.json", _file({"seed": 1})), ("b.json", _file({"seed": 2}))])
    table = pd.DataFrame({"example_id": ["a"]})
    with pytest.raises(SubmissionError, match="both contain predictions"):
        gather([("a.csv", _file(predictions=table)), ("b.csv", _file(predictions=table))])
    assert gather([]).drafts == ({},)
    assert drafts.prepared([{}], {}) == [{}]
