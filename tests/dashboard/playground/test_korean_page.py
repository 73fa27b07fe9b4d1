"""The playground of the Korean page."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from db.base.paths import default_database
from db.bootstrap.create import initialise
from db.storage.store import Store
from tests.factories.models import span_folder
from tests.paths import APP


def test_it_opens_with_a_korean_model_and_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both come in the page's language, and the model is asked at once."""
    key = f"folder:{span_folder(tmp_path / 'Toy')}"
    initialise(Store(default_database()))
    languages: list[str] = []

    def default(reads: str, language: str = "") -> str:
        languages.append(language)
        return key

    monkeypatch.setattr("engine.inference.models.default", default)
    app = AppTest.from_file(str(APP), default_timeout=300)
    app.query_params["lang"] = "ko"
    app.switch_page("views/playground.py").run()
    assert not app.exception
    assert set(languages) == {"ko"}
    assert "한국의 수도는?" in [element.value for element in (*app.text_input, *app.text_area)]
