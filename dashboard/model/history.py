"""The runs of a model and their files as markup."""

from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.markup import tables
from dashboard.markup.tables import Cell, Column, Row
from dashboard.markup.templates import Link
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import _
from dashboard.ui.labels import SOURCES, STATUS
from db.leaderboard.models import Model
from db.registry import formats


def runs(shown: Model, link: Link, *, app: bool) -> Markup:
    """Draw the runs, the newest first."""
    columns = [
        Column(_("Run"), "name text", "ascending"),
        Column(_("Date"), "text", "descending", sorted="descending"),
        Column(_("Task"), "text", "ascending"),
        Column(_("Seed"), "number", "ascending"),
        Column(_("Score")),
        Column(_("Source"), "text", "ascending"),
        Column(_("Status"), "text", "ascending"),
    ]
    rows = []
    for row in shown.runs.to_dict("records"):
        metric = task_names.metric(str(row["metric"]))
        date = "" if row["source"] == "reported" else f"{row['created_at']:%Y-%m-%d}"
        score = formatting.number(row["score"])
        status, title = _status(row)
        rows.append(
            Row(
                Cell(
                    formatting.cut(row["name"], 48),
                    css="name",
                    href=link("run", run=row["run_id"]) if app else "",
                    page="run",
                ),
                [
                    Cell(date, date and f"{row['created_at']:%Y-%m-%dT%H:%M:%S}", "text", title=date and "UTC"),
                    Cell(task_names.name(row["task_id"]), css="text"),
                    Cell("" if pd.isna(row["seed"]) else f"{int(row['seed'])}"),
                    Cell(
                        "" if np.isnan(score) else formatting.value(metric, score),
                        score,
                        title=formatting.interval_title(metric, float(row["low"]), float(row["high"])),
                    ),
                    Cell(_(SOURCES[row["source"]]), css="text", verified=bool(row["verified"])),
                    Cell(status, css="text", title=title),
                ],
            )
        )
    caption = _("Runs of {model}, the newest first").format(model=shown.name)
    return tables.render(caption, columns, rows, app=app, css="short")


def _status(row: dict[str, Any]) -> tuple[str, str]:
    if pd.notna(row["withdrawn_at"]):
        return _("Withdrawn {date}").format(date=f"{row['withdrawn_at']:%Y-%m-%d}"), str(row["reason"] or "")
    if pd.notna(row["replaced_at"]):
        return _("Replaced {date}").format(date=f"{row['replaced_at']:%Y-%m-%d}"), ""
    return _(STATUS[row["status"]]), ""


def files(shown: Model, *, app: bool) -> Markup:
    """Draw the files of the runs that stand for the rows."""
    columns = [
        Column(_("File"), "name text", "ascending"),
        Column(_("Task"), "text", "ascending"),
        Column(_("Size")),
        Column("SHA-256", "text", "ascending"),
    ]
    rows = [
        Row(
            Cell(str(row.path).rpartition("/")[2], css="name"),
            [
                Cell(task_names.name(row.task_id), css="text"),
                Cell(formats.size(row.bytes), float(row.bytes)),
                Cell(f"{row.sha256[:16]}…", css="text mono", title=row.sha256),
            ],
        )
        for row in shown.files.itertuples()
    ]
    return tables.render(_("Files of {model}").format(model=shown.name), columns, rows, app=app)
