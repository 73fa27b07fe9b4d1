"""A task whose labels are numbers: board, training, prediction and submission."""

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import featherboard as fb
from db.storage.store import Store
from tests.factories.command_line import CommandLine, in_new_process

DEGREES = {"equal to": 5.0, "close to": 3.5, "far from": 1.5, "nothing like": 0.0}


def _pairs(size: int) -> pd.DataFrame:
    """Pairs of sentences with a similarity from 0 to 5, which a word of the second one decides but for noise."""
    draw = random.Random(0)  # noqa: S311 - examples
    nouns = [f"{kind} {n}" for kind in ("box", "cup", "map", "lamp") for n in range(20)]
    rows = []
    for _ in range(size):
        first, second, degree = draw.choice(nouns), draw.choice(nouns), draw.choice(list(DEGREES))
        rows.append((f"a {first}", f"it is {degree} a {second}", round(DEGREES[degree] + draw.uniform(-0.2, 0.2), 2)))
    return pd.DataFrame(rows, columns=["sentence1", "sentence2", "similarity"])


def test_a_regression_goes_from_a_file_to_verified_rows_and_answers(
    default_board: Store, tmp_path: Path, command_line: CommandLine
) -> None:
    """One command for the board, one for the model; predictions of others are scored by the same rule."""
    file = tmp_path / "pairs.csv"
    _pairs(600).to_csv(file, index=False)
    made = command_line("task", "new", file, "--yes", "--metric", "pearson")
    assert made.code == 0, made.err
    settings = [
        "model.num_labels=1",
        "name=pairs-bilstm",
        "label=BiLSTM of pairs",
        "train.epochs=12",
        "train.lr=0.01",
        "train.batch_size=32",
    ]
    options = [part for setting in settings for part in ("--set", setting)]
    test = pd.read_parquet(default_board.path.parent / "tasks" / "corpora" / "pairs" / "test.parquet")
    noisy = test["label"] + np.random.default_rng(0).normal(0, 1, len(test))
    pd.DataFrame({"example_id": test["id"], "predicted": noisy}).to_csv(tmp_path / "noisy.csv", index=False)
    value = np.corrcoef(test["label"], noisy)[0, 1]
    fields = ["task=pairs", "model=noisy", f"metrics.pearson={value:.4f}"]
    trained, shown = in_new_process(
        ["train", "kobilstm-tiny", "--task", "pairs", *options],
        ["submit", tmp_path / "noisy.csv", *(part for field in fields for part in ("--set", field)), "--dry-run"],
    )
    assert trained.code == 0, trained.err
    row = fb.board("pairs").to_pandas().iloc[0]
    assert row["verified"], trained.out
    assert row["score"] > 0.8
    assert row["low"] < row["score"] < row["high"]
    assert f"Verified: all {len(test)} examples" in shown.out, shown.out + shown.err
    assert "2 of 2" in shown.out
    near, far = in_new_process(
        *(
            ["predict", "number", "--model", row["run_id"], "a box 1", f"it is {degree} a cup 2"]
            for degree in ("equal to", "nothing like")
        )
    )
    assert float(near.out) > float(far.out) + 2
    script = (
        "import featherboard as fb\n"
        f"run = fb.init(task='pairs', model='noisy')\nrun.finish(predictions={str(tmp_path / 'noisy.csv')!r})\n"
        "print(run.id)"
    )  # the new task is known to new processes
    logged = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip()
    compared = fb.compare(row["run_id"], logged)
    assert list(compared["measure"]) == ["pearson"]
    assert compared["second_score"][0] == pytest.approx(value, abs=1e-6)
    assert compared["difference"][0] < 0
    printed = command_line("compare", row["run_id"], logged).out
    assert "Pearson's r" in printed
    assert f"{value:.4f}" in printed
