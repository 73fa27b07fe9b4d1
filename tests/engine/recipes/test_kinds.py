"""Recipes of every kind of model: errors in one line, tables for the mini corpora, and what the digest sees."""

from pathlib import Path
from typing import Any

import pytest

from engine.base.errors import RecipeError
from engine.networks import architectures
from engine.recipes import loader, schema
from tests.factories.command_line import one_line
from tests.factories.recipes import content, kind_recipe, write_recipe

KINDS: dict[str, dict[str, Any]] = {
    "bilstm": {"embedding_dim": 8, "hidden_dim": 8},
    "cnn": {"embedding_dim": 8, "filters": 8},
    "char-ngrams": {},
    "pretrained": {"source": "some/model"},
    "span": {"source": "some/model"},
    "masked-lm": {"source": "some/model"},
    "bert": {},
    "student": {"source": "some/model"},
    "ensemble": {"members": ["char-ngrams"]},
}
"""What each kind must be told."""

OTHER: dict[str, dict[str, Any]] = {
    "bilstm": {
        "vocab_size": 130,
        "embedding_dim": 9,
        "hidden_dim": 9,
        "num_labels": 3,
        "dropout": 0.2,
        "after": "some/checkpoint",
    },
    "cnn": {"vocab_size": 130, "embedding_dim": 9, "filters": 9, "widths": [1, 2], "num_labels": 3, "dropout": 0.2},
    "char-ngrams": {"shortest": 2, "longest": 5, "min_texts": 3, "jamo": True, "inverse_penalty": 4.0, "num_labels": 3},
    "pretrained": {
        "source": "another/model",
        "init": "random",
        "dropout": 0.2,
        "source_seed": 1,
        "head": "pair",
        "after": "some/checkpoint",
        "num_labels": 3,
    },
    "span": {"source": "another/model", "init": "random", "dropout": 0.2, "source_seed": 1},
    "masked-lm": {"source": "another/model", "frozen": False, "dropout": 0.2},
    "bert": {
        "vocab_size": 130,
        "hidden_size": 12,
        "num_layers": 2,
        "num_heads": 2,
        "intermediate_size": 9,
        "max_positions": 9,
        "layer_norm_eps": 1e-5,
        "dropout": 0.2,
        "embedding": "cooccurrence",
        "attention": "matching",
    },
    "student": {"source": "another/model", "layers": [1, 2], "init": "random", "dropout": 0.2},
    "ensemble": {"members": ["jamo-ngrams"], "folds": 5, "num_labels": 3},
}
"""Every key of each kind, with a value that is not its default."""

CLASSES = {
    "bilstm": schema.BiLSTMConfig,
    "cnn": schema.CNNConfig,
    "char-ngrams": schema.NgramConfig,
    "pretrained": schema.PretrainedConfig,
    "span": schema.SpanConfig,
    "masked-lm": schema.MaskedLMConfig,
    "bert": schema.BertConfig,
    "student": schema.StudentConfig,
    "ensemble": schema.EnsembleConfig,
}


def _digest(**sections: Any) -> str:
    return loader.validate({**content(), **sections}, "x").digest()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_known_by_its_name(kind: str) -> None:
    """A model section with a kind and what it needs becomes that kind; what is left out has its default."""
    result = kind_recipe(kind, **KINDS[kind])
    assert type(result.model) is CLASSES[kind]
    assert result.model.kind == kind
    assert loader.validate(result.model_dump(mode="json", exclude_none=True), "again") == result


def test_without_a_kind_it_is_the_bilstm() -> None:
    """The recipes of the documents name no kind."""
    assert loader.validate(content(), "x").model.kind == "bilstm"


def test_an_unknown_kind_is_answered_with_those_that_exist() -> None:
    """A kind that is none is refused with all that there are."""
    message = one_line(lambda: kind_recipe("lstm", hidden_dim=4), RecipeError)
    assert "model.kind = 'lstm'" in message
    assert all(f"'{kind}'" in message for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_of_another_kind_is_answered_with_the_kinds_own(kind: str) -> None:
    """A key that the chosen kind does not have is named as it stands in the file, with the keys that it has."""
    foreign = "hidden_dim" if kind != "bilstm" else "filters"
    message = one_line(lambda: kind_recipe(kind, **KINDS[kind], **{foreign: 4}), RecipeError)
    assert f"unknown key model.{foreign}; allowed here: {', '.join(CLASSES[kind].model_fields)}." in message


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, needed in KINDS.items() for key in needed])
def test_a_missing_key_is_named_without_its_kind(kind: str, key: str) -> None:
    """A key without default that is left out is named as it would stand in the file."""
    settings = {name: value for name, value in KINDS[kind].items() if name != key}
    assert f"toy: the key model.{key} is missing." in one_line(lambda: kind_recipe(kind, **settings), RecipeError)


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        ("cnn", {"widths": [1, 40]}, "model.widths.1 = 40"),
        ("cnn", {"widths": []}, "model.widths"),
        ("cnn", {"filters": "many"}, "model.filters = 'many'"),
        ("char-ngrams", {"shortest": 5, "longest": 3}, "longest must be at least shortest = 5"),
        ("char-ngrams", {"inverse_penalty": 0}, "model.inverse_penalty = 0"),
        ("ensemble", {"members": []}, "model.members = []"),
        ("ensemble", {"folds": 1}, "model.folds = 1"),
        ("pretrained", {"source": 5}, "model.source = 5"),
    ],
)
def test_a_wrong_value_is_told_in_one_line(kind: str, wrong: dict[str, Any], message: str) -> None:
    """Whatever is wrong with a value, one line names the key as it stands in the file."""
    assert message in one_line(lambda: kind_recipe(kind, **{**KINDS[kind], **wrong}), RecipeError)


@pytest.mark.parametrize("value", [5, "cnn", []])
def test_a_model_that_is_no_table_is_told(value: object) -> None:
    """A model section that is a value is refused by its name."""
    assert "x: model = " in one_line(lambda: loader.validate({**content(), "model": value}, "x"), RecipeError)


@pytest.mark.parametrize(("kind", "key"), [(kind, key) for kind, keys in OTHER.items() for key in keys])
def test_the_digest_sees_every_key_of_every_kind(kind: str, key: str) -> None:
    """A recipe that differs in any one key of its model has another digest."""
    base = {"kind": kind, **KINDS[kind]}
    assert _digest(model={**base, key: OTHER[kind][key]}) != _digest(model=base)


def test_those_are_all_keys() -> None:
    """The lists above hold every kind, and every key of each."""
    assert {kind for kind, _ in _described()} == set(KINDS)
    for kind, section in CLASSES.items():
        assert set(OTHER[kind]) == set(section.model_fields) - {"kind"}


class _LaterTrain(schema.TrainConfig):
    """The train section of a later version, with one key more."""

    novelty: int = 3


class _LaterRecipe(schema.Recipe):
    """The recipe of a later version."""

    train: _LaterTrain = _LaterTrain()


def test_a_new_key_makes_no_stranger_of_an_old_run() -> None:
    """A key that a later version adds leaves the digest as it is until it is used."""
    old = loader.validate(content(), "x")
    assert _LaterRecipe(**content()).digest() == old.digest()
    assert _LaterRecipe(**content(novelty=4)).digest() != old.digest()


@pytest.mark.parametrize(
    ("kind", "digest"),
    [
        ("bilstm", "7960b2672f677d47"),
        ("cnn", "16ec1802be4a1241"),
        ("char-ngrams", "fdc1348da862161d"),
        ("pretrained", "b4aa6bfb79c48dc8"),
        ("ensemble", "cc3d0d2c13811b44"),
    ],
)
def test_the_digest_is_that_of_every_version(kind: str, digest: str) -> None:
    """The digests of these recipes never change: by them a stored run is found again."""
    assert kind_recipe(kind, **KINDS[kind]).digest().startswith(digest)


@pytest.mark.parametrize("kind", KINDS)
def test_the_digest_ignores_what_has_its_default(kind: str) -> None:
    """Writing a default down, or leaving it out, is the same recipe."""
    result = kind_recipe(kind, **KINDS[kind])
    written = {**content(), **result.model_dump(mode="json", exclude_none=True)}
    assert loader.validate(written, "x").digest() == result.digest()


def test_the_digest_sees_the_kind() -> None:
    """Two kinds with the same keys are two recipes."""
    same = {"embedding_dim": 8}
    digests = {
        _digest(model={**same, "hidden_dim": 8}),
        _digest(model={"kind": "bilstm", **same, "hidden_dim": 8}),
        _digest(model={"kind": "cnn", **same, "filters": 8}),
    }
    assert len(digests) == 2


def _described() -> dict[tuple[str, str], str]:
    """Meaning by kind and key of the model section, as `list keys` shows them."""
    rows = {}
    for name, _, _, meaning in loader.described_keys():
        key, _, kind = name.partition(" ")
        if key.startswith("model."):
            rows[kind.strip("()"), key.removeprefix("model.")] = meaning
    return rows


def test_every_kind_is_described() -> None:
    """`list keys` has each key of each kind, told apart by the kind, with its meaning."""
    rows = _described()
    for kind, section in CLASSES.items():
        for key in section.model_fields:
            assert rows[kind, key], f"{kind}: {key}"
    names = [name for name, *_ in loader.described_keys()]
    assert len(names) == len(set(names))


def _file(folder: Path, text: str) -> str:
    """A recipe with further tables, as a file."""
    file = folder / "own.toml"
    file.write_text(Path(write_recipe(folder / "base.toml", content())).read_text("utf-8") + "\n" + text, "utf-8")
    return str(file)


def test_mini_tables_change_the_recipe_on_a_mini_corpus_alone(tmp_path: Path) -> None:
    """[mini.SECTION] replaces keys of that section on a mini corpus; elsewhere it is as if it were not there."""
    file = _file(tmp_path, "[mini.train]\nepochs = 9\n[mini.model]\nhidden_dim = 4\n[mini.tokenizer]\nkind = 'bpe'\n")
    plain = loader.load(str(tmp_path / "base.toml"))
    mini, full = loader.load(file, mini=True), loader.load(file)
    assert full == plain
    assert (mini.train.epochs, mini.model.model_dump()["hidden_dim"], mini.tokenizer.kind) == (9, 4, "bpe")
    assert (mini.train.batch_size, mini.tokenizer.max_length) == (full.train.batch_size, full.tokenizer.max_length)


def test_an_override_goes_over_the_mini_tables(tmp_path: Path) -> None:
    """What --set says is said last."""
    file = _file(tmp_path, "[mini.train]\nepochs = 9\n")
    assert loader.load(file, ["train.epochs=2"], mini=True).train.epochs == 2


def test_mini_tables_can_make_a_section(tmp_path: Path) -> None:
    """A section that the recipe itself leaves out can be given for the mini corpus."""
    file = _file(tmp_path, "[mini.distill]\nteacher = 'kobilstm-tiny'\n")
    assert loader.load(file).distill is None
    loaded = loader.load(file, mini=True).distill
    assert loaded is not None
    assert loaded.teacher == "kobilstm-tiny"


@pytest.mark.parametrize("mini", [False, True])
@pytest.mark.parametrize(
    ("text", "message"), [("[mini.trian]\nepochs = 9\n", "mini.trian"), ("[mini]\nseed = 3\n", "mini.seed")]
)
def test_a_mini_table_of_nothing_is_told(tmp_path: Path, text: str, message: str, mini: bool) -> None:
    """What is no section under [mini] is told in one line, whether the run at hand would use it or not."""
    assert message in one_line(lambda: loader.load(_file(tmp_path, text), mini=mini), RecipeError)


@pytest.mark.parametrize(
    ("line", "message"), [("epoch = 9", "unknown key train.epoch;"), ("epochs = 0", "train.epochs = 0")]
)
def test_a_wrong_key_of_a_mini_table_is_told(tmp_path: Path, line: str, message: str) -> None:
    """On a mini corpus a wrong key or value in a [mini] table is told as in the section itself."""
    file = _file(tmp_path, f"[mini.train]\n{line}\n")
    assert message in one_line(lambda: loader.load(file, mini=True), RecipeError)


@pytest.mark.parametrize("mini", [False, True])
def test_a_section_that_is_a_value_is_told(tmp_path: Path, mini: bool) -> None:
    """A value where a table belongs is refused in one line, on a mini corpus too."""
    for key in ("train", "mini"):
        text = f"{key} = 5\n" + Path(write_recipe(tmp_path / "base.toml", {**content(), "train": {}})).read_text()
        (tmp_path / "own.toml").write_text(text.replace("[train]", ""), "utf-8")
        assert f"{key} = 5" in one_line(lambda: loader.load(str(tmp_path / "own.toml"), mini=mini), RecipeError)


@pytest.mark.parametrize("kind", ["char-ngrams", "pretrained", "ensemble"])
def test_what_is_not_built_from_a_vocabulary_says_so(kind: str) -> None:
    """Asking for the random network of a kind that has none names the kind."""
    assert f"model.kind = '{kind}'" in one_line(
        lambda: architectures.own(kind_recipe(kind, **KINDS[kind])), RecipeError
    )
