"""Every text, in the visitor's language: ``text.NAME`` is looked up in ``dashboard.ui.texts`` when it is read.

A text that is kept in a constant of another module would stay in the language of the first visitor: read it where it is
drawn.
"""

from typing import TYPE_CHECKING, Any

from dashboard.ui import language
from dashboard.ui.texts import en, ko

if TYPE_CHECKING:
    from dashboard.ui.texts.en import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        return getattr(MODULES[language.current()], name)


MODULES = {"en": en, "ko": ko}
"""The modules by language."""
