"""The tabs of sentiment and inference, driven without a browser."""

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.playground import answers
from db.registry import tasks
from db.runs import feedback
from db.storage.store import Store
from engine.inference import samples
from tests.dashboard.page_driver import Look, address, words_of
from tests.factories.models import TINY, pair_folder

MINI = "distilkobilstm-mini"
HURRIED = "이영화진짜재미없음ㅋㅋㅋ배우들은연기잘하는데ㅠㅠ스토리가별로👨‍👩‍👧‍👦😡"


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


def _choose(app: AppTest, key: str, value: str) -> AppTest:
    return next(element for element in app.get("button_group") if element.key == key).set_value(value).run()


def test_the_tab_answers_the_first_example_by_itself(look: Look) -> None:
    """Verdict, all probabilities, the marked text, what matters most, the right label."""
    app = look("playground", tab="sentiment", models=TINY)
    shown = _blocks(app, "headline")[0]
    assert shown["text"] in ("Negative", "Positive")
    (bars,) = _blocks(app, "bars")
    assert [row["label"] for row in bars["rows"]] == ["Negative", "Positive"]
    assert sum(row["share"] for row in bars["rows"]) == pytest.approx(1)
    assert [row["label"] for row in bars["rows"] if row["strong"]] == [shown["text"]]
    assert "Correct: Positive" in words_of(app)
    assert _blocks(app, "effects")[0]["rows"]
    assert address(app) == {"tab": "sentiment", "models": TINY}


def test_an_edited_text_marks_the_answer_as_old(look: Look) -> None:
    """The old answer stays until the visitor asks again; what the browser compares the field with is what was asked."""
    app = look("playground", tab="sentiment", models=TINY)
    before = _blocks(app, "bars")
    before_edit = _blocks(app, "edited")
    assert before_edit[0]["text"] == "These answers belong to the text before your edit. Ask again."
    assert before_edit[0]["fields"] == [["pg_sentiment_t1", app.text_area(key="pg_sentiment_t1").value]]
    app.text_area(key="pg_sentiment_t1").set_value(HURRIED).run()
    assert _blocks(app, "edited") == before_edit
    assert _blocks(app, "bars") == before
    _ask(app, "sentiment", HURRIED)
    assert _blocks(app, "edited")[0]["fields"] == [["pg_sentiment_t1", HURRIED]]
    assert _blocks(app, "bars") != before


def test_headlines_get_a_topic(look: Look) -> None:
    """The labels of the model's own task, in the page's language; the report keeps a headline with its right topic."""
    app = look("playground", tab="text", lang="ko")
    (bars,) = _blocks(app, "bars")
    assert [row["label"] for row in bars["rows"]] == list(tasks.by_id("ynat").korean.labels)
    assert address(app)["tab"] == "text"
    app = _ask(look("playground", tab="text"), "text", "코스피 사흘째 상승 마감")
    assert _blocks(app, "headline")[0]["text"] == "economy"
    next(button for button in app.button if button.label == "Save the report").click().run()
    (case,) = feedback.cases(Store(Path(os.environ["FEATHERBOARD_DB"]))).to_dict("records")
    assert (case["kind"], case["text"], case["answer"]) == ("text", "코스피 사흘째 상승 마감", "economy")


def test_the_pieces_of_a_text_are_the_text(look: Look) -> None:
    """Korean without spaces, jamo, a family of four code points and joiners: nothing is lost, nothing is cut apart."""
    for words in (HURRIED, unicodedata.normalize("NFD", "정말 재미없는 영화였어요ㅠㅠ"), "line\n\n  two 별로"):
        app = look("playground", tab="sentiment", models=TINY, t1=words)
        (shown,) = _blocks(app, "text")
        assert "".join(piece["t"] for piece in shown["pieces"]) == words
        marks = [piece for piece in shown["pieces"] if piece.get("mark")]
        assert marks
        assert all(piece["title"] for piece in marks)
        assert not any(piece["t"].startswith(("\u200d", "\u1161", "\u11ab")) for piece in shown["pieces"])


def test_markup_in_a_text_is_text(look: Look) -> None:
    words = "<b>별로</b><script>alert(1)</script> :red[재미없다] $x$ **지루**"
    app = look("playground", tab="sentiment", models=f"{TINY},{MINI}", t1=words)
    assert all("".join(piece["t"] for piece in element["pieces"]) == words for element in _blocks(app, "text"))
    assert ":red[" not in words_of(app).replace("\\[", "")


def test_several_models_say_whether_they_agree(look: Look) -> None:
    app = look("playground", tab="sentiment", models=f"{TINY},{MINI}")
    assert "The models agree: **Positive** (2 of 2). Gold label: Positive; 2 of 2 models predict it." in words_of(app)
    assert len(_blocks(app, "headline")) == len(_blocks(app, "bars")) == 2
    assert len(_blocks(app, "legend")) == 1
    # what was not an example has no right label
    assert "Gold label:" not in words_of(_ask(app, "sentiment", HURRIED))


def test_a_link_holds_texts_models_and_the_number_format(look: Look) -> None:
    first = _choose(
        _ask(look("playground", tab="sentiment", models=f"{TINY},{MINI}"), "sentiment", HURRIED),
        "precision",
        "bfloat16",
    )
    link = address(first)
    assert link == {"tab": "sentiment", "models": f"{TINY},{MINI}", "t1": HURRIED, "precision": "bfloat16"}
    again = look("playground", **link)
    assert again.text_area(key="pg_sentiment_t1").value == HURRIED
    assert _blocks(again, "bars") == _blocks(first, "bars")
    assert address(again) == link
    # and what a link brought can be changed
    assert "precision" not in address(_choose(again, "precision", "float32"))


def test_a_model_that_refuses_a_format_says_why(look: Look) -> None:
    app = look("playground", tab="sentiment", models=f"{TINY},{MINI}", precision="int8")
    assert ["int8 in name only" in element.value for element in app.error] == [True, True]


def test_another_model_goes_on_where_one_refuses(look: Look, tmp_path: Any) -> None:
    number = pair_folder(tmp_path / "pairs")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text((number / "config.json").read_text())
    app = look(
        "playground",
        tab="nli",
        models=f"folder:{number},folder:{tmp_path / 'broken'}",
        t1="The box is red.",
        t2="It is new.",
    )
    assert len(app.error) == 1
    assert len(_blocks(app, "headline")) == 1


def test_pairs_show_both_texts_by_name(look: Look, tmp_path: Any) -> None:
    app = look(
        "playground",
        tab="nli",
        models=f"folder:{pair_folder(tmp_path / 'pairs')}",
        t1="The box is red.",
        t2="The cup is new.",
    )
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
    app = _ask(look("playground", tab="sentiment", models=TINY), "sentiment", words)
    assert _blocks(app, "headline")
    assert not _blocks(app, "text")
    app.button(key="pg_sentiment_weigh").click().run()
    assert "".join(piece["t"] for piece in _blocks(app, "text")[0]["pieces"]) == words
    link = address(app)
    assert link["why"] == "1"
    assert link["t1"] == words
    assert len(_blocks(look("playground", **link), "text")) == 1
    _ask(app, "sentiment", f"{words} 끝")
    assert not _blocks(app, "text")
    assert "why" not in address(app)


def test_other_tabs_keep_what_was_asked_here(look: Look) -> None:
    app = _ask(look("playground", tab="sentiment", models=f"{TINY},{MINI}"), "sentiment", HURRIED)
    _choose(app, "pg_tab", "batch")
    _choose(app, "pg_tab", "sentiment")
    assert app.text_area(key="pg_sentiment_t1").value == HURRIED
    assert app.multiselect(key="pg_sentiment_models").value == [TINY, MINI]
    assert len(_blocks(app, "headline")) == 2


def test_nothing_is_asked_of_an_empty_text(look: Look) -> None:
    app = _ask(look("playground", tab="sentiment", models=TINY), "sentiment", "  ")
    assert "Write a review, or load an example." in [element.value for element in app.info]
    assert not _blocks(app, "headline")
    app.multiselect(key="pg_sentiment_models").set_value([]).run()
    assert "Choose at least one model." in [element.value for element in _ask(app, "sentiment", "별로").info]


def test_the_history_tells_label_probabilities_and_weights(look: Look) -> None:
    app = _ask(look("playground", tab="sentiment", models=TINY), "sentiment", HURRIED)
    expected = json.loads(answers.as_json(app.session_state["pg_history"]))
    assert [element["texts"] for element in expected] == [[samples.samples("sentiment")[0].texts[0]], [HURRIED]]
    (answer,) = expected[1]["answers"]
    assert answer["label"] == "negative"
    assert set(answer["probabilities"]) == {"negative", "positive"}
    assert all(HURRIED[element["start"] : element["end"]] == element["text"] for element in answer["importance"])
    assert f"{'Sentiment'}\\: " in words_of(app)
    assert "→ Negative" in words_of(app)


def test_a_wrong_label_is_kept(look: Look, board: Store) -> None:
    app = look("playground", tab="sentiment", models=TINY, t1=HURRIED)
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
    app = look("playground", tab="sentiment", models=f"{TINY},{MINI}", lang="ko")
    assert "모든 모델의 판정이 같습니다: **긍정** (2/2)." in words_of(app)
    assert _blocks(app, "headline")[0]["text"] == "긍정"
    assert all(row["after"] == "” 없이" for row in _blocks(app, "effects")[0]["rows"])
