"""Agreement of runs: how often they answer alike, and what they could reach together."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.analysis.paired_answers import PairedAnswers
from db.statistics import qa_scoring, significance


@dataclass(frozen=True)
class PairAgreement:
    """Agreement of two runs.

    Attributes:
        first: Column of the first run in ``PairedAnswers``.
        second: Column of the second.
        same: Share of examples to which both give the same answer.
        both_right: Share that both answer right.
        both_wrong: Share that neither answers right.
        kappa: Cohen's kappa of their labels; None for text answers, NaN where it has no value.
    """

    first: int
    second: int
    same: float
    both_right: float
    both_wrong: float
    kappa: float | None


@dataclass(frozen=True)
class Agreement:
    """All runs together; shares of the common examples.

    Attributes:
        all_right: Every run is right.
        all_wrong: No run is right.
        majority: Accuracy of their majority, where three or more give labels; labels with equally many votes count in
            equal parts.
        pairs: Every two runs, in order.
    """

    all_right: float
    all_wrong: float
    majority: float | None
    pairs: tuple[PairAgreement, ...]

    @property
    def oracle(self) -> float:
        """At least one run is right: what the best choice among them would reach."""
        return 1.0 - self.all_wrong


def agreement(common: PairedAnswers, language: str | None) -> Agreement:
    """Measure how far runs agree on their common examples.

    Args:
        common: At least one example.
        language: Of text answers, which are the same where its official rules say so. None for labels.
    """
    right, codes = common.right, _codes(common, language)
    pairs = []
    for first, second in combinations(range(right.shape[1]), 2):
        same = (codes[:, first] == codes[:, second]) & (codes[:, first] > 0)
        both_right, both_wrong = right[:, first] & right[:, second], ~right[:, first] & ~right[:, second]
        kappa = significance.kappa(codes[:, first], codes[:, second]) if language is None else None
        shared, right_share, wrong_share = (float(part.mean()) for part in (same, both_right, both_wrong))
        pairs.append(PairAgreement(first, second, shared, right_share, wrong_share, kappa))
    majority = _majority(codes, right) if language is None and right.shape[1] > 2 else None
    return Agreement(float(right.all(axis=1).mean()), float((~right).all(axis=1).mean()), majority, tuple(pairs))


def _codes(common: PairedAnswers, language: str | None) -> NDArray[np.int64]:
    """Answers as numbers, equal for equal answers; 0 where there is none."""
    rules = qa_scoring.RULES.get(language or "")
    answers = common.answers.astype(object)
    if rules:
        answers = answers.map(lambda answer: rules.normal(answer) or None, na_action="ignore")
    codes, _ = pd.factorize(answers.to_numpy(dtype=object).ravel())
    return np.asarray(codes + 1, dtype=np.int64).reshape(answers.shape)


def _majority(codes: NDArray[np.int64], right: NDArray[np.bool_]) -> float:
    votes = (codes[:, :, None] == codes[:, None, :]).sum(axis=2)
    votes[codes == 0] = 0
    highest = votes.max(axis=1, keepdims=True)
    wins = (votes == highest) & (highest > 0)
    # A label with v votes wins in v columns.
    labels = wins.sum(axis=1) / np.maximum(highest[:, 0], 1)
    return float(((wins & right).any(axis=1) / np.maximum(labels, 1)).mean())
