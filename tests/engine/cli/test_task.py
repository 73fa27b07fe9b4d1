"""`featherboard task`: from a file of one's own to a verified row."""

from pathlib import Path

import pandas as pd

import featherboard as fb
from db.storage.store import Store
from tests.factories.command_line import CommandLine, in_new_process, one_line_error


def test_a_file_becomes_a_board_with_a_verified_row(
    default_board: Store, tmp_path: Path, command_line: CommandLine
) -> None:
    """A CSV, one command for the board, one for the model; then it can be listed, and not removed."""
    file = tmp_path / "Shop reviews.csv"
    words = {"good": ["fine", "great", "lovely"], "bad": ["poor", "awful", "broken"]}
    rows = [(f"a {words[label][n % 3]} thing, number {n}", label) for n in range(150) for label in words]
    pd.DataFrame(rows, columns=["review", "verdict"]).to_csv(file, index=False)
    made = command_line("task", "new", file, "--yes", "--metric", "mcc")
    assert made.code == 0, made.err
    assert "featherboard train char-ngrams --task shop-reviews" in made.out
    trained, listed = in_new_process(["train", "char-ngrams", "--task", "shop-reviews"], ["task", "list"])
    assert trained.code == 0, trained.err
    row = fb.board("shop-reviews").to_pandas().iloc[0]
    assert row["verified"]
    assert row["score"] > 0.9
    assert "shop-reviews" in listed.out
    assert "1 run(s)" in one_line_error(command_line("task", "remove", "shop-reviews"))


def test_a_task_without_runs_can_be_removed_and_added_again(
    default_board: Store, tmp_path: Path, command_line: CommandLine
) -> None:
    """Its file, data and board are gone; a file of somebody else is added with the data beside it."""
    file = tmp_path / "notes.csv"
    pd.DataFrame({"text": [f"note {n}" for n in range(60)], "label": ["a", "b"] * 30}).to_csv(file, index=False)
    assert command_line("task", "new", file, "--yes").code == 0
    folder = default_board.path.parent / "tasks"
    copy = tmp_path / "theirs"
    folder.rename(copy)
    added = command_line("task", "add", copy / "notes.toml")
    assert added.code == 0, added.err
    assert (folder / "corpora" / "notes" / "test.parquet").exists()
    removed = command_line("task", "remove", "notes")
    assert removed.code == 0, removed.err
    assert not list(folder.rglob("notes*"))
    assert default_board.query("SELECT 1 FROM tasks WHERE task_id = 'notes'").empty
