"""`featherboard task`: from a file of one's own to a verified row."""

import subprocess
import sys
from pathlib import Path

import pandas as pd

import featherboard as fb
from db.storage.store import Store


def featherboard(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, as tasks are read when one starts."""
    command = [sys.executable, "-c", "from engine.cli.app import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)


def test_a_file_becomes_a_board_with_a_verified_row(default_board: Store, tmp_path: Path) -> None:
    """A CSV, one command for the board, one for the model; then it can be listed, and not removed."""
    file = tmp_path / "Shop reviews.csv"
    words = {"good": ["fine", "great", "lovely"], "bad": ["poor", "awful", "broken"]}
    rows = [(f"a {words[label][n % 3]} thing, number {n}", label) for n in range(150) for label in words]
    pd.DataFrame(rows, columns=["review", "verdict"]).to_csv(file, index=False)
    made = featherboard("task", "new", file, "--yes", "--metric", "mcc")
    assert made.returncode == 0, made.stderr
    assert "featherboard train char-ngrams --task shop-reviews" in made.stdout
    trained = featherboard("train", "char-ngrams", "--task", "shop-reviews")
    assert trained.returncode == 0, trained.stderr
    row = fb.board("shop-reviews").to_pandas().iloc[0]
    assert row["verified"]
    assert row["score"] > 0.9
    assert "shop-reviews" in featherboard("task", "list").stdout
    refused = featherboard("task", "remove", "shop-reviews")
    assert refused.returncode == 1
    assert "1 run(s)" in refused.stderr


def test_a_task_without_runs_can_be_removed_and_added_again(default_board: Store, tmp_path: Path) -> None:
    """Its file and data are gone; a file of somebody else is added with the data beside it."""
    file = tmp_path / "notes.csv"
    pd.DataFrame({"text": [f"note {n}" for n in range(60)], "label": ["a", "b"] * 30}).to_csv(file, index=False)
    assert featherboard("task", "new", file, "--yes").returncode == 0
    folder = default_board.path.parent / "tasks"
    copy = tmp_path / "theirs"
    folder.rename(copy)
    added = featherboard("task", "add", copy / "notes.toml")
    assert added.returncode == 0, added.stderr
    assert (folder / "corpora" / "notes" / "test.parquet").exists()
    removed = featherboard("task", "remove", "notes")
    assert removed.returncode == 0, removed.stderr
    assert not (folder / "notes.toml").exists()
    assert "notes" not in featherboard("task", "list").stdout
