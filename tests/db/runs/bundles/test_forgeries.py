"""What somebody might try with a bundle: each attempt ends without a badge, without a changed row, and with words."""

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest

from db import submissions
from db.base.clock import utc_now
from db.base.errors import BundleError
from db.bootstrap.create import initialise
from db.registry import tasks
from db.runs import bundles, detail, gold_labels
from db.runs.writer import MetricValue, metrics_change
from db.storage import installation
from db.storage.changes import Change, pack, unpack
from db.storage.store import Store
from db.submissions.drafts import receive_bundle
from tests.factories.drafts import draft, make_predictions
from tests.factories.importer_files import unzipped, zipped
from tests.factories.rows import change, contents, model_row, run_row, value_of

TASK = tasks.by_id("reviews-ko-mini")
RUN = "forged-0000001"


def _golds() -> dict[str, str]:
    file = gold_labels.file_of(TASK)
    assert file is not None
    return gold_labels.of_file(TASK, file)


def _predictions(labels: dict[str, str], right: int | None = None) -> pd.DataFrame:
    gold = list(labels.values())
    count = len(gold) if right is None else right
    predicted = [label if n < count else str(1 - int(label)) for n, label in enumerate(gold)]
    return pd.DataFrame({"run_id": RUN, "example_id": list(labels), "gold": gold, "predicted": predicted})


def _bundle(rows: pd.DataFrame, accuracy: float = 1.0, **columns: object) -> bytes:
    """A bundle of one run, not signed."""
    run = {**run_row(RUN, task_id=TASK.task_id, verified=True), **columns}
    rows = rows.assign(run_id=run["run_id"])
    figures = metrics_change(str(run["run_id"]), [MetricValue("accuracy", accuracy, len(rows))])
    batch = [change("models", model_row()), change("runs", run), figures, Change("predictions", rows, "replace")]
    return pack(batch, bundles.KIND)


def _permuted(labels: dict[str, str]) -> dict[str, str]:
    return dict(zip(labels, [*list(labels.values())[1:], next(iter(labels.values()))], strict=True))


GOLDS: dict[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "invented ids": lambda labels: {f"x{n}": label for n, label in enumerate(labels.values())},
    "invented golds": lambda labels: dict.fromkeys(labels, "1"),
    "permuted golds": _permuted,
    "a subset": lambda labels: dict(list(labels.items())[:150]),
    "a superset": lambda labels: {**labels, "another": "1"},
    "another split": lambda labels: {f"train-{name}": label for name, label in labels.items()},
}


@pytest.mark.parametrize("forge", GOLDS.values(), ids=GOLDS)
def test_golds_that_are_not_those_of_the_data_give_no_badge(
    board: Store, forge: Callable[[dict[str, str]], dict[str, str]]
) -> None:
    """Gold equal to predicted at 100%, and a bundle that says verified: the run is there, without a badge."""
    assert bundles.import_bytes(board, _bundle(_predictions(forge(_golds()))), "x").added == 1
    assert not value_of(board, "SELECT verified FROM runs WHERE run_id = ?", RUN)


def test_doubled_ids_give_no_badge(board: Store) -> None:
    """Two hundred rows of which one example comes twice."""
    rows = _predictions(_golds())
    bundles.import_bytes(board, _bundle(pd.concat([rows[:199], rows[:1]])), "x")
    assert not value_of(board, "SELECT verified FROM runs WHERE run_id = ?", RUN)


def test_a_split_of_another_name_gives_no_badge(board: Store) -> None:
    """Even with the golds of the test split."""
    bundles.import_bytes(board, _bundle(_predictions(_golds()), split="train"), "x")
    assert not value_of(board, "SELECT verified FROM runs WHERE run_id = ?", RUN)


def test_the_right_golds_and_figures_give_the_badge(board: Store) -> None:
    """The rules above refuse forgeries, not bundles."""
    bundles.import_bytes(board, _bundle(_predictions(_golds(), 150), 0.75, verified=False), "x")
    assert value_of(board, "SELECT verified FROM runs WHERE run_id = ?", RUN)


def test_golds_of_an_unverified_run_judge_nobody(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """An honest submission is not held against invented golds."""
    honest = _predictions(_golds(), 175)[["example_id", "predicted"]]
    bundles.import_bytes(board, _bundle(_predictions(dict.fromkeys(_golds(), "1"))), "x")
    monkeypatch.setattr(gold_labels, "file_of", lambda task: None)
    claim = submissions.read(board, submissions.submit(board, [draft()]).submissions[0]).claim
    assert submissions.verify_claim(board, claim, honest).state == "no golds"


def test_a_copy_of_the_predictions_of_another_model_is_flagged(board: Store) -> None:
    """By the run that it equals."""
    bundles.import_bytes(board, _bundle(_predictions(_golds(), 175), 0.875), "x")
    claim = submissions.read(board, submissions.submit(board, [draft()]).submissions[0]).claim
    report = submissions.verify_claim(board, claim, _predictions(_golds(), 175)[["example_id", "predicted"]])
    assert f"exactly those of run {RUN[:12]}" in " ".join(str(flag) for flag in report.flags)


@pytest.fixture
def far(board: Store, tmp_path: Path) -> Store:
    """Another installation, with the same rows and another key."""
    (tmp_path / "far").mkdir()
    return Store(Path(shutil.copyfile(board.path, tmp_path / "far" / "board.duckdb")))


def _overwrite(store: Store, forger: Store, run_id: str, source: str) -> tuple[str, bool]:
    """Import a forged, signed, newer run under an id; returns the words, and whether every row is as it was."""
    content = _bundle(_predictions(_golds()), run_id=run_id, source=source, updated_at=utc_now())
    before = contents(store)
    done = bundles.import_bytes(store, installation.sign(content, forger.path), "x")
    assert (done.added, done.updated, done.refused) == (0, 0, 1)
    return done.note, contents(store) == before


@pytest.mark.parametrize(("source", "words"), [("reported", "printed rows"), ("measured", "come with the package")])
def test_a_printed_row_stays(board: Store, far: Store, source: str, words: str) -> None:
    """With its citation, whatever source the bundle claims."""
    run_id = value_of(board, "SELECT min(run_id) FROM runs WHERE source = 'reported'")
    note, unchanged = _overwrite(board, far, run_id, source)
    assert words in note
    assert unchanged


def test_a_row_of_the_package_stays(board: Store, far: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its predictions and badge too; ``db init`` alone replaces it."""
    monkeypatch.setattr(bundles, "shipped", lambda: [("package", _bundle(_predictions(_golds(), 150), 0.75))])
    initialise(board)
    note, unchanged = _overwrite(board, far, RUN, "measured")
    assert "`featherboard db init` alone replaces them" in note
    assert unchanged


@pytest.mark.parametrize("signed", [True, False])
def test_a_verified_run_of_this_installation_stays(board: Store, far: Store, signed: bool) -> None:
    """A bundle of another key, or of none, adds runs and changes none."""
    board.write(unpack(_bundle(_predictions(_golds(), 150), 0.75), bundles.KIND, "own"))
    if signed:
        note, unchanged = _overwrite(board, far, RUN, "measured")
        assert "belong to another installation" in note
        assert unchanged
    else:
        done = bundles.import_bytes(board, _bundle(_predictions(_golds()), updated_at=utc_now()), "x")
        assert (done.updated, done.refused) == (0, 1)


def test_a_submitted_run_stays(board: Store, far: Store) -> None:
    """A bundle that says measured is another source."""
    receipt = submissions.submit(board, [draft()], predictions=make_predictions(board, 175))
    run_id = submissions.accept(board, receipt.submissions[0])
    note, unchanged = _overwrite(board, far, run_id, "measured")
    assert "they are submitted here, and the bundle says measured" in note
    assert unchanged


def test_a_withdrawn_run_does_not_come_back(board: Store, far: Store) -> None:
    """Not even from where it came."""
    content = _bundle(_predictions(_golds(), 150), 0.75)
    bundles.import_bytes(board, installation.sign(content, far.path), "x")
    with board.transaction() as con:
        con.execute("INSERT INTO withdrawals VALUES (?, 'asked for', ?)", [RUN, utc_now()])
    note, unchanged = _overwrite(board, far, RUN, "measured")
    assert "withdrawn here" in note
    assert unchanged


@pytest.mark.parametrize("column", ["updated_at", "created_at", "finished_at"])
def test_a_date_in_2261_is_refused(board: Store, column: str) -> None:
    """Such a run could never be replaced again."""
    before = contents(board)
    late = pd.Timestamp("2261-01-01")
    with pytest.raises(BundleError, match=r"2261-01-01, which is in the future; nothing was changed"):
        bundles.import_bytes(board, _bundle(_predictions(_golds()), **{column: late}), "x")
    assert contents(board) == before


def test_only_the_same_key_replaces_and_the_former_version_stays(board: Store, far: Store, tmp_path: Path) -> None:
    """A bundle signed by another key is refused, by the same one taken; a moderator may do it, and history shows it."""
    first = _bundle(_predictions(_golds(), 150), 0.75)
    bundles.import_bytes(board, installation.sign(first, far.path), "x")
    third = tmp_path / "third.duckdb"
    newer = _bundle(_predictions(_golds(), 160), 0.8, updated_at=utc_now() - timedelta(hours=1))
    assert bundles.import_bytes(board, installation.sign(newer, third), "x").refused == 1
    assert bundles.import_bytes(board, installation.sign(newer, far.path), "x").updated == 1
    newest = installation.sign(_bundle(_predictions(_golds(), 170), 0.85, updated_at=utc_now()), third)
    assert bundles.import_bytes(board, newest, "x").refused == 1
    assert bundles.import_bytes(board, newest, "x", replace=[RUN]).updated == 1
    versions = detail.run_detail(board, RUN).versions
    assert versions["version"].tolist() == [2, 1]
    assert [json.loads(figures)["accuracy"] for figures in versions["figures"]] == [0.8, 0.75]
    former = board.query("SELECT content FROM run_versions WHERE version = 1")["content"].iloc[0]
    rows = {part.table: part.rows for part in unpack(bytes(former), bundles.KIND, "x")}
    assert len(rows["predictions"]) == 200


def test_a_bundle_sets_no_tags(board: Store) -> None:
    """A table of them in it, beside an honest run: it is refused as a whole."""
    members = unzipped(_bundle(_predictions(_golds(), 150), 0.75))
    manifest = json.loads(members["manifest.json"])
    manifest["changes"].append({"member": "tags.parquet", "table": "annotations", "mode": "upsert", "rows": 1})
    members["manifest.json"] = json.dumps(manifest).encode()
    members["tags.parquet"] = pd.DataFrame({"run_id": [RUN], "tags": [["best"]], "note": ["The best."]}).to_parquet()
    before = contents(board)
    with pytest.raises(BundleError, match="nothing was read"):
        bundles.import_bytes(board, zipped(members), "x")
    assert contents(board) == before


def test_a_bundle_that_was_changed_after_it_was_signed_is_refused(board: Store, far: Store, tmp_path: Path) -> None:
    """Another member, another manifest, or the id of another installation in it."""
    signed = installation.sign(_bundle(_predictions(_golds(), 150), 0.75), far.path)
    members = unzipped(_bundle(_predictions(_golds())))
    mark, thief = (installation.own_id(path).encode() for path in (far.path, tmp_path / "thief.duckdb"))
    edits: list[Callable[[str, bytes], bytes]] = [
        lambda name, held: members[name] if name.endswith("predictions.parquet") else held,
        lambda _, held: held.replace(b'"rows": 200', b'"rows": 201'),
        lambda _, held: held.replace(mark, thief),
        lambda _, held: held.replace(mark, b"no key"),
    ]
    before = contents(board)
    for edit in edits:
        content = zipped({name: edit(str(name), held) for name, held in unzipped(signed).items()})
        with pytest.raises(BundleError, match=r"sign.*nothing was changed"):
            bundles.import_bytes(board, content, "x")
    assert contents(board) == before


def test_a_push_that_names_the_run_of_somebody_else_changes_nothing(board: Store, far: Store, tmp_path: Path) -> None:
    """A valid token adds runs and names them; it gives no right to those of others."""
    first = installation.sign(_bundle(_predictions(_golds(), 150), 0.75), far.path)
    assert receive_bundle(board, first, "pi-kitchen").added == 1
    before = contents(board)
    forged = _bundle(_predictions(_golds()), updated_at=utc_now())
    done = receive_bundle(board, installation.sign(forged, tmp_path / "thief.duckdb"), "pi-hall")
    assert (done.updated, done.refused) == (0, 1)
    assert "belong to another installation" in done.note
    assert contents(board) == before
    run = detail.run_detail(board, RUN).run
    assert (run["origin"], run["received_by"]) == ("pushed", "pi-kitchen")
    assert run["installation"] == installation.own_id(far.path)
