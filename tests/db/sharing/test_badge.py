"""Badges: what they say, that they are well-formed, and how wide they are."""

from xml.etree import ElementTree as ET

import pytest

from db.base.errors import NotFoundError
from db.leaderboard.board import Board, board
from db.sharing.badge import badge, width
from db.storage.store import Store
from tests.factories.rows import change, model_row, run_row, with_tasks

SVG = "{http://www.w3.org/2000/svg}"
MARKUP = '</text><script>"&\x01'
MODELS = (("Best", "measured", True), ("Plain", "measured", False), ("Printed", "reported", False))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """A board of a verified, an unverified and a printed score, and a model whose name is markup."""
    store = with_tasks(Store(tmp_path_factory.mktemp("badges") / "board.duckdb"))
    rows = [*MODELS, (MARKUP, "measured", False)]
    store.write(
        [
            change("models", *(model_row(f"m{n}", name=name) for n, (name, _, _) in enumerate(rows))),
            change(
                "runs",
                *(
                    run_row(f"run-{n:08d}", model_id=f"m{n}", source=source, verified=verified)
                    for n, (_, source, verified) in enumerate(rows)
                ),
            ),
            change(
                "metrics",
                *(
                    {
                        "run_id": f"run-{n:08d}",
                        "name": "accuracy",
                        "value": 0.87892,
                        "n": 50_000,
                        "low": None if source == "reported" else 0.8760,
                        "high": None if source == "reported" else 0.8817,
                    }
                    for n, (_, source, _) in enumerate(rows)
                ),
            ),
        ]
    )
    return board(store, "nsmc", every_run=False)


@pytest.mark.parametrize(
    ("model", "language", "message"),
    [
        ("Best", "en", "87.89 ± 0.3, verified"),
        ("Plain", "en", "87.89 ± 0.3"),
        ("Printed", "en", "87.89, reported"),
        ("Best", "ko", "87.89 ± 0.3, 검증됨"),
    ],
)
def test_a_badge_says_score_interval_and_source(shown: Board, model: str, language: str, message: str) -> None:
    """Half of the interval stands behind the score; a printed figure is called reported."""
    made = badge(shown, model, language)
    assert made.message == message
    tree = ET.fromstring(made.svg)  # noqa: S314 - made by this test
    assert [text.text for text in tree.iter(f"{SVG}text")] == ["NSMC", message]
    assert tree.findtext(f"{SVG}title") == made.title
    assert model in made.title
    assert tree.get("aria-labelledby") == "t"
    assert "http" not in made.svg.replace("http://www.w3.org/2000/svg", "")


def test_a_name_that_is_markup_is_text(shown: Board) -> None:
    """It stays inside the title, and a control character, which XML cannot hold, is replaced."""
    tree = ET.fromstring(badge(shown, MARKUP).svg)  # noqa: S314 - made by this test
    assert not list(tree.iter(f"{SVG}script"))
    assert MARKUP.replace("\x01", "\ufffd") in str(tree.findtext(f"{SVG}title"))


def test_a_model_without_a_score_is_named(shown: Board) -> None:
    """The message has the model and the board."""
    with pytest.raises(NotFoundError, match="'Nobody' has no score on the board nsmc"):
        badge(shown, "Nobody")


def test_hangul_is_wider_than_latin_and_marks_have_no_width() -> None:
    """A syllable fills its square; a decomposed letter is no wider than the composed one."""
    assert width("검증됨") > 1.4 * width("abc")
    assert width("iii") < width("abc") < width("MMM")
    assert width("e\u0301") == width("e")
