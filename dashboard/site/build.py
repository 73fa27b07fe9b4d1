"""Write the board as static files: overview, boards, trade-offs, model pages, data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from markupsafe import Markup

from dashboard.findings.data_scaling import COMPARED
from dashboard.leaderboard import answer, columns, export
from dashboard.markup import cards as markup
from dashboard.markup import templates
from dashboard.model import content
from dashboard.overview import cards, matrix, state
from dashboard.overview import changes as changes_list
from dashboard.site import board as board_page
from dashboard.site import sharing, tradeoff
from dashboard.site.links import Links, slugs
from dashboard.ui import export as file_formats
from dashboard.ui import i18n, task_names, theme
from dashboard.ui.i18n import _
from dashboard.ui.labels import APP, MINI_NOTE
from db.analysis.headlines import Headlines, headlines
from db.base.clock import utc_now
from db.leaderboard.board import Board, board
from db.leaderboard.history import History, history
from db.leaderboard.models import families, model
from db.leaderboard.overview import Cells, Overview, cells
from db.registry import formats
from db.runs import detail
from db.storage.store import Store

ASSETS = Path(__file__).parent.parent / "assets"
_ID = 12
"""Characters of a run's id by which the app's addresses name it."""


@dataclass(frozen=True)
class Site:
    """What all pages are made from: boards with rows by task, one row a variant; models by name and by run."""

    store: Store
    read: Cells
    facts: Headlines
    boards: dict[str, Board]
    models: dict[str, str]
    runs: dict[str, str]
    changes: History
    colours: dict[str, str]

    def link(self, depth: int) -> Links:
        """Return what makes addresses on a page that lies so many folders deep."""
        return Links(depth, self.models, self.runs)


@dataclass(frozen=True)
class Page:
    """What stands in the frame of the site.

    Attributes:
        menu: The entry of the menu that it belongs to.
        heading: Above the blocks.
        blocks: Its content.
        lead: Paragraphs between them.
        up: Whether a link leads to the page of the menu's entry.
        redirect: Where the app's addresses lead: the page of each value of a name.
    """

    menu: str
    heading: str
    blocks: list[Markup]
    lead: list[str] = field(default_factory=list)
    up: bool = False
    redirect: dict[str, dict[str, str]] = field(default_factory=dict)


def publish(store: Store, folder: Path) -> list[Path]:
    """Write the site into a folder; files of the same names are replaced, others stay.

    Returns:
        The files, relative to the folder.
    """
    read = cells(store)
    boards = {str(task): board(store, str(task), every_run=False) for task in detail.boards(store)["task_id"]}
    boards = {task: shown for task, shown in boards.items() if shown.rows["score"].notna().any()}
    names = sorted(read.rows["model"].unique())
    runs = store.query("SELECT run_id, m.name FROM runs JOIN models m USING (model_id)").set_index("run_id")["name"]
    facts, colours = headlines(store, read, COMPARED), theme.family_colours(families(store))
    site = Site(store, read, facts, boards, slugs(names), runs.to_dict(), history(store), colours)
    files: dict[str, bytes] = {}
    for language in i18n.LANGUAGES:
        with i18n.speaking(language):
            for path, page in _pages(site):
                files[_prefix() + path] = _framed(site, path, page)
            for path, shared in sharing.files(site.changes, site.boards, site.models, site.runs).items():
                files[_prefix() + path] = shared
    files |= _data(site)
    for name in ("icon.svg", "mark.svg"):
        files[f"assets/{name}"] = (ASSETS / name).read_bytes()
    files["assets/site.css"] = (templates.css().partition("\n")[2] + (ASSETS / "site.css").read_text("utf-8")).encode()
    files["assets/site.js"] = b"".join((ASSETS / name).read_bytes() for name in ("sortable.js", "site.js"))
    for path, made in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(made)
    return [Path(path) for path in files]


def _prefix() -> str:
    """Return the folder of the current language."""
    return "" if i18n.current_language() == i18n.DEFAULT else f"{i18n.current_language()}/"


def _root(depth: int) -> str:
    """Return the way from a page, so many folders below that of its language, to the root of the site."""
    return "../" * (depth + _prefix().count("/"))


def _pages(site: Site) -> Iterator[tuple[str, Page]]:
    """Make all pages in the current language, by their paths below its folder."""
    shown = state.compute(site.read, state.View(), i18n.current_language())
    yield "index.html", _overview(site, shown)
    yield "leaderboard/index.html", _boards(site)
    yield "tradeoffs/index.html", _tradeoffs(site)
    yield "model/index.html", _models(site)
    yield "run/index.html", _runs(site)
    yield "changes/index.html", _changes(site)
    for task, drawn_board in site.boards.items():
        yield f"leaderboard/{task}.html", _board(site, drawn_board)
    for name, slug in site.models.items():
        yield f"model/{slug}.html", _model(site, shown, name)


def _framed(site: Site, path: str, page: Page) -> bytes:
    """Put a page into the frame of the site."""
    depth = path.count("/")
    link, root = site.link(depth), _root(depth)
    menu = {
        "overview": _("Overview"),
        "leaderboard": _("Leaderboard"),
        "tradeoffs": _("Trade-offs"),
        "model": _("Models"),
        "changes": _("What changed"),
    }
    languages = [
        {
            "code": code,
            "name": name,
            "href": ""
            if code == i18n.current_language()
            else root + ("" if code == i18n.DEFAULT else f"{code}/") + path,
        }
        for code, name in i18n.LANGUAGES.items()
    ]
    text = (
        templates.environment()
        .get_template("page.html")
        .render(
            lang=i18n.current_language(),
            title=APP if page.menu == "overview" else f"{page.heading} · {APP}",
            root=root,
            link=link,
            menu=[{"key": name, "label": label, "href": link(name)} for name, label in menu.items()],
            here=page.menu,
            languages=languages,
            heading=page.heading,
            lead=page.lead,
            up={"href": link(page.menu), "label": menu[page.menu]} if page.up else None,
            blocks=page.blocks,
            redirect=page.redirect,
            feed="../" * depth + "feed.xml",
            words={
                "skip": _("Skip to content"),
                "made": _("Published {date} (UTC) with Featherboard.").format(date=f"{utc_now():%Y-%m-%d %H:%M}"),
            },
        )
    )
    return text.encode()


def _search(sizes: Sequence[float] = ()) -> Markup:
    """Draw the field that searches the rows of the page, and a menu of sizes that they may have."""
    field = Markup('<input type="search" class="search" aria-label="{0}" placeholder="{0}">').format(_("Search models"))
    if not sizes:
        return field
    limits = [("", _("Any size on disk")), *((f"{size:.0f}", f"≤ {formats.size(size)}") for size in sizes)]
    options = Markup("").join(Markup('<option value="{}">{}</option>').format(*limit) for limit in limits)
    menu = Markup('<select class="budget" aria-label="{}">{}</select>').format(_("Size on disk"), options)
    return Markup('<div class="controls">{}{}</div>').format(field, menu)


def _overview(site: Site, shown: Overview) -> Page:
    link = site.link(0)
    blocks = [
        cards.render(site.facts, link),
        _search(state.SIZES),
        matrix.render(shown, site.read, "borda", link, site.colours, app=False),
    ]
    counted = cards.counted(site.read, len(site.runs))
    lead = _("{counted}; each score with its interval and source.").format(counted=counted)
    return Page("overview", _("Small language models, compared by quality and cost"), blocks, [lead])


def _boards(site: Site) -> Page:
    items = [
        {"href": f"{task}.html", "name": task_names.name(task), "text": task_names.task(shown.task).question}
        for task, shown in site.boards.items()
    ]
    redirect = {"task": {task: f"{task}.html" for task in site.boards}}
    blocks = [templates.render("boards", items=items)]
    return Page("leaderboard", _("Leaderboard"), blocks, redirect=redirect)


def _board(site: Site, shown: Board) -> Page:
    metric = task_names.metric(str(shown.task["metric"]))
    words = task_names.task(shown.task)
    best = answer.cards(shown.rows, metric, site.link(1), maximise=shown.task["direction"] == "max")
    lead = [_(MINI_NOTE)] if shown.task["mini"] else []
    task = str(shown.task["task_id"])
    downloads = [
        (f"{_root(1)}data/{task}.{ending}", name) for ending, name in (("parquet", "Parquet"), ("json", "JSON"))
    ]
    blocks = [
        markup.render(best, _("Which model to take")),
        tradeoff.draw(shown, metric, site.colours),
        _search(),
        board_page.draw(shown, metric, site.link(1), site.colours),
        templates.render("downloads", label=_("Data"), downloads=downloads, scoring=words.scoring),
    ]
    return Page("leaderboard", words.name, blocks, [words.question, *lead], up=True)


def _tradeoffs(site: Site) -> Page:
    link = site.link(1)
    blocks = []
    for task, shown in site.boards.items():
        figure = tradeoff.draw(shown, task_names.metric(str(shown.task["metric"])), site.colours)
        if figure:
            heading = Markup('<h2 id="{0}"><a href="{1}">{2}</a></h2>')
            blocks += [heading.format(task, link("leaderboard", task=task), task_names.name(task)), figure]
    redirect = {"task": {task: f"#{task}" for task in site.boards}}
    lead = [
        _(
            "Parameters against the score of each task; the line joins measured and submitted models that no smaller "
            "one beats."
        )
    ]
    return Page("tradeoffs", _("Trade-offs"), blocks, lead, redirect=redirect)


def _models(site: Site) -> Page:
    items = [{"href": f"{slug}.html", "name": name, "text": ""} for name, slug in site.models.items()]
    redirect = {"name": {name: f"{slug}.html" for name, slug in site.models.items()}}
    blocks = [templates.render("boards", items=items)]
    return Page("model", _("Models"), blocks, redirect=redirect)


def _runs(site: Site) -> Page:
    targets = {run[:_ID]: site.models[name] for run, name in site.runs.items() if name in site.models}
    redirect = {"run": {run: f"../model/{slug}.html" for run, slug in targets.items()}}
    lead = [_("Runs are listed on the page of their model.")]
    return Page("model", _("Runs"), [], lead, up=True, redirect=redirect)


def _changes(site: Site) -> Page:
    feed = Markup('<p class="downloads"><a href="../feed.xml" type="application/atom+xml">{}</a></p>')
    blocks = [feed.format(_("Atom feed")), changes_list.render(site.changes, site.link(1), app=False)]
    return Page("changes", _("What changed"), blocks, [changes_list.lead()])


def _model(site: Site, shown: Overview, name: str) -> Page:
    record = model(site.store, name, site.read, shown, site.boards.__getitem__)
    assert record is not None  # noqa: S101 - the name is one of the database's
    blocks = [content.render(record, site.link(1), app=False), sharing.block(record, site.boards, site.models[name])]
    return Page("model", name, blocks, [content.lead(record)], up=True)


def _data(site: Site) -> dict[str, bytes]:
    """The rows of each board as Parquet and JSON, with their stored values."""
    files = {}
    with i18n.speaking(i18n.DEFAULT):
        for task, shown in site.boards.items():
            metric = task_names.metric(str(shown.task["metric"]))
            offered = [column for column in columns.columns(shown, metric) if column.shown or column.key in _ALWAYS]
            values = export.values(shown, np.arange(len(shown.rows)), offered)
            files[f"data/{task}.parquet"] = file_formats.parquet(values)
            files[f"data/{task}.json"] = file_formats.as_json(values)
    return files


_ALWAYS = {"family", "teacher", "device", "citation"}
