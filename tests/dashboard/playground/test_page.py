"""The playground's page, driven without a browser: what it shows, keeps and says when something is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.playground import engine_bridge, state
from db.base.paths import default_database
from db.runs import feedback
from db.storage.store import Store
from tests.dashboard.page_driver import address, visit
from tests.dashboard.translation import korean
from tests.factories.models import span_folder
from tests.factories.span_qa import as_squad, toy_questions

pytestmark = pytest.mark.usefixtures("default_board")

QUESTION, CONTEXT = "How is the box?", "The box is red. The cup is blue."


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The key of a tiny model."""
    return f"folder:{span_folder(tmp_path_factory.mktemp('page') / 'Spans')}"


@pytest.fixture
def opened(spans: str) -> AppTest:
    """The page with the tiny model, an own question and an own text in its address."""
    return visit("playground", models=spans, t1=QUESTION, t2=CONTEXT)


def _blocks(app: AppTest) -> list[list[dict[str, Any]]]:
    mounted = (json.loads(element.proto.json)["blocks"] for element in app.get("bidi_component"))
    return [blocks for blocks in mounted if blocks[0]["type"] != "edited"]


def _block(app: AppTest, kind: str) -> dict[str, Any]:
    return next(block for block in _blocks(app)[0] if block["type"] == kind)


def _marked(app: AppTest) -> str:
    return "".join(piece["t"] for piece in _block(app, "text")["pieces"] if piece.get("mark") == "answer")


def _whole(app: AppTest) -> str:
    return "".join(piece["t"] for piece in _block(app, "text")["pieces"])


def test_a_link_asks_and_the_answer_is_marked_in_its_text(opened: AppTest) -> None:
    assert not opened.exception
    assert _block(opened, "headline")["text"] == _marked(opened)
    assert _whole(opened) == CONTEXT
    assert len(_block(opened, "list")["rows"]) == 3
    assert opened.text_area(key="pg_qa_t2").value == CONTEXT
    assert any("ms: tokenise" in element.value for element in opened.caption)


def test_asking_again_changes_answer_andaddress(opened: AppTest, spans: str) -> None:
    opened.text_input(key="pg_qa_t1").set_value("How is the cup?")
    opened.text_area(key="pg_qa_t2").set_value("The cup is old.")
    opened.button(key="pg_qa_ask").click().run()
    assert _whole(opened) == "The cup is old."
    assert address(opened)["t1"] == "How is the cup?"
    assert address(opened)["models"] == spans
    again = visit("playground", **address(opened))
    assert _blocks(again) == _blocks(opened)


def test_a_link_holds_texts_up_to_its_limit(opened: AppTest) -> None:
    """A longer text is answered all the same; the page says that its link leaves the field empty."""
    note = "A text of more than 1,000 characters is not part of the link to this page."
    for repeats in (30, 40):
        text = CONTEXT * repeats
        is_linked = len(text) <= state.MAX_LINK_CHARS
        opened.text_area(key="pg_qa_t2").set_value(text)
        opened.button(key="pg_qa_ask").click().run()
        assert _block(opened, "headline")["text"]
        assert (note in [caption.value for caption in opened.caption]) != is_linked
        again = visit("playground", **address(opened))
        assert again.text_input(key="pg_qa_t1").value == QUESTION
        assert again.text_area(key="pg_qa_t2").value == (text if is_linked else "")


def test_a_link_to_a_text_that_was_stored_once_opens_with_its_field_empty(spans: str) -> None:
    """Links of earlier versions name long texts by an id."""
    app = visit("playground", models=spans, t1=QUESTION, k2="abcdefghij")
    assert app.text_input(key="pg_qa_t1").value == QUESTION
    assert app.text_area(key="pg_qa_t2").value == ""
    assert "Write a question and a text, or load an example." in [info.value for info in app.info]


def test_a_threshold_changes_the_verdict_without_asking_again(opened: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_bridge, "predictor", lambda: pytest.fail("the model was asked again"))
    monkeypatch.setattr("dashboard.playground.models.draw_memory", lambda: None)
    opened.slider(key="threshold").set_value(0.0).run()
    assert _block(opened, "headline")["text"] == "No answer in this text"
    assert address(opened)["threshold"] == "0.00"
    assert _marked(opened) == ""


def test_markup_of_strangers_is_only_text(spans: str) -> None:
    """Nothing that was typed is drawn as Markdown or HTML: it goes to the browser as plain text alone."""
    bad = "**bold** <script>alert(1)</script> [link](http://x) $x$ :red[x]"
    app = visit("playground", models=spans, t1=f"How is {bad}?", t2=f"The box is {bad}.")
    assert _whole(app) == f"The box is {bad}."
    shown = [element.value for element in (*app.markdown, *app.caption)]
    assert not any("<script>" in element or "**bold**" in element or "[link](" in element for element in shown)


def test_a_sample_is_asked_at_once(opened: AppTest) -> None:
    opened.selectbox(key="pg_qa_sample").select("revolution").run()
    assert "spinning jenny" in _whole(opened)
    assert address(opened)["ex"] == "revolution"
    assert any("DistilBERT Survey" in element.value for element in opened.caption)


def test_models_side_by_side_tell_whether_they_agree(opened: AppTest, spans: str, tmp_path: Path) -> None:
    other = f"folder:{span_folder(tmp_path / 'Other', seed=3)}"
    app = visit("playground", models=f"{spans},{other}", t1=QUESTION, t2=CONTEXT)
    assert len(_blocks(app)) == 2
    answers = {blocks[0]["text"] for blocks in _blocks(app)}
    value = (
        "All models that answered give the same answer." if len(answers) == 1 else "The models give different answers."
    )
    assert value in [element.value for element in app.caption]


def test_a_model_that_cannot_be_loaded_says_so_and_the_others_answer(
    opened: AppTest, spans: str, tmp_path: Path
) -> None:
    broken = span_folder(tmp_path / "Broken")
    (broken / "model.safetensors").write_bytes(b"x")
    app = visit("playground", models=f"folder:{broken},{spans}", t1=QUESTION, t2=CONTEXT)
    assert len(app.error) == 1
    assert len(_blocks(app)) == 1


@pytest.mark.parametrize(
    "query",
    [
        {"models": "nothing,folder:/nowhere,hub:a/b", "t1": QUESTION, "t2": CONTEXT},
        {"tab": "nonsense", "ex": "nonsense", "precision": "float8", "threshold": "nan", "best": "-3"},
        {"k1": "zzz", "k2": "../../x", "threshold": "1e999", "best": "99999999999"},
        {"t1": "", "t2": ""},
        {"tab": "lab", "formats": "x,y", "calls": "-1"},
        {"tab": "batch", "models": ""},
    ],
)
def test_addresses_with_nonsense_open_the_page(
    spans: str, query: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.inference.models.default", lambda reads, language="": spans)
    app = visit("playground", **query)
    assert app.title[0].value == "Playground"


def test_a_wrong_answer_is_kept_as_an_example(opened: AppTest) -> None:
    form = next(element.key for element in opened.text_input if element.key and element.key.endswith("_right"))
    opened.text_input(key=form).set_value("red")
    next(element for element in opened.button if element.label == "Save the report").click().run()
    assert [element.value for element in opened.success] == [
        "Saved. `featherboard export feedback` exports all reports."
    ]
    (case,) = feedback.cases(Store(default_database())).to_dict("records")
    assert (case["kind"], case["right_answer"], case["right_start"]) == ("qa", "red", 11)
    assert (case["question"], case["context"]) == (QUESTION, CONTEXT)


def test_a_right_answer_that_stands_nowhere_is_told(opened: AppTest) -> None:
    form = next(element.key for element in opened.text_input if element.key and element.key.endswith("_right"))
    opened.text_input(key=form).set_value("purple")
    next(element for element in opened.button if element.label == "Save the report").click().run()
    assert len(opened.error) == 1
    assert feedback.cases(Store(default_database())).empty


def test_the_visit_is_remembered_and_opened_again(opened: AppTest) -> None:
    opened.text_input(key="pg_qa_t1").set_value("How is the cup?")
    opened.button(key="pg_qa_ask").click().run()
    entries = opened.session_state["pg_history"]
    assert [element.texts[0] for element in entries] == [QUESTION, "How is the cup?"]
    opened.button(key="pg_again_1").click().run()
    assert opened.text_input(key="pg_qa_t1").value == QUESTION


def test_a_file_of_questions_is_answered_and_scored(spans: str) -> None:
    app = visit("playground", tab="batch", models=spans)
    app.session_state["pg_file"] = ("toy.json", json.dumps(as_squad(toy_questions(6))).encode())
    app.run()
    assert any("6 questions, 6 with known answers" in element.value for element in app.markdown)
    app.button(key="pg_run").click().run()
    assert not app.exception
    assert len(app.table) == 1
    assert len(app.dataframe[0].value) == 6
    app.session_state["pg_file"] = ("toy.json", b"{")
    app.run()
    assert "not JSON" in app.error[0].value


def test_the_speed_lab_measures_and_keeps(spans: str) -> None:
    app = visit("playground", tab="lab", models=spans, formats="float32,bfloat16", calls="10")
    app.button(key="pg_measure").click().run()
    assert not app.exception
    assert len(app.session_state["pg_lab"]) == 2
    app.text_input(key="pg_device").set_value("A desk")
    next(element for element in app.button if element.label == "Save as measured runs of this device").click().run()
    assert any("2 runs" in element.value for element in app.success)


def test_without_the_engine_the_page_tells_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_bridge, "missing", lambda: ["torch"])
    app = visit("playground")
    assert "pip install" in app.code[0].value
    assert not app.text_area


def test_the_page_speaks_korean(spans: str) -> None:
    app = visit("playground", models=spans, t1=QUESTION, t2=CONTEXT, lang="ko")
    assert app.title[0].value == korean("Playground")
    assert not app.exception


@pytest.mark.parametrize("tab", ["lab", "batch"])
def test_another_tab_keeps_question_and_models(opened: AppTest, spans: str, tmp_path: Path, tab: str) -> None:
    """What was asked and chosen stays while the visitor goes on there, and its link opens the same."""
    other = f"folder:{span_folder(tmp_path / 'Other', seed=3)}"
    app = visit("playground", tab=tab, models=f"{spans},{other}", t1=QUESTION, t2=CONTEXT)
    app.multiselect(key="pg_qa_models").unselect(spans).run()
    app.run()
    assert app.multiselect(key="pg_qa_models").value == [other]
    assert app.session_state["pg_qa_asked"].texts == (QUESTION, CONTEXT)
    assert address(app)["t1"] == QUESTION
    again = visit("playground", **address(app))
    assert again.multiselect(key="pg_qa_models").value == [other]
    assert again.session_state["pg_qa_asked"].texts == (QUESTION, CONTEXT)


def test_a_folder_is_added_by_its_path(opened: AppTest, tmp_path: Path) -> None:
    """One without a model is told, and what was chosen stays."""
    before = list(opened.multiselect(key="pg_qa_models").value)
    opened.text_input(key="pg_folder").set_value(str(tmp_path))
    opened.button(key="pg_qa_add_folder").click().run()
    assert any("holds no model" in element.value.replace("\\", "") for element in opened.error)
    opened.text_input(key="pg_folder").set_value(str(span_folder(tmp_path / "Mine")))
    opened.button(key="pg_qa_add_folder").click().run()
    assert not opened.exception
    assert opened.multiselect(key="pg_qa_models").value == [*before, f"folder:{tmp_path / 'Mine'}"]
    assert len(_blocks(opened)) == 2


def test_a_model_of_the_hub_is_fetched_only_after_its_size_was_told(
    opened: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.inference import hub

    folder, fetched = span_folder(tmp_path / "snapshot"), []
    plan = hub.Plan("owner/name", "c0ffee", (("model.safetensors", 3_000_000),))
    monkeypatch.setattr(hub, "plan", lambda name: plan)
    monkeypatch.setattr(hub, "cached", lambda name: folder if fetched else None)
    monkeypatch.setattr(hub, "fetch", lambda plan_, progress: fetched.append(plan_) or folder)
    opened.text_input(key="pg_hub").set_value("owner/name")
    opened.button(key="pg_qa_look").click().run()
    assert any("3 MB" in element.value.replace("\\", "") for element in opened.markdown)
    assert fetched == []
    opened.button(key="pg_qa_fetch").click().run()
    assert fetched == [plan]
    assert "hub:owner/name" in opened.multiselect(key="pg_qa_models").value
