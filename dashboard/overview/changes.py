"""What changed on the boards as markup: a list by day, the newest first."""

from itertools import groupby
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.markup import tables, templates
from dashboard.markup.templates import Link
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _, ngettext
from db.leaderboard.history import History

KINDS = {"best": N_("New best"), "new": N_("New run"), "replaced": N_("Replaced"), "withdrawn": N_("Withdrawn")}


def render(changes: History, link: Link, *, app: bool) -> Markup:
    """Draw the list."""
    rows = changes.events.to_dict("records")
    days = [
        {"date": day, "events": [_event(row, link) for row in of_day]}
        for day, of_day in groupby(rows, key=lambda row: f"{row['happened_at']:%Y-%m-%d}")
    ]
    return templates.render(
        "changes", days=days, empty=_("Nothing changed yet."), shipped=_shipped(changes), words=tables.words(), app=app
    )


def lead() -> str:
    """Say what the page lists."""
    return _("New runs and best scores, and runs that were replaced or withdrawn. Times are in UTC.")


def _event(row: dict[Any, Any], link: Link) -> dict[str, Any]:
    metric = task_names.metric(str(row["metric"]))
    remarks = [] if pd.isna(row["seed"]) else [_("Seed {seed}").format(seed=int(row["seed"]))]
    if row["kind"] in {"best", "replaced"} and pd.notna(row["former"]):
        remarks.insert(0, _("before: {score}").format(score=formatting.value(metric, float(row["former"]))))
    if pd.notna(row["reason"]) and row["reason"]:
        remarks.append(formatting.cut(str(row["reason"]), 200))
    return {
        "kind": row["kind"],
        "label": _(KINDS[row["kind"]]),
        "time": f"{row['happened_at']:%H:%M}",
        "moment": f"{row['happened_at']:%Y-%m-%dT%H:%M:%S}Z",
        "model": formatting.cut(str(row["model"]), 60),
        "href": link("run", run=str(row["run_id"])),
        "task": task_names.name(row["task_id"], row["task_name"]),
        "board": link("leaderboard", task=str(row["task_id"])),
        "score": formatting.value(metric, float(row["score"])),
        "title": formatting.interval_title(metric, float(row["low"]), float(row["high"])),
        "metric": metric.label,
        "verified": bool(row["verified"]),
        "remarks": remarks,
    }


def _shipped(changes: History) -> str:
    if not changes.shipped or changes.shipped_at is None:
        return ""
    return ngettext(
        "{n} run came with Featherboard, on {date}; it is not listed.",
        "{n} runs came with Featherboard, the last on {date}; they are not listed.",
        changes.shipped,
        date=f"{changes.shipped_at:%Y-%m-%d}",
    )
