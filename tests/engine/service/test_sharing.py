"""Badges and the feed of changes over HTTP: cacheable, in both languages, and errors in words."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient

from db.runs.writer import ModelFacts
from db.storage.store import Store
from engine.service import app
from engine.service.settings import Settings
from tests.factories.runs import add_run, add_twin
from tests.factories.service import TOKEN, client, fault

TASK = "reviews-ko-mini"
MODEL = "group/model.v1"


@pytest.fixture
def board(_initialised: Path, tmp_path: Path) -> Store:
    """A board with three runs; a model's name has a slash and a dot."""
    store = Store(Path(shutil.copyfile(_initialised, tmp_path / "board.duckdb")))
    add_twin(store, accuracy=0.80, distilled=False)
    add_twin(store, accuracy=0.85, distilled=True)
    named = ModelFacts("group", MODEL, "KoBiLSTM", "bilstm", {"hidden_dim": 16}, 27_394, "ko")
    add_run(store, accuracy=0.90, name="/home/ann/secret/run", model=named, recipe_hash="other")
    return store


@pytest.fixture
def http(board: Store) -> Iterator[TestClient]:
    """A client of the service; no model is asked."""
    with client(app.create(Settings(warm=()), board)) as made:
        yield made


def test_a_badge_is_a_picture_that_may_be_cached(http: TestClient) -> None:
    """A second request with its tag transfers nothing."""
    reply = http.get(f"/v1/badges/{TASK}/{MODEL}.svg")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "image/svg+xml")
    assert "90.00 ±" in reply.text
    assert MODEL in str(ET.fromstring(reply.text).findtext("{http://www.w3.org/2000/svg}title"))  # noqa: S314
    assert reply.headers["cache-control"] == "public, max-age=300"
    again = http.get(f"/v1/badges/{TASK}/{MODEL}.svg", headers={"If-None-Match": reply.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert "검증됨" in http.get(f"/v1/badges/{TASK}/{MODEL}.svg?lang=ko").text


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        (f"/v1/badges/{TASK}/Nobody.svg", 404, "'Nobody' has no score on the board"),
        (f"/v1/badges/nosuch/{MODEL}.svg", 404, "nosuch"),
        (f"/v1/badges/{TASK}/{'a' * 201}.svg", 422, "200"),
        (f"/v1/badges/{TASK}/{MODEL}.svg?lang=xx", 422, "en"),
    ],
)
def test_what_has_no_badge_is_answered_in_words(http: TestClient, address: str, status: int, words: str) -> None:
    """An unknown model, board or language, or a name that is too long."""
    reply = http.get(address)
    assert reply.status_code == status
    assert words in fault(reply)["message"]


def test_the_feed_lists_new_runs_without_paths(http: TestClient, board: Store) -> None:
    """Each run with its address in the service; a new run is there at the next request."""
    reply = http.get("/v1/changes.atom")
    assert reply.headers["content-type"] == "application/atom+xml"
    entries = ET.fromstring(reply.content).findall("{http://www.w3.org/2005/Atom}entry")  # noqa: S314
    assert len(entries) == 3
    assert "New best score" in reply.text
    assert "/home/ann" not in reply.text
    address = entries[0].find("{http://www.w3.org/2005/Atom}link").get("href")
    assert http.get(f"/v1/{address}").status_code == 200
    add_run(board, accuracy=0.75)
    assert http.get("/v1/changes.atom?lang=ko").text.count("<entry>") == 4


def test_behind_a_token_no_shared_cache_may_store_it(board: Store) -> None:
    """And without the token nothing is shown."""
    with client(app.create(Settings(warm=(), token=TOKEN), board)) as http:
        assert http.get("/v1/changes.atom").status_code == 401
        reply = http.get("/v1/changes.atom", headers={"Authorization": f"Bearer {TOKEN}"})
        assert reply.headers["cache-control"].startswith("private")
