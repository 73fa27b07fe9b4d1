"""What starts from a pretraining, or from its shape and vocabulary alone."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer
from typer.testing import CliRunner

from db.base.paths import cache_folder
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import CheckpointError, DataError, ModelError, RecipeError
from engine.checkpoints import checkpoint
from engine.cli.app import app
from engine.families.classification import classifiers
from engine.families.masked_lm import corpus, vocabulary
from engine.families.span_qa import checkpoint as spans
from engine.families.span_qa import model as span_model
from engine.networks import sources
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import SpanConfig
from engine.training import run
from engine.training.job import Job
from engine.workflows import evaluate
from tests.factories.command_line import one_line
from tests.factories.masked_lm import tiny_bert
from tests.factories.pretraining import (
    asking,
    content,
    folder,
    reader,
    run_checkpoint,
    started,
    trained,
    weights,
    write_text,
)
from tests.factories.recipes import write_recipe
from tests.factories.span_qa import as_squad, toy_questions

__all__ = ["folder"]


def _asks(tmp_path: Path, source: str, name: str = "asks", **sections: Any) -> Recipe:
    file = write_recipe(tmp_path / f"{name}.toml", asking(source, name, **sections))
    return loader.load(file, mini=True)


def _source(job: Job) -> str:
    """Where a job starts from, made first where it is missing."""
    return str(run.prepare(job).source)


def _start(job: Job) -> span_model.SpanModel:
    assert isinstance(job.recipe.model, SpanConfig)
    return span_model.from_source(job.recipe.model, _source(job), job.recipe.qa)


def _learn(job: Job) -> Path:
    """The vocabulary that a pretraining learns."""
    text = corpus.load(job.recipe.text, job.data, "ko")
    return vocabulary.learn_blank(job.recipe, job.task_id, text, cache_folder(job.store.path))


def _blank(job: Job) -> Path:
    return vocabulary.blank_folder(job.recipe, job.task_id, cache_folder(job.store.path))


def _pretraining_file(folder: Path) -> str:
    return write_recipe(folder / "reader.toml", content(text={"packed": True}, model={"vocab_size": 1500}))


@pytest.fixture
def pretraining_file(tmp_path: Path) -> str:
    """A recipe file of a tiny pretraining."""
    return _pretraining_file(tmp_path)


@dataclass(frozen=True)
class _Pair:
    """Two recipes of span models on a board: of random weights, and after the pretraining of the same shape."""

    board: Store
    bare: Recipe
    asks: Recipe
    runs: dict[str, str]


@pytest.fixture(scope="module")
def pair(shared_board: Store) -> _Pair:
    """Both trained, the one of random weights first, on the mini corpora."""
    board, path = shared_board, shared_board.path.parent
    source = f"pretrained:{_pretraining_file(path)}"
    bare, asks = _asks(path, source, "bare", model={"init": "random"}), _asks(path, source)
    runs = {"bare": trained(board, bare, None)}
    assert started(board) == ["bare"], "random weights need no pretraining"
    runs["asks"] = trained(board, asks, None)
    assert started(board) == ["bare", "reader", "asks"], "the pretraining comes first"
    runs["reader"] = str(board.query("SELECT run_id FROM runs WHERE recipe = 'reader'")["run_id"].item())
    return _Pair(board, bare, asks, runs)


def test_a_span_model_starts_from_a_pretraining(pair: _Pair) -> None:
    """Its encoder is where the training begins, and its words are used; later nothing of it is needed."""
    board, runs = pair.board, pair.runs
    assert detail.run_detail(board, runs["reader"]).run["task_id"] == "korean-text-mini"
    assert detail.run_detail(board, runs["asks"]).run["task_id"] == "qa-ko-mini"
    begun, theirs = _start(Job(pair.asks, None, board)).inner.state_dict(), weights(board, runs["reader"])
    assert all(torch.equal(tensor, theirs[name]) for name, tensor in begun.items() if name.startswith("bert."))
    vocabularies = [
        Tokenizer.from_file(str(run_checkpoint(board, runs[name]) / "tokenizer.json")).get_vocab()
        for name in ("asks", "reader")
    ]
    assert vocabularies[0] == vocabularies[1]
    first = run_checkpoint(board, runs["reader"])
    away = first.rename(first.with_name("away"))
    assert (
        spans.load(run_checkpoint(board, runs["asks"])).params == detail.run_detail(board, runs["asks"]).model["params"]
    )
    away.rename(first)


def test_the_run_says_how_much_its_weights_had_read(pair: _Pair) -> None:
    """The tokens of the pretraining's epochs up to the one that was kept; none of random weights."""
    details = {name: detail.run_detail(pair.board, run) for name, run in pair.runs.items()}
    bare, asks, reader = (details[name].metrics.set_index("name")["value"] for name in ("bare", "asks", "reader"))
    notes = str(details["reader"].run["notes"])
    once = int(notes.removeprefix("Read ").partition(" tokens")[0].replace(",", ""))
    assert asks["pretraining_tokens"] == once * reader["best_epoch"] > 0
    assert bare["pretraining_tokens"] == 0
    assert "pretraining_tokens" not in reader


def test_without_pretraining_it_has_the_same_shape_and_words(pair: _Pair) -> None:
    """Shape and vocabulary are those of the pretraining's recipe; both have the same size."""
    runs = [pair.runs[name] for name in ("bare", "asks")]
    assert len({detail.run_detail(pair.board, run).model["params"] for run in runs}) == 1
    assert len({checkpoint.sha256(run_checkpoint(pair.board, run) / "tokenizer.json") for run in runs}) == 1
    begun = _start(Job(pair.bare, None, pair.board))
    assert begun.inner.config.layer_norm_eps == 1e-3
    assert begun.positions == 48


def test_questions_need_no_text_beside_them(board: Store, tmp_path: Path, folder: str) -> None:
    """With a folder of questions alone: told what to do first; then found, whatever text it was learned from."""
    (tmp_path / "questions").mkdir()
    for part, count in (("train", 30), ("dev", 8)):
        questions = json.dumps(as_squad(toy_questions(count, prefix=part)))
        (tmp_path / "questions" / f"KorQuAD_v1.0_{part}.json").write_text(questions, "utf-8")
    name = write_recipe(tmp_path / "reader.toml", content(text={"packed": True}))

    def job(init: str) -> Job:
        recipe = loader.load(
            write_recipe(tmp_path / f"{init}.toml", asking(f"pretrained:{name}", model={"init": init}))
        )
        return Job(recipe, str(tmp_path / "questions"), board)

    message = one_line(lambda: _source(job("random")), DataError)
    assert f"featherboard pretrain {name} --data DIR --vocabulary-only" in message
    message = one_line(lambda: _source(job("pretrained")), DataError)
    assert f"featherboard pretrain {name} --seed 0 --data DIR" in message
    evaluate.learn_vocabulary(board, loader.load(name), folder)
    assert started(board) == []
    source = Path(_source(job("random")))
    assert source == _blank(Job(loader.load(name), folder, board))
    assert sorted(file.name for file in source.iterdir()) == ["config.json", "tokenizer.json", "tokenizer_config.json"]
    one_line(lambda: _source(job("pretrained")), DataError)
    run_id = trained(board, loader.load(name), folder)
    assert _source(job("pretrained")) == str(run_checkpoint(board, run_id))
    assert _source(job("random")) == str(source)


def test_the_newest_text_gives_the_vocabulary(board: Store, tmp_path: Path) -> None:
    """Learned from another text, the blank model is another; what was pretrained before keeps its own words."""
    recipe = reader()
    first = _learn(Job(recipe, str(write_text(tmp_path / "a")), board))
    before = (_blank(Job(recipe, "a", board)) / "tokenizer.json").read_bytes()
    second = _learn(Job(recipe, str(write_text(tmp_path / "b", 20)), board))
    assert first != second
    assert first.is_dir()
    assert (_blank(Job(recipe, "a", board)) / "tokenizer.json").read_bytes() != before
    assert _blank(Job(recipe, None, board)) != _blank(Job(recipe, "a", board)), "a mini corpus is apart"


def test_scored_documents_give_no_words(board: Store, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vocabulary is learned from what may be read, whatever the seed."""
    seen: list[set[str]] = []
    learn = vocabulary.learn
    monkeypatch.setattr(vocabulary, "learn", lambda texts, *more: seen.append(set(texts)) or learn(texts, *more))
    recipe = reader()
    loaded = corpus.load(recipe.text, folder, "ko")
    for seed in (0, 1):
        _learn(Job(recipe.model_copy(update={"seed": seed}), folder, board))
    assert seen == [{text for document in loaded.train for text in document.texts}]


def test_what_cannot_be_read_or_built_is_told(board: Store, tmp_path: Path, folder: str) -> None:
    """A file in another encoding, too long blocks, strange sections and kinds: one line each, and no run is left."""
    other = tmp_path / "cp949"
    other.mkdir()
    (other / "글.txt").write_bytes("산길을 걸어간다".encode("cp949"))
    message = one_line(lambda: trained(board, reader(), str(other)), DataError)
    assert "글.txt: not UTF-8 (at byte 0). Nothing was trained." in message
    for changes, part in (
        ({"text": {"block": 49}}, "text.block = 49: reader reads at most 48 tokens"),
        ({"model": {"vocab_size": 20}}, "model.vocab_size = 20"),
        ({"distill": {"teacher": "x"}}, "the section distill does not belong to model.kind = 'bert'"),
        ({"task": "korquad"}, "model.kind = 'bert' is for english-text"),
    ):
        assert part in one_line(lambda some=changes: trained(board, reader(**some), folder), RecipeError)
    for changes, part in (
        ({"text": {"packed": True, "next_sentence": True}}, "packed and next_sentence exclude each other"),
        ({"text": {"next_sentence": True, "block": 15}}, "at least 16 tokens"),
        ({"model": {"num_heads": 5}}, "hidden_size = 12 cannot be shared among num_heads = 5"),
        ({"triple": {}}, "the section triple belongs to model.kind = 'student'"),
        ({"vocabulary": {"kind": "bpe"}}, "vocabulary.kind = 'bpe'"),
        ({"text": {"rows": 0}}, "text.rows = 0"),
    ):
        assert part in one_line(lambda some=changes: reader(**some), RecipeError)
    head = content()
    head["model"] = {"kind": "masked-lm", "source": str(tiny_bert(tmp_path / "bert"))}
    head["text"] = {**head["text"], "next_sentence": True}
    recipe = loader.validate(head, "x")
    assert "text.next_sentence: model.kind = 'bert' learns it" in one_line(
        lambda: trained(board, recipe, folder), RecipeError
    )
    assert started(board) == []


def test_sources_of_the_wrong_kind_are_told(board: Store, tmp_path: Path, pretraining_file: str) -> None:
    """A recipe that pretrains nothing, one that distils nothing, and an adapter that could not be had again."""
    for source, part in (
        ("pretrained:kobilstm-tiny", "must be a recipe of model.kind = 'bert'"),
        (f"distilled:{pretraining_file}", "must be a recipe of model.kind = 'student'"),
        ("pretrained:nothing", "There is no recipe 'nothing'"),
    ):
        job = Job(_asks(tmp_path, source), None, board)
        assert part in one_line(lambda job=job: _source(job), RecipeError)
    adapted = _asks(tmp_path, f"pretrained:{pretraining_file}", adapter={"rank": 2, "alpha": 4})
    assert "on this machine alone" in one_line(lambda: trained(board, adapted, None), RecipeError)
    assert "only a run of its own" in one_line(lambda: sources.locate(f"pretrained:{pretraining_file}"), ModelError)
    assert started(board) == []


def test_words_that_do_not_fit_the_network_are_told(board: Store, tmp_path: Path, pair: _Pair) -> None:
    """More tokens than rows: refused before a run is listed, and in a checkpoint that was put together by hand."""
    small = tmp_path / "small"
    shutil.copytree(_source(Job(pair.bare, None, pair.board)), small)
    about = json.loads((small / "config.json").read_text())
    (small / "config.json").write_text(json.dumps({**about, "vocab_size": 50}))
    wrong = _asks(tmp_path, str(small), "wrong", model={"init": "random"})
    message = one_line(lambda: trained(board, wrong, None), ModelError)
    assert re.search(r"its tokenizer has \d+ tokens, its network 50; they do not fit", message)
    assert started(board) == []

    folder = Path(shutil.copytree(run_checkpoint(pair.board, pair.runs["asks"]), tmp_path / "copy"))
    card = json.loads((folder / "card.json").read_text())
    words = json.loads((folder / "tokenizer.json").read_text())
    words["model"]["vocab"] += [[f"더{i}", -9.0] for i in range(1500)]
    (folder / "tokenizer.json").write_text(json.dumps(words))
    card["files"]["tokenizer.json"] = checkpoint.sha256(folder / "tokenizer.json")
    (folder / "card.json").write_text(json.dumps(card))
    assert "they do not fit" in one_line(lambda: spans.load(folder), CheckpointError)


def test_a_pretraining_is_no_classifier(board: Store, folder: str) -> None:
    """Where texts are put into classes it is refused, with what to do."""
    run_id = trained(board, reader(), folder)
    message = one_line(lambda: classifiers.load(run_checkpoint(board, run_id)), ModelError)
    assert "pretrained:RECIPE" in message


def test_the_command_pretrains(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`featherboard pretrain` makes the run, or the vocabulary alone; a recipe of another kind is sent to `train`."""
    monkeypatch.setenv("FEATHERBOARD_DB", str(tmp_path / "own" / "b.duckdb"))
    name = write_recipe(tmp_path / "reader.toml", content(train={"epochs": 1}))
    words = CliRunner().invoke(app, ["pretrain", name, "--data", folder, "--vocabulary-only"])
    assert words.exit_code == 0, words.output
    store = Store(tmp_path / "own" / "b.duckdb")
    assert started(store) == []
    assert list((tmp_path / "own" / "cache" / "vocabulary").iterdir())
    done = CliRunner().invoke(app, ["pretrain", name, "--data", folder, "--seed", "3", "--threads", "1"])
    assert done.exit_code == 0, done.output
    rows = store.query("SELECT seed, status FROM runs WHERE source = 'measured'")
    assert rows.values.tolist() == [[3, "finished"]]
    refused = CliRunner().invoke(app, ["pretrain", "kobilstm-tiny"])
    assert isinstance(refused.exception, RecipeError)
    assert "featherboard train kobilstm-tiny" in str(refused.exception)
