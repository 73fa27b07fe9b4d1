"""Losses: plain training, distillation by KL or squared error, and examples without a label, by pencil and paper."""

import math

import pytest
import torch

from engine.data.corpora import UNLABELLED
from engine.trainer.objective import distillation_loss


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
    loss = distillation_loss(
        torch.tensor(STUDENT), torch.tensor(TEACHER), torch.tensor(LABELS), loss_rate=loss_rate, temperature=temperature
    )
    assert float(loss) == pytest.approx(expected, abs=1e-5)


def test_distillation_loss_of_one_known_case() -> None:
    """Two labels, T = 1, student undecided, teacher at odds 3 to 1: KL is 0.75 ln 1.5 + 0.25 ln 0.5."""
    loss = distillation_loss(
        torch.zeros(1, 2), torch.tensor([[math.log(3.0), 0.0]]), torch.tensor([0]), loss_rate=0.0, temperature=1.0
    )
    assert float(loss) == pytest.approx(0.13081203594113694, abs=1e-6)


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


def test_squared_error_is_that_of_pencil_and_paper() -> None:
    """With mse the soft part is the mean over labels and batch of the squared difference of the logits."""
    hard = sum(-math.log(_softmax(s, 1.0)[label]) for s, label in zip(STUDENT, LABELS, strict=True)) / 2
    soft = ((1.0 + 0.25 + 1.44) / 3 + (1.69 + 8.41 + 6.25) / 3) / 2
    for rate in (0.0, 0.3, 1.0):
        loss = distillation_loss(
            torch.tensor(STUDENT), torch.tensor(TEACHER), torch.tensor(LABELS), loss_rate=rate, kind="mse"
        )
        assert float(loss) == pytest.approx(rate * hard + (1 - rate) * soft, abs=1e-6)


def test_squared_error_takes_no_temperature() -> None:
    """The temperature softens distributions, and logits are none."""
    losses = {
        float(
            distillation_loss(
                torch.tensor(STUDENT),
                torch.tensor(TEACHER),
                torch.tensor(LABELS),
                loss_rate=0.2,
                temperature=temperature,
                kind="mse",
            )
        )
        for temperature in (1.0, 4.0)
    }
    assert len(losses) == 1


def _of(rows: list[int], labels: list[int], kind: str, rate: float) -> float:
    student, teacher = torch.tensor([STUDENT[row] for row in rows]), torch.tensor([TEACHER[row] for row in rows])
    return float(
        distillation_loss(student, teacher, torch.tensor(labels), loss_rate=rate, temperature=2.0, kind=kind)  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("kind", ["kl", "mse"])
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.7, 1.0])
def test_an_example_without_label_counts_its_soft_part_in_full(kind: str, rate: float) -> None:
    """A row without label adds the soft loss with weight 1, a row with one the mixture; the mean is the loss."""
    labelled = _of([0], [LABELS[0]], kind, rate)
    soft = _of([1], [2], kind, 0.0)
    assert _of([0, 1], [LABELS[0], UNLABELLED], kind, rate) == pytest.approx((labelled + soft) / 2, abs=1e-6)
    assert _of([1], [UNLABELLED], kind, rate) == pytest.approx(soft, abs=1e-6)


def test_an_unlabelled_row_by_hand() -> None:
    """Student undecided between two labels, teacher at odds 3 to 1, T = 1, loss rate 0.9: KL alone, 0.1308."""
    loss = distillation_loss(
        torch.zeros(1, 2), torch.tensor([[math.log(3.0), 0.0]]), torch.tensor([UNLABELLED]), loss_rate=0.9
    )
    assert float(loss) == pytest.approx(0.75 * math.log(1.5) + 0.25 * math.log(0.5), abs=1e-6)


@pytest.mark.parametrize("rate", [0.0, 0.1, 1.0])
def test_a_batch_with_all_labels_has_the_usual_loss(rate: float) -> None:
    """With all labels present the loss is that of torch's own cross-entropy and batch-mean divergence."""
    torch.manual_seed(0)
    student, teacher, labels = torch.randn(16, 4), torch.randn(16, 4), torch.randint(0, 4, (16,))
    usual = rate * torch.nn.functional.cross_entropy(student, labels) + (1 - rate) * 9.0 * torch.nn.functional.kl_div(
        torch.log_softmax(student / 3, dim=-1),
        torch.log_softmax(teacher / 3, dim=-1),
        reduction="batchmean",
        log_target=True,
    )
    loss = distillation_loss(student, teacher, labels, loss_rate=rate, temperature=3.0)
    assert float(loss) == pytest.approx(float(usual), abs=1e-6)


def test_the_gradient_of_a_row_without_label_is_finite() -> None:
    """Rows without label leave no infinity or NaN behind in the student's gradient."""
    student = torch.tensor(STUDENT, requires_grad=True)
    labels = torch.tensor([UNLABELLED, UNLABELLED])
    distillation_loss(student, torch.tensor(TEACHER), labels, loss_rate=0.5, temperature=2.0).backward()
    assert student.grad is not None
    assert bool(torch.isfinite(student.grad).all())
    assert bool((student.grad != 0).any())
