"""The third step: the row as the board would show it, between its neighbours, and what is said of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.markup import templates
from dashboard.submit import verdict
from dashboard.submit.form_state import PREFIX, remembered
from dashboard.submit.validation import Row
from dashboard.ui import cache, formatting, task_names, theme
from dashboard.ui.i18n import N_, _, pgettext, translated
from dashboard.ui.labels import BOARD_COLUMNS, SOURCES
from dashboard.ui.markdown import plain
from db import submissions
from db.leaderboard.board import Board
from db.registry import formats, tasks
from db.registry.metrics import Metric
from db.submissions import Gathered, Preview
from db.submissions.claim import Claim
from db.submissions.previews import NO_PREDICTIONS
from db.submissions.verification import Report

SUBMIT_NO_PREVIEW = N_("Fill in task, model and score to see your row among its neighbours.")
SUBMIT_SOURCE_HOW = N_("A diamond marks a submitted row. A tick is added once it is verified.")

_COMPONENT = templates.component("neighbours", "neighbours", "neighbours")


def draw_row(row: Row, gathered: Gathered, files: tuple[str, ...]) -> None:
    """Draw the preview of the only row."""
    if row.claim is None:
        st.caption(_(SUBMIT_NO_PREVIEW))
        return
    report = verdict.of(row.claim, row.draft, gathered.predictions, files)
    board = cache.leaderboard(row.claim.task, every_run=False)
    (shown,) = _previews([row.claim], report, files)
    metric = task_names.metric(str(board.task["metric"]))
    name = task_names.task(board.task).name
    template = (
        _("**{score}** on {task}: the first row of this board, rank {rank} of {n}.")
        if shown.rows == 1
        else _("**{score}** on {task}: rank **{rank}** of {n}.")
    )
    st.markdown(
        template.format(
            task=name,
            rank=plain(shown.rank.replace("-", "–")),
            n=f"{shown.rows:,}",
            score=formatting.value(metric, float(shown.row["score"])),
        )
    )
    _COMPONENT(key=f"{PREFIX}neighbours", data=_payload(board, row.claim, shown, metric))
    if (shown.row["seeds"] or 1) > 1:
        st.caption(
            _("The score is the mean over {n} seeds: this one and those that are on the board.").format(
                n=shown.row["seeds"]
            )
        )
    st.caption(_(SUBMIT_SOURCE_HOW))
    if gathered.curves is not None:
        series = gathered.curves["series"].nunique()
        st.caption(
            _("{n} points of curves in {series} series come with it.").format(
                series=f"{series:,}", n=f"{len(gathered.curves):,}"
            )
        )
    verdict.draw(report)


def _payload(board: Board, claim: Claim, shown: Preview, metric: Metric) -> dict[str, Any]:
    neighbours = (shown.above, shown.below)
    known = [row for row in neighbours if row is not None]
    ends = np.array(
        [[formatting.number(row[name]) for name in ("low", "score", "high")] for row in [*known, shown.row]]
    )
    scale = formatting.scale(ends[:, 0], ends[:, 1], ends[:, 2])
    colours = cache.family_colours((str(board.task["task_id"]), str(shown.row["family"])))
    mine = _line(shown.row, shown.rank, metric, scale, colours) | {"mine": True, "href": ""}
    above, below = (None if row is None else _line(row, str(row["rank"]), metric, scale, colours) for row in neighbours)
    names = translated(BOARD_COLUMNS)
    return {
        "caption": _("{model} between the rows that would stand above and below it").format(
            model=" ".join(claim.model.split())
        ),
        "heads": [
            ["rank", names["rank"]],
            ["model", names["model"]],
            ["score", metric.label],
            ["number", names["params"]],
            ["source", names["source"]],
        ],
        "rows": [row for row in (above, mine, below) if row is not None],
        "words": {"verified": _("verified")},
    }


def _line(row: Any, rank: str, metric: Metric, scale: formatting.Scale, colours: dict[str, str]) -> dict[str, Any]:
    """A row of the board, or one that would be, as the browser draws it."""
    low, score, high = (formatting.number(row[name]) for name in ("low", "score", "high"))
    interval = formatting.interval(metric, low, high)
    params = formatting.number(row["params"])
    params = params if not np.isnan(params) else formatting.number(row["params_reported"])
    run_id = row.get("run_id")
    return {
        "rank": rank.replace("-", "–"),
        "model": " ".join(str(row["model"]).split()),
        "family": str(row["family"]),
        "score": formatting.value(metric, score),
        "mine": False,
        "places": [scale.position(value) for value in (low, score, high)] if interval else None,
        "ends": _("95% interval {low} to {high}").format(
            low=formatting.value(metric, low), high=formatting.value(metric, high)
        )
        if interval
        else _("No interval: how many examples were scored is not known"),
        "params": "" if np.isnan(params) else formats.short(params),
        "source": _(SOURCES[str(row["source"])]),
        "verified": bool(row["verified"]),
        "shape": theme.SYMBOLS[str(row["source"])],
        "colour": colours.get(str(row["family"]), theme.GREY),
        "href": templates.link("run", run=str(run_id)) if run_id else "",
    }


def several(rows: Sequence[Row]) -> None:
    """Draw where each row would stand."""
    good = [(row.number, row.claim) for row in rows if row.claim is not None]
    if not good:
        st.caption(_(SUBMIT_NO_PREVIEW))
        return
    previews = _previews([claim for _number, claim in good])
    lines = [_cells(number, claim, shown) for (number, claim), shown in zip(good, previews, strict=True)]
    st.caption(_("Where each row stands once all of them are on the board; seeds of one model share a row."))
    heads = [_("Row"), _("Model"), _("Task"), _("Score"), _("95% interval"), _("Rank"), pgettext("submit places", "Of")]
    height = min(420, 36 * (len(lines) + 1) + 3)
    st.dataframe(pd.DataFrame(lines, columns=heads), hide_index=True, height=height, placeholder="–")
    st.caption(_(SUBMIT_SOURCE_HOW))
    verdict.draw(NO_PREDICTIONS)


def _previews(claims: Sequence[Claim], report: Report = NO_PREDICTIONS, files: tuple[str, ...] = ()) -> list[Preview]:
    """Where rows would stand; worked out once for each state of the form and the database."""
    own = tuple(claim.model_dump_json(exclude={"contact", "notes"}) for claim in claims)
    facts = (cache.state_of(cache.store()), own, report.state, files)
    return remembered("previews", facts, lambda: submissions.preview(cache.store(), claims, report=report))


def _cells(number: int, claim: Claim, shown: Preview) -> list[object]:
    """A row of the table of previews."""
    task = tasks.by_id(claim.task)
    metric = task_names.metric(task.metric)
    return [
        number,
        claim.model,
        task_names.name(task.task_id, task.name),
        formatting.value(metric, float(shown.row["score"])),
        formatting.interval(metric, shown.row["low"], shown.row["high"]),
        shown.rank.replace("-", "–"),
        shown.rows,
    ]
