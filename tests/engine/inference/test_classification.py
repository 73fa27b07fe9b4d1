"""Verdicts in the playground, and the words that they hang on."""

import itertools
import unicodedata
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from db.storage.store import Store
from engine.base.errors import DataError, PrecisionError
from engine.inference import attribution, classification
from engine.inference.attribution import MAX_PARTS, units
from engine.inference.predictor import Predictor
from tests.factories.models import TINY, open_predictor, pair_folder

GOOD = "연기가 정말 좋고 음악도 감동적이었다"


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    return open_predictor(Store(tmp_path_factory.mktemp("classifying") / "no.duckdb"))


def test_a_verdict_is_that_of_predict(predictor: Predictor) -> None:
    held, verdict = predictor.classify(TINY, (GOOD,))
    labels, probabilities, _ = classification.classified(held.model, [(GOOD,)])
    assert verdict.label == labels[0] == "positive"
    assert list(verdict.probabilities) == ["negative", "positive"]
    assert list(verdict.probabilities.values()) == pytest.approx(list(probabilities[0]))
    assert not verdict.cut
    assert predictor.classify(TINY, (GOOD * 40,))[1].cut


def test_importance_is_what_changes_when_a_part_is_left_out(predictor: Predictor) -> None:
    """Told by asking the model again, part by part."""
    text = "음악은 좋은데 이야기가 지루하고 재미없다"
    held, verdict = predictor.classify(TINY, (text,))
    shares: list[float] = []
    tokens = attribution.attribute(predictor.executor, held, (text,), verdict, progress=shares.append)
    assert [text[token.start : token.end] for token in tokens] == text.split()
    assert shares[-1] == 1
    for part in tokens:
        without = predictor.classify(TINY, (text[: part.start] + text[part.end :],))[1]
        assert part.weight == pytest.approx(
            verdict.probabilities[verdict.label] - without.probabilities[verdict.label], abs=1e-6
        )
        assert part.turns == (None if without.label == verdict.label else without.label)


def test_a_part_that_turns_the_verdict_says_into_what(predictor: Predictor) -> None:
    held, verdict = predictor.classify(TINY, ("최악이다 좋다",))
    parts = attribution.attribute(predictor.executor, held, ("최악이다 좋다",), verdict)
    turned = [token for token in parts if token.turns]
    assert [token.turns for token in turned] == ["positive" if verdict.label == "negative" else "negative"]


def test_a_text_of_one_word_is_left_out_whole(predictor: Predictor) -> None:
    held, verdict = predictor.classify(TINY, ("좋다",))
    (token,) = attribution.attribute(predictor.executor, held, ("좋다",), verdict)
    assert (token.start, token.end) == (0, 2)


def test_pairs_are_taken_apart_in_both_texts(predictor: Predictor, tmp_path: Path) -> None:
    """And a model's classes are put in our order by their names."""
    key = f"folder:{pair_folder(tmp_path / 'pairs')}"
    texts = ("The box is red.", "The cup is new.")
    held, verdict = predictor.classify(key, texts)
    assert list(verdict.probabilities) == ["entailment", "neutral", "contradiction"]
    own = held.model.model.inner  # contradiction, entailment, neutral
    prepared = held.model.prepare([texts])
    assert prepared.logits()[0].tolist() == pytest.approx(verdict_logits(own, held, texts))
    tokens = attribution.attribute(predictor.executor, held, texts, verdict)
    assert {token.part for token in tokens} == {0, 1}
    assert len(tokens) == 8


def verdict_logits(own: object, held: object, texts: tuple[str, str]) -> list[float]:
    """The logits of the model itself, put in our order by hand."""
    import torch

    encoded = held.model.tokenizer.encode(*texts)  # type: ignore[attr-defined]
    ids = torch.tensor([encoded.ids])
    with torch.inference_mode():
        contradiction, entailment, neutral = own(ids, torch.tensor([ids.shape[1]]))[0].tolist()  # type: ignore[operator]
    return [entailment, neutral, contradiction]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("좋다 나쁘다", ["좋다", "나쁘다"]),
        ("정말재미있는영화였어요", ["정말", "재미", "있는", "영화", "였어", "요"]),
        ("최고👍👍 굿", ["최고", "👍", "👍", "굿"]),
        ("👨‍👩‍👧 가족", ["👨‍👩‍👧", "가족"]),
        ("👍🏽!", ["👍🏽", "!"]),
        ("ㅋㅋㅋㅋ", ["ㅋㅋㅋㅋ"]),
        ("internationalization", ["internationalization"]),
        ("$1,000,000,000 <b>ferry</b>", ["$1,000,000,000", "<b>ferry</b>"]),
        ("de\u0301mocratisation", ["de\u0301mocratisation"]),
        ("2026년 3점", ["2026년", "3점"]),
        ("  ", []),
    ],
)
def test_parts_of_texts(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in units(text)] == parts


def test_letters_that_are_written_apart_stay_together() -> None:
    """Text from a Mac is often decomposed: a syllable is three code points."""
    text = unicodedata.normalize("NFD", "정말재미있는영화였어요")
    assert [unicodedata.normalize("NFC", text[start:end]) for start, end in units(text)][:2] == ["정말", "재미"]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_parts_cover_a_text_and_cut_no_grapheme(text: str) -> None:
    result = units(text)
    assert len(result) <= MAX_PARTS
    covered = "".join(text[start:end] for start, end in result)
    assert "".join(regex.sub(r"\s", "", covered)) == "".join(regex.sub(r"\s", "", text))
    ends = [0]
    for word in regex.finditer(r"\S+", text):
        ends += [word.start() + cluster.end() for cluster in regex.finditer(r"\X", word.group())]
    assert all(end in ends for _, end in result)
    assert all(start < end for start, end in result)
    assert all(left[1] <= two[0] for left, two in itertools.pairwise(result))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("",), "The text is empty"),
        (("a" * 10_001,), "10,000"),
        (("\udfff",), "lone surrogate"),
        (("a", " "), "The hypothesis is empty"),
    ],
)
def test_what_cannot_be_classified_is_told(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        classification.check(texts)


def test_a_number_format_that_does_not_suit_is_told(predictor: Predictor) -> None:
    with pytest.raises(PrecisionError, match="int8 in name only"):
        predictor.classify(TINY, (GOOD,), precision="int8")
