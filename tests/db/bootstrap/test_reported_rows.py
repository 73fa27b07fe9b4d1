"""Reported rows: caveats where documents contradict themselves, intervals, ids, and what initialising twice does."""

import json

import pytest

from db.bootstrap import reported
from db.bootstrap.create import initialise
from db.bootstrap.reported import ReportedRun
from db.registry import tasks
from db.registry.metrics import METRICS
from db.statistics.intervals import wilson
from db.storage.store import Store
from tests.db.bootstrap.documents import CONFIGS, DECK, KORQUAD, MNLI, NAMES, TABLES, printed_row, rows_of, table_rows
from tests.factories.rows import contents, value_of, whole_run

WITHOUT_SHARE = {"KoBiLSTM-Tiny", "Transformer from scratch"}
CONTRADICTIONS = [
    (TABLES, "DistilKoBiLSTM-Mini", ["26", "31,594", "52,418", "27,394", "change places"]),
    (TABLES, "DistilKoBiLSTM-Tiny", ["16/16", "52,418", "Mini"]),
    (TABLES, "KoBiLSTM-Tiny", ["16/16", "epochs"]),
    (NAMES, "DistilKoBiLSTM-Mini", ["16/16", "52,418", "Tiny"]),
    (NAMES, "BiLSTMmodel 64/32 step43", ["base?", "146434", "391,170"]),
    (NAMES, "biLSTMmodel 128/64 step100", ["89.12", "87.79"]),
    (NAMES, "biLSTMmodel 16/16 step60", ["86.17", "59"]),
    (KORQUAD, "Base model, no pretraining", ["0.258", "0.0258"]),
    (KORQUAD, "Pre-trained model 1", ["4 to 6", "3", "8 more"]),
    (KORQUAD, "Pre-trained model 2", ["4 to 6", "3", "learning rate"]),
    (KORQUAD, "Pre-trained model 3", ["Lowest loss", "90 of 102"]),
    (MNLI, "DistilBERT, fine-tuned", ["rounded", "82.2"]),
    (MNLI, "Transformer from scratch", ["no figure"]),
    (DECK, "BERT-base on a Raspberry Pi 5", ["Not the official", "86.9"]),
]


@pytest.mark.parametrize(
    ("document", "name", "words"), CONTRADICTIONS, ids=[f"{d[:3]} {n}" for d, n, _ in CONTRADICTIONS]
)
def test_contradiction_carries_a_caveat(document: str, name: str, words: list[str]) -> None:
    """A row that its document, or another, contradicts says so in its caveat, with what the arithmetic gives."""
    rows = [row for row in rows_of(document) if row.name == name and bool(row.percent) == (name not in WITHOUT_SHARE)]
    assert rows, f"no row is called {name}"
    for row in rows:
        missing = [word for word in words if word not in (row.caveat or "")]
        assert missing == [], f"{missing} not in the caveat: {row.caveat}"


def test_rows_that_stand_twice_say_so() -> None:
    """Results that a document lists twice are kept, and each says so: step printed as time, and the copied row."""
    by_row = {printed_row(row): row.caveat or "" for row in rows_of(NAMES) if "loss_rate" in row.recipe}
    assert "step 100" in by_row[(64, 128, 0.1, 2, 30, 89.12, None)]
    assert "step 43" in by_row[(32, 64, 0.1, 5, 30, 87.16, None)]
    copies = [row.caveat or "" for row in table_rows() if row.time == "02:41:31"]
    assert len(copies) == 2
    assert all("both teachers" in caveat for caveat in copies)


def test_step_column_is_explained() -> None:
    """Every row whose document heads its epochs as Step says how that is read."""
    for row in [*table_rows(), *(row for row in rows_of(NAMES) if "loss_rate" in row.recipe)]:
        assert "headed Step" in (row.notes or ""), row.name
        assert "Naver shopping and Steam" in (row.notes or ""), row.name
        assert row.dataset == "nsmc+naver-shopping+steam", row.name


def test_shares_have_the_interval_of_their_count(board: Store) -> None:
    """An accuracy has Wilson's interval of its count; an F1, and a figure without a count, has none."""
    rows = board.query(
        "SELECT m.* FROM metrics m JOIN runs USING (run_id) WHERE source = 'reported' AND m.name IN ('accuracy', 'em')"
    )
    for row in rows[rows["n"].notna()].itertuples():
        interval = wilson(round(row.value * row.n), row.n)
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high)), row
    assert rows[rows["n"].isna()]["low"].isna().all()
    assert value_of(board, "SELECT count(low) FROM metrics WHERE name LIKE '%f1%'") == 0
    half = value_of(board, "SELECT max(high - low) / 2 FROM metrics WHERE name = 'accuracy' AND n = 50000")
    assert 0.0025 < half < 0.0033, "the half-width on 50,000 reviews is about 0.27 points"


def test_ids_are_stable_and_unique() -> None:
    """Every row has an id of its own that every load, so every installation, gives it again."""
    ids = [run_id for run_id, _, _ in reported.load()]
    assert len(set(ids)) == len(ids) == 100
    assert [run_id for run_id, _, _ in reported.load()] == ids


def test_every_row_names_a_known_task_model_and_metric() -> None:
    """A data file cannot name what does not exist, and no model is listed without a row."""
    known = set(CONFIGS)
    for _, _, row in reported.load():
        assert row.task in tasks.task_ids()
        assert row.model in known, row.name
        assert {*row.percent, *row.plain} <= METRICS.keys(), row.name
        json.dumps(row.recipe)


def test_unknown_metric_in_a_data_file_is_refused() -> None:
    """A misspelt metric is named, not stored."""
    row = ReportedRun(name="x", model="bert-base", task="nsmc", dataset="nsmc", split="test", percent={"acuracy": 1.0})
    with pytest.raises(ValueError, match="no metric is called acuracy"):
        reported._values(row)


@pytest.mark.parametrize(("clock", "seconds"), [("04:11:10", 15070), ("00:33:51", 2031), ("00:00:01.5", 1.5)])
def test_printed_times_are_seconds(clock: str, seconds: float) -> None:
    """A printed hh:mm:ss becomes seconds."""
    assert reported.seconds(clock) == seconds


def test_initialising_twice_changes_nothing(board: Store) -> None:
    """A second initialisation leaves every table as it was, dates included, and reports no new run."""
    before = contents(board)
    done = initialise(board)
    assert contents(board) == before
    assert (done.migrations, done.runs_before) == ([], done.runs_after)


def test_initialising_repairs_reported_rows_and_keeps_their_dates(board: Store) -> None:
    """A reported row that was changed or deleted comes back, and one that was changed keeps its date."""
    before = contents(board, "metrics", "models")
    created = value_of(board, "SELECT min(created_at) FROM runs WHERE source = 'reported'")
    with board.transaction() as con:
        con.execute("UPDATE runs SET caveat = NULL, created_at = ? WHERE source = 'reported'", [created])
        con.execute("UPDATE metrics SET value = 0.99 WHERE name = 'accuracy'")
        con.execute("UPDATE models SET params = 1")
    initialise(board)
    assert contents(board, "metrics", "models") == before
    assert value_of(board, "SELECT count(caveat) FROM runs") > 10
    assert value_of(board, "SELECT max(created_at) FROM runs WHERE source = 'reported'") == created


def test_initialising_keeps_own_runs(board: Store) -> None:
    """Runs of one's own are untouched by an update of the reported rows."""
    board.write(whole_run("run-00000001"))
    before = contents(board)
    initialise(board)
    assert contents(board) == before
