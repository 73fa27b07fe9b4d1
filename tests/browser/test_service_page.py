"""The page of the HTTP service's description, in a browser without a network."""

from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Page, expect

from db.storage.store import Store
from tests.factories import service

pytestmark = pytest.mark.browser


def test_the_description_is_drawn_and_can_be_tried(page: Page, board: Store) -> None:
    """All operations are shown, nothing comes from elsewhere or is refused by the policy, a request is answered."""
    with service.served(Path(board.path), "--warm", "sentiment") as (address, _):
        service.ready(address)
        messages: list[str] = []
        requested: list[str] = []
        page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: requested.append(request.url))
        page.goto(f"{address}/docs")
        description = httpx2.get(f"{address}/openapi.json").json()
        operations = [operation for path in description["paths"].values() for operation in path]
        expect(page.locator(".opblock")).to_have_count(len(operations))
        expect(page.locator(".opblock-summary-path").first).to_be_visible()
        health = page.locator("#operations-service-healthz")
        for part in (".opblock-summary", ".try-out__btn", ".execute"):
            health.locator(part).click()
        expect(health.locator(".live-responses-table tbody .response-col_status")).to_contain_text("200")
        assert not [line for line in messages if "Content Security Policy" in line], messages
        assert all(url.startswith((address, "data:")) for url in requested), requested
        assert description["info"]["title"] == "Featherboard"
