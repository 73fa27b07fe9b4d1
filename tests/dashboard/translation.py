"""The texts of the pages in the languages of the board, for tests that name them in English."""

from dashboard.ui import i18n


def korean(message: str, context: str | None = None) -> str:
    """Return the Korean text of an English one."""
    return worded("ko", message, context)


def worded(language: str, message: str, context: str | None = None) -> str:
    """Return an English text in a language, as the catalogue has it."""
    catalogue = i18n.catalogue(language)
    return catalogue.pgettext(context, message) if context else catalogue.gettext(message)
