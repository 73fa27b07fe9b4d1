"""One model over all boards."""

from datetime import timedelta

import pytest

from db.base.clock import utc_now
from db.leaderboard.board import board
from db.leaderboard.models import Model, model, similar
from db.leaderboard.overview import cells, overview
from db.storage.store import Store
from tests.factories.rows import with_tasks
from tests.factories.runs import add_twin, in_one_write


def read(store: Store, name: str, until=None) -> Model | None:
    """A model among all others."""
    known = cells(store, until)
    shown = overview(known, known.tasks["task_id"].tolist(), draws=4)
    return model(store, name, known, shown, lambda task: board(store, task, every_run=False, until=until), until)


@pytest.fixture
def board_of_three(tmp_path) -> Store:
    """A plain and a distilled model of one size, and a far larger one, which taught."""
    board = with_tasks(Store(tmp_path / "models.duckdb"))
    with in_one_write(board) as store:
        add_twin(store, accuracy=0.70, distilled=False)
        for seed in (0, 1):
            add_twin(store, accuracy=0.74 + seed / 100, distilled=True, seed=seed, teacher="KoBiLSTM-400")
        add_twin(store, accuracy=0.90, distilled=False, size=400)
    return board


def test_a_model_has_the_rows_and_ranks_of_its_boards(board_of_three: Store) -> None:
    """Seeds are one row, with the rank that the board shows."""
    shown = read(board_of_three, "DistilKoBiLSTM-16")
    assert shown is not None
    on_board = board(board_of_three, "reviews-ko-mini", every_run=False).rows.set_index("model")
    assert shown.scores["seeds"].tolist() == [2]
    assert shown.scores["rank"].tolist() == [on_board.loc["DistilKoBiLSTM-16", "rank"]]
    assert shown.scores["among"].tolist() == [3]
    assert sorted(shown.runs["seed"]) == [0, 1]


def test_peers_are_models_of_the_same_size(board_of_three: Store) -> None:
    """A model of 25 times the parameters is no peer."""
    shown = read(board_of_three, "KoBiLSTM-16")
    assert shown is not None
    assert set(shown.peers["model"]) == {"KoBiLSTM-16", "DistilKoBiLSTM-16"}


def test_teachers_and_students_are_both_ways(board_of_three: Store) -> None:
    """The student names its teacher, and the teacher its student."""
    student, teacher = read(board_of_three, "DistilKoBiLSTM-16"), read(board_of_three, "KoBiLSTM-400")
    assert student is not None
    assert student.teachers == {"DistilKoBiLSTM-16": ["KoBiLSTM-400"]}
    assert teacher is not None
    assert teacher.students == ["DistilKoBiLSTM-16"]


def test_a_day_shows_what_was_there_then(board_of_three: Store) -> None:
    """What came later, and what was withdrawn later, does not change the past."""
    before = utc_now()
    best = board(board_of_three, "reviews-ko-mini").rows["run_id"].iat[0]
    add_twin(board_of_three, accuracy=0.99, distilled=False, size=800)
    with board_of_three.transaction() as con:
        con.execute("INSERT INTO withdrawals VALUES (?, 'wrong data', ?)", [best, before + timedelta(seconds=1)])
    then, now = read(board_of_three, "KoBiLSTM-400", before), read(board_of_three, "KoBiLSTM-400")
    assert then is not None
    assert then.scores["rank"].tolist() == ["1"]
    assert now is not None
    assert now.scores.empty
    assert now.runs["reason"].tolist() == ["wrong data"]


def test_a_name_that_nobody_has_is_none_and_has_neighbours(board_of_three: Store) -> None:
    """A misspelt name is answered with those that are spelled most like it."""
    assert read(board_of_three, "KoBILSTM 16") is None
    assert similar("KoBILSTM 16", ["KoBiLSTM-16", "BERT-base"]) == ["KoBiLSTM-16"]
