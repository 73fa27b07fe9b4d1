"""Addresses between the files of a published site, relative, so that they hold in a folder and on any host."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a file name without ending for each name: letters, digits and dashes, each once."""
    taken: dict[str, str] = {}
    for name in names:
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-") or "model"
        slug, number = stem, 2
        while slug in taken.values():
            slug, number = f"{stem}-{number}", number + 1
        taken[name] = slug
    return taken


@dataclass(frozen=True)
class Links:
    """Where the pages are, seen from one that lies ``depth`` folders below the root of its language."""

    depth: int
    models: dict[str, str]
    runs: dict[str, str]

    def __call__(self, page: str, **query: str) -> str:
        """Return the address of a page of the app in the site; a run is shown on the page of its model."""
        if page == "run":
            page, query = "model", {"name": self.runs.get(query["run"], "")}
        if page == "model":
            page = f"model/{self.models.get(query.get('name', ''), 'index')}.html"
        elif page == "leaderboard":
            page = f"leaderboard/{quote(query['task'])}.html" if "task" in query else "leaderboard/index.html"
        elif page == "overview":
            page = "index.html"
        else:
            page = f"{page}/index.html"
        return "../" * self.depth + page
