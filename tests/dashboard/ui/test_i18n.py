"""The board in English and in Korean: no text is missing, and the address keeps the language."""

import re
import string

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_from_file
from babel.messages.pofile import read_po

from dashboard.ui import formatting, i18n
from db.registry.metrics import METRICS
from db.storage.store import Store
from tests import paths
from tests.dashboard.page_driver import open_page

APP = paths.APP
HANGUL = re.compile("[\uac00-\ud7a3]")
KEYWORDS = DEFAULT_KEYWORDS | {"NP_": ((1, "c"), 2)}
PYTHON, REGISTRY = "tests.dashboard.extraction:python", "tests.dashboard.extraction:registry"


def _extracted() -> Catalog:
    """Return every text of the pages, as ``make messages`` finds them."""
    catalog = Catalog()
    for _, _, message, _, context in extract_from_dir(APP.parent, [("**.py", PYTHON)], keywords=KEYWORDS):
        catalog.add(message, context=context)
    for _, message, _, context in extract_from_file(REGISTRY, __file__, KEYWORDS):
        catalog.add(message, context=context)
    return catalog


def _catalogue(language: str) -> Catalog:
    path = APP.parent / "locale" / language / "LC_MESSAGES" / "featherboard.po"
    with path.open("rb") as file:
        return read_po(file, locale=language)


def _keys(catalog: Catalog) -> set[tuple[str | None, str]]:
    return {(message.context, _english(message)) for message in catalog if message.id}


def _english(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[-1]


def _translations(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string)


KOREAN = _catalogue("ko")


def test_every_text_has_an_entry_and_every_entry_a_text() -> None:
    """``make messages`` writes what is missing and takes out what no page says any more."""
    extracted = _extracted()
    assert len(extracted) > 1000
    assert _keys(extracted) - _keys(KOREAN) == set()
    assert _keys(KOREAN) - _keys(extracted) == set()


def test_every_entry_is_translated_for_certain() -> None:
    """An empty translation would show the English text, a fuzzy one a guess."""
    assert [m.id for m in KOREAN if m.id and (m.fuzzy or not all(_translations(m)) or not m.string)] == []
    assert not KOREAN.obsolete


def _fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} if "{" in text else set()


def test_a_translation_has_the_placeholders_of_its_text() -> None:
    """What is filled in while drawing has the same names in every language."""
    differing = [m.id for m in KOREAN if m.id and any(_fields(t) != _fields(_english(m)) for t in _translations(m))]
    assert differing == []


def test_korean_is_korean() -> None:
    """Beyond names and units, every Korean text is written in Hangul."""
    worded = {_english(m): re.sub(r"\{\w*\}", "", " ".join(_translations(m))) for m in KOREAN if m.id}
    same = {text for text, korean in worded.items() if re.search("[A-Za-z]", korean) and not HANGUL.search(korean)}
    names = {metric.label for name, metric in METRICS.items() if name.startswith("glue_")} | {"GLUE", "IMDb", "F1"}
    assert same - names == set()


def test_a_korean_particle_fits_the_word_before_it() -> None:
    """Votes are counted in 건, which ends in a consonant."""
    with i18n.speaking("ko"):
        (template,) = (m.string for m in KOREAN if "{votes}" in str(m.id))
        assert "투표 1건으로 " in str(template).format(votes=i18n.ngettext("{n} vote", "{n} votes", 1))


def test_what_a_run_keeps_in_english_is_worded() -> None:
    """The part of a data set and the threads; one thread is one in English too."""
    assert formatting.stored("AMD EPYC, 1 thread(s)") == "AMD EPYC, 1 thread"
    assert formatting.stored("nsmc (20,000 drawn)") == "nsmc (20,000 drawn)"
    assert formatting.stored(None) is None
    with i18n.speaking("ko"):
        assert formatting.stored("AMD EPYC, 2 thread(s)") == "AMD EPYC, 스레드 2개"
        assert formatting.stored("nsmc (20,000 drawn)") == "nsmc (20,000개 추출)"


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_language_can_be_drawn(language: str) -> None:
    """The switch offers what has a catalogue; the empty text is not the catalogue's header."""
    assert i18n.catalogue(language).gettext("Leaderboard")
    assert i18n._("") == ""


def test_a_link_opens_in_its_language_and_the_switch_is_kept_in_it(board: Store, monkeypatch) -> None:
    """The address decides, and the switch writes what it chose into the address."""
    app = open_page("leaderboard", board, monkeypatch, lang="ko")
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
    app = open_page("leaderboard", board, monkeypatch, lang="tlh")
    assert app.title[0].value.startswith("Is this Korean film review")
