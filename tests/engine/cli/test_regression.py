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
from tests.engine.cli.test_task import featherboard

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


def test_a_regression_goes_from_a_file_to_verified_rows_and_answers(default_board: Store, tmp_path: Path) -> None:
    """One command for the board, one for the model; predictions of others are scored by the same rule."""
    file = tmp_path / "pairs.csv"
    _pairs(600).to_csv(file, index=False)
    made = featherboard("task", "new", file, "--yes", "--metric", "pearson")
    assert made.returncode == 0, made.stderr
    settings = [
        "model.num_labels=1",
        "name=pairs-bilstm",
        "label=BiLSTM of pairs",
        "train.epochs=12",
        "train.lr=0.01",
        "train.batch_size=32",
    ]
    options = [part for setting in settings for part in ("--set", setting)]
    trained = featherboard("train", "kobilstm-tiny", "--task", "pairs", *options)
    assert trained.returncode == 0, trained.stderr
    row = fb.board("pairs").to_pandas().iloc[0]
    assert row["verified"], trained.stdout
    assert row["score"] > 0.8
    assert row["low"] < row["score"] < row["high"]
    near, far = (
        float(featherboard("predict", "number", "--model", row["run_id"], "a box 1", f"it is {degree} a cup 2").stdout)
        for degree in ("equal to", "nothing like")
    )
    assert near > far + 2
    test = pd.read_parquet(default_board.path.parent / "tasks" / "corpora" / "pairs" / "test.parquet")
    noisy = test["label"] + np.random.default_rng(0).normal(0, 1, len(test))
    pd.DataFrame({"example_id": test["id"], "predicted": noisy}).to_csv(tmp_path / "noisy.csv", index=False)
    value = np.corrcoef(test["label"], noisy)[0, 1]
    fields = ["task=pairs", "model=noisy", f"metrics.pearson={value:.4f}"]
    shown = featherboard(
        "submit", tmp_path / "noisy.csv", *(part for field in fields for part in ("--set", field)), "--dry-run"
    )
    assert f"Verified: all {len(test)} examples" in shown.stdout, shown.stdout + shown.stderr
    assert "2 of 2" in shown.stdout
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
    printed = featherboard("compare", row["run_id"], logged).stdout
    assert "Pearson's r" in printed
    assert f"{value:.4f}" in printed
