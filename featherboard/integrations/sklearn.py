"""Score a fitted scikit-learn classifier on a task's test split."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from sklearn.base import ClassifierMixin

from db.submissions.verification import Report
from db.tracking.run import Run


def log_classifier(run: Run, classifier: ClassifierMixin, ids: Sequence[str], inputs: Any) -> Report:
    """Predict the examples of a split and finish the run with the predictions.

    Args:
        run: Made by `init`.
        classifier: A fitted classifier or pipeline.
        ids: The examples' ids in the data set.
        inputs: What ``classifier.predict`` takes, in the order of ``ids``.

    Returns:
        What was scored.
    """
    frame = pd.DataFrame(
        {"example_id": [str(name) for name in ids], "predicted": [str(x) for x in classifier.predict(inputs)]}
    )
    if hasattr(classifier, "predict_proba"):
        frame["score"] = classifier.predict_proba(inputs).max(axis=1)
    return run.finish(predictions=frame)
