"""Verdicts of a classifier in words and marks: probabilities, importance of words, agreement of models."""

import pytest

from dashboard.playground import attribution, classification, rendering
from engine.inference.schemas import Attribution, Cost, Verdict


def test_many_labels_are_cut_to_the_likeliest() -> None:
    """A task of a user may have hundreds."""
    shares = {f"label {n}": 0.001 for n in range(100)} | {"label 50": 0.9}
    cost = Cost(waited_ms=0, tokenise_ms=0, model_ms=0, decode_ms=0)
    verdict = Verdict(label="label 50", probabilities=shares, cut=False, guessed=False, cost=cost)
    headline, bars = classification.verdict_blocks(verdict)
    assert headline["text"] == "label 50"
    assert bars["label"] == "Probability of the 10 likeliest of 100 labels"
    assert [row["label"] for row in bars["rows"] if row["strong"]] == ["label 50"]


def _verdict(share: float = 0.94) -> Verdict:
    shares = {"negative": 1 - share, "positive": share}
    cost = Cost(waited_ms=0, tokenise_ms=0, model_ms=0, decode_ms=0)
    return Verdict(label="positive", probabilities=shares, cut=False, guessed=False, cost=cost)


def test_what_matters_is_told_in_words() -> None:
    """What turns the verdict first; a word that stands there twice once; what moves nothing not at all."""
    words = "별로 좋다 좋다 그냥"
    units = [
        Attribution(part=0, start=0, end=2, weight=-0.05, turns=None),
        Attribution(part=0, start=3, end=5, weight=0.33, turns=None),
        Attribution(part=0, start=6, end=8, weight=0.5, turns="negative"),
        Attribution(part=0, start=9, end=11, weight=0.004, turns=None),
    ]
    shown, effects = attribution.blocks(["Review"], [words], _verdict(), units)
    assert [(piece["t"], piece.get("mark")) for piece in shown["pieces"]] == [
        ("별로", "against"),
        (" ", None),
        ("좋다", "for"),
        (" ", None),
        ("좋다", "for turns"),
        (" 그냥", None),
    ]
    assert effects["label"] == "Word importance: probability of Positive"
    rows = [(row["before"] + row["t"] + row["after"], row["value"], row["turns"]) for row in effects["rows"]]
    assert rows == [("without “좋다”", "94.0% → 44.0%", "Negative"), ("without “별로”", "94.0% → 99.0%", "")]
    assert effects["rows"][0]["title"] == "Positive 94.0% → 44.0%, becomes Negative"
    assert shown["pieces"][0]["strength"] < shown["pieces"][2]["strength"] < 1 == shown["pieces"][4]["strength"]


def test_a_text_on_which_nothing_hangs_says_so() -> None:
    units = [Attribution(part=0, start=0, end=2, weight=0.009, turns=None)]
    shown, note = attribution.blocks(["Review"], ["좋다"], _verdict(), units)
    assert shown["pieces"] == [{"t": "좋다"}]
    assert note == rendering.note("No single part changes the probability by one point or more.")
    assert attribution.legend(units) == []


def test_the_legend_names_the_marks_that_there_are() -> None:
    legend, how = attribution.legend(
        [
            Attribution(part=0, start=0, end=1, weight=0.2, turns=None),
            Attribution(part=0, start=1, end=2, weight=-0.001, turns=None),
        ]
    )
    assert [row["mark"] for row in legend["rows"]] == ["for"]
    assert how["text"] == (
        "Each part is left out once and the model reads the rest. The deeper the colour, the more the "
        "probability changes; parts that change it by less than one point are not marked."
    )
    legend, _ = attribution.legend([Attribution(part=0, start=0, end=1, weight=-0.2, turns="negative")])
    assert [row["mark"] for row in legend["rows"]] == ["against", "turns"]


@pytest.mark.parametrize(
    ("labels", "gold", "expected"),
    [
        ("pp", None, "The models agree: **Positive** (2 of 2)."),
        ("npp", None, "The models disagree: **Positive** 2 of 3 (B, C); **Negative** 1 of 3 (A)."),
        (
            "nppn",
            "positive",
            "The models disagree: **Negative** 2 of 4 (A, D); **Positive** 2 of 4 (B, C). "
            "Gold label: Positive; 2 of 4 models predict it.",
        ),
        ("nn", "positive", "The models agree: **Negative** (2 of 2). Gold label: Positive; 0 of 2 models predict it."),
    ],
)
def test_agreement_in_a_sentence(labels: str, gold: str | None, expected: str) -> None:
    called = {"p": "positive", "n": "negative"}
    assert (
        classification.agreement([(name, called[element]) for name, element in zip("ABCD", labels, strict=False)], gold)
        == expected
    )


def test_names_of_models_are_no_markup() -> None:
    assert "[x](y)" not in classification.agreement([("[x](y)", "positive"), ("B", "negative")])
