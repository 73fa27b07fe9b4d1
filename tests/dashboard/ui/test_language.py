"""The board in English and in Korean: no text is missing, and the address keeps the language."""

import re
import string
from types import ModuleType
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.ui import language, text
from dashboard.ui.texts import en, ko
from db.registry.metrics import METRICS
from db.registry.tasks import TASKS
from db.storage.store import Store
from tests import paths

APP = paths.APP
HANGUL = re.compile("[\uac00-\ud7a3]")
_SAME_EVERYWHERE = {"APP", "VERIFIED_MARK", "EMPTY_BOARD_COMMANDS", "DEVICES_EMPTY_COMMANDS", "DEVICES_A", "RUN_RANGE"}


def _texts(module: ModuleType) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if name.isupper() and not name.startswith("_")}


def _leaves(value: Any, path: str = "") -> dict[str, str]:
    """Every sentence of a text, by where it stands."""
    if isinstance(value, str):
        return {path: value}
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return {where: leaf for key, part in parts for where, leaf in _leaves(part, f"{path}/{key}").items()}


ENGLISH, KOREAN = (_leaves(_texts(module)) for module in (en, ko))


def test_both_languages_have_the_same_texts() -> None:
    """A text that one language has and another lacks would end a page."""
    assert ENGLISH.keys() - KOREAN.keys() == set()
    assert KOREAN.keys() - ENGLISH.keys() == set()


def _places(told: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(told) if name} if "{" in told else set()


def test_a_text_has_the_same_places_in_both_languages() -> None:
    """What is filled in while drawing has the same names in every language."""
    differing = {where for where in ENGLISH.keys() & KOREAN.keys() if _places(ENGLISH[where]) != _places(KOREAN[where])}
    assert differing == set()


def test_korean_is_korean() -> None:
    """Beyond names, units, commands and marks, every Korean text is written in Hangul."""
    worded = {where: re.sub(r"\{\w*\}", "", told) for where, told in KOREAN.items()}
    same = {where for where, told in worded.items() if re.search("[A-Za-z]", told) and not HANGUL.search(told)}
    names = {"/METRICS/f1/0", "/TASKS/glue/0", "/TASKS/imdb/0"}
    named = {where for where in same if where.split("/")[1] in _SAME_EVERYWHERE or where in names}
    named |= {where for where in same if where.startswith("/BOARD_UNITS/")}
    glue = {where for where in same if where.startswith("/METRICS/glue_") and where.endswith("/0")}
    assert same - named - glue == set()


def test_every_task_and_metric_has_its_words() -> None:
    """What the store names in English is named in every language."""
    for module in (en, ko):
        assert set(module.TASKS) == {task.task_id for task in TASKS}
        assert set(module.METRICS) == set(METRICS)


def test_every_text_that_a_page_reads_exists() -> None:
    """A misspelt name would be seen by a visitor first: the texts are looked up when a page is drawn."""
    used = {
        (path.name, name)
        for path in APP.parent.rglob("*.py")
        if path.name != "text.py"  # which tells of them all
        for name in re.findall(r"\btext\.([A-Z][A-Z0-9_]*)", path.read_text("utf-8"))
    }
    assert used
    assert {(file, name) for file, name in used if not hasattr(en, name)} == set()


def test_every_language_has_a_module() -> None:
    """The switch offers what can be drawn."""
    assert set(text.MODULES) == set(language.NAMES)


def _open(board: Store, monkeypatch: pytest.MonkeyPatch, **query: str) -> AppTest:
    monkeypatch.setenv("FEATHERBOARD_DB", str(board.path))
    app = AppTest.from_file(str(APP), default_timeout=30)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def test_a_link_opens_in_its_language_and_the_switch_is_kept_in_it(board: Store, monkeypatch) -> None:
    """The address decides, and the switch writes what it chose into the address."""
    app = _open(board, monkeypatch, lang="ko")
    assert app.title[0].value.startswith("이 한국어 영화평은")
    switch = app.button_group(key="lang")
    switch.set_value("en").run()
    assert app.title[0].value.startswith("Is this Korean film review")
    assert "lang" not in app.query_params
    app.button_group(key="lang").set_value("ko").run()
    assert app.query_params["lang"] in ("ko", ["ko"])
    assert app.title[0].value.startswith("이 한국어 영화평은")


def test_a_language_that_nobody_wrote_falls_back_to_the_browsers(board: Store, monkeypatch) -> None:
    """A made-up code in the address is no error."""
    app = _open(board, monkeypatch, lang="tlh")
    assert not app.exception
    assert app.title[0].value.startswith("Is this Korean film review")
