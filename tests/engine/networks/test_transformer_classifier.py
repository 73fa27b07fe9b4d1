"""Transformers of the hub or a folder: read from safetensors alone, fine-tuned, saved whole, and teachers."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.special import softmax
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import WordPiece
from transformers import ElectraConfig, ElectraForSequenceClassification, PreTrainedTokenizerFast

from db.base.paths import checkpoint_folder
from db.bootstrap import integrity
from db.runs import detail
from db.storage.store import Store
from engine.base.errors import FeatherboardError, ModelError
from engine.checkpoints import checkpoint
from engine.data import corpora
from engine.data.tokenizer import encode
from engine.families.classification import classifiers, fit
from engine.networks import transformer_classifier
from engine.networks.neural_classifier import NeuralClassifier
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate
from tests.engine.damage import Trap
from tests.factories.recipes import BAD, GOOD, NOUNS, content, status, stopped, toy_set, write_recipe, write_reviews

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *GOOD, *BAD, *NOUNS]
NAMES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tiny ELECTRA with its tokenizer, as transformers saves them."""
    folder = tmp_path / "electra"
    tokenizer = Tokenizer(WordPiece({word: index for index, word in enumerate(WORDS)}, unk_token=WORDS[1]))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **NAMES).save_pretrained(folder)
    torch.manual_seed(0)
    config = ElectraConfig(
        vocab_size=len(WORDS),
        embedding_size=16,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=40,
    )
    ElectraForSequenceClassification(config).save_pretrained(folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The toy task as a folder for --data."""
    return str(write_reviews(tmp_path / "reviews", train=80))


def _recipe(tmp_path: Path, source: Path | str, name: str = "tuned") -> Recipe:
    config = {**content(name, epochs=4, lr=0.005), "model": {"kind": "pretrained", "source": str(source)}}
    return loader.load(write_recipe(tmp_path / f"{name}.toml", config))


def _read(source: Path, max_length: int) -> tuple[transformer_classifier.PretrainedClassifier, Tokenizer]:
    """Network and tokenizer of a folder."""
    network = transformer_classifier.from_source(str(source), 2).eval()
    return network, transformer_classifier.tokenizer(str(source), max_length)


def _folder(board: Store, run_id: str) -> Path:
    return checkpoint_folder(board.path, run_id)


def test_a_folder_gives_the_logits_of_transformers(source: Path) -> None:
    """Model and tokenizer of a folder give what transformers itself gives for the same text."""
    model, tokenizer = _read(source, 30)
    theirs = ElectraForSequenceClassification.from_pretrained(source).eval()
    their_tokenizer = PreTrainedTokenizerFast.from_pretrained(source)
    for (text,) in toy_set(10).texts:
        ids = torch.tensor([tokenizer.encode(text).ids])
        logits = model(ids, torch.tensor([ids.shape[1]]))
        assert torch.allclose(logits, theirs(**their_tokenizer(text, return_tensors="pt")).logits, atol=1e-6)


def test_padding_never_changes_an_examples_logits(source: Path) -> None:
    """A text has the same logits alone and in a batch with longer ones, whatever stands in the padding."""
    model, tokenizer = _read(source, 30)
    texts = [("영화",), ("좋은 영화 배우 음악",), ("나쁜 " * 20,)]
    sequences = [torch.from_numpy(ids.astype(np.int64)) for ids in encode(tokenizer, texts, 30).sequences]
    lengths = torch.tensor([len(ids) for ids in sequences])
    together = torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True)
    changed = torch.nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=7)
    for position, ids in enumerate(sequences):
        alone = model(ids.unsqueeze(0), lengths[position : position + 1])[0]
        assert torch.allclose(model(together, lengths)[position], alone, atol=1e-5)
        assert torch.allclose(model(changed, lengths)[position], alone, atol=1e-5)


def test_a_long_text_keeps_its_closing_token(source: Path) -> None:
    """Cutting a text takes words from it, not the [SEP] at its end; unknown words are counted."""
    tokenizer = transformer_classifier.tokenizer(str(source), 6)
    encoded = encode(tokenizer, [("좋은 " * 30,), ("영화",), ("외계인",)], 6)
    named = [[tokenizer.id_to_token(int(token)) for token in ids] for ids in encoded.sequences]
    assert named == [["[CLS]", *["좋은"] * 4, "[SEP]"], ["[CLS]", "영화", "[SEP]"], ["[CLS]", "[UNK]", "[SEP]"]]
    assert encoded.unk_rate == pytest.approx(1 / 12)


def test_weights_in_half_precision_are_trained_in_single(source: Path) -> None:
    """A source that is stored as float16 is read as float32, and so is a checkpoint made from it."""
    theirs = ElectraForSequenceClassification.from_pretrained(source).half()
    theirs.save_pretrained(source)
    model = transformer_classifier.from_source(str(source), 2)
    again = transformer_classifier.from_facts({**model.facts, "dtype": "float16"})
    for network in (model, again):
        assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}


def test_fine_tuning_makes_a_whole_run(board: Store, folder: str, source: Path, tmp_path: Path) -> None:
    """A recipe that names a folder becomes a finished run; its checkpoint needs the folder no more."""
    run_id = pipeline.train(Job(_recipe(tmp_path, source), folder, board))
    details = detail.run_detail(board, run_id)
    assert details.run["status"] == "finished"
    assert integrity.check(board) == []
    shutil.rmtree(source)
    loaded = classifiers.load(_folder(board, run_id))
    assert isinstance(loaded, NeuralClassifier)
    assert details.model["params"] == loaded.params
    test = corpora.load("reviews-ko-mini", folder).test
    logits = loaded.logits(test.texts)
    rows = board.query("SELECT example_id, predicted, score FROM predictions WHERE run_id = ?", [run_id])
    stored = rows.set_index("example_id").loc[test.ids]
    assert stored["predicted"].astype(int).tolist() == logits.argmax(axis=-1).tolist()
    assert np.allclose(stored["score"], softmax(logits, axis=-1).max(axis=-1), atol=1e-3)
    assert details.metrics.set_index("name").loc["accuracy", "value"] >= 0.8


def test_a_checkpoint_comes_back_with_the_same_logits(source: Path, tmp_path: Path) -> None:
    """Weights, architecture and tokenizer survive the round trip, and the card names no folder of this machine."""
    recipe = _recipe(tmp_path, "some/source")
    model, tokenizer = _read(source, 20)
    checkpoint.save_network(tmp_path / "saved", recipe, model, model.state_dict(), tokenizer)
    texts = [*toy_set(20).texts, ("좋은 " * 50,)]
    before = NeuralClassifier(recipe, "", model, tokenizer).logits(texts)
    shutil.rmtree(source)
    first, second = (classifiers.load(tmp_path / "saved").logits(texts) for _ in range(2))
    assert np.array_equal(first, second)
    assert np.allclose(first, before, atol=1e-6)  # the source's weights lie elsewhere in memory
    assert str(tmp_path) not in (tmp_path / "saved" / checkpoint.CARD).read_text()


def test_a_stopped_fine_tuning_goes_on_to_the_same_weights(
    board: Store, folder: str, source: Path, tmp_path: Path
) -> None:
    """Stopped in the middle and resumed, a fine-tuned model is bit for bit the one that nothing stopped."""
    whole = pipeline.train(Job(_recipe(tmp_path, source), folder, board))
    resumed = stopped(Job(_recipe(tmp_path, source), folder, board), 11)
    evaluate.resume(board, resumed, folder, 1)
    first, second = (classifiers.load(_folder(board, run_id)) for run_id in (whole, resumed))
    assert first.sha256 == second.sha256


def test_a_student_distils_from_it(board: Store, folder: str, source: Path, tmp_path: Path) -> None:
    """A small student trains the transformer as its teacher first, and learns from its logits."""
    _recipe(tmp_path, source)
    config = {**content("pupil", epochs=2), "distill": {"teacher": str(tmp_path / "tuned.toml"), "loss": "mse"}}
    run_id = pipeline.train(Job(loader.validate(config, "pupil"), folder, board))
    assert detail.run_detail(board, run_id).run["teacher"] == "Toy tuned"
    (teaching,) = board.query("SELECT run_id FROM runs WHERE model_id = 'tuned'")["run_id"]
    assert status(board, teaching) == "finished"
    assert len(list((board.path.parent / "cache" / "teacher").glob("*.safetensors"))) == 1


def _message(source: str) -> str:
    """The one line about a source whose model or tokenizer cannot be read."""
    with pytest.raises(ModelError) as caught:
        transformer_classifier.tokenizer(source, len(list(transformer_classifier.from_source(source, 2).parameters())))
    assert "\n" not in str(caught.value)
    assert source in str(caught.value)
    return str(caught.value)


def test_what_is_nowhere_is_told(tmp_path: Path) -> None:
    """A folder that is missing and a hub id without a hub are told in one line, with what to do."""
    for source in (str(tmp_path / "nowhere"), "nobody/nothing"):
        assert "--set model.source=FOLDER" in _message(source)


def test_a_folder_without_a_model_is_told(source: Path, tmp_path: Path) -> None:
    """A folder that lacks its configuration, its weights or a tokenizer says what a folder needs."""
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        part = shutil.copytree(source, tmp_path / f"without-{name}")
        (part / name).unlink()
        assert "It needs config.json, weights in safetensors and tokenizer.json" in _message(str(part))


@pytest.mark.parametrize("harmless", [False, True])
def test_a_pickle_is_never_read(source: Path, tmp_path: Path, harmless: bool) -> None:
    """Pickled weights are refused without opening them, also those that transformers would read from its old format."""
    weights = ElectraForSequenceClassification.from_pretrained(source).state_dict()
    (source / "model.safetensors").unlink()
    torch.save(weights if harmless else Trap(tmp_path / "executed"), source / "pytorch_model.bin")
    assert "a pickle is never read" in _message(str(source))
    assert not (tmp_path / "executed").exists()


def test_code_beside_the_weights_is_never_run(source: Path, tmp_path: Path) -> None:
    """A folder that asks to run its own code is refused, and the code stays where it is."""
    config = json.loads((source / "config.json").read_text())
    config |= {
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Own", "AutoModelForSequenceClassification": "own.Own"},
    }
    (source / "config.json").write_text(json.dumps(config))
    (source / "own.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\nclass Own: pass\n")
    _message(str(source))
    assert not (tmp_path / "executed").exists()


def test_a_source_that_is_nowhere_leaves_no_run(board: Store, folder: str, tmp_path: Path) -> None:
    """A fine-tuning whose source cannot be had ends before anything is on the board."""
    with pytest.raises(FeatherboardError, match="nobody/nothing"):
        pipeline.train(Job(_recipe(tmp_path, "nobody/nothing"), folder, board))
    assert board.query("SELECT 1 FROM runs WHERE source = 'measured'").empty


def test_another_number_of_classes_gets_a_head_of_its_own(source: Path, tmp_path: Path) -> None:
    """Three classes over a two-class source have a new head, and the body is kept."""
    two, three = transformer_classifier.from_source(str(source), 2), transformer_classifier.from_source(str(source), 3)
    ids = torch.tensor([[2, 5, 3]])
    assert three.eval()(ids, torch.tensor([3])).shape == (1, 3)
    body = {name for name in two.state_dict() if "classifier" not in name}
    assert body
    assert all(torch.equal(two.state_dict()[name], three.state_dict()[name]) for name in body)
    recipe = _recipe(tmp_path, "x")
    recipe = recipe.model_copy(update={"model": recipe.model.model_copy(update={"num_labels": 3})})
    tokenizer = transformer_classifier.tokenizer(str(source), 20)
    checkpoint.save_network(tmp_path / "saved", recipe, three, three.state_dict(), tokenizer)
    saved, expected = classifiers.load(tmp_path / "saved"), NeuralClassifier(recipe, "", three, tokenizer)
    assert np.allclose(saved.logits([("영화",)]), expected.logits([("영화",)]), atol=1e-6)


def test_it_has_no_vocabulary_of_its_own(source: Path, tmp_path: Path) -> None:
    """The network that a fine-tuning starts from is the source, not a random one."""
    started = fit.start(_recipe(tmp_path, source))
    assert isinstance(started, transformer_classifier.PretrainedClassifier)
    expected = transformer_classifier.from_source(str(source), 2).state_dict()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in started.state_dict().items())
