"""The tabs of sentiment and inference, driven without a browser, and the blocks that their cards are drawn from."""

import json
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.playground import answers, attribution, classification, rendering
from db.registry import tasks
from db.runs import feedback
from db.storage.store import Store
from engine.inference import samples
from engine.inference.schemas import Attribution, Cost, Verdict
from tests.dashboard.test_pages import APP, _words
from tests.factories.models import TINY, pair_folder

MINI = "distilkobilstm-mini"
HURRIED = "이영화진짜재미없음ㅋㅋㅋ배우들은연기잘하는데ㅠㅠ스토리가별로👨‍👩‍👧‍👦😡"
Look = Callable[..., AppTest]


@pytest.fixture
def look(board: Store, monkeypatch: pytest.MonkeyPatch) -> Look:
    """Opens the playground by a link."""

    def opened(**query: str) -> AppTest:
        monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
        app = AppTest.from_file(str(APP), default_timeout=300).switch_page("views/playground.py")
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return opened


def _blocks(app: AppTest, kind: str) -> list[dict[str, Any]]:
    """The blocks of one kind that the page gives to the browser, in their order."""
    blocks = []
    for element in app.get("bidi_component"):
        blocks += [block for block in _mounted(element.proto) if block["type"] == kind]
    return blocks


def _mounted(proto: Any) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = json.loads(proto.json)["blocks"]
    return blocks


def _ask(app: AppTest, reads: str, *texts: str) -> AppTest:
    for number, element in enumerate(texts, start=1):
        app.text_area(key=f"pg_{reads}_t{number}").set_value(element)
    return next(element for element in app.button if element.label == "Ask").click().run()


def _address(app: AppTest) -> dict[str, str]:
    return {
        name: expected[0] if isinstance(expected, list) else expected for name, expected in app.query_params.items()
    }


def _choose(app: AppTest, key: str, value: str) -> AppTest:
    return next(element for element in app.get("button_group") if element.key == key).set_value(value).run()


def test_the_tab_answers_the_first_example_by_itself(look: Look) -> None:
    """Verdict, all probabilities, the marked text, what matters most, the right label."""
    app = look(tab="sentiment", models=TINY)
    assert not app.exception
    shown = _blocks(app, "headline")[0]
    assert shown["text"] in ("Negative", "Positive")
    (bars,) = _blocks(app, "bars")
    assert [row["label"] for row in bars["rows"]] == ["Negative", "Positive"]
    assert sum(row["share"] for row in bars["rows"]) == pytest.approx(1)
    assert [row["label"] for row in bars["rows"] if row["strong"]] == [shown["text"]]
    assert "Correct: Positive" in _words(app)
    assert _blocks(app, "effects")[0]["rows"]
    assert _address(app) == {"tab": "sentiment", "models": TINY}


def test_headlines_get_a_topic(look: Look) -> None:
    """The labels of the model's own task, in the page's language; the report keeps a headline with its right topic."""
    app = look(tab="text", lang="ko")
    assert not app.exception
    (bars,) = _blocks(app, "bars")
    assert [row["label"] for row in bars["rows"]] == list(tasks.by_id("ynat").korean.labels)
    assert _address(app)["tab"] == "text"
    app = _ask(look(tab="text"), "text", "코스피 사흘째 상승 마감")
    assert _blocks(app, "headline")[0]["text"] == "economy"
    next(button for button in app.button if button.label == "Save the report").click().run()
    (case,) = feedback.cases(Store(Path(os.environ["FEATHERBOARD_DB"]))).to_dict("records")
    assert (case["kind"], case["text"], case["answer"]) == ("text", "코스피 사흘째 상승 마감", "economy")


def test_many_labels_are_cut_to_the_likeliest() -> None:
    """A task of a user may have hundreds."""
    shares = {f"label {n}": 0.001 for n in range(100)} | {"label 50": 0.9}
    cost = Cost(waited_ms=0, tokenise_ms=0, model_ms=0, decode_ms=0)
    verdict = Verdict(label="label 50", probabilities=shares, cut=False, guessed=False, cost=cost)
    headline, bars = classification.verdict_blocks(verdict)
    assert headline["text"] == "label 50"
    assert bars["label"] == "Probability of the 10 likeliest of 100 labels"
    assert [row["label"] for row in bars["rows"] if row["strong"]] == ["label 50"]


def test_the_pieces_of_a_text_are_the_text(look: Look) -> None:
    """Korean without spaces, jamo, a family of four code points and joiners: nothing is lost, nothing is cut apart."""
    for words in (HURRIED, unicodedata.normalize("NFD", "정말 재미없는 영화였어요ㅠㅠ"), "line\n\n  two 별로"):
        app = look(tab="sentiment", models=TINY, t1=words)
        (shown,) = _blocks(app, "text")
        assert "".join(piece["t"] for piece in shown["pieces"]) == words
        marks = [piece for piece in shown["pieces"] if piece.get("mark")]
        assert marks
        assert all(piece["title"] for piece in marks)
        assert not any(piece["t"].startswith(("\u200d", "\u1161", "\u11ab")) for piece in shown["pieces"])


def test_markup_in_a_text_is_text(look: Look) -> None:
    words = "<b>별로</b><script>alert(1)</script> :red[재미없다] $x$ **지루**"
    app = look(tab="sentiment", models=f"{TINY},{MINI}", t1=words)
    assert not app.exception
    assert all("".join(piece["t"] for piece in element["pieces"]) == words for element in _blocks(app, "text"))
    assert ":red[" not in _words(app).replace("\\[", "")


def test_several_models_say_whether_they_agree(look: Look) -> None:
    app = look(tab="sentiment", models=f"{TINY},{MINI}")
    assert "The models agree: **Positive** (2 of 2). Gold label: Positive; 2 of 2 models predict it." in _words(app)
    assert len(_blocks(app, "headline")) == len(_blocks(app, "bars")) == 2
    assert len(_blocks(app, "legend")) == 1
    # what was not an example has no right label
    assert "Gold label:" not in _words(_ask(app, "sentiment", HURRIED))


def test_a_link_holds_texts_models_and_the_number_format(look: Look) -> None:
    first = _choose(_ask(look(tab="sentiment", models=f"{TINY},{MINI}"), "sentiment", HURRIED), "precision", "bfloat16")
    link = _address(first)
    assert link == {"tab": "sentiment", "models": f"{TINY},{MINI}", "t1": HURRIED, "precision": "bfloat16"}
    again = look(**link)
    assert again.text_area(key="pg_sentiment_t1").value == HURRIED
    assert _blocks(again, "bars") == _blocks(first, "bars")
    assert _address(again) == link
    # and what a link brought can be changed
    assert "precision" not in _address(_choose(again, "precision", "float32"))


def test_a_model_that_refuses_a_format_says_why(look: Look) -> None:
    app = look(tab="sentiment", models=f"{TINY},{MINI}", precision="int8")
    assert not app.exception
    assert ["int8 in name only" in element.value for element in app.error] == [True, True]


def test_another_model_goes_on_where_one_refuses(look: Look, tmp_path: Any) -> None:
    number = pair_folder(tmp_path / "pairs")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text((number / "config.json").read_text())
    app = look(tab="nli", models=f"folder:{number},folder:{tmp_path / 'broken'}", t1="The box is red.", t2="It is new.")
    assert not app.exception
    assert len(app.error) == 1
    assert len(_blocks(app, "headline")) == 1


def test_pairs_show_both_texts_by_name(look: Look, tmp_path: Any) -> None:
    app = look(
        tab="nli", models=f"folder:{pair_folder(tmp_path / 'pairs')}", t1="The box is red.", t2="The cup is new."
    )
    assert not app.exception
    shown = _blocks(app, "text")
    assert [(element["label"], element["named"]) for element in shown] == [("Premise", True), ("Hypothesis", True)]
    assert ["".join(piece["t"] for piece in element["pieces"]) for element in shown] == [
        "The box is red.",
        "The cup is new.",
    ]
    assert {row["label"] for row in _blocks(app, "bars")[0]["rows"]} == {"Entailment", "Neutral", "Contradiction"}


def test_a_long_text_is_weighed_on_request(look: Look) -> None:
    """Until then the verdict alone is computed; the address remembers the request, and the next text forgets it."""
    words = " ".join(f"배송은 빨랐는데 {number}번째 컵이 깨져서 실망" for number in range(12))
    app = _ask(look(tab="sentiment", models=TINY), "sentiment", words)
    assert _blocks(app, "headline")
    assert not _blocks(app, "text")
    app.button(key="pg_sentiment_weigh").click().run()
    assert "".join(piece["t"] for piece in _blocks(app, "text")[0]["pieces"]) == words
    link = _address(app)
    assert link["why"] == "1"
    assert link["t1"] == words
    assert len(_blocks(look(**link), "text")) == 1
    _ask(app, "sentiment", f"{words} 끝")
    assert not _blocks(app, "text")
    assert "why" not in _address(app)


def test_other_tabs_keep_what_was_asked_here(look: Look) -> None:
    app = _ask(look(tab="sentiment", models=f"{TINY},{MINI}"), "sentiment", HURRIED)
    _choose(app, "pg_tab", "batch")
    _choose(app, "pg_tab", "sentiment")
    assert app.text_area(key="pg_sentiment_t1").value == HURRIED
    assert app.multiselect(key="pg_sentiment_models").value == [TINY, MINI]
    assert len(_blocks(app, "headline")) == 2


def test_nothing_is_asked_of_an_empty_text(look: Look) -> None:
    app = _ask(look(tab="sentiment", models=TINY), "sentiment", "  ")
    assert "Write a review, or load an example." in [element.value for element in app.info]
    assert not _blocks(app, "headline")
    app.multiselect(key="pg_sentiment_models").set_value([]).run()
    assert "Choose at least one model." in [element.value for element in _ask(app, "sentiment", "별로").info]


def test_the_history_tells_label_probabilities_and_weights(look: Look) -> None:
    app = _ask(look(tab="sentiment", models=TINY), "sentiment", HURRIED)
    expected = json.loads(answers.as_json(app.session_state["pg_history"]))
    assert [element["texts"] for element in expected] == [[samples.samples("sentiment")[0].texts[0]], [HURRIED]]
    (answer,) = expected[1]["answers"]
    assert answer["label"] == "negative"
    assert set(answer["probabilities"]) == {"negative", "positive"}
    assert all(HURRIED[element["start"] : element["end"]] == element["text"] for element in answer["importance"])
    assert f"{'Sentiment'}\\: " in _words(app)
    assert "→ Negative" in _words(app)


def test_a_wrong_label_is_kept(look: Look, board: Store) -> None:
    app = look(tab="sentiment", models=TINY, t1=HURRIED)
    next(element for element in app.button if element.label == "Save the report").click().run()
    assert not app.exception
    (case,) = feedback.cases(board).to_dict("records")
    assert (case["kind"], case["text"], case["answer"], case["right_answer"]) == (
        "sentiment",
        HURRIED,
        "negative",
        "positive",
    )


def test_korean_words(look: Look) -> None:
    app = look(tab="sentiment", models=f"{TINY},{MINI}", lang="ko")
    assert "모든 모델의 판정이 같습니다: **긍정** (2/2)." in _words(app)
    assert _blocks(app, "headline")[0]["text"] == "긍정"
    assert all(row["after"] == "” 없이" for row in _blocks(app, "effects")[0]["rows"])


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
