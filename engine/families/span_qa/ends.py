"""The evaluation of the small BERT (002_f123daafd2f5ddb9.txt): how often the two ends of an answer are right.

Question and text go in together, cut off at 384 positions. The document counts both ends together: its accuracy is read
here as the mean of the start's and the end's, its loss as the sum of theirs. What it did with answers behind the cut is
not said; they are left out here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from db.runs.writer import MetricValue
from engine.families.span_qa import metrics, single_window
from engine.families.span_qa.answerer import Answerer, Read
from engine.families.span_qa.questions import Question
from engine.families.span_qa.windows import targets

POSITIONS = 384
"""Of the models of the document (n_seq)."""


@dataclass(frozen=True)
class Ends:
    """How well the ends of some questions' answers were found.

    Attributes:
        right: Share of the two ends that is right, 0, 0.5 or 1, shape (questions,).
        loss: Sum of both cross-entropies, shape (questions,).
    """

    right: NDArray[np.float64]
    loss: NDArray[np.float64]

    def figures(self) -> list[MetricValue]:
        """Accuracy and loss over all questions; none where no answer lies before the cut."""
        if not len(self.right):
            return []
        return [metrics.mean("span_accuracy", self.right), metrics.mean("eval_loss", self.loss)]


def found(answerer: Answerer, questions: Sequence[Question], read: Read) -> Ends:
    """The ends of the answers that lie before the cut.

    Args:
        answerer: The model.
        questions: With their gold answers.
        read: The same questions in windows.
    """
    seen, logits = single_window.logits(answerer, questions, read, POSITIONS)
    right, loss = [], []
    for window, scores, (start, end) in zip(seen, logits, targets(seen, questions), strict=True):
        cut_off = questions[window.question].answers[0].start + len(questions[window.question].answers[0].text)
        if end < window.first or window.offsets[window.last, 1] < cut_off:
            continue
        places = np.array([start, end])
        right.append((scores.argmax(axis=0) == places).mean())
        loss.append(-log_softmax(scores.astype(np.float64), axis=0)[places, [0, 1]].sum())
    return Ends(np.array(right), np.array(loss))


def together(parts: Sequence[Ends]) -> Ends:
    """Parts of one split as one."""
    empty = np.empty(0)
    return Ends(
        np.concatenate([empty, *(part.right for part in parts)]),
        np.concatenate([empty, *(part.loss for part in parts)]),
    )
