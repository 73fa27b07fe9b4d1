"""What a visitor sees who compares runs: the marks, the verdict, an address that holds the view."""

import re

import pytest
from playwright.sync_api import Page, expect

from db.runs.writer import ModelFacts
from tests.browser.conftest import Board
from tests.db.leaderboard.test_seed_groups import add_seeds
from tests.factories.runs import add_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def birds(served: Board) -> list[str]:
    """Three runs on a board that no other browser test looks at."""
    scores = {"Lark": 0.74, "Heron": 0.61, "Kestrel": 0.53}
    return [
        add_run(
            served.store,
            accuracy=score,
            name=name,
            task_id="nli-en-mini",
            dataset="nli-en-mini",
            model=ModelFacts(name, name, "BiLSTM", "bilstm", {}, 27_394, "en"),
        )
        for name, score in scores.items()
    ]


def test_runs_are_compared_and_the_address_keeps_the_view(served: Board, birds: list[str], page: Page) -> None:
    """Letters mark the runs, the sentence names the better one, and reloading opens the same view."""
    page.goto(f"{served.url}/compare?runs={birds[0][:12]},{birds[1]}")
    expect(page.get_by_role("heading", name="Lark against Heron")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("is better than")).to_be_visible(timeout=30_000)
    for letter in "AB":
        expect(page.locator('[data-testid="stHtml"]').get_by_text(letter, exact=True)).to_be_visible()
    page.get_by_role("radio", name="Curves").click()
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=30_000)
    expect(page).to_have_url(re.compile("view=curves"))
    page.reload()
    expect(page.locator(".js-plotly-plot").first.locator(".scatterlayer .trace")).to_have_count(2)


def test_a_run_is_added_by_its_name(served: Board, birds: list[str], page: Page) -> None:
    """Typing finds it, and the address then names three."""
    page.goto(f"{served.url}/compare?runs={birds[0]},{birds[1]}")
    # What opens while the page is still being drawn is closed again when the rest of it comes.
    expect(page.get_by_role("radio", name="Metrics")).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.get_by_role("button", name="Add or remove runs").click()
    page.locator('[data-testid="stMultiSelect"] input').fill("Kestrel")
    option = page.get_by_role("option").first
    expect(option).to_contain_text("Kestrel")  # the list is filtered a moment later
    option.click()
    expect(page.get_by_role("heading", name="3 runs side by side")).to_be_visible(timeout=30_000)
    expect(page).to_have_url(re.compile(birds[2][:12]))


def test_a_telephone_does_not_scroll_sideways(served: Board, birds: list[str], page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served.url}/compare?runs={','.join(birds)}&lang=ko")
    expect(page.locator('[data-testid="stTable"]').first).to_be_visible(timeout=30_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.fixture(scope="module")
def means(served: Board) -> list[str]:
    """The ids of the median seeds of two models, on a board that no other browser test looks at."""
    return [
        add_seeds(served.store, name, scores, task_id="topics-ko-mini", dataset="topics-ko-mini")[1]
        for name, scores in {"Owl": (0.70, 0.71, 0.72), "Finch": (0.60, 0.61, 0.62)}.items()
    ]


@pytest.mark.parametrize("view", ["Settings", "Examples", "Agreement", "Curves"])
def test_means_over_seeds_stay_compared_in_every_view_and_on_the_way_back(
    served: Board, means: list[str], page: Page, view: str
) -> None:
    """The button compares models, not seeds of one; one step back leads to the view before."""
    page.goto(f"{served.url}/compare?board=topics-ko-mini")
    page.get_by_role("button", name="Compare the best 2 models").click()
    title = page.get_by_role("heading", name="Owl, mean of 3 seeds against Finch, mean of 3 seeds")
    expect(title).to_be_visible(timeout=30_000)
    address = re.compile("(,|%2C)".join(f"mean-{run[:12]}" for run in means))
    expect(page).to_have_url(address)
    page.get_by_role("radio", name=view).click()
    expect(page).to_have_url(re.compile(f"view={view.lower()}"))
    expect(page).to_have_url(address)
    expect(page.get_by_role("radio", name=view)).to_be_checked()
    expect(title).to_be_visible()
    page.go_back()
    expect(page).not_to_have_url(re.compile("view="))
    expect(title).to_be_visible()
    expect(page.get_by_role("radio", name="Metrics")).to_be_checked(timeout=30_000)


def test_rows_of_the_leaderboard_are_compared_as_means(served: Board, means: list[str], page: Page) -> None:
    """What the table shows as one row is compared as one."""
    page.goto(f"{served.url}/leaderboard?task=topics-ko-mini")
    for name in ("Owl", "Finch"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    page.get_by_role("link", name="Compare 2 runs").click()
    expect(page.get_by_role("heading", name="Owl, mean of 3 seeds against")).to_be_visible(timeout=30_000)


@pytest.mark.parametrize("view", ["Settings", "Examples"])
def test_the_best_runs_stay_compared_in_every_view(served: Board, birds: list[str], page: Page, view: str) -> None:
    """A comparison that a button opened is not lost with the next click."""
    page.goto(f"{served.url}/compare?board=nli-en-mini")
    page.get_by_role("button", name="Compare the best 3").click()
    expect(page.get_by_role("heading", name="3 runs side by side")).to_be_visible()
    page.get_by_role("radio", name=view).click()
    expect(page).to_have_url(re.compile("runs=.*view=" if view != "Examples" else "runs="))
    expect(page.get_by_role("heading", name="3 runs side by side")).to_be_visible()
    expect(page.get_by_role("radio", name=view)).to_be_checked()
