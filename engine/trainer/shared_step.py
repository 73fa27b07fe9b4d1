"""One step of several processes: the loss of the whole batch, of which each process has computed a part."""

from dataclasses import dataclass

import torch

from engine.base import processes
from engine.trainer.objective import StepLoss


@dataclass(frozen=True)
class Step:
    """A step as all processes see it.

    Attributes:
        loss: What this process takes gradients of; averaged over the processes they are those of the whole batch.
        value: The loss of the whole batch.
        parts: Of ``StepLoss``, of the whole batch.
        tokens: Likewise.
    """

    loss: torch.Tensor
    value: float
    parts: dict[str, float]
    tokens: int


@dataclass(frozen=True)
class _Report:
    """What one process tells the others: examples, a mean and a count for each term, parts and tokens."""

    examples: int
    terms: list[tuple[float, int]]
    parts: dict[str, float]
    tokens: int


def combined(own: StepLoss, examples: int) -> Step:
    """Put the parts of a batch together.

    A mean over the batch is not the mean of the processes' means where these have different numbers of examples or
    tokens: each term counts by the number of what it is a mean of.

    Args:
        own: Of this process's part.
        examples: Number of its examples; 0: ``own`` stands for nothing.
    """
    parts = {name: float(part.detach()) for name, part in own.parts.items()}
    if processes.count() == 1:
        loss = own.total
        return Step(loss, float(loss.detach()), parts, own.tokens)
    counts = [term.count if examples else 0 for term in own.terms]
    terms = [(float(term.mean.detach()), count) for term, count in zip(own.terms, counts, strict=True)]
    reports = processes.gathered(_Report(examples, terms, parts if examples else {}, own.tokens if examples else 0))
    value, shares = 0.0, []
    for number, (term, count) in enumerate(zip(own.terms, counts, strict=True)):
        together = max(1, sum(report.terms[number][1] for report in reports))
        value += term.weight * sum(mean * n for mean, n in (report.terms[number] for report in reports) if n) / together
        # Without anything to be a mean of, it is not a number; its gradient is 0, and no process may go without one.
        mean = term.mean if count else term.mean.nan_to_num()
        shares.append(term.weight * count * processes.count() / together * mean)
    return Step(torch.stack(shares).sum(), value, _averages(reports), sum(report.tokens for report in reports))


def _averages(reports: list[_Report]) -> dict[str, float]:
    """Each part by the examples of the processes that have it."""
    names = dict.fromkeys(name for report in reports for name in report.parts)
    having = {name: [report for report in reports if name in report.parts] for name in names}
    return {
        name: sum(report.examples * report.parts[name] for report in some) / sum(report.examples for report in some)
        for name, some in having.items()
    }
