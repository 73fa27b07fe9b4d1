"""Scaling curves from what is on the board: which runs make a line, and what is said of pretraining."""

import json
import math
from typing import Any

import pytest

from dashboard.findings.data_scaling import STUDIED, verdict
from db.analysis.findings import data_scaling
from db.registry.metrics import known
from db.runs.writer import MetricValue, ModelFacts
from db.storage.store import Store
from tests.factories.runs import add_run, in_one_write

TUNED, SCRATCH, BILSTM = STUDIED
ACCURACY = known("accuracy")
FAMILIES = {TUNED: "MiniLM", SCRATCH: "Transformer from scratch", BILSTM: "BiLSTM"}


def add(board: Store, recipe: str, examples: int, percent: float, seed: int = 0, **columns: Any) -> str:
    """A run of a recipe on so many examples; returns its id."""
    lr = columns.pop("lr", 1e-3)
    settings = {
        "name": recipe,
        "seed": seed,
        "label": recipe,
        "data": {"examples": examples, "add": []},
        "train": {"lr": lr},
    }
    model = ModelFacts(recipe, f"Model {recipe}", FAMILIES.get(recipe, "Other"), "pretrained", {}, 22_000_000, "en")
    facts = {
        "recipe": recipe,
        "recipe_json": json.dumps(settings),
        "task_id": "mnli",
        "seed": seed,
        "dataset": f"mnli ({examples:,} drawn)",
        "recipe_hash": f"{recipe}/{examples}/{lr}",
        "dataset_hash": str(examples),
        "split": "validation_matched",
    }
    more = [MetricValue("train_examples", examples), MetricValue("accuracy_majority", 0.345, 200)]
    return add_run(board, *more, accuracy=percent / 100, name=recipe, model=model, **{**facts, **columns})


def fill(board: Store, sizes: tuple[int, ...] = (1000, 3000, 14903)) -> None:
    """Three recipes on each size."""
    with in_one_write(board) as store:
        for index, size in enumerate(sizes):
            for recipe, score in ((TUNED, 60 + 5 * index), (SCRATCH, 35 + 2 * index), (BILSTM, 38 + 3 * index)):
                add(store, recipe, size, score)


def test_a_board_without_such_runs_has_no_lines(board: Store) -> None:
    """Printed rows alone are no curve, nor is another recipe on one size; nothing is printed beside nothing."""
    add(board, "minilm-l3-mnli", 6000, 41)
    result = data_scaling.find(board, "mnli", STUDIED)
    assert (result.lines, result.printed, result.majority, result.sizes) == ((), (), None, [])
    assert verdict(result, ACCURACY) == ""
    assert data_scaling.find(board, "nsmc", STUDIED).lines == ()


def test_a_line_has_a_point_for_every_size(board: Store) -> None:
    """By rising size, with its interval; the best line first; what the document prints stands beside them."""
    fill(board)
    result = data_scaling.find(board, "mnli", STUDIED)
    assert [line.recipe for line in result.lines] == [TUNED, BILSTM, SCRATCH]
    assert result.sizes == [1000, 3000, 14903]
    points = result.lines[0].points
    assert [(point.size, point.score) for point in points] == [(1000, 0.60), (3000, 0.65), (14903, 0.70)]
    assert all(point.low < point.score < point.high for point in points)
    assert [(point.score, point.citation[:3]) for point in result.printed] == [(0.55, "003")]
    assert result.majority == 0.345


def test_any_recipe_on_two_sizes_is_a_line(board: Store) -> None:
    """Nobody has to ask for it; the size of one alone is not shown, unless its growth is studied."""
    for size in (500, 1000):
        add(board, "my-own", size, 50)
    add(board, "minilm-l3-mnli", 6000, 41)
    add(board, BILSTM, 14903, 45)
    assert {line.recipe for line in data_scaling.find(board, "mnli", STUDIED).lines} == {"my-own", BILSTM}


def test_seeds_are_averaged_and_a_repeated_one_counts_once(board: Store) -> None:
    """The newest run of a seed stands for it."""
    add(board, TUNED, 1000, 10)
    add(board, TUNED, 1000, 60)
    add(board, TUNED, 1000, 62, seed=1)
    (line,) = data_scaling.find(board, "mnli", STUDIED).lines
    assert line.points[0].seeds == 2
    assert line.points[0].score == pytest.approx(0.61)


def test_other_settings_are_another_line(board: Store) -> None:
    """Of several the one with most sizes counts; a run that did not finish, or of another board, never does."""
    fill(board)
    add(board, TUNED, 14903, 90, lr=5e-3)
    add(board, TUNED, 3000, 99, task_id="nli-en-mini")
    board.query("SELECT 1 AS one")
    line = data_scaling.find(board, "mnli", STUDIED).line(TUNED)
    assert line is not None
    assert [point.score for point in line.points] == [0.60, 0.65, 0.70]
    assert line.at_size(500) is None


def test_the_verdict_names_the_gain_and_where_it_begins(board: Store) -> None:
    """At the largest size that both have, and the smallest with which the pretrained one is ahead of all."""
    fill(board)
    result = verdict(data_scaling.find(board, "mnli", STUDIED), ACCURACY)
    assert result == (
        f"With 14,903 examples, pretrained weights bring +31.00 points: 70.00% for Model {TUNED}, 39.00% for Model "
        f"{SCRATCH}. It is ahead with 1,000 examples already."
    )


def test_one_size_says_that_it_says_little(board: Store) -> None:
    """The gain, and nothing of growth."""
    fill(board, (14903,))
    result = verdict(data_scaling.find(board, "mnli", STUDIED), ACCURACY)
    assert result.startswith("With 14,903 examples, pretrained weights bring +25.00 points")
    assert result.endswith("One size says nothing of how either grows.")


def test_what_cannot_be_told_apart_is_said_so(board: Store) -> None:
    """A gain within the intervals is none; a loss has a true minus."""
    for size, tuned, scratch in ((1000, 40, 41), (3000, 41, 42)):
        add(board, TUNED, size, tuned)
        add(board, SCRATCH, size, scratch)
    result = verdict(data_scaling.find(board, "mnli", STUDIED), ACCURACY)
    assert "\u22121.00 points" in result
    assert "their intervals overlap" in result
    assert "already" not in result


def test_no_twin_no_verdict(board: Store) -> None:
    """A pretrained model alone, or at other sizes than its twin, is compared with nothing."""
    add(board, TUNED, 1000, 60)
    add(board, SCRATCH, 3000, 40)
    assert verdict(data_scaling.find(board, "mnli", STUDIED), ACCURACY) == ""


def test_an_interval_may_be_unknown(board: Store) -> None:
    """Then its ends are not numbers, and the point stands all the same."""
    run_id = add(board, TUNED, 1000, 60)
    board.query("SELECT 1 AS one")
    with board.transaction() as con:
        con.execute("UPDATE metrics SET low = NULL, high = NULL WHERE run_id = ? AND name = 'accuracy'", [run_id])
    (line,) = data_scaling.find(board, "mnli", STUDIED).lines
    assert math.isnan(line.points[0].low)


def add_fine_tuned(board: Store, tokens: int, percent: float, seed: int = 0, **train: Any) -> None:
    """A fine-tuning from weights that had read so many tokens; 0: from random ones."""
    name = f"Reader, {tokens} tokens" if tokens > 2000 else "Reader" if tokens else "Reader, from scratch"
    source = {"source": f"pretrained:text-{tokens or 2000}", "init": "pretrained" if tokens else "random"}
    settings = {"name": name, "label": name, "model": {"kind": "span", **source}, "train": {"lr": 1e-3, **train}}
    add_run(
        board,
        MetricValue("pretraining_tokens", tokens),
        accuracy=percent / 100,
        name=name,
        model=ModelFacts(name, name, "Small BERT", "pretrained", {}, 4_000_000, "en"),
        recipe=name,
        recipe_json=json.dumps(settings),
        task_id="mnli",
        seed=seed,
        recipe_hash=f"{name}/{train}",
        dataset_hash="d",
        split="validation_matched",
    )


def test_growth_with_pretraining_begins_at_random_weights(board: Store) -> None:
    """One line a fine-tuning, seeds as a mean; two amounts are a pair and no line; other settings are another line."""
    for tokens, percent, seed in [(0, 40, 0), (0, 42, 1), (2000, 55, 0), (6000, 60, 0)]:
        add_fine_tuned(board, tokens, percent, seed)
    add_fine_tuned(board, 0, 41, lr=1e-2)
    add_fine_tuned(board, 6000, 70, lr=1e-2)
    (line,) = data_scaling.by_pretraining(board, "mnli").lines
    assert line.model == "Reader"
    assert [(point.size, point.score, point.seeds) for point in line.points] == [
        (0, pytest.approx(0.41), 2),
        (2000, pytest.approx(0.55), 1),
        (6000, pytest.approx(0.60), 1),
    ]
    assert data_scaling.by_pretraining(board, "nsmc").lines == ()
