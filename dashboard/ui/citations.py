"""How a cited document is shown: its title, linked where it is published."""

from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.registry.citations import resolve


def title(stored: str) -> str:
    """Return the title of what a run cites, as text."""
    cited = resolve(stored)
    if cited.quoted_in is None:
        return cited.title
    return _("{title}, as quoted in: {document}").format(title=cited.title, document=cited.quoted_in)


def markdown(stored: str) -> str:
    """Return the title as Markdown, a link where the document is published."""
    link = resolve(stored).link
    return f"[{plain(title(stored))}]({link})" if link else plain(title(stored))
