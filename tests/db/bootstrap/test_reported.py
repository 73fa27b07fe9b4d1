"""Reported results: every figure as its document prints it, typed here a second time from the documents."""

from collections import Counter

import pytest

from db.bootstrap import reported
from db.storage.store import Store
from tests.db.bootstrap.documents import DECK, KORQUAD, MNLI, NAMES, TABLES, printed_row, rows_of, size_of, table_rows
from tests.factories.rows import value_of

# (embedding, hidden, loss rate, temperature, epochs, accuracy, train time, step size), in the order of the documents.
SMALL_TEACHER = [
    (128, 256, 0.1, 2, 100, 89.12, "04:11:10", 5),
    (64, 128, 0, 1, 30, 87.84, "00:49:15", 5),
    (64, 128, 0, 2, 30, 87.74, "00:49:32", 5),
    (64, 128, 0, 3, 30, 87.83, "00:46:07", 5),
    (64, 128, 0, 10, 30, 87.74, "00:49:26", 5),
    (64, 128, 0.1, 1, 30, 88.20, "00:50:29", 5),
    (64, 128, 0.1, 2, 100, 89.12, "02:49:21", 5),
    (64, 128, 0.1, 2, 30, 87.98, "00:46:27", 5),
    (64, 128, 0.1, 3, 30, 88.09, "00:46:19", 5),
    (64, 128, 0.1, 4, 30, 87.94, "00:46:19", 5),
    (64, 128, 0.1, 10, 30, 87.76, "00:46:25", 5),
    (64, 128, 0.5, 10, 30, 87.92, "00:48:51", 5),
    (64, 128, 0.9, 10, 30, 87.61, "00:49:02", 5),
    (32, 64, 0.1, 1, 30, 86.83, "00:44:41", 5),
    (32, 64, 0.1, 2, 30, 87.17, "00:44:41", 5),
    (32, 64, 0.1, 2, 43, 87.16, None, 5),
    (32, 64, 0.1, 2, 100, 88.07, "02:42:16", 5),
    (32, 64, 0.1, 2, 100, 88.33, "02:41:31", 10),
    (32, 64, 0.1, 3, 30, 86.91, "00:45:07", 5),
    (32, 64, 0.1, 4, 30, 87.02, "00:44:47", 5),
    (32, 64, 0.1, 10, 30, 86.67, "00:44:34", 5),
    (32, 64, 0.9, 1, 30, 86.76, "00:44:40", 5),
    (32, 64, 0.9, 10, 30, 86.77, "00:44:34", 5),
    (8, 26, 0.1, 2, 100, 85.17, "02:13:56", 5),
    (16, 16, 0.1, 2, 59, 86.17, None, 5),
]
CYCLIC = [(64, 128, 0.1, 2, 100, 88.84, "02:47:51", 5), (32, 64, 0.1, 2, 55, 88.22, None, 5)]
BASE_TEACHER = [
    (128, 256, 0.1, 2, 55, 89.27, None, 5),
    (64, 128, 0.1, 2, 100, 88.45, "02:51:58", 5),
    (64, 128, 0.1, 2, 100, 88.56, "02:55:33", 10),
    (32, 64, 0.1, 2, 100, 88.33, "02:41:31", 10),
]
SECOND_DOCUMENT = [
    (64, 128, 0, 1, 30, 87.84, "00:49:15"),
    (64, 128, 0, 2, 30, 87.74, "00:49:32"),
    (64, 128, 0, 3, 30, 87.83, "00:46:07"),
    (64, 128, 0, 10, 30, 87.74, "00:49:26"),
    (64, 128, 0.1, 1, 30, 88.20, "00:50:29"),
    (64, 128, 0.1, 2, 100, 89.12, "02:49:21"),
    (64, 128, 0.1, 2, 30, 87.98, "00:46:27"),
    (64, 128, 0.1, 2, 30, 89.12, None),  # "step 100" is printed where the time should be
    (64, 128, 0.1, 3, 30, 88.09, "00:46:19"),
    (64, 128, 0.1, 4, 30, 87.94, "00:46:19"),
    (64, 128, 0.1, 10, 30, 87.76, "00:46:25"),
    (64, 128, 0.5, 10, 30, 87.92, "00:48:51"),
    (64, 128, 0.9, 10, 30, 87.61, "00:49:02"),
    (32, 64, 0.1, 1, 30, 86.83, "00:44:41"),
    (32, 64, 0.1, 2, 30, 87.17, "00:44:41"),
    (32, 64, 0.1, 2, 43, 87.16, None),
    (32, 64, 0.1, 3, 30, 86.91, "00:45:07"),
    (32, 64, 0.1, 4, 30, 87.02, "00:44:47"),
    (32, 64, 0.1, 5, 30, 87.16, None),  # "step 43" is printed where the time should be
    (32, 64, 0.1, 10, 30, 86.67, "00:44:34"),
    (32, 64, 0.9, 1, 30, 86.76, "00:44:40"),
    (32, 64, 0.9, 10, 30, 86.77, "00:44:34"),
    (16, 16, 0.1, 2, 59, 86.17, None),
]
# (embedding, hidden, epochs, parameters, accuracy, running time, distilled) of the file names below the second table.
FILE_NAMES = [
    (64, 128, 100, 391_170, 89.12, None, True),
    (16, 16, 60, 52_418, 86.15, None, True),
    (32, 64, 43, 146_434, 87.16, None, True),
    (8, 16, 100, 27_394, 85.09, "00:33:51", False),
    (8, 32, 100, 34_882, 85.47, "00:34:52", False),
    (32, 64, 100, 146_434, 87.51, "00:48:51", False),
    (64, 128, 100, 391_170, 87.79, "01:12:18", False),
    (64, 128, 100, 391_170, 88.40, None, True),
]


def test_first_table_has_every_row_as_printed() -> None:
    """All 31 rows of the first document, under their teacher and scheduler, agree in every column."""
    got = [(*printed_row(row), row.recipe["scheduler_step_size"]) for row in table_rows()]
    assert got == SMALL_TEACHER + CYCLIC + BASE_TEACHER
    assert (len(SMALL_TEACHER), len(CYCLIC), len(BASE_TEACHER)) == (25, 2, 4)
    teachers = [row.teacher for row in table_rows()]
    assert teachers == ["KoELECTRA-Small-v3"] * 27 + ["KoELECTRA-Base-v3"] * 4
    schedulers = [row.recipe["scheduler"] for row in table_rows()]
    assert schedulers == ["step"] * 25 + ["cyclic"] * 2 + ["step"] * 4


def test_first_table_names_are_as_printed() -> None:
    """Names are kept as the document spells them, its slip in Small included."""
    assert Counter(row.name for row in table_rows()) == {
        "DistilKoBiLSTM-Large": 2,
        "DistilKoBiLSTM-base": 15,
        "DistilKoBiLSTM-Smail": 12,
        "DistilKoBiLSTM-Mini": 1,
        "DistilKoBiLSTM-Tiny": 1,
    }


def test_second_table_has_every_row_as_printed() -> None:
    """All 23 rows of the second document agree in every column."""
    rows = [row for row in rows_of(NAMES) if "loss_rate" in row.recipe]
    assert [printed_row(row) for row in rows] == SECOND_DOCUMENT
    assert len(SECOND_DOCUMENT) == 23
    assert {row.recipe["scheduler"] for row in rows} == {"step"}


def test_file_names_are_rows_of_their_own() -> None:
    """The eight file names, the plain models among them, agree in size, epochs, accuracy, time and parameters."""
    rows = [row for row in rows_of(NAMES) if "loss_rate" not in row.recipe]
    counts = {model.id: reported._model_row(model)["params"] for model in reported.models()}
    got = [
        (
            *size_of(row),
            row.recipe["epochs"],
            counts[row.model],
            row.percent["accuracy"],
            row.time,
            row.model.startswith("distil"),
        )
        for row in rows
    ]
    assert got == FILE_NAMES


def test_accuracies_of_both_tables_are_complete(board: Store) -> None:
    """What the database holds under the two citations is exactly what the two documents print."""
    sql = "SELECT round(100 * value, 4) AS printed FROM metrics m JOIN runs USING (run_id) "
    for document, expected in (
        (TABLES, [row[5] for row in SMALL_TEACHER + CYCLIC + BASE_TEACHER]),
        (NAMES, [row[5] for row in SECOND_DOCUMENT] + [row[4] for row in FILE_NAMES]),
    ):
        scores = board.query(sql + "WHERE m.name = 'accuracy' AND citation = ?", [document])["printed"].tolist()
        assert sorted(scores) == sorted(expected), document


def test_rows_per_document_and_task(board: Store) -> None:
    """Every document has as many rows on every board as it prints."""
    rows = board.query("SELECT citation, task_id, count(*) AS n FROM runs WHERE source = 'reported' GROUP BY ALL")
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows.itertuples():
        counts[row.citation.split(" (")[0], row.task_id] += row.n
    assert {key: n for key, n in counts.items() if key[0].endswith(".txt")} == {
        (TABLES, "nsmc"): 25 + 2 + 4 + 2,
        (NAMES, "nsmc"): 23 + 8,
        (KORQUAD, "korquad-span"): 4,
        (MNLI, "mnli"): 2,
        (DECK, "glue"): 3,
        (DECK, "imdb"): 2,
        (DECK, "squad"): 3 + 1,
        (DECK, "inference-time"): 3,
        (DECK, "distil-ablation"): 4,
        (DECK, "squad-deck"): 2,
    }
    assert value_of(board, "SELECT count(*) FROM runs WHERE citation LIKE '004%'") == 18


def test_steps_to_85_percent() -> None:
    """The two sentences above the first table are rows: distilled at step 17, plain at step 63, sized 16/16."""
    rows = [row for row in rows_of(TABLES) if not row.percent]
    assert [(row.name, row.plain, size_of(row)) for row in rows] == [
        ("DistilKoBiLSTM-Tiny", {"acc85_step": 17}, (16, 16)),
        ("KoBiLSTM-Tiny", {"acc85_step": 63}, (16, 16)),
    ]
    assert all("16/16" in (row.caveat or "") for row in rows)


@pytest.mark.parametrize(
    ("model", "computed", "printed"),
    [
        ("distilkobilstm-large", 1_175_554, None),
        ("distilkobilstm-base", 391_170, None),
        ("distilkobilstm-small", 146_434, None),
        ("distilkobilstm-mini", 52_418, None),
        ("kobilstm-32x8", 34_882, None),
        ("kobilstm-tiny", 27_394, None),
        ("distilkobilstm-26x8", 31_594, None),
        ("korquad-bert-3x4", 10_662_914, 10_662_914),
        ("korquad-bert-6x4", 13_032_194, 13_032_194),
        ("korquad-bert-6x8", 13_032_194, 13_032_194),
        ("bert-base", 109_482_240, 110_000_000),
        ("distilbert", 66_362_880, 66_000_000),
        ("elmo", None, 180_000_000),
        ("transformer-scratch-mnli", None, None),
    ],
)
def test_parameters_are_computed_beside_the_printed_ones(
    board: Store, model: str, computed: int | None, printed: int | None
) -> None:
    """Parameters come from the architecture, stay empty where it is not known, and a printed figure is kept apart."""
    with board.read() as con:
        rows = con.execute("SELECT params, params_reported FROM models WHERE model_id = ?", [model]).fetchall()
    assert rows == [(computed, printed)]


def test_every_reported_row_is_cited_and_finished(board: Store) -> None:
    """No reported row is without citation, and none looks like a run of ours."""
    rows = board.query("SELECT * FROM runs WHERE source = 'reported'")
    assert (rows["citation"].fillna("").str.len() > 5).all()
    assert set(rows["status"]) == {"finished"}
    assert not rows["verified"].any()
    assert rows["seed"].isna().all()
    assert rows["recipe_hash"].isna().all()
