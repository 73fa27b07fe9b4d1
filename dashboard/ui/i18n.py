"""The texts of the pages in the visitor's language, by gettext.

English stands in the code, Korean in ``dashboard/locale/ko``. ``N_`` marks a text in a constant, which ``_`` or
``translated`` translates where it is shown: a text translated at import would keep the language of the first visitor.
"""

import functools
import gettext as gettext_module
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import resources
from typing import TypeVar, cast

import streamlit as st
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LANGUAGES = {"en": "English", "ko": "한국어"}
"""What each language calls itself, by its ISO 639-1 code."""

DEFAULT = "en"
_KEY = "lang"
_CONTEXT = "\x04"  # between the context of a message and its text, as in a catalogue

T = TypeVar("T")


@functools.cache
def catalogue(language: str) -> gettext_module.NullTranslations:
    """Return the translations into a language.

    The ``.po`` file itself is read, once a process: a compiled ``.mo`` would need a build step for a checkout and for
    ``pip install``, to save a moment.
    """
    if language == DEFAULT:
        return gettext_module.NullTranslations()
    compiled = io.BytesIO()
    path = resources.files("dashboard") / "locale" / language / "LC_MESSAGES" / "featherboard.po"
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext_module.GNUTranslations(compiled)


def N_(message: str) -> str:
    """Mark a text of a constant for translation, and return it as it is."""
    return message


def NP_(context: str, message: str) -> str:
    """Mark a text of a constant whose translation depends on where it stands; ``_`` takes the context off again."""
    return f"{context}{_CONTEXT}{message}"


def _(message: str) -> str:
    """Translate a text."""
    if not message:  # the empty text is the header of a catalogue
        return message
    return catalogue(current_language()).gettext(message).rpartition(_CONTEXT)[2]


def pgettext(context: str, message: str) -> str:
    """Translate a text whose translation depends on where it stands."""
    return _(NP_(context, message))


def ngettext(singular: str, plural: str, number: int, **values: object) -> str:
    """Translate a text about a number of things, and fill it in: ``1 run``, ``1,234 runs``.

    Args:
        singular: The English text for one thing.
        plural: The English text for any other number, with ``{n}`` where the number stands.
        number: How many things there are.
        values: What else is filled in.
    """
    message = catalogue(current_language()).ngettext(singular, plural, int(number))
    return message.format(**({"n": f"{number:,}"} | values))


def translated(messages: T) -> T:
    """Translate the texts of a constant: the values of a dict and the items of a tuple, however deep."""
    result: object = messages
    if isinstance(messages, str):
        result = _(messages)
    elif isinstance(messages, dict):
        result = {key: translated(value) for key, value in messages.items()}
    elif isinstance(messages, tuple):
        result = tuple(translated(value) for value in messages)
    return cast("T", result)


_SPOKEN: ContextVar[str | None] = ContextVar("spoken", default=None)


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Draw in a language where there is no visitor, as when files are written."""
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


_SETTLED: ContextVar[str | None] = ContextVar("settled", default=None)
"""The language of this run of a page: a page has a thousand texts, and each would look into the session."""


def current_language() -> str:
    """Return the code of the language to draw in: the address's, else this session's choice, else the browser's."""
    settled = _SPOKEN.get() or _SETTLED.get()
    if settled:
        return settled
    chosen = st.session_state.get(_KEY)
    return chosen if chosen in LANGUAGES else _preferred()


def _preferred() -> str:
    """Return the browser's language, if it is one of ours."""
    language = (st.context.locale or "").partition("-")[0].lower()
    return language if language in LANGUAGES else DEFAULT


def settle_language() -> None:
    """Take the language from the address, and write the one that is drawn back into it.

    Called once at the beginning of every run, before any text is drawn: links between pages leave the address empty,
    and a copied address must open in the language that was seen.
    """
    requested = st.query_params.get(_KEY)
    if requested in LANGUAGES and requested != st.session_state.get("lang_link"):
        st.session_state[_KEY] = requested
    elif st.session_state.get(_KEY) not in LANGUAGES:
        st.session_state[_KEY] = _preferred()
    _write()


def language_switch() -> None:
    """Draw the switch between languages; it sits in the page's head, see ``dashboard.ui.theme``."""
    with st.container(key="language"):
        # Screen readers and the browser's choice of fonts go by it; Streamlit always says English.
        st.html(
            f"<script>document.documentElement.lang = '{current_language()}'</script>", unsafe_allow_javascript=True
        )
        st.segmented_control(
            "Language, 언어",
            list(LANGUAGES),
            key=_KEY,
            format_func=LANGUAGES.__getitem__,
            required=True,
            on_change=_write,
            label_visibility="collapsed",
            persist_state="session",
        )


def _write() -> None:
    chosen = st.session_state[_KEY]
    _SETTLED.set(chosen)
    st.session_state["lang_link"] = chosen
    if chosen == DEFAULT == _preferred():  # the plain address says it already
        st.query_params.pop(_KEY, None)
    elif st.query_params.get(_KEY) != chosen:
        st.query_params[_KEY] = chosen
