"""The tasks: what is asked, how it is scored, on which split. Data, not code."""

from dataclasses import asdict, dataclass

import pandas as pd

from db.storage.changes import Change


@dataclass(frozen=True)
class Task:
    """One board.

    Attributes:
        task_id: Short name, in URLs and on the command line.
        version: Rises when scoring or split change, so that old rows are not compared with new ones.
        name: The tab's label.
        language: ISO 639-1 code.
        question: What is asked, in one line.
        scoring: How it is scored, in one line.
        metric: The primary metric, a key of ``db.registry.metrics.METRICS``.
        direction: Whether ``max`` or ``min`` of the metric is best.
        dataset: The data set's name.
        split: The split that is scored.
        split_size: Its number of examples; None where there is no single split.
        mini: A shipped mini corpus; its figures are never ranked beside a full data set's.
        labels: What the classes 0, 1, ... are called.
    """

    task_id: str
    version: int
    name: str
    language: str
    question: str
    scoring: str
    metric: str
    direction: str
    dataset: str
    split: str
    split_size: int | None
    mini: bool = False
    labels: tuple[str, ...] = ()


SENTIMENT = ("negative", "positive")
INFERENCE = ("entailment", "neutral", "contradiction")

TASKS: tuple[Task, ...] = (
    Task(
        "nsmc",
        1,
        "Korean sentiment",
        "ko",
        "Is this Korean film review positive or negative?",
        "Accuracy on the 50,000 reviews of the official NSMC test split.",
        "accuracy",
        "max",
        "nsmc",
        "test",
        50_000,
        labels=SENTIMENT,
    ),
    Task(
        "squad",
        1,
        "English QA",
        "en",
        "Where in the paragraph does the answer to the question stand?",
        "Exact match and F1 by the official SQuAD 1.1 rules on the 10,570 questions of the dev split.",
        "f1",
        "max",
        "squad",
        "validation",
        10_570,
    ),
    Task(
        "squad-deck",
        1,
        "QA on a Raspberry Pi 5",
        "en",
        "Where in the paragraph does the answer stand, and how long does a small computer take to find it?",
        "F1 over sets of words and exact match after lower-casing, as the deck's code scores; not the official rules.",
        "f1_seed",
        "max",
        "squad",
        "validation",
        10_570,
    ),
    Task(
        "korquad",
        1,
        "Korean QA",
        "ko",
        "Where in the Korean paragraph does the answer to the question stand?",
        "Exact match and character F1 by the official KorQuAD 1.0 rules on the 5,774 questions of the dev split.",
        "f1",
        "max",
        "korquad",
        "validation",
        5_774,
    ),
    Task(
        "korquad-articles",
        1,
        "Korean QA, by article",
        "ko",
        "What does pretraining bring a small BERT of our own, with few questions to learn from?",
        "Exact match and character F1 by the official KorQuAD 1.0 rules on articles 112 to 139 of its dev file; "
        "articles 0 to 111 and TyDi QA Korean are learned from. Not comparable with KorQuAD dev.",
        "f1",
        "max",
        "korquad-dev-articles",
        "articles 112 to 139",
        1_458,
    ),
    Task(
        "korquad-span",
        1,
        "Korean QA from scratch",
        "ko",
        "What does pretraining bring a small BERT of our own on KorQuAD?",
        "Start and end positions predicted correctly, counted together; 102 answers were inspected by eye.",
        "span_accuracy",
        "max",
        "korquad",
        "evaluation",
        None,
    ),
    Task(
        "mnli",
        1,
        "English inference",
        "en",
        "Does the first sentence entail the second, contradict it, or neither?",
        "Accuracy on the 9,815 pairs of MultiNLI dev matched.",
        "accuracy",
        "max",
        "mnli",
        "validation_matched",
        9_815,
        labels=INFERENCE,
    ),
    Task(
        "glue",
        1,
        "GLUE",
        "en",
        "How well does one model do on nine English tasks?",
        "The macro-average of nine scores on the dev sets, as published.",
        "glue_score",
        "max",
        "glue",
        "dev",
        None,
    ),
    Task(
        "imdb",
        1,
        "IMDb",
        "en",
        "Is this long English film review positive or negative?",
        "Accuracy on the 25,000 reviews of the IMDb test split.",
        "accuracy",
        "max",
        "imdb",
        "test",
        25_000,
    ),
    Task(
        "inference-time",
        1,
        "Inference time",
        "en",
        "How long does a full pass take, and how many parameters does it carry?",
        "Seconds for a full pass over one GLUE task on a CPU with batch size 1, as published.",
        "inference_s",
        "min",
        "glue",
        "sts-b",
        None,
    ),
    Task(
        "distil-ablation",
        1,
        "Distillation ablation",
        "en",
        "Which part of DistilBERT's distillation matters most?",
        "Change of the GLUE score when one loss, or the initialisation from the teacher, is left out.",
        "glue_delta",
        "max",
        "glue",
        "dev",
        None,
    ),
    Task(
        "english-text",
        1,
        "Masked words",
        "en",
        "Which words were hidden in this English text?",
        "Share of the hidden tokens, 15% of them, that are named exactly, in documents that were never read.",
        "masked_accuracy",
        "max",
        "english-text",
        "held-out documents",
        None,
    ),
    Task(
        "korean-text",
        1,
        "Masked words, Korean",
        "ko",
        "Which words were hidden in this Korean text?",
        "Share of the hidden tokens, 15% of them, that are named exactly, in documents that were never read. Tokens "
        "are those of each model's own vocabulary: models that share one can be compared.",
        "masked_accuracy",
        "max",
        "korean-text",
        "held-out documents",
        None,
    ),
    Task(
        "device-speed",
        1,
        "Speed on a device",
        "en",
        "How long does one question of 384 tokens take on this machine?",
        "Median time of one call on a CPU with batch size 1 and all threads that were tried; random tokens, since "
        "time does not depend on what they say. Quality is no part of it.",
        "latency_ms_p50",
        "min",
        "random tokens",
        "384 tokens",
        None,
    ),
    Task(
        "reviews-ko-mini",
        1,
        "Korean sentiment, mini",
        "ko",
        "Is this Korean review of a film or a product positive or negative?",
        "Accuracy on the 200 test reviews of the shipped mini corpus: a smoke test, not a benchmark.",
        "accuracy",
        "max",
        "reviews-ko-mini",
        "test",
        200,
        mini=True,
        labels=SENTIMENT,
    ),
    Task(
        "nli-en-mini",
        1,
        "English inference, mini",
        "en",
        "Does the first sentence entail the second, contradict it, or neither?",
        "Accuracy on the 300 test pairs of the shipped mini corpus: a smoke test, not a benchmark.",
        "accuracy",
        "max",
        "nli-en-mini",
        "test",
        300,
        mini=True,
        labels=INFERENCE,
    ),
    Task(
        "qa-ko-mini",
        1,
        "Korean QA, mini",
        "ko",
        "Where in the Korean paragraph does the answer stand?",
        "Exact match and F1 on the 80 test questions of the shipped mini corpus: a smoke test, not a benchmark.",
        "f1",
        "max",
        "qa-ko-mini",
        "test",
        80,
        mini=True,
    ),
    Task(
        "qa-en-mini",
        1,
        "English QA, mini",
        "en",
        "Where in the paragraph does the answer stand?",
        "Exact match and F1 on the 80 test questions of the shipped mini corpus: a smoke test, not a benchmark.",
        "f1",
        "max",
        "qa-en-mini",
        "test",
        80,
        mini=True,
    ),
    Task(
        "korean-text-mini",
        1,
        "Masked words, Korean, mini",
        "ko",
        "Which words were hidden in this Korean text?",
        "Share of the hidden tokens that are named exactly, in a few paragraphs of the shipped mini corpus: a smoke "
        "test, not a benchmark.",
        "masked_accuracy",
        "max",
        "korean-text-mini",
        "held-out documents",
        None,
        mini=True,
    ),
    Task(
        "english-text-mini",
        1,
        "Masked words, mini",
        "en",
        "Which words were hidden in this English text?",
        "Share of the hidden tokens that are named exactly, in a few paragraphs of the shipped mini corpora: a smoke "
        "test, not a benchmark.",
        "masked_accuracy",
        "max",
        "english-text-mini",
        "held-out documents",
        None,
        mini=True,
    ),
)


def by_id(task_id: str) -> Task:
    """The current version of a task.

    Raises:
        KeyError: No such task.
    """
    for task in TASKS:
        if task.task_id == task_id:
            return task
    raise KeyError(f"unknown task {task_id!r}; known: {', '.join(task_ids())}")


def task_ids() -> list[str]:
    """Every task's id, in the order of the tabs."""
    return [task.task_id for task in TASKS]


def as_change() -> Change:
    """The registry as rows of the tasks table."""
    rows = pd.DataFrame([{**asdict(task), "position": position} for position, task in enumerate(TASKS)])
    rows = rows.drop(columns="labels")  # for reading, not for the store
    return Change("tasks", rows.astype({"split_size": "Int64"}))
