"""One training by one thread, by two, and by the two processes of torchrun with a thread each, on the same machine.

Whole commands with databases of their own; what counts is the run's own clock, which leaves out starting Python. The
processes share each batch, so all three learn the same number of examples in the same steps.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from db.storage.store import Store
from tests import paths
from tests.benchmarks.timing import print_ratios
from tests.benchmarks.training.reviews import reviews
from tests.factories.recipes import write_recipe

ROUNDS = 3
ENGINE = ["-m", "engine", "train"]
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
WAYS = {"one thread": ([*ENGINE], "1"), "two threads": ([*ENGINE], "2"), "two processes": ([*TORCHRUN, *ENGINE], "1")}


BILSTM = {
    "name": "base",
    "label": "Base",
    "family": "BiLSTM",
    "summary": "the network of kobilstm-base, without pretraining, which the first process does alone",
    "language": "ko",
    "task": "nsmc",
    "mini_task": "reviews-ko-mini",
    "model": {"hidden_dim": 128, "embedding_dim": 64, "dropout": 0.3},
    "tokenizer": {"kind": "bpe", "alphabet": 1400},
    "train": {"epochs": 1, "batch_size": 128, "lr": 0.002, "precision": "bfloat16", "patience": 0},
}


def _write_reviews(folder: Path, count: int) -> Path:
    """Reviews of words without meaning, in lengths like real ones."""
    folder.mkdir()
    generator = np.random.default_rng(0)
    words = np.array(["".join(map(chr, generator.integers(0xAC00, 0xAC00 + 1200, 2))) for _ in range(3000)])
    texts = [" ".join(words[sequence]) for sequence in reviews()[:count]]
    frame = pd.DataFrame({"id": range(count), "document": texts, "label": np.arange(count) % 2})
    frame[64:].to_parquet(folder / "train.parquet")
    frame[:64].to_parquet(folder / "test.parquet")
    return folder


def _seconds(way: str, recipe: str, folder: Path, database: Path) -> float:
    """How long a training takes by its run."""
    launcher, threads = WAYS[way]
    environment = {
        **os.environ,
        "PYTHONPATH": str(paths.REPO),
        "FEATHERBOARD_DB": str(database),
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": threads,
    }
    command = [sys.executable, *launcher, recipe, "--data", str(folder), "--threads", threads]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=3600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    runs = Store(database).query("SELECT max(train_seconds) AS seconds FROM runs WHERE host IS NOT NULL")
    return float(runs["seconds"].item())


@pytest.mark.slow
@pytest.mark.parametrize(("network", "count"), [("base", 10_000), ("e5-nsmc", 1_000)])
def test_what_two_processes_bring(network: str, count: int, tmp_path: Path) -> None:
    """Two processes take less time than one thread; by how much, and beside two threads, is printed."""
    recipe = write_recipe(tmp_path / "base.toml", BILSTM) if network == "base" else network
    folder = _write_reviews(tmp_path / "reviews", count)
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    for number in range(ROUNDS):
        for way in list(WAYS)[:: 1 if number % 2 else -1]:
            database = tmp_path / f"{number}-{way.replace(' ', '-')}" / "featherboard.duckdb"
            database.parent.mkdir()
            seconds[way].append(_seconds(way, recipe, folder, database))
    medians = {way: statistics.median(taken) for way, taken in seconds.items()}
    print_ratios(f"{network}, {count:,} reviews", medians, "one thread", count, "reviews")
    assert medians["two processes"] < medians["one thread"]
