"""The shipped mini corpora: sizes, balance, no leaks between splits, exact answer offsets, no giveaway words."""

import json
import re
import unicodedata
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from db.registry import tasks
from tests import paths
from tests.factories import film_reviews

CORPORA = paths.REPO / "db" / "registry" / "corpora"
NEGATION = {
    "nli_en": re.compile(r"\b(no|not|never|none|nothing|nobody|nowhere|neither|nor|without|cannot|\w+n't)\b", re.I),
    "nli_ko": re.compile(r"않|못|없|아니|말라고|말아야|\b안 "),
}


def _lines(corpus: str, split: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPORA / corpus / f"{split}.jsonl").read_text("utf-8").split("\n") if line]


def _questions(corpus: str, split: str) -> list[tuple[str, dict[str, Any]]]:
    """Every question of a SQuAD file with its passage."""
    content = json.loads((CORPORA / corpus / f"{split}.json").read_text("utf-8"))
    return [
        (paragraph["context"], question)
        for article in content["data"]
        for paragraph in article["paragraphs"]
        for question in paragraph["qas"]
    ]


def _normal(text: str) -> str:
    """Letters and digits only, composed and lower-cased: texts that differ in punctuation alone are the same."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFC", text).lower())


@pytest.mark.parametrize(
    ("corpus", "split", "labels", "each"),
    [
        ("reviews_ko", "train", 2, 200),
        ("reviews_ko", "test", 2, 100),
        ("films_ko", "train", 2, 250),
        ("films_ko", "test", 2, 500),
        ("nli_en", "train", 3, 200),
        ("nli_en", "test", 3, 100),
        ("nli_ko", "train", 3, 60),
        ("nli_ko", "test", 3, 30),
        ("topics_ko", "train", 7, 20),
        ("topics_ko", "test", 7, 10),
    ],
)
def test_labels_are_balanced(corpus: str, split: str, labels: int, each: int) -> None:
    """Every label is equally frequent, so that guessing one label gives exactly chance."""
    assert Counter(row["label"] for row in _lines(corpus, split)) == dict.fromkeys(range(labels), each)


@pytest.mark.parametrize(
    ("corpus", "columns"),
    [
        ("reviews_ko", ("document",)),
        ("films_ko", ("document",)),
        ("topics_ko", ("document",)),
        ("nli_en", ("premise", "hypothesis")),
        ("nli_ko", ("premise", "hypothesis")),
    ],
)
def test_classification_rows_are_whole(corpus: str, columns: tuple[str, ...]) -> None:
    """Every row has a text in every column, composed Unicode, and an id of its own across both splits."""
    rows = _lines(corpus, "train") + _lines(corpus, "test")
    assert len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        for column in columns:
            assert _normal(row[column]), f"{row['id']} has an empty {column}"
            assert unicodedata.is_normalized("NFC", row[column]), f"{row['id']}: {column} is not composed"


@pytest.mark.parametrize("corpus", ["reviews_ko", "topics_ko"])
def test_no_text_occurs_twice(corpus: str) -> None:
    """No text is a copy of another one, within a split or across them."""
    counts = Counter(_normal(row["document"]) for split in ("train", "test") for row in _lines(corpus, split))
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_review_is_nearly_another() -> None:
    """Two reviews share less than half of their character trigrams, so that test is not train with a word changed."""
    rows = _lines("reviews_ko", "train") + _lines("reviews_ko", "test")
    grams = CountVectorizer(analyzer="char", ngram_range=(3, 3), binary=True)
    table: csr_matrix = grams.fit_transform([_normal(row["document"]) for row in rows]).astype(np.int32)
    shared = (table @ table.T).toarray()
    sizes = np.asarray(table.sum(axis=1)).ravel()
    similarity = shared / np.maximum(1, sizes[:, None] + sizes[None, :] - shared)
    np.fill_diagonal(similarity, 0)
    first, second = np.unravel_index(similarity.argmax(), similarity.shape)
    assert similarity.max() < 0.5, f"{rows[first]} and {rows[second]}"


@pytest.mark.parametrize(("corpus", "premises_of"), [("nli_en", (200, 100)), ("nli_ko", (60, 30))])
def test_no_pair_crosses_the_splits(corpus: str, premises_of: tuple[int, int]) -> None:
    """No hypothesis occurs twice, and all hypotheses of a premise, one of each label, are in the same split."""
    splits = {split: _lines(corpus, split) for split in ("train", "test")}
    hypotheses = Counter(_normal(row["hypothesis"]) for rows in splits.values() for row in rows)
    assert [text for text, count in hypotheses.items() if count > 1] == []
    premises = {split: {_normal(row["premise"]) for row in rows} for split, rows in splits.items()}
    assert premises["train"] & premises["test"] == set()
    assert (len(premises["train"]), len(premises["test"])) == premises_of
    for rows in splits.values():
        pairs = {(_normal(row["premise"]), row["label"]) for row in rows}
        assert len(pairs) == len(rows)


@pytest.mark.parametrize("corpus", NEGATION)
@pytest.mark.parametrize("longest", [1, 2])
def test_the_hypothesis_alone_gives_little_away(corpus: str, longest: int) -> None:
    """A bag of words or word pairs that never sees the premise stays below half of the labels right."""
    train, test = _lines(corpus, "train"), _lines(corpus, "test")
    words = CountVectorizer(ngram_range=(1, longest))
    model = LogisticRegression(max_iter=2000, tol=1e-3)
    model.fit(words.fit_transform([row["hypothesis"] for row in train]), [row["label"] for row in train])
    right = model.score(words.transform([row["hypothesis"] for row in test]), [row["label"] for row in test])
    names = words.get_feature_names_out()
    telling = {label: [str(names[i]) for i in np.argsort(-model.coef_[label])[:8]] for label in range(3)}
    assert right < 0.5, f"{right:.1%} right by hypothesis alone; most telling: {telling}"


@pytest.mark.parametrize("corpus", NEGATION)
@pytest.mark.parametrize("split", ["train", "test"])
def test_negation_does_not_tell_the_label(corpus: str, split: str) -> None:
    """Negation words stand in about as many hypotheses of each label: a contradiction is not known by its 'not'."""
    rows = _lines(corpus, split)
    shares = [
        float(np.mean([bool(NEGATION[corpus].search(row["hypothesis"])) for row in rows if row["label"] == label]))
        for label in range(3)
    ]
    assert min(shares) > 0.1, f"hardly any negation: {shares}"
    assert max(shares) - min(shares) < 0.08, f"negation by label: {shares}"


@pytest.mark.parametrize("corpus", ["qa_ko", "qa_en"])
@pytest.mark.parametrize(("split", "passages", "questions"), [("train", 40, 160), ("test", 20, 80)])
def test_answers_stand_where_they_are_said_to(corpus: str, split: str, passages: int, questions: int) -> None:
    """A QA file has SQuAD's schema and its documented size, and the passage holds each answer exactly at its offset."""
    content = json.loads((CORPORA / corpus / f"{split}.json").read_text("utf-8"))
    assert isinstance(content["version"], str)
    assert all(article["title"].strip() for article in content["data"])
    result = _questions(corpus, split)
    assert sum(len(article["paragraphs"]) for article in content["data"]) == passages
    assert len(result) == questions
    for context, question in result:
        assert question["question"].strip(), question["id"]
        assert len(question["answers"]) == 1, question["id"]
        for answer in question["answers"]:
            text, start = answer["text"], answer["answer_start"]
            assert text, question["id"]
            assert text == text.strip(), question["id"]
            assert context[start : start + len(text)] == text, f"{question['id']}: {text!r} is not at {start}"


@pytest.mark.parametrize("corpus", ["qa_ko", "qa_en"])
def test_no_passage_or_question_occurs_twice(corpus: str) -> None:
    """Passages and questions are all different, ids are unique, and no passage is in both splits."""
    splits = {split: _questions(corpus, split) for split in ("train", "test")}
    every = splits["train"] + splits["test"]
    assert len({question["id"] for _, question in every}) == 240
    assert len({_normal(question["question"]) for _, question in every}) == 240
    assert len({_normal(context) for context, _ in every}) == 60
    train, test = ({_normal(context) for context, _ in splits[split]} for split in ("train", "test"))
    assert train & test == set()


@pytest.mark.parametrize("task_id", [task.task_id for task in tasks.TASKS if task.mini and task.split_size])
def test_the_registry_knows_the_size_of_the_test_split(task_id: str) -> None:
    """The number of scored examples that a mini task states is that of its file; verification counts on it."""
    corpus = CORPORA / task_id.removesuffix("-mini").replace("-", "_")
    lines = corpus / "test.jsonl"
    size = len(_lines(corpus.name, "test")) if lines.is_file() else len(_questions(corpus.name, "test"))
    assert size == tasks.by_id(task_id).split_size


def test_the_corpora_are_described() -> None:
    """The README that ships with the corpora names every one of them and its licence."""
    text = (CORPORA / "README.md").read_text("utf-8")
    assert "Apache-2.0" in text
    for folder in (entry for entry in CORPORA.iterdir() if entry.is_dir() and any(entry.glob("test.*"))):
        assert f"`{folder.name}`" in text


def test_the_generated_corpus_is_what_its_generator_writes() -> None:
    """The files of ``films_ko`` hold the rows that ``tests.factories.film_reviews`` makes, and no text twice."""
    made = film_reviews.corpus()
    for name, rows in made.items():
        assert _lines("films_ko", name) == rows, name
    texts = [row["document"] for rows in made.values() for row in rows]
    assert len(texts) == len(set(texts)) == 5500
