"""Sample texts: from the test splits of the shipped mini corpora, and two of a document. No torch here.

No shipped model learned from any of them.
"""

import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import Any

from db.registry import tasks
from engine.inference.models import TaskType


@dataclass(frozen=True)
class Sample:
    """An example.

    Attributes:
        key: Names it in an address.
        reads: What kind of model it is for.
        language: Of its texts.
        texts: Question and context; a review or another text; premise and hypothesis.
        gold: The right answers, or the label; empty where a document gives its model's answer only.
        source: A document's file name; None for our own mini corpora.
    """

    key: str
    reads: TaskType
    language: str
    texts: tuple[str, ...]
    gold: tuple[str, ...] = ()
    source: str | None = None


_DECK = "004_7d812c1ddacb6f6c.txt"
_CAPITAL = ("Where is the capital of Korea?", "The capital of Korea is Seoul")
_CAPITAL_KO = ("한국의 수도는?", "한국의 수도는 서울이다. 부산은 두 번째로 큰 도시이다.")
_REVOLUTION = (
    "What were some key technologies that revolutionized manufacturing during the industrial revolution?",
    "The industrial revolution was a period of major industrialization and innovation that took place during the "
    "late 18th and early 19th centuries. It marked a significant shift from agrarian economies to industrial "
    "ones, leading to profound social, economic, and cultural changes. The development of new technologies, such "
    "as the steam engine and the spinning jenny, revolutionized manufacturing processes and enabled the mass "
    "production of goods. Factories emerged as centers of production, attracting rural laborers to urban areas in "
    "search of employment. The industrial revolution also played a crucial role in the growth of capitalism and "
    "the rise of industrial capitalism, transforming the organization of work and society.",
)

_CLASSIFIED: dict[TaskType, tuple[str, ...]] = {
    "sentiment": ("reviews-ko-mini",),
    "nli": ("nli-en-mini", "nli-ko-mini"),
    "text": ("topics-ko-mini",),
}
_EACH = 6
"""Samples of each corpus, at least: spread over it, so that they differ in subject."""

_FIRST = {"ne-0743", "nk-0183"}
"""Pairs that need no second look; a page opens with the first sample, whatever is hard about it."""


@cache
def samples(reads: TaskType) -> tuple[Sample, ...]:
    """The samples for one kind of model, English ones of the document first."""
    if reads == "qa":
        return (
            Sample("capital", "qa", "en", _CAPITAL, ("Seoul",), _DECK),
            Sample("revolution", "qa", "en", _REVOLUTION, ("steam engine and the spinning jenny",), _DECK),
            *_questions("qa_en", "en"),
            Sample("capital-ko", "qa", "ko", _CAPITAL_KO, ("서울",)),
            *_questions("qa_ko", "ko"),
        )
    return tuple(row for name in _CLASSIFIED[reads] for row in _of_each_label(_rows(name, reads)))


def sample(reads: TaskType, key: str) -> Sample | None:
    """The sample of a key, also one that is no longer among those on offer; None where there is none."""
    rows = (row for name in _CLASSIFIED.get(reads, ()) for row in _rows(name, reads))
    return next((entry for entry in (*samples(reads), *rows) if entry.key == key), None)


def _questions(corpus: str, language: str) -> list[Sample]:
    content = json.loads(_text(corpus, "test.json"))
    questions = [
        (paragraph["context"], question)
        for article in content["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]
    return [
        Sample(
            str(question["id"]),
            "qa",
            language,
            (question["question"], context),
            tuple(dict.fromkeys(gold["text"] for gold in question["answers"])),
        )
        for context, question in _spread(questions)
    ]


@cache
def _rows(name: str, reads: TaskType) -> tuple[Sample, ...]:
    """All labelled texts of a corpus."""
    task = tasks.by_id(name)
    if task.data is None or task.data.kind != "classification" or task.data.corpus is None:
        raise ValueError(f"{task.task_id} has no corpus of labelled texts")
    lines = _text(task.data.corpus, "test.jsonl").splitlines()
    rows: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]
    return tuple(
        Sample(
            str(row["id"]),
            reads,
            task.language,
            tuple(row[column] for column in task.data.texts),
            (_label(row["label"], task.labels),),
        )
        for row in rows
    )


def _of_each_label(rows: tuple[Sample, ...]) -> list[Sample]:
    """As many of each label, in turns."""
    parts: dict[str, list[Sample]] = defaultdict(list)
    for row in rows:
        parts[row.gold[0]].append(row)
    chosen = [_spread(part, -(-_EACH // len(parts))) for part in parts.values()]
    return sorted((row for turn in zip(*chosen, strict=True) for row in turn), key=lambda row: row.key not in _FIRST)


def _label(label: object, labels: tuple[str, ...]) -> str:
    return labels[label] if isinstance(label, int) else str(label)


def _spread(rows: list[Any], count: int = _EACH) -> list[Any]:
    step = max(1, len(rows) // count)
    return rows[: step * count : step]


def _text(corpus: str, file: str) -> str:
    return (tasks.corpus_folder(corpus) / file).read_text("utf-8")
