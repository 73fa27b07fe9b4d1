"""Runs that try to change rows they stand beside: by a seed, a recipe, a name, an id, a figure or a time."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from db.analysis import comparison
from db.base.clock import utc_now
from db.base.errors import BundleError
from db.bootstrap import integrity
from db.leaderboard.board import board as read_board
from db.leaderboard.models import model
from db.leaderboard.overview import cells, overview
from db.registry import tasks
from db.runs import bundles, detail, gold_labels
from db.runs.bundles import Imported
from db.runs.writer import MetricValue, metrics_change
from db.statistics import qa_scoring
from db.statistics.intervals import wilson
from db.storage import installation, seals
from db.storage.changes import Change, pack
from db.storage.store import Store
from tests.factories.rows import T0, change, contents, model_row, run_row, value_of

TASK = tasks.by_id("reviews-ko-mini")
OWN = {"recipe": "r", "recipe_hash": "r0", "dataset_hash": "d0", "device": "a CPU, 1 thread(s)"}


def _predictions(right: int) -> pd.DataFrame:
    file = gold_labels.file_of(TASK)
    assert file is not None
    labels = gold_labels.of_file(TASK, file)
    predicted = [label if n < right else str(1 - int(label)) for n, label in enumerate(labels.values())]
    return pd.DataFrame({"example_id": list(labels), "gold": list(labels.values()), "predicted": predicted})


def _send(
    store: Store,
    run_id: str,
    *metrics: MetricValue,
    predictions: pd.DataFrame | None = None,
    model: dict[str, Any] | None = None,
    key: Path | None = None,
    shipped: bool = False,
    **columns: Any,
) -> Imported:
    """Import a run of model ``m`` with every other column as its sender likes it, signed where there is a key."""
    run = {**run_row(run_id, task_id=TASK.task_id, model_id="m"), **OWN, **columns}
    batch = [change("models", model or model_row("m")), change("runs", run), metrics_change(run_id, metrics)]
    if predictions is not None:
        batch.append(Change("predictions", predictions.assign(run_id=run_id), "replace"))
    content = pack(batch, bundles.KIND)
    if shipped:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bundles, "shipped", lambda: [("package", content)])
            bundles.import_shipped(store)
        return Imported(1, 0, 0)
    return bundles.import_bytes(store, installation.sign(content, key) if key else content, "x")


@pytest.fixture(scope="module")
def _packaged(shared_board: Store) -> Path:
    board = shared_board
    for seed, right in enumerate((150, 152, 154)):
        ends = wilson(right, 200)
        accuracy = MetricValue("accuracy", right / 200, 200, ends.low, ends.high)
        facts = {"seed": seed, "verified": True, "model": model_row("m", name="Lark", params=1000)}
        validation = MetricValue("validation_accuracy", 0.8)
        _send(board, f"kept-000{seed}", accuracy, validation, predictions=_predictions(right), shipped=True, **facts)
    return board.path


@pytest.fixture
def packaged(_packaged: Path, tmp_path: Path) -> Store:
    """A board with three verified seeds of the package; a copy, so a test may change it."""
    return Store(Path(shutil.copyfile(_packaged, tmp_path / "kept.duckdb")))


def _row(store: Store) -> dict[str, Any]:
    rows = read_board(store, TASK.task_id, every_run=False).rows
    own = rows[(rows["model"] == "Lark") & rows["owner"].isna()]
    assert len(own) == 1
    return own.drop(columns=["group", "rank", "pareto"]).iloc[0].fillna(0).to_dict()


@pytest.mark.parametrize(
    "columns",
    [
        {"seed": 1, "created_at": utc_now()},
        {"seed": 7},
        {"recipe_hash": "other", "seed": 0},
        {"seed": None},
        {"seed": 3, "status": "failed"},
    ],
    ids=["a newer seed", "a further seed", "a better recipe", "no seed", "a failed seed"],
)
def test_a_row_holds_no_run_of_another_installation(packaged: Store, tmp_path: Path, columns: dict[str, Any]) -> None:
    """Its mean, seeds, badge, costs and the run that it opens stay, whatever validation score a bundle states."""
    before = _row(packaged)
    figures = [MetricValue("accuracy", 0.01), MetricValue("validation_accuracy", 1.0)]
    key = tmp_path / "thief.duckdb" if columns["seed"] else None  # who signs nothing is no one of us either
    assert _send(packaged, "forged-0001", *figures, key=key, **columns).added == 1
    assert _row(packaged) == before
    chosen = comparison.choose(packaged, ["mean-kept-0001"])
    assert chosen.members == (("kept-0000", "kept-0001", "kept-0002"),)
    seeds = detail.run_detail(packaged, "kept-0001").seeds
    assert seeds is not None
    assert "forged-0001" not in set(seeds.runs["run_id"])


def test_a_model_of_the_same_name_does_not_speak_for_it(packaged: Store) -> None:
    """Neither on the overview nor with its facts on the model's page; a printed row goes before it too."""
    printed = value_of(
        packaged, "SELECT m.name FROM models m JOIN runs USING (model_id) WHERE task_id = 'nsmc' LIMIT 1"
    )
    for number, (name, task) in enumerate((("Lark", TASK.task_id), (printed, "nsmc"))):
        columns = {"model_id": f"evil-{number}", "task_id": task}
        facts = model_row(f"evil-{number}", name=name, params=10**12, licence="mine")
        shown = {}
        for when in ("before", "after"):
            read = cells(packaged)
            over = overview(read, [task], draws=2)
            index = over.models["model"].tolist().index(name)
            page = model(packaged, name, read, over, lambda task: read_board(packaged, task, every_run=False))
            assert page is not None
            shown[when] = (over.scores[index].tolist(), over.models["params"][index], page.facts["params"])
            if when == "before":
                _send(packaged, f"forged-000{number}", MetricValue("accuracy", 0.999), model=facts, **columns)
        np.testing.assert_array_equal(np.array(shown["before"][0]), np.array(shown["after"][0]))
        assert shown["before"][1:] == shown["after"][1:]


@pytest.mark.parametrize(
    "figures",
    [
        [MetricValue("accuracy", 0.75), MetricValue("macro_f1", 0.99)],
        [MetricValue("accuracy", 0.75), MetricValue("mcc", 0.99)],
        [MetricValue("accuracy", 0.75, 200, 0.7499, 0.7501)],
    ],
    ids=["macro-F1", "MCC", "a narrow interval"],
)
def test_every_figure_that_predictions_give_must_be_theirs(board: Store, figures: list[MetricValue]) -> None:
    """A right accuracy earns no badge for the figures beside it."""
    _send(board, "forged-0001", *figures, predictions=_predictions(150))
    assert not value_of(board, "SELECT verified FROM runs WHERE run_id = 'forged-0001'")


def test_a_copy_that_comes_in_a_bundle_is_flagged(packaged: Store) -> None:
    """In its caveat, by the run that it equals; the same recipe and seed may give the same predictions."""
    copied = _predictions(152)
    _send(
        packaged, "forged-0001", MetricValue("accuracy", 0.76), predictions=copied, model=model_row("n"), model_id="n"
    )
    _send(packaged, "repeat-0001", MetricValue("accuracy", 0.76), predictions=copied, seed=1)
    caveats = dict(
        packaged.query("SELECT run_id, caveat FROM runs WHERE run_id IN ('forged-0001', 'repeat-0001')").values
    )
    assert "exactly those of run kept-0001" in caveats["forged-0001"]
    assert "kept-0001" not in str(caveats["repeat-0001"])


@pytest.mark.parametrize(
    "run_id", ["../../etc", "mean-kept-0001", "", "x" * 65, "<b>b</b>", "packaged 0001", "packaged\n0001"]
)
def test_what_names_no_folder_and_no_address_is_no_id(packaged: Store, run_id: str) -> None:
    """An id becomes the name of a folder and a part of addresses."""
    before = contents(packaged)
    with pytest.raises(BundleError, match=r"no id of a run.*nothing was changed"):
        _send(packaged, run_id, MetricValue("accuracy", 0.5))
    assert contents(packaged) == before


def test_the_short_name_of_a_run_stays_its_own(packaged: Store) -> None:
    """Commands and links that name a run by its beginning do not break."""
    whole = "3f2dcb8b" + "a" * 24
    _send(packaged, whole, MetricValue("accuracy", 0.5), shipped=True, model_id="m", recipe_hash="x")
    _send(packaged, "3f2dcb8b" + "0" * 24, MetricValue("accuracy", 0.5))
    assert detail.run_detail(packaged, "3f2dcb8b").run["run_id"] == whole


def test_a_past_date_does_not_put_a_run_on_the_board_of_that_day(packaged: Store) -> None:
    """Nor does a heartbeat far ahead keep it running."""
    _send(packaged, "forged-0001", MetricValue("accuracy", 0.99), created_at=T0 - timedelta(days=900))
    rows = read_board(packaged, TASK.task_id, until=utc_now() - timedelta(minutes=1)).rows
    assert "forged-0001" not in set(rows["run_id"])
    with pytest.raises(BundleError, match="in the future"):
        _send(packaged, "forged-0002", status="running", heartbeat=pd.Timestamp("2261-01-01"))


@pytest.mark.parametrize("column", ["recipe_json", "libraries"])
def test_json_that_no_page_could_read_is_refused(packaged: Store, column: str) -> None:
    """The database takes it; the page of the run, and every analysis of recipes, would not."""
    before = contents(packaged)
    with pytest.raises(BundleError, match=rf"{column} cannot be read.*nothing was changed"):
        _send(packaged, "forged-0001", MetricValue("accuracy", 0.5), **{column: "[" * 50_000 + "]" * 50_000})
    assert contents(packaged) == before


def test_stated_scores_of_answers_count_only_where_their_texts_are_withheld(board: Store) -> None:
    """Texts are scored here: paired tests must not read what a sender says of them."""
    rows = pd.DataFrame(
        {
            "example_id": ["a", "b"],
            "gold": [qa_scoring.pack(["a lark"])] * 2,
            "predicted": ["a lark", "nothing"],
            **dict.fromkeys(("f1", "em", "f1_seed", "em_seed"), np.float32(1.0)),
        }
    )
    _send(board, "forged-0001", MetricValue("f1", 1.0), predictions=rows, task_id="squad")
    stored = board.query("SELECT f1, em FROM predictions WHERE run_id = 'forged-0001' ORDER BY example_id")
    assert stored.to_numpy().tolist() == [[1.0, 1.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE models SET params = 5 WHERE model_id = (SELECT min(model_id) FROM models)", "not the package's"),
        ("UPDATE tasks SET direction = 'min' WHERE task_id = 'nsmc'", "not the package's"),
        ("UPDATE outcomes SET n = n + 1 WHERE run_id = 'kept-0001'", "not those of their predictions"),
    ],
)
def test_tables_beside_the_runs_are_compared_too(
    packaged: Store, monkeypatch: pytest.MonkeyPatch, statement: str, words: str
) -> None:
    """`db check` finds what was changed in the file."""
    expected = _of(packaged)
    monkeypatch.setattr(integrity, "_packaged", lambda names: expected)
    assert integrity.check(packaged) == []
    with packaged.transaction() as con:
        con.execute(statement)
    assert any(words in finding for finding in integrity.check(packaged))


def _of(store: Store) -> pd.DataFrame:
    with store.read() as con:
        return pd.concat([seals.digests(con), integrity._table_digests(con)], ignore_index=True)
