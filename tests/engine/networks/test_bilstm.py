"""The BiLSTM and the scoring: padding never matters, and figures agree with pencil and paper."""

import math

import numpy as np
import pytest
import torch

from engine.data.batching import collate
from engine.data.tokenizer import Encoded
from engine.networks import architectures
from engine.networks.bilstm import BiLSTMClassifier
from engine.networks.classifier import probabilities_of
from engine.networks.neural_classifier import prepare
from engine.recipes.schema import BiLSTMConfig
from engine.trainer.evaluation import prediction_rows, score, timing
from tests.factories.recipes import toy_set


@pytest.fixture
def model() -> BiLSTMClassifier:
    """A small model in evaluation mode, the same in every test."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    built = architectures.build(BiLSTMConfig(vocab_size=50, embedding_dim=6, hidden_dim=5, num_labels=3))
    return built.eval()


def _sequences(lengths: list[int], seed: int = 0) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    return [generator.integers(1, 50, length).astype(np.int32) for length in lengths]


def test_the_packed_path_gives_the_plain_paths_logits(model: BiLSTMClassifier) -> None:
    """Equal lengths skip packing for speed; the logits are those that packing gives, to 1e-5."""
    sequences = _sequences([7, 7, 7, 7])
    plain = model(*collate(sequences, np.arange(4)))
    # A shorter fifth text forces the packed path for the same four.
    packed = model(*collate([*sequences, *_sequences([3], 9)], np.arange(5)))[:4]
    assert torch.allclose(plain, packed, atol=1e-5, rtol=0)


def test_padding_never_changes_an_examples_logits(model: BiLSTMClassifier) -> None:
    """A text has the same logits alone, among shorter ones and among much longer ones."""
    sequences = _sequences([1, 2, 5, 9, 30, 60])
    together = model(*collate(sequences, np.arange(6)))
    for position in range(6):
        alone = model(*collate(sequences, np.array([position])))
        assert torch.allclose(alone[0], together[position], atol=1e-5, rtol=0), f"length {len(sequences[position])}"


def test_what_stands_in_the_padding_does_not_matter(model: BiLSTMClassifier) -> None:
    """Token ids behind a text's length are never read."""
    ids, lengths = collate(_sequences([2, 6]), np.arange(2))
    changed = ids.clone()
    changed[0, 2:] = 17
    assert torch.equal(model(ids, lengths), model(changed, lengths))


def test_both_ends_of_a_text_matter(model: BiLSTMClassifier) -> None:
    """The two directions are both read: changing the first or the last token changes the logits."""
    (sequence,) = _sequences([8])
    before = model(*collate([sequence], np.array([0])))
    for index in (0, -1):
        changed = sequence.copy()
        changed[index] = 1 + changed[index] % 49
        assert not torch.allclose(before, model(*collate([changed], np.array([0]))), atol=1e-6)


def test_logits_come_in_the_sets_order(model: BiLSTMClassifier) -> None:
    """Scoring batches by length, and puts the logits back into the order of the set."""
    sequences = _sequences([int(length) for length in np.random.default_rng(1).integers(1, 20, 150)])
    logits = prepare(model, Encoded(sequences, 0.0)).logits()
    assert logits.shape == (150, 3)
    for position in (0, 1, 74, 149):
        alone = model(*collate(sequences, np.array([position])))[0]
        assert np.allclose(logits[position], alone.detach(), atol=1e-5, rtol=0)


def test_scoring_switches_dropout_off() -> None:
    """Two passes over a set give the same probabilities even right after training, and each row sums to 1."""
    torch.manual_seed(0)
    model = architectures.build(BiLSTMConfig(vocab_size=50, embedding_dim=6, hidden_dim=5, dropout=0.9)).train()
    prepared = prepare(model, Encoded(_sequences([4, 9, 2]), 0.0))
    first = probabilities_of(prepared)
    assert np.array_equal(first, probabilities_of(prepared))
    assert np.allclose(first.sum(axis=1), 1, atol=1e-12)


def test_score_is_accuracy_and_cross_entropy() -> None:
    """Accuracy and loss of a set are those computed by hand from fixed logits."""

    class Fixed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.none = torch.nn.Parameter(torch.zeros(0))

        def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            return torch.stack([ids[:, 0].float(), torch.zeros(len(ids))], dim=1)

    encoded = Encoded([np.array([1], dtype=np.int32), np.array([2], dtype=np.int32)], 0.0)
    result = score(prepare(Fixed(), encoded, torch.device("cpu")), np.array([0, 1]))
    assert result.accuracy == 0.5
    expected = (math.log(1 + math.exp(-1)) + math.log(1 + math.exp(2))) / 2
    assert result.loss == pytest.approx(expected, abs=1e-6)


def test_predictions_name_the_chosen_label_and_its_probability() -> None:
    """A prediction row has the example's id, its label, the most probable label and that probability."""
    rows = prediction_rows(toy_set(2), np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert rows.to_dict("list") == {
        "example_id": ["t-0", "t-1"],
        "gold": ["0", "1"],
        "predicted": ["1", "0"],
        "score": [0.75, 0.5],
    }


def test_timing_names_its_conditions(model: BiLSTMClassifier) -> None:
    """A latency comes with its calls, threads and load, and the 95th percentile is not below the median."""
    result = {value.name: value for value in timing(prepare(model, Encoded(_sequences([3, 5]), 0.0)), calls=20)}
    assert result["latency_threads"].value == 1
    assert result["latency_load"].value >= 0
    assert result["latency_ms_p50"].n == 20
    assert 0 < result["latency_ms_p50"].value <= result["latency_ms_p95"].value
    assert result["batch64_ms_p50"].value > 0
