"""Cards of one figure each: what it is, the figure, a sentence, and a link."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.markup import templates


@dataclass(frozen=True)
class Card:
    """One card.

    Attributes:
        kind: What the figure is.
        figure: In large type.
        fact: What it belongs to.
        href: Where a click leads.
        page: Page of the board that a click opens.
        details: Further facts in small type.
    """

    kind: str
    figure: str
    fact: str
    href: str
    page: str
    details: tuple[str, ...] = ()


def render(cards: Sequence[Card], label: str, *, small: bool = False) -> Markup:
    """Draw cards side by side, small ones beside something else; nothing where there are none."""
    return templates.render("cards", cards=cards, label=label, small=small) if cards else Markup("")
