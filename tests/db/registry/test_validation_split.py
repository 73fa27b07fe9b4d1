"""What is said of runs whose weights were chosen by the former split, and what makes them again."""

import json
from pathlib import Path

import pytest

from db.leaderboard.board import board as read_board
from db.registry import validation_split
from db.runs import detail as queries
from db.runs import model_card
from db.storage.store import Store
from tests.factories.runs import add_run

SEED_SPLIT = {"validation_fraction": 0.05}
TEXT_SPLIT = {"validation_fraction": 0.05, "held_out": "text"}


@pytest.mark.parametrize(
    ("train", "section", "seed", "expected"),
    [
        (SEED_SPLIT, {"distill": {"teacher": "t", "teacher_seed": 0}}, 1, True),
        (SEED_SPLIT, {"distill": {"teacher": "t"}}, 2, True),
        (SEED_SPLIT, {"triple": {"kl": 5.0}}, 1, True),
        (SEED_SPLIT, {"distill": {"teacher": "t", "teacher_seed": 1}}, 1, False),
        (SEED_SPLIT, {"distill": {"teacher": "t"}}, 0, False),
        (SEED_SPLIT, {}, 1, False),
        ({**SEED_SPLIT, "held_out": "seed"}, {"distill": {"teacher": "t"}}, 1, True),
        (TEXT_SPLIT, {"distill": {"teacher": "t"}}, 1, False),
        (TEXT_SPLIT, {"distill": {"teacher": "shipped:t"}}, 0, True),
    ],
)
def test_a_teacher_had_learned_where_seeds_differ(train: object, section: dict, seed: int, expected: bool) -> None:
    """By seed, student and teacher hold out the same texts only with one seed; by text always."""
    recipe = json.dumps({"train": train, **section})
    assert validation_split.teacher_had_learned(recipe, seed) is expected


@pytest.mark.parametrize("stored", [None, "", "[]", "{", '{"train": 3}', '{"distill": 1}', "[" * 100_000])
def test_what_is_no_recipe_has_no_teacher(stored: str | None) -> None:
    """Bundles of others may hold anything."""
    assert validation_split.teacher_had_learned(stored, 1) is False
    assert validation_split.command(stored, "some command") == "some command"


@pytest.mark.parametrize(
    ("train", "stored", "expected"),
    [
        (SEED_SPLIT, "train a --data D", "train a --data D --set train.held_out=seed"),
        (
            {"validation_fraction": 0.02},
            "train a --data D",
            "train a --data D --set train.held_out=seed --set train.validation_fraction=0.02",
        ),
        ({"validation_fraction": 0.2}, "train a", "train a --set train.held_out=seed"),
        (TEXT_SPLIT, "train a --data D", "train a --data D"),
        ({}, "python train.py", "python train.py"),
    ],
)
def test_the_command_of_an_earlier_run_names_the_defaults_of_its_day(train: object, stored: str, expected: str) -> None:
    """Today's defaults would make another run."""
    assert validation_split.command(json.dumps({"train": train}), stored) == expected


@pytest.mark.shipped
def test_every_earlier_run_has_its_caveat_on_the_board_and_its_page(with_shipped_runs: Path) -> None:
    """All shipped runs whose seed held out the validation texts, and no others; a mean says so if one seed does."""
    store = Store(with_shipped_runs)
    runs = store.query("SELECT run_id, task_id, recipe_json, seed FROM runs WHERE source = 'measured'")
    stored = [json.loads(text).get("train", {}) for text in runs["recipe_json"]]
    earlier = ["validation_fraction" in train and train.get("held_out") != "text" for train in stored]
    expected = {
        run_id: validation_split.choice_caveat(recipe, seed)
        for run_id, recipe, seed in runs[["run_id", "recipe_json", "seed"]].itertuples(index=False)
    }
    assert {run_id for run_id, text in expected.items() if text} >= set(runs.loc[earlier, "run_id"])
    assert set(expected.values()) == set(validation_split.CAVEATS)
    for task in runs["task_id"].unique():
        shown = read_board(store, task).to_pandas().set_index("run_id")["caveat"]
        for run_id in runs.loc[runs["task_id"] == task, "run_id"]:
            text = shown[run_id]
            assert (text if isinstance(text, str) else None) == expected[run_id]
        merged = read_board(store, task, every_run=False)
        for position, row in enumerate(merged.to_pandas().itertuples()):
            texts = [expected[run] for run in merged.members(position)["run_id"] if run in expected]
            assert max(map(validation_split.CAVEATS.index, texts), default=0) == merged.rows["choice"][position], row


def test_the_page_and_the_card_of_such_a_run_say_so(board: Store) -> None:
    """The command of the page is the one that makes the run again, and the card carries the caveat."""
    recipe = json.dumps({"train": SEED_SPLIT, "distill": {"teacher": "t"}})
    run_id = add_run(board, accuracy=0.6, recipe_json=recipe, seed=1, command="featherboard train a --data D")
    detail = queries.run_detail(board, run_id)
    assert detail.run["command"].endswith(" --set train.held_out=seed")
    assert validation_split.TEACHER_HAD_LEARNED in model_card.card(detail).replace("\\", "")
