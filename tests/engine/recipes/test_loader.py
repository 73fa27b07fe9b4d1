"""Recipes: defaults, errors in one line, and what the digest sees."""

from pathlib import Path
from typing import Any

import pytest

from db.registry import tasks, validation_split
from engine.base.errors import RecipeError
from engine.checkpoints.shipped import SHIPPED as PREFIX
from engine.checkpoints.shipped import shipped_folder
from engine.data.sources import SOURCES
from engine.families.masked_lm.family import TEXT_TASKS
from engine.families.span_qa.questions import QA_SOURCES
from engine.recipes import loader
from engine.recipes import schema as config
from tests.factories.command_line import one_line
from tests.factories.recipes import content, toy_recipe


def _toml(folder: Path, text: str) -> str:
    file = folder / "own.toml"
    file.write_text(text, "utf-8")
    return str(file)


@pytest.mark.parametrize("name", loader.names())
@pytest.mark.parametrize("mini", [False, True])
def test_every_shipped_recipe_loads(name: str, mini: bool) -> None:
    """A shipped recipe is valid, is named like its file, and belongs to tasks that the engine can load."""
    loaded = loader.load(name, mini=mini)
    assert loaded.name == name
    assert tasks.by_id(loaded.mini_task).mini
    assert not tasks.by_id(loaded.task).mini
    for task_id in (loaded.task, loaded.mini_task):
        known = {"span": QA_SOURCES, "masked-lm": TEXT_TASKS, "student": TEXT_TASKS, "bert": TEXT_TASKS}
        assert task_id in known.get(loaded.model.kind, SOURCES)
        assert loaded.num_labels == (SOURCES[task_id].num_labels if task_id in SOURCES else 0)
        assert tasks.by_id(task_id).language == loaded.language
    if loaded.distill and loaded.distill.teacher.startswith(PREFIX):
        assert shipped_folder(loaded.distill.teacher.removeprefix(PREFIX))
    elif loaded.distill:
        assert loader.load(loaded.distill.teacher).distill is None


def test_defaults_fill_what_a_recipe_leaves_out(tmp_path: Path) -> None:
    """A recipe that names only what distinguishes it gets the documented defaults."""
    keys = ("name", "label", "family", "summary", "language", "task", "mini_task")
    text = "\n".join(f'{key} = "{content()[key]}"' for key in keys)
    loaded = loader.load(_toml(tmp_path, text + "\n[model]\nembedding_dim = 8\nhidden_dim = 4\n"))
    assert (loaded.seed, loaded.distill) == (0, None)
    assert loaded.model.model_dump() == {
        "kind": "bilstm",
        "vocab_size": 3000,
        "embedding_dim": 8,
        "hidden_dim": 4,
        "num_labels": 2,
        "dropout": 0.3,
        "after": None,
    }
    assert loaded.tokenizer.model_dump() == {"kind": "wordpiece", "max_length": 100, "alphabet": 1000, "jamo": False}
    assert loaded.train.model_dump() == {
        "epochs": 30,
        "batch_size": 64,
        "lr": 1e-3,
        "weight_decay": 0.0,
        "scheduler": "step",
        "scheduler_step_size": 5,
        "scheduler_gamma": 0.9,
        "scheduler_base_lr": 5e-4,
        "warmup": 0.05,
        "precision": "float32",
        "clip_norm": 1.0,
        "scoring": "float32",
        "patience": 6,
        "validation_fraction": 0.05,
        "held_out": "text",
        "validate_every": 0,
    }


def test_mini_training_can_still_be_overridden() -> None:
    """On a mini corpus the train section starts from the mini settings, and an override goes over them."""
    loaded = loader.load("kobilstm-tiny", ["train.epochs=7"], mini=True)
    assert loaded.train.epochs == 7
    assert loaded.train.batch_size == loader.MINI_TRAIN["batch_size"]
    assert loader.load("kobilstm-tiny").train.batch_size == 64


def test_overrides_are_read_as_toml_or_text() -> None:
    """--set takes numbers, quoted and bare text, and makes a section that the recipe does not have."""
    loaded = loader.load(
        "kobilstm-tiny",
        ["model.dropout=0.1", "train.scheduler=cyclic", 'label="A = B"', "distill.teacher=kobilstm-large"],
        seed=9,
    )
    assert (loaded.model.dropout, loaded.train.scheduler, loaded.label, loaded.seed) == (0.1, "cyclic", "A = B", 9)
    assert loaded.distill is not None
    assert loaded.distill.teacher == "kobilstm-large"


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("train.epoch=3", ["unknown key train.epoch", "epochs", "batch_size", "validation_fraction"]),
        ("model.nosuch=3", ["unknown key model.nosuch", "embedding_dim", "hidden_dim"]),
        ("distill.nosuch=3", ["distill"]),
        ("nosuch=3", ["unknown key nosuch", "name", "model", "train", "distill"]),
        ("train.epochs=many", ["train.epochs", "'many'", "integer"]),
        ("train.epochs=2.5", ["train.epochs", "2.5", "integer"]),
        ("train.epochs=0", ["train.epochs = 0", "greater than or equal to 1"]),
        ("train.lr=-1", ["train.lr = -1", "greater than 0"]),
        ("train.lr=nan", ["train.lr"]),
        ("model.dropout=1", ["model.dropout = 1", "less than 1"]),
        ("train.scheduler=linear", ["train.scheduler = 'linear'", "'step'", "'cyclic'", "'cosine'", "'constant'"]),
        ("language=fr", ["language = 'fr'", "'ko'", "'en'"]),
        ("name=Has Spaces", ["name = 'Has Spaces'", "pattern"]),
        ("seed=-1", ["seed = -1", "greater than or equal to 0"]),
        ("train=5", ["train = 5"]),
        ("model.hidden_dim.x=5", ["model.hidden_dim.x=5", "hidden_dim is a value, not a section"]),
        ("train.clip_norm=inf", ["train.clip_norm = inf", "finite"]),
        ("train.epochs", ["--set train.epochs", "key=value"]),
        ("=3", ["--set =3", "key=value"]),
    ],
)
def test_a_wrong_override_is_told_in_one_line(override: str, parts: list[str]) -> None:
    """Whatever is wrong with --set, one line names the key and what is allowed."""
    message = one_line(lambda: loader.load("kobilstm-tiny", [override]), RecipeError)
    for part in parts:
        assert part in message


def test_a_missing_key_is_named(tmp_path: Path) -> None:
    """A recipe without a key that has no default is refused with that key's name."""
    file = _toml(tmp_path, 'name = "own"\n[model]\nembedding_dim = 8\n')
    message = one_line(lambda: loader.load(file), RecipeError)
    assert "own.toml: the key label is missing" in message
    assert "more" in message
    whole = content()
    del whole["model"]["hidden_dim"]
    assert "the key model.hidden_dim is missing" in one_line(lambda: loader.validate(whole, "x"), RecipeError)


def test_a_file_that_is_no_recipe_is_told(tmp_path: Path) -> None:
    """A file that is not TOML, not text or not there is refused in one line that names the file."""
    assert "own.toml: not TOML" in one_line(lambda: loader.load(_toml(tmp_path, "name = \n")), RecipeError)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    assert "binary.toml" in one_line(lambda: loader.load(str(tmp_path / "binary.toml")), RecipeError)
    assert "missing.toml" in one_line(lambda: loader.load(str(tmp_path / "missing.toml")), RecipeError)


def test_an_unknown_recipe_is_answered_with_those_that_are_close() -> None:
    """A name that is not shipped is refused with those that look alike, and with the command that lists all."""
    message = one_line(lambda: loader.load("kobilstm-huge"), RecipeError)
    assert "'kobilstm-huge'" in message
    assert "`featherboard list recipes` shows all" in message
    assert "Close to it: kobilstm-tiny, " in one_line(lambda: loader.load("kobilstm-tiyn"), RecipeError)


def test_a_recipe_cannot_climb_out_of_its_folder() -> None:
    """A name with a path in it is an unknown recipe, not a file that is read."""
    assert "There is no recipe" in one_line(lambda: loader.load("../recipes/kobilstm-tiny"), RecipeError)


@pytest.mark.parametrize("change", [{"seed": 7}, {"label": "X"}, {"family": "X"}, {"summary": "X"}])
def test_the_digest_ignores_seed_and_texts(change: dict[str, Any]) -> None:
    """Runs that differ in seed or in what the board calls them are runs of one recipe."""
    assert loader.validate({**content(), **change}, "x").digest() == toy_recipe().digest()


_OTHER: dict[str, dict[str, Any]] = {
    "tokenizer": {"kind": "bpe", "max_length": 21, "alphabet": 51, "jamo": True},
    "train": {
        "epochs": 4,
        "batch_size": 9,
        "lr": 0.02,
        "weight_decay": 0.1,
        "scheduler": "cosine",
        "scheduler_step_size": 6,
        "scheduler_gamma": 0.8,
        "scheduler_base_lr": 1e-4,
        "warmup": 0.1,
        "precision": "bfloat16",
        "clip_norm": 2.0,
        "scoring": "bfloat16",
        "patience": 1,
        "validation_fraction": 0.3,
        "held_out": "text",
        "validate_every": 5,
    },
    "pretrain": {
        "epochs": 4,
        "batch_size": 9,
        "lr": 0.02,
        "negatives": 9,
        "max_length": 21,
        "precision": "float32",
        "unlabelled": True,
        "seed": 1,
    },
    "distill": {
        "teacher": "other",
        "loss": "mse",
        "loss_rate": 0.2,
        "temperature": 3.0,
        "teacher_seed": 1,
        "unlabelled": True,
        "add": ["steam"],
        "altered": 1,
    },
}


@pytest.mark.parametrize(("section", "key"), [(name, key) for name, keys in _OTHER.items() for key in keys])
def test_the_digest_sees_every_hyperparameter(section: str, key: str) -> None:
    """A recipe that differs in any one hyperparameter has another digest."""
    taught = {"teacher": "teacher", "loss_rate": 0.1, "temperature": 2.0, "teacher_seed": 0}
    base = {**content(), "pretrain": {}, "distill": taught}
    changed = {**base, section: {**base[section], key: _OTHER[section][key]}}
    assert loader.validate(changed, "x").digest() != loader.validate(base, "x").digest()


def test_every_hyperparameter_is_among_those() -> None:
    """The list above holds every key of the sections; those of the kinds of models are in test_kinds."""
    sections = {
        "tokenizer": config.TokenizerConfig,
        "train": config.TrainConfig,
        "pretrain": config.PretrainConfig,
        "distill": config.DistillConfig,
    }
    for name, section in sections.items():
        assert set(_OTHER[name]) == set(section.model_fields)


def test_a_cycle_that_would_run_upside_down_is_refused() -> None:
    """The bottom of the cyclic schedule lies below its top."""
    message = one_line(lambda: loader.load("kobilstm-tiny", ["train.scheduler=cyclic", "train.lr=0.0001"]), RecipeError)
    assert "scheduler_base_lr must be below lr" in message


def test_a_stored_recipe_comes_back_whole() -> None:
    """What a run stores of its recipe, defaults included, gives the same recipe again."""
    import json

    loaded = loader.load("distilkobilstm-tiny", mini=True, seed=3)
    assert loader.validate(json.loads(loaded.to_json()), "run") == loaded


def test_the_split_of_today_is_the_default() -> None:
    """What the store says of earlier runs' commands rests on it."""
    train = loader.load("kobilstm-tiny").train
    assert {key: getattr(train, key) for key in validation_split.DEFAULTS} == validation_split.DEFAULTS


def test_every_key_is_described() -> None:
    """`list keys` has a meaning for each key that a recipe may have, and no key is left out."""
    rows = {name: meaning for name, _, _, meaning in loader.described_keys()}
    assert [name for name, meaning in rows.items() if not meaning] == []
    for section, keys in _OTHER.items():
        assert {f"{section}.{key}" for key in keys} <= rows.keys()
