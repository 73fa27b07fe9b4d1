"""The published site: all pages in both languages, no dead link, small, and figures that equal the board's."""

import io
import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from dashboard.site.build import publish
from dashboard.site.links import slugs
from db.leaderboard.board import board
from db.leaderboard.history import MAX_EVENTS
from db.storage.store import Store
from db.submissions import annotate
from tests.factories.rows import change, model_row, run_row, with_tasks

MAX_BYTES = 5_000_000
MODELS, SEEDS = 40, 5


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A board; one of its models has a name that is markup."""
    store = _filled(tmp_path_factory.mktemp("published"), MODELS)
    annotate(store, "00002" + "a" * 27, add=["outlier", "과목-2026"])
    return store


def _filled(folder: Path, size: int) -> Store:
    """A board of some models with five seeds each, on two tasks."""
    store = with_tasks(Store(folder / "board.duckdb"))
    models, runs, metrics = [], [], []
    for number in range(size):
        task, metric = (("nsmc", "accuracy"), ("squad", "f1"))[number % 2]
        name = f"Model-{number}" if number else "<b>Best & [first]</b>"
        models.append(model_row(f"m{number}", name=name, params=1000 * (number + 1)))
        for seed in range(SEEDS):
            run_id = f"{number:04d}{seed}" + "a" * 27
            teacher = f"Model-{size - 1}" if number % 3 == 0 else None
            facts = {"recipe_hash": "r", "dataset_hash": "d", "device": "CPU", "teacher": teacher}
            runs.append(run_row(run_id, model_id=f"m{number}", task_id=task, seed=seed, name=name, **facts))
            score = 0.9 - number / 1000 - seed / 5000
            ends = {"low": score - 0.01, "high": score + 0.01}
            metrics.append({"run_id": run_id, "name": metric, "value": score, "n": 5000, **ends})
            metrics.append(
                {"run_id": run_id, "name": "latency_ms_p50", "value": 0.5, "n": 100, "low": None, "high": None}
            )
    store.write([change("models", *models), change("runs", *runs), change("metrics", *metrics)])
    return store


@pytest.fixture(scope="module")
def site(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That board, published."""
    folder = tmp_path_factory.mktemp("site")
    publish(store, folder)
    return folder


@pytest.mark.slow
def test_a_thousand_runs_stay_below_five_megabytes(tmp_path: Path) -> None:
    """The whole site, both languages and data included."""
    site = tmp_path / "site"
    publish(_filled(tmp_path, 1_000 // SEEDS), site)
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file())
    print(f"{size / 1e6:.2f} MB in {sum(1 for _ in site.rglob('*.html'))} pages")
    assert size < MAX_BYTES


def test_no_link_is_dead_and_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """Every address of every page is a file of the site, from any folder."""
    for page in site.rglob("*.html"):
        for address in re.findall(r'(?:href|src)="([^"#]+)', page.read_text("utf-8")):
            assert "://" not in address, f"{page}: {address}"
            assert (page.parent / unquote(address)).is_file(), f"{page}: {address}"


def test_pages_are_in_both_languages(site: Path) -> None:
    """The Korean page of a board is as deep as the English one, and each names its language."""
    english = {path.relative_to(site) for path in site.rglob("*.html") if "ko" not in path.relative_to(site).parts}
    assert english == {path.relative_to(site / "ko") for path in (site / "ko").rglob("*.html")}
    assert '<html lang="ko">' in (site / "ko/leaderboard/nsmc.html").read_text("utf-8")
    assert "리더보드" in (site / "ko/leaderboard/nsmc.html").read_text("utf-8")


def test_tags_stand_below_names_and_in_the_data(store: Store, site: Path) -> None:
    """Those of any of the runs behind a row."""
    page = (site / "leaderboard/nsmc.html").read_text("utf-8")
    assert '<span class="below"><span class="tag">outlier</span><span class="tag">과목-2026</span></span>' in page
    assert pd.read_json(site / "data/nsmc.json")["tags"].dropna().tolist() == ["outlier 과목-2026"]


def test_ranks_and_scores_are_the_boards(store: Store, site: Path) -> None:
    """The page shows the board's rows in their order, and the data are its stored values."""
    rows = board(store, "nsmc", every_run=False).rows
    page = (site / "leaderboard/nsmc.html").read_text("utf-8")
    shown = re.findall(r'<th scope="row"[^>]*>.*?<a href="[^"]*">([^<]*)</a>', page)
    assert shown[1:] == rows["model"].tolist()[1:]
    data = pd.read_parquet(io.BytesIO((site / "data/nsmc.parquet").read_bytes()))
    assert data["accuracy"].tolist() == rows["score"].tolist()
    assert len(pd.read_json(site / "data/nsmc.json")) == len(rows)


def test_badges_and_feeds_are_xml_in_both_languages(site: Path) -> None:
    """A badge for each model of each board; a feed of the newest runs whose links are files."""
    for folder in (site, site / "ko"):
        pictures = list((folder / "badges").rglob("*.svg"))
        assert len(pictures) == MODELS
        assert all(ET.parse(picture).getroot().tag.endswith("svg") for picture in pictures)  # noqa: S314
        entries = ET.parse(folder / "feed.xml").findall("{http://www.w3.org/2005/Atom}entry")  # noqa: S314
        assert len(entries) == MAX_EVENTS
        for entry in entries:
            assert (folder / str(entry.find("{http://www.w3.org/2005/Atom}link").get("href"))).is_file()
    assert "badges/nsmc/model-2.svg" in (site / "model/model-2.html").read_text("utf-8")


def test_names_from_outside_are_text(site: Path) -> None:
    """A name that is markup is shown as it is written."""
    page = (site / "index.html").read_text("utf-8")
    assert "&lt;b&gt;Best &amp; [first]&lt;/b&gt;" in page
    assert "<b>Best" not in page


def test_file_names_are_plain_and_differ() -> None:
    """Names that differ in signs alone get files of their own."""
    made = slugs(["A b", "a-b", "한국어", "中文", "../x"])
    assert made == {"A b": "a-b", "a-b": "a-b-2", "한국어": "model", "中文": "model-2", "../x": "x"}
