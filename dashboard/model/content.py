"""The parts of a model's page as markup: facts, scores with ranks and peers, family tree, runs, files."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.leaderboard import cells
from dashboard.markup import tables, templates
from dashboard.markup.tables import Cell, Column, Row
from dashboard.markup.templates import Link
from dashboard.model import history
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import N_, _, ngettext
from dashboard.ui.labels import HELP
from db.leaderboard.models import Model
from db.registry import formats
from db.registry.metrics import Metric, known

LANGUAGES = {"ko": N_("Korean"), "en": N_("English"), "multi": N_("Multilingual")}

_DOTS = 30
"""Peers on a scale; of more, every second or third is shown."""

_RANK = N_("Rank on the board of the task; a range where the data cannot separate rows.")


def render(shown: Model, link: Link, *, app: bool) -> Markup:
    """Draw the page below its title."""
    return templates.render(
        "model",
        facts=[fact if app else fact | {"help": ""} for fact in facts(shown)],
        scores=_scores(shown, link, app=app) if len(shown.scores) else "",
        scores_title=_("Scores"),
        empty=_("No score yet."),
        peers=_peers_note(shown),
        tree=_tree(shown, link) if shown.teachers or shown.students else None,
        tree_title=_("Teachers and students"),
        runs=history.runs(shown, link, app=app) if len(shown.runs) else "",
        runs_title=_("History"),
        files=history.files(shown, app=app) if len(shown.files) else "",
        files_title=_("Files"),
        app=app,
    )


def facts(shown: Model) -> list[dict[str, str]]:
    """What is known about the model itself, with labels; what nobody reported is left out."""
    model, scores = shown.facts, shown.full_scores
    named: list[tuple[str, str | None, str]] = [
        (_("Family"), model.get("family"), ""),
        (_("Parameters"), _count(model.get("params") or model.get("params_reported")), _(HELP["params"])),
        (_("Size"), _median(scores, "checkpoint_bytes"), _(HELP["size"])),
        (_("Latency"), _median(scores, "latency_ms_p50"), _(HELP["latency"])),
        (_("Language"), _(LANGUAGES.get(str(model.get("language")), str(model.get("language") or ""))), ""),
        (_("Architecture"), model.get("architecture"), ""),
        (_("Licence"), model.get("licence"), ""),
    ]
    return [{"label": label, "value": value, "help": explanation} for label, value, explanation in named if value]


def lead(shown: Model) -> str:
    """Say in one sentence how good the model is: its best rank, verified rows first."""
    if shown.scores.empty:
        return _("No score yet.")
    rows = shown.full_scores
    rows = rows[rows["ranked"]] if rows["ranked"].any() else rows
    best = rows.sort_values("verified", ascending=False, kind="stable").iloc[0]
    metric = task_names.metric(str(best["metric"]))
    values = {
        "task": task_names.name(best["task_id"]),
        "metric": metric.label,
        "score": formatting.value(metric, best["score"]),
        "rank": _rank(best),
        "among": f"{best['among']:,}",
    }
    if best["verified"] and values["rank"]:
        return _("{task}: {metric} {score}, verified, rank {rank} of {among}.").format(**values)
    if values["rank"]:
        return _("{task}: {metric} {score}, rank {rank} of {among}.").format(**values)
    return _("{task}: {metric} {score}, as printed in a document.").format(**values)


def _count(value: Any) -> str | None:
    return None if value is None or pd.isna(value) else f"{int(value):,}"


def _median(scores: pd.DataFrame, cost: str) -> str | None:
    if cost not in scores or not scores[cost].notna().any():
        return None
    return formats.value(known(cost), float(scores[cost].astype(float).median()))


def _rank(row: Any) -> str:
    return "" if pd.isna(row["rank"]) else str(row["rank"]).replace("-", "–")


def _scores(shown: Model, link: Link, *, app: bool) -> Markup:
    columns = [
        Column(_("Task"), "name text", "ascending"),
        Column(_("Score"), "score", help=_("With its 95% interval. Grey marks are models of its size.")),
        Column(_("Rank"), "number", "ascending", help=_(_RANK)),
        Column(_("In its size class"), "number peers", "ascending", help=_peers_note(shown)),
        Column(_("Seeds"), "number", help=_(HELP["seeds"])),
        Column(_("Latency"), "number", "ascending", help=_(HELP["latency"])),
        Column(_("Source"), "text", "ascending", help=_(HELP["source"])),
        Column(_("Trained on"), "text wrap", "ascending", help=_(HELP["dataset"])),
    ]
    if not app:  # on hundreds of static pages the explanations would be half of all bytes; the boards have them
        columns = [replace(column, help="") for column in columns]
    rows = [_score_row(shown, row, link, app=app) for row in shown.scores.to_dict("records")]
    return tables.render(_("Scores of {model}").format(model=shown.name), columns, rows, app=app, css="roomy")


def _score_row(shown: Model, row: dict[str, Any], link: Link, *, app: bool) -> Row:
    metric = task_names.metric(str(row["metric"]))
    score, low, high = (float(row[name]) for name in ("score", "low", "high"))
    peers = shown.peers[shown.peers["task_id"] == row["task_id"]]
    own = peers[(peers["model"] == shown.name) & np.isclose(peers["score"], score)]
    others = peers.loc[peers["model"] != shown.name, "score"] if len(own) else peers["score"].iloc[:0]
    ends = [value for value in (score, low, high, *others) if not np.isnan(value)]
    scale = (min(ends), max(ends)) if max(ends) > min(ends) else (score - 1, score + 1)
    interval = (score, score, score) if np.isnan(low) else (low, score, high)
    class_text, class_title, better = "", _("No other model of its size has a score here."), 0
    if len(others):
        better = int((others > score).sum()) if metric.direction == "max" else int((others < score).sum())
        class_text = f"{better + 1}"
        best = peers.sort_values("score", ascending=metric.direction == "min").head(8)
        class_title = ", ".join(f"{peer.model} {formatting.value(metric, peer.score)}" for peer in best.itertuples())
    rank = _rank(row)
    unranked = _("Printed rows are ranked on request.") if row["source"] == "reported" else ""
    return Row(
        Cell(
            task_names.name(row["task_id"]),
            css="name",
            href=link("leaderboard", task=row["task_id"]),
            page="leaderboard",
            sub=metric.label,
        ),
        [
            Cell(
                formatting.value(metric, score),
                score,
                "score wide",
                title=formatting.interval_title(metric, low, high),
                href=link("run", run=row["run_id"]) if app else "",
                page="run",
                sub=formatting.interval(metric, low, high) or "",
                ends=tables.shares(interval, *scale) if len(others) else None,
                dots=[tables.share(value, *scale) for value in others.iloc[:: 1 + len(others) // _DOTS]],
            ),
            Cell(rank, rank.strip("~").partition("–")[0], title=unranked, sub=_of(row["among"]) if rank else ""),
            Cell(class_text, better + 1, title=class_title, sub=_of(len(peers)) if class_text else ""),
            *_seeds_and_latency(row, metric),
            Cell(cells.source_text(row["source"], row["owner"]), css="text", verified=bool(row["verified"])),
            Cell(formatting.stored(str(row["dataset"])), css="text wrap"),
        ],
    )


def _seeds_and_latency(row: dict[str, Any], metric: Metric) -> list[Cell]:
    count, failed, spread, latency = (
        formatting.number(row[name]) for name in ("seeds", "failed", "spread", "latency_ms_p50")
    )
    more = cells.others(int(row["others"]))
    around = "" if np.isnan(spread) else f"±{formatting.width(metric, spread)}"
    title = _("Printed, without seeds") if np.isnan(count) else "".join(more[1:])
    timed = cells.partial("", int(row["timed_seeds"]), count)
    return [
        Cell(cells.seeds_text(count, failed), count, sub=", ".join(filter(None, [around, *more[:1]])), title=title),
        Cell("" if np.isnan(latency) else formats.value(known("latency_ms_p50"), latency), latency, sub=timed),
    ]


def _of(count: int) -> str:
    return _("of {n}").format(n=f"{count:,}")


def _peers_note(shown: Model) -> str:
    count = shown.peers["model"].nunique() - 1
    if count < 1:
        return ""
    return _("Size class: models with a third to three times its parameters; {models} here.").format(
        models=ngettext("{n} other", "{n} others", count)
    )


def _tree(shown: Model, link: Link) -> dict[str, Any]:
    """The model below its teachers, each below its own; students below it."""

    def node(name: str, above: frozenset[str]) -> dict[str, Any]:
        teachers = [] if name in above else shown.teachers.get(name, [])
        return {
            "name": name,
            "href": link("model", name=name) if name in shown.known and name != shown.name else "",
            "own": name == shown.name,
            "children": [node(teacher, above | {name}) for teacher in teachers],
        }

    students = [node(name, frozenset({name})) for name in shown.students]
    return {
        "teachers": node(shown.name, frozenset())["children"],
        "students": students,
        "teachers_label": _("Teacher"),
        "students_label": _("Students"),
    }
