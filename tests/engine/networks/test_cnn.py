"""The convolutional classifier: padding never matters, short texts are seen, sizes are those of the formula."""

from pathlib import Path

import numpy as np
import pytest
import torch

from db.storage.store import Store
from engine.checkpoints import checkpoint
from engine.data.batching import collate
from engine.data.tokenizer import train_tokenizer
from engine.families.classification import classifiers
from engine.networks import architectures
from engine.networks.cnn import CNNClassifier
from engine.recipes.schema import CNNConfig
from tests.factories.recipes import kind_recipe, start_writer, toy_set, toy_trainer

WIDTHS = (1, 2, 5)


@pytest.fixture
def model() -> CNNClassifier:
    """A small model in evaluation mode, the same in every test."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = CNNConfig(vocab_size=50, embedding_dim=6, filters=4, widths=WIDTHS, num_labels=3)
    built = architectures.build(config)
    assert isinstance(built, CNNClassifier)
    return built.eval()


def _sequences(lengths: list[int], seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.integers(1, 50, length).astype(np.int32) for length in lengths]


def test_padding_never_changes_an_examples_logits(model: CNNClassifier) -> None:
    """A text has the same logits alone, among shorter ones and among much longer ones."""
    sequences = _sequences([1, 2, 3, 5, 9, 30, 60])
    together = model(*collate(sequences, np.arange(7)))
    for position in range(7):
        alone = model(*collate(sequences, np.array([position])))
        assert torch.allclose(alone[0], together[position], atol=1e-5, rtol=0), f"length {len(sequences[position])}"


def test_logits_are_those_of_sliding_windows(model: CNNClassifier) -> None:
    """The features are, by hand, the largest of 0 and each filter over every window that touches the text."""
    (sequence,) = _sequences([7])
    embedded = model.embedding.weight[torch.from_numpy(sequence).long()]
    features = []
    for width, convolution in zip(WIDTHS, model.convolutions, strict=True):
        around = torch.zeros(width - 1, 6)
        padded = torch.cat([around, embedded, around])
        windows = torch.stack([padded[start : start + width] for start in range(len(padded) - width + 1)])
        assert len(windows) == 7 + width - 1
        convolved = torch.einsum("nwe,few->nf", windows, convolution.weight) + convolution.bias
        features.append(torch.relu(convolved).amax(dim=0))
    expected = model.classifier(torch.cat(features))
    assert torch.allclose(model(*collate([sequence], np.array([0])))[0], expected, atol=1e-5)


@pytest.mark.parametrize("length", [1, 2, 4])
def test_a_text_shorter_than_the_widest_filter_is_seen(model: CNNClassifier, length: int) -> None:
    """One token is enough: the logits are finite, and another token gives other ones."""
    first, second = _sequences([length, length])
    alone, two = model(*collate([first, second], np.arange(2)))
    assert bool(torch.isfinite(alone).all())
    assert not torch.allclose(alone, two)


def test_what_stands_in_the_padding_does_not_matter() -> None:
    """Windows behind the end of a text are masked, even where a bias would fire on padding alone."""
    torch.manual_seed(0)
    model = architectures.build(CNNConfig(vocab_size=50, embedding_dim=6, filters=4, widths=(1, 3))).eval()
    with torch.no_grad():
        for convolution in model.convolutions:
            convolution.bias.fill_(5.0)
    sequences = _sequences([3, 40])
    alone = model(*collate(sequences, np.array([0])))
    assert torch.allclose(model(*collate(sequences, np.arange(2)))[0], alone[0], atol=1e-5)


@pytest.mark.parametrize(
    ("vocab", "width", "filters", "widths", "labels"), [(50, 6, 4, (1, 2, 5), 3), (120, 8, 16, (3,), 2)]
)
def test_parameters_are_those_of_the_formula(
    vocab: int, width: int, filters: int, widths: tuple[int, ...], labels: int
) -> None:
    """V·E for the embedding, F·(E·w + 1) for each width w, and L·(F·widths + 1) for the linear layer."""
    config = CNNConfig(vocab_size=vocab, embedding_dim=width, filters=filters, widths=widths, num_labels=labels)
    expected = vocab * width + sum(filters * (width * w + 1) for w in widths) + labels * (filters * len(widths) + 1)
    assert architectures.count_parameters(architectures.build(config)) == expected


def test_a_separable_task_is_learnt(store: Store, tmp_path: Path) -> None:
    """On reviews whose adjective decides, validation ends almost perfect."""
    recipe = kind_recipe("cnn", vocab_size=120, embedding_dim=8, filters=8)
    recipe = recipe.model_copy(update={"train": recipe.train.model_copy(update={"epochs": 8})})
    done = toy_trainer(recipe, start_writer(store, recipe), tmp_path, count=120).run()
    assert done.validation.accuracy >= 0.95


def test_a_checkpoint_comes_back_with_the_same_logits(tmp_path: Path) -> None:
    """Weights, widths and tokenizer survive the round trip: the logits are bit for bit the same."""
    recipe = kind_recipe("cnn", vocab_size=120, embedding_dim=8, filters=8, widths=[2, 4])
    torch.manual_seed(1)
    model = architectures.build(architectures.own(recipe))
    tokenizer = train_tokenizer(toy_set(40).texts, 120, recipe.tokenizer)
    checkpoint.save_network(tmp_path / "one", recipe, model, model.state_dict(), tokenizer)
    first = classifiers.load(tmp_path / "one")
    texts = toy_set(30, 4).texts
    ids = [np.asarray(tokenizer.encode(text).ids[:20], dtype=np.int32) for (text,) in texts]
    for position in range(30):
        expected = model.eval()(*collate(ids, np.array([position])))[0]
        assert np.allclose(first.logits(texts)[position], expected.detach(), atol=1e-6)
    assert first.params == architectures.count_parameters(model)
