"""The three parts of the triple loss, against values worked out by hand."""

import math

import pytest
import torch

from engine.families.masked_lm import objective


def test_soft_labels_by_hand() -> None:
    """Two tokens, two words: T^2 times the mean over tokens of sum p log(p / q), with p the teacher's."""
    teacher = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    student = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    p = math.exp(1) / (math.exp(1) + 1)  # softened by 2: logits 1 and 0
    first = p * math.log(p / 0.5) + (1 - p) * math.log((1 - p) / 0.5)
    assert objective.soft_labels(student, teacher, 2.0).item() == pytest.approx(4 * first / 2, rel=1e-6)


def test_soft_labels_ask_for_the_teachers_distribution_not_the_other_way_round() -> None:
    """KL is not symmetric: a student that gives a word of the teacher nothing pays more than one that adds a word."""
    sure, unsure = torch.tensor([[4.0, 0.0]]), torch.tensor([[0.0, 0.0]])
    lacking, adding = objective.soft_labels(sure, unsure, 1.0), objective.soft_labels(unsure, sure, 1.0)
    assert lacking.item() == pytest.approx(0.5 * math.log(0.5 / _share(4)) + 0.5 * math.log(0.5 / _share(-4)), rel=1e-5)
    assert lacking > adding


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def test_a_perfect_student_pays_nothing() -> None:
    """The same logits cost nothing at any temperature, and a constant added to all changes nothing."""
    logits = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    for temperature in (0.5, 1.0, 2.0, 10.0):
        assert objective.soft_labels(logits + 3, logits, temperature).item() == pytest.approx(0, abs=1e-5)


def test_the_gradient_of_soft_labels_keeps_its_size() -> None:
    """T^2 makes up for the softening: the gradient does not shrink like 1 / T^2 when T grows."""
    generator = torch.Generator().manual_seed(1)
    teacher, student = torch.randn(4, 6, generator=generator), torch.randn(4, 6, generator=generator)
    sizes = []
    for temperature in (4.0, 40.0):
        leaf = student.clone().requires_grad_()
        objective.soft_labels(leaf, teacher, temperature).backward()
        sizes.append(leaf.grad.norm().item())
    assert sizes[1] == pytest.approx(sizes[0], rel=0.2)


def test_hidden_words_by_hand() -> None:
    """The mean of the negative log-probabilities of the two words that were there."""
    logits = torch.tensor([[0.0, math.log(3.0)], [math.log(9.0), 0.0]])
    result = objective.masked_tokens(logits, torch.tensor([1, 0]))
    assert result.item() == pytest.approx(-(math.log(0.75) + math.log(0.9)) / 2, rel=1e-6)


def test_directions_by_hand() -> None:
    """The same direction costs 0 at any length, a right angle 1, the opposite 2; the mean over tokens is taken."""
    student = torch.tensor([[3.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    teacher = torch.tensor([[9.0, 0.0], [5.0, 0.0], [-1.0, 0.0]])
    assert objective.directions(student, teacher).item() == pytest.approx((0 + 1 + 2) / 3, rel=1e-6)
    theirs = torch.nn.CosineEmbeddingLoss()(student, teacher, torch.ones(3))
    assert objective.directions(student, teacher).item() == pytest.approx(theirs.item(), rel=1e-6)


@pytest.mark.parametrize("name", ["soft_labels", "directions"])
def test_no_gradient_reaches_the_teacher(name: str) -> None:
    """The teacher is looked at, and never moved."""
    student, teacher = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
    loss = (
        objective.soft_labels(student, teacher, 2.0)
        if name == "soft_labels"
        else objective.directions(student, teacher)
    )
    loss.backward()
    assert student.grad is not None
    assert teacher.grad is None
