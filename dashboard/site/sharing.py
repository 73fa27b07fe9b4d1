"""Badges and the feed of changes in the published site."""

from collections.abc import Mapping
from urllib.parse import quote

from markupsafe import Markup

from dashboard.markup import templates
from dashboard.site.links import Links
from dashboard.ui import i18n
from dashboard.ui.i18n import _
from db.leaderboard.board import Board
from db.leaderboard.history import History
from db.leaderboard.models import Model
from db.sharing import feed
from db.sharing.badge import badge, snippets


def files(
    changes: History, boards: Mapping[str, Board], models: Mapping[str, str], runs: Mapping[str, str]
) -> dict[str, bytes]:
    """Make the feed, and a badge for each model of each board, in the current language.

    Returns:
        Contents by path below the folder of the language.
    """
    language = i18n.current_language()
    link = Links(0, dict(models), dict(runs))
    made = {"feed.xml": feed.atom(changes, lambda run, _: link("run", run=run), link("changes"), language)}
    for task, shown in boards.items():
        for name in shown.rows.loc[shown.rows["score"].notna(), "model"].unique():
            if name in models:
                made[f"badges/{task}/{models[name]}.svg"] = badge(shown, name, language).svg.encode()
    return made


def block(shown: Model, boards: Mapping[str, Board], slug: str) -> Markup:
    """Draw a model's badges with what a README needs to show them."""
    badges = []
    for task in shown.scores["task_id"].unique() if len(shown.scores) else ():
        made = badge(boards[task], shown.name, i18n.current_language())
        image = f"../badges/{quote(task)}/{slug}.svg"
        badges.append({"image": image, "title": made.title, "snippets": snippets(made, image, f"{slug}.html")})
    return (
        templates.render("badges", label=_("Badges for a README"), badges=badges, page=f"{slug}.html")
        if badges
        else Markup("")
    )
