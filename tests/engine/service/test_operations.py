"""What the service tells of itself: its models, whether it is ready, metrics, its description, and routes of others."""

import json
import time
from pathlib import Path

from fastapi import APIRouter, Depends
from fastapi.testclient import TestClient

from db.storage.store import Store
from engine.service import app, state
from engine.service.settings import Settings
from tests.factories.models import TINY
from tests.factories.service import application, client, fault


def test_models_and_memory(asking: TestClient) -> None:
    """The list says what can be asked, which answers by default, and what is loaded."""
    before = asking.get("/v1/models").json()
    assert before["memory"]["models"] == 0
    asking.post("/v1/sentiment", json={"text": "정말 재미있는 영화였다", "model": TINY})
    reply = asking.get("/v1/models").json()
    tiny = next(model for model in reply["models"] if model["key"] == TINY)
    assert [copy["precision"] for copy in tiny["loaded"]] == ["float32"]
    assert reply["memory"]["models"] == 1
    assert reply["memory"]["model_bytes"] == tiny["loaded"][0]["bytes"] == 4 * tiny["params"]
    assert reply["memory"]["process_bytes"] > 10_000_000
    defaults = sorted(model["reads"] for model in reply["models"] if model["default"])
    assert defaults == ["nli", "qa", "qa", "sentiment", "text"]


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
    asking.post("/v1/sentiment", json={"text": "정말 재미있는 영화였다", "model": TINY})
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
