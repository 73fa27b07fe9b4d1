"""Low-rank adapters of classifiers: what learns, what a checkpoint holds, and what it is refused over."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import DistilBertConfig, DistilBertModel

from db.base.paths import checkpoint_folder
from db.runs import detail as queries
from db.storage.store import Store
from engine.base.errors import CheckpointError, RecipeError
from engine.checkpoints import adapters, checkpoint
from engine.families.classification import classifiers
from engine.networks import transformer_classifier
from engine.networks.architectures import count_parameters
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import AdapterConfig
from engine.training import run as pipeline
from engine.training.job import Job
from engine.workflows import evaluate as jobs
from engine.workflows import publish
from tests.factories.masked_lm import tiny_bert
from tests.factories.recipes import content as toy_content
from tests.factories.recipes import stopped, tuned_on_pairs

PAIRS = [("the red cat sits", "a dog runs near the house"), ("two birds sing", "yes")]
SMALL = {"rank": 2, "alpha": 4}


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT without head."""
    return tiny_bert(tmp_path_factory.mktemp("source") / "bert", head=False)


def _recipe(tmp_path: Path, source: Path, **sections: Any) -> Recipe:
    return tuned_on_pairs(tmp_path, source, **{"adapter": SMALL, **sections})


def _trained(board: Store, recipe: Recipe) -> Path:
    return checkpoint_folder(board.path, pipeline.train(Job(recipe, None, board)))


@pytest.fixture(scope="module")
def whole(shared_board: Store, bert: Path) -> tuple[Store, str]:
    """A board with a run that nothing stopped."""
    return shared_board, pipeline.train(Job(_recipe(bert, bert), None, shared_board))


def test_only_adapters_and_the_head_learn(bert: Path) -> None:
    """Pooler and classifier learn whole; every other linear layer has an adapter, and a fresh one changes nothing."""
    model = transformer_classifier.from_source(str(bert), 3).eval()
    ids, lengths = torch.tensor([[2, 5, 6, 3]]), torch.tensor([4])
    before = model(ids, lengths)
    adapters.inject(model.inner, AdapterConfig(**SMALL), adapters.CLASSIFIER)
    assert torch.allclose(model(ids, lengths), before, atol=1e-6)
    learning = {name for name, parameter in model.named_parameters() if parameter.requires_grad}
    heads = {f"inner.{layer}.{kind}" for layer in ("bert.pooler.dense", "classifier") for kind in ("weight", "bias")}
    assert {name for name in learning if "lora_" not in name} == heads
    assert len([name for name in learning if "lora_A" in name]) == 4 * 6


def test_distilberts_head_learns_whole_too(tmp_path: Path) -> None:
    """Its two layers behind the encoder are new, so they must be kept."""
    DistilBertModel(DistilBertConfig(vocab_size=40, dim=8, n_layers=1, n_heads=2, hidden_dim=8)).save_pretrained(
        tmp_path
    )
    model = transformer_classifier.from_source(str(tmp_path), 3)
    settings = AdapterConfig(**SMALL, targets=("q_lin", "lin1"))
    adapters.inject(model.inner, settings, adapters.CLASSIFIER)
    learned = adapters.learned(model.state_dict(), model, settings, adapters.CLASSIFIER)
    assert {name for name in learned if "lora_" not in name} == {
        f"inner.{layer}.{kind}" for layer in ("pre_classifier", "classifier") for kind in ("weight", "bias")
    }


def test_an_adapter_is_trained_kept_and_read_again(whole: tuple[Store, str], bert: Path) -> None:
    """The checkpoint holds no encoder; with it the answers are those that were scored, and as many parameters."""
    board, run_id = whole
    folder = checkpoint_folder(board.path, run_id)
    stored = load_file(folder / checkpoint.WEIGHTS)
    assert all("lora_" in name or "classifier" in name or "pooler" in name for name in stored)
    loaded = classifiers.load(folder)
    assert loaded.params == count_parameters(transformer_classifier.from_source(str(bert), 3))
    assert not any("lora" in name for name in loaded.model.state_dict())
    detail = queries.run_detail(board, run_id)
    assert detail.model["params"] == loaded.params
    assert detail.run["verified"]
    jobs.evaluate(board, run_id, None, 1, keep=False)
    plain = transformer_classifier.from_source(str(bert), 3).state_dict()
    merged = loaded.model.state_dict()
    word = "inner.bert.embeddings.word_embeddings.weight"
    query = "inner.bert.encoder.layer.0.attention.self.query.weight"
    assert torch.equal(plain[word], merged[word])
    assert not torch.allclose(plain[query], merged[query], atol=1e-4)


def test_another_encoder_is_refused(board: Store, tmp_path: Path) -> None:
    """An adapter means nothing on other weights: the fingerprint on the card tells."""
    bert = tiny_bert(tmp_path / "bert", head=False)
    folder = _trained(board, _recipe(tmp_path, bert))
    shutil.rmtree(bert)
    tiny_bert(bert, head=False, hidden_act="relu")
    classifiers.load(folder)
    other = tiny_bert(tmp_path / "other", head=False)
    weights = load_file(other / checkpoint.WEIGHTS)
    name = next(name for name in weights if "word_embeddings" in name)
    weights[name][0] += 1
    from safetensors.torch import save_file

    save_file(weights, bert / checkpoint.WEIGHTS, metadata={"format": "pt"})
    with pytest.raises(CheckpointError, match=r"made for another .* than the one that is here"):
        classifiers.load(folder)


def test_a_card_that_does_not_fit_is_told(whole: tuple[Store, str], tmp_path: Path) -> None:
    """Another rank on the card, or a card without a transformer, is one line."""
    board, run_id = whole
    folder = Path(shutil.copytree(checkpoint_folder(board.path, run_id), tmp_path / "copy"))
    card = json.loads((folder / checkpoint.CARD).read_text("utf-8"))
    card["recipe"]["adapter"]["rank"] = 3
    (folder / checkpoint.CARD).write_text(json.dumps(card), "utf-8")
    with pytest.raises(CheckpointError, match="do not fit the card"):
        classifiers.load(folder)


def test_a_stopped_training_goes_on(whole: tuple[Store, str], tmp_path: Path, bert: Path) -> None:
    """The state of an adapter is its own matrices; resumed, it ends in the numbers of an unbroken run."""
    recipe, (board, unbroken) = _recipe(tmp_path, bert), whole
    resumed = stopped(Job(recipe, None, board), 3)
    pipeline.train(Job(recipe, None, board, run_id=resumed))
    scores = [
        dict(queries.run_detail(board, run_id).metrics[["name", "value"]].to_numpy())["log_loss"]
        for run_id in (unbroken, resumed)
    ]
    assert scores[0] == scores[1]


def test_a_published_adapter_says_what_lies_elsewhere(whole: tuple[Store, str], tmp_path: Path, bert: Path) -> None:
    """Its card names the encoder, in half precision and scored as written."""
    about = publish.publish(*whole, tmp_path / "given", None, half=True)["about"]
    assert about["base"] == str(bert)
    assert f"an adapter: the encoder itself, {bert}, lies elsewhere" in (tmp_path / "given/README.md").read_text(
        "utf-8"
    )
    assert classifiers.load(tmp_path / "given").logits(PAIRS).shape == (2, 3)


def test_published_layers_are_not_called_an_adapter(shared_board: Store, tmp_path: Path, bert: Path) -> None:
    """Of layers that learned whole the card says so; it is no low-rank adapter."""
    run_id = pipeline.train(Job(_recipe(bert, bert, adapter={"whole": True}), None, shared_board))
    publish.publish(shared_board, run_id, tmp_path / "given", None, half=False)
    card = (tmp_path / "given/README.md").read_text("utf-8")
    assert f"only the layers that learned, in 8 bits: the encoder itself, {bert}, lies elsewhere" in card
    assert "adapter" not in card


def test_what_cannot_have_an_adapter_is_refused(board: Store, tmp_path: Path, bert: Path) -> None:
    """A network of ours, random weights, layers that are not there: one line each, before a run is listed."""
    ours = loader.validate({**toy_content(), "adapter": SMALL}, "toy")
    random = _recipe(
        tmp_path, bert, model={"kind": "pretrained", "source": str(bert), "num_labels": 3, "init": "random"}
    )
    wrong = _recipe(tmp_path, bert, adapter={**SMALL, "targets": ["query", "nothing"]})
    for recipe, message in (
        (ours, "this is 'bilstm'"),
        (random, "random weights"),
        (wrong, "no linear layer 'nothing'"),
    ):
        with pytest.raises(RecipeError, match=message):
            pipeline.train(Job(recipe, None, board))
