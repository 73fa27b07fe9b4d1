"""How answers are scored: the official rules of SQuAD and KorQuAD, and the slide deck's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.statistics.qa_scoring import DECK, KORQUAD, SQUAD, Rules, best, f1, korquad_normal, pack, squad_normal, unpack

TEXT = st.text(max_size=40)


@pytest.mark.parametrize(
    ("rules", "answer", "gold", "exact", "overlap"),
    [
        # SQuAD: articles, case, ASCII punctuation and spaces do not matter; words are counted with repetitions.
        (SQUAD, "Seoul", "Seoul", True, 1.0),
        (SQUAD, "the Seoul.", "seoul", True, 1.0),
        (SQUAD, "A  steam-engine", "steamengine", True, 1.0),
        # 2 of 3 predicted words are right, and 2 of 4 gold ones are found: 2 * (2/3 * 1/2) / (2/3 + 1/2).
        (SQUAD, "old steam engine", "steam engine and jenny", False, 4 / 7),
        (SQUAD, "jenny", "steam", False, 0.0),
        # A word that is said twice counts once against a gold answer that holds it once: precision 1/2, recall 1.
        (SQUAD, "steam steam", "steam", False, 2 / 3),
        (SQUAD, "", "steam", False, 0.0),
        # KorQuAD: exact match is by words, F1 by characters, quotation marks and brackets left out.
        (KORQUAD, "《서울》", "서울", True, 1.0),
        (KORQUAD, "서울특별시", "서울", False, 2 * (2 / 5 * 1) / (2 / 5 + 1)),
        (KORQUAD, "‘한국은행’ 총재", "한국은행 총재", True, 1.0),
        # Spaces make no character: 6 shared of 6 and 6.
        (KORQUAD, "한국은행총재", "한국은행 총재", False, 1.0),
        (KORQUAD, "부산", "서울", False, 0.0),
        # The deck: lower-casing and stripping alone; common words are a set, divided by the lengths of the lists.
        (DECK, " seoul ", "Seoul", True, 1.0),
        (DECK, "Seoul.", "Seoul", False, 0.0),
        # Sets share one word, the list has two: precision 1/2, recall 1. The official rules say the same here, ...
        (DECK, "steam steam", "steam", False, 2 / 3),
        # ... but two of the same on both sides give 1/2 each, where the official F1 is 1.
        (DECK, "steam steam", "Steam steam", True, 1 / 2),
        (DECK, "", "steam", False, 0.0),
        (DECK, "the steam", "steam", False, 2 / 3),
    ],
)
def test_rules(rules: Rules, answer: str, gold: str, exact: bool, overlap: float) -> None:
    """Each data set's own, and the slide deck's."""
    assert rules.exact(answer, gold) is exact
    assert rules.overlap(answer, gold) == pytest.approx(overlap)


def test_what_counts_of_a_word() -> None:
    """Only whole words are English articles, an accented text keeps its letters; Korean rules know no articles."""
    assert squad_normal("The Thean an-Ansatz, a") == "thean anansatz"
    assert squad_normal("Émile's  L’été") == "émiles l’été"
    assert korquad_normal("The (Beatles)") == "the beatles"


def test_the_best_gold_answer_counts() -> None:
    """Exact match and F1 may come from different gold answers; without any there is no score."""
    assert best(SQUAD, "steam engine", ["jenny", "the steam engine", "engine"]) == (True, 1.0)
    assert best(SQUAD, "engine", ["steam engine", "jenny"]) == (False, pytest.approx(2 / 3))
    with pytest.raises(ValueError, match="gold"):
        best(SQUAD, "engine", [])


@given(TEXT, TEXT)
def test_every_rule_is_a_similarity(answer: str, other: str) -> None:
    """F1 lies in 0..1 and does not depend on which text is called gold."""
    for rules in (SQUAD, KORQUAD, DECK):
        assert 0 <= rules.overlap(answer, other) <= 1
        assert rules.overlap(answer, other) == pytest.approx(rules.overlap(other, answer))


@given(TEXT, TEXT)
def test_equal_answers_overlap_wholly(answer: str, other: str) -> None:
    """By the official rules exact match means F1 1, unless nothing of the answer is left to compare."""
    for rules, normal in ((SQUAD, squad_normal), (KORQUAD, korquad_normal)):
        if rules.exact(answer, other) and normal(answer):
            assert rules.overlap(answer, other) == 1.0
        assert rules.exact(answer, f" {answer.upper().lower()} ") == (normal(answer) == normal(answer.upper().lower()))


@given(st.lists(st.text(max_size=3), max_size=8))
def test_f1_of_a_bag_with_itself_is_one(tokens: list[str]) -> None:
    """Order never matters."""
    assert f1(tokens, tokens[::-1]) == (1.0 if tokens else 0.0)


@given(st.lists(TEXT, min_size=1, max_size=5))
def test_gold_answers_come_back_from_the_store(golds: list[str]) -> None:
    """Each answer once, the first one first, whatever is in it."""
    assert unpack(pack(golds)) == list(dict.fromkeys(golds))


@pytest.mark.parametrize("packed", ['"text"', "[1]", "{}", "null", "[", ""])
def test_what_is_no_list_of_answers_is_refused(packed: str) -> None:
    """A label of a classification, or a broken text, is no list."""
    with pytest.raises(ValueError):  # noqa: PT011 - the JSON module's own and ours
        unpack(packed)
