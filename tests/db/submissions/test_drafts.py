"""Submitted runs in bundles: another machine's, and from hand to hand."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from db import submissions
from db.base.errors import BundleError
from db.runs import bundles
from db.runs.bundles import Imported
from db.storage.store import Store
from db.submissions.drafts import receive_bundle
from tests.factories.drafts import MINI, curve, draft, make_predictions
from tests.factories.rows import contents, value_of
from tests.factories.runs import add_run, leaderboard


@pytest.fixture
def bundle(board: Store) -> bytes:
    """Of one measured and one accepted submitted run."""
    fields = {
        "params": 27_394,
        "params_source": "config",
        "training": {"lr": 0.1},
        "seed": 3,
        "notes": "as\nsaid",
        "link": "https://example.org/m",
        "checkpoint": "https://example.org/w",
        "contact": "me@example.org",
        "train_seconds": 12.5,
        "teacher": "Big",
        "dataset": "nsmc",
        "device": "a laptop",
    }
    receipt = submissions.submit(
        board, [draft(**fields)], predictions=make_predictions(board, 175), curves=curve(0.5, 0.25)
    )
    submissions.accept(board, receipt.submissions[0])
    add_run(board, accuracy=0.8)
    return bundles.bundle(board)[0]


@pytest.fixture
def far(_initialised: Path, tmp_path: Path) -> Store:
    """Another board."""
    return Store(Path(shutil.copyfile(_initialised, tmp_path / "far.duckdb")))


def test_a_pushed_claim_waits_and_a_pushed_measurement_does_not(bundle: bytes, far: Store) -> None:
    """The receipt says so; sending again changes nothing."""
    assert receive_bundle(far, bundle, "pi5") == Imported(1, 0, 0, "1 submitted run(s) wait there for a moderator.")
    assert leaderboard(far, MINI)["source"].tolist() == ["measured"]
    (waiting,) = submissions.queue(far).to_dict("records")
    assert (waiting["via"], waiting["state"], waiting["predictions"]) == ("quack", "waiting", 200)
    assert receive_bundle(far, bundle, "pi5") == Imported(0, 0, 1)
    submission = submissions.read(far, waiting["submission_id"])
    claim = submission.claim
    assert (claim.params, claim.training, claim.seed, claim.notes) == (27_394, {"lr": 0.1}, 3, "as\nsaid")
    assert (claim.link, claim.checkpoint, claim.contact) == ("https://example.org/m", "https://example.org/w", "")
    assert (claim.train_seconds, claim.teacher, claim.dataset, claim.device) == (12.5, "Big", "nsmc", "a laptop")
    submissions.accept(far, submission.status.submission_id)
    assert receive_bundle(far, bundle, "pi5") == Imported(0, 0, 1)
    row = leaderboard(far, MINI).set_index("source").loc["submitted"]
    assert row["verified"]
    assert value_of(far, "SELECT count(*) FROM curves WHERE run_id = ?", row["run_id"]) == 2


def test_a_pushed_claim_that_is_none_refuses_the_bundle(board: Store, store: Store) -> None:
    """Nothing of it goes in, and the sender is told which field is wrong."""
    receipt = submissions.submit(board, [draft()])
    submissions.accept(board, receipt.submissions[0])
    add_run(board, accuracy=0.8)
    changes = bundles.changes.unpack(bundles.bundle(board)[0], "run bundle", "a test")
    for change in changes:
        if change.table == "runs":
            change.rows["notes"] = "a\x00b"
    content = bundles.changes.pack(changes, "run bundle")
    with pytest.raises(BundleError, match="notes: contains the invisible character"):
        receive_bundle(store, content, "pi5")
    assert not store.exists() or value_of(store, "SELECT count(*) FROM runs") == 0


def test_a_bundle_of_anything_is_refused_as_before(store: Store) -> None:
    with pytest.raises(BundleError):
        receive_bundle(store, b"no bundle", "x")
    odd = bundles.changes.pack([bundles.Change("runs", pd.DataFrame({"run_id": ["a"]}))], "run bundle")
    with pytest.raises(BundleError, match="'source'; nothing was changed"):
        receive_bundle(store, odd, "x")


def test_an_import_by_hand_moves_accepted_runs(bundle: bytes, store: Store) -> None:
    """Whoever is at the command line holds the database; nothing private comes along, and no decision."""
    done = bundles.import_bytes(store, bundle, "a test")
    assert (done.added, done.note) == (2, "")
    before = contents(store, "submissions", "submission_audit", "withdrawals")
    assert before == {"submissions": [], "submission_audit": [], "withdrawals": []}


def test_a_withdrawn_run_stays_away_when_it_comes_again(board: Store, bundle: bytes) -> None:
    submission_id = submissions.queue(board, states=["accepted"])["submission_id"][0]
    submissions.withdraw(board, submission_id)
    bundles.import_bytes(board, bundle, "a test")
    assert leaderboard(board, MINI)["source"].tolist() == ["measured"]
