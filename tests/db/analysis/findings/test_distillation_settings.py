"""Settings of a distillation: which runs make a grid, and which setting matters."""

import json
import math
from itertools import product

import pytest

from dashboard.findings.distillation_settings import cells, lead, table
from db.analysis.findings.distillation_settings import KL, LABELS, LOSS, MSE, TEMPERATURE, Grid, find
from db.registry.metrics import known
from db.runs.writer import ModelFacts
from db.storage.store import Store
from tests.factories.runs import add_run, in_one_write

ACCURACY = known("accuracy")
TASK = "reviews-ko-mini"
STUDENT = ModelFacts("student", "Student", "DistilKoBiLSTM", "bilstm", {}, 146_434, "ko")


def add(board: Store, percent: float, seed: int = 0, lr: float = 1e-3, **distill: object) -> None:
    """A distilled run with these settings."""
    settings = {
        "name": "student",
        "train": {"lr": lr},
        "distill": {"loss": KL, LABELS: 0.1, TEMPERATURE: 2.0} | distill,
    }
    facts = {
        "recipe": "student",
        "recipe_json": json.dumps(settings),
        "recipe_hash": json.dumps(settings),
        "seed": seed,
        "teacher": "Teacher",
    }
    add_run(board, accuracy=percent / 100, name="Student", model=STUDENT, **facts)


@pytest.fixture
def grid(board: Store) -> Grid:
    """Three seeds: the weight of the labels costs 8 points, the temperature 2, squared errors 4."""
    with in_one_write(board) as store:
        for seed in range(3):
            for rate, temperature in product((0.1, 0.9), (1.0, 3.0, 10.0)):
                score = 86 - 10 * (rate - 0.1) - {1.0: 1, 3.0: 0, 10.0: 2}[temperature] + seed
                add(store, score, seed, **{LABELS: rate, TEMPERATURE: temperature})
            add(store, 81 + seed, seed, **{LABELS: 0.1, LOSS: MSE, TEMPERATURE: 5.0})
            add(store, 73 + seed, seed, **{LABELS: 0.9, LOSS: MSE, TEMPERATURE: 5.0})
            add(store, 70 + seed, seed, **{LABELS: 1.0, TEMPERATURE: 7.0})
    (only,) = find(board, TASK)
    return only


def test_a_grid_holds_each_choice_once_with_its_seeds(grid: Grid) -> None:
    """Temperature means nothing with squared errors, and neither does the loss where the labels alone count."""
    assert [(cell.loss, cell.temperature, cell.loss_rate, cell.seeds) for cell in grid.cells] == [
        *((KL, temperature, rate, 3) for temperature, rate in product((1.0, 3.0, 10.0), (0.1, 0.9))),
        (MSE, None, 0.1, 3),
        (MSE, None, 0.9, 3),
        (None, None, 1.0, 3),
    ]
    assert grid.cells[2].mean == pytest.approx(0.87)
    assert cells(grid, ACCURACY)["text"].tolist()[:3] == ["86.00", "78.00", "87.00"]


def test_the_setting_that_moves_the_score_most_comes_first(grid: Grid) -> None:
    """On average over the others; each tested over the seeds and the others."""
    assert [(effect.setting, effect.best, effect.worst) for effect in grid.effects] == [
        (LABELS, 0.1, 0.9),
        (LOSS, KL, MSE),
        (TEMPERATURE, 3.0, 10.0),
    ]
    assert [effect.gap for effect in grid.effects] == pytest.approx([0.08, 0.04, 0.02])
    assert all(effect.p < 0.05 for effect in grid.effects)
    sentence = lead(grid, ACCURACY)
    assert sentence.startswith(
        "For Student, the weight of the labels matters most: 0.1 is better than 0.9 by 8.00 points"
    )
    assert table(grid, ACCURACY).iloc[0].tolist()[:4] == ["Weight of the labels", "0.1", "0.9", "+8.00"]


def test_settings_that_make_no_difference_are_called_so(board: Store) -> None:
    """What one seed says the next one denies."""
    with in_one_write(board) as store:
        for seed, (rate, temperature) in product(range(4), product((0.1, 0.9), (1.0, 3.0))):
            odd = (seed + int(10 * rate) + int(temperature)) % 4 < 2
            add(store, 87 if odd else 85, seed, **{LABELS: rate, TEMPERATURE: temperature})
    (only,) = find(board, TASK)
    assert all(effect.p > 0.05 for effect in only.effects)
    assert "can be told from chance" in lead(only, ACCURACY)


def test_another_learning_rate_is_another_grid_and_two_runs_are_none(board: Store) -> None:
    """A grid differs in nothing but the three settings."""
    with in_one_write(board) as store:
        for temperature in (1.0, 2.0, 3.0):
            add(store, 86 + temperature, **{TEMPERATURE: temperature})
        for temperature in (1.0, 2.0):
            add(store, 80, lr=1e-2, **{TEMPERATURE: temperature})
    (only,) = find(board, TASK)
    assert len(only.cells) == 3
    assert [effect.setting for effect in only.effects] == [TEMPERATURE]
    assert math.isnan(only.effects[0].p)
    assert lead(only, ACCURACY) == ""


def test_printed_grids_are_those_of_the_documents(board: Store) -> None:
    """Those of Base in the second document; of a result that is printed twice only the one without a caveat counts."""
    base, *others = find(board, "nsmc")
    assert [grid.model for grid in others] == ["DistilKoBiLSTM-Small"]  # both documents print both
    assert (base.model, base.teacher, base.measured) == ("DistilKoBiLSTM-Base", "KoELECTRA-Small-v3", False)
    scores = {(cell.loss_rate, cell.temperature): cell.mean for cell in base.cells}
    assert scores[0.1, 2.0] == pytest.approx(0.8798)
    assert scores[0.9, 10.0] == pytest.approx(0.8761)
    (at_ten,) = (effect for effect in base.effects if effect.setting == LABELS)
    assert (at_ten.best, at_ten.worst) == (0.5, 0.9)
    assert at_ten.gap == pytest.approx(0.0031)
    assert lead(base, ACCURACY) == ""
    assert list(table(base, ACCURACY)) == ["Setting", "Best", "Worst", "Difference, points"]
