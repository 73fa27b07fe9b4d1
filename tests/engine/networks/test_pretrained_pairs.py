"""Fine-tuned transformers: pairs of texts, random weights, dropout, positions, and students distilled here."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import (
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
)

from db.base.paths import checkpoint_folder
from db.registry.tasks import corpus_folder
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import DataError, ModelError, RecipeError
from engine.checkpoints import adapters, checkpoint
from engine.data.tokenizer import encode
from engine.families.classification import classifiers, fit
from engine.networks import quantization, sources, transformer_classifier
from engine.networks.neural_classifier import NeuralClassifier
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import PretrainedConfig
from engine.training import run as pipeline
from engine.training.job import Job
from tests.factories.command_line import one_line
from tests.factories.masked_lm import content, tiny_bert, tiny_config, tiny_tokenizer, write_text
from tests.factories.recipes import write_recipe

SEP = 3
PAIR = ("the red cat sits", "a dog runs near the house")


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    """A tiny BERT without head, with two segments."""
    return tiny_bert(tmp_path / "bert", head=False)


def _start(source: Path | str, *, pairs: bool = True, max_length: int = 30, **model: Any) -> Any:
    config = PretrainedConfig(source=str(source), num_labels=3, **model)
    return transformer_classifier.start(config, str(source), max_length, pairs=pairs).eval()


def _small(folder: Path, config: Any, kind: Any) -> Path:
    kind(config).save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


@torch.no_grad()
def test_the_second_text_is_the_second_segment(bert: Path) -> None:
    """A pair has the logits that transformers gives with its tokenizer's segments; padding changes nothing."""
    model = _start(bert)
    theirs = BertForSequenceClassification(model.inner.config).eval()
    theirs.load_state_dict(model.inner.state_dict())
    expected = theirs(**tiny_tokenizer()(*PAIR, return_tensors="pt", return_token_type_ids=True)).logits
    ids = torch.from_numpy(
        encode(transformer_classifier.tokenizer(str(bert), 30), [PAIR], 30).sequences[0].astype("int64")
    )
    assert torch.allclose(model(ids[None], torch.tensor([len(ids)])), expected, atol=1e-6)
    padded = torch.nn.functional.pad(ids, (0, 5))[None]
    assert torch.allclose(model(padded, torch.tensor([len(ids)])), expected, atol=1e-5)
    model.separator = None
    assert not torch.allclose(model(ids[None], torch.tensor([len(ids)])), expected, atol=1e-3)


def test_segments_are_counted_from_the_first_separator() -> None:
    """The separator itself closes the first text; later ones change nothing."""
    ids = torch.tensor([[2, 5, 3, 6, 7, 3, 0], [2, 5, 6, 7, 8, 9, 3]])
    assert transformer_classifier.token_types(ids, SEP).tolist() == [[0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0]]


def test_single_texts_have_one_segment(bert: Path) -> None:
    """For a task of single texts nothing changes, and the card says nothing of segments."""
    model = _start(bert, pairs=False)
    assert model.separator is None
    assert "separator" not in model.facts


def test_models_without_segments_get_none(tmp_path: Path) -> None:
    """DistilBERT has no segments and RoBERTa one: both read pairs as they always did."""
    distil = _small(
        tmp_path / "d",
        DistilBertConfig(vocab_size=40, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=20),
        DistilBertForSequenceClassification,
    )
    roberta = _small(
        tmp_path / "r",
        RobertaConfig(
            vocab_size=40,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
            type_vocab_size=1,
            max_position_embeddings=22,
        ),
        RobertaForSequenceClassification,
    )
    for source in (distil, roberta):
        model = _start(source, max_length=10)
        assert model.separator is None
        assert model(torch.tensor([[2, 5, 3, 6, 3]]), torch.tensor([5])).shape == (1, 3)


@torch.no_grad()
def test_a_checkpoint_of_pairs_comes_back(bert: Path, tmp_path: Path) -> None:
    """The separator is on the card: a pair has the same logits after the source is gone."""
    recipe = loader.validate(
        {
            **content("nli", source="x"),
            "model": {"kind": "pretrained", "source": "x", "num_labels": 3},
            "task": "mnli",
            "mini_task": "nli-en-mini",
            "text": None,
        },
        "nli",
    )
    model, tokenizer = _start(bert), transformer_classifier.tokenizer(str(bert), 20)
    before = NeuralClassifier(recipe, "", model, tokenizer).logits([PAIR, ("a", "b")])
    checkpoint.save_network(tmp_path / "saved", recipe, model, model.state_dict(), tokenizer)
    shutil.rmtree(bert)
    loaded = classifiers.load(tmp_path / "saved")
    assert loaded.model.separator == SEP
    assert np.allclose(loaded.logits([PAIR, ("a", "b")]), before, atol=1e-6)


def test_random_weights_in_the_same_architecture(bert: Path) -> None:
    """The shapes of the source, the weights of the seed."""
    taken, states = _start(bert).state_dict(), []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        states.append(_start(bert, init="random").state_dict())
    assert {name: tensor.shape for name, tensor in states[0].items()} == {name: t.shape for name, t in taken.items()}
    word = "inner.bert.embeddings.word_embeddings.weight"
    assert torch.equal(states[0][word], states[1][word])
    assert not torch.equal(states[0][word], states[2][word])
    assert not torch.allclose(states[0][word], taken[word], atol=0.05)


def test_random_weights_need_no_file_of_weights(bert: Path) -> None:
    """Configuration and tokenizer are enough where the weights are random."""
    (bert / "model.safetensors").unlink()
    assert _start(bert, init="random").inner.config.hidden_size == 12
    assert "no usable classifier" in one_line(lambda: _start(bert), ModelError)


def test_dropout_is_the_recipes(bert: Path) -> None:
    """Without dropout a training step sees what scoring sees; without the key the source's own holds."""
    model = _start(bert, dropout=0.0).train()
    ids, lengths = torch.tensor([[2, 5, 3]]), torch.tensor([3])
    assert model.inner.config.hidden_dropout_prob == model.inner.config.attention_probs_dropout_prob == 0.0
    assert torch.equal(model.inner.bert(ids).last_hidden_state, model.inner.bert(ids).last_hidden_state)
    assert _start(bert).inner.config.hidden_dropout_prob == tiny_config().hidden_dropout_prob
    assert model(ids, lengths).shape == (1, 3)


def test_more_tokens_than_positions_are_refused(bert: Path, tmp_path: Path) -> None:
    """The message names the key and the largest value; a RoBERTa keeps two of its positions for itself."""
    assert _start(bert, max_length=40)
    message = one_line(lambda: _start(bert, max_length=41), RecipeError)
    assert "tokenizer.max_length = 41" in message
    assert "--set tokenizer.max_length=40" in message
    config = RobertaConfig(
        vocab_size=40,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=22,
        pad_token_id=1,
    )
    folder = _small(tmp_path / "r", config, RobertaForSequenceClassification)
    assert _start(folder, max_length=20)(torch.full((1, 20), 5), torch.tensor([20])).shape == (1, 3)
    assert "--set tokenizer.max_length=20" in one_line(lambda: _start(folder, max_length=21), RecipeError)


def _tuned(tmp_path: Path, source: str, **more: Any) -> Recipe:
    config = {
        "name": "tuned",
        "label": "Tuned",
        "family": "Tiny",
        "summary": "a toy",
        "language": "en",
        "task": "mnli",
        "mini_task": "nli-en-mini",
        "model": {"kind": "pretrained", "source": source, "num_labels": 3},
        "tokenizer": {"max_length": 24},
        "train": {"epochs": 1, "batch_size": 64, "patience": 0},
        **more,
    }
    return loader.load(write_recipe(tmp_path / "tuned.toml", config), mini=True)


@pytest.fixture(scope="module")
def pupil(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A recipe that distils a student from a tiny BERT."""
    folder = tmp_path_factory.mktemp("pupil")
    source = str(tiny_bert(folder / "teacher", max_position_embeddings=512))
    return write_recipe(folder / "pupil.toml", content(source=source, train={"epochs": 1}))


@pytest.fixture(scope="module")
def tuned(shared_board: Store, pupil: str) -> str:
    """A fine-tuning of its student, which is distilled first; the run's id."""
    recipe = _tuned(shared_board.path.parent, f"distilled:{pupil}")
    return pipeline.train(Job(recipe, None, shared_board))


@pytest.fixture
def taught(shared_board: Store, tuned: str, tmp_path: Path) -> Store:
    """The board with both runs and their checkpoints; a copy, so a test may change it."""
    return Store(Path(shutil.copytree(shared_board.path.parent, tmp_path / "copy")) / shared_board.path.name)


def _folder(board: Store, run_id: str) -> Path:
    return checkpoint_folder(board.path, run_id)


def _source(job: Job) -> str:
    """Where a job starts from, made first where it is missing."""
    return str(pipeline.prepare(job).source)


def test_a_fine_tuning_starts_from_a_student(taught: Store, tmp_path: Path, pupil: str, tuned: str) -> None:
    """The student of the same seed is distilled first, found by the next, and its weights are where tuning begins."""
    recipe, board = _tuned(tmp_path, f"distilled:{pupil}"), taught
    rows = board.query("SELECT run_id, recipe, seed, task_id FROM runs WHERE source = 'measured' ORDER BY created_at")
    assert rows["recipe"].tolist() == ["pupil", "tuned"]
    assert rows["task_id"].tolist() == ["english-text-mini", "nli-en-mini"]
    assert set(rows["seed"]) == {0}
    student = rows["run_id"].iloc[0]
    assert _source(Job(recipe, None, board)) == str(_folder(board, student))
    begun = fit.start(recipe, str(_folder(board, student))).inner.distilbert.state_dict()
    theirs = checkpoint.read_weights(_folder(board, student), checkpoint.read_card(_folder(board, student)))
    assert all(torch.equal(tensor, theirs[f"distilbert.{name}"]) for name, tensor in begun.items())
    shutil.rmtree(_folder(board, student))
    assert classifiers.load(_folder(board, tuned)).logits([PAIR]).shape == (1, 3)
    assert detail.run_detail(board, tuned).run["status"] == "finished"


def test_a_span_model_starts_from_a_student_too(taught: Store, tmp_path: Path, pupil: str) -> None:
    """Question answering finds its student in the same way."""
    config = {
        **content("spans", source=f"distilled:{pupil}", kind="span"),
        "task": "squad",
        "mini_task": "qa-en-mini",
        "qa": {"max_length": 40, "stride": 8, "question_length": 12, "questions": 20},
        "train": {"epochs": 1, "batch_size": 32, "patience": 0},
    }
    del config["text"]
    run_id = pipeline.train(Job(loader.load(write_recipe(tmp_path / "spans.toml", config), mini=True), None, taught))
    assert detail.run_detail(taught, run_id).run["status"] == "finished"
    recipes = taught.query("SELECT recipe FROM runs WHERE source = 'measured' ORDER BY created_at")["recipe"]
    assert recipes.tolist() == ["pupil", "tuned", "spans"]


def test_each_seed_has_its_own_student(taught: Store, tmp_path: Path, pupil: str) -> None:
    """A fine-tuning with seed 1 starts from the student of seed 1, and a second student of it replaces the first."""
    recipe, board = _tuned(tmp_path, f"distilled:{pupil}"), taught
    places = [_source(Job(recipe.model_copy(update={"seed": seed}), None, board)) for seed in (0, 1, 0)]
    assert places[0] == places[2] != places[1]
    newer = pipeline.train(Job(loader.load(pupil, mini=True), None, board))
    assert _source(Job(recipe, None, board)) == str(_folder(board, newer))


def test_another_text_does_not_matter_but_a_mini_one_does(taught: Store, tmp_path: Path, pupil: str) -> None:
    """On real data any text's student is taken, never that of the mini corpus; without one the command is told."""
    text = str(write_text(tmp_path / "text"))
    recipe, board = _tuned(tmp_path, f"distilled:{pupil}"), taught
    nowhere = tmp_path / "nli"
    nowhere.mkdir()
    for part, name in (("train", "train"), ("test", "validation_matched")):
        shutil.copy(corpus_folder("nli_en") / f"{part}.jsonl", nowhere / f"{name}.jsonl")
    message = one_line(lambda: _source(Job(recipe, str(nowhere), board)), DataError)
    assert f"featherboard distill {pupil} --seed 0 --data DIR" in message
    run_id = pipeline.train(Job(loader.load(pupil), text, board))
    assert _source(Job(recipe, str(nowhere), board)) == str(_folder(board, run_id))


def test_only_a_student_is_distilled(board: Store, tmp_path: Path) -> None:
    """A recipe of another kind, an unknown one, and a use outside a run are told."""
    for source, message in (
        ("distilled:kobilstm-tiny", "it must be a recipe of model.kind = 'student'"),
        ("distilled:nothing", "There is no recipe 'nothing'"),
    ):
        assert message in one_line(lambda s=source: _source(Job(_tuned(tmp_path, s), None, board)), RecipeError)
    assert "only a run of its own" in one_line(lambda: sources.locate("distilled:x"), ModelError)


def test_the_packaged_encoder_is_found_or_its_package_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the packaged encoder is a folder where the package is installed; without it the extra is named."""
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    assert "engine,offline" in one_line(lambda: sources.locate(sources.MINILM), ModelError)
    assert sources.locate("some/hub-id") == "some/hub-id"


def _pair_head(bert: Path, **model: Any) -> Any:
    torch.manual_seed(0)
    return _start(bert, head="pair", **model)


@torch.no_grad()
def test_a_pair_head_sees_the_means_of_both_texts(bert: Path) -> None:
    """Its features are the means, their difference and their product; padding changes nothing."""
    model = _pair_head(bert)
    assert model.inner.pooler is None
    ids, lengths = torch.tensor([[2, 5, 6, 3, 9, 3]]), torch.tensor([6])
    states = model.inner(input_ids=ids, token_type_ids=torch.tensor([[0, 0, 0, 0, 1, 1]])).last_hidden_state[0]
    u, v = states[:4].mean(dim=0), states[4:].mean(dim=0)
    expected = model.classifier(torch.cat([u, v, (u - v).abs(), u * v]))
    assert torch.allclose(model(ids, lengths)[0], expected, atol=1e-6)
    padded = torch.nn.functional.pad(ids, (0, 3))
    assert torch.allclose(model(padded, lengths)[0], expected, atol=1e-5)


@torch.no_grad()
def test_a_pair_head_reads_a_single_text_too(bert: Path) -> None:
    """What is hidden counts as nothing, in a batch beside whole pairs as well."""
    model = _pair_head(bert)
    alone = model(torch.tensor([[2, 5, 6, 3]]), torch.tensor([4]))
    assert torch.isfinite(alone).all()
    padded = model(torch.tensor([[2, 5, 6, 3, 0, 0], [2, 5, 6, 3, 9, 3]]), torch.tensor([4, 6]))
    assert torch.allclose(padded[:1], alone, atol=1e-5)
    assert not torch.allclose(padded[1:], alone, atol=1e-3)


@torch.no_grad()
def test_a_pair_head_answers_in_other_number_formats(bert: Path) -> None:
    """It says about the same; its means are taken in float32 all the same."""
    ids, lengths = torch.tensor([[2, 5, 6, 3, 9, 3]]), torch.tensor([6])
    expected = _pair_head(bert)(ids, lengths)
    assert torch.allclose(quantization.apply(_pair_head(bert), "bfloat16")(ids, lengths).float(), expected, atol=0.02)
    assert torch.allclose(quantization.apply(_pair_head(bert), "int8")(ids, lengths), expected, atol=0.02)


def test_parameters_are_those_of_the_model_in_any_number_format(bert: Path) -> None:
    """Weights in int8 are no parameters for torch, and yet what was learned."""
    classifier = NeuralClassifier(_tuned(bert, str(bert)), "0" * 64, _pair_head(bert), tiny_tokenizer())
    count = classifier.params
    quantization.apply(classifier.model, "int8")
    assert classifier.params == count > 0


@torch.no_grad()
def test_a_pair_head_works_without_segments(tmp_path: Path) -> None:
    """DistilBERT has none: the tokenizer's separator says where the second text begins."""
    config = DistilBertConfig(vocab_size=40, dim=8, n_layers=1, n_heads=2, hidden_dim=8, max_position_embeddings=20)
    model = _start(_small(tmp_path / "d", config, DistilBertForSequenceClassification), max_length=10, head="pair")
    assert model.separator == SEP
    assert model(torch.tensor([[2, 5, 3, 6, 3]]), torch.tensor([5])).shape == (1, 3)


@torch.no_grad()
@pytest.mark.parametrize("adapted", [False, True])
def test_a_checkpoint_with_a_pair_head_comes_back(bert: Path, tmp_path: Path, adapted: bool) -> None:
    """Whole, or as an adapter with its head over the encoder where it lies."""
    sections = {"adapter": {"rank": 2, "alpha": 4}} if adapted else {}
    recipe = loader.validate(
        {
            **content("nli", source="x"),
            "task": "mnli",
            "mini_task": "nli-en-mini",
            "text": None,
            **sections,
            "model": {"kind": "pretrained", "source": str(bert), "num_labels": 3, "head": "pair"},
        },
        "nli",
    )
    model, tokenizer = _pair_head(bert), transformer_classifier.tokenizer(str(bert), 20)
    if recipe.adapter:
        adapters.inject(model.inner, recipe.adapter, adapters.CLASSIFIER)
    before = NeuralClassifier(recipe, "", model, tokenizer).logits([PAIR, ("a", "b")])
    checkpoint.save_network(tmp_path / "saved", recipe, model, model.state_dict(), tokenizer)
    loaded = classifiers.load(tmp_path / "saved")
    assert np.allclose(loaded.logits([PAIR, ("a", "b")]), before, atol=1e-6)
