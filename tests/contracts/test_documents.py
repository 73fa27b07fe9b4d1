"""Every row that the documents print has a recipe with its settings, and the board shows the command."""

import re
from pathlib import Path

import pytest

from db.bootstrap import reported
from db.bootstrap.reported import ReportedRun
from db.registry import tasks
from db.storage.store import Store
from engine.networks import architectures
from engine.recipes import loader
from engine.recipes.schema import BiLSTMConfig
from engine.training import plan
from engine.training.job import Job

DOCUMENTS = ("000_06aba4b165819136.txt", "001_2c0027d85ad7badd.txt")
ROWS = [(run_id, citation, row) for run_id, citation, row in reported.load() if citation.startswith(DOCUMENTS)]
LISTED = {model.id: model for model in reported.models()}
NAMES = loader.document_names()


def _shown(row: tuple[str, str, ReportedRun]) -> str:
    return f"{row[1][:3]} {row[2].reproduce}"


@pytest.mark.parametrize("reproduced", ROWS, ids=_shown)
def test_a_row_has_a_recipe_with_its_settings(reproduced: tuple[str, str, ReportedRun]) -> None:
    """Size, vocabulary, teacher, loss rate, temperature, epochs and schedule of the recipe are those of the row."""
    _, citation, row = reproduced
    assert row.reproduce in NAMES
    recipe = loader.load(row.reproduce)
    assert recipe.listed_as == row.model
    assert recipe.listed_config() == LISTED[row.model].config
    assert recipe.label == LISTED[row.model].name
    assert recipe.family == LISTED[row.model].family
    assert recipe.task == row.task
    if row.model.startswith("kobilstm"):
        assert recipe.distill is None
    else:
        assert recipe.distill is not None
        teacher = loader.load(recipe.distill.teacher)
        # The last file name has no teacher beside it.
        assert teacher.label == (row.teacher or "KoELECTRA-Small-v3")
    settings = {**recipe.train.model_dump(), **(recipe.distill.model_dump() if recipe.distill else {})}
    settings["vocab_size"], settings["optimizer"] = recipe.model.model_dump()["vocab_size"], "adam"
    for key, value in row.recipe.items():
        # Printed for the cyclic rows too, where it has no meaning.
        if (key, recipe.train.scheduler) != ("scheduler_step_size", "cyclic"):
            assert settings[key] == value, key
    if citation.startswith(DOCUMENTS[1]):
        # As its text says, whatever the other document prints.
        assert recipe.train.scheduler_step_size == (1 if recipe.train.epochs <= 30 else 5)


def test_every_recipe_is_of_some_row() -> None:
    """There is no recipe that no document prints, and none that the board does not name."""
    assert {row.reproduce for _, _, row in ROWS} == set(NAMES)
    assert len(NAMES) == len(set(NAMES)) == 56
    assert not set(NAMES) & set(loader.names())


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_of_a_row_is_complete(name: str, tmp_path: Path) -> None:
    """It is valid, says the same in its name, has the row's parameters, and does not lean on what may change."""
    recipe = loader.load(name)
    assert re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,63}", recipe.name)
    assert recipe.name == name
    parts = name.removeprefix(recipe.listed_as + ".").split(".")
    assert f"e{recipe.train.epochs}" in parts
    assert parts[-1] == ("cyclic" if recipe.train.scheduler == "cyclic" else f"s{recipe.train.scheduler_step_size}")
    if recipe.distill:
        assert f"{recipe.distill.teacher}".endswith(parts[0])
        assert f".r{recipe.distill.loss_rate:g}.t{recipe.distill.temperature:g}." in name
        assert (recipe.distill.loss, recipe.distill.unlabelled) == ("kl", False)
    assert isinstance(recipe.model, BiLSTMConfig)
    counts = {
        (256, 128): 1_175_554,
        (128, 64): 391_170,
        (64, 32): 146_434,
        (16, 16): 52_418,
        (26, 8): 31_594,
        (16, 8): 27_394,
        (32, 8): 34_882,
    }
    count = architectures.count_parameters(architectures.build(recipe.model))
    assert count == counts[recipe.model.hidden_dim, recipe.model.embedding_dim]
    assert (recipe.tokenizer.kind, recipe.train.precision, recipe.train.batch_size) == ("wordpiece", "float32", 64)
    assert (recipe.train.patience, recipe.pretrain) == (0, None)
    assert recipe.data.add == ("naver-shopping", "steam")
    assert tasks.by_id(recipe.mini_task).mini
    plan.check(Job(recipe, "folder", Store(tmp_path / "none.duckdb")))
    mini = loader.load(name, mini=True)
    plan.check(Job(mini, None, Store(tmp_path / "none.duckdb")))
    assert (mini.train.epochs, mini.distill is None) == (40, recipe.distill is None)


def test_the_rows_of_one_size_are_one_model(board: Store) -> None:
    """A row's recipe lists no model of its own: it is the model that the board lists for the document."""
    for name in NAMES:
        plan.check(Job(loader.load(name), "folder", board))
    assert len({loader.load(name).listed_as for name in NAMES}) == 10
    assert len({loader.load(name).digest() for name in NAMES}) == len(NAMES)


def test_the_board_shows_the_command(board: Store) -> None:
    """A printed row that has a recipe names it, with the command that trains it; no other row does."""
    stored = board.query("SELECT run_id, recipe, command, citation FROM runs WHERE source = 'reported'")
    named = {row.run_id: (row.recipe, row.command) for row in stored.dropna(subset=["recipe"]).itertuples()}
    assert named == {
        run_id: (row.reproduce, f"featherboard train {row.reproduce} --data FOLDER_OF_NSMC") for run_id, _, row in ROWS
    }
    assert stored.loc[stored["recipe"].isna(), "command"].isna().all()


@pytest.mark.parametrize("name", ["koelectra-small-v3", "koelectra-base-v3"])
def test_the_teachers_are_recipes(name: str) -> None:
    """Both teachers of the documents are fine-tuned here, from the hub or a folder, and are the board's models."""
    recipe = loader.load(name)
    assert recipe.model.model_dump()["source"] == f"monologg/{name}-discriminator"
    assert recipe.label == LISTED[name].name
    assert (recipe.train.lr, recipe.train.batch_size, recipe.tokenizer.max_length) == (5e-5, 32, 128)
    moved = loader.load(name, ["model.source=/some/folder"])
    assert moved.model.model_dump()["source"] == "/some/folder"


def test_a_wrong_name_is_answered_with_close_ones() -> None:
    """A slip in a long name is answered with names that are close to it."""
    with pytest.raises(loader.RecipeError, match=r"Close to it: .*distilkobilstm-base\.small-v3\.r0\.1\.t2\.e100\.s5"):
        loader.load("distilkobilstm-base.small-v3.r0.1.t2.e100.s6")
    with pytest.raises(loader.RecipeError, match="There is no recipe 'documents'"):
        loader.load("documents")
