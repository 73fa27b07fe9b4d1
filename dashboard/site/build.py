"""Write the board as static files: overview, boards, trade-offs, model pages, data."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from dashboard.findings.data_scaling import COMPARED
from dashboard.leaderboard import answer, columns, export
from dashboard.markup import templates
from dashboard.model import content
from dashboard.overview import cards, matrix, state
from dashboard.overview import changes as changes_list
from dashboard.site import board as board_page
from dashboard.site import sharing, tradeoff
from dashboard.site.links import Links, slugs
from dashboard.ui import export as file_formats
from dashboard.ui import i18n, task_names, theme
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.labels import APP, MINI_NOTE
from db.analysis.headlines import Headlines, headlines
from db.base.clock import utc_now
from db.leaderboard.board import Board, board
from db.leaderboard.history import History, history
from db.leaderboard.models import families, model
from db.leaderboard.overview import Cells, Overview, cells
from db.storage.store import Store

ASSETS = Path(__file__).parent.parent / "assets"
_ID = 12
"""Characters of a run's id by which the app's addresses name it."""


@dataclass(frozen=True)
class Site:
    """What all pages are made from.

    Attributes:
        store: The database.
        read: The rows of all boards.
        facts: The three facts of the overview.
        boards: Boards with rows, by task, one row a variant.
        models: File names of models.
        runs: The model of each run, by the run's id.
        changes: New, replaced and withdrawn runs.
        colours: Of the families.
    """

    store: Store
    read: Cells
    facts: Headlines
    boards: dict[str, Board]
    models: dict[str, str]
    runs: dict[str, str]
    changes: History
    colours: dict[str, str]


def publish(store: Store, folder: Path) -> list[Path]:
    """Write the site into a folder; files of the same names are replaced, others stay.

    Returns:
        The files, relative to the folder.
    """
    read = cells(store)
    boards = {str(task): board(store, str(task), every_run=False) for task in read.tasks["task_id"]}
    boards = {task: shown for task, shown in boards.items() if shown.rows["score"].notna().any()}
    names = sorted(read.rows["model"].unique())
    runs = store.query("SELECT run_id, m.name FROM runs JOIN models m USING (model_id)").set_index("run_id")["name"]
    facts, colours = headlines(store, read, COMPARED), theme.family_colours(families(store))
    site = Site(store, read, facts, boards, slugs(names), runs.to_dict(), history(store), colours)
    files: dict[str, bytes] = {}
    for language in i18n.LANGUAGES:
        with i18n.speaking(language):
            prefix = "" if language == i18n.DEFAULT else f"{language}/"
            for path, page in _pages(site).items():
                files[prefix + path] = page(prefix, path)
            for path, shared in sharing.files(site.changes, site.boards, site.models, site.runs).items():
                files[prefix + path] = shared
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


Page = Callable[[str, str], bytes]
"""Makes a page from the folder of its language and its path below it."""


def _pages(site: Site) -> dict[str, Page]:
    shown = state.compute(site.read, state.View(), i18n.current_language())
    pages: dict[str, Page] = {
        "index.html": lambda prefix, path: _overview(site, shown, prefix, path),
        "leaderboard/index.html": lambda prefix, path: _boards(site, prefix, path),
        "tradeoffs/index.html": lambda prefix, path: _tradeoffs(site, prefix, path),
        "model/index.html": lambda prefix, path: _models(site, prefix, path),
        "run/index.html": lambda prefix, path: _runs(site, prefix, path),
        "changes/index.html": lambda prefix, path: _changes(site, prefix, path),
    }
    for task, drawn_board in site.boards.items():
        pages[f"leaderboard/{task}.html"] = _bound(_board, site, drawn_board)
    for name, slug in site.models.items():
        pages[f"model/{slug}.html"] = _bound(_model, site, shown, name)
    return pages


def _bound(make: Callable[..., bytes], *values: Any) -> Page:
    return lambda prefix, path: make(*values, prefix, path)


def _page(
    site: Site,
    prefix: str,
    path: str,
    key: str,
    heading: str,
    blocks: list[Markup],
    *,
    lead: list[str] | None = None,
    up: dict[str, str] | None = None,
    redirect: dict[str, dict[str, str]] | None = None,
) -> bytes:
    """Put blocks into the frame of the site; ``redirect`` leads the app's addresses to pages."""
    depth = path.count("/")
    link = Links(depth, site.models, site.runs)
    menu = {
        "overview": _("Overview"),
        "leaderboard": _("Leaderboard"),
        "tradeoffs": _("Trade-offs"),
        "model": _("Models"),
        "changes": _("What changed"),
    }
    root = "../" * (depth + prefix.count("/"))
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
            title=APP if key == "overview" else f"{heading} · {APP}",
            root=root,
            link=link,
            menu=[{"key": name, "label": label, "href": link(name)} for name, label in menu.items()],
            here=key,
            languages=languages,
            heading=heading,
            lead=lead or [],
            up=up,
            blocks=blocks,
            redirect=redirect or {},
            feed="../" * depth + "feed.xml",
            words={
                "skip": _("Skip to content"),
                "made": _("Published {date} (UTC) with Featherboard.").format(date=f"{utc_now():%Y-%m-%d %H:%M}"),
            },
        )
    )
    return text.encode()


def _search() -> Markup:
    label = _("Search models")
    return Markup('<input type="search" class="search" aria-label="{0}" placeholder="{0}">').format(label)


def _overview(site: Site, shown: Overview, prefix: str, path: str) -> bytes:
    link = Links(0, site.models, site.runs)
    blocks = [
        cards.render(site.facts, link),
        _search(),
        matrix.render(shown, site.read, "borda", link, site.colours, app=False),
    ]
    lead = _("{models}, {tasks}, {runs}; each score with its interval and source.").format(
        models=ngettext("{n} model", "{n} models", len(site.models)),
        tasks=ngettext("{n} task", "{n} tasks", len(site.boards)),
        runs=ngettext("{n} run", "{n} runs", len(site.runs)),
    )
    heading = _("Small language models, compared by quality and cost")
    return _page(site, prefix, path, "overview", heading, blocks, lead=[lead])


def _task_name(task: str) -> str:
    return task_names.task({"task_id": task}).name


def _boards(site: Site, prefix: str, path: str) -> bytes:
    items = [
        {"href": f"{task}.html", "name": _task_name(task), "text": task_names.task(shown.task).question}
        for task, shown in site.boards.items()
    ]
    redirect = {"task": {task: f"{task}.html" for task in site.boards}}
    blocks = [templates.render("boards", items=items)]
    return _page(site, prefix, path, "leaderboard", _("Leaderboard"), blocks, redirect=redirect)


def _board(site: Site, shown: Board, prefix: str, path: str) -> bytes:
    metric = task_names.metric(str(shown.task["metric"]))
    words = task_names.task(shown.task)
    link = Links(1, site.models, site.runs)
    lead = answer.sentences(shown.rows, metric, maximise=shown.task["direction"] == "max")
    if shown.task["mini"]:
        lead = [_(MINI_NOTE), *lead]
    task = str(shown.task["task_id"])
    root = "../" * (1 + prefix.count("/"))
    downloads = [(f"{root}data/{task}.{ending}", name) for ending, name in (("parquet", "Parquet"), ("json", "JSON"))]
    blocks = [
        tradeoff.draw(shown, metric, site.colours),
        _search(),
        board_page.draw(shown, metric, link, site.colours),
        templates.render("downloads", label=_("Data"), downloads=downloads, scoring=words.scoring),
    ]
    up = {"href": link("leaderboard"), "label": _("Leaderboard")}
    return _page(site, prefix, path, "leaderboard", words.name, blocks, lead=[words.question, *lead], up=up)


def _tradeoffs(site: Site, prefix: str, path: str) -> bytes:
    link = Links(1, site.models, site.runs)
    blocks = []
    for task, shown in site.boards.items():
        figure = tradeoff.draw(shown, task_names.metric(str(shown.task["metric"])), site.colours)
        if figure:
            heading = Markup('<h2 id="{0}"><a href="{1}">{2}</a></h2>')
            blocks += [heading.format(task, link("leaderboard", task=task), _task_name(task)), figure]
    redirect = {"task": {task: f"#{task}" for task in site.boards}}
    lead = [_("Parameters against the score of each task; the line joins models that no smaller one beats.")]
    return _page(site, prefix, path, "tradeoffs", _("Trade-offs"), blocks, lead=lead, redirect=redirect)


def _models(site: Site, prefix: str, path: str) -> bytes:
    items = [{"href": f"{slug}.html", "name": name, "text": ""} for name, slug in site.models.items()]
    redirect = {"name": {name: f"{slug}.html" for name, slug in site.models.items()}}
    blocks = [templates.render("boards", items=items)]
    return _page(site, prefix, path, "model", _("Models"), blocks, redirect=redirect)


def _runs(site: Site, prefix: str, path: str) -> bytes:
    targets = {run[:_ID]: site.models[name] for run, name in site.runs.items() if name in site.models}
    redirect = {"run": {run: f"../model/{slug}.html" for run, slug in targets.items()}}
    lead = [_("Runs are listed on the page of their model.")]
    up = {"href": Links(1, {}, {})("model"), "label": _("Models")}
    return _page(site, prefix, path, "model", _("Runs"), [], lead=lead, up=up, redirect=redirect)


def _changes(site: Site, prefix: str, path: str) -> bytes:
    feed = Markup('<p class="downloads"><a href="../feed.xml" type="application/atom+xml">{}</a></p>')
    blocks = [
        feed.format(_("Atom feed")),
        changes_list.render(site.changes, Links(1, site.models, site.runs), app=False),
    ]
    return _page(site, prefix, path, "changes", _("What changed"), blocks, lead=[changes_list.lead()])


def _model(site: Site, shown: Overview, name: str, prefix: str, path: str) -> bytes:
    record = model(site.store, name, site.read, shown, site.boards.__getitem__)
    assert record is not None  # noqa: S101 - the name is one of the database's
    link = Links(1, site.models, site.runs)
    blocks = [content.render(record, link, app=False), sharing.block(record, site.boards, site.models[name])]
    up = {"href": link("model"), "label": _("Models")}
    return _page(site, prefix, path, "model", name, blocks, lead=[content.lead(record)], up=up)


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
