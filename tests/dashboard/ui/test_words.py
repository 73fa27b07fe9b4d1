"""One term per idea: the word list of ``docs/words.md`` against every text of the pages, in both languages."""

import re
from typing import NamedTuple

import pytest

from db.registry.tasks import TASKS
from engine.recipes import files, loader
from tests.dashboard.ui.test_i18n import KOREAN, _english, _translations
from tests.paths import REPO


class Term(NamedTuple):
    """A row of the list: the term in both languages, and the words that it replaces."""

    english: str
    korean: str
    former_english: tuple[str, ...]
    former_korean: tuple[str, ...]


def _terms() -> list[Term]:
    lines = (REPO / "docs" / "words.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    split = [[tuple(word.strip() for word in cell.split(",") if word.strip()) for cell in row[2:]] for row in rows[2:]]
    return [Term(row[0], row[1], *former) for row, former in zip(rows[2:], split, strict=True)]


TERMS = _terms()
TEXTS = [
    (re.sub(r"\{\w*\}", "", _english(message)), " ".join(_translations(message))) for message in KOREAN if message.id
]


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.english)
def test_a_term_has_one_translation(term: Term) -> None:
    """A text uses the English term, and its translation the Korean one."""
    english = re.compile(rf"\b{re.escape(term.english.rstrip('.'))}", re.IGNORECASE)
    assert any(english.search(text) and term.korean in korean for text, korean in TEXTS)


@pytest.mark.parametrize("term", [term for term in TERMS if term.former_english], ids=lambda term: term.english)
def test_no_english_text_has_a_former_term(term: Term) -> None:
    """Former terms are whole words, in any case. Names of models come from recipes; tasks have texts of their own."""
    term_now = re.compile(re.escape(term.english), re.IGNORECASE)
    former = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in term.former_english), re.IGNORECASE)
    recipes = [text for name in files.names() for text in (loader.load(name).label, loader.load(name).summary)]
    tasks = [text for task in TASKS for text in (task.name, task.question, task.scoring)]
    texts = [*(text for text, _ in TEXTS), *recipes, *tasks]
    assert [text for text in texts if former.search(term_now.sub("", text))] == []


@pytest.mark.parametrize("term", [term for term in TERMS if term.former_korean], ids=lambda term: term.english)
def test_no_korean_text_has_a_former_term(term: Term) -> None:
    """Korean endings follow a term, so any occurrence counts."""
    former = re.compile("|".join(map(re.escape, term.former_korean)))
    tasks = [text for task in TASKS for text in (task.korean.name, task.korean.question, task.korean.scoring)]
    assert [korean for korean in (*(text for _, text in TEXTS), *tasks) if former.search(korean)] == []
