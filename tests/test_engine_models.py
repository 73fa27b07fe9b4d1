"""The BiLSTM and the losses: padding never matters, and figures agree with pencil and paper."""

import math

import numpy as np
import pytest
import torch

from engine import models
from engine.batching import collate
from engine.evaluate import logits_of, prediction_rows, probabilities_of, score, timing
from engine.losses import distillation_loss
from engine.models.bilstm import BiLSTMClassifier
from engine.recipe import ModelConfig
from engine.tokenizer import Encoded
from tests.engine_helpers import toy_set


@pytest.fixture
def model() -> BiLSTMClassifier:
    """A small model in evaluation mode, the same in every test."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    built = models.build(ModelConfig(vocab_size=50, embedding_dim=6, hidden_dim=5, num_labels=3))
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
    for place in (0, -1):
        changed = sequence.copy()
        changed[place] = 1 + changed[place] % 49
        assert not torch.allclose(before, model(*collate([changed], np.array([0]))), atol=1e-6)


def test_logits_come_in_the_sets_order(model: BiLSTMClassifier) -> None:
    """Scoring batches by length, and puts the logits back into the order of the set."""
    sequences = _sequences([int(length) for length in np.random.default_rng(1).integers(1, 20, 150)])
    logits = logits_of(model, Encoded(sequences, 0.0))
    assert logits.shape == (150, 3)
    for position in (0, 1, 74, 149):
        alone = model(*collate(sequences, np.array([position])))[0]
        assert torch.allclose(logits[position], alone, atol=1e-5, rtol=0)


def test_scoring_switches_dropout_off() -> None:
    """Two passes over a set give the same probabilities even right after training, and each row sums to 1."""
    torch.manual_seed(0)
    model = models.build(ModelConfig(vocab_size=50, embedding_dim=6, hidden_dim=5, dropout=0.9)).train()
    encoded = Encoded(_sequences([4, 9, 2]), 0.0)
    first = probabilities_of(model, encoded)
    assert np.array_equal(first, probabilities_of(model, encoded))
    assert np.allclose(first.sum(axis=1), 1, atol=1e-12)


def test_score_is_accuracy_and_cross_entropy() -> None:
    """Accuracy and loss of a set are those computed by hand from fixed logits."""

    class Fixed(torch.nn.Module):
        def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            return torch.stack([ids[:, 0].float(), torch.zeros(len(ids))], dim=1)

    encoded = Encoded([np.array([1], dtype=np.int32), np.array([2], dtype=np.int32)], 0.0)
    found = score(Fixed(), encoded, np.array([0, 1]), torch.device("cpu"))
    assert found.accuracy == 0.5
    expected = (math.log(1 + math.exp(-1)) + math.log(1 + math.exp(2))) / 2
    assert found.loss == pytest.approx(expected, abs=1e-6)


def test_predictions_name_the_chosen_label_and_its_probability() -> None:
    """A prediction row has the example's id, its label, the most probable label and that probability."""
    rows = prediction_rows(toy_set(2), np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert rows.to_dict("list") == {
        "example_id": ["t-0", "t-1"], "gold": ["0", "1"], "predicted": ["1", "0"], "score": [0.75, 0.5],
    }  # fmt: skip


def test_timing_names_its_conditions(model: BiLSTMClassifier) -> None:
    """A latency comes with its calls, threads and load, and the 95th percentile is not below the median."""
    found = {value.name: value for value in timing(model, Encoded(_sequences([3, 5]), 0.0), calls=20)}
    assert found["latency_threads"].value == 1
    assert found["latency_load"].value >= 0
    assert found["latency_ms_p50"].n == 20
    assert 0 < found["latency_ms_p50"].value <= found["latency_ms_p95"].value
    assert found["batch64_ms_p50"].value > 0


def _softmax(logits: list[float], temperature: float) -> list[float]:
    powers = [math.exp(value / temperature) for value in logits]
    return [power / sum(powers) for power in powers]


STUDENT, TEACHER, LABELS = [[1.0, -0.5, 0.2], [0.3, 0.1, -2.0]], [[2.0, 0.0, -1.0], [-1.0, 3.0, 0.5]], [0, 2]


@pytest.mark.parametrize("loss_rate", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("temperature", [1.0, 2.0, 5.0])
def test_distillation_loss_is_that_of_pencil_and_paper(loss_rate: float, temperature: float) -> None:
    """loss_rate * CE + (1 - loss_rate) * T^2 * KL(teacher || student), each the mean over the batch."""
    hard = sum(-math.log(_softmax(s, 1.0)[label]) for s, label in zip(STUDENT, LABELS, strict=True)) / 2
    soft = 0.0
    for s, t in zip(STUDENT, TEACHER, strict=True):
        p, q = _softmax(t, temperature), _softmax(s, temperature)
        soft += sum(a * math.log(a / b) for a, b in zip(p, q, strict=True)) / 2
    expected = loss_rate * hard + (1 - loss_rate) * temperature**2 * soft
    found = distillation_loss(
        torch.tensor(STUDENT), torch.tensor(TEACHER), torch.tensor(LABELS), loss_rate=loss_rate, temperature=temperature
    )
    assert float(found) == pytest.approx(expected, abs=1e-5)


def test_distillation_loss_of_one_known_case() -> None:
    """Two labels, T = 1, student undecided, teacher at odds 3 to 1: KL is 0.75 ln 1.5 + 0.25 ln 0.5."""
    found = distillation_loss(
        torch.zeros(1, 2), torch.tensor([[math.log(3.0), 0.0]]), torch.tensor([0]), loss_rate=0.0, temperature=1.0
    )
    assert float(found) == pytest.approx(0.13081203594113694, abs=1e-6)


def test_a_student_that_is_its_teacher_has_no_soft_loss() -> None:
    """With loss rate 0, equal logits leave nothing to learn, whatever the labels say."""
    logits = torch.tensor(STUDENT)
    assert float(distillation_loss(logits, logits, torch.tensor(LABELS), loss_rate=0.0, temperature=3.0)) == 0


def test_no_gradient_flows_into_the_teacher() -> None:
    """The teacher is not trained by its students, and the student is."""
    student = torch.tensor(STUDENT, requires_grad=True)
    teacher = torch.tensor(TEACHER, requires_grad=True)
    distillation_loss(student, teacher, torch.tensor(LABELS), loss_rate=0.3, temperature=2.0).backward()
    assert teacher.grad is None
    assert student.grad is not None
    assert bool((student.grad != 0).all())
