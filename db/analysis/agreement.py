"""How far runs answer alike, and what they could do together."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from db.analysis.paired_answers import Common
from db.statistics import qa_scoring, significance


@dataclass(frozen=True)
class Alike:
    """Two of the runs.

    Attributes:
        first: The column of one in ``Common``.
        second: Of the other.
        same: Share of examples to which both give the same answer.
        both_right: Share that both answer right.
        both_wrong: Share that both do not.
        kappa: Cohen's kappa of their labels; None of answers that are texts, NaN where it has no value.
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
        all_wrong: No run is right; what is left is what the best choice among them would reach.
        majority: Accuracy of their majority, where three or more give labels; of labels with equally many votes each
            counts for its part.
        pairs: Every two runs, in order.
    """

    all_right: float
    all_wrong: float
    majority: float | None
    pairs: tuple[Alike, ...]

    @property
    def oracle(self) -> float:
        """At least one run is right."""
        return 1.0 - self.all_wrong


def agreement(common: Common, language: str | None) -> Agreement:
    """How far runs agree on their common examples.

    Args:
        common: At least one example.
        language: Of answers that are texts: the same is what the official rules take for the same. None: labels.
    """
    right, given = common.right, _numbered(common, language)
    pairs = []
    for one, other in combinations(range(right.shape[1]), 2):
        both = (given[:, one] == given[:, other]) & (given[:, one] > 0)
        told = significance.kappa(given[:, one], given[:, other]) if language is None else None
        pairs.append(
            Alike(
                one,
                other,
                float(both.mean()),
                float((right[:, one] & right[:, other]).mean()),
                float((~right[:, one] & ~right[:, other]).mean()),
                told,
            )
        )
    majority = _majority(given, right) if language is None and right.shape[1] > 2 else None
    return Agreement(float(right.all(axis=1).mean()), float((~right).all(axis=1).mean()), majority, tuple(pairs))


def _numbered(common: Common, language: str | None) -> NDArray[np.int64]:
    """Answers as numbers, equal for equal answers; 0 where there is none."""
    rules = qa_scoring.RULES.get(language or "")
    told = pd.DataFrame({name: common.said[name].astype(object) for name in common.said})
    if rules:
        told = told.map(lambda one: rules.normal(one) or None, na_action="ignore")
    codes, _ = pd.factorize(told.to_numpy(dtype=object).ravel())
    return np.asarray(codes + 1, dtype=np.int64).reshape(told.shape)


def _majority(given: NDArray[np.int64], right: NDArray[np.bool_]) -> float:
    votes = (given[:, :, None] == given[:, None, :]).sum(axis=2)
    votes[given == 0] = 0
    most = votes.max(axis=1, keepdims=True)
    wins = (votes == most) & (most > 0)
    # A label with v votes wins in v columns.
    labels = wins.sum(axis=1) / np.maximum(most[:, 0], 1)
    return float(((wins & right).any(axis=1) / np.maximum(labels, 1)).mean())
