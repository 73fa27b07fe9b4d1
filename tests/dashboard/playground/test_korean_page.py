"""The playground of the Korean page."""

from pathlib import Path

import pytest

from dashboard.playground import engine_bridge
from dashboard.ui import i18n
from engine.inference.models import ModelRef, TaskType
from tests.dashboard.page_driver import visit
from tests.factories.models import span_folder


@pytest.mark.usefixtures("default_board")
def test_it_opens_with_a_korean_model_and_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both come in the page's language, and the model is asked at once."""
    key = f"folder:{span_folder(tmp_path / 'Toy')}"
    languages: list[str] = []

    def default(reads: str, language: str = "") -> str:
        languages.append(language)
        return key

    monkeypatch.setattr("engine.inference.models.default", default)
    app = visit("playground", lang="ko")
    assert set(languages) == {"ko"}
    assert "한국의 수도는?" in [element.value for element in (*app.text_input, *app.text_area)]


@pytest.mark.parametrize(
    ("language", "task", "expected"),
    [("en", "qa", ["english", "korean"]), ("ko", "qa", ["korean"]), ("ko", "sentiment", ["korean"]), ("en", "nli", [])],
)
def test_two_models_answer_an_english_question_where_nobody_chose(
    monkeypatch: pytest.MonkeyPatch, language: str, task: TaskType, expected: list[str]
) -> None:
    """A model of Korean texts reads English ones, but not the other way; runs of the board are left to choose."""
    shipped = [("weak", "en", 0.1), ("korean", "ko", 0.7), ("english", "en", 0.8)] if task == "qa" else []
    shipped += [("small", "ko", 0.6), ("korean", "ko", 0.7)] if task == "sentiment" else []
    refs = [ModelRef(key, key, "shipped", Path(), task, (spoken,), score=score) for key, spoken, score in shipped]
    run = ModelRef("run", "run", "run", Path(), task, (language,), score=0.9)
    monkeypatch.setattr(engine_bridge, "listed", lambda task: [run, *refs])
    monkeypatch.setattr("engine.inference.models.default", lambda task, language: (expected or [""])[0])
    with i18n.speaking(language):
        assert engine_bridge.defaults(task) == expected
