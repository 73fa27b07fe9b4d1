"""Stores with very many runs, for tests and benchmarks of what must stay quick; no torch."""

import json
from datetime import datetime

import numpy as np
import pandas as pd

from db.bootstrap import create
from db.storage.changes import Change
from db.storage.store import Store

TASK = "nsmc"
FIGURES = (
    "accuracy",
    "macro_f1",
    "log_loss",
    "validation_accuracy",
    "latency_ms_p50",
    "latency_ms_p95",
    "checkpoint_bytes",
    "examples_per_s",
    "peak_memory_bytes",
    "train_examples",
)
"""What every finished run has."""

PARAMETERS = 20
"""Keys of every recipe."""

SEEDS = 5
RECIPES = 10  # of each model
DISTILLED_MODELS = 8  # models that have a distilled twin of their own shape
GROWN = 3  # models whose recipes differ in the size of the training set alone
WITH_CURVES = 1_000
POINTS = 200  # of each curve
EXAMPLES = 50_000  # of the test split

_FAMILIES = ("KoBiLSTM", "BERT", "DistilBERT", "KoELECTRA", "KoBERT", "BiLSTM", "TextCNN", "한국어 작은 모델")
_DEVICES = ("AMD EPYC 9B14, 2 thread(s)", "Cortex-A76, 4 thread(s)", "NVIDIA H100", "Apple M2, 8 thread(s)")
_STARTED = datetime(2026, 1, 1)  # noqa: DTZ001 - times in the database have no zone


def crowd(store: Store, runs: int, seed: int = 0) -> pd.DataFrame:
    """Fill a fresh store with the runs of one task, through the store's own writing: a sweep of many models.

    Of each model there are ``RECIPES`` recipes with ``SEEDS`` seeds each; one model of ten is printed and has neither
    recipe nor seed. One run of a hundred diverged and has no figure. The first ``WITH_CURVES`` runs have a curve.

    Returns:
        The runs, as they went in.
    """
    generator = np.random.default_rng(seed)
    models = _models(max(2, runs // (RECIPES * SEEDS)), generator)
    rows = _runs(models, runs, generator)
    figures = _figures(models, rows, generator)
    curves = _curves(rows.head(WITH_CURVES), generator)
    listed = models.drop(columns=["teacher", "printed", "grown"])
    store.write(
        [
            create.task_rows(),
            *(
                Change(table, frame, "insert")
                for table, frame in (("models", listed), ("runs", rows), ("metrics", figures), ("curves", curves))
            ),
        ]
    )
    return rows


def _models(count: int, generator: np.random.Generator) -> pd.DataFrame:
    number = np.arange(count)
    size = np.sort(np.exp(generator.uniform(np.log(1e4), np.log(1.1e8), count)).astype(int))
    twin = (number % 2 == 1) & (number < 2 * DISTILLED_MODELS)  # of the model before it
    shape = np.where(twin, number - 1, number)
    family = np.array(_FAMILIES)[shape % len(_FAMILIES)]
    name = [
        f"{'Distil' if distilled else ''}{kind}-{size_index}"
        for distilled, kind, size_index in zip(twin, family, shape, strict=True)
    ]
    return pd.DataFrame(
        {
            "model_id": [f"model-{index:06d}" for index in number],
            "name": name,
            "family": family,
            "architecture": "bilstm",
            "config": [json.dumps({"hidden_dim": int(hidden_dim)}) for hidden_dim in shape],
            "params": size[shape],
            "language": "ko",
            "teacher": np.where(twin, "KoBiLSTM-Large", None),
            "printed": (number % 10 == 9) & ~twin,
            "grown": (number % 10 == 8) & (number < 10 * GROWN),
        }
    )


def _runs(models: pd.DataFrame, count: int, generator: np.random.Generator) -> pd.DataFrame:
    number = np.arange(count)
    model = number * len(models) // count
    recipe = number // SEEDS
    of_model = models.iloc[model].reset_index(drop=True)
    printed = of_model["printed"].to_numpy()
    grown = of_model["grown"].to_numpy()
    text = [_recipe(index, size, generator) for index, size in enumerate(grown[::SEEDS])]
    ids = generator.bytes(16 * count).hex()
    status = np.where((number % 100 == 99) & ~printed, "diverged", "finished")
    when = pd.Timestamp(_STARTED) + pd.to_timedelta(generator.integers(0, 30_000_000, count), unit="s")
    return pd.DataFrame(
        {
            "run_id": [ids[32 * index : 32 * index + 32] for index in number],
            "task_id": TASK,
            "task_version": 1,
            "model_id": of_model["model_id"],
            "name": of_model["name"],
            "recipe": np.where(printed, None, [f"recipe-{index}" for index in recipe]),
            "recipe_json": [
                None if bare else f'{text[index][:-1]}, "seed": {seed}}}'
                for bare, index, seed in zip(printed, recipe, number % SEEDS, strict=True)
            ],
            "recipe_hash": np.where(printed, None, [f"{index:016x}" for index in recipe]),
            "seed": pd.array(np.where(printed, None, number % SEEDS), dtype="Int64"),
            "dataset": np.where(of_model["teacher"].isna(), "nsmc", "nsmc, teacher's labels"),
            "dataset_hash": np.where(printed, None, "d0"),
            "split": "test",
            "source": np.where(printed, np.where(number % 3 == 0, "submitted", "reported"), "measured"),
            "verified": ~printed & (status == "finished"),
            "status": status,
            "device": np.where(printed, None, np.array(_DEVICES)[model % len(_DEVICES)]),
            "train_seconds": np.where(printed, np.nan, generator.uniform(10, 5_000, count)),
            "teacher": of_model["teacher"],
            "citation": np.where(printed, "arXiv 1903.12136, table 1", None),
            "created_at": when,
            "updated_at": when,
        }
    )


def _recipe(number: int, grown: bool, generator: np.random.Generator) -> str:
    """A recipe of ``PARAMETERS`` keys, the seed left to be added."""
    draws = np.zeros(PARAMETERS - 3) if grown else generator.uniform(size=PARAMETERS - 3).round(6)
    half = len(draws) // 2
    train = {f"setting_{index}": draw for index, draw in enumerate(draws[:half].tolist())}
    model = {f"size_{index}": draw for index, draw in enumerate(draws[half:].tolist())}
    examples = 15_000 * (1 + number % RECIPES) if grown else 150_000
    return json.dumps({"name": f"recipe-{number}", "train": train, "model": model, "data": {"examples": examples}})


def _figures(models: pd.DataFrame, runs: pd.DataFrame, generator: np.random.Generator) -> pd.DataFrame:
    scored = runs[runs["status"] == "finished"]
    params = models.set_index("model_id")["params"].loc[scored["model_id"]].to_numpy()
    count = len(scored)
    score = np.clip(0.55 + 0.04 * np.log10(params) + generator.normal(0, 0.01, count), 0.01, 0.99)
    latency = params**0.7 / 1e4 * generator.uniform(0.8, 1.2, count)
    recipe = scored.index.to_numpy() // SEEDS
    grown = scored["model_id"].isin(models.loc[models["grown"], "model_id"]).to_numpy()
    examples = np.where(grown, 15_000.0 * (1 + recipe % RECIPES), 150_000.0)
    values = {
        "accuracy": score,
        "macro_f1": score - 0.01,
        "log_loss": 1 - score,
        "validation_accuracy": score + generator.normal(0, 0.003, count),
        "latency_ms_p50": latency,
        "latency_ms_p95": 1.3 * latency,
        "checkpoint_bytes": 4.0 * params,
        "examples_per_s": 1000 / latency,
        "peak_memory_bytes": 3e8 + 5.0 * params,
        "train_examples": examples,
    }
    half = np.where(np.array(FIGURES) == "accuracy", 1.0, np.nan) * 1.96 * np.sqrt(0.1 / EXAMPLES)
    value = np.column_stack([values[name] for name in FIGURES])
    return pd.DataFrame(
        {
            "run_id": np.repeat(scored["run_id"].to_numpy(), len(FIGURES)),
            "name": np.tile(FIGURES, count),
            "value": value.ravel(),
            "n": pd.array(np.tile(np.where(np.isnan(half), None, EXAMPLES), count), dtype="Int64"),
            "low": (value - half).ravel(),
            "high": (value + half).ravel(),
        }
    )


def _curves(runs: pd.DataFrame, generator: np.random.Generator) -> pd.DataFrame:
    step = np.tile(np.arange(1, POINTS + 1), len(runs))
    return pd.DataFrame(
        {
            "run_id": np.repeat(runs["run_id"].to_numpy(), POINTS),
            "series": "train_loss",
            "step": step,
            "epoch": step / 40,
            "value": 1 / step + generator.uniform(0, 0.01, len(step)),
            "wall_time": step * 0.5,
        }
    )
