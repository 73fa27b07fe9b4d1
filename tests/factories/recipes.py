"""Tiny recipes, a toy task that can be learnt, and trainings that take a second."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from db.runs.writer import ModelFacts, RunWriter
from db.storage.store import Store
from engine.base.errors import InterruptedRunError
from engine.data.corpora import TextSet, make_set
from engine.data.tokenizer import encode, train_tokenizer
from engine.families.classification.objective import Classification, Examples
from engine.networks import architectures
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.trainer.loop import Trainer
from engine.training import run
from engine.training.job import Job
from tests import paths
from tests.factories.runs import facts

REPO = paths.REPO

GOOD, BAD = ("좋은", "멋진", "훌륭한", "재미있는"), ("나쁜", "지루한", "끔찍한", "아쉬운")
NOUNS = ("영화", "배우", "음악", "결말", "장면", "책", "가방")


def toy_set(count: int, seed: int = 0, prefix: str = "t") -> TextSet:
    """Reviews whose one adjective decides the label; lengths differ."""
    generator = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    texts = []
    for label in labels:
        words = [str(generator.choice(NOUNS)) for _ in range(int(generator.integers(1, 6)))]
        words.insert(int(generator.integers(0, len(words) + 1)), str(generator.choice(GOOD if label else BAD)))
        texts.append((" ".join(words),))
    return make_set([f"{prefix}-{position}" for position in range(count)], texts, labels.astype(np.int64))


def write_reviews(folder: Path, train: int = 48, test: int = 16) -> Path:
    """A folder with the toy task as train.jsonl and test.jsonl, the form of the mini reviews."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, count, seed in (("train", train, 0), ("test", test, 1)):
        part = toy_set(count, seed, name)
        rows = [
            json.dumps({"id": example_id, "document": text[0], "label": int(label)}, ensure_ascii=False)
            for example_id, text, label in zip(part.ids, part.texts, part.labels, strict=True)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    return folder


TRAIN = {"epochs": 2, "batch_size": 8, "lr": 0.01, "patience": 0, "validation_fraction": 0.2}


def parsed(
    name: str, task: str, mini_task: str, language: str, *, family: str = "Tiny", label: str = "", **sections: Any
) -> dict[str, Any]:
    """The parsed TOML of a recipe of some sections."""
    named = {"name": name, "label": label or f"{family} {name}", "family": family, "summary": "a toy"}
    return {**named, "language": language, "task": task, "mini_task": mini_task, **sections}


def laid_over(recipe: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A parsed recipe with other keys in its sections, and with other sections."""
    sections = {
        name: {**recipe.get(name, {}), **section} if isinstance(section, dict) else section
        for name, section in changes.items()
    }
    return {**recipe, **sections}


def content(name: str = "toy", **train: Any) -> dict[str, Any]:
    """The parsed TOML of a tiny recipe; ``train`` changes its train section."""
    return parsed(
        name,
        "reviews-ko-mini",
        "reviews-ko-mini",
        "ko",
        family="Toy",
        model={"vocab_size": 120, "embedding_dim": 8, "hidden_dim": 8},
        tokenizer={"alphabet": 50, "max_length": 20},
        train={**TRAIN, "epochs": 3, **train},
    )


def toy_recipe(name: str = "toy", **train: Any) -> Recipe:
    """A tiny recipe."""
    return loader.validate(content(name, **train), name)


def kind_recipe(kind: str, name: str = "toy", **model: Any) -> Recipe:
    """A tiny recipe of another kind of model."""
    return loader.validate({**content(name), "model": {"kind": kind, **model}}, name)


def write_recipe(file: Path, recipe: dict[str, Any]) -> str:
    """Write a parsed recipe as TOML and return its path."""
    sections = {key: value for key, value in recipe.items() if isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in recipe.items() if key not in sections]
    for name, section in sections.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in section.items())]
    file.write_text("\n".join(lines), "utf-8")
    assert tomllib.loads(file.read_text("utf-8")) == recipe
    return str(file)


class Silent:
    """A writer for trainings that belong to no run; keeps the names of the curves."""

    def __init__(self) -> None:
        """Start empty."""
        self.series: list[str] = []

    def point(self, series: str, step: int, value: float, *, epoch: float, wall_time: float) -> None:
        """Store the curve's name."""
        self.series.append(series)

    def beat(self, *, force: bool = False) -> None:
        """Do nothing."""


def tuned_on_pairs(
    folder: Path, source: str | Path, *, name: str = "tuned", model: dict[str, Any] | None = None, **sections: Any
) -> Recipe:
    """The recipe of a tiny fine-tuning on pairs of texts, with other keys of its model and other sections."""
    own = {
        "model": {"kind": "pretrained", "source": str(source), "num_labels": 3, **(model or {})},
        "tokenizer": {"max_length": 24},
        "train": {"epochs": 1, "batch_size": 64, "patience": 0, "lr": 0.01},
    }
    recipe = parsed(name, "mnli", "nli-en-mini", "en", label="Tuned", **{**own, **sections})
    return loader.load(write_recipe(folder / "tuned.toml", recipe), mini=True)


def start_writer(store: Store, recipe: Recipe) -> RunWriter:
    """A running run in the store."""
    config = recipe.model.model_dump(exclude={"kind", "dropout"})
    listed = ModelFacts(recipe.name, recipe.label, recipe.family, "bilstm", config, 1)
    columns = {"recipe_json": recipe.to_json(), "recipe_hash": recipe.digest(), "seed": recipe.seed, "dataset": "toy"}
    return RunWriter.start(store, listed, facts(recipe.label, model_id=recipe.name, recipe=recipe.name, **columns))


def toy_trainer(
    recipe: Recipe,
    writer: RunWriter,
    folder: Path,
    should_stop: Callable[[int], bool] = lambda step: False,
    soft: bool = False,
    count: int = 60,
) -> Trainer:
    """A trainer on the toy task as the pipeline makes it: seeded, then tokenizer, then model."""
    train, validation = toy_set(count), toy_set(20, 5, "v")
    torch.manual_seed(recipe.seed)
    tokenizer = train_tokenizer(train.texts, recipe.model.vocab_size, recipe.tokenizer)
    model = architectures.build(recipe.model)
    length = recipe.tokenizer.max_length
    teacher = torch.nn.functional.one_hot(torch.from_numpy(train.labels), 2).float() * 3 if soft else None
    return Trainer(
        recipe,
        model,
        Classification(
            Examples(encode(tokenizer, train.texts, length), train.labels, teacher),
            Examples(encode(tokenizer, validation.texts, length), validation.labels),
            recipe.distill,
        ),
        writer=writer,
        state_file=folder / "resume.safetensors",
        should_stop=should_stop,
    )


def stopped(job: Job, *steps: int) -> str:
    """Train a job that is stopped after a step, and after each further one it is gone on with; the run's id."""
    for step in steps:
        with pytest.raises(InterruptedRunError) as interrupted:
            run.train(replace(job, should_stop=lambda done, step=step: done == step))
        job = job.resumed(interrupted.value.run_id)
        torch.rand(5)  # whatever else draws random numbers in between must not matter
    return str(job.run_id)


def curves(store: Store, run_id: str) -> list[tuple[str, int, float]]:
    """All curve points of a run, without the clock."""
    rows = store.query("SELECT series, step, value FROM curves WHERE run_id = ? ORDER BY series, step", [run_id])
    return [(str(series), int(step), float(value)) for series, step, value in rows.itertuples(index=False)]


def status(store: Store, run_id: str) -> str:
    """A run's status as stored."""
    return str(store.query("SELECT status FROM runs WHERE run_id = ?", [run_id])["status"].iloc[0])
