"""Runs handed in over HTTP: as fields and as files, refused in words, and told of by their secret."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from db import submissions
from db.runs import bundles
from db.storage.store import Store
from engine.service import app
from engine.service.settings import Settings
from tests.factories.rows import whole_run
from tests.factories.service import client, fault

TASK = "reviews-ko-mini"
DRAFT: dict[str, Any] = {"task": TASK, "model": "Mine", "metrics": {"accuracy": 0.75}, "params": 1000}
TOKEN = "a-token-of-the-tests"  # noqa: S105 - of the tests alone


@pytest.fixture
def asking(board: Store) -> Iterator[TestClient]:
    with client(app.create(Settings(warm=()), board)) as http:
        yield http


def _runs(board: Store) -> int:
    return int(board.query("SELECT count(*) AS n FROM runs")["n"].iloc[0])


def test_a_run_waits_until_it_is_decided_on(asking: TestClient, board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _runs(board)
    answer = asking.post("/v1/submissions", json={"drafts": [DRAFT]})
    assert answer.status_code == 202, answer.text
    reply = answer.json()
    assert _runs(board) == before
    (row,) = asking.get("/v1/submissions/status", headers={"Submission-Secret": reply["secret"]}).json()["rows"]
    assert (row["submission"], row["state"], row["model"]) == (reply["submissions"][0], "waiting", "Mine")
    monkeypatch.setenv("FEATHERBOARD_MODERATOR_TOKEN", TOKEN)
    submissions.reject(board, reply["submissions"][0], "No split is named.")
    (row,) = asking.get("/v1/submissions/status", headers={"Submission-Secret": reply["secret"]}).json()["rows"]
    assert (row["state"], row["reason"]) == ("rejected", "No split is named.")


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        ({**DRAFT, "metrics": {"accuracy": 87.8}}, "metrics"),
        ({**DRAFT, "task": "nothing"}, "task"),
        ({"task": TASK}, "model"),
        ({**DRAFT, "params": -1}, "params"),
        ({**DRAFT, "colour": "red"}, "colour"),
        ({**DRAFT, "link": "javascript:alert(1)"}, "link"),
    ],
)
def test_what_is_wrong_is_told_by_its_field(asking: TestClient, draft: dict[str, Any], field: str) -> None:
    answer = asking.post("/v1/submissions", json={"drafts": [draft]})
    assert answer.status_code == 422
    reply = fault(answer)
    assert reply["code"] == "not_taken"
    assert reply["field"].startswith("drafts.0.")
    assert field in reply["field"]
    assert "Nothing was saved" in reply["message"]


def test_files_are_read_as_they_are(asking: TestClient, board: Store) -> None:
    """What no file says is given beside them; what was not used is told."""
    results = json.dumps({"eval_accuracy": 0.75, "eval_loss": 0.5, "eval_samples_per_second": 12.5})
    answer = asking.post(
        "/v1/submissions",
        json={
            "files": [{"name": "all_results.json", "text": results}],
            "given": {"task": TASK, "model": "From a file"},
        },
    )
    assert answer.status_code == 202, answer.text
    (row,) = asking.get("/v1/submissions/status", headers={"Submission-Secret": answer.json()["secret"]}).json()["rows"]
    assert row["model"] == "From a file"


def test_files_that_cannot_be_read_are_told(asking: TestClient) -> None:
    for file, word in (
        ({"name": "x.json", "text": "{"}, "x.json"),
        ({"name": "x.zip", "base64": "!!"}, "base64"),
        ({"name": "weights.bin", "base64": base64.b64encode(b"\x80\x04.").decode()}, "weights.bin"),
    ):
        answer = asking.post("/v1/submissions", json={"files": [file], "given": {"task": TASK, "model": "x"}})
        assert answer.status_code == 422
        assert word in fault(answer)["message"]


def test_predictions_come_with_the_only_draft(asking: TestClient, board: Store) -> None:
    rows = [{"example_id": f"test-{index}", "predicted": "positive", "score": 0.9} for index in range(3)]
    answer = asking.post("/v1/submissions", json={"drafts": [DRAFT], "predictions": rows})
    assert answer.status_code == 202, answer.text
    counted = board.query("SELECT count(*) AS n FROM submission_predictions")
    assert int(counted["n"].iloc[0]) == 3


def test_too_many_are_sent_away_until_later(asking: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = [
        asking.post("/v1/submissions", json={"drafts": [{**DRAFT, "model": f"M{index}"}]}).status_code
        for index in range(12)
    ]
    assert codes[0] == 202
    assert codes[-1] == 429


def test_a_secret_of_nothing_opens_nothing(asking: TestClient) -> None:
    assert asking.get("/v1/submissions/status", headers={"Submission-Secret": "x" * 40}).status_code == 404
    assert asking.get("/v1/submissions/status").status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        b'{"drafts": [{"task": "a", "task": "b"}]}',
        b'{"drafts": [{"params": NaN}]}',
        b'{"drafts": [{"params": 1e400}]}',
        b'{"drafts": "x"}',
        b'{"drafts": [1]}',
        b"\xff\xfe{}",
        b'{"drafts": [' + b"[" * 40 + b"]" * 40 + b"]}",
        b'{"files": [{"name": "x"}]}',
        b'{"drafts": [{}], "files": [{"name": "x", "text": "{}"}]}',
    ],
)
def test_hostile_bodies_are_told(asking: TestClient, body: bytes) -> None:
    answer = asking.post("/v1/submissions", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert fault(answer)["message"]


def test_only_named_machines_send_runs(board: Store, store: Store) -> None:
    """Without a token nobody does, not even from this machine; the service's own token only reads."""
    board.write(whole_run("first-run"))
    content, _ = bundles.bundle(board, ["first-run"])
    kind = {"content-type": "application/zip"}
    with client(app.create(Settings(warm=()), board)) as asking:
        got = asking.post("/v1/bundles", content=content, headers=kind)
        assert (got.status_code, fault(got)["code"]) == (401, "unauthorized")
    Path(store.path).write_bytes(board.path.read_bytes())
    with store.transaction() as con:
        for table in ("metrics", "curves", "predictions", "artifacts", "runs"):
            con.execute(f"DELETE FROM {table} WHERE run_id = 'first-run'")
    settings = Settings(warm=(), token="x" * 20, senders={"pi5": TOKEN})
    with client(app.create(settings, store)) as asking:
        for token, status in (("x" * 20, 403), ("y" * 20, 401), (TOKEN, 200), (TOKEN, 200)):
            got = asking.post("/v1/bundles", content=content, headers={**kind, "authorization": f"Bearer {token}"})
            assert got.status_code == status, got.text
        assert got.json() == {"added": 0, "updated": 0, "unchanged": 1, "note": "", "refused": 0}
        headers = {"authorization": f"Bearer {TOKEN}"}
        assert asking.get("/v1/tasks", headers=headers).status_code == 200
        for broken, kind_, status in ((b"no zip", "application/zip", 422), (content, "application/json", 415)):
            got = asking.post("/v1/bundles", content=broken, headers={**headers, "content-type": kind_})
            assert got.status_code == status
            assert "first-run" not in got.text
