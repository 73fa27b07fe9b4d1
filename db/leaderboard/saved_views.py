"""Views that somebody keeps by name: the address of a page in a certain state."""

import unicodedata
from dataclasses import dataclass

from db.base.clock import utc_now
from db.base.errors import FeatherboardError, NotFoundError
from db.storage.store import Store

LONGEST_NAME, LONGEST_QUERY = 80, 4000
"""Characters of a name and of an address at most."""


class ViewError(FeatherboardError):
    """A view could not be kept."""


@dataclass(frozen=True)
class SavedView:
    """A page's address under a name."""

    name: str
    query: str


def save(store: Store, page: str, name: str, query: str) -> SavedView:
    """Keep an address under a name, which stands for this one from now on.

    Args:
        store: The database.
        page: Whose address it is.
        name: 1 to 80 characters in one line; blanks around it do not count.
        query: What follows the question mark.

    Raises:
        ViewError: The name or the address cannot be kept.
    """
    label = unicodedata.normalize("NFC", name).strip()
    if not label:
        raise ViewError("A view needs a name. Nothing was kept.")
    if len(label) > LONGEST_NAME:
        raise ViewError(f"The name has {len(label)} characters; {LONGEST_NAME} is the most. Nothing was kept.")
    if any(unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} for sign in label):
        raise ViewError("The name has line breaks or other control characters. Nothing was kept.")
    if len(query) > LONGEST_QUERY:
        raise ViewError("This view has more filters than an address can hold. Nothing was kept; remove some of them.")
    with store.transaction() as con:
        con.execute("DELETE FROM views WHERE page = ? AND name = ?", [page, label])
        con.execute("INSERT INTO views VALUES (?, ?, ?, ?)", [page, label, query, utc_now()])
    return SavedView(label, query)


def saved(store: Store, page: str) -> list[SavedView]:
    """The views of a page, by name."""
    rows = store.query("SELECT name, query FROM views WHERE page = ? ORDER BY lower(name), name", [page])
    return [SavedView(str(name), str(query)) for name, query in rows.itertuples(index=False)]


def delete(store: Store, page: str, name: str) -> None:
    """Forget a view.

    Raises:
        NotFoundError: There is no such view; perhaps somebody else deleted it.
    """
    with store.transaction() as con:
        gone = con.execute("DELETE FROM views WHERE page = ? AND name = ? RETURNING name", [page, name]).fetchall()
    if not gone:
        raise NotFoundError(f"There is no view {name!r} of this page any more.")
